//! The card of questions to the user: each with its answer. Must not know other kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::other;
use crate::ide::features::transcript::cards::rows::{PROSE, indented};
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::tools::contract::view::{CallKind, ResultView};
use crate::tui::widgets::line::Line;

/// The table's row.
pub const CARD: Card = Card { has_short_form: |_| true, ..Card::new(CallKind::Question, body) };

/// Rows shown in short form.
const ROWS: usize = 12;

fn body(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    match (&call.result, call.status) {
        (Some(ResultView::Text(text)), CallStatus::Done(_)) if !form.is_full => {
            // The head has the only question, or the first one.
            let head = call.view.title.lines().next().unwrap_or_default();
            let lines = text
                .lines()
                .enumerate()
                .filter(|(n, line)| !line.trim().is_empty() && (*n > 0 || *line != head));
            indented(lines.map(|(_, line)| line), form, ROWS, PROSE)
        }
        _ => other::body(call, form),
    }
}
