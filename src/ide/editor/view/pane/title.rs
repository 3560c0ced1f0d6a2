//! The row above a text: file name and breadcrumbs.

use ratatui::layout::Rect;

use crate::base::width::{text_width, visible};
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::view::pane::DrawContext;
use crate::ide::model::file_labels::labels;
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::text::position::Byte;
use crate::tui::canvas::Canvas;

/// Separator between two names.
const BETWEEN: &str = " › ";

/// Returns the names from left to right: text, column, and target.
fn names(shown: &VisibleRows, state: &State) -> Vec<(String, u16, Option<Byte>)> {
    let mut x = 0u16;
    let buffers = state.buffers.all();
    let at = buffers.iter().position(|buffer| buffer.id == shown.buffer);
    // As in the tab line, a file is told apart from others of its name.
    let label = at.map(|at| labels(buffers).swap_remove(at)).unwrap_or_default();
    let first = (label.trim_end().to_string(), None);
    let crumbs = shown.crumbs.iter().map(|crumb| (visible(&crumb.name).into_owned(), Some(crumb.at)));
    let mut names = Vec::new();
    for (name, at) in std::iter::once(first).chain(crumbs) {
        let width = text_width(&name) as u16;
        names.push((name, x, at));
        x = x.saturating_add(width).saturating_add(text_width(BETWEEN) as u16);
    }
    names
}

/// Returns the target of the breadcrumb at a cell of the row, if there is one.
pub fn crumb_at(shown: &VisibleRows, state: &State, x: u16) -> Option<Byte> {
    let names = names(shown, state).into_iter();
    names
        .filter(|(name, from, _)| (*from..from + text_width(name) as u16).contains(&x))
        .find_map(|(.., at)| at)
}

/// Draws the row.
pub(super) fn draw(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>) {
    let (cols, _) = canvas.size();
    let state = drawn.state;
    let has_keys = drawn.shown.window == state.windows.active && state.panes.focus == Focus::Editor;
    let ground = canvas.style(if has_keys { "ui.title.focus" } else { "ui.title" });
    let soft = canvas.style("ui.title");
    canvas.fill(Rect::new(0, 0, cols, 1), soft);
    for (n, (name, x, _)) in names(drawn.shown, state).iter().enumerate() {
        if n > 0 {
            canvas.text(x.saturating_sub(text_width(BETWEEN) as u16), 0, BETWEEN, soft);
        }
        canvas.text(*x, 0, name, if n == 0 { ground } else { soft });
    }
}
