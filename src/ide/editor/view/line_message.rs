//! What language servers say about a line, behind its end: where that is, and the message of the cursor's line where it does
//! not fit there. Must not know who else shows it.

use crate::base::width::text_width;
use crate::ide::core::state::State;
use crate::ide::model::diagnostics::{Diagnostics, Mark};
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::lsp::answers::diagnostics::Severity;
use crate::text::display::rows::{DisplayMap, Row};
use crate::text::position::Line;
use crate::text::rope::Text;

/// Cells between the end of a line and what is said about it.
const GAP: usize = 2;
/// Cells that this needs to be of use.
const ROOM_MIN: usize = 12;
/// Cells of the sign before a message.
const SIGN: usize = 2;

/// Returns the sign of a severity, a letter for screen readers, and its color.
pub fn diagnostic_sign(severity: Severity) -> (&'static str, &'static str, &'static str) {
    match severity {
        Severity::Error => ("●", "E", "error"),
        Severity::Warning => ("▲", "W", "warning"),
        Severity::Information => ("•", "I", "info"),
        Severity::Hint => ("·", "H", "hint"),
    }
}

/// Returns the worst that is said behind a line.
pub fn of_line<'a>(found: &'a Diagnostics, text: &Text, line: Line) -> Option<&'a Mark> {
    let (start, end) = text.line_bounds(line);
    found.of_line(start..end).filter(|mark| mark.diagnostic.severity >= Severity::Information)
}

/// Returns the first line of a message, which is what is said there.
pub fn first_line(mark: &Mark) -> &str {
    mark.diagnostic.message.lines().next().unwrap_or_default()
}

/// Returns the cell, from the first one of the text, where something is said behind a row, and how many cells there are for
/// it; `None` where they are too few.
pub fn room(shown: &VisibleRows, lens: &DisplayMap<'_>, row: &Row) -> Option<(u16, u16)> {
    let cols = usize::from(shown.cols);
    let from = lens.end_column(row).saturating_sub(shown.left).min(cols) + GAP;
    let room = cols.saturating_sub(from);
    (room >= ROOM_MIN)
        .then(|| (u16::try_from(from).unwrap_or(u16::MAX), u16::try_from(room).unwrap_or(u16::MAX)))
}

/// Returns what is said about the cursor's line, if it does not fit behind it.
pub fn cut_off(state: &State) -> Option<&Mark> {
    let buffer = state.areas.editor.and(state.buffers.current())?;
    let shown = state.visible_rows.as_ref().filter(|shown| shown.buffer == buffer.id)?;
    let mark = of_line(&buffer.servers.diagnostics, buffer.area.text(), shown.caret)?;
    // Until the next layout the rows are those of another text.
    let is_current = shown.version == buffer.area.document.version();
    let lens = DisplayMap {
        wrap: shown.wrap,
        ..buffer.area.display_map(buffer.tab_width(state.text_options.tab_width))
    };
    let row = shown.rows.iter().find(|row| row.line == shown.caret && row.is_last).filter(|_| is_current);
    let room = row.and_then(|row| room(shown, &lens, row)).map_or(0, |(_, room)| usize::from(room));
    (SIGN + text_width(first_line(mark)) > room).then_some(mark)
}
