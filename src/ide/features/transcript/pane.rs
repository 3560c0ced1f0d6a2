//! The pane of the conversation: a virtual list that lays out only what is on screen.

use std::cell::RefMut;
use std::ops::Range;

use ratatui::layout::Rect;

use crate::base::width::{truncate, visible};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::AgentPart;
use crate::ide::core::state::State;
use crate::ide::features::images::cache::{IMAGES, ImageCache, ImageState};
use crate::ide::features::images::data::BROKEN;
use crate::ide::features::transcript::agents;
use crate::ide::features::transcript::cards::form::CardKeys;
use crate::ide::features::transcript::items::{Item, ItemKind};
use crate::ide::features::transcript::view::focus::PaneShape;
use crate::ide::features::transcript::welcome;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;
use crate::tui::widgets::copied::selected_cells;
use crate::tui::widgets::line::{ImageRow, Line, Role, Span};
use crate::tui::widgets::markdown::code_blocks::CODE;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Transcript, layer: 0, make: || Box::new(TranscriptPane) };

struct TranscriptPane;

impl Component<State> for TranscriptPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        if cols < 3 {
            return;
        }
        let (transcript, view) = agents::shown(&state.slots);
        let heading = agents::heading(state);
        if transcript.items().is_empty() && heading.is_none() {
            welcome::draw(canvas, state);
            return draw_border(canvas, state);
        }
        let mut view = view.borrow_mut();
        let expand = state.keymap.keys_for(KeyContext::Prompt, "agent.toggle-output");
        view.set_keys(CardKeys { expand: expand.unwrap_or_default() });
        let top = u16::from(heading.is_some()).min(rows);
        let rows = rows - top;
        let shape = PaneShape { show: state.text_options, size: (cols, rows) };
        view.check_selection(transcript, shape);
        let selection = view.selection_bounds(transcript);
        let search = view.search.clone();
        let focus = view.focus().filter(|_| state.panes.is_agent_focused(AgentPart::Transcript));
        draw_heading(canvas, heading.as_deref().unwrap_or_default());
        // The caret of a screen reader is at the first row of the item that has the keys.
        let mut is_first = canvas.is_accessible();
        let mut content = canvas.sub(Rect::new(1, top, cols - 1, rows));
        view.visit(transcript, state.text_options, (cols, rows), |shown, line| {
            let y = shown.row;
            if focus == Some(shown.item) {
                let mark = content.style("ui.border.focus");
                content.text(0, y, "▎", mark);
                if std::mem::take(&mut is_first) {
                    content.select_row(Rect::new(0, y, 1, 1), mark);
                }
            }
            let (x, ground) = draw_spans(&mut content, state, transcript.item(shown.item), line, y);
            // A line with its own background has it up to the edge.
            if matches!(ground, "diff.added" | "diff.removed" | "agent.user") {
                let style = content.style(ground);
                content.put_style(Rect::new(x, y, cols.saturating_sub(x + 2), 1), style);
            }
            for cells in selection
                .and_then(|bounds| bounds.columns(shown.at, shown.line))
                .iter()
                .flat_map(|columns| selected_cells(line, columns))
            {
                mark(&mut content, y, &cells, "ui.selection");
            }
            for hit in search.iter().flat_map(|search| search.cells(line)) {
                mark(&mut content, y, &hit, "ui.search");
            }
        });
        draw_border(canvas, state);
    }
}

/// Draws the spans of a line; returns the column after them, and the scope of their background.
fn draw_spans(
    content: &mut Canvas<'_>,
    state: &State,
    item: Option<&Item>,
    line: &Line,
    y: u16,
) -> (u16, &'static str) {
    let (mut x, mut ground) = (1, "");
    for span in line {
        ground = ground_after(span.scope).unwrap_or(ground);
        let style = content.style(ground).patch(content.style(span.scope));
        let from = x;
        x = match span.role {
            Role::Image(part) => draw_image(content, (x, y), part, span, |key| {
                image_state(state.slots[IMAGES].borrow_mut(), item, key, part.max)
            }),
            Role::Text | Role::Tab | Role::Cut => content.content(x, y, &span.text, style),
            _ => content.text(x, y, &span.text, style),
        };
        if let Some(link) = &span.link {
            content.put_link(Rect::new(from, y, x.saturating_sub(from), 1), link);
        }
    }
    (x, ground)
}

/// Marks cells of a line.
fn mark(canvas: &mut Canvas<'_>, y: u16, cells: &Range<usize>, scope: &'static str) {
    let cols = usize::from(canvas.size().0);
    let style = canvas.style(scope);
    let start = 1 + cells.start.min(cols) as u16;
    canvas.put_style(Rect::new(start, y, cells.len().min(cols) as u16, 1), style);
}

/// Draws a row of an image, or what stands for it; returns the column after it.
fn draw_image(
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    part: ImageRow,
    span: &Span,
    state: impl FnOnce(u64) -> ImageState,
) -> u16 {
    let style = canvas.style(span.scope);
    match state(part.key) {
        ImageState::Ready(image) if !canvas.is_accessible() => {
            canvas.image_row(x, y, &image, part.row);
            x + image.cells.0
        }
        ImageState::Broken(_) if part.row == 0 => canvas.text(x, y, BROKEN, style),
        ImageState::Broken(_) | ImageState::Pending | ImageState::Ready(_) => {
            canvas.text(x, y, &span.text, style)
        }
    }
}

/// Returns how far an image of an item is.
fn image_state(
    mut images: RefMut<'_, ImageCache>,
    item: Option<&Item>,
    key: u64,
    max: (u16, u16),
) -> ImageState {
    let data = item.and_then(|item| match &item.kind {
        ItemKind::Image(image) => Some(image),
        ItemKind::Tool(call) => call.images.iter().find(|image| image.key == key),
        _ => None,
    });
    data.map_or(ImageState::Pending, |data| images.get(data, max, Part::Transcript))
}

/// Draws the row above the conversation of a subagent; nothing for an empty one.
fn draw_heading(canvas: &mut Canvas<'_>, heading: &str) {
    let style = canvas.style("agent.tool.title");
    let room = usize::from(canvas.size().0.saturating_sub(2));
    canvas.text(2, 0, &truncate(&visible(heading), room), style);
}

/// Returns the scope whose background lies below a span and those after it, if the span changes it: colors of
/// code have none.
fn ground_after(scope: &'static str) -> Option<&'static str> {
    match scope {
        CODE | "diff.added" | "diff.removed" | "agent.user" => Some(scope),
        "diff" | "diff.number" => Some(""),
        _ => None,
    }
}

/// Draws the border between the editor and the agent, if there is an editor.
fn draw_border(canvas: &mut Canvas<'_>, state: &State) {
    let border = canvas.style("ui.border");
    if state.areas.transcript.is_some_and(|area| area.x > 0) {
        for y in 0..canvas.size().1 {
            canvas.text(0, y, "│", border);
        }
    }
}
