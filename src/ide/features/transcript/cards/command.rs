//! The card of a command: its first line in the colors of the shell's language, the end of its output while it
//! runs and after, and its exit code. Must not know other kinds of calls.

use crate::ide::features::transcript::cards::card::Card;
use crate::ide::features::transcript::cards::form::CardForm;
use crate::ide::features::transcript::cards::other;
use crate::ide::features::transcript::cards::rows::{
    INDENT, TAIL_ROWS, WHOLE_ROWS, more, painted, seen, tail,
};
use crate::ide::features::transcript::items::Call;
use crate::tools::contract::view::{CallKind, ResultView};
use crate::tui::widgets::line::{BreakMode, Line, Span, wrap};
use crate::tui::widgets::markdown::code_blocks::Block;

/// The table's row.
pub const CARD: Card = Card { title, code, has_short_form: |_| true, ..Card::new(CallKind::Command, body) };

/// Maximum bytes of a command that get colors.
const CODE_MAX: usize = 16 << 10;
const SCOPE: &str = "agent.tool.title";

/// Returns all lines of the command.
pub fn command(call: &Call) -> &str {
    call.view.body.as_deref().unwrap_or(&call.view.title)
}

fn code(call: &Call) -> Vec<Block> {
    let code = command(call);
    let code = &code[..code.floor_char_boundary(CODE_MAX)];
    if code.is_empty() {
        return Vec::new();
    }
    vec![Block { language: "bash".to_string(), start: 0, code: code.to_string(), width: 0 }]
}

fn title(call: &Call, form: &CardForm<'_>) -> Vec<Span> {
    let code = command(call);
    let line = code.lines().next().unwrap_or_default();
    // Of a long line only what fits can be shown.
    let end = seen(line, 1, form.width).len();
    painted(code, 0..end, form.colors_of(0), SCOPE)
}

fn body(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let mut rows = if form.is_full && call.view.body.is_some() { lines(call, form) } else { Vec::new() };
    match &call.result {
        // The output of a command that ran and failed; others failed before they ran.
        Some(ResultView::Text(text)) if call.exit_code.is_some() => {
            rows.extend(tail(text, form, if form.is_full { WHOLE_ROWS } else { TAIL_ROWS }));
        }
        _ => rows.extend(other::result(call, form)),
    }
    rows
}

/// Returns all lines of the command.
fn lines(call: &Call, form: &CardForm<'_>) -> Vec<Line> {
    let code = command(call);
    let indent = [Span::new(INDENT, SCOPE)];
    let (mut out, mut start) = (Vec::new(), 0);
    for line in code.split_inclusive('\n') {
        if out.len() >= WHOLE_ROWS {
            out.push(more(None, form));
            break;
        }
        let text = line.trim_end_matches(['\n', '\r']);
        let end = start + seen(text, WHOLE_ROWS - out.len(), form.width).len();
        let spans = painted(code, start..end, form.colors_of(0), SCOPE);
        out.extend(wrap(&spans, form.width, &indent, &indent, BreakMode::Anywhere));
        start += line.len();
    }
    out.truncate(WHOLE_ROWS + 1);
    out
}
