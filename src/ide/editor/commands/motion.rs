//! Commands that move the cursors of the focused text or extend its selections.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::text::movement::motion::Motion;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("move.left", "Move left", &["cursor left"], |cx| move_cursors(cx, Motion::Left, false)),
    command("move.right", "Move right", &["cursor right"], |cx| move_cursors(cx, Motion::Right, false)),
    command("move.up", "Move up", &["cursor up"], |cx| move_cursors(cx, Motion::Up(1), false)),
    command("move.down", "Move down", &["cursor down"], |cx| move_cursors(cx, Motion::Down(1), false)),
    command("move.word-left", "Move one word left", &["backward word"], |cx| {
        move_cursors(cx, Motion::WordLeft, false);
    }),
    command("move.word-right", "Move one word right", &["forward word"], |cx| {
        move_cursors(cx, Motion::WordRight, false);
    }),
    command("move.line-start", "Move to line start", &["home", "beginning of line"], |cx| {
        move_cursors(cx, Motion::LineStart, false);
    }),
    command("move.line-end", "Move to line end", &["end of line"], |cx| {
        move_cursors(cx, Motion::LineEnd, false);
    }),
    command("move.subword-left", "Move one subword left", &["camel hump"], |cx| {
        move_cursors(cx, Motion::SubwordLeft, false);
    }),
    command("move.subword-right", "Move one subword right", &["camel hump"], |cx| {
        move_cursors(cx, Motion::SubwordRight, false);
    }),
    command("move.paragraph-up", "Move one paragraph up", &[], |cx| {
        move_cursors(cx, Motion::ParagraphUp, false);
    }),
    command("move.paragraph-down", "Move one paragraph down", &[], |cx| {
        move_cursors(cx, Motion::ParagraphDown, false);
    }),
    command("move.bracket", "Move to matching bracket", &["jump to bracket"], |cx| {
        move_cursors(cx, Motion::Bracket, false);
    }),
    command("move.block-start", "Move to block start", &["indentation"], |cx| {
        move_cursors(cx, Motion::BlockStart, false);
    }),
    command("move.block-end", "Move to block end", &["indentation"], |cx| {
        move_cursors(cx, Motion::BlockEnd, false);
    }),
    command("move.first-non-blank", "Move to first non-blank", &["back to indentation"], |cx| {
        move_cursors(cx, Motion::FirstNonBlank, false);
    }),
    command("move.line-begin", "Move to first column", &[], |cx| move_cursors(cx, Motion::LineBegin, false)),
    command("select.subword-left", "Select one subword left", &["camel hump"], |cx| {
        move_cursors(cx, Motion::SubwordLeft, true);
    }),
    command("select.subword-right", "Select one subword right", &["camel hump"], |cx| {
        move_cursors(cx, Motion::SubwordRight, true);
    }),
    command("select.paragraph-up", "Select one paragraph up", &[], |cx| {
        move_cursors(cx, Motion::ParagraphUp, true);
    }),
    command("select.paragraph-down", "Select one paragraph down", &[], |cx| {
        move_cursors(cx, Motion::ParagraphDown, true);
    }),
    command("select.bracket", "Select to matching bracket", &["select to matching brace"], |cx| {
        move_cursors(cx, Motion::Bracket, true);
    }),
    command("select.block-start", "Select to block start", &["indentation"], |cx| {
        move_cursors(cx, Motion::BlockStart, true);
    }),
    command("select.block-end", "Select to block end", &["indentation"], |cx| {
        move_cursors(cx, Motion::BlockEnd, true);
    }),
    command("select.first-non-blank", "Select to first non-blank", &[], |cx| {
        move_cursors(cx, Motion::FirstNonBlank, true);
    }),
    command("select.line-begin", "Select to first column", &[], |cx| {
        move_cursors(cx, Motion::LineBegin, true);
    }),
    command("move.page-up", "Move one page up", &["scroll up"], |cx| page(cx, false, false)),
    command("move.page-down", "Move one page down", &["scroll down"], |cx| page(cx, true, false)),
    command("move.top", "Move to text start", &["beginning of file", "first line"], |cx| {
        move_cursors(cx, Motion::DocumentStart, false);
    }),
    command("move.bottom", "Move to text end", &["last line"], |cx| {
        move_cursors(cx, Motion::DocumentEnd, false);
    }),
    command("select.left", "Select left", &[], |cx| move_cursors(cx, Motion::Left, true)),
    command("select.right", "Select right", &[], |cx| move_cursors(cx, Motion::Right, true)),
    command("select.up", "Select up", &[], |cx| move_cursors(cx, Motion::Up(1), true)),
    command("select.down", "Select down", &[], |cx| move_cursors(cx, Motion::Down(1), true)),
    command("select.word-left", "Select one word left", &[], |cx| move_cursors(cx, Motion::WordLeft, true)),
    command("select.word-right", "Select one word right", &[], |cx| {
        move_cursors(cx, Motion::WordRight, true);
    }),
    command("select.line-start", "Select to line start", &[], |cx| move_cursors(cx, Motion::LineStart, true)),
    command("select.line-end", "Select to line end", &[], |cx| move_cursors(cx, Motion::LineEnd, true)),
    command("select.page-up", "Select one page up", &[], |cx| page(cx, false, true)),
    command("select.page-down", "Select one page down", &[], |cx| page(cx, true, true)),
    command("select.top", "Select to text start", &[], |cx| move_cursors(cx, Motion::DocumentStart, true)),
    command("select.bottom", "Select to text end", &[], |cx| move_cursors(cx, Motion::DocumentEnd, true)),
    command("select.all", "Select all", &["mark whole buffer"], select_all),
    command("select.start", "Start selection", &["set mark", "mark mode"], toggle_selecting),
];

fn move_cursors(cx: &mut Cx<'_>, motion: Motion, extend: bool) {
    let tab_width = cx.state.tab_width();
    let extend = extend || cx.state.selecting;
    let Some((_, _, part)) = cx.state.text_target() else { return };
    let far = matches!(motion, Motion::DocumentStart | Motion::DocumentEnd | Motion::Bracket);
    if far && part == Part::Editor {
        cx.state.note_jump();
    }
    let Some((area, _, part)) = cx.state.text_target() else { return };
    area.go(motion, extend, tab_width);
    cx.state.damage.add(part);
}

fn page(cx: &mut Cx<'_>, down: bool, extend: bool) {
    let rows = cx.state.visible_rows.as_ref().map_or(1, |shown| usize::from(shown.area.height));
    // Two lines stay visible for orientation.
    let lines = rows.saturating_sub(2).max(1);
    let tab_width = cx.state.text_options.tab_width;
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.scroll_by(if down { lines as isize } else { -(lines as isize) }, tab_width);
    }
    move_cursors(cx, if down { Motion::Down(lines) } else { Motion::Up(lines) }, extend);
}

fn select_all(cx: &mut Cx<'_>) {
    let Some((area, _, part)) = cx.state.text_target() else { return };
    area.selection = Selection::single(Range::new(Byte(0), area.text().end()));
    cx.state.damage.add(part);
}

fn toggle_selecting(cx: &mut Cx<'_>) {
    cx.state.selecting = !cx.state.selecting;
    let selecting = cx.state.selecting;
    if let Some((area, _, part)) = cx.state.text_target() {
        if !selecting {
            area.go_to(area.selection.primary().head);
        }
        cx.state.damage.add(part);
    }
    cx.state.set_status(if selecting { "Selecting. Move to extend, Ctrl-Space to stop" } else { "" });
}
