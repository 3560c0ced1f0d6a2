//! Operators of a map with modes, and commands that change text without a motion.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::keys::modal::{Ask, Op};
use crate::ide::editor::modal::answers::wait;
use crate::ide::editor::modal::typing;
use crate::ide::editor::modal::typing::insert::At;
use crate::ide::editor::modal::{edits, operators, repeat};
use crate::text::modal::motion::motions::Move;
use crate::text::modal::operator::operate::Letters;
use crate::text::modal::operator::spans::Forced;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.delete", "Delete with motion", &["delete operator", "d"], |cx| {
        operators::name(cx, Op::Delete);
    }),
    command("vim.yank", "Copy with motion", &["yank operator", "y"], |cx| operators::name(cx, Op::Yank)),
    command("vim.change", "Change with motion", &["change operator", "c"], |cx| {
        operators::name(cx, Op::Change);
    }),
    command("vim.upper-case", "Uppercase with motion", &["gU"], |cx| {
        operators::name(cx, Op::Letters(Letters::Upper));
    }),
    command("vim.lower-case", "Lowercase with motion", &["gu"], |cx| {
        operators::name(cx, Op::Letters(Letters::Lower));
    }),
    command("vim.switch-case", "Swap case with motion", &["g~", "toggle case"], |cx| {
        operators::name(cx, Op::Letters(Letters::Other));
    }),
    command("vim.indent", "Indent with motion", &["shift right"], |cx| operators::name(cx, Op::Indent)),
    command("vim.dedent", "Dedent with motion", &["outdent", "unindent", "shift left"], |cx| {
        operators::name(cx, Op::Dedent);
    }),
    command("vim.reindent", "Reindent with motion", &["auto indent"], |cx| operators::name(cx, Op::Reindent)),
    command("vim.format", "Wrap lines with motion", &["gq", "reflow", "format"], |cx| {
        operators::name(cx, Op::Format);
    }),
    command("vim.comment", "Comment with motion", &["toggle comment", "gc"], |cx| {
        operators::name(cx, Op::Comment);
    }),
    command("vim.delete-character", "Delete character under cursor", &["x"], |cx| {
        edits::with(cx, Op::Delete, Move::Right);
    }),
    command("vim.delete-character-back", "Delete character before cursor", &["X"], |cx| {
        edits::with(cx, Op::Delete, Move::Left);
    }),
    command("vim.delete-to-end", "Delete to line end", &["D"], |cx| edits::to_line_end(cx, Op::Delete)),
    command("vim.change-to-end", "Change to line end", &["C"], |cx| edits::to_line_end(cx, Op::Change)),
    command("vim.yank-to-end", "Copy to line end", &["yank to end", "Y"], |cx| {
        edits::to_line_end(cx, Op::Yank);
    }),
    command("vim.delete-lines", "Delete lines", &["dd"], |cx| edits::lines(cx, Op::Delete)),
    command("vim.change-lines", "Change lines", &["cc", "S"], |cx| edits::lines(cx, Op::Change)),
    command("vim.yank-lines", "Copy lines", &["yank lines", "yy"], |cx| edits::lines(cx, Op::Yank)),
    command("vim.substitute", "Substitute character", &["s"], |cx| edits::with(cx, Op::Change, Move::Right)),
    command("vim.replace", "Replace character", &["r"], |cx| wait(cx, Ask::Replace)),
    command("vim.toggle-case", "Swap case of character", &["toggle case", "~"], edits::other_case),
    command("vim.join", "Join lines with space", &["J"], |cx| edits::join(cx, true)),
    command("vim.join-bare", "Join lines without space", &["gJ"], |cx| edits::join(cx, false)),
    command("vim.put", "Paste after cursor", &["put", "p"], |cx| edits::paste(cx, true, false)),
    command("vim.put-before", "Paste before cursor", &["put before", "P"], |cx| {
        edits::paste(cx, false, false);
    }),
    command("vim.put-pass", "Paste and move past", &["put", "gp"], |cx| edits::paste(cx, true, true)),
    command("vim.put-before-pass", "Paste before, move past", &["put before", "gP"], |cx| {
        edits::paste(cx, false, true);
    }),
    command("vim.count-up", "Increment next number", &["add"], |cx| edits::count(cx, false, false)),
    command("vim.count-down", "Decrement next number", &["subtract"], |cx| edits::count(cx, true, false)),
    command("vim.series-up", "Increment selected series", &["number sequence"], |cx| {
        edits::count(cx, false, true);
    }),
    command("vim.series-down", "Decrement selected series", &["number sequence"], |cx| {
        edits::count(cx, true, true);
    }),
    command("vim.undo", "Undo or lowercase selection", &["u"], |cx| edits::undo(cx, true)),
    command("vim.redo", "Redo change", &[], |cx| edits::undo(cx, false)),
    command("vim.upper", "Uppercase selection", &["U"], |cx| {
        operators::name(cx, Op::Letters(Letters::Upper));
    }),
    command("vim.repeat", "Repeat last change", &["dot"], repeat::repeat),
    command("vim.record", "Record macro to register", &["q", "stop recording"], record),
    command("vim.play", "Replay macro from register", &["@", "run macro"], |cx| wait(cx, Ask::Play)),
    command("vim.register", "Choose register", &[], |cx| wait(cx, Ask::Register)),
    command("vim.set-mark", "Set mark at cursor", &["m"], |cx| wait(cx, Ask::SetMark)),
    command("vim.insert", "Insert before cursor", &["insert mode"], |cx| {
        typing::insert::insert(cx, At::Here);
    }),
    command("vim.append", "Append after cursor", &["insert mode"], |cx| {
        typing::insert::insert(cx, At::Behind);
    }),
    command("vim.insert-line-start", "Insert at line start", &["insert mode"], |cx| {
        typing::insert::insert(cx, At::LineStart);
    }),
    command("vim.append-line-end", "Append at line end", &["insert mode"], |cx| {
        typing::insert::insert(cx, At::LineEnd);
    }),
    command("vim.insert-first-column", "Insert at first column", &["insert mode"], |cx| {
        typing::insert::insert(cx, At::FirstColumn);
    }),
    command("vim.insert-last", "Insert at last insertion", &["insert mode", "gi"], |cx| {
        typing::insert::insert(cx, At::Last);
    }),
    command("vim.open-below", "Open line below", &["insert line below"], |cx| typing::insert::open(cx, true)),
    command("vim.open-above", "Open line above", &["insert line above"], |cx| {
        typing::insert::open(cx, false);
    }),
    command("vim.overtype", "Start Replace mode", &["overwrite", "overtype"], typing::insert::overtype),
    command("vim.newline", "Break line while inserting", &[], typing::insert::newline),
    command("vim.overtype-newline", "Break line while replacing", &[], |cx| typing::insert::over(cx, "\n")),
    command("vim.overtype-back", "Undo replaced character", &[], typing::insert::over_back),
    command("vim.insert-register", "Insert register contents", &["paste register"], |cx| {
        wait(cx, Ask::Insert);
    }),
    command("vim.insert-once", "Run one Normal command", &[], typing::insert::once),
    command("vim.by-characters", "Make operator characterwise", &[], |cx| {
        operators::force(cx, Forced::Chars);
    }),
    command("vim.by-lines", "Make operator linewise", &[], |cx| operators::force(cx, Forced::Lines)),
];

fn record(cx: &mut Cx<'_>) {
    if cx.state.modal.recording.is_some() {
        repeat::stop(cx);
    } else {
        wait(cx, Ask::Record);
    }
}
