//! Lines of tool calls, their results and summaries, within limited numbers of rows. Must not know text of
//! unlimited length, such as answers: that is laid out elsewhere.

use crate::base::width::{text_width, truncate, visible};
use crate::ide::features::transcript::items::{Call, CallStatus, Item, ItemKind};
use crate::ide::features::transcript::layout::ItemOptions;
use crate::ide::model::view::text_options::TextOptions;
use crate::tools::contract::view::{DiffLine, FileDiff, PlanStep, ResultView, StepProgress};
use crate::tui::widgets::line::{BreakMode, Line, Role, Span, wrap};

/// Lines shown of output in short form.
const TAIL_ROWS: usize = 5;
/// Lines shown of an error in short form.
const FAILURE_ROWS: usize = 8;
/// Lines shown of a diff in short form.
const DIFF_ROWS: usize = 30;
/// Maximum lines shown in full form; the rest is in the session's artifacts.
const WHOLE_ROWS: usize = 2_000;

/// Indentation below the head of a call.
const INDENT: &str = "  ";
/// Style of sentences: broken between words.
const PROSE: (&str, BreakMode) = ("agent.tool.output", BreakMode::Words);

/// Maximum bytes of text per cell: of a long line, what exceeds its rows is not laid out. A family emoji
/// takes 25.
const CELL_BYTES: usize = 32;

/// Returns the lines of an item with limited rows; text of unlimited length is laid out where it is shown.
pub fn lay_out(item: &Item, width: u16, options: ItemOptions) -> Vec<Line> {
    match &item.kind {
        ItemKind::Tool(call) => tool(call, width, options),
        ItemKind::Summary { title, text } => summary(title, text, width, options.show),
        ItemKind::User(_) | ItemKind::Answer(_) | ItemKind::Thinking(_) | ItemKind::Notice { .. } => {
            Vec::new()
        }
    }
}

/// Returns the lines of a summary: its title, and its text if output is shown in full.
fn summary(title: &str, text: &str, width: u16, show: TextOptions) -> Vec<Line> {
    let (sign, hint) = if show.expand_output { ("▾ ", "") } else { ("▸ ", " · Ctrl-o") };
    let title = beginning(title, usize::from(width).saturating_sub(2), "agent.tool");
    let room = usize::from(width).saturating_sub(text_width(&title.text) + 2);
    let hint = Span::decoration(truncate(hint, room), "agent.tool");
    let mut lines = vec![vec![Span::decoration(sign, "agent.tool"), title, hint]];
    if show.expand_output {
        lines.extend(indented(text.lines(), width, WHOLE_ROWS, PROSE));
    }
    lines
}

/// Returns the one line shown for hidden thinking. It gives the amount in bytes: counting words would read
/// all of it at every delta.
pub fn hidden_thinking(item: &Item, width: u16) -> Vec<Line> {
    let ItemKind::Thinking(text) = &item.kind else { return Vec::new() };
    if text.is_empty() {
        return Vec::new();
    }
    let size = if text.len() < 1_000 { String::new() } else { format!(", {} kB", text.len() / 1_000) };
    let text = format!("∴ thought{size} (Ctrl-t)");
    vec![vec![Span::new(truncate(&text, usize::from(width)), "agent.thinking").with_role(Role::Aside)]]
}

/// Returns as much of the first line of a text as there is room for.
fn beginning(text: &str, room: usize, scope: &'static str) -> Span {
    let first_line = visible(text.lines().next().unwrap_or_default());
    let shown = truncate(&first_line, room);
    let role = if shown == first_line { Role::Text } else { Role::Cut };
    Span::new(shown, scope).with_role(role)
}

fn tool(call: &Call, width: u16, options: ItemOptions) -> Vec<Line> {
    let show = options.show;
    let (state, scope) = status(call);
    let has_body = show.expand_output || !matches!(call.result, Some(ResultView::Text(_)));
    let open = call.result.is_some() && has_body && !options.is_closed;
    let sign = if open { "▾ " } else { "▸ " };
    let head = usize::from(width).saturating_sub(text_width(&call.tool) + text_width(&state) + 5);
    let title = beginning(&call.view.title, head, "agent.tool.title");
    let gap = " ".repeat(head.saturating_sub(text_width(&title.text)) + 1);
    let mut lines = vec![vec![
        Span::decoration(sign, "agent.tool"),
        Span::decoration(call.tool.as_str(), "agent.tool"),
        Span::decoration("  ", "agent.tool.title"),
        title,
        Span::decoration(gap, "agent.tool.title"),
        Span::decoration(state, scope),
    ]];
    if options.is_closed {
        return lines;
    }
    if show.expand_output
        && let Some(body) = &call.view.body
    {
        lines.extend(indented(body.lines(), width, WHOLE_ROWS, ("agent.tool.title", BreakMode::Anywhere)));
    }
    lines.extend(body(call, width, show));
    lines
}

fn status(call: &Call) -> (String, &'static str) {
    let took = |time: Option<std::time::Duration>| match time {
        Some(time) if time.as_millis() >= 100 => format!(" {:.1}s", time.as_secs_f32()),
        _ => String::new(),
    };
    let change = match &call.result {
        Some(ResultView::Diff { added, removed, .. }) => format!("+{added} −{removed} "),
        Some(ResultView::Diffs(files)) => {
            let sum = |count: fn(&FileDiff) -> usize| files.iter().map(count).sum::<usize>();
            format!("+{} −{} ", sum(|file| file.added), sum(|file| file.removed))
        }
        _ => String::new(),
    };
    match call.status {
        CallStatus::Streaming => ("…".to_string(), "ui.text.soft"),
        CallStatus::Running => ("◦".to_string(), "agent"),
        CallStatus::Done(time) => (format!("{change}✓{}", took(time)), "success"),
        CallStatus::Failed(time) => (format!("✗{}", took(time)), "error"),
    }
}

fn body(call: &Call, width: u16, show: TextOptions) -> Vec<Line> {
    let failed = matches!(call.status, CallStatus::Failed(_));
    match &call.result {
        None => tail(&call.live_output, width, TAIL_ROWS),
        Some(ResultView::Output(text)) => {
            tail(text, width, if show.expand_output { WHOLE_ROWS } else { TAIL_ROWS })
        }
        Some(ResultView::Text(text)) if show.expand_output => {
            indented(text.lines(), width, WHOLE_ROWS, PROSE)
        }
        Some(ResultView::Text(text)) if failed => {
            indented(text.lines(), width, FAILURE_ROWS, ("error", BreakMode::Words))
        }
        Some(ResultView::Text(_)) => Vec::new(),
        Some(ResultView::Diff { lines, .. }) => {
            diff(lines, width, if show.expand_output { WHOLE_ROWS } else { DIFF_ROWS })
        }
        Some(ResultView::Diffs(files)) => diffs(files, width, show),
        Some(ResultView::Plan(items)) => plan(items, width),
    }
}

/// Returns the whole task list, which is always of interest.
fn plan(items: &[PlanStep], width: u16) -> Vec<Line> {
    let row = |item: &PlanStep| {
        let (sign, scope) = match item.progress {
            StepProgress::Pending => ("○ ", "agent.tool.output"),
            StepProgress::InProgress => ("▸ ", "agent.tool"),
            StepProgress::Completed => ("✓ ", "ui.hint"),
            StepProgress::Cancelled => ("✗ ", "ui.hint"),
            StepProgress::Blocked => ("… ", "warning"),
        };
        let lead = [Span::new(format!("{INDENT}{sign}"), scope)];
        let indent = [Span::new(format!("{INDENT}  "), scope)];
        wrap(&[Span::new(item.text.as_str(), scope)], width, &lead, &indent, BreakMode::Words)
    };
    items.iter().flat_map(row).collect()
}

/// Returns lines indented below a call, the first `rows` of them.
fn indented<'a>(
    lines: impl Iterator<Item = &'a str>,
    width: u16,
    rows: usize,
    (scope, mode): (&'static str, BreakMode),
) -> Vec<Line> {
    let indent = [Span::new(INDENT, scope)];
    let mut out = Vec::new();
    for line in lines {
        if out.len() >= rows {
            out.push(more(None, width));
            break;
        }
        let room = (rows + 1 - out.len()) * usize::from(width.max(1)) * CELL_BYTES;
        let seen = &line[..line.floor_char_boundary(room)];
        out.extend(wrap(&[Span::new(seen, scope)], width, &indent, &indent, mode));
    }
    out.truncate(rows + 1);
    out
}

/// Returns the last `rows` lines, with a note on how many precede them.
fn tail(text: &str, width: u16, rows: usize) -> Vec<Line> {
    let text = text.trim_end();
    if text.is_empty() {
        return Vec::new();
    }
    let kept: Vec<&str> = text.rsplit('\n').take(rows).collect();
    let earlier = text.matches('\n').count() + 1 - kept.len();
    let mut out = Vec::new();
    if earlier > 0 {
        out.push(more(Some(earlier), width));
    }
    let kind = ("agent.tool.output", BreakMode::Anywhere);
    out.extend(indented(kept.into_iter().rev(), width, rows * 2, kind));
    out
}

/// Returns the line for what is not shown, with its number of lines where that is known.
fn more(count: Option<usize>, width: u16) -> Line {
    let count = count.map_or_else(String::new, |count| format!("{count} "));
    let text = format!("{INDENT}… {count}more · Ctrl-o");
    vec![Span::new(truncate(&text, usize::from(width)), "ui.hint").with_role(Role::Aside)]
}

/// Returns the diffs of several files, within the rows allowed for one.
fn diffs(files: &[FileDiff], width: u16, show: TextOptions) -> Vec<Line> {
    let rows = if show.expand_output { WHOLE_ROWS } else { DIFF_ROWS };
    let mut out: Vec<Line> = Vec::new();
    for file in files {
        if out.len() >= rows {
            out.push(more(None, width));
            break;
        }
        let title = std::iter::once(file.title.as_str());
        out.extend(indented(title, width, 1, ("agent.tool.title", BreakMode::Anywhere)));
        out.extend(diff(&file.lines, width, rows.saturating_sub(out.len()).max(1)));
    }
    out
}

/// Returns the lines of a diff, wrapped: old and new must not be cut to where they look alike.
fn diff(lines: &[Option<DiffLine>], width: u16, rows: usize) -> Vec<Line> {
    let numbers = lines.iter().flatten().map(|line| line.number).max().unwrap_or(1).max(1);
    let numbers = numbers.ilog10() as usize + 1;
    let mut out = Vec::new();
    for line in lines {
        if out.len() >= rows {
            out.push(more(None, width));
            break;
        }
        let Some(line) = line else {
            out.push(vec![Span::new(format!(" {:>numbers$}", "⋮"), "diff.number").with_role(Role::Aside)]);
            continue;
        };
        let scope = match line.sign {
            '+' => "diff.added",
            '-' => "diff.removed",
            _ => "diff",
        };
        let sign = if line.sign == '-' { '−' } else { line.sign };
        let head = [
            Span::new(format!(" {:>numbers$} ", line.number), "diff.number"),
            Span::new(format!("{sign} "), scope),
        ];
        let rest = [Span::new(" ".repeat(numbers + 2), "diff.number"), Span::new("  ", scope)];
        let room = (rows + 1 - out.len()) * usize::from(width.max(1)) * CELL_BYTES;
        let seen = &line.text[..line.text.floor_char_boundary(room)];
        out.extend(wrap(&[Span::new(seen, scope)], width, &head, &rest, BreakMode::Anywhere));
        if out.len() > rows {
            out.truncate(rows);
            out.push(more(None, width));
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diff_of_long_line_is_wrapped_within_rows_of_card() {
        let line = |sign, number, text: &str| Some(DiffLine { sign, number, text: text.to_string() });
        let lines = [line('-', 7, &"minified;".repeat(10_000)), line('+', 7, "short")];
        let rows = diff(&lines, 60, DIFF_ROWS);
        assert_eq!(rows.len(), DIFF_ROWS + 1);
        assert!(rows[DIFF_ROWS][0].text.contains("more"));
        assert!(rows.iter().all(|row| crate::tui::widgets::line::width(row) <= 60));
        let short = diff(&lines[1..], 60, DIFF_ROWS);
        assert_eq!(short[0].iter().map(|span| span.text.as_str()).collect::<String>(), " 7 + short");
    }
}
