//! The card of calls without a form of their own: their result as it is, of a text only its errors. Must not
//! know kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::rows::{
    ARGUMENT, FAILURE, FAILURE_ROWS, PROSE, TAIL_ROWS, WHOLE_ROWS, indented, tail,
};
use crate::ide::features::transcript::cards::{edit, plan, search};
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::tools::contract::view::{CallKind, ResultView};
use crate::tui::widgets::line::Line;

/// The table's row.
pub const CARD: Card = Card::new(CallKind::Other, body);

/// Returns all arguments where all is shown, and the result.
pub fn body(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let mut rows = arguments(call, form);
    rows.extend(result(call, form));
    rows
}

/// Returns the arguments that the head leaves out, where all is shown.
pub fn arguments(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    match &call.view.body {
        Some(body) if form.is_full => indented(body.lines(), form, WHOLE_ROWS, ARGUMENT),
        _ => Vec::new(),
    }
}

/// Returns the rows of a result.
pub fn result(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let is_failed = matches!(call.status, CallStatus::Failed(_));
    match &call.result {
        None => tail(&call.live_output, form, TAIL_ROWS),
        Some(ResultView::Output(text)) => tail(text, form, if form.is_full { WHOLE_ROWS } else { TAIL_ROWS }),
        Some(ResultView::Text(text) | ResultView::Excerpt { text, .. }) if form.is_full => {
            indented(text.lines(), form, WHOLE_ROWS, PROSE)
        }
        Some(ResultView::Text(text)) if is_failed => indented(text.lines(), form, FAILURE_ROWS, FAILURE),
        Some(ResultView::Text(_) | ResultView::Excerpt { .. }) => Vec::new(),
        Some(ResultView::Hits { hits, text }) => search::hits(hits, text, form),
        Some(ResultView::Diff { .. } | ResultView::Diffs(_)) => edit::changes(call, form),
        Some(ResultView::Plan(steps)) => plan::steps(steps, form),
    }
}
