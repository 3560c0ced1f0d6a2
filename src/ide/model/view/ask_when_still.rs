//! When to ask about shown texts: once a text, what is seen of it and who is asked have been still for a moment. Must not
//! know who that is, nor what is asked.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::ide::model::buffers::BufferId;
use crate::text::position::Byte;

/// How long everything must be still.
pub const STILL: Duration = Duration::from_millis(200);
/// How often a question that had no answer is asked again.
const RETRIES_MAX: u8 = 3;
/// Maximum bytes of a part of the screen that count as seen: a line may be as long as the file.
const PART_MAX: usize = 256 << 10;
/// Minimum bytes beside the screen that are asked about.
const MARGIN_MIN: usize = 4 << 10;

/// What the answer about a text depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// The version of the text.
    pub version: u64,
    /// Who is asked.
    pub servers: Vec<u32>,
    /// Counts how often earlier answers became invalid.
    pub epoch: u64,
}

/// A text on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownText {
    /// Which one.
    pub buffer: BufferId,
    /// What the answer depends on.
    pub basis: Basis,
    /// What is seen of it.
    pub visible: Vec<Range<Byte>>,
}

/// A question that is due.
#[derive(Debug, Clone)]
pub struct Question {
    /// About which text.
    pub buffer: BufferId,
    /// Its number among the questions about that text.
    pub number: u64,
    /// The parts of the text that are wanted, by position and disjoint. Their ends may lie beyond that of the text.
    pub parts: Vec<Range<Byte>>,
    /// Cancelled when a newer question is asked.
    pub cancel: CancellationToken,
}

impl Question {
    /// Returns the wanted parts as numbers of bytes.
    pub fn byte_parts(&self) -> Vec<Range<usize>> {
        self.parts.iter().map(|part| part.start.0..part.end.0).collect()
    }
}

/// What was asked about a text.
#[derive(Debug)]
struct Asked {
    basis: Basis,
    /// The parts that the answer covers.
    parts: Vec<Range<Byte>>,
    number: u64,
    _question: DropGuard,
}

#[derive(Debug)]
struct Text {
    basis: Basis,
    visible: Vec<Range<Byte>>,
    /// When it was last different.
    changed: Duration,
    is_shown: bool,
    asked: Option<Asked>,
    retries: u8,
}

impl Text {
    fn is_outdated(&self) -> bool {
        match &self.asked {
            None => !self.basis.servers.is_empty(),
            // What was answered is taken away, once.
            Some(asked) if self.basis.servers.is_empty() => !asked.basis.servers.is_empty(),
            Some(asked) if asked.basis != self.basis => true,
            Some(asked) => {
                let is_covered = |seen: &Range<Byte>| {
                    asked.parts.iter().any(|part| part.start <= seen.start && seen.end <= part.end)
                };
                !self.visible.iter().all(is_covered)
            }
        }
    }
}

/// The texts about which something is asked.
#[derive(Debug, Default)]
pub struct AskWhenStill {
    texts: BTreeMap<BufferId, Text>,
    last_number: u64,
}

impl AskWhenStill {
    /// Notes the texts on the screen.
    pub fn note(&mut self, shown: Vec<ShownText>, now: Duration) {
        if shown.is_empty() && self.texts.is_empty() {
            return;
        }
        for text in self.texts.values_mut() {
            text.is_shown = false;
        }
        for ShownText { buffer, basis, mut visible } in shown {
            for part in &mut visible {
                part.end = part.end.min(part.start + PART_MAX);
            }
            let Some(known) = self.texts.get_mut(&buffer) else {
                let text = Text { basis, visible, changed: now, is_shown: true, asked: None, retries: 0 };
                self.texts.insert(buffer, text);
                continue;
            };
            known.is_shown = true;
            if known.basis != basis {
                known.retries = 0;
            }
            if known.basis != basis || known.visible != visible {
                (known.basis, known.visible, known.changed) = (basis, visible, now);
            }
        }
    }

    /// Returns when the next question is due.
    pub fn deadline(&self) -> Option<Duration> {
        let due = self.texts.values().filter(|text| text.is_shown && text.is_outdated());
        due.map(|text| text.changed + STILL).min()
    }

    /// Returns the questions that are due, which are asked with that.
    pub fn take_due(&mut self, now: Duration) -> Vec<Question> {
        let mut due = Vec::new();
        for (buffer, text) in &mut self.texts {
            if !text.is_shown || !text.is_outdated() || text.changed + STILL > now {
                continue;
            }
            self.last_number += 1;
            let (number, cancel) = (self.last_number, CancellationToken::new());
            let parts = with_margins(&text.visible);
            let question = cancel.clone().drop_guard();
            let basis = text.basis.clone();
            text.asked = Some(Asked { basis, parts: parts.clone(), number, _question: question });
            due.push(Question { buffer: *buffer, number, parts, cancel });
        }
        due
    }

    /// Returns whether an answer counts: no newer question has been asked about its text. `is_complete` says whether it is
    /// about all of the text, not only about what was wanted. One that `is_passing`, because a server may have
    /// an answer a moment later, is asked for again, unless that has been in vain for some times.
    pub fn accept(
        &mut self,
        question: &Question,
        (is_complete, is_passing): (bool, bool),
        now: Duration,
    ) -> bool {
        let Some(text) = self.texts.get_mut(&question.buffer) else { return false };
        let Some(asked) = text.asked.as_mut().filter(|asked| asked.number == question.number) else {
            return false;
        };
        if is_complete {
            asked.parts = vec![Byte(0)..Byte(usize::MAX)];
        }
        if is_passing && text.retries < RETRIES_MAX {
            text.retries += 1;
            (text.asked, text.changed) = (None, now);
        }
        true
    }

    /// Forgets a text that is closed.
    pub fn forget(&mut self, buffer: BufferId) {
        self.texts.remove(&buffer);
    }

    /// Forgets all texts and cancels what is asked about them.
    pub fn clear(&mut self) {
        self.texts.clear();
    }

    /// Whether no text was noted since it was cleared.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Returns parts with as much beside each as it is long, without overlaps.
fn with_margins(visible: &[Range<Byte>]) -> Vec<Range<Byte>> {
    let wide = |part: &Range<Byte>| {
        let margin = (part.end - part.start).max(MARGIN_MIN);
        part.start.back(margin)..Byte(part.end.0.saturating_add(margin))
    };
    let mut parts: Vec<Range<Byte>> = visible.iter().map(wide).collect();
    parts.sort_by_key(|part| part.start);
    parts.dedup_by(|next, last| {
        let touches = next.start <= last.end;
        if touches {
            last.end = last.end.max(next.end);
        }
        touches
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::document::Document;

    const MS: Duration = Duration::from_millis(1);

    fn buffer() -> BufferId {
        crate::ide::model::buffers::Buffers::default().open(None, Document::default_file(), None)
    }

    fn shown(buffer: BufferId, version: u64, servers: &[u32], visible: Range<usize>) -> Vec<ShownText> {
        let basis = Basis { version, servers: servers.to_vec(), epoch: 0 };
        vec![ShownText { buffer, basis, visible: vec![Byte(visible.start)..Byte(visible.end)] }]
    }

    fn numbers(due: &[Question]) -> Vec<u64> {
        due.iter().map(|question| question.number).collect()
    }

    #[test]
    fn ask_when_still_waits_for_the_end_of_changes_and_asks_once() {
        let (id, mut texts) = (buffer(), AskWhenStill::default());
        assert_eq!(texts.deadline(), None);
        texts.note(shown(id, 1, &[1], 0..10), 100 * MS);
        texts.note(shown(id, 1, &[1], 0..10), 150 * MS);
        assert_eq!(texts.deadline(), Some(100 * MS + STILL));
        texts.note(shown(id, 2, &[1], 0..10), 200 * MS);
        assert_eq!(numbers(&texts.take_due(300 * MS)), [0; 0]);
        let due = texts.take_due(200 * MS + STILL);
        assert_eq!(numbers(&due), [1]);
        assert_eq!(due[0].parts, [Byte(0)..Byte(10 + MARGIN_MIN)]);
        assert_eq!(texts.deadline(), None);
        assert!(texts.accept(&due[0], (false, false), 500 * MS));
        texts.note(shown(id, 2, &[1, 2], 0..10), 900 * MS);
        assert_eq!(numbers(&texts.take_due(2_000 * MS)), [2]);
        assert!(due[0].cancel.is_cancelled() && !texts.accept(&due[0], (false, false), 2_000 * MS));
    }

    #[test]
    fn ask_when_still_asks_after_scrolling_unless_the_answer_covers_it() {
        let (id, mut texts) = (buffer(), AskWhenStill::default());
        texts.note(shown(id, 1, &[1], 0..10), MS);
        texts.take_due(STILL + MS);
        texts.note(shown(id, 1, &[1], MARGIN_MIN..MARGIN_MIN + 9), 500 * MS);
        assert_eq!(texts.deadline(), None, "within the margin");
        texts.note(shown(id, 1, &[1], 3 * MARGIN_MIN..4 * MARGIN_MIN), 500 * MS);
        let due = texts.take_due(500 * MS + STILL);
        assert_eq!(due[0].parts, [Byte(2 * MARGIN_MIN)..Byte(5 * MARGIN_MIN)]);
        assert!(texts.accept(&due[0], (true, false), 800 * MS));
        texts.note(shown(id, 1, &[1], 0..10), 900 * MS);
        assert_eq!(texts.deadline(), None);
        texts.note(shown(id, 2, &[1], 0..9 * PART_MAX), 1_000 * MS);
        assert_eq!(texts.take_due(2_000 * MS)[0].parts, [Byte(0)..Byte(2 * PART_MAX)]);
        texts.note(shown(id, 2, &[1], 0..9 * PART_MAX), 2_000 * MS);
        assert_eq!(texts.deadline(), None);
    }

    #[test]
    fn ask_when_still_needs_servers_once_and_a_text_on_the_screen() {
        let (id, mut texts) = (buffer(), AskWhenStill::default());
        texts.note(shown(id, 1, &[], 0..10), MS);
        assert_eq!(texts.deadline(), None);
        texts.note(shown(id, 1, &[1], 0..10), MS);
        texts.note(Vec::new(), MS);
        assert_eq!(texts.deadline(), None);
        texts.note(shown(id, 1, &[1], 0..10), MS);
        assert_eq!(numbers(&texts.take_due(STILL + MS)), [1]);
        // What was answered is taken away once nobody is there who could have answered.
        texts.note(shown(id, 1, &[], 0..10), MS);
        let due = texts.take_due(STILL + MS);
        assert_eq!(numbers(&due), [2]);
        texts.note(shown(id, 2, &[], 0..10), MS);
        assert_eq!(texts.deadline(), None);
        texts.forget(id);
        assert!(!texts.accept(&due[0], (false, false), STILL));
    }

    #[test]
    fn ask_when_still_asks_a_few_times_again() {
        let (id, mut texts) = (buffer(), AskWhenStill::default());
        texts.note(shown(id, 1, &[1], 0..10), MS);
        let mut asked = 0;
        for n in 1..20 {
            for question in texts.take_due(n * STILL + MS) {
                asked += 1;
                assert!(texts.accept(&question, (false, true), n * STILL + MS));
            }
        }
        assert_eq!(asked, 1 + RETRIES_MAX);
        texts.note(shown(id, 2, &[1], 0..10), MS);
        let due = texts.take_due(30 * STILL);
        assert!(texts.accept(&due[0], (false, true), 30 * STILL));
        assert_eq!(texts.deadline(), Some(31 * STILL), "a change counts anew");
    }

    #[test]
    fn ask_when_still_margins_join_what_is_near() {
        let far = 100 * MARGIN_MIN;
        let parts = with_margins(&[Byte(far)..Byte(far + 5), Byte(0)..Byte(5), Byte(10)..Byte(20)]);
        assert_eq!(
            parts,
            [Byte(0)..Byte(20 + MARGIN_MIN), Byte(far - MARGIN_MIN)..Byte(far + 5 + MARGIN_MIN)]
        );
    }
}
