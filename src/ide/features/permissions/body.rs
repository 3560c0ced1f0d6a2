//! What a permission request says: the whole command or the changes, where, and why it asks. Or the rule that
//! would be written. Must not know which answer is chosen.

use crate::ide::features::permissions::view::Step;
use crate::ide::features::transcript::cards::edit;
use crate::tools::contract::view::{DiffLine, FileDiff, ResultView};
use crate::tools::permissions::approval::Ask;
use crate::tui::widgets::line::{self, BreakMode, Line, Span};

/// Unchanged lines shown around changes.
const CONTEXT: usize = 1;
/// Cells before the text.
pub const MARGIN: u16 = 2;

/// The lines of a request.
#[derive(Debug, Default)]
pub struct Body {
    /// All of them.
    pub lines: Vec<Line>,
    /// How many of the first must have been on screen before the call may run.
    pub must_be_read: usize,
}

/// Returns the lines of a request in a step, wrapped for a pane of that width.
pub fn body(ask: &Ask, step: Step, cols: u16) -> Body {
    let width = cols.saturating_sub(MARGIN + 1).max(1);
    match step {
        Step::Rule => rule(ask, width),
        Step::Choose | Step::Edit | Step::Reason => request(ask, width),
    }
}

/// Style of the parts of a command with a warning, and of the warnings.
const WARNING: &str = "warning";

/// Returns the command, with the parts that have warnings marked.
fn marked_target(ask: &Ask) -> Vec<Span> {
    let target = ask.target.as_str();
    let (mut out, mut at) = (Vec::new(), 0);
    for warning in &ask.warnings {
        let (start, end) = (warning.range.start.max(at), warning.range.end);
        let (Some(plain), Some(marked)) = (target.get(at..start), target.get(start..end)) else { continue };
        out.extend([Span::new(plain, "ui.overlay"), Span::new(marked, WARNING)]);
        at = end;
    }
    out.push(Span::new(target.get(at..).unwrap_or_default(), "ui.overlay"));
    out
}

fn words(text: &str, scope: &'static str, width: u16) -> Vec<Line> {
    line::wrap(&[Span::new(text, scope)], width, &[], &[], BreakMode::Words)
}

fn request(ask: &Ask, width: u16) -> Body {
    let mut lines = line::wrap(&marked_target(ask), width, &[], &[], BreakMode::Words);
    for warning in &ask.warnings {
        let lead = [Span::new("! ", WARNING)];
        let below = [Span::new("  ", WARNING)];
        let text = [Span::new(warning.text.as_str(), WARNING)];
        lines.extend(line::wrap(&text, width, &lead, &below, BreakMode::Words));
    }
    lines.extend(ask.preview.iter().flat_map(|preview| changes(preview, width)));
    let must_be_read = lines.len();
    // If the command changes to another folder, its text shows that.
    let place = format!("in {} · {}", last_name(&ask.workspace), ask.rule);
    lines.extend(words(&place, "ui.overlay.soft", width));
    Body { lines, must_be_read }
}

fn rule(ask: &Ask, width: u16) -> Body {
    let Some(proposal) = &ask.proposal else { return Body::default() };
    let mut lines = words(proposal.rule.trim_end(), "ui.overlay", width);
    lines.extend(words(&proposal.covers, "ui.overlay.soft", width));
    let goal =
        format!("Goes to your permissions.toml, for the project {} or for all.", last_name(&ask.workspace));
    let must_be_read = lines.len();
    lines.extend(words(&goal, "ui.overlay.soft", width));
    Body { lines, must_be_read }
}

/// Returns changed lines with [`CONTEXT`] unchanged ones around them.
fn near_changes(lines: &[Option<DiffLine>]) -> Vec<Option<DiffLine>> {
    let is_changed = |line: &Option<DiffLine>| line.as_ref().is_some_and(|line| line.sign != ' ');
    let is_near = |at: usize| {
        lines[at.saturating_sub(CONTEXT)..lines.len().min(at + CONTEXT + 1)].iter().any(is_changed)
    };
    let mut out: Vec<Option<DiffLine>> = Vec::new();
    let mut is_gap = false;
    for (at, line) in lines.iter().enumerate() {
        if line.is_none() || !is_near(at) {
            is_gap = !out.is_empty();
        } else {
            out.extend(std::mem::take(&mut is_gap).then_some(None));
            out.push(line.clone());
        }
    }
    out
}

fn last_name(folder: &str) -> &str {
    folder.rsplit('/').find(|name| !name.is_empty()).unwrap_or("/")
}

/// Returns the changes as lines of a diff, with few unchanged lines: the changes must be seen in few rows.
fn changes(view: &ResultView, width: u16) -> Vec<Line> {
    let diff = |lines: &[Option<DiffLine>]| edit::whole_diff(&near_changes(lines), width);
    match view {
        ResultView::Diff { lines, .. } => diff(lines),
        ResultView::Diffs(files) => {
            let file = |file: &FileDiff| {
                let title = words(&file.title, "ui.overlay.soft", width);
                title.into_iter().chain(diff(&file.lines)).collect::<Vec<_>>()
            };
            files.iter().flat_map(file).collect()
        }
        ResultView::Text(_)
        | ResultView::Output(_)
        | ResultView::Plan(_)
        | ResultView::Hits { .. }
        | ResultView::Excerpt { .. } => Vec::new(),
    }
}
