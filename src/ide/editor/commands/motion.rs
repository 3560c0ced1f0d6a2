//! Commands that move the cursors of whatever text has the keys, or extend its selections.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::text::movement::motion::Motion;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("move.left", "Move left", &["cursor left"], |cx| go(cx, Motion::Left, false)),
    command("move.right", "Move right", &["cursor right"], |cx| go(cx, Motion::Right, false)),
    command("move.up", "Move up", &["cursor up"], |cx| go(cx, Motion::Up(1), false)),
    command("move.down", "Move down", &["cursor down"], |cx| go(cx, Motion::Down(1), false)),
    command("move.word-left", "Move one word left", &["backward word"], |cx| go(cx, Motion::WordLeft, false)),
    command("move.word-right", "Move one word right", &["forward word"], |cx| {
        go(cx, Motion::WordRight, false);
    }),
    command("move.line-start", "Move to line start", &["home", "beginning of line"], |cx| {
        go(cx, Motion::LineStart, false);
    }),
    command("move.line-end", "Move to line end", &["end of line"], |cx| go(cx, Motion::LineEnd, false)),
    command("move.subword-left", "Move one subword left", &["camel hump"], |cx| {
        go(cx, Motion::SubwordLeft, false);
    }),
    command("move.subword-right", "Move one subword right", &["camel hump"], |cx| {
        go(cx, Motion::SubwordRight, false);
    }),
    command("move.paragraph-up", "Move one paragraph up", &[], |cx| go(cx, Motion::ParagraphUp, false)),
    command("move.paragraph-down", "Move one paragraph down", &[], |cx| go(cx, Motion::ParagraphDown, false)),
    command("move.bracket", "Move to matching bracket", &["jump to bracket"], |cx| {
        go(cx, Motion::Bracket, false);
    }),
    command("move.block-start", "Move to block start", &["indentation"], |cx| {
        go(cx, Motion::BlockStart, false);
    }),
    command("move.block-end", "Move to block end", &["indentation"], |cx| go(cx, Motion::BlockEnd, false)),
    command("move.first-non-blank", "Move to first non-blank", &["back to indentation"], |cx| {
        go(cx, Motion::FirstNonBlank, false);
    }),
    command("move.line-begin", "Move to first column", &[], |cx| go(cx, Motion::LineBegin, false)),
    command("select.subword-left", "Select one subword left", &["camel hump"], |cx| {
        go(cx, Motion::SubwordLeft, true);
    }),
    command("select.subword-right", "Select one subword right", &["camel hump"], |cx| {
        go(cx, Motion::SubwordRight, true);
    }),
    command("select.paragraph-up", "Select one paragraph up", &[], |cx| {
        go(cx, Motion::ParagraphUp, true);
    }),
    command("select.paragraph-down", "Select one paragraph down", &[], |cx| {
        go(cx, Motion::ParagraphDown, true);
    }),
    command("select.bracket", "Select to matching bracket", &[], |cx| go(cx, Motion::Bracket, true)),
    command("select.block-start", "Select to block start", &["indentation"], |cx| {
        go(cx, Motion::BlockStart, true);
    }),
    command("select.block-end", "Select to block end", &["indentation"], |cx| {
        go(cx, Motion::BlockEnd, true);
    }),
    command("select.first-non-blank", "Select to first non-blank", &[], |cx| {
        go(cx, Motion::FirstNonBlank, true);
    }),
    command("select.line-begin", "Select to first column", &[], |cx| {
        go(cx, Motion::LineBegin, true);
    }),
    command("move.page-up", "Move one page up", &["scroll up"], |cx| page(cx, false, false)),
    command("move.page-down", "Move one page down", &["scroll down"], |cx| page(cx, true, false)),
    command("move.top", "Move to text start", &["beginning of file", "first line"], |cx| {
        go(cx, Motion::DocumentStart, false);
    }),
    command("move.bottom", "Move to text end", &["last line"], |cx| go(cx, Motion::DocumentEnd, false)),
    command("select.left", "Select left", &[], |cx| go(cx, Motion::Left, true)),
    command("select.right", "Select right", &[], |cx| go(cx, Motion::Right, true)),
    command("select.up", "Select up", &[], |cx| go(cx, Motion::Up(1), true)),
    command("select.down", "Select down", &[], |cx| go(cx, Motion::Down(1), true)),
    command("select.word-left", "Select one word left", &[], |cx| go(cx, Motion::WordLeft, true)),
    command("select.word-right", "Select one word right", &[], |cx| go(cx, Motion::WordRight, true)),
    command("select.line-start", "Select to line start", &[], |cx| go(cx, Motion::LineStart, true)),
    command("select.line-end", "Select to line end", &[], |cx| go(cx, Motion::LineEnd, true)),
    command("select.page-up", "Select one page up", &[], |cx| page(cx, false, true)),
    command("select.page-down", "Select one page down", &[], |cx| page(cx, true, true)),
    command("select.top", "Select to text start", &[], |cx| go(cx, Motion::DocumentStart, true)),
    command("select.bottom", "Select to text end", &[], |cx| go(cx, Motion::DocumentEnd, true)),
    command("select.all", "Select all", &["mark whole buffer"], all),
    command("select.start", "Start selection", &["set mark", "mark mode"], begin),
];

fn go(cx: &mut Cx<'_>, motion: Motion, extend: bool) {
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
    let rows = cx.state.shown.as_ref().map_or(1, |shown| usize::from(shown.area.height));
    // Two lines stay in sight, so that the eye finds its place again.
    let lines = rows.saturating_sub(2).max(1);
    let tab_width = cx.state.show.tab_width;
    if let Some(buffer) = cx.state.buffers.current_mut() {
        buffer.scroll_by(if down { lines as isize } else { -(lines as isize) }, tab_width);
    }
    go(cx, if down { Motion::Down(lines) } else { Motion::Up(lines) }, extend);
}

fn all(cx: &mut Cx<'_>) {
    let Some((area, _, part)) = cx.state.text_target() else { return };
    area.selection = Selection::single(Range::new(Byte(0), area.text().end()));
    cx.state.damage.add(part);
}

fn begin(cx: &mut Cx<'_>) {
    cx.state.selecting = !cx.state.selecting;
    let selecting = cx.state.selecting;
    if let Some((area, _, part)) = cx.state.text_target() {
        if !selecting {
            area.go_to(area.selection.primary().head);
        }
        cx.state.damage.add(part);
    }
    cx.state.say(if selecting { "Selecting. Move to extend, Ctrl-Space to stop" } else { "" });
}
