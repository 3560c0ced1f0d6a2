//! Draws what is beside the text: the agent's marks, line numbers, the scrollbar.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ide::editor::view::line_message::diagnostic_sign;
use crate::ide::editor::view::pane::DrawContext;
use crate::ide::model::view::hunks::HunkKind;
use crate::ide::model::view::visible_rows::BarMark;
use crate::text::display::rows::Row;
use crate::text::position::Line;
use crate::tui::canvas::Canvas;

/// Draws the background of the cursor's line.
pub(super) fn draw_caret_line(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    // The caret says it to a screen reader, which would speak both rows again.
    if canvas.is_accessible() {
        return;
    }
    let is_active = drawn.shown.window == drawn.state.windows.active;
    let scope = if usize::from(y) < drawn.shown.sticky {
        "ui.sticky"
    } else if drawn.state.display.caret_line && is_active && row.line == drawn.shown.caret {
        "ui.caret-line"
    } else {
        return;
    };
    let style = canvas.style(scope);
    canvas.put_style(Rect::new(0, y, drawn.shown.area.width, 1), style);
}

/// Marks and the number of a row.
pub(super) fn draw(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, row: &Row, y: u16) {
    let shown = drawn.shown;
    let is_agents = drawn.buffer.is_marked(row.start..row.end);
    let found = || drawn.buffer.servers.diagnostics.of_line(row.start..row.end).filter(|_| row.is_first);
    if is_agents {
        let style = canvas.style("ui.gutter.agent");
        canvas.put_symbol(0, y, if canvas.is_accessible() { "*" } else { "┃" }, style);
    } else if let Some(mark) = found().filter(|_| shown.gutter > 1) {
        let (sign, letter, scope) = diagnostic_sign(mark.diagnostic.severity);
        let style = canvas.style(scope);
        canvas.put_symbol(0, y, if canvas.is_accessible() { letter } else { sign }, style);
    }
    let sign =
        drawn.buffer.area.per_view.hunks.kind_of_line(drawn.lens.text, row.line).filter(|sign| match sign {
            HunkKind::Removed => row.is_last,
            HunkKind::RemovedAbove => row.is_first,
            HunkKind::Added | HunkKind::Changed => true,
        });
    let is_accessible = canvas.is_accessible();
    let sign = sign.map(|sign| match sign {
        HunkKind::Added if is_accessible => ("+", "ui.gutter.added"),
        HunkKind::Changed if is_accessible => ("~", "ui.gutter.changed"),
        HunkKind::Removed | HunkKind::RemovedAbove if is_accessible => ("-", "ui.gutter.removed"),
        HunkKind::Added => ("▎", "ui.gutter.added"),
        HunkKind::Changed => ("┋", "ui.gutter.changed"),
        HunkKind::Removed => ("▁", "ui.gutter.removed"),
        HunkKind::RemovedAbove => ("▔", "ui.gutter.removed"),
    });
    // A fold marker takes the place of git's mark, in its color.
    let folded = row.is_last && drawn.lens.folds.fold_after(row.end).is_some();
    let sign = if folded { Some(("▸", sign.map_or("ui.fold", |(_, scope)| scope))) } else { sign };
    if let Some((sign, scope)) = sign.filter(|_| shown.gutter > 1 || !is_agents) {
        let style = canvas.style(scope);
        canvas.put_symbol(shown.gutter - 1, y, sign, style);
    }
    if shown.gutter > 1 {
        let is_caret = row.line == shown.caret;
        let style = canvas.style(if is_caret { "ui.linenr.active" } else { "ui.linenr" });
        let width = usize::from(shown.gutter) - 2;
        if row.is_first {
            let number = number(drawn, row.line);
            let blanks = " ".repeat(width.saturating_sub(number.len()));
            canvas.text(1, y, &(blanks + &number), style);
        } else {
            canvas.text(1, y, &format!("{:>width$}", "↪"), style);
        }
    }
}

/// Returns the number of a line, absolute or relative to the cursor's line.
fn number(drawn: &DrawContext<'_>, line: Line) -> String {
    let caret = drawn.shown.caret;
    if drawn.state.display.relative && line != caret {
        line.0.abs_diff(caret.0).to_string()
    } else {
        (line.0 + 1).to_string()
    }
}

/// Draws one row of the scrollbar.
pub(super) fn draw_bar(canvas: &mut Canvas<'_>, drawn: &DrawContext<'_>, y: u16) {
    let Some(cell) = drawn.shown.bar.get(usize::from(y)) else { return };
    let ground = if cell.is_thumb { canvas.style("ui.scroll.thumb") } else { Style::default() };
    let (sign, style) = match cell.mark {
        None => (" ", Style::default()),
        Some(BarMark::Changed) => ("▐", canvas.style("ui.gutter.changed")),
        Some(BarMark::Added) => ("▐", canvas.style("ui.gutter.added")),
        Some(BarMark::Removed) => ("▗", canvas.style("ui.gutter.removed")),
        Some(BarMark::Agent) => ("┃", canvas.style("ui.gutter.agent")),
        Some(BarMark::Match) => ("•", canvas.style("ui.scroll.match")),
        Some(BarMark::Cursor) => ("─", canvas.style("ui.scroll.cursor")),
    };
    let x = drawn.shown.area.width.saturating_sub(1);
    canvas.put_symbol(x, y, sign, ground.patch(style));
}
