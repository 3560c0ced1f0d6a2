//! Lines of tool calls, their results and summaries, within limited numbers of rows. Must not know text of
//! unlimited length, such as answers: that is laid out elsewhere.

use crate::base::width::{text_width, truncate, visible};
use crate::ide::features::transcript::items::{Call, CallStatus, Item, ItemKind};
use crate::ide::model::view::text_options::TextOptions;
use crate::tools::contract::view::{DiffLine, FileDiff, PlanStep, ResultView, StepProgress};
use crate::tui::widgets::line::{BreakMode, Line, Span, wrap};

/// Lines shown of output in short form.
const TAIL_ROWS: usize = 5;
/// Lines shown of an error in short form.
const FAILURE_ROWS: usize = 8;
/// Lines shown of a diff in short form.
const DIFF_ROWS: usize = 30;
/// Maximum lines shown in full form; the rest is in the session's artifacts.
const WHOLE_ROWS: usize = 2_000;

/// Maximum bytes of text per cell: of a long line, what exceeds its rows is not laid out. A family emoji
/// takes 25.
const CELL_BYTES: usize = 32;

/// Returns the lines of an item with limited rows; text of unlimited length is laid out where it is shown.
pub fn lay_out(item: &Item, width: u16, show: TextOptions) -> Vec<Line> {
    match &item.kind {
        ItemKind::Tool(call) => tool(call, width, show),
        ItemKind::Summary { title, text } => summary(title, text, width, show),
        ItemKind::User(_) | ItemKind::Answer(_) | ItemKind::Thinking(_) | ItemKind::Notice { .. } => {
            Vec::new()
        }
    }
}

/// Returns the lines of a summary: its title, and its text if output is shown in full.
fn summary(title: &str, text: &str, width: u16, show: TextOptions) -> Vec<Line> {
    let head =
        if show.expand_output { format!("▾ {title}") } else { format!("▸ {title} (Ctrl-o shows it)") };
    let mut lines = vec![vec![Span::new(truncate(&head, usize::from(width)).into_owned(), "agent.tool")]];
    if show.expand_output {
        lines.extend(indented(text.lines(), width, WHOLE_ROWS, "agent.tool.output"));
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
    vec![vec![Span::new(
        truncate(&format!("∴ thought{size} (Ctrl-t)"), usize::from(width)),
        "agent.thinking",
    )]]
}

fn tool(call: &Call, width: u16, show: TextOptions) -> Vec<Line> {
    let (state, scope) = status(call);
    let open =
        call.result.is_some() && (show.expand_output || !matches!(call.result, Some(ResultView::Text(_))));
    let sign = if open { "▾ " } else { "▸ " };
    let head = usize::from(width).saturating_sub(text_width(&call.tool) + text_width(&state) + 5);
    let first_line = call.view.title.lines().next().unwrap_or_default();
    let title = truncate(&visible(first_line), head).into_owned();
    let gap = " ".repeat(head.saturating_sub(text_width(&title)) + 1);
    let mut lines = vec![vec![
        Span::new(sign, "agent.tool"),
        Span::new(call.tool.as_str(), "agent.tool"),
        Span::new("  ", "agent.tool.title"),
        Span::new(title, "agent.tool.title"),
        Span::new(gap, "agent.tool.title"),
        Span::new(state, scope),
    ]];
    if show.expand_output
        && let Some(body) = &call.view.body
    {
        lines.extend(indented(body.lines(), width, WHOLE_ROWS, "agent.tool.title"));
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
            indented(text.lines(), width, WHOLE_ROWS, "agent.tool.output")
        }
        Some(ResultView::Text(text)) if failed => indented(text.lines(), width, FAILURE_ROWS, "error"),
        Some(ResultView::Text(_)) => Vec::new(),
        Some(ResultView::Diff { lines, .. }) => {
            diff(lines, width, if show.expand_output { WHOLE_ROWS } else { DIFF_ROWS }, show.expand_output)
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
        let lead = [Span::new(format!("    {sign}"), scope)];
        let indent = [Span::new("      ", scope)];
        wrap(&[Span::new(item.text.as_str(), scope)], width, &lead, &indent, BreakMode::Words)
    };
    items.iter().flat_map(row).collect()
}

/// Returns lines indented below a call, the first `rows` of them.
fn indented<'a>(
    lines: impl Iterator<Item = &'a str>,
    width: u16,
    rows: usize,
    scope: &'static str,
) -> Vec<Line> {
    let indent = [Span::new("    ", scope)];
    let mut out = Vec::new();
    for line in lines {
        if out.len() >= rows {
            out.push(vec![Span::new("    … (Ctrl-o shows all)", "ui.hint")]);
            break;
        }
        let room = (rows + 1 - out.len()) * usize::from(width.max(1)) * CELL_BYTES;
        let seen = &line[..line.floor_char_boundary(room)];
        out.extend(wrap(&[Span::new(seen, scope)], width, &indent, &indent, BreakMode::Anywhere));
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
        out.push(vec![Span::new(format!("    … {earlier} lines before (Ctrl-o shows all)"), "ui.hint")]);
    }
    out.extend(indented(kept.into_iter().rev(), width, rows * 2, "agent.tool.output"));
    out
}

/// Returns the diffs of several files, within the rows allowed for one.
fn diffs(files: &[FileDiff], width: u16, show: TextOptions) -> Vec<Line> {
    let rows = if show.expand_output { WHOLE_ROWS } else { DIFF_ROWS };
    let mut out: Vec<Line> = Vec::new();
    for file in files {
        if out.len() >= rows {
            out.push(vec![Span::new("    … (Ctrl-o shows all)", "ui.hint")]);
            break;
        }
        out.extend(indented(std::iter::once(file.title.as_str()), width, 1, "agent.tool.title"));
        out.extend(diff(&file.lines, width, rows.saturating_sub(out.len()).max(1), show.expand_output));
    }
    out
}

fn diff(lines: &[Option<DiffLine>], width: u16, rows: usize, whole: bool) -> Vec<Line> {
    let numbers =
        lines.iter().flatten().map(|line| line.number).max().unwrap_or(1).max(100).ilog10() as usize + 1;
    let mut out = Vec::new();
    for line in lines {
        if out.len() >= rows {
            out.push(vec![Span::new("    … (Ctrl-o shows all)", "ui.hint")]);
            break;
        }
        let Some(line) = line else {
            out.push(vec![Span::new(format!("    {:>numbers$}", "⋮"), "diff.number")]);
            continue;
        };
        let scope = match line.sign {
            '+' => "diff.added",
            '-' => "diff.removed",
            _ => "diff",
        };
        let sign = if line.sign == '-' { '−' } else { line.sign };
        let head = [
            Span::new(format!("    {:>numbers$} ", line.number), "diff.number"),
            Span::new(format!("{sign} "), scope),
        ];
        let rest = [Span::new(" ".repeat(numbers + 7), "diff.number")];
        // In short, a line is a line; code that is wrapped is no longer read as code.
        let room = usize::from(width).saturating_sub(numbers + 7);
        let text =
            if whole { line.text.as_str().into() } else { truncate(&visible(&line.text), room).into_owned() };
        out.extend(wrap(&[Span::new(text, scope)], width, &head, &rest, BreakMode::Anywhere));
    }
    out
}
