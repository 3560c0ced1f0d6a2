//! Operators of a map with modes, and commands that change text without a motion.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::modal::{Ask, Op};
use crate::ide::editor::modal::answers::wait;
use crate::ide::editor::modal::typing;
use crate::ide::editor::modal::typing::insert::At;
use crate::ide::editor::modal::{edits, operators, repeat};
use crate::text::modal::motions::Move;
use crate::text::modal::operate::Letters;
use crate::text::modal::spans::Forced;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.delete", "Delete what a motion takes", |cx| operators::name(cx, Op::Delete)),
    command("vim.yank", "Copy what a motion takes", |cx| operators::name(cx, Op::Yank)),
    command("vim.change", "Change what a motion takes", |cx| operators::name(cx, Op::Change)),
    command("vim.upper-case", "Upper case for what a motion takes", |cx| {
        operators::name(cx, Op::Letters(Letters::Upper));
    }),
    command("vim.lower-case", "Lower case for what a motion takes", |cx| {
        operators::name(cx, Op::Letters(Letters::Lower));
    }),
    command("vim.switch-case", "The other case for what a motion takes", |cx| {
        operators::name(cx, Op::Letters(Letters::Other));
    }),
    command("vim.indent", "Indent the lines that a motion takes", |cx| operators::name(cx, Op::Indent)),
    command("vim.dedent", "Take indentation from the lines that a motion takes", |cx| {
        operators::name(cx, Op::Dedent);
    }),
    command("vim.reindent", "Indent lines as those before them are", |cx| operators::name(cx, Op::Reindent)),
    command("vim.format", "Break lines anew at the wrap column", |cx| operators::name(cx, Op::Format)),
    command("vim.comment", "Make lines comments, or text again", |cx| operators::name(cx, Op::Comment)),
    command("vim.delete-character", "Delete the character", |cx| edits::with(cx, Op::Delete, Move::Right)),
    command("vim.delete-character-back", "Delete the character before the cursor", |cx| {
        edits::with(cx, Op::Delete, Move::Left);
    }),
    command("vim.delete-to-end", "Delete the rest of the line", |cx| edits::to_line_end(cx, Op::Delete)),
    command("vim.change-to-end", "Change the rest of the line", |cx| edits::to_line_end(cx, Op::Change)),
    command("vim.yank-to-end", "Copy the rest of the line", |cx| edits::to_line_end(cx, Op::Yank)),
    command("vim.delete-lines", "Delete whole lines", |cx| edits::lines(cx, Op::Delete)),
    command("vim.change-lines", "Change whole lines", |cx| edits::lines(cx, Op::Change)),
    command("vim.yank-lines", "Copy whole lines", |cx| edits::lines(cx, Op::Yank)),
    command("vim.substitute", "Change the character", |cx| edits::with(cx, Op::Change, Move::Right)),
    command("vim.replace", "Put another character in place", |cx| wait(cx, Ask::Replace)),
    command("vim.toggle-case", "Change the case of the character and go on", edits::other_case),
    command("vim.join", "Join lines with a space", |cx| edits::join(cx, true)),
    command("vim.join-bare", "Join lines as they are", |cx| edits::join(cx, false)),
    command("vim.put", "Put back behind the cursor", |cx| edits::paste(cx, true, false)),
    command("vim.put-before", "Put back before the cursor", |cx| edits::paste(cx, false, false)),
    command("vim.put-pass", "Put back behind the cursor and go behind it", |cx| edits::paste(cx, true, true)),
    command("vim.put-before-pass", "Put back before the cursor and go behind it", |cx| {
        edits::paste(cx, false, true);
    }),
    command("vim.count-up", "Count the number up", |cx| edits::count(cx, false, false)),
    command("vim.count-down", "Count the number down", |cx| edits::count(cx, true, false)),
    command("vim.series-up", "Count the selected numbers up, each by one more", |cx| {
        edits::count(cx, false, true);
    }),
    command("vim.series-down", "Count the selected numbers down, each by one more", |cx| {
        edits::count(cx, true, true);
    }),
    command("vim.undo", "Undo; of a selection lower case", |cx| edits::undo(cx, true)),
    command("vim.redo", "Redo", |cx| edits::undo(cx, false)),
    command("vim.upper", "Upper case for the selection", |cx| {
        operators::name(cx, Op::Letters(Letters::Upper));
    }),
    command("vim.repeat", "Make the last change again", repeat::repeat),
    command("vim.record", "Record keys into a register, or end the recording", record),
    command("vim.play", "Press the keys of a register", |cx| wait(cx, Ask::Play)),
    command("vim.register", "Name the register for what follows", |cx| wait(cx, Ask::Register)),
    command("vim.set-mark", "Set a mark", |cx| wait(cx, Ask::SetMark)),
    command("vim.insert", "Type before the cursor", |cx| typing::insert::insert(cx, At::Here)),
    command("vim.append", "Type behind the cursor", |cx| typing::insert::insert(cx, At::Behind)),
    command("vim.insert-line-start", "Type at the start of the line", |cx| {
        typing::insert::insert(cx, At::LineStart);
    }),
    command("vim.append-line-end", "Type at the end of the line", |cx| {
        typing::insert::insert(cx, At::LineEnd);
    }),
    command("vim.insert-first-column", "Type at the first column", |cx| {
        typing::insert::insert(cx, At::FirstColumn);
    }),
    command("vim.insert-last", "Type where typing ended last", |cx| typing::insert::insert(cx, At::Last)),
    command("vim.open-below", "Type on a new line below", |cx| typing::insert::open(cx, true)),
    command("vim.open-above", "Type on a new line above", |cx| typing::insert::open(cx, false)),
    command("vim.overtype", "Type over what is there", typing::insert::overtype),
    command("vim.newline", "Break the line while typing", typing::insert::newline),
    command("vim.overtype-newline", "Break the line while typing over", |cx| typing::insert::over(cx, "\n")),
    command("vim.overtype-back", "Take back what was typed over", typing::insert::over_back),
    command("vim.insert-register", "Put a register in while typing", |cx| wait(cx, Ask::Insert)),
    command("vim.insert-once", "One command, then go on typing", typing::insert::once),
    command("vim.by-characters", "The operator takes characters", |cx| operators::force(cx, Forced::Chars)),
    command("vim.by-lines", "The operator takes lines", |cx| operators::force(cx, Forced::Lines)),
];

fn record(cx: &mut Cx<'_>) {
    if cx.state.modal.recording.is_some() {
        repeat::stop(cx);
    } else {
        wait(cx, Ask::Record);
    }
}
