//! Commands that move the cursors of whatever text has the keys, or extend its selections.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::text::motion::Motion;
use crate::text::position::Byte;
use crate::text::selection::{Range, Selection};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("move.left", "Left", |cx| go(cx, Motion::Left, false)),
    command("move.right", "Right", |cx| go(cx, Motion::Right, false)),
    command("move.up", "Up", |cx| go(cx, Motion::Up(1), false)),
    command("move.down", "Down", |cx| go(cx, Motion::Down(1), false)),
    command("move.word-left", "To the start of the word", |cx| go(cx, Motion::WordLeft, false)),
    command("move.word-right", "To the end of the word", |cx| go(cx, Motion::WordRight, false)),
    command("move.line-start", "To the start of the line", |cx| go(cx, Motion::LineStart, false)),
    command("move.line-end", "To the end of the line", |cx| go(cx, Motion::LineEnd, false)),
    command("move.subword-left", "To the start of the part of a name", |cx| {
        go(cx, Motion::SubwordLeft, false);
    }),
    command("move.subword-right", "To the end of the part of a name", |cx| {
        go(cx, Motion::SubwordRight, false);
    }),
    command("move.paragraph-up", "To the start of the paragraph", |cx| go(cx, Motion::ParagraphUp, false)),
    command("move.paragraph-down", "To the end of the paragraph", |cx| go(cx, Motion::ParagraphDown, false)),
    command("move.bracket", "To the matching bracket", |cx| go(cx, Motion::Bracket, false)),
    command("move.block-start", "To the start of the indented block", |cx| go(cx, Motion::BlockStart, false)),
    command("move.block-end", "To the end of the indented block", |cx| go(cx, Motion::BlockEnd, false)),
    command("move.first-non-blank", "To the first character that is no white space", |cx| {
        go(cx, Motion::FirstNonBlank, false);
    }),
    command("move.line-begin", "To the first column of the line", |cx| go(cx, Motion::LineBegin, false)),
    command("select.subword-left", "Select to the start of the part of a name", |cx| {
        go(cx, Motion::SubwordLeft, true);
    }),
    command("select.subword-right", "Select to the end of the part of a name", |cx| {
        go(cx, Motion::SubwordRight, true);
    }),
    command("select.paragraph-up", "Select to the start of the paragraph", |cx| {
        go(cx, Motion::ParagraphUp, true);
    }),
    command("select.paragraph-down", "Select to the end of the paragraph", |cx| {
        go(cx, Motion::ParagraphDown, true);
    }),
    command("select.bracket", "Select to the matching bracket", |cx| go(cx, Motion::Bracket, true)),
    command("select.block-start", "Select to the start of the indented block", |cx| {
        go(cx, Motion::BlockStart, true);
    }),
    command("select.block-end", "Select to the end of the indented block", |cx| {
        go(cx, Motion::BlockEnd, true);
    }),
    command("select.first-non-blank", "Select to the first character that is no white space", |cx| {
        go(cx, Motion::FirstNonBlank, true);
    }),
    command("select.line-begin", "Select to the first column of the line", |cx| {
        go(cx, Motion::LineBegin, true);
    }),
    command("move.page-up", "One page up", |cx| page(cx, false, false)),
    command("move.page-down", "One page down", |cx| page(cx, true, false)),
    command("move.top", "To the start of the text", |cx| go(cx, Motion::DocumentStart, false)),
    command("move.bottom", "To the end of the text", |cx| go(cx, Motion::DocumentEnd, false)),
    command("select.left", "Select to the left", |cx| go(cx, Motion::Left, true)),
    command("select.right", "Select to the right", |cx| go(cx, Motion::Right, true)),
    command("select.up", "Select upwards", |cx| go(cx, Motion::Up(1), true)),
    command("select.down", "Select downwards", |cx| go(cx, Motion::Down(1), true)),
    command("select.word-left", "Select to the start of the word", |cx| go(cx, Motion::WordLeft, true)),
    command("select.word-right", "Select to the end of the word", |cx| go(cx, Motion::WordRight, true)),
    command("select.line-start", "Select to the start of the line", |cx| go(cx, Motion::LineStart, true)),
    command("select.line-end", "Select to the end of the line", |cx| go(cx, Motion::LineEnd, true)),
    command("select.page-up", "Select one page up", |cx| page(cx, false, true)),
    command("select.page-down", "Select one page down", |cx| page(cx, true, true)),
    command("select.top", "Select to the start of the text", |cx| go(cx, Motion::DocumentStart, true)),
    command("select.bottom", "Select to the end of the text", |cx| go(cx, Motion::DocumentEnd, true)),
    command("select.all", "Select everything", all),
    command("select.start", "Begin a selection here, or drop it; motions extend it", begin),
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
    cx.state.say(if selecting { "selecting: move to extend, Ctrl-Space to stop" } else { "" });
}
