//! Commands on whole lines: move, delete, join, sort, open, comment, wrap, clean.

use crate::ide::core::context::{Command, Cx, chaining, command};
use crate::ide::editor::commands::edit::{apply, apply_elsewhere, signs};
use crate::ide::editor::commands::indent;
use crate::text::comment;
use crate::text::kill_ring::Direction;
use crate::text::lines::{self, Order};
use crate::text::reflow;
use crate::text::rope::Text;
use crate::text::select;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.move-lines-up", "Move the lines up", |cx| shift(cx, false)),
    command("edit.move-lines-down", "Move the lines down", |cx| shift(cx, true)),
    chaining("edit.delete-line", "Cut the whole lines", |cx| delete(cx, |_, selection, _| selection.clone())),
    chaining("edit.kill-indent-block", "Cut the lines that are indented as far", |cx| {
        delete(cx, select::indent_blocks);
    }),
    command("edit.join-lines", "Join the lines", |cx| {
        apply(cx, lines::join);
    }),
    command("edit.open-below", "Open a line below", |cx| open(cx, true)),
    command("edit.open-above", "Open a line above", |cx| open(cx, false)),
    command("edit.sort-lines", "Sort the selected lines", |cx| sort(cx, Order::Plain)),
    command("edit.sort-lines-reverse", "Sort the selected lines backwards", |cx| sort(cx, Order::Reverse)),
    command("edit.sort-lines-numeric", "Sort the selected lines by their numbers", |cx| {
        sort(cx, Order::Numeric);
    }),
    command("edit.unique-lines", "Drop repeated lines of the selection", |cx| sort(cx, Order::Unique)),
    command("edit.comment", "Make the lines comments, or text again", toggle_comment),
    command("edit.comment-block", "Put comment signs around the selection, or take them away", comment_block),
    command("edit.wrap", "Break the paragraph anew at the wrap column", wrap),
    command("edit.trim", "Take away white space at line ends", |cx| clean(cx, lines::trim)),
    command("edit.tabs-to-spaces", "Indent with spaces", |cx| {
        let width = cx.state.tab_width();
        clean(cx, move |text, selection| lines::reindent(text, selection, width, false));
    }),
    command("edit.spaces-to-tabs", "Indent with tabs", |cx| {
        let width = cx.state.tab_width();
        clean(cx, move |text, selection| lines::reindent(text, selection, width, true));
    }),
];

fn shift(cx: &mut Cx<'_>, down: bool) {
    apply(cx, |text, selection| lines::move_lines(text, selection, down));
}

/// Cuts the lines that `which` makes of the selection.
fn delete(cx: &mut Cx<'_>, which: fn(&Text, &Selection, usize) -> Selection) {
    let width = cx.state.tab_width();
    let mut gone = Vec::new();
    let edited = apply(cx, |text, selection| {
        let (edit, lines) = lines::delete_lines(text, &which(text, selection, width), width);
        gone = lines;
        edit
    });
    if edited {
        cx.state.kill_ring.kill(gone, Direction::Forward);
    }
}

fn open(cx: &mut Cx<'_>, below: bool) {
    indent::open(cx, below, |_, selection| selection.clone());
}

fn sort(cx: &mut Cx<'_>, order: Order) {
    let Some((area, ..)) = cx.state.text_target() else { return };
    if lines::are_apart(area.text(), &area.selection) {
        return cx.state.say("select the lines first");
    }
    apply_elsewhere(cx, false, move |text, selection| lines::sort(text, selection, order));
}

fn clean(cx: &mut Cx<'_>, make: impl FnOnce(&Text, &Selection) -> Transaction + Send + 'static) {
    let Some((area, ..)) = cx.state.text_target() else { return };
    let whole = area.selection.is_empty();
    apply_elsewhere(cx, whole, make);
}

fn toggle_comment(cx: &mut Cx<'_>) {
    match signs(cx) {
        Some(signs) => {
            apply_elsewhere(cx, false, move |text, selection| comment::toggle_lines(text, selection, signs));
        }
        None => cx.state.say("how comments are written here is not known"),
    }
}

fn comment_block(cx: &mut Cx<'_>) {
    match signs(cx).and_then(|signs| signs.block) {
        Some(pair) => {
            apply(cx, |text, selection| comment::toggle_block(text, selection, pair));
        }
        None => cx.state.say("there are no block comments here"),
    }
}

fn wrap(cx: &mut Cx<'_>) {
    let (width, tab_width) = (cx.state.wrap_column(), cx.state.tab_width());
    let signs = signs(cx);
    apply_elsewhere(cx, false, move |text, selection| {
        reflow::reflow(text, selection, width, tab_width, signs)
    });
}
