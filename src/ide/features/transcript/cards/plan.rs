//! The card of the task list: all steps, which are always of interest. Must not know other kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::other;
use crate::ide::features::transcript::cards::rows::{INDENT, WHOLE_ROWS, more, seen};
use crate::tools::contract::view::{CallKind, PlanStep, StepProgress};
use crate::tui::widgets::line::{BreakMode, Line, Span, wrap};

/// The table's row.
pub const CARD: Card = Card::new(CallKind::Plan, other::body);

/// Maximum rows shown in short form.
const ROWS: usize = 60;

/// Returns the steps.
pub fn steps(items: &[PlanStep], form: &CardForm<'_>) -> Vec<Line> {
    let rows = if form.is_full { WHOLE_ROWS } else { ROWS };
    let mut out = Vec::new();
    for item in items {
        if out.len() >= rows {
            out.push(more(None, form));
            break;
        }
        let (word, scope) = match item.progress {
            StepProgress::Pending => ("to do: ", "agent.tool.output"),
            StepProgress::InProgress => ("in progress: ", "agent.tool"),
            StepProgress::Completed => ("done: ", "ui.hint"),
            StepProgress::Cancelled => ("canceled: ", "ui.hint"),
            StepProgress::Blocked => ("blocked: ", "warning"),
        };
        let (sign, _) = match item.progress {
            StepProgress::Pending => ("○ ", "agent.tool.output"),
            StepProgress::InProgress => ("▸ ", "agent.tool"),
            StepProgress::Completed => ("✓ ", "ui.hint"),
            StepProgress::Cancelled => ("✗ ", "ui.hint"),
            StepProgress::Blocked => ("… ", "warning"),
        };
        let sign = if form.is_accessible { word } else { sign };
        let lead = [Span::new(format!("{INDENT}{sign}"), scope)];
        let indent = [Span::new(format!("{INDENT}  "), scope)];
        let text = seen(&item.text, rows + 1 - out.len(), form.width);
        out.extend(wrap(&[Span::new(text, scope)], form.width, &lead, &indent, BreakMode::Words));
    }
    out.truncate(rows + 1);
    out
}
