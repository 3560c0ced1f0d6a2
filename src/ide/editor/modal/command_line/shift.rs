//! Command lines that shift lines, as one edit each.

use crate::ide::core::command_line::LineArgs;
use crate::ide::core::context::Cx;
use crate::ide::editor::modal::command_line::text::{editable_text, line_pieces, place_caret, set_goal};
use crate::ide::editor::modal::cursors;
use crate::ide::editor::modal::operators::edit_text;
use crate::text::changes::Side;
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::modal::operator::operate;
use crate::text::movement::motion;
use crate::text::operations::edit::indents_by_tabs;
use crate::text::position::{Column, Line};
use crate::text::selection::Selection;
use crate::text::transaction::Transaction;

fn shift_lines(cx: &mut Cx<'_>, given: &LineArgs<'_>, sign: char, back: bool) -> Result<(), String> {
    let stops = 1 + given.rest.chars().take_while(|c| *c == sign).count();
    let text = editable_text(cx)?;
    let pieces = line_pieces(ModalText::new(&text, cx.state.tab_width()), given.lines);
    let (indent, by_tabs) = cx.state.indentation();
    let goal = cursors::goal_column(cx);
    place_caret(cx, given.lines.0, goal);
    let mut along = 0;
    edit_text(cx, |page, _| {
        let hard = by_tabs.unwrap_or_else(|| indents_by_tabs(page.text));
        let edit = operate::shift(page, &pieces, stops * indent, back, hard, &[]);
        along = cursor_offset(page, given, goal, &edit);
        edit
    });
    let Some(buffer) = cx.state.buffers.current() else { return Ok(()) };
    let page = ModalText::new(buffer.area.text(), cx.state.tab_width());
    let last = given.lines.1.min(page.last_line());
    let at = page.cursor_position((page.start(last) + along).min(page.end(last)));
    cursors::set_selection(cx, Selection::cursor(at));
    set_goal(cx, goal);
    Ok(())
}

/// Returns the cursor's distance from the start of the last line after shifting: that of the last line with
/// text, or the original one if there was none.
fn cursor_offset(page: ModalText<'_>, given: &LineArgs<'_>, goal: Column, edit: &Transaction) -> usize {
    let (first, last) = (given.lines.0, given.lines.1);
    let mut along = page.at(first, goal) - page.start(first);
    for line in (first.0..=last.0).map(Line) {
        let (start, text) = (page.start(line), motion::indent_end(page.text, line));
        let moved = edit.changes.map(text, Side::After) - edit.changes.map(start, Side::Before);
        if page.is_empty_line(line) {
            along = 0;
        } else if moved != text - start {
            along = moved;
        }
    }
    along
}

/// Indents lines.
pub fn indent(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    shift_lines(cx, given, '>', false)
}

/// Dedents lines.
pub fn dedent(cx: &mut Cx<'_>, given: &LineArgs<'_>) -> Result<(), String> {
    shift_lines(cx, given, '<', true)
}
