//! The prompt of the agent: the message being typed, and the sent ones. Must not know what sends it.

use std::cell::{Ref, RefCell};
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

use crate::base::width::{grapheme_width, text_width};
use crate::ide::model::completion::CompletionState;
use crate::ide::model::draft::{Draft, FilledDraft, is_blank};
use crate::ide::model::image_labels::ImageLabels;
use crate::ide::model::pastes::label;
use crate::ide::model::text_area::TextArea;
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{Part as MessagePart, UserMessage};
use crate::runtime::Delivery;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::Range as Selected;

/// The prompt: the text being typed and the sent texts.
#[derive(Debug, Default)]
pub struct Prompt {
    /// The text being typed.
    pub area: TextArea,
    /// Attachments beside the text: those returned with undelivered messages.
    pub attached: Vec<MessagePart>,
    /// Images for which labels in the text stand.
    pub images: ImageLabels,
    /// Sent texts, oldest first.
    pub history: Vec<String>,
    /// Completions of the word at the caret.
    pub completion: CompletionState,
    /// Index of the shown history entry, and the draft that it hides.
    browsing: Option<(usize, String)>,
    /// Rows of the text as last wrapped.
    wrapped: RefCell<Wrapped>,
    /// Version of the text that is to be sent once that is possible, and how.
    awaited: Option<((u64, u64), Delivery)>,
    /// Number of images for this message that are being read.
    images_read: usize,
    /// How often the text area was replaced by a new one, whose versions begin anew.
    generation: u64,
    /// The message that a move in the session put into the prompt last.
    filled: Option<FilledMessage>,
}

/// A message that was put into the prompt, and what it was put before.
#[derive(Debug)]
struct FilledMessage {
    /// The text as the message and the draft made it; with another one the user has edited it.
    revision: (u64, u64, usize),
    /// What was there before.
    draft: FilledDraft,
}

/// Rows of a text: the generation, version, pastes, caret and width they are for, and start and end of each.
#[derive(Debug, Default)]
struct Wrapped {
    key: Option<((u64, u64, u64), Byte, usize)>,
    rows: Vec<(Byte, Byte)>,
}

/// Texts longer than this are wrapped only around the caret; nothing else is on screen.
const WRAP_ALL_BYTES: usize = 32 << 10;
/// Lines around the caret that are wrapped then.
const NEAR_LINES: usize = 16;
/// Maximum bytes of one line wrapped before and after the caret in that case.
const NEAR_BYTES: usize = 4 << 10;

/// A part of the prompt as it is shown.
enum Shown<'a> {
    /// Text as it is.
    Text(&'a str),
    /// What stands for a folded paste of that many bytes.
    Label(&'a str, usize),
}

impl Prompt {
    /// Notes that the text is to be sent once that is possible: the session has started, and its images are read.
    pub fn send_later(&mut self, delivery: Delivery) {
        self.awaited = Some(((self.generation, self.area.document.version()), delivery));
    }

    /// Returns how the text is to be sent that waits for it, unless it was changed since.
    pub fn take_awaited(&mut self) -> Option<Delivery> {
        let now = (self.generation, self.area.document.version());
        self.awaited.take().filter(|(version, _)| *version == now).map(|(_, delivery)| delivery)
    }

    /// Returns whether images for this message are being read.
    pub fn is_reading_images(&self) -> bool {
        self.images_read > 0
    }

    /// Notes that images for this message are being read; returns the message.
    pub fn begin_reading(&mut self) -> u64 {
        self.images_read += 1;
        self.generation
    }

    /// Notes that images were read, or cannot be; returns whether their message still is in the prompt.
    pub fn end_reading(&mut self, message: u64) -> bool {
        let is_same = self.generation == message;
        self.images_read = self.images_read.saturating_sub(usize::from(is_same));
        is_same
    }

    /// Returns start and end of the rows of the text wrapped at a width: all rows of a text of usual length,
    /// those around the caret of a long one. Folded pastes are not long.
    pub fn rows(&self, cols: usize) -> Ref<'_, Vec<(Byte, Byte)>> {
        let (text, pastes) = (self.area.text(), &self.area.per_view.pastes);
        let head = self.area.selection.primary().head;
        let hidden: usize = pastes.folded().iter().map(|fold| fold.end - fold.start).sum();
        let long = text.end().0 - hidden > WRAP_ALL_BYTES;
        let caret_key = if long { head } else { Byte(0) };
        let version = (self.generation, self.area.document.version(), pastes.revision());
        let key = Some((version, caret_key, cols));
        if self.wrapped.borrow().key != key {
            let mut rows = Vec::new();
            let caret_line = pastes.line_start(text, head);
            let mut start = caret_line;
            let mut left = usize::MAX;
            if long {
                let back = |at: &Byte| (at.0 > 0).then(|| pastes.line_start(text, at.back(1)));
                start = std::iter::successors(Some(start), back).take(NEAR_LINES + 1).last().unwrap_or(start);
                left = 2 * NEAR_LINES;
            } else {
                start = Byte(0);
            }
            while left > 0 {
                let end = pastes.line_end(text, start);
                let piece = if long { self.near(start, end, head) } else { start..end };
                self.wrap(piece, cols, &mut rows);
                left -= 1;
                if end == text.end() {
                    break;
                }
                start = text.line_start(Line(text.line_of(end).0 + 1));
            }
            *self.wrapped.borrow_mut() = Wrapped { key, rows };
        }
        Ref::map(self.wrapped.borrow(), |wrapped| &wrapped.rows)
    }

    /// Returns the part of a line near the caret, or its beginning if the caret is not in it.
    fn near(&self, start: Byte, end: Byte, head: Byte) -> Range<Byte> {
        let (text, pastes) = (self.area.text(), &self.area.per_view.pastes);
        let has_caret = start <= head && head <= end;
        let from = if has_caret { start.max(head.back(NEAR_BYTES)) } else { start };
        let from = pastes.around(from).map_or(from, |fold| fold.start);
        let to = end.min(from.max(if has_caret { head } else { from }) + NEAR_BYTES);
        let to = pastes.around(to).map_or(to, |fold| fold.end);
        text.grapheme_floor(from)..text.grapheme_floor(to)
    }

    /// Appends the rows of a piece of one line on screen.
    fn wrap(&self, piece: Range<Byte>, cols: usize, rows: &mut Vec<(Byte, Byte)>) {
        wrap_parts(piece.start, cols, rows, |part| self.visit(piece, part));
    }

    /// Calls `f` with the parts of a range as they are shown.
    fn visit(&self, range: Range<Byte>, mut f: impl FnMut(Shown<'_>)) {
        let text = self.area.text();
        let mut at = range.start;
        let folded = self.area.per_view.pastes.folded();
        for fold in folded.iter().filter(|fold| range.start <= fold.start && fold.end <= range.end) {
            f(Shown::Text(&text.slice(at..fold.start)));
            f(Shown::Label(&label(text, fold), fold.end - fold.start));
            at = fold.end;
        }
        f(Shown::Text(&text.slice(at..range.end)));
    }

    /// Returns a part of a row as it is shown, with the cells of each label in it: first cell and width.
    pub fn shown(&self, range: Range<Byte>) -> (String, Vec<(usize, usize)>) {
        let (mut shown, mut labels) = (String::new(), Vec::new());
        self.visit(range, |part| match part {
            Shown::Text(text) => shown.push_str(&text.replace('\t', " ")),
            Shown::Label(label, _) => {
                labels.push((text_width(&shown), text_width(label)));
                shown.push_str(label);
            }
        });
        (shown, labels)
    }

    /// Returns the position at a column of a row. Beyond the end of a row that goes on in the next one it is that
    /// of the last character.
    pub fn at_column(&self, row: Range<Byte>, column: usize, goes_on: bool) -> Byte {
        let (mut at, mut x, mut last) = (row.start, 0, row.start);
        let mut found = None;
        let mut place = |cells: usize, len: usize| {
            if found.is_none() && column < x + cells {
                found = Some(at);
            }
            last = at;
            x += cells;
            at = Byte(at.0 + len);
        };
        self.visit(row.clone(), |part| match part {
            Shown::Text(text) => {
                for grapheme in text.graphemes(true) {
                    place(if grapheme == "\t" { 1 } else { grapheme_width(grapheme) }, grapheme.len());
                }
            }
            Shown::Label(label, len) => place(text_width(label), len),
        });
        found.unwrap_or(if goes_on { last } else { row.end })
    }

    /// Moves the ends of the selection out of folded pastes, in the direction in which the caret has moved from
    /// `before`.
    pub fn leave_pastes(&mut self, before: Byte) {
        let pastes = &self.area.per_view.pastes;
        let is_inside =
            |range: &Selected| pastes.around(range.head).or(pastes.around(range.anchor)).is_some();
        if !self.area.selection.ranges().iter().any(is_inside) {
            return;
        }
        let moved = self.area.selection.transform(|range| {
            let head = match pastes.around(range.head) {
                Some(fold) if before >= fold.end => fold.start,
                Some(fold) => fold.end,
                None => range.head,
            };
            let anchor = match pastes.around(range.anchor) {
                _ if range.anchor == range.head => head,
                Some(fold) if range.anchor < range.head => fold.start,
                Some(fold) => fold.end,
                None => range.anchor,
            };
            Selected::new(anchor, head)
        });
        self.area.selection = moved;
    }

    /// Folds the text from a position to the caret, which was pasted, if it is long; returns its label.
    pub fn fold_pasted(&mut self, start: Byte) -> Option<String> {
        let TextArea { document, per_view, selection, .. } = &mut self.area;
        let [range] = selection.ranges() else { return None };
        let pasted = start..range.head;
        per_view.pastes.fold(document.text(), pasted.clone());
        per_view.pastes.folded().contains(&pasted).then(|| label(document.text(), &pasted))
    }

    /// Takes what goes with the text: attachments, and the images whose labels it has.
    pub fn take_attached(&mut self) -> Vec<MessagePart> {
        let images = std::mem::take(&mut self.images);
        // A sent text that is shown again has labels of its own.
        let labelled =
            if self.is_browsing() { Vec::new() } else { images.in_text(&self.area.text().to_string()) };
        std::mem::take(&mut self.attached).into_iter().chain(labelled).collect()
    }

    /// Returns the images whose labels are in the text, each with the number of its label.
    pub fn shown_images(&self) -> Vec<(usize, &MessagePart)> {
        if self.images.is_empty() || self.is_browsing() {
            return Vec::new();
        }
        self.images.shown_in(&self.area.text().to_string())
    }

    /// Takes the text, adds it to the history, and clears the field.
    pub fn take(&mut self) -> String {
        let text = self.area.text().to_string();
        self.clear();
        self.push_history(text.clone());
        text
    }

    /// Empties the text field for good: undo does not bring the text back.
    fn clear(&mut self) {
        let pastes = self.area.per_view.pastes.emptied();
        self.area = TextArea::default();
        self.area.per_view.pastes = pastes;
        self.generation += 1;
        self.images_read = 0;
        self.skip_completions();
        self.browsing = None;
    }

    /// Returns the unsent message: the one behind the shown entry of the history, if one is shown.
    pub fn draft(&self) -> Draft {
        let text = match &self.browsing {
            Some((_, hidden)) if self.is_browsing() => Text::from(&**hidden),
            _ => self.area.text().clone(),
        };
        let is_shown = !self.is_browsing();
        let pastes = self.area.per_view.pastes.folded().iter().filter(|_| is_shown).cloned().collect();
        let labelled = self.images.in_text(&text.to_string());
        let attached = self.attached.iter().cloned().chain(labelled).collect();
        let filled = self.filled.as_ref().filter(|filled| is_shown && filled.revision == self.revision());
        Draft { text, pastes, attached, filled: filled.map(|filled| filled.draft.clone()) }
    }

    /// Returns whether there is an unsent message, without a copy of it.
    pub fn has_draft(&self) -> bool {
        let is_text_blank = match &self.browsing {
            Some((_, hidden)) if self.is_browsing() => hidden.trim().is_empty(),
            _ => is_blank(self.area.text()),
        };
        !self.attached.is_empty() || !is_text_blank
    }

    /// Shows another unsent message in place of the one being typed, which the caller has kept.
    pub fn set_draft(&mut self, draft: Draft, now_ms: u64) {
        self.clear();
        self.attached = draft.attached;
        let text = draft.text.to_string();
        self.images = ImageLabels::of_restored(&text, &mut self.attached);
        self.area.set(&text, now_ms);
        let TextArea { document, per_view, .. } = &mut self.area;
        let text = document.text();
        let is_valid = |at: Byte| at <= text.end() && text.grapheme_floor(at) == at;
        for range in draft.pastes.into_iter().filter(|range| range.start < range.end) {
            if is_valid(range.start) && is_valid(range.end) {
                per_view.pastes.fold(text, range);
            }
        }
        self.skip_completions();
        let revision = self.revision();
        self.filled = draft.filled.map(|draft| FilledMessage { revision, draft });
    }

    /// Returns what differs whenever the unsent message does.
    pub fn revision(&self) -> (u64, u64, usize) {
        (self.generation, self.area.document.version(), self.attached.len() + self.images.len())
    }

    /// Returns whether an entry of the history is shown.
    pub fn is_browsing(&self) -> bool {
        let shown = self.browsing.as_ref().and_then(|(at, _)| self.history.get(*at));
        shown.is_some_and(|shown| self.area.text().to_string() == *shown)
    }

    /// Version of the text and caret.
    pub fn seen(&self) -> (u64, Byte) {
        (self.area.document.version(), self.area.selection.primary().head)
    }

    /// Makes an entry of the history that is shown the message being typed. The draft that it hides becomes the
    /// last of the history.
    pub fn keep_shown(&mut self) {
        if let Some((_, hidden)) = self.browsing.take() {
            self.push_history(hidden);
        }
    }

    /// Adds a text as the last one of the history.
    pub fn push_history(&mut self, text: String) {
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }

    /// Returns whether completions are on screen. They are of use only for the text that they were made for.
    pub fn is_completing(&self) -> bool {
        let is_current = self.completion.seen == Some(self.seen());
        self.completion.open.as_ref().is_some_and(|open| is_current && !open.rows.is_empty())
    }

    /// Shows no completions for the text as it is: it was not typed.
    fn skip_completions(&mut self) {
        self.completion.open = None;
        self.completion.seen = Some(self.seen());
    }

    /// Returns whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.attached.is_empty() && is_blank(self.area.text())
    }

    /// Puts undelivered messages before the text being typed, with their attachments. Returns the number of
    /// attachments now.
    pub fn restore_messages(&mut self, messages: Vec<UserMessage>, now_ms: u64) -> usize {
        let draft = self.area.text().to_string();
        let message_texts = messages.iter().map(|message| join_text(&message.content));
        let texts: Vec<String> = message_texts.chain([draft]).filter(|text| !text.is_empty()).collect();
        self.area.set(&texts.join("\n\n"), now_ms);
        self.skip_completions();
        let is_text = |part: &MessagePart| matches!(part, MessagePart::Known(KnownPart::Text { .. }));
        let back = messages.into_iter().flat_map(|message| message.content).filter(|part| !is_text(part));
        let typed = std::mem::take(&mut self.attached);
        self.attached = back.chain(typed).collect();
        self.attached.len()
    }

    /// Puts messages of the place to which the conversation has moved before the text being typed, as
    /// [`Prompt::restore_messages`]. Those of the place before are removed, unless they were edited.
    pub fn fill(&mut self, messages: Vec<UserMessage>, now_ms: u64) -> usize {
        if let Some(filled) = self.filled.take().filter(|filled| filled.revision == self.revision()) {
            self.area.set(&filled.draft.typed, now_ms);
            self.skip_completions();
            self.attached.drain(..filled.draft.attached.min(self.attached.len()));
        }
        if messages.is_empty() {
            return self.attached.len();
        }
        let (typed, before) = (self.area.text().to_string(), self.attached.len());
        let count = self.restore_messages(messages, now_ms);
        let draft = FilledDraft { typed, attached: count - before.min(count) };
        self.filled = Some(FilledMessage { revision: self.revision(), draft });
        count
    }

    /// Replaces the text being typed, which stays in the history.
    pub fn replace_text(&mut self, text: &str, now_ms: u64) {
        let draft = self.area.text().to_string();
        self.keep_shown();
        self.push_history(draft);
        self.area.set(text, now_ms);
        self.skip_completions();
    }

    /// Adds texts of earlier runs before those of this run. A text in both keeps its place in this run.
    pub fn prepend_history(&mut self, texts: Vec<String>) {
        let own = std::mem::take(&mut self.history);
        let earlier = texts.into_iter().filter(|text| !own.contains(text));
        self.history = earlier.collect();
        let more = self.history.len();
        self.history.extend(own);
        if let Some((at, _)) = &mut self.browsing {
            *at += more;
        }
    }

    /// Shows the sent text before the shown one; returns whether there was one.
    pub fn older(&mut self, now_ms: u64) -> bool {
        let (next, draft) = match self.browsing.take() {
            None => (self.history.len(), self.area.text().to_string()),
            Some(shown) => shown,
        };
        let Some(at) = next.checked_sub(1) else {
            self.browsing = (next < self.history.len()).then_some((next, draft));
            return false;
        };
        self.area.set(&self.history[at], now_ms);
        self.browsing = Some((at, draft));
        true
    }

    /// Shows the sent text after the shown one, finally the draft.
    pub fn newer(&mut self, now_ms: u64) -> bool {
        let Some((at, draft)) = self.browsing.take() else { return false };
        match self.history.get(at + 1) {
            Some(text) => {
                self.area.set(text, now_ms);
                self.browsing = Some((at + 1, draft));
            }
            None => self.area.set(&draft, now_ms),
        }
        self.skip_completions();
        true
    }
}

/// Appends the rows of a piece of one line of a text, wrapped at `cols` cells: start and end of each.
pub fn wrap(text: &Text, piece: Range<Byte>, cols: usize, rows: &mut Vec<(Byte, Byte)>) {
    wrap_parts(piece.start, cols, rows, |part| part(Shown::Text(&text.slice(piece))));
}

/// Appends the rows of the parts that `visit` passes on, which begin at `from`.
fn wrap_parts(
    from: Byte,
    cols: usize,
    rows: &mut Vec<(Byte, Byte)>,
    visit: impl FnOnce(&mut dyn FnMut(Shown<'_>)),
) {
    let (mut start, mut width, mut at) = (from, 0, from);
    let mut place = |cells: usize, len: usize| {
        if width + cells > cols && width > 0 {
            rows.push((start, at));
            (start, width) = (at, 0);
        }
        width += cells;
        at += len;
    };
    visit(&mut |part| match part {
        Shown::Text(text) => {
            for grapheme in text.graphemes(true) {
                place(if grapheme == "\t" { 1 } else { grapheme_width(grapheme) }, grapheme.len());
            }
        }
        Shown::Label(label, len) => place(text_width(label), len),
    });
    rows.push((start, at));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_history_keeps_draft() {
        let mut prompt = Prompt { history: vec!["one".into(), "two".into()], ..Prompt::default() };
        prompt.area.set("draft", 0);
        let shown = |p: &Prompt| p.area.text().to_string();
        assert!(prompt.older(0) && shown(&prompt) == "two");
        assert!(prompt.older(0) && shown(&prompt) == "one");
        assert!(!prompt.older(0) && shown(&prompt) == "one");
        assert!(prompt.newer(0) && shown(&prompt) == "two");
        assert!(prompt.newer(0) && shown(&prompt) == "draft");
        assert!(!prompt.newer(0));
        assert_eq!(prompt.take(), "draft");
        assert_eq!(prompt.history, ["one", "two", "draft"]);
    }

    #[test]
    fn prompt_history_merges_earlier_runs_first() {
        let mut prompt = Prompt { history: vec!["own".into(), "both".into()], ..Prompt::default() };
        prompt.area.set("draft", 0);
        let shown = |p: &Prompt| p.area.text().to_string();
        assert!(prompt.older(0) && shown(&prompt) == "both");
        prompt.prepend_history(vec!["first".into(), "both".into(), "third".into()]);
        assert_eq!(prompt.history, ["first", "third", "own", "both"]);
        assert!(prompt.older(0) && shown(&prompt) == "own");
        assert!(prompt.older(0) && shown(&prompt) == "third");
        prompt.replace_text("picked", 0);
        assert_eq!((shown(&prompt).as_str(), prompt.history.last().unwrap().as_str()), ("picked", "third"));
        assert!(!prompt.newer(0));
    }

    #[test]
    fn prompt_restored_messages_keep_images() {
        let image = |data: &str| {
            MessagePart::Known(KnownPart::Image { data: data.into(), mime_type: "image/png".into() })
        };
        let mut prompt = Prompt::default();
        assert!(prompt.is_empty());
        let alone = UserMessage { content: vec![image("a")], ..UserMessage::text("", 0) };
        assert_eq!(prompt.restore_messages(vec![alone], 0), 1);
        assert!(!prompt.is_empty() && prompt.area.text().to_string().is_empty());
        prompt.area.set("draft", 0);
        let mut both = UserMessage::text("look", 0);
        both.content.push(image("b"));
        assert_eq!(prompt.restore_messages(vec![both, UserMessage::text("and", 0)], 0), 2);
        assert_eq!(prompt.area.text().to_string(), "look\n\nand\n\ndraft");
        assert_eq!(prompt.attached, [image("b"), image("a")]);
    }

    #[test]
    fn prompt_image_of_draft_does_not_go_with_shown_history() {
        let image = MessagePart::Known(KnownPart::Image { data: "a".into(), mime_type: "image/png".into() });
        let mut prompt = Prompt::default();
        prompt.push_history("about [image 1]".to_string());
        let label = prompt.images.add(image.clone(), "");
        prompt.area.set(&label, 0);
        assert!(prompt.older(0) && prompt.is_browsing());
        assert_eq!(prompt.take_attached(), []);
    }

    #[test]
    fn prompt_huge_text_wraps_only_near_caret() {
        let mut prompt = Prompt::default();
        prompt.area.set(&"word \n".repeat(2_000_000), 0);
        assert!(prompt.rows(40).len() <= 2 * NEAR_LINES);
        prompt.area.set(&"é".repeat(5_000_000), 0);
        let head = prompt.area.selection.primary().head;
        let rows = prompt.rows(40);
        assert!(rows.len() < 300 && rows.iter().any(|(start, end)| *start <= head && head <= *end));
    }
}
