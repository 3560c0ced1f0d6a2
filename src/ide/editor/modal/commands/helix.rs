//! The commands of the Helix map: motions that select, changes of what is selected.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::modal::Ask;
use crate::ide::editor::modal::answers::wait;
use crate::ide::editor::modal::helix::{
    collapse, copy_selection, delete, go, insert, letters, lines, normal, open, paste, replace_with_register,
    reshape, search_selection, shape, shift, toggle_select, trim, with_lines, word, yank,
};
use crate::ide::editor::modal::picking::{Pick, again, ask_pattern};
use crate::ide::editor::modal::repeat;
use crate::ide::editor::modal::typing::insert::At;
use crate::text::modal::helix::{self, Word};
use crate::text::modal::motions::Move;
use crate::text::position::Byte;
use crate::text::select;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("helix.left", "Left", |cx| {
        go(cx, Move::Left);
    }),
    command("helix.right", "Right", |cx| {
        go(cx, Move::Right);
    }),
    command("helix.up", "Up", |cx| {
        go(cx, Move::Up);
    }),
    command("helix.down", "Down", |cx| {
        go(cx, Move::Down);
    }),
    command("helix.word", "Select to the next word", |cx| {
        word(cx, Word::Start, false);
    }),
    command("helix.word-end", "Select to the end of the word", |cx| {
        word(cx, Word::End, false);
    }),
    command("helix.word-back", "Select back to the start of the word", |cx| {
        word(cx, Word::Back, false);
    }),
    command("helix.big-word", "Select to the next word between spaces", |cx| {
        word(cx, Word::Start, true);
    }),
    command("helix.big-word-end", "Select to the end of the word between spaces", |cx| {
        word(cx, Word::End, true);
    }),
    command("helix.big-word-back", "Select back to the start of the word between spaces", |cx| {
        word(cx, Word::Back, true);
    }),
    command("helix.find", "Select to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: true, till: false });
    }),
    command("helix.till", "Select up to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: true, till: true });
    }),
    command("helix.find-back", "Select back to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: false, till: false });
    }),
    command("helix.till-back", "Select back up to a character in the line", |cx| {
        wait(cx, Ask::Find { forward: false, till: true });
    }),
    command("helix.line-begin", "To the first column of the line", |cx| {
        go(cx, Move::LineBegin);
    }),
    command("helix.line-end", "To the last character of the line", |cx| {
        go(cx, Move::LineEnd);
    }),
    command("helix.first-non-blank", "To the first character that is no white space", |cx| {
        go(cx, Move::FirstNonBlank);
    }),
    command("helix.top", "To the first line, or the line of the count", |cx| {
        go(cx, Move::Top);
    }),
    command("helix.bottom", "To the last line", |cx| {
        go(cx, Move::Bottom);
    }),
    command("helix.match", "To the matching bracket", |cx| {
        go(cx, Move::Match);
    }),
    command("helix.paragraph", "To the next paragraph", |cx| {
        go(cx, Move::Paragraph);
    }),
    command("helix.paragraph-back", "To the paragraph before", |cx| {
        go(cx, Move::ParagraphBack);
    }),
    command("helix.select-mode", "Extend the selections, or begin anew", toggle_select),
    command("helix.lines", "Select whole lines, then more of them", lines),
    command("helix.to-lines", "Grow the selections to whole lines", |cx| {
        shape(cx, helix::to_lines);
    }),
    command("helix.all", "Select everything", |cx| {
        reshape(cx, |text, _| Selection::single(Range::new(Byte(0), text.end())));
    }),
    command("helix.select", "Select what matches in the selections", |cx| {
        ask_pattern(cx, Pick::Select);
    }),
    command("helix.split", "Split the selections at what matches", |cx| {
        ask_pattern(cx, Pick::Split);
    }),
    command("helix.keep", "Keep the selections that match", |cx| {
        ask_pattern(cx, Pick::Keep);
    }),
    command("helix.remove", "Remove the selections that match", |cx| {
        ask_pattern(cx, Pick::Remove);
    }),
    command("helix.split-lines", "Split the selections into lines", |cx| {
        reshape(cx, select::split_lines);
    }),
    command("helix.copy-below", "Copy the selections to the next line", |cx| {
        copy_selection(cx, true);
    }),
    command("helix.copy-above", "Copy the selections to the line before", |cx| {
        copy_selection(cx, false);
    }),
    command("helix.keep-primary", "Keep only the main selection", |cx| {
        reshape(cx, |_, selection| select::only_primary(selection));
    }),
    command("helix.remove-primary", "Remove the main selection", |cx| {
        reshape(cx, |_, selection| select::without_primary(selection));
    }),
    command("helix.next-selection", "Make the next selection the main one", |cx| {
        reshape(cx, |_, selection| select::rotated(selection, true));
    }),
    command("helix.previous-selection", "Make the previous selection the main one", |cx| {
        reshape(cx, |_, selection| select::rotated(selection, false));
    }),
    command("helix.collapse", "Keep the cursors only", collapse),
    command("helix.flip", "Exchange the ends of the selections", |cx| {
        shape(cx, |_, range| Range::new(range.head, range.anchor));
    }),
    command("helix.trim", "Take white space off the ends of the selections", trim),
    command("helix.delete", "Delete the selections", |cx| {
        delete(cx, false, false);
    }),
    command("helix.delete-bare", "Delete the selections and keep nothing", |cx| {
        delete(cx, true, false);
    }),
    command("helix.change", "Change the selections", |cx| {
        delete(cx, false, true);
    }),
    command("helix.change-bare", "Change the selections and keep nothing", |cx| {
        delete(cx, true, true);
    }),
    command("helix.yank", "Copy the selections", yank),
    command("helix.put", "Put back behind the selections", |cx| {
        paste(cx, true);
    }),
    command("helix.put-before", "Put back before the selections", |cx| {
        paste(cx, false);
    }),
    command("helix.replace-with", "Put a register in place of the selections", replace_with_register),
    command("helix.replace", "Put one character in place of each", |cx| {
        wait(cx, Ask::Replace);
    }),
    command("helix.upper", "Upper case", |cx| {
        letters(cx, |c| c.to_uppercase().collect());
    }),
    command("helix.lower", "Lower case", |cx| {
        letters(cx, |c| c.to_lowercase().collect());
    }),
    command("helix.switch-case", "The other case", |cx| {
        letters(
            cx,
            |c| if c.is_lowercase() { c.to_uppercase().collect() } else { c.to_lowercase().collect() },
        );
    }),
    command("helix.indent", "Indent the lines", |cx| {
        shift(cx, false);
    }),
    command("helix.dedent", "Take indentation from the lines", |cx| {
        shift(cx, true);
    }),
    command("helix.insert", "Type before the selections", |cx| {
        insert(cx, At::Here);
    }),
    command("helix.append", "Type behind the selections", |cx| {
        insert(cx, At::Behind);
    }),
    command("helix.insert-line-start", "Type at the starts of the lines", |cx| {
        insert(cx, At::LineStart);
    }),
    command("helix.append-line-end", "Type at the ends of the lines", |cx| {
        insert(cx, At::LineEnd);
    }),
    command("helix.open-below", "Type on a new line below", |cx| {
        open(cx, true);
    }),
    command("helix.open-above", "Type on a new line above", |cx| {
        open(cx, false);
    }),
    command("helix.undo", "Undo", |cx| {
        with_lines(cx, "edit.undo");
    }),
    command("helix.redo", "Redo", |cx| {
        with_lines(cx, "edit.redo");
    }),
    command("helix.search-next", "Select the next match", |cx| {
        again(cx, true);
    }),
    command("helix.search-previous", "Select the previous match", |cx| {
        again(cx, false);
    }),
    command("helix.search-selection", "Look for what is selected", search_selection),
    command("helix.inside", "Select the inside of a thing", |cx| {
        wait(cx, Ask::Object(false));
    }),
    command("helix.around", "Select a thing", |cx| {
        wait(cx, Ask::Object(true));
    }),
    command("helix.register", "Name the register for what follows", |cx| {
        wait(cx, Ask::Register);
    }),
    command("helix.record", "Record keys, or end the recording", record),
    command("helix.play", "Press the recorded keys", play),
    command("helix.clip-yank", "Copy the selections to the clipboard", |cx| {
        clip(cx);
        yank(cx);
    }),
    command("helix.clip-put", "Put the clipboard back behind the selections", |cx| {
        clip(cx);
        paste(cx, true);
    }),
    command("helix.normal", "Keys are commands; gives up what has begun", normal),
];

/// The register of recordings that have no name.
const RECORDING: char = 'q';

fn record(cx: &mut Cx<'_>) {
    if cx.state.modal.recording.is_some() {
        return repeat::stop(cx);
    }
    let name = cx.state.modal.register.take().unwrap_or(RECORDING);
    repeat::record(cx, name);
}

fn play(cx: &mut Cx<'_>) {
    let name = cx.state.modal.register.take().unwrap_or(RECORDING);
    repeat::play(cx, name);
}

fn clip(cx: &mut Cx<'_>) {
    cx.state.modal.register = Some('+');
}
