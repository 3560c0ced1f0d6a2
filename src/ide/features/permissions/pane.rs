//! The pane of the waiting approval, between the conversation and the prompt: what would run, and the answers
//! as a list, or in narrow windows as a row of words or of keys.

use ratatui::layout::Rect;

use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::panes::{AgentPart, Focus};
use crate::ide::core::state::State;
use crate::ide::features::permissions::answers::{offered, shown};
use crate::ide::features::permissions::body::MARGIN;
use crate::ide::features::permissions::choices::Choice;
use crate::ide::features::permissions::requests::PERMISSION_REQUESTS;
use crate::ide::features::permissions::view::{APPROVAL, Step};
use crate::ide::model::prompt::wrap;
use crate::ide::model::text_area::TextArea;
use crate::text::position::{Byte, Line};
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec = PaneSpec { part: Part::Approval, layer: 0, make: || Box::new(ApprovalPane) };

/// Below this height there is no title row.
const TITLE_ROWS_MIN: u16 = 4;
/// Rows of the request that answers in their usual form must leave, if it has so many.
const BODY_ROWS: usize = 3;
/// Rows that answers of one word must leave.
const BODY_ROWS_MIN: usize = 1;
/// Rows of a typed text with its caption, if there is room.
const TEXT_ROWS_MIN: usize = 2;
/// Rows of a window from which the parts of the pane are set apart.
const SPACIOUS_ROWS: u16 = 30;
/// Columns in which no two lines of a diff stand side by side.
const STACKED_COLS: u16 = 100;
/// Cells between answers in one row.
const GAP: usize = 2;

struct ApprovalPane;

/// An answer on the screen.
struct Placed {
    /// Its index.
    at: usize,
    x: u16,
    /// Row among those of the answers.
    y: u16,
    key: String,
    label: String,
}

impl Placed {
    fn width(&self) -> usize {
        text_width(&self.key) + text_width(&self.label) + usize::from(!self.label.is_empty())
    }
}

/// How the rows of the pane are used, from the top.
struct Layout {
    title: bool,
    /// Rows of the request.
    body: usize,
    /// Rows below it.
    bottom: u16,
    /// The answers; empty while a text is typed.
    answers: Vec<Placed>,
}

/// Returns the number of rows wanted in a pane of that width, 0 if no call waits.
pub fn rows_needed(state: &State, cols: u16) -> u16 {
    let Some((id, ask)) = shown(state) else { return 0 };
    let view = &state.slots[APPROVAL];
    let bottom = match &state.approval_text {
        Some(area) => text_rows(area, cols).len() + 2,
        None => offered(state).len(),
    };
    let body = view.body(id, ask, body_cols(state, cols)).lines.len();
    // A blank row sets the answers apart, where there is room.
    let gap = usize::from(state.size.1 >= SPACIOUS_ROWS);
    (1 + body + gap + bottom).min(usize::from(u16::MAX)) as u16
}

/// Returns the rows of the request on screen.
pub fn body_rows(state: &State) -> usize {
    let Some(area) = state.areas.approval else { return 0 };
    layout(state, (area.width, area.height)).body
}

/// Returns the first line shown when the request is scrolled to its end.
pub fn last_top(state: &State) -> usize {
    let (Some(area), Some((id, ask))) = (state.areas.approval, shown(state)) else { return usize::MAX };
    let lines = state.slots[APPROVAL].body(id, ask, body_cols(state, area.width)).lines.len();
    lines.saturating_sub(body_rows(state))
}

/// Returns whether all that must be read has been on screen, at the scroll position as it is.
pub fn is_end_visible(state: &State) -> bool {
    let (Some(area), Some((id, ask))) = (state.areas.approval, shown(state)) else { return false };
    let view = &state.slots[APPROVAL];
    let (rows, must_be_read) =
        (body_rows(state), view.body(id, ask, body_cols(state, area.width)).must_be_read);
    must_be_read == 0 || rows > 0 && view.top + rows >= must_be_read
}

/// Returns the index of the answer at a cell of the pane.
pub fn choice_at(state: &State, x: u16, y: u16) -> Option<usize> {
    let area = state.areas.approval?;
    let layout = layout(state, (area.width, area.height));
    let first = area.height.saturating_sub(layout.bottom);
    let is_there = |placed: &&Placed| {
        let end = usize::from(placed.x) + placed.width();
        first + placed.y == y && (placed.x <= x && usize::from(x) < end)
    };
    layout.answers.iter().find(is_there).map(|placed| placed.at)
}

/// Divides a pane of that size.
fn layout(state: &State, (cols, rows): (u16, u16)) -> Layout {
    let title = rows >= TITLE_ROWS_MIN;
    let inner = usize::from(rows) - usize::from(title);
    let lines = shown(state)
        .map_or(0, |(id, ask)| state.slots[APPROVAL].body(id, ask, body_cols(state, cols)).lines.len());
    if let Some(area) = &state.approval_text {
        let wanted = text_rows(area, cols).len() + 2;
        let beside = inner.saturating_sub(lines.min(BODY_ROWS)).max(TEXT_ROWS_MIN);
        let bottom = wanted.min(beside).min(inner.saturating_sub(1).max(1));
        return Layout { title, body: inner - bottom, bottom: bottom as u16, answers: Vec::new() };
    }
    let choices = offered(state);
    let beside = |keep: usize| inner.saturating_sub(lines.min(keep));
    let room = usize::from(cols.saturating_sub(MARGIN + 1));
    let words = |name: fn(&Choice) -> &str| in_rows(state, &choices, room, name);
    let count = |placed: &[Placed]| placed.last().map_or(0, |last| usize::from(last.y) + 1);
    let answers = if choices.len() <= beside(BODY_ROWS) {
        as_list(state, &choices, room)
    } else {
        let fitting = |placed: Vec<Placed>, keep| (count(&placed) <= beside(keep)).then_some(placed);
        fitting(words(|choice| &choice.label), BODY_ROWS)
            .or_else(|| fitting(words(|choice| choice.short), BODY_ROWS_MIN))
            .unwrap_or_else(|| in_rows(state, &choices, usize::MAX, |_| ""))
    };
    let bottom = count(&answers).min(inner);
    Layout { title, body: inner - bottom, bottom: bottom as u16, answers }
}

fn key_of(state: &State, choice: &Choice) -> String {
    state.keymap.keys_for(KeyContext::Approval, choice.answer.command()).unwrap_or_default()
}

fn as_list(state: &State, choices: &[Choice], room: usize) -> Vec<Placed> {
    let place = |(at, choice): (usize, &Choice)| {
        let key = key_of(state, choice);
        let label = truncate(&choice.label, room.saturating_sub(text_width(&key) + 1)).to_string();
        Placed { at, x: MARGIN, y: at as u16, key, label }
    };
    choices.iter().enumerate().map(place).collect()
}

/// Places the answers beside each other, with as many in a row as fit into `room` cells.
fn in_rows(state: &State, choices: &[Choice], room: usize, name: fn(&Choice) -> &str) -> Vec<Placed> {
    let (mut x, mut y) = (0, 0);
    let mut out: Vec<Placed> = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        let placed = Placed { at, x: 0, y: 0, key: key_of(state, choice), label: name(choice).to_string() };
        let width = placed.width();
        if x > 0 && x + width > room {
            (x, y) = (0, y + 1);
        }
        let gap = if placed.label.is_empty() { 1 } else { GAP };
        out.push(Placed { x: MARGIN.saturating_add(x as u16), y, ..placed });
        x += width + gap;
    }
    out
}

/// Returns the columns of the text: for screen readers so few that no two lines stand side by side.
fn body_cols(state: &State, cols: u16) -> u16 {
    if state.is_accessible() { cols.min(STACKED_COLS) } else { cols }
}

/// Returns start and end of the rows of a typed text.
fn text_rows(area: &TextArea, cols: u16) -> Vec<(Byte, Byte)> {
    let text = area.text();
    let room = usize::from(cols.saturating_sub(MARGIN + 1)).max(1);
    let mut rows = Vec::new();
    for line in (0..text.line_count()).map(Line) {
        wrap(text, text.line_start(line)..text.line_end(line), room, &mut rows);
    }
    rows
}

impl Component<State> for ApprovalPane {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, rows) = canvas.size();
        let ground = canvas.style("ui.overlay");
        canvas.fill(Rect::new(0, 0, cols, rows), ground);
        let Some((id, ask)) = shown(state) else { return };
        let view = &state.slots[APPROVAL];
        view.drawn.set(Some((id, view.step)));
        let layout = layout(state, (cols, rows));
        let body = view.body(id, ask, body_cols(state, cols));
        let lines = &body.lines;
        let top = view.top.min(lines.len().saturating_sub(layout.body));
        let hidden = lines.len().saturating_sub(top + layout.body);
        let first = u16::from(layout.title);
        for (line, y) in lines.iter().skip(top).take(layout.body).zip(first..) {
            let mut x = MARGIN;
            for span in line {
                let style = canvas.style(span.scope);
                // What runs is shown with all of its characters.
                x = canvas.content(x, y, &span.text, ground.patch(style));
            }
        }
        if layout.title {
            draw_title(canvas, state, &ask.tool, hidden);
        } else if hidden > 0 {
            let more = format!(" ▼ {hidden} ");
            let x = cols.saturating_sub(text_width(&more) as u16);
            let style = canvas.style("ui.overlay.title");
            canvas.text(x, rows.saturating_sub(1), &more, style);
        }
        let below = rows.saturating_sub(layout.bottom);
        match &state.approval_text {
            Some(area) => draw_text(canvas, state, area, below),
            None => draw_answers(canvas, state, &layout.answers, below),
        }
    }

    fn cursor(&self, (cols, rows): (u16, u16), state: &State) -> Option<(u16, u16)> {
        let area = state.approval_text.as_ref()?;
        let below = rows.saturating_sub(layout(state, (cols, rows)).bottom);
        let (shown, first) = visible_text(area, cols, rows.saturating_sub(below));
        let head = area.selection.primary().head;
        let row = row_of(&shown, head);
        let x = text_width(&area.text().slice(shown[row].0..head)) as u16 + MARGIN;
        let y = below + u16::from(rows.saturating_sub(below) > 1) + (row - first) as u16;
        (y < rows).then_some((x.min(cols.saturating_sub(1)), y))
    }
}

fn row_of(rows: &[(Byte, Byte)], at: Byte) -> usize {
    rows.iter().rposition(|(start, _)| *start <= at).unwrap_or(0)
}

/// Returns the rows of a typed text, and the first of them shown in so many rows with a caption and a hint.
fn visible_text(area: &TextArea, cols: u16, rows: u16) -> (Vec<(Byte, Byte)>, usize) {
    let all = text_rows(area, cols);
    let room = usize::from(rows.saturating_sub(2)).max(1);
    let caret = row_of(&all, area.selection.primary().head);
    (all, (caret + 1).saturating_sub(room))
}

/// Draws the title row: what asks, how many wait, and which keys answer.
fn draw_title(canvas: &mut Canvas<'_>, state: &State, tool: &str, hidden: usize) {
    let (cols, _) = canvas.size();
    let border = canvas.style("ui.overlay.border");
    let head = canvas.style("ui.overlay.title").patch(canvas.style("warning"));
    canvas.text(0, 0, &"─".repeat(usize::from(cols)), border);
    let title = match state.slots[APPROVAL].step {
        Step::Rule => "Always allow: this rule is added".to_string(),
        _ => format!("{tool} wants to run"),
    };
    let waiting = state.slots[PERMISSION_REQUESTS].len();
    let count = (waiting > 1).then(|| format!("1 of {waiting}"));
    let more = (hidden > 0).then(|| format!("▼ {hidden} more"));
    let room = usize::from(cols).saturating_sub(4);
    let end = canvas.text(1, 0, &format!(" {} ", truncate(&title, room)), head);
    let left = usize::from(cols.saturating_sub(end + 2)).saturating_sub(GAP);
    let beside: Vec<String> = more.into_iter().chain(count).collect();
    let is_answering = state.panes.focus == Focus::Agent && state.panes.agent_part == AgentPart::Approval;
    if let Some(right) = fitting_hint(&beside, &keys_hint(state), is_answering, left) {
        canvas.text(cols.saturating_sub(text_width(&right) as u16 + 3), 0, &format!(" {right} "), border);
    }
}

/// Returns what fits into `room` cells of what is hidden or waits, and of the keys, whose longest text is the first.
/// Who answers must know what is hidden; to others the way there comes first.
fn fitting_hint(beside: &[String], keys: &[String], is_answering: bool, room: usize) -> Option<String> {
    let counts = || (0..=beside.len()).rev();
    let text = |count: usize, key: Option<&String>| {
        let text = beside[..count].iter().chain(key).map(String::as_str).collect::<Vec<_>>().join(" · ");
        (!text.is_empty() && text_width(&text) <= room).then_some(text)
    };
    let with_keys = || keys.iter().find_map(|key| counts().find_map(|count| text(count, Some(key))));
    let without = || counts().find_map(|count| text(count, None));
    if is_answering {
        text(beside.len(), keys.first()).or_else(without).or_else(with_keys)
    } else {
        with_keys().or_else(without)
    }
}

/// Returns which keys lead to an answer from where the keys go now; the longest text first.
fn keys_hint(state: &State) -> Vec<String> {
    let key = |context, id| state.keymap.keys_for(context, id);
    let text = |keys: Option<String>, verb: &str| keys.map(|keys| format!("{keys} {verb}"));
    let view = &state.slots[APPROVAL];
    let texts = match (state.panes.focus, state.panes.agent_part) {
        (Focus::Agent, AgentPart::Approval) if view.step == Step::Choose => {
            [text(key(KeyContext::Approval, "view.focus-agent"), "leaves"), None]
        }
        (Focus::Agent, AgentPart::Approval) => [None, None],
        (Focus::Agent, AgentPart::Prompt) if view.held.is_some() => {
            [Some("type on to steer".to_string()), None]
        }
        // From an empty prompt and from a written one. Not told apart: typing does not redraw this row.
        (Focus::Agent, AgentPart::Prompt) => {
            let [empty, written] = ["prompt.leave", "view.focus-agent"].map(|id| key(KeyContext::Prompt, id));
            let both =
                empty.as_ref().zip(written.as_ref()).map(|(empty, written)| format!("{empty} or {written}"));
            [text(both, "chooses"), text(written, "chooses")]
        }
        // The key of all places: what a modal map is waiting for does not redraw this row.
        (focus, _) => {
            let context = if focus == Focus::Terminal { KeyContext::Terminal } else { KeyContext::Global };
            [text(key(context, "view.focus-agent"), "goes there"), None]
        }
    };
    texts.into_iter().flatten().collect()
}

fn draw_answers(canvas: &mut Canvas<'_>, state: &State, answers: &[Placed], top: u16) {
    let (cols, rows) = canvas.size();
    let ground = canvas.style("ui.overlay");
    let key = ground.patch(canvas.style("ui.key"));
    let view = &state.slots[APPROVAL];
    let has_keys = state.panes.is_agent_focused(AgentPart::Approval);
    let held =
        view.held.and_then(|held| offered(state).iter().position(|choice| choice.answer == held.answer));
    let is_list = answers.last().is_some_and(|last| usize::from(last.y) + 1 == answers.len());
    for placed in answers {
        let y = top + placed.y;
        if y >= rows {
            break;
        }
        let is_selected = held.map_or(has_keys && placed.at == view.selected, |at| at == placed.at);
        let end = canvas.text(placed.x, y, &placed.key, key);
        let end = if placed.label.is_empty() { end } else { canvas.text(end + 1, y, &placed.label, ground) };
        if !is_selected {
            continue;
        }
        let style = canvas.style("ui.row");
        if is_list {
            canvas.text(0, y, "▸", key);
            canvas.select_row(Rect::new(0, y, cols, 1), style);
        } else {
            canvas.put_style(Rect::new(placed.x, y, end.saturating_sub(placed.x), 1), style);
            canvas.place_caret(placed.x, y);
        }
    }
}

/// Draws the text that is typed, with a caption and the keys.
fn draw_text(canvas: &mut Canvas<'_>, state: &State, area: &TextArea, top: u16) {
    let (cols, rows) = canvas.size();
    let (ground, soft) = (canvas.style("ui.overlay"), canvas.style("ui.overlay.soft"));
    let (caption, verb) = match state.slots[APPROVAL].step {
        Step::Edit => ("Run this instead:", "runs"),
        _ => ("Reason for the model:", "denies"),
    };
    let room = usize::from(cols.saturating_sub(MARGIN + 1));
    let height = rows.saturating_sub(top);
    let caption_rows = u16::from(height > 1);
    if caption_rows > 0 {
        canvas.text(MARGIN, top, &truncate(caption, room), soft);
    }
    let (all, first) = visible_text(area, cols, height);
    let selection = canvas.style("ui.selection");
    let last = rows.saturating_sub(u16::from(height > 2));
    for ((start, end), y) in all.iter().skip(first).zip(top + caption_rows..last) {
        canvas.text(0, y, "┃", canvas.style("ui.overlay.title"));
        canvas.content(MARGIN, y, &area.text().slice(*start..*end).replace('\t', " "), ground);
        for range in area.selection.ranges() {
            let (from, to) = (range.start().clamp(*start, *end), range.end().clamp(*start, *end));
            if from < to {
                let x = |at| MARGIN + text_width(&area.text().slice(*start..at)) as u16;
                canvas.put_style(Rect::new(x(from), y, x(to) - x(from), 1), selection);
            }
        }
    }
    if height > 2 {
        let key = |id| state.keymap.keys_for(KeyContext::ApprovalText, id).unwrap_or_default();
        let hint = format!("{} {verb} · {} back", key("approval.choose"), key("app.escape"));
        canvas.text(MARGIN, rows - 1, &truncate(&hint, room), soft);
    }
}
