//! Asks for the completions of the word at the caret, and takes in what the sources answer.

use tokio_util::sync::{CancellationToken, DropGuard};

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::completion::sources;
use crate::ide::features::completion::state::{COMPLETIONS, OpenList, Origin, Row, Source};
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::language_servers::sync;
use crate::ide::model::buffers::BufferId;
use crate::lsp::answers::completion::Item;
use crate::lsp::client::completion::Trigger;
use crate::lsp::client::{AnsweredText, Client, QuestionError};
use crate::lsp::position::Encoding;
use crate::lsp::table::Feature;
use crate::text::movement::motion;
use crate::text::position::Byte;

/// Bytes before the caret that are looked at.
const BEFORE_MAX: usize = 1 << 10;

/// Where a list is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The text.
    pub buffer: BufferId,
    /// The caret.
    pub caret: Byte,
    /// Its line up to the caret, or the end of that.
    pub before: String,
    /// The word before the caret, which may be empty.
    pub word: String,
}

impl Place {
    /// Returns the place of the caret in the shown text.
    pub fn of(state: &State) -> Option<Self> {
        let buffer = state.buffers.current().filter(|buffer| buffer.loading.is_none())?;
        let (text, caret) = (buffer.area.text(), buffer.area.caret());
        let start = text.line_start(text.line_of(caret)).max(text.char_floor(caret.back(BEFORE_MAX)));
        let before = text.slice(start..caret).into_owned();
        let word = before.rfind(|letter| !motion::is_word(letter));
        let word = word.map_or(0, |at| at + before[at..].chars().next().map_or(0, char::len_utf8));
        Some(Self { buffer: buffer.id, caret, word: before[word..].to_string(), before })
    }

    /// Returns where the word begins.
    pub fn start(&self) -> Byte {
        self.caret.back(self.word.len())
    }
}

/// What a source answers.
pub struct Answer {
    /// Who answers.
    pub source: Source,
    /// Its rows.
    pub rows: Vec<Row>,
    /// Whether it is about another text than it was asked about, so that it must be asked again.
    pub is_late: bool,
}

/// Asks for the list of a place. What is shown stays until the servers that are asked again have answered, if they said that
/// they have more.
pub fn request(cx: &mut Cx<'_>, place: &Place, trigger: Trigger, is_by_hand: bool) {
    let cancel = CancellationToken::new();
    let known = &mut cx.state.slots[COMPLETIONS];
    known.last += 1;
    let number = known.last;
    let questions = cancel.clone().drop_guard();
    let before = known.open.take();
    // A list that takes the place of another one stays where that is.
    let same_word = before.as_ref().filter(|open| open.buffer == place.buffer && open.start == place.start());
    let is_above = same_word.and_then(|open| open.is_above);
    let mut open = match before {
        Some(open) if trigger == Trigger::Incomplete => carried_over(open, place, questions),
        before => {
            let rows = before.map(|open| open.rows).unwrap_or_default();
            drop_rows(cx, rows);
            OpenList::new(place.buffer, questions)
        }
    };
    (open.number, open.is_by_hand) = (number, is_by_hand);
    (open.word, open.asked, open.before) = (place.word.clone(), place.word.len(), place.before.clone());
    (open.start, open.is_above) = (place.start(), is_above);
    let again: Vec<Origin> =
        open.sources.iter().filter(|source| source.is_stale).map(|source| source.origin).collect();
    cx.state.slots[COMPLETIONS].open = Some(open);
    let servers = ask_servers(cx, place, trigger, (number, &again), &cancel);
    let others =
        if trigger == Trigger::Invoked { sources::ask(cx, place, number, servers, is_by_hand) } else { 0 };
    let is_asked = servers + others > 0;
    match &mut cx.state.slots[COMPLETIONS].open {
        Some(open) if is_asked => open.waiting = servers + others,
        open => {
            *open = None;
            if is_by_hand {
                cx.state.set_status("No completions here");
            }
        }
    }
    show(cx);
}

/// Returns a list for a longer word with the rows of the one before it.
fn carried_over(mut open: OpenList, place: &Place, questions: DropGuard) -> OpenList {
    for source in &mut open.sources {
        source.is_stale = source.is_incomplete;
    }
    let grown = place.word.len() as isize - open.asked as isize;
    for row in open.rows.iter_mut().flatten() {
        row.back = row.back.saturating_add_signed(grown);
    }
    open.questions = questions;
    open
}

/// Rows from which on a task drops them: the loop would feel that.
const DROPPED_MAX: usize = 500;

/// Drops rows.
pub fn drop_rows(cx: &Cx<'_>, rows: Vec<Vec<Row>>) {
    if rows.iter().map(Vec::len).sum::<usize>() > DROPPED_MAX {
        cx.tasks.spawn_blocking("completion.drop", move || drop(rows), |_, _| {});
    }
}

/// Asks the servers of the text; returns how many.
fn ask_servers(
    cx: &mut Cx<'_>,
    place: &Place,
    trigger: Trigger,
    (number, again): (u64, &[Origin]),
    cancel: &CancellationToken,
) -> usize {
    sync::flush(cx.state);
    let known = &cx.state.slots[LANGUAGE_SERVERS];
    let Some(served) = known.texts.get(&place.buffer) else { return 0 };
    let (path, version) = (served.path.clone(), served.sent_version);
    let servers = known.for_feature(place.buffer, Feature::Completion).into_iter();
    // Those that do not know the character have nothing to say.
    let servers = servers.filter(|server| match trigger {
        Trigger::Character(letter) => server.triggers.completion.contains(&letter),
        Trigger::Incomplete => again.contains(&Origin::Server(server.number)),
        Trigger::Invoked => true,
    });
    let asked: Vec<_> = servers
        .map(|server| (server.number, server.triggers.commit.clone(), questions::client(server)))
        .collect();
    let count = asked.len();
    for (server, commit, client) in asked {
        let (path, cancel, caret) = (path.clone(), cancel.clone(), place.caret);
        let back = place.word.len();
        let work = async move {
            let question = async {
                let client = client.await?;
                let answer = client.completions(&path, caret.0, trigger).await;
                Some(answer.map(|(found, text)| {
                    let encoding = client.encoding();
                    // The caret is that of an earlier text.
                    let is_late = text.version != version;
                    let rows = found.items.into_iter();
                    let rows = rows.map(|item| row(item, &text, encoding, caret, back)).collect();
                    let source = source(&client, (server, commit), found.is_incomplete, text, encoding);
                    in_order(Answer { source, rows, is_late })
                }))
            };
            cancel.run_until_cancelled(question).await.flatten()
        };
        cx.tasks.spawn("completion.ask-server", work, move |cx, answer| {
            let answer = answer_or_error(cx, "ask a language server for completions", answer).flatten();
            match answer {
                Some(Ok(answer)) => take_in(cx, number, Some(answer)),
                Some(Err(error)) => {
                    note_problem(cx, server, &error);
                    take_in(cx, number, None);
                }
                None => take_in(cx, number, None),
            }
        });
    }
    count
}

fn source(
    client: &Client,
    (server, commit): (u32, Vec<char>),
    is_incomplete: bool,
    text: AnsweredText,
    encoding: Encoding,
) -> Source {
    Source {
        origin: Origin::Server(server),
        text: Some((text, encoding)),
        is_incomplete,
        is_stale: false,
        commit,
        resolves: client.resolves_completions(),
    }
}

/// Makes a row of what a server offers for a caret behind a word of so many bytes.
fn row(item: Item, asked: &AnsweredText, encoding: Encoding, caret: Byte, word: usize) -> Row {
    let (mut back, mut after) = (word, 0);
    if let Some(replaced) = item.replaced {
        let insert = asked.text.offsets(replaced.insert, encoding);
        // What does not touch the caret would replace what was not typed.
        if insert.contains(&caret.0) || insert.end == caret.0 {
            (back, after) = (caret.0 - insert.start, insert.end - caret.0);
        }
    }
    Row { item, back, after, is_resolved: false }
}

/// Sorts the rows as the server wants.
fn in_order(mut answer: Answer) -> Answer {
    answer.rows.sort_by(|a, b| (&a.item.sort, &a.item.label).cmp(&(&b.item.sort, &b.item.label)));
    answer
}

fn note_problem(cx: &mut Cx<'_>, server: u32, error: &QuestionError) {
    if *error != QuestionError::NotOffered
        && let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server_mut(server)
    {
        // Nothing nags while the user types; the list of servers has it.
        server.note_problem("completions", error);
    }
}

/// Adds what a source answers to the list of that number, if that is still open.
pub fn take_in(cx: &mut Cx<'_>, number: u64, answer: Option<Answer>) {
    let now = cx.now;
    let Some(open) = cx.state.slots[COMPLETIONS].open.as_mut().filter(|open| open.number == number) else {
        return;
    };
    let is_by_hand = open.is_by_hand;
    if answer.as_ref().is_some_and(|answer| answer.is_late) {
        if let Some(place) = Place::of(cx.state) {
            request(cx, &place, Trigger::Invoked, is_by_hand);
        }
        return;
    }
    let Some(open) = &mut cx.state.slots[COMPLETIONS].open else { return };
    open.waiting = open.waiting.saturating_sub(1);
    let chosen = open.chosen();
    open.is_chosen = false;
    let mut gone = Vec::new();
    if let Some(Answer { source, rows, .. }) = answer {
        gone = open.take_stale(Some(source.origin));
        open.add(source, rows);
    }
    let is_done = open.waiting == 0;
    if is_done {
        gone.append(&mut open.take_stale(None));
    }
    open.rank(now);
    if let Some(chosen) = &chosen {
        open.choose(chosen);
    }
    let is_empty = open.matches.is_empty();
    drop_rows(cx, gone);
    if is_done && is_empty && is_by_hand {
        cx.state.set_status("No completions here");
    }
    show(cx);
}

/// Shows what has changed of the list.
pub fn show(cx: &mut Cx<'_>) {
    let is_shown = cx.state.slots[COMPLETIONS].open.as_ref().is_some_and(|open| !open.matches.is_empty());
    let was_shown = std::mem::replace(&mut cx.state.shows_editor_completions, is_shown);
    if is_shown || was_shown {
        cx.state.damage.add(Part::Completions);
    }
    if is_shown {
        announce(cx);
    }
}

/// Says the selected row, for screen readers, which do not see the list.
fn announce(cx: &mut Cx<'_>) {
    if !cx.state.is_accessible() {
        return;
    }
    let Some(open) = &cx.state.slots[COMPLETIONS].open else { return };
    let Some(row) = open.selected_row() else { return };
    let item = &row.item;
    let parts = [item.label.as_str(), item.suffix.trim(), item.kind];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    let text = format!("{}, {} of {}", parts.join(" "), open.selected + 1, open.matches.len());
    cx.state.set_status(visible(&text).into_owned());
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::json::json;
    use crate::lsp::answers::completion;
    use crate::lsp::document::PlainText;

    fn replaced(range: [u32; 2], caret: usize) -> (usize, usize) {
        let range = json!({ "start": { "line": 0, "character": range[0] }, "end": { "line": 0, "character": range[1] } });
        let edit = json!({ "range": range, "newText": "n" });
        let item = completion::decode(json!([{ "label": "n", "textEdit": edit }])).items.remove(0);
        let text = AnsweredText { version: 1, text: Arc::new(PlainText::new("é.abcd".to_string())) };
        let row = row(item, &text, Encoding::Utf16, Byte(caret), 2);
        (row.back, row.after)
    }

    #[test]
    fn completion_row_counts_in_bytes_from_the_caret() {
        assert_eq!(replaced([2, 4], 5), (2, 0));
        assert_eq!(replaced([0, 6], 5), (5, 2), "é has two bytes");
        assert_eq!(replaced([4, 4], 5), (0, 0), "nothing is replaced");
        assert_eq!(replaced([5, 6], 5), (2, 0), "what does not touch the caret is no range");
    }
}
