//! The pane of the agent's prompt: queued messages, completions of the word at the caret, and the text.

use ratatui::layout::Rect;
use unicode_segmentation::UnicodeSegmentation;

use crate::base::width::{text_width, truncate, truncate_parts};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::{AgentPart, Focus};
use crate::ide::core::state::State;
use crate::ide::features::permissions::view::{APPROVAL, Step};
use crate::ide::features::prompt::mouse::PROMPT_MOUSE;
use crate::ide::features::prompt::previews;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::{agents, edited_turn};
use crate::ide::model::completion::{Completion, CompletionRow, ROWS_SHOWN};
use crate::text::position::Byte;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Prompt, layer: 0, make: || Box::new(PromptPane) };

/// Maximum number of rows without completions.
const ROWS_MAX: usize = 8;
/// Maximum number of queued messages shown.
const QUEUE_ROWS: usize = 3;
/// Cells before the text.
const MARGIN: u16 = 2;
/// Cells of the label that a screen reader reads above the text.
const LABEL_COLS: u16 = 8;
/// Minimum cells between a completion and its description.
const DETAIL_GAP: usize = 2;

struct PromptPane;

/// How the rows of the pane are used, from the top.
struct Layout {
    /// Whether there is a line above everything.
    ruler: bool,
    /// Whether there is a line with the agent's plan.
    plan: bool,
    /// Number of queued messages.
    queue: usize,
    /// Number of completions.
    completions: usize,
    /// Number of rows of pictures.
    previews: u16,
    /// Index of the first row shown of the text.
    first: usize,
}

/// Returns the number of rows wanted in a pane of that width.
pub fn rows_needed(state: &State, cols: u16) -> u16 {
    let queue = queue_len(state).min(QUEUE_ROWS);
    let plan = usize::from(plan(state).is_some());
    let text = state.prompt.rows(text_cols(cols)).len();
    ((1 + plan + queue + text).min(ROWS_MAX) + completions_len(state)) as u16 + previews::rows(state)
}

/// Returns the agent's plan in a line, while steps of it are unfinished.
fn plan(state: &State) -> Option<&str> {
    state.slots[TRANSCRIPT].active_plan()
}

fn queue_len(state: &State) -> usize {
    state.agent.steering.len() + state.agent.follow_up.len()
}

fn completions_len(state: &State) -> usize {
    let open = state.prompt.completion.open.as_ref().filter(|_| state.prompt.is_completing());
    open.map_or(0, |open| open.rows.len().min(ROWS_SHOWN))
}

fn text_cols(cols: u16) -> usize {
    usize::from(cols.saturating_sub(MARGIN + 1)).max(1)
}

/// The row of an offset among wrapped rows.
fn row_of(rows: &[(Byte, Byte)], at: Byte) -> usize {
    rows.iter().rposition(|(start, _)| *start <= at).unwrap_or(0)
}

/// Divides a pane of that height: a row of the text first, then completions, then the queue, then the plan, then
/// pictures.
fn layout(state: &State, height: u16, rows: &[(Byte, Byte)]) -> Layout {
    // In two rows the completions stand in place of the line.
    let ruler = height > 2 || height == 2 && completions_len(state) == 0;
    let room = usize::from(height).saturating_sub(usize::from(ruler) + 1);
    let completions = completions_len(state).min(room);
    let queue = queue_len(state).min(QUEUE_ROWS).min(room - completions);
    let plan = plan(state).is_some() && room > completions + queue;
    let used = completions + queue + usize::from(plan);
    let previews = match previews::rows(state) {
        rows if room - used >= usize::from(rows) => rows,
        _ => 0,
    };
    let text_rows = room + 1 - used - usize::from(previews);
    let caret = row_of(rows, state.prompt.area.selection.primary().head);
    let last_first = (caret + 1).saturating_sub(text_rows);
    let held = state.slots[PROMPT_MOUSE].first_row(state.prompt.revision());
    let first = held.map_or(last_first, |first| first.clamp(last_first, caret));
    Layout { ruler, plan, queue, completions, previews, first }
}

/// Returns the position in the text at a column and a row of the pane of that size, and the first row of the text
/// on screen. Rows above and below the text are those of its first and last row on screen, or with `is_dragged`
/// the next ones that are not; a press there has no position.
pub fn position_at(
    state: &State,
    (cols, height): (u16, u16),
    (column, row): (u16, i32),
    is_dragged: bool,
) -> Option<(Byte, usize)> {
    let rows = state.prompt.rows(text_cols(cols));
    let layout = layout(state, height, &rows);
    let above = layout.above();
    let y = row - above as i32;
    if !is_dragged && y < 0 {
        return None;
    }
    let shown = usize::from(height).saturating_sub(above).max(1);
    // One row beyond what is on screen.
    let y = y.clamp(-1, shown as i32);
    let at = layout.first.saturating_add_signed(y as isize).min(rows.len().saturating_sub(1));
    let (start, end) = *rows.get(at)?;
    let goes_on = rows.get(at + 1).is_some_and(|(next, _)| *next == end);
    let column = usize::from(column.saturating_sub(MARGIN));
    Some((state.prompt.at_column(start..end, column, goes_on), layout.first))
}

impl Layout {
    /// Returns the number of rows above the text.
    fn above(&self) -> usize {
        let rows = usize::from(self.ruler) + usize::from(self.plan) + usize::from(self.previews);
        rows + self.queue + self.completions
    }
}

impl Component<State> for PromptPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, height) = canvas.size();
        let rows = state.prompt.rows(text_cols(cols));
        let layout = layout(state, height, &rows);
        let focused = state.panes.is_agent_focused(AgentPart::Prompt);
        let mut y = 0;
        if layout.ruler {
            let style = canvas.style(if focused { "ui.border.focus" } else { "ui.border" });
            if canvas.is_accessible() {
                canvas.text(0, 0, "Message:", style);
            } else {
                canvas.text(0, 0, &"─".repeat(usize::from(cols)), style);
            }
            draw_edited(canvas, state);
            draw_ruler_end(canvas, state);
            y = 1;
        }
        if layout.plan {
            let style = canvas.style("agent.tool");
            let line = truncate(plan(state).unwrap_or_default(), text_cols(cols));
            canvas.text(MARGIN, y, &line, style);
            y += 1;
        }
        draw_queue(canvas, state, y, layout.queue);
        y += layout.queue as u16;
        if let Some(open) = &state.prompt.completion.open {
            draw_completions(canvas, open, y, layout.completions);
        }
        y += layout.completions as u16;
        if layout.previews > 0 {
            previews::draw(canvas, state, (MARGIN, y));
        }
        y += layout.previews;
        draw_text(canvas, state, y, &rows[layout.first..]);
    }

    fn cursor(&self, (cols, height): (u16, u16), state: &State) -> Option<(u16, u16)> {
        let area = &state.prompt.area;
        let rows = state.prompt.rows(text_cols(cols));
        let layout = layout(state, height, &rows);
        let head = area.selection.primary().head;
        let row = row_of(&rows, head);
        let x = text_width(&state.prompt.shown(rows[row].0..head).0) as u16 + MARGIN;
        let y = layout.above() as u16 + (row - layout.first) as u16;
        (y < height).then_some((x.min(cols.saturating_sub(1)), y))
    }
}

/// Says on the line above that a sent message is edited.
fn draw_edited(canvas: &mut Canvas<'_>, state: &State) {
    if !edited_turn::is_editing(state) {
        return;
    }
    let key = state.keymap.keys_for(KeyContext::Prompt, "app.escape");
    let cancels = key.map(|key| format!(" · {key} cancels")).unwrap_or_default();
    let style = canvas.style("ui.key");
    let (cols, _) = canvas.size();
    let x = if canvas.is_accessible() { LABEL_COLS } else { MARGIN };
    canvas.text(x, 0, &truncate(&format!(" editing a sent message{cancels} "), text_cols(cols)), style);
}

/// Says at the end of the line above which completion is selected, or that the conversation goes on below.
fn draw_ruler_end(canvas: &mut Canvas<'_>, state: &State) {
    let (cols, _) = canvas.size();
    let open = state.prompt.completion.open.as_ref().filter(|_| state.prompt.is_completing());
    let texts = match open {
        Some(open) if open.rows.len() > ROWS_SHOWN => {
            vec![format!(" {}/{} ", open.selected + 1, open.rows.len())]
        }
        Some(_) => return,
        None if agents::shown(&state.slots).1.borrow().is_at_tail() => return,
        None => {
            let key = state.keymap.keys_for(KeyContext::Prompt, "transcript.bottom").unwrap_or_default();
            vec![format!(" ▼ more below · {key} "), format!(" ▼ {key} "), " ▼ ".to_string()]
        }
    };
    let style = canvas.style("ui.key");
    let label = if canvas.is_accessible() { LABEL_COLS } else { MARGIN };
    let taken = if edited_turn::is_editing(state) { cols / 2 } else { label };
    let fits = |text: &&String| text_width(text) + usize::from(taken) < usize::from(cols);
    if let Some(text) = texts.iter().find(fits) {
        canvas.text(cols - text_width(text) as u16 - 1, 0, text, style);
    }
}

/// Draws the first queued messages, with the point of their delivery; the last row counts the others.
fn draw_queue(canvas: &mut Canvas<'_>, state: &State, y: u16, count: usize) {
    let (cols, _) = canvas.size();
    let style = canvas.style("agent.queued");
    let steering = state.agent.steering.iter().map(|text| ("next", text));
    let follow_up = state.agent.follow_up.iter().map(|text| ("later", text));
    let hidden = queue_len(state) - count;
    for (n, (label, text)) in steering.chain(follow_up).take(count).enumerate() {
        let more = if n + 1 == count && hidden > 0 { format!("  +{hidden} more") } else { String::new() };
        let room = text_cols(cols).saturating_sub(text_width(&more));
        let line = format!("{label:<5}  {}", text.replace('\n', " "));
        let x = canvas.text(MARGIN, y + n as u16, &truncate(&line, room), style);
        canvas.text(x, y + n as u16, &more, style);
    }
}

fn draw_completions(canvas: &mut Canvas<'_>, open: &Completion, y: u16, height: usize) {
    if height == 0 {
        return;
    }
    let (first, shown) = open.shown(height);
    let widest = shown.iter().map(|row| text_width(&row.text)).max().unwrap_or(0);
    for (n, row) in shown.iter().enumerate() {
        draw_completion(canvas, row, y + n as u16, (widest, first + n == open.selected));
    }
}

/// Draws one completion; `widest` is the width of the widest one on screen.
fn draw_completion(
    canvas: &mut Canvas<'_>,
    row: &CompletionRow,
    y: u16,
    (widest, is_selected): (usize, bool),
) {
    let (cols, _) = canvas.size();
    let (plain, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.faint"));
    canvas.fill(Rect::new(0, y, cols, 1), plain);
    canvas.text(0, y, if is_selected { "▸" } else { " " }, plain);
    let room = text_cols(cols);
    let text = truncate(&row.text, room);
    let end = canvas.text(MARGIN, y, &text, plain);
    let marked = canvas.style("ui.overlay.title");
    let mut x = MARGIN;
    for (n, grapheme) in text.graphemes(true).enumerate() {
        let width = text_width(grapheme) as u16;
        if row.matched.contains(&(n as u32)) {
            canvas.put_style(Rect::new(x, y, width, 1), marked);
        }
        x += width;
    }
    let column = (usize::from(MARGIN) + widest + DETAIL_GAP).max(usize::from(end) + DETAIL_GAP);
    let room = usize::from(cols).saturating_sub(column + 1);
    if room > DETAIL_GAP {
        canvas.text(column as u16, y, &truncate(&row.detail, room), soft);
    }
    if is_selected {
        let style = canvas.style("ui.row");
        canvas.select_row(Rect::new(0, y, cols, 1), style);
    }
}

/// Draws rows of the text with the selection; in an empty prompt what can be done.
fn draw_text(canvas: &mut Canvas<'_>, state: &State, top: u16, rows: &[(Byte, Byte)]) {
    let (cols, height) = canvas.size();
    let focused = state.panes.is_agent_focused(AgentPart::Prompt);
    let sign = canvas.style(if focused { "ui.prompt" } else { "ui.border" });
    let area = &state.prompt.area;
    if area.text().is_empty() {
        let style = canvas.style("ui.placeholder");
        canvas.text(MARGIN, top, &truncate_parts(&placeholder(state), " · ", text_cols(cols)), style);
    }
    let (style, selected) = (canvas.style("ui.input"), canvas.style("ui.selection"));
    let paste = canvas.style("ui.key");
    for ((start, end), y) in rows.iter().zip(top..height) {
        canvas.text(0, y, "┃", sign);
        let (shown, labels) = state.prompt.shown(*start..*end);
        canvas.content(MARGIN, y, &shown, style);
        for (x, width) in labels {
            canvas.put_style(Rect::new(MARGIN + x as u16, y, width as u16, 1), paste);
        }
        for range in area.selection.ranges() {
            let (from, to) = (range.start().clamp(*start, *end), range.end().clamp(*start, *end));
            if from < to {
                let x = |at| MARGIN + text_width(&state.prompt.shown(*start..at).0) as u16;
                canvas.put_style(Rect::new(x(from), y, x(to) - x(from), 1), selected);
            }
        }
    }
}

/// Returns what can be done in an empty prompt.
fn placeholder(state: &State) -> String {
    let key = |command| state.keymap.keys_for(KeyContext::Prompt, command).unwrap_or_default();
    if state.panes.is_agent_focused(AgentPart::Approval) {
        if state.slots[APPROVAL].step != Step::Choose {
            return String::new();
        }
        let key = |command| state.keymap.keys_for(KeyContext::Approval, command).unwrap_or_default();
        let (deny, leave) = (key("app.escape"), key("view.focus-agent"));
        return format!("Enter answers · {deny} denies · {leave} goes back to the message");
    }
    match (state.agent.connected, state.agent.working_since) {
        (false, _) => "Starting…".to_string(),
        (true, Some(_)) => {
            let (send, queue, stop) = (key("agent.send"), key("agent.follow-up"), key("app.escape"));
            format!("{stop} stops · {send} steers · {queue} queues")
        }
        (true, None) if queue_len(state) > 0 => {
            format!("{} takes the queued messages back · the next message sends them", key("agent.dequeue"))
        }
        (true, None) => {
            let key = key_that_leads_here(state).map_or(String::new(), |key| format!(" ({key})"));
            format!("Ask anything{key} · / commands · @ files · ! shell")
        }
    }
}

/// Returns the key that gives the prompt the keys, where another pane has them. Modes of the editor do not change it.
fn key_that_leads_here(state: &State) -> Option<String> {
    let context = match state.panes.focus {
        Focus::Agent => return None,
        Focus::Editor => KeyContext::Editor,
        Focus::Files | Focus::SessionTree | Focus::Terminal => state.base_key_context(),
    };
    state.keymap.keys_for(context, "view.focus-agent")
}
