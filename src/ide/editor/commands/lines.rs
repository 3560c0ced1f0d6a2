//! Commands on whole lines: move, delete, join, sort, open, comment, wrap, clean.

use crate::ide::core::context::{Command, Cx, command, kill_command};
use crate::ide::editor::commands::edit::{apply, apply_in_background, comment_tokens};
use crate::ide::editor::commands::indent;
use crate::text::clipboard::kill_ring::Direction;
use crate::text::operations::comment;
use crate::text::operations::lines::{self, Order};
use crate::text::operations::reflow;
use crate::text::operations::select;
use crate::text::rope::Text;
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("edit.move-lines-up", "Move lines up", &["drag line"], |cx| move_lines(cx, false)),
    command("edit.move-lines-down", "Move lines down", &["drag line"], |cx| move_lines(cx, true)),
    kill_command("edit.delete-line", "Cut lines", &["delete line", "remove line", "kill whole line"], |cx| {
        delete(cx, |_, selection, _| selection.clone());
    }),
    kill_command("edit.kill-indent-block", "Cut indented block", &["delete block"], |cx| {
        delete(cx, select::indent_blocks);
    }),
    command("edit.join-lines", "Join lines", &["merge lines"], |cx| {
        apply(cx, lines::join);
    }),
    command("edit.open-below", "Insert line below", &["open line"], |cx| open(cx, true)),
    command("edit.open-above", "Insert line above", &["open line"], |cx| open(cx, false)),
    command("edit.sort-lines", "Sort lines", &["ascending"], |cx| sort(cx, Order::Plain)),
    command("edit.sort-lines-reverse", "Sort lines in reverse", &["descending"], |cx| {
        sort(cx, Order::Reverse);
    }),
    command("edit.sort-lines-numeric", "Sort lines numerically", &["sort numbers"], |cx| {
        sort(cx, Order::Numeric);
    }),
    command("edit.unique-lines", "Delete duplicate lines", &["unique", "dedupe"], |cx| {
        sort(cx, Order::Unique);
    }),
    command("edit.comment", "Toggle line comment", &["comment out", "uncomment"], toggle_comment),
    command("edit.comment-block", "Toggle block comment", &["comment out", "uncomment"], comment_block),
    command("edit.wrap", "Wrap paragraph", &["reflow", "fill paragraph", "hard wrap", "rewrap"], wrap),
    command("edit.trim", "Trim trailing whitespace", &["strip", "delete trailing spaces"], |cx| {
        clean(cx, lines::trim);
    }),
    command("edit.tabs-to-spaces", "Convert indentation to spaces", &["untabify", "retab"], |cx| {
        let width = cx.state.tab_width();
        clean(cx, move |text, selection| lines::reindent(text, selection, width, false));
    }),
    command("edit.spaces-to-tabs", "Convert indentation to tabs", &["tabify", "retab"], |cx| {
        let width = cx.state.tab_width();
        clean(cx, move |text, selection| lines::reindent(text, selection, width, true));
    }),
];

fn move_lines(cx: &mut Cx<'_>, down: bool) {
    apply(cx, |text, selection| lines::move_lines(text, selection, down));
}

/// Cuts the lines that `which` returns for the selection.
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
        return cx.state.set_status("Select lines first");
    }
    apply_in_background(cx, false, move |text, selection| lines::sort(text, selection, order));
}

fn clean(cx: &mut Cx<'_>, make: impl FnOnce(&Text, &Selection) -> Transaction + Send + 'static) {
    let Some((area, ..)) = cx.state.text_target() else { return };
    let whole = area.selection.is_empty();
    apply_in_background(cx, whole, make);
}

fn toggle_comment(cx: &mut Cx<'_>) {
    match comment_tokens(cx) {
        Some(signs) => {
            apply_in_background(cx, false, move |text, selection| {
                comment::toggle_lines(text, selection, signs)
            });
        }
        None => cx.state.set_status("No comment syntax for this language"),
    }
}

fn comment_block(cx: &mut Cx<'_>) {
    match comment_tokens(cx).and_then(|signs| signs.block) {
        Some(pair) => {
            apply(cx, |text, selection| comment::toggle_block(text, selection, pair));
        }
        None => cx.state.set_status("This language has no block comments"),
    }
}

fn wrap(cx: &mut Cx<'_>) {
    let (width, tab_width) = (cx.state.wrap_column(), cx.state.tab_width());
    let signs = comment_tokens(cx);
    apply_in_background(cx, false, move |text, selection| {
        reflow::reflow(text, selection, width, tab_width, signs)
    });
}
