//! Draws the list of queued messages: when each is delivered, and how it begins.

use ratatui::layout::Rect;

use crate::base::width::truncate;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::message_queue::layer::{QueueView, queued};
use crate::runtime::Delivery;
use crate::tui::canvas::Canvas;

/// Maximum size with the frame.
const SIZE: (u16, u16) = (90, 12);
/// Columns of the delivery point.
const LABEL_COLS: u16 = 6;
/// Maximum bytes of a message that are looked at.
const TEXT_MAX: usize = 1_000;
/// Keys in the footer, with short descriptions.
const KEYS: &[(&str, &str)] = &[
    ("list.accept", "edit"),
    ("queue.delete", "delete"),
    ("queue.move-up", "move"),
    ("queue.toggle-delivery", "next/later"),
    ("app.escape", "close"),
];

/// Returns a word for when a message is delivered.
pub fn label(delivery: Delivery) -> &'static str {
    match delivery {
        Delivery::Steer => "next",
        Delivery::FollowUp => "later",
    }
}

/// Returns its area.
pub fn view_area(size: (u16, u16)) -> Rect {
    frame::frame_area(size, SIZE.0, SIZE.1)
}

/// Draws the list.
pub fn draw(canvas: &mut Canvas<'_>, view: &QueueView, state: &State) {
    let key =
        |(id, name): &(&str, &str)| Some(format!("{} {name}", state.keymap.keys_for(KeyContext::Queue, id)?));
    let footer = KEYS.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let messages: Vec<_> = queued(&state.agent).collect();
    let inner = frame::draw(canvas, "Queued messages", &messages.len().to_string(), &footer);
    let mut rows = canvas.sub(inner);
    let (cols, height) = rows.size();
    let selected = view.selected.min(messages.len().saturating_sub(1));
    let first = (selected + 1).saturating_sub(usize::from(height));
    let (plain, soft) = (rows.style("ui.overlay"), rows.style("ui.overlay.soft"));
    for (y, (n, message)) in (0..height).zip(messages.iter().enumerate().skip(first)) {
        rows.text(1, y, label(message.delivery), soft);
        let text = &message.text[..message.text.floor_char_boundary(TEXT_MAX)];
        let room = usize::from(cols.saturating_sub(LABEL_COLS + 3));
        rows.text(LABEL_COLS + 2, y, &truncate(&text.replace('\n', "⏎"), room), plain);
        if n == selected {
            let row = rows.style("ui.row");
            rows.text(0, y, "▸", plain);
            rows.select_row(Rect::new(0, y, cols, 1), row);
        }
    }
}
