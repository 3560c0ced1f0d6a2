//! Puts the selected completion into the text, at every cursor.

use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::damage::Part;
use crate::ide::editor::commands::edit;
use crate::ide::editor::modal::insert_mode::insert;
use crate::ide::features::completion::rank;
use crate::ide::features::completion::state::{COMPLETIONS, Origin, Row, Source};
use crate::ide::features::completion::update;
use crate::ide::features::language_servers::questions;
use crate::ide::features::language_servers::state::LANGUAGE_SERVERS;
use crate::ide::features::snippets::commands::insert_snippet;
use crate::ide::model::buffers::BufferId;
use crate::text::changes::ChangeSet;
use crate::text::file_format::format::{with_ending, without_carriers};
use crate::text::movement::motion;
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::snippet::Snippet;
use crate::text::transaction::{Grouping, Transaction};
use crate::tui::input::{Key, KeyCode, Mods};

/// Accepts the selected row; returns whether there was one.
pub fn accept(cx: &mut Cx<'_>) -> bool {
    accept_with(cx, None)
}

/// Accepts the selected row for the key of a character that is typed behind it, or for a key of its own.
fn accept_with(cx: &mut Cx<'_>, letter: Option<char>) -> bool {
    let Some(open) = cx.state.slots[COMPLETIONS].open.as_mut() else { return false };
    let Some(found) = open.matches.get(open.selected).copied() else { return false };
    let mut row = open.rows[found.row.source as usize].swap_remove(found.row.row as usize);
    row.back = open.back(&row);
    let typed = rank::query(&open.before, row.back).to_string();
    let source = open.sources.swap_remove(found.row.source as usize);
    update::close(cx);
    if !insert_row(cx, &row) {
        return true;
    }
    record(cx, &row, &typed, letter);
    if row.is_resolved || !row.item.further.is_empty() || !source.resolves {
        change_further(cx, &row, &source);
    } else {
        resolve_then_change(cx, row, source);
    }
    // The list of the word that is complete now would only say the same.
    let place = super::request::Place::of(cx.state);
    cx.state.slots[COMPLETIONS].dismissed = place.map(|place| (place.buffer, place.start()));
    true
}

/// Accepts the selected row if a character that is about to be typed does that; returns whether it did. A space never
/// does: it would take what nobody has meant.
pub fn accept_before(cx: &mut Cx<'_>, letter: char) -> bool {
    if !cx.state.shows_editor_completions || letter.is_whitespace() || motion::is_word(letter) {
        return false;
    }
    let Some(open) = cx.state.slots[COMPLETIONS].open.as_ref() else { return false };
    let Some(at) = open.matches.get(open.selected).map(|found| found.row) else { return false };
    let (row, source) = (open.row(at), open.source(at));
    let own = &row.item.commit;
    let commits = if own.is_empty() { &source.commit } else { own };
    let is_meant =
        open.is_chosen || !open.word.is_empty() && row.item.filter.to_lowercase() == open.word.to_lowercase();
    is_meant && commits.contains(&letter) && accept_with(cx, Some(letter))
}

/// Records keys that type what was inserted, for `.` and macros. Of a snippet that is its text with its defaults.
fn record(cx: &mut Cx<'_>, row: &Row, typed: &str, letter: Option<char>) {
    let text = if row.item.is_snippet {
        let expanded = Snippet::parse(&row.item.text).and_then(|snippet| snippet.expand(&|_| None));
        expanded.map_or_else(|_| String::new(), |expanded| expanded.text)
    } else {
        row.item.text.clone()
    };
    let press = |code| Key::new(code, Mods::NONE);
    let erased = std::iter::repeat_n(press(KeyCode::Backspace), typed.chars().count());
    let written = text.chars().filter(|letter| *letter != '\r').map(|letter| match letter {
        '\n' => press(KeyCode::Enter),
        letter => Key::char(letter),
    });
    let keys: Vec<Key> = erased.chain(written).chain(letter.map(Key::char)).collect();
    insert::replace_last_key(cx, &keys);
    cx.state.macros.note_completed(typed, &text);
}

/// Puts the text of a row in place of what it replaces; returns whether that was possible.
fn insert_row(cx: &mut Cx<'_>, row: &Row) -> bool {
    let Some(buffer) = cx.state.buffers.current_mut() else { return false };
    if let Some(reason) = buffer.read_only() {
        cx.state.set_error(reason);
        return false;
    }
    let ranges = replaced(buffer.area.text(), &buffer.area.selection, row);
    let item = &row.item;
    if item.is_snippet || item.text.contains('\n') {
        let body = if item.is_snippet { item.text.clone() } else { escaped(&item.text) };
        if let Err(error) = Snippet::parse(&body) {
            cx.state.set_error(format!("Cannot insert this completion: {error}"));
            return false;
        }
        buffer.area.select(ranges);
        insert_snippet(cx, &body);
        return true;
    }
    let new = without_carriers(&item.text).into_owned();
    edit::apply(cx, move |text, _| {
        let edits = ranges.ranges().iter().map(|range| (range.span(), new.clone()));
        Transaction::new(ChangeSet::replace(text.end().0, edits)).select(after(&ranges, new.len()))
    });
    // What is typed next is a step of its own.
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.area.document.seal();
    }
    true
}

/// Returns the cursors behind texts of so many bytes that replace ranges.
fn after(ranges: &Selection, len: usize) -> Selection {
    let mut shift = 0_isize;
    let cursors = ranges.ranges().iter().map(|range| {
        let start = range.start().0.saturating_add_signed(shift);
        shift += len as isize - (range.end() - range.start()) as isize;
        Range::cursor(Byte(start + len))
    });
    Selection::new(cursors.collect(), ranges.primary_index())
}

/// Returns what a row replaces at every cursor: as much as at the primary one where the same stands before it, else
/// nothing.
fn replaced(text: &Text, selection: &Selection, row: &Row) -> Selection {
    let head = selection.primary().head;
    let start = |head: Byte| text.char_floor(head.back(row.back));
    let before = |head: Byte| text.slice(start(head)..head);
    let typed = before(head);
    let mut last = Byte(0);
    let ranges = selection.ranges().iter().map(|range| {
        let head = range.head;
        let is_same = head.0 >= row.back && before(head) == typed && start(head) >= last;
        let from = if is_same { start(head) } else { head };
        let line_end = text.line_end(text.line_of(head));
        let end = if is_same { text.char_floor((head + row.after).min(line_end)) } else { head };
        last = end.max(head);
        Range::new(from, end.max(head))
    });
    Selection::new(ranges.collect(), selection.primary_index())
}

/// Returns the snippet that inserts a text as it is.
fn escaped(text: &str) -> String {
    let mut snippet = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '$' | '}') {
            snippet.push('\\');
        }
        snippet.push(letter);
    }
    snippet
}

/// Asks the server for what else changes, then changes it.
fn resolve_then_change(cx: &mut Cx<'_>, mut row: Row, source: Source) {
    let Origin::Server(number) = source.origin else { return };
    let Some(server) = cx.state.slots[LANGUAGE_SERVERS].server(number) else { return };
    let Some(text) = shown(cx) else { return };
    let (client, name) = (questions::client(server), server.spec.name.clone());
    let work = async move {
        let client = client.await?;
        let answer = client.resolve_completion(&mut row.item).await;
        Some(answer.map(|()| row))
    };
    cx.tasks.spawn("completion.resolve", work, move |cx, answer| {
        match answer_or_error(cx, "ask a language server", answer).flatten() {
            Some(Ok(row)) => change_text(cx, text, &row, &source),
            Some(Err(error)) => {
                let said =
                    format!("{name}: what else this completion changes is not known: {}", error.reason());
                cx.state.set_error(visible(&said).into_owned());
            }
            None => {}
        }
    });
}

/// Makes the changes elsewhere in the shown text, such as imports.
fn change_further(cx: &mut Cx<'_>, row: &Row, source: &Source) {
    if let Some(text) = shown(cx) {
        change_text(cx, text, row, source);
    }
}

/// Returns the shown text and its version.
fn shown(cx: &Cx<'_>) -> Option<(BufferId, u64)> {
    cx.state.buffers.current().map(|buffer| (buffer.id, buffer.area.document.version()))
}

/// Makes the changes elsewhere in a text, whose version was `accepted` when the row was inserted; none if they cannot be
/// made.
fn change_text(cx: &mut Cx<'_>, (id, accepted): (BufferId, u64), row: &Row, source: &Source) {
    let further = &row.item.further;
    let Some((asked, encoding)) = source.text.as_ref().filter(|_| !further.is_empty()) else { return };
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let ranges = further.iter().map(|(range, _)| {
        let range = asked.text.offsets(*range, *encoding);
        Byte(range.start)..Byte(range.end)
    });
    let end = buffer.area.text().end();
    let moved = buffer.servers.moved(asked.version, ranges);
    let ending = buffer.area.document.format().ending.text();
    let texts = further.iter().map(|(_, text)| with_ending(text, ending));
    let mut edits: Vec<_> = moved.into_iter().flatten().zip(texts).collect();
    edits.sort_by_key(|(range, _)| range.start);
    let is_sound = edits.len() == further.len()
        && edits.iter().all(|(range, _)| range.end <= end)
        && edits.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start);
    if !is_sound || buffer.read_only().is_some() {
        return cx.state.set_error("The further changes of this completion do not fit the text any more");
    }
    let changes = ChangeSet::replace(end.0, edits);
    // One undo takes back both, unless something was typed since.
    let grouping =
        if buffer.area.document.version() == accepted { Grouping::Joined } else { Grouping::Separate };
    buffer.area.edit(now_ms, |_, _| Transaction::new(changes).group(grouping));
    cx.state.damage.add(Part::Editor);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::answers::completion::Item;

    fn row(back: usize, after: usize) -> Row {
        Row { item: Item::default(), back, after, is_resolved: true }
    }

    fn spans(text: &str, heads: &[usize], primary: usize, row: &Row) -> Vec<(usize, usize)> {
        let cursors = heads.iter().map(|at| Range::cursor(Byte(*at))).collect();
        let found = replaced(&Text::from(text), &Selection::new(cursors, primary), row);
        found.ranges().iter().map(|range| (range.start().0, range.end().0)).collect()
    }

    #[test]
    fn completion_replaces_the_same_text_at_every_cursor() {
        let text = "pri\nx = pri\nabc";
        assert_eq!(spans(text, &[3, 11, 15], 1, &row(3, 0)), [(0, 3), (8, 11), (15, 15)]);
        assert_eq!(spans("prixx\nprixx", &[3, 9], 0, &row(3, 2)), [(0, 5), (6, 11)]);
        assert_eq!(spans("prix\n", &[3], 0, &row(3, 9)), [(0, 4)], "not beyond the line");
        let cursors = Selection::new(vec![Range::new(Byte(0), Byte(3)), Range::new(Byte(8), Byte(11))], 0);
        let heads: Vec<_> = after(&cursors, 5).ranges().iter().map(|range| range.head.0).collect();
        assert_eq!(heads, [5, 15]);
    }

    #[test]
    fn completion_plain_text_is_no_snippet() {
        let body = escaped("a$1{b}\\\n");
        let snippet = Snippet::parse(&body).unwrap();
        assert_eq!(snippet.expand(&|_| None).unwrap().text, "a$1{b}\\\n");
    }
}
