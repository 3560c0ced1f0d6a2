//! Operators of a modal key map, and commands that change text without a motion.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::keys::modal::{ModalChar, Op};
use crate::ide::editor::modal::insert_mode;
use crate::ide::editor::modal::insert_mode::insert::InsertAt;
use crate::ide::editor::modal::pending_char::await_char;
use crate::ide::editor::modal::{edits, operators, repeat};
use crate::text::modal::motion::motions::Move;
use crate::text::modal::operator::operate::CaseChange;
use crate::text::modal::operator::spans::ForcedMotion;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("vim.delete", "Delete with motion", &["delete operator", "d"], |cx| {
        operators::begin_operator(cx, Op::Delete);
    }),
    command("vim.yank", "Copy with motion", &["yank operator", "y"], |cx| {
        operators::begin_operator(cx, Op::Yank);
    }),
    command("vim.change", "Change with motion", &["change operator", "c"], |cx| {
        operators::begin_operator(cx, Op::Change);
    }),
    command("vim.upper-case", "Uppercase with motion", &["gU"], |cx| {
        operators::begin_operator(cx, Op::ChangeCase(CaseChange::Upper));
    }),
    command("vim.lower-case", "Lowercase with motion", &["gu"], |cx| {
        operators::begin_operator(cx, Op::ChangeCase(CaseChange::Lower));
    }),
    command("vim.switch-case", "Swap case with motion", &["g~", "toggle case"], |cx| {
        operators::begin_operator(cx, Op::ChangeCase(CaseChange::Toggle));
    }),
    command("vim.indent", "Indent with motion", &["shift right"], |cx| {
        operators::begin_operator(cx, Op::Indent);
    }),
    command("vim.dedent", "Dedent with motion", &["outdent", "unindent", "shift left"], |cx| {
        operators::begin_operator(cx, Op::Dedent);
    }),
    command("vim.reindent", "Reindent with motion", &["auto indent"], |cx| {
        operators::begin_operator(cx, Op::Reindent);
    }),
    command("vim.format", "Wrap lines with motion", &["gq", "reflow", "format"], |cx| {
        operators::begin_operator(cx, Op::Format);
    }),
    command("vim.comment", "Comment with motion", &["toggle comment", "gc"], |cx| {
        operators::begin_operator(cx, Op::Comment);
    }),
    command("vim.delete-character", "Delete character under cursor", &["x"], |cx| {
        edits::operate_on_motion(cx, Op::Delete, Move::Right);
    }),
    command("vim.delete-character-back", "Delete character before cursor", &["X"], |cx| {
        edits::operate_on_motion(cx, Op::Delete, Move::Left);
    }),
    command("vim.delete-to-end", "Delete to line end", &["D"], |cx| {
        edits::operate_to_line_end(cx, Op::Delete);
    }),
    command("vim.change-to-end", "Change to line end", &["C"], |cx| {
        edits::operate_to_line_end(cx, Op::Change);
    }),
    command("vim.yank-to-end", "Copy to line end", &["yank to end", "Y"], |cx| {
        edits::operate_to_line_end(cx, Op::Yank);
    }),
    command("vim.delete-lines", "Delete lines", &["dd"], |cx| edits::operate_on_lines(cx, Op::Delete)),
    command("vim.change-lines", "Change lines", &["cc", "S"], |cx| edits::operate_on_lines(cx, Op::Change)),
    command("vim.yank-lines", "Copy lines", &["yank lines", "yy"], |cx| {
        edits::operate_on_lines(cx, Op::Yank);
    }),
    command("vim.substitute", "Substitute character", &["s"], |cx| {
        edits::operate_on_motion(cx, Op::Change, Move::Right);
    }),
    command("vim.replace", "Replace character", &["r"], |cx| await_char(cx, ModalChar::Replace)),
    command("vim.toggle-case", "Swap case of character", &["toggle case", "~"], edits::toggle_case),
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
    command("vim.count-up", "Increment next number", &["add"], |cx| edits::increment(cx, false, false)),
    command("vim.count-down", "Decrement next number", &["subtract"], |cx| edits::increment(cx, true, false)),
    command("vim.series-up", "Increment selected series", &["number sequence"], |cx| {
        edits::increment(cx, false, true);
    }),
    command("vim.series-down", "Decrement selected series", &["number sequence"], |cx| {
        edits::increment(cx, true, true);
    }),
    command("vim.undo", "Undo or lowercase selection", &["u"], |cx| edits::undo(cx, true)),
    command("vim.redo", "Redo change", &[], |cx| edits::undo(cx, false)),
    command("vim.upper", "Uppercase selection", &["U"], |cx| {
        operators::begin_operator(cx, Op::ChangeCase(CaseChange::Upper));
    }),
    command("vim.repeat", "Repeat last change", &["dot"], repeat::repeat),
    command("vim.record", "Record macro to register", &["q", "stop recording"], record),
    command("vim.play", "Replay macro from register", &["@", "run macro"], |cx| {
        await_char(cx, ModalChar::Play);
    }),
    command("vim.register", "Choose register", &[], |cx| await_char(cx, ModalChar::Register)),
    command("vim.set-mark", "Set mark at cursor", &["m"], |cx| await_char(cx, ModalChar::SetMark)),
    command("vim.insert", "Insert before cursor", &["insert mode"], |cx| {
        insert_mode::insert::insert(cx, InsertAt::Here);
    }),
    command("vim.append", "Append after cursor", &["insert mode"], |cx| {
        insert_mode::insert::insert(cx, InsertAt::After);
    }),
    command("vim.insert-line-start", "Insert at line start", &["insert mode"], |cx| {
        insert_mode::insert::insert(cx, InsertAt::LineStart);
    }),
    command("vim.append-line-end", "Append at line end", &["insert mode"], |cx| {
        insert_mode::insert::insert(cx, InsertAt::LineEnd);
    }),
    command("vim.insert-first-column", "Insert at first column", &["insert mode"], |cx| {
        insert_mode::insert::insert(cx, InsertAt::FirstColumn);
    }),
    command("vim.insert-last", "Insert at last insertion", &["insert mode", "gi"], |cx| {
        insert_mode::insert::insert(cx, InsertAt::LastInsert);
    }),
    command("vim.open-below", "Open line below", &["insert line below"], |cx| {
        insert_mode::insert::open(cx, true);
    }),
    command("vim.open-above", "Open line above", &["insert line above"], |cx| {
        insert_mode::insert::open(cx, false);
    }),
    command("vim.overtype", "Start Replace mode", &["overwrite", "overtype"], insert_mode::insert::overtype),
    command("vim.newline", "Break line while inserting", &[], insert_mode::insert::newline),
    command("vim.overtype-newline", "Break line while replacing", &[], |cx| {
        insert_mode::insert::overtype_char(cx, "\n");
    }),
    command("vim.overtype-back", "Undo replaced character", &[], insert_mode::insert::undo_overtype),
    command("vim.insert-register", "Insert register contents", &["paste register"], |cx| {
        await_char(cx, ModalChar::Insert);
    }),
    command("vim.insert-once", "Run one Normal command", &[], insert_mode::insert::insert_normal),
    command("vim.by-characters", "Make operator characterwise", &[], |cx| {
        operators::force_motion(cx, ForcedMotion::Chars);
    }),
    command("vim.by-lines", "Make operator linewise", &[], |cx| {
        operators::force_motion(cx, ForcedMotion::Lines);
    }),
];

fn record(cx: &mut Cx<'_>) {
    if cx.state.modal.recording.is_some() {
        repeat::stop_recording(cx);
    } else {
        await_char(cx, ModalChar::Record);
    }
}
