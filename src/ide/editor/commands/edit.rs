//! Commands that edit the focused text: an open file, the prompt, a query.

use crate::ide::core::context::{Command, Cx, command, kill_command};
use crate::ide::core::damage::Part;
use crate::ide::editor::modal::background;
use crate::ide::model::buffers::Buffer;
use crate::ide::model::text_area::TextArea;
use crate::text::changes::ChangeSet;
use crate::text::clipboard::kill_ring::Direction;
use crate::text::file_format::format::{LineEnding, without_carriers};
use crate::text::operations::block_words;
use crate::text::operations::comment_tokens::{self, CommentTokens};
use crate::text::operations::edit::{self, DeleteTarget};
use crate::text::operations::indent::NoLevels;
use crate::text::operations::pairs;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{Range, Selection};
use crate::text::transaction::{Grouping, Transaction};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.newline", "Insert line break", &["newline"], newline),
    command("edit.tab", "Insert tab or indent", &["tab key"], tab),
    command("edit.dedent", "Dedent lines", &["outdent", "unindent", "shift left"], dedent),
    command("edit.delete-back", "Delete previous character", &["backspace"], |cx| {
        let pairs = is_pairing_enabled(cx);
        erase(cx, if pairs { DeleteTarget::PairBack } else { DeleteTarget::GraphemeBack });
    }),
    command("edit.delete", "Delete next character", &["delete right"], |cx| {
        erase(cx, DeleteTarget::Grapheme);
    }),
    kill_command("edit.kill-line", "Cut to line end", &["kill line"], |cx| {
        kill(cx, DeleteTarget::Line, Direction::Forward);
    }),
    kill_command("edit.kill-line-back", "Cut to line start", &["kill line"], |cx| {
        kill(cx, DeleteTarget::LineBack, Direction::Backward);
    }),
    kill_command("edit.kill-word", "Cut to word end", &["kill word", "delete word"], |cx| {
        kill(cx, DeleteTarget::Word, Direction::Forward);
    }),
    kill_command("edit.kill-word-back", "Cut to word start", &["kill word", "delete word"], |cx| {
        kill(cx, DeleteTarget::WordBack, Direction::Backward);
    }),
    kill_command("edit.kill-subword", "Cut to subword end", &["camel hump"], |cx| {
        kill(cx, DeleteTarget::Subword, Direction::Forward);
    }),
    kill_command("edit.kill-subword-back", "Cut to subword start", &["camel hump"], |cx| {
        kill(cx, DeleteTarget::SubwordBack, Direction::Backward);
    }),
    kill_command("edit.kill-paragraph", "Cut to paragraph end", &["kill paragraph"], |cx| {
        kill(cx, DeleteTarget::Paragraph, Direction::Forward);
    }),
    kill_command("edit.kill-paragraph-back", "Cut to paragraph start", &["kill paragraph"], |cx| {
        kill(cx, DeleteTarget::ParagraphBack, Direction::Backward);
    }),
    kill_command("edit.kill-brackets", "Cut to matching bracket", &["kill sexp"], |cx| {
        kill(cx, DeleteTarget::Bracket, Direction::Forward);
    }),
    command("edit.cut", "Cut", &["kill region"], cut),
    command("edit.copy", "Copy", &["yank", "copy region"], copy),
    kill_command("edit.yank", "Paste", &["yank", "put", "insert clipboard"], yank),
    kill_command(
        "edit.yank-pop",
        "Paste previous cut",
        &["yank pop", "cycle clipboard", "kill ring"],
        yank_pop,
    ),
    command("edit.paste-clipboard", "Paste from clipboard", &["paste system clipboard"], |cx| {
        cx.ui.paste_clipboard = true;
    }),
    command("edit.duplicate-line", "Duplicate line", &["copy line down"], duplicate),
    command("edit.undo", "Undo", &["take back"], |cx| undo_or_redo(cx, true)),
    command("edit.redo", "Redo", &["repeat undone change"], |cx| undo_or_redo(cx, false)),
];

/// Edits the focused text. Returns whether it was editable.
pub fn apply(cx: &mut Cx<'_>, make: impl FnOnce(&Text, &Selection) -> Transaction) -> bool {
    if refuse_read_only(cx) {
        return false;
    }
    let now_ms = cx.now_ms;
    let in_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
    let list = cx.state.buffers.current().filter(|_| in_file).and_then(Buffer::results);
    let known = list.map(|list| list.known.clone());
    let mut harmed = false;
    let mut misfit = false;
    let make = |text: &Text, selection: &Selection| {
        let edit = make(text, selection);
        if edit.changes.len_before() != text.end().0 {
            misfit = true;
            return Transaction::new(ChangeSet::identity(text.end().0));
        }
        match known {
            Some(known) => {
                let (edit, harms) = known.without_header_edits(text, edit);
                harmed = harms;
                edit
            }
            None => edit,
        }
    };
    let Some((area, _, part)) = cx.state.text_target() else { return false };
    let before = (part == Part::Editor).then(|| CaretLineCheck::before(area));
    let changes = area.edit(now_ms, make);
    if changes.is_some_and(|changes| before.is_some_and(|before| before.is_only_change(area, &changes))) {
        cx.state.damage.add_caret_line();
    } else {
        cx.state.damage.add(part);
    }
    if misfit {
        // Computed for a text that had the focus before.
        cx.state.set_error("Focus moved to another text: nothing changed");
        return false;
    }
    if harmed {
        cx.state.set_status("File names and line numbers cannot be edited");
    }
    true
}

/// State before an edit that may lie inside the caret's line. That is by far the most frequent case: nothing
/// else has to be redrawn then.
struct CaretLineCheck {
    modified: bool,
    /// The line that contains all selections, if it is a single one.
    line: Option<Line>,
    /// Its indentation, which the guides in adjacent blank lines follow.
    indent: Option<usize>,
    lines: usize,
    marks: usize,
}

impl CaretLineCheck {
    fn before(area: &TextArea) -> Self {
        let line = line_of_selection(area);
        Self {
            modified: area.document.is_modified(),
            line,
            indent: line.and_then(|line| indent_of(area.text(), line)),
            lines: area.text().line_count(),
            marks: area.document.marks().all().len(),
        }
    }

    /// Returns whether only the caret's line has changed.
    fn is_only_change(&self, area: &TextArea, changes: &ChangeSet) -> bool {
        let (text, mut edits) = (area.text(), changes.edits());
        let (Some(edit), None) = (edits.next(), edits.next()) else { return false };
        let Some(line) = line_of_selection(area) else { return false };
        // The line count is unchanged and none was added, so none was removed.
        let inside = text.line_of(edit.new.start) == line && !edit.text.contains('\n');
        // Git may not count an empty last line; the mark is then on the line above it.
        let emptied = edit.text.is_empty() && text.line_bounds(line) == (edit.new.start, edit.new.start);
        let same = self.line == Some(line)
            && self.lines == text.line_count()
            && self.indent == indent_of(text, line);
        self.modified && same && inside && !emptied && self.marks == area.document.marks().all().len()
    }
}

/// Returns the length in bytes of the blanks before the first other character of a line; `None` if there is
/// no such character.
fn indent_of(text: &Text, line: Line) -> Option<usize> {
    let (start, end) = text.line_bounds(line);
    let (mut seen, most) = (0, end.0 - start.0);
    for chunk in text.chunks_from(start) {
        let chunk = &chunk.as_bytes()[..chunk.len().min(most - seen)];
        match chunk.iter().position(|byte| !matches!(byte, b' ' | b'\t')) {
            // A combining mark after a blank makes it a visible character.
            Some(at) => return Some(text.grapheme_floor(Byte(start.0 + seen + at)).0 - start.0),
            None => seen += chunk.len(),
        }
        if seen == most {
            break;
        }
    }
    None
}

fn line_of_selection(area: &TextArea) -> Option<Line> {
    let [range] = area.selection.ranges() else { return None };
    let line = area.text().line_of(range.head);
    (range.is_empty() || area.text().line_of(range.anchor) == line).then_some(line)
}

/// Does the same for an edit that reads all selected text, or the whole text if `whole`. For much text a task
/// computes it; keys wait, and Escape cancels it. The selection is that of the time of the command.
pub fn apply_in_background(
    cx: &mut Cx<'_>,
    whole: bool,
    make: impl FnOnce(&Text, &Selection) -> Transaction + Send + 'static,
) {
    let Some((area, _, part)) = cx.state.text_target() else { return };
    let (text, selection) = (area.text().clone(), area.selection.clone());
    let selected = selection.ranges().iter().map(|range| range.end() - range.start()).sum();
    let bytes = if whole { text.end().0 } else { selected };
    if part != Part::Editor || bytes <= background::INLINE_MAX {
        apply(cx, make);
        return;
    }
    if refuse_read_only(cx) {
        return;
    }
    let work = move || -> background::Followup {
        let edit = make(&text, &selection).prepare(&text);
        Box::new(move |cx| {
            apply(cx, |_, _| edit);
            Ok(())
        })
    };
    if let Err(problem) = background::run(cx, bytes, work) {
        cx.state.set_error(problem);
    }
}

/// Reports why the focused text is read-only, if it is.
fn refuse_read_only(cx: &mut Cx<'_>) -> bool {
    let editing_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
    let reason = cx.state.buffers.current().and_then(Buffer::read_only).filter(|_| editing_file);
    if let Some(reason) = reason {
        cx.state.set_error(reason);
    }
    reason.is_some()
}

/// Inserts typed or pasted text.
pub fn insert(cx: &mut Cx<'_>, text: &str, grouping: Grouping) {
    let text = without_carriers(text).into_owned();
    apply(cx, |rope, selection| edit::insert(rope, selection, &text).group(grouping));
}

/// Inserts a typed character, in files with automatic pairs and indentation.
pub fn type_char(cx: &mut Cx<'_>, c: char) {
    if !is_pairing_enabled(cx) {
        return insert(cx, c.encode_utf8(&mut [0; 4]), Grouping::Typing);
    }
    if type_block_closer(cx, c) {
        return;
    }
    let Some((area, ..)) = cx.state.text_target() else { return };
    match pairs::type_char(area.text(), &area.selection, c) {
        // Typing over an existing character is not an edit, but moves the cursors.
        Some(Transaction { changes, selection: Some(after), .. }) if changes.is_identity() => {
            area.selection = after;
            cx.state.damage.add(Part::Editor);
        }
        Some(edit) => {
            apply(cx, |_, _| edit.group(Grouping::Typing));
        }
        None => insert(cx, c.encode_utf8(&mut [0; 4]), Grouping::Typing),
    }
}

/// Types a character that completes a keyword closing a block; returns whether it did.
fn type_block_closer(cx: &mut Cx<'_>, c: char) -> bool {
    let Some(buffer) = cx.state.buffers.current().filter(|_| c.is_alphabetic()) else { return false };
    // Checked before the name, which would be looked up for every typed character.
    if !pairs::may_close(buffer.area.text(), &buffer.area.selection) {
        return false;
    }
    let words = block_words::for_file(&buffer.name());
    let edit = pairs::type_closing_word(buffer.area.text(), &buffer.area.selection, c, words);
    edit.is_some_and(|edit| apply(cx, |_, _| edit.group(Grouping::Typing)))
}

/// Returns whether automatic pairs apply to what is typed now.
fn is_pairing_enabled(cx: &mut Cx<'_>) -> bool {
    cx.state.text_options.auto_pairs && matches!(cx.state.text_target(), Some((_, _, Part::Editor)))
}

/// Returns the comment syntax of the focused text.
pub fn comment_tokens(cx: &mut Cx<'_>) -> Option<CommentTokens> {
    let in_file = matches!(cx.state.text_target(), Some((_, _, Part::Editor)));
    cx.state.buffers.current().filter(|_| in_file).and_then(|buffer| comment_tokens::for_file(&buffer.name()))
}

/// Breaks the line.
pub fn newline(cx: &mut Cx<'_>) {
    if !matches!(cx.state.text_target(), Some((_, _, Part::Editor))) {
        let ending = line_ending(cx);
        apply(cx, |text, selection| edit::newline(text, selection, ending));
        return;
    }
    let style = cx.state.line_style();
    match cx.state.tree() {
        Some(tree) => apply(cx, |text, selection| pairs::newline(text, selection, &style, &*tree)),
        None => apply(cx, |text, selection| pairs::newline(text, selection, &style, &NoLevels)),
    };
}

/// Returns the line ending of the focused text.
pub fn line_ending(cx: &mut Cx<'_>) -> LineEnding {
    cx.state.text_target().map(|(area, ..)| area.document.format().ending).unwrap_or_default()
}

fn duplicate(cx: &mut Cx<'_>) {
    let ending = line_ending(cx);
    apply(cx, |text, selection| edit::duplicate_lines(text, selection, ending));
}

fn tab(cx: &mut Cx<'_>) {
    let (width, by_tabs) = cx.state.indentation();
    apply_in_background(cx, false, move |text, selection| {
        let hard = by_tabs.unwrap_or_else(|| edit::indents_by_tabs(text));
        let several_lines =
            selection.ranges().iter().any(|r| text.line_of(r.start()) != text.line_of(r.end()));
        if several_lines {
            edit::indent(text, selection, width, hard)
        } else {
            edit::tab(text, selection, width, hard)
        }
    });
}

fn dedent(cx: &mut Cx<'_>) {
    let (width, _) = cx.state.indentation();
    apply_in_background(cx, false, move |text, selection| edit::dedent(text, selection, width));
}

/// Deletes the range given by `reach` at every cursor.
pub fn erase(cx: &mut Cx<'_>, reach: DeleteTarget) {
    select_folded_pastes(cx, reach);
    apply(cx, |text, selection| edit::delete(text, selection, reach).0.group(Grouping::Erasing));
}

/// Selects what a deletion covers if that touches folded pastes, which are deleted as a whole.
fn select_folded_pastes(cx: &mut Cx<'_>, reach: DeleteTarget) {
    let Some((area, ..)) = cx.state.text_target() else { return };
    let pastes = &area.per_view.pastes;
    if pastes.folded().is_empty() {
        return;
    }
    let (edit, _) = edit::delete(area.text(), &area.selection, reach);
    let spans: Vec<_> = edit.changes.edits().map(|edit| edit.old).collect();
    if spans.iter().any(|span| pastes.widen(span.clone()) != *span) {
        let wide = spans.into_iter().map(|span| pastes.widen(span));
        let ranges: Vec<_> = wide.map(|span| Range::new(span.start, span.end)).collect();
        area.selection = Selection::new(ranges, 0);
    }
}

fn kill(cx: &mut Cx<'_>, reach: DeleteTarget, direction: Direction) {
    select_folded_pastes(cx, reach);
    let mut killed = Vec::new();
    let edited = apply(cx, |text, selection| {
        let (edit, texts) = edit::delete(text, selection, reach);
        killed = texts;
        edit
    });
    if edited {
        cx.state.kill_ring.kill(killed, direction);
    }
}

fn cut(cx: &mut Cx<'_>) {
    copy(cx);
    apply(cx, |text, selection| {
        if selection.is_empty() {
            Transaction::new(crate::text::changes::ChangeSet::identity(text.end().0))
        } else {
            edit::insert(text, selection, "")
        }
    });
}

fn copy(cx: &mut Cx<'_>) {
    let Some((area, ring, _)) = cx.state.text_target() else { return };
    let texts = area.selected();
    if texts.iter().all(String::is_empty) {
        cx.state.set_status("Nothing selected");
        return;
    }
    let joined = texts.join("\n");
    ring.copy(texts);
    cx.ui.clipboard = Some(joined);
    cx.state.set_status("Copied");
}

fn yank(cx: &mut Cx<'_>) {
    let Some(texts) = cx.state.kill_ring.yank().map(<[String]>::to_vec) else {
        cx.state.set_status("Nothing to paste");
        return;
    };
    paste_texts(cx, &texts);
    cx.state.last_yank_version = version(cx);
}

/// Returns the version of the focused text.
fn version(cx: &mut Cx<'_>) -> Option<u64> {
    cx.state.text_target().map(|(area, ..)| area.document.version())
}

/// Inserts texts and selects nothing.
pub fn paste_texts(cx: &mut Cx<'_>, texts: &[String]) {
    let ending = line_ending(cx);
    apply(cx, |text, selection| edit::insert_each(text, selection, texts, ending));
}

fn yank_pop(cx: &mut Cx<'_>) {
    // An edit of the agent or a reload in between must not be undone.
    let now = version(cx);
    if now.is_none() || cx.state.last_yank_version != now {
        cx.state.kill_ring.interrupt();
    }
    let Some(texts) = cx.state.kill_ring.yank_pop().map(<[String]>::to_vec) else {
        cx.state.set_status("Paste first, then replace the paste");
        return;
    };
    // The version shows whether the yank is the last step of the undo tree.
    if let Some((area, _, part)) = cx.state.text_target() {
        area.undo();
        cx.state.damage.add(part);
    }
    paste_texts(cx, &texts);
    cx.state.last_yank_version = version(cx);
}

pub fn undo_or_redo(cx: &mut Cx<'_>, back: bool) {
    let Some((area, _, part)) = cx.state.text_target() else { return };
    let done = if back { area.undo() } else { area.redo() };
    if done.is_none() {
        cx.state.set_status(if back { "Nothing to undo" } else { "Nothing to redo" });
    }
    cx.state.damage.add(part);
}
