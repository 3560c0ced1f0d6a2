//! The complete messages of the cursor's line, below it, when the user wants them: until the cursor leaves the line. They take
//! no keys. Must not know who found the diagnostics.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::width::{text_width, truncate, visible, word_wrap};
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::at_caret;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::editor::view::line_message::diagnostic_sign;
use crate::ide::features::language_servers::commands::{has_diagnostics, summary};
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::diagnostics::Mark;
use crate::ide::model::view::visible_rows::VisibleRows;
use crate::lsp::answers::diagnostics::Severity;
use crate::text::display::rows::DisplayMap;
use crate::text::position::Line;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The area's rows.
pub const COMMANDS: &[Command] = &[command(
    "diagnostics.messages-below",
    "Toggle messages below line",
    &["inline diagnostics", "error lens", "show whole message", "line diagnostics"],
    toggle,
)
.when(has_diagnostics)];

/// The table's row.
pub const PANE: PaneSpec =
    PaneSpec { part: Part::LineMessages, layer: 1, make: || Box::new(LineMessagesPane) };

/// Maximum rows.
const ROWS_MAX: usize = 16;
/// Columns that a message needs before it begins below what it is about.
const COLS_MIN: usize = 36;
/// From what a message is about to it, and the cells of that.
const CONNECTOR: &str = "└ ";
/// Cells of the connector and the sign before a message.
const BEFORE: usize = 4;

/// The line whose messages are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownLine {
    buffer: BufferId,
    line: Line,
}

/// The feature's state.
#[derive(Debug, Default)]
pub struct LineMessages {
    shown: Option<ShownLine>,
    /// What the current frame shows: laid out once, where the frame is placed.
    layout: Option<Layout>,
}

/// Slot of the state.
pub const LINE_MESSAGES: Slot<LineMessages> = Slot::new();

struct LineMessagesPane;

/// Returns the cursor's line of the shown text.
fn caret_line(state: &State) -> Option<ShownLine> {
    let buffer = state.buffers.current()?;
    Some(ShownLine { buffer: buffer.id, line: buffer.area.text().line_of(buffer.area.caret()) })
}

/// Returns the diagnostics that touch a line, the worst first.
fn marks(buffer: &Buffer, line: Line) -> Vec<&Mark> {
    let (start, end) = buffer.area.text().line_bounds(line);
    let mut marks: Vec<&Mark> = buffer.servers.diagnostics.touching(start..end).collect();
    marks.sort_by_key(|mark| std::cmp::Reverse(mark.diagnostic.severity));
    marks
}

/// Shows the messages of the cursor's line, or hides them.
fn toggle(cx: &mut Cx<'_>) {
    if close(cx) {
        return;
    }
    let Some(at) = caret_line(cx.state) else { return };
    let Some(buffer) = cx.state.buffers.current_mut() else { return };
    buffer.servers.apply_changes(&mut buffer.area.document);
    let found = marks(buffer, at.line);
    if found.is_empty() {
        return cx.state.set_status("No diagnostics in this line");
    }
    if cx.state.is_accessible() {
        // What stands in the text would be read as a part of it.
        let all: Vec<String> = marks_of(cx.state, at).into_iter().map(summary).collect();
        return cx.state.set_status(all.join("; "));
    }
    cx.state.slots[LINE_MESSAGES].shown = Some(at);
    cx.state.damage.add(Part::LineMessages);
}

fn marks_of(state: &State, at: ShownLine) -> Vec<&Mark> {
    let buffer = state.buffers.current().filter(|buffer| buffer.id == at.buffer);
    buffer.map(|buffer| marks(buffer, at.line)).unwrap_or_default()
}

/// Hides the messages; returns whether they were shown.
pub fn close(cx: &mut Cx<'_>) -> bool {
    let was_shown = cx.state.slots[LINE_MESSAGES].shown.take() == caret_line(cx.state);
    let is_closed = was_shown && cx.state.buffers.current().is_some();
    if is_closed {
        cx.state.damage.add(Part::LineMessages);
    }
    is_closed
}

/// Forgets the line once the cursor has left it.
pub fn after_frame(cx: &mut Cx<'_>) {
    let caret = caret_line(cx.state);
    let known = &mut cx.state.slots[LINE_MESSAGES];
    known.shown = known.shown.filter(|shown| Some(*shown) == caret);
}

/// Returns the rows of messages for a text of that many columns, each with its severity, at most one more than are shown.
fn rows(marks: &[&Mark], indents: &[usize], cols: usize) -> Vec<(Severity, String)> {
    let of_mark = |(mark, indent): (&&Mark, &usize)| {
        let found = &mark.diagnostic;
        let indent = if indent + COLS_MIN > cols { 0 } else { *indent };
        let room = cols.saturating_sub(indent + BEFORE).max(1);
        let origin = found.origin();
        let mut lines: Vec<String> = found.message.lines().take(ROWS_MAX + 1).map(str::to_string).collect();
        if !origin.is_empty() {
            let last = lines.pop().unwrap_or_default();
            lines.push(format!("{last} ({origin})"));
        }
        let plain = |line: &String| visible(&line.replace('\t', " ")).into_owned();
        let wrapped = lines.iter().map(plain).flat_map(|line| word_wrap(&line, room)).take(ROWS_MAX + 1);
        let (sign, _, _) = diagnostic_sign(found.severity);
        let row = |(n, line): (usize, String)| {
            let before = if n == 0 { format!("{CONNECTOR}{sign} ") } else { " ".repeat(BEFORE) };
            (found.severity, format!("{}{before}{line}", " ".repeat(indent)))
        };
        wrapped.enumerate().map(row).collect::<Vec<_>>()
    };
    marks.iter().zip(indents).flat_map(of_mark).take(ROWS_MAX + 1).collect()
}

/// What is drawn, and where.
#[derive(Debug)]
struct Layout {
    area: Rect,
    rows: Vec<(Severity, String)>,
}

/// Returns what is drawn below the cursor's line, or above it where the window has more room there; `None` if nothing is.
fn layout(state: &State) -> Option<Layout> {
    let at = state.slots[LINE_MESSAGES].shown.filter(|shown| Some(*shown) == caret_line(state))?;
    if state.is_accessible() || !state.layers.is_empty() || state.shows_editor_completions {
        return None;
    }
    let buffer = state.buffers.current()?;
    let version = buffer.area.document.version();
    let shown = state.visible_rows.as_ref();
    let shown = shown.filter(|shown| shown.buffer == buffer.id && shown.version == version)?;
    let lens = DisplayMap {
        wrap: shown.wrap,
        ..buffer.area.display_map(buffer.tab_width(state.text_options.tab_width))
    };
    let marks = marks(buffer, at.line);
    let indents: Vec<usize> = marks.iter().map(|mark| indent(mark, shown, &lens, at.line)).collect();
    let rows = rows(&marks, &indents, usize::from(shown.cols));
    let of_line = shown.rows_of(at.line);
    if rows.is_empty() || of_line.is_empty() {
        return None;
    }
    // Within the window: what is around it has nothing to do with the line.
    let (wanted, size) = ((shown.cols, rows.len().min(ROWS_MAX) as u16), (shown.cols, shown.area.height));
    let below = at_caret::area((0, of_line.end - 1), wanted, size);
    let is_above = below.y < of_line.end;
    let found =
        if is_above { at_caret::area_on_side((0, of_line.start), wanted, size, Some(true)) } else { below };
    let covers_line = found.y < of_line.end && found.bottom() > of_line.start;
    let area = Rect { x: shown.area.x + shown.gutter, y: shown.area.y + found.y, ..found };
    (!covers_line).then_some(Layout { area, rows })
}

/// Returns the cell in which what a diagnostic is about begins in a line, from the left edge of the text.
fn indent(mark: &Mark, shown: &VisibleRows, lens: &DisplayMap<'_>, line: Line) -> usize {
    let row = shown.rows.iter().find(|row| row.line == line && row.contains(mark.range.start));
    row.map_or(0, |row| lens.column(row, mark.range.start).saturating_sub(shown.left))
}

/// Lays the messages out for a frame; returns where they are drawn, `None` if they are not.
pub fn place(state: &mut State) -> Option<Rect> {
    let layout = layout(state);
    let area = layout.as_ref().map(|layout| layout.area);
    state.slots[LINE_MESSAGES].layout = layout;
    area
}

impl Component<State> for LineMessagesPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, height) = canvas.size();
        let ground = canvas.style("ui.overlay");
        canvas.fill(Rect::new(0, 0, cols, height), ground);
        let Some(Layout { rows, .. }) = &state.slots[LINE_MESSAGES].layout else { return };
        let has_more = rows.len() > usize::from(height);
        for (y, (severity, text)) in (0..height).zip(rows) {
            let (_, _, scope) = diagnostic_sign(*severity);
            let style = Style { bg: ground.bg, ..ground.patch(canvas.style(scope)) };
            canvas.text(0, y, &truncate(text, usize::from(cols)), style);
        }
        if has_more && height > 0 {
            let more = format!(" … {}", state.how_to("lsp.hover"));
            let x = cols.saturating_sub(text_width(&more) as u16);
            let style = canvas.style("ui.overlay.soft");
            canvas.text(x, height - 1, &truncate(&more, usize::from(cols)), style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::answers::diagnostics;
    use crate::text::position::Byte;

    fn mark(severity: u8, message: &str) -> Mark {
        let list = crate::base::json::json!([{ "message": message, "severity": severity, "source": "toy",
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } } }]);
        let list = serde_json::value::to_raw_value(&list).unwrap();
        let (mut found, _) = diagnostics::decode(&list);
        Mark { range: Byte(0)..Byte(1), diagnostic: found.remove(0) }
    }

    fn texts(marks: &[&Mark], indents: &[usize], cols: usize) -> Vec<String> {
        rows(marks, indents, cols).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn line_messages_are_wrapped_with_wide_characters_and_without_control_characters() {
        let (error, hint) = (mark(1, "宽的字符 one\ttwo\u{1b}[31m\r\nnext line"), mark(4, "small"));
        let found = texts(&[&error, &hint], &[4, 0], 20);
        assert_eq!(
            found,
            ["└ ● 宽的字符 one", "    two␛[31m", "    next line (toy)", "└ · small (toy)"],
            "without room the message begins at the edge"
        );
        assert!(found.iter().all(|row| text_width(row) <= 20 && !row.contains(char::is_control)));
        assert_eq!(texts(&[&hint], &[6], 60), ["      └ · small (toy)"]);
        let many = mark(1, &"word ".repeat(1_000));
        assert_eq!(texts(&[&many, &hint], &[0, 0], 24).len(), ROWS_MAX + 1, "no more than is shown");
        assert!(!texts(&[&many], &[9], 1).is_empty());
    }
}
