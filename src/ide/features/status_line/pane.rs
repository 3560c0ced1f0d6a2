//! The pane of the status line: cursor position, activity and cost of the agent, the next useful key.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate};
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::{KeyContext, ModalStyle};
use crate::ide::core::keys::pending_char::PendingChar;
use crate::ide::core::pane::PaneSpec;
use crate::ide::core::state::State;
use crate::ide::features::permissions::answers;
use crate::ide::features::review::state::REVIEW;
use crate::ide::model::agent::{is_demo, thousands};
use crate::ide::model::buffers::Buffer;
use crate::llm::model::{Model, Thinking};
use crate::text::file_format::encoding::Encoding;
use crate::tools::permissions::policy::Mode;
use crate::tui::canvas::Canvas;
use crate::tui::tree::Component;

/// The table's row.
pub const PANE: PaneSpec =
    PaneSpec { part: Part::Status, layer: 0, make: || Box::new(StatusLine::default()) };

/// Frames of the activity indicator while the agent works.
pub const SIGNS: [&str; 4] = ["◐", "◓", "◑", "◒"];

/// Cells between the left and the right part, and at the edges.
const PARTS_GAP: usize = 5;
/// Usual maximum bytes of the left part.
const LEFT_USUAL: usize = 64;

/// Cache of the status line: it is drawn with every key, but changes little.
#[derive(Default)]
struct StatusLine {
    /// The right part, its width in cells, and what it was computed from.
    right: Option<(String, u16, RightInputs)>,
    /// A file, and its name.
    cached_name: (PathBuf, String),
}

/// All input of the right part.
struct RightInputs {
    cols: usize,
    /// Cells that the left part leaves.
    room: usize,
    sign: Option<&'static str>,
    /// A call that waits for approval where that is not on screen, and the key that leads there.
    asks: Option<String>,
    summarizing: Option<&'static str>,
    /// The key that ends the zoom of a pane, if one is zoomed.
    zoomed: Option<String>,
    approval_mode: Mode,
    model: Option<Arc<Model>>,
    thinking: Thinking,
    context_tokens: u64,
    /// Dollars.
    cost: f64,
}

impl RightInputs {
    fn of(state: &State, cols: usize, left: usize) -> Self {
        let agent = &state.agent;
        Self {
            cols,
            room: cols.saturating_sub(left + PARTS_GAP).max(cols / 2),
            asks: hidden_request(state),
            sign: agent.working_since.map(|_| SIGNS[agent.spinner_frame % SIGNS.len()]),
            summarizing: agent.summarizing.map(|summing| summing.what),
            zoomed: state.panes.is_zoomed().then(|| zoom_key(state)),
            approval_mode: agent.approval_mode,
            model: agent.model.clone(),
            thinking: agent.thinking,
            context_tokens: agent.context_tokens,
            cost: agent.usage.cost.total,
        }
    }
}

impl PartialEq for RightInputs {
    fn eq(&self, other: &Self) -> bool {
        let flags =
            |inputs: &Self| (inputs.cols, inputs.room, inputs.sign, inputs.summarizing, inputs.approval_mode);
        let counts = |inputs: &Self| (inputs.thinking, inputs.context_tokens, inputs.cost.to_bits());
        let model = |inputs: &Self| inputs.model.as_ref().map(Arc::as_ptr);
        flags(self) == flags(other)
            && (&self.asks, &self.zoomed) == (&other.asks, &other.zoomed)
            && counts(self) == counts(other)
            && model(self) == model(other)
    }
}

impl Component<State> for StatusLine {
    fn draw(&mut self, canvas: &mut Canvas<'_>, state: &State) {
        let (cols, _) = canvas.size();
        let ground = canvas.style("ui.status");
        canvas.fill(Rect::new(0, 0, cols, 1), ground);
        let (left_text, scope) = self.left(state);
        let (right, right_width) = self.right(state, usize::from(cols), text_width(&left_text));
        let left_room = usize::from(cols.saturating_sub(if right.is_empty() { 2 } else { right_width + 3 }));
        let style = canvas.style(scope);
        canvas.text(1, 0, &truncate(&left_text, left_room), style);
        canvas.text(cols.saturating_sub(right_width + 1), 0, right, ground);
    }
}

impl StatusLine {
    /// Returns the right part and its width in cells.
    fn right(&mut self, state: &State, cols: usize, left: usize) -> (&str, u16) {
        let inputs = RightInputs::of(state, cols, left);
        if self.right.as_ref().is_none_or(|(.., known)| *known != inputs) {
            let text = right(&inputs);
            let width = text_width(&text) as u16;
            self.right = Some((text, width, inputs));
        }
        self.right.as_ref().map_or(("", 0), |(text, width, _)| (text, *width))
    }

    fn name(&mut self, buffer: &Buffer) -> Cow<'_, str> {
        let usual = buffer.results.is_none() && buffer.builtin.is_none();
        let Some(path) = buffer.path.as_deref().filter(|_| usual) else { return buffer.name().into() };
        if self.cached_name.0.as_os_str() != path.as_os_str() {
            self.cached_name = (path.to_path_buf(), buffer.name());
        }
        Cow::Borrowed(&self.cached_name.1)
    }

    /// Returns the left part: the key that is waited for, or the cursor position.
    fn left(&mut self, state: &State) -> (String, &'static str) {
        if !state.pending.is_empty() {
            let keys: Vec<String> = state.pending.iter().map(ToString::to_string).collect();
            return (format!("{} …", keys.join(" ")), "ui.status.focus");
        }
        if state.asks_for_key() && !state.status.message.is_empty() {
            return (state.status.message.clone(), "ui.status.focus");
        }
        if state.key_context() == KeyContext::Terminal {
            return (terminal_keys(state), "ui.status");
        }
        if state.key_context() == KeyContext::Transcript {
            return (transcript_keys(state), "ui.status");
        }
        if state.areas.editor.is_none() {
            // Wider windows name the model at the right.
            let model =
                state.agent.model.as_ref().filter(|_| state.size.0 < 40).map(|model| model.name.clone());
            return (model.or_else(|| to_review(state)).unwrap_or_default(), "ui.status");
        }
        let Some(buffer) = state.buffers.current() else {
            return (to_review(state).unwrap_or_default(), "ui.status");
        };
        // The colors of the caret's line: drawing a typed character then changes no color.
        (self.text_status(state, buffer), "ui.status.place")
    }

    /// Returns the mode, name and cursor position of the focused text, and what is unusual about it.
    fn text_status(&mut self, state: &State, buffer: &Buffer) -> String {
        let (line, column) = buffer.cursor(state.text_options.tab_width);
        let mut text = String::with_capacity(LEFT_USUAL);
        text.push_str(&self.name(buffer));
        let place = [(' ', line.0 + 1), (':', column.0 + 1)];
        // An image has neither.
        for (before, number) in place.into_iter().filter(|_| !buffer.is_image) {
            text.push(before);
            text.push_str(&number.to_string());
        }
        let modes = state.keymap.modal_style();
        if modes != ModalStyle::None {
            text.insert_str(0, &format!("{} ", state.modal.mode.name(modes)));
        }
        text.push_str(&pending_input(state));
        if let Some(reading) = &buffer.loading {
            text.push_str(&format!("  reading: {} %", reading.percent));
        } else if let Some(reason) = buffer.read_only().filter(|_| !buffer.is_image) {
            text.push_str(&format!("  read-only: {reason}"));
        } else if buffer.area.document.format().lossless && !buffer.is_image {
            text.push_str("  not UTF-8, bytes kept");
        }
        let encoding = buffer.area.document.format().encoding;
        if encoding != Encoding::UTF8 && !buffer.is_image {
            text.push_str(&format!("  {}", encoding.name()));
        }
        if buffer.area.text().is_long(line) {
            text.push_str("  long line, tabs are one cell");
        }
        if let Some(trouble) = buffer.highlighting.trouble() {
            text.push_str(&format!("  {trouble}"));
        }
        let edits = buffer.area.document.marks().all().len();
        if let Some(review) = to_review(state) {
            text.push_str(&format!("  {review}"));
        } else if edits > 0 {
            text.push_str(&format!("  {} to review", pluralize(edits, "edit", "edits")));
        }
        text
    }
}

/// Returns what of the agent's changes is not reviewed, and how many remarks were not sent, with the key for it.
fn to_review(state: &State) -> Option<String> {
    let review = &state.slots[REVIEW];
    let (totals, remarks) = (review.totals(), review.remarks.len());
    let mut parts = Vec::new();
    if remarks > 0 {
        parts.push(format!("{} to send", pluralize(remarks, "review comment", "review comments")));
    }
    if totals.files > 0 {
        parts.push(totals.text());
    }
    if parts.is_empty() {
        return None;
    }
    let key = state.keymap.keys_for(state.base_key_context(), "review.open");
    parts.extend(key.map(|key| format!("{key} review")));
    Some(parts.join(" · "))
}

/// Returns the keys that a terminal does not get.
fn terminal_keys(state: &State) -> String {
    let keys = [("terminal.toggle", "editor"), ("view.next-pane", "next pane")];
    let key = |(id, what): (&str, &str)| {
        Some(format!("{} {what}", state.keymap.keys_for(KeyContext::Terminal, id)?))
    };
    let more = state.keymap.keys_for(KeyContext::Terminal, "terminal.new").map(|keys| {
        let prefix = keys.split(' ').next().unwrap_or_default().to_string();
        format!("{prefix} … more")
    });
    keys.into_iter().filter_map(key).chain(more).collect::<Vec<_>>().join("  ")
}

/// Returns the keys of the conversation that are used most.
fn transcript_keys(state: &State) -> String {
    let keys = [
        ("transcript.fold", "fold"),
        ("transcript.copy", "copy"),
        ("transcript.open-file", "open file"),
        ("transcript.search", "search"),
        ("transcript.edit", "edit"),
        ("view.focus-agent", "prompt"),
        ("app.keys", "more"),
    ];
    let key = |(id, what): (&str, &str)| {
        Some(format!("{} {what}", state.keymap.keys_for(KeyContext::Transcript, id)?))
    };
    keys.into_iter().filter_map(key).collect::<Vec<_>>().join("  ")
}

/// Returns the pending keys of a modal command, and the recording in progress.
fn pending_input(state: &State) -> String {
    let modal = &state.modal;
    let mut text = String::new();
    if let Some((name, _)) = modal.recording {
        text.push_str(&format!("  recording @{name}"));
    }
    let fresh = modal.is_idle() && !matches!(state.pending_char, Some(PendingChar::Modal(_)));
    if state.keymap.modal_style() != ModalStyle::None && !modal.mode.is_typing() && !fresh {
        let keys: Vec<String> = modal.keys.iter().map(ToString::to_string).collect();
        let count = modal.count.map(|count| count.to_string()).unwrap_or_default();
        let before = modal.operator.and_then(|waiting| waiting.count);
        let before = before.map(|count| count.to_string()).unwrap_or_default();
        text.push_str(&format!("  {before}{}{count} …", keys.join("")));
    }
    text
}

/// Returns what asks for approval, if the question is not on screen.
fn hidden_request(state: &State) -> Option<String> {
    let (_, ask) = answers::shown(state).filter(|_| state.areas.approval.is_none())?;
    let key = state.keymap.keys_for(state.base_key_context(), "view.focus-agent");
    Some(key.map_or_else(|| format!("? {} asks", ask.tool), |key| format!("? {} asks · {key}", ask.tool)))
}

/// Returns the key that gives all panes their places again.
fn zoom_key(state: &State) -> String {
    state.keymap.keys_for(state.base_key_context(), "view.zoom-pane").unwrap_or_default()
}

/// Returns what an approval mode other than the usual one does, in a word or in a sign.
fn approval_note(mode: Mode, is_short: bool) -> Option<&'static str> {
    let (sign, words) = match mode {
        Mode::OnRequest => return None,
        Mode::Full => ("!", "! full access"),
        Mode::Untrusted => ("?", "? asks for edits"),
        Mode::AutoEdit => ("×", "× edits only"),
    };
    Some(if is_short { sign } else { words })
}

/// Returns the right part, as much as fits beside the left one, or in half the line.
fn right(inputs: &RightInputs) -> String {
    let cols = inputs.cols;
    let mut parts: Vec<String> =
        [inputs.sign, inputs.summarizing].into_iter().flatten().map(String::from).collect();
    parts.extend(inputs.asks.clone());
    parts.extend(inputs.zoomed.as_ref().map(|key| format!("zoomed · {key}")));
    parts.extend(approval_note(inputs.approval_mode, cols < 60).map(String::from));
    let signs = parts.len();
    if inputs.model.as_ref().is_some_and(|model| is_demo(model)) {
        parts.push("no model · /login".to_string());
    } else if let Some(model) = &inputs.model {
        let thinking = if inputs.thinking == Thinking::Off {
            String::new()
        } else {
            format!(" · {}", inputs.thinking.name())
        };
        parts.push(format!("{}{thinking}", model.name));
        if inputs.context_tokens > 0 {
            let percent = inputs.context_tokens.saturating_mul(100) / model.context_window.max(1);
            let percent = if percent > 0 { format!(" {percent}%") } else { String::new() };
            let (used, window) = (thousands(inputs.context_tokens), thousands(model.context_window));
            parts.push(format!("{used}/{window}{percent}"));
        }
    }
    if inputs.cost > 0.0 {
        parts.push(format!("${:.3}", inputs.cost));
    }
    parts.push("F1 palette".to_string());
    while parts.len() > 1 && text_width(&parts.join("  ")) > inputs.room {
        // Activity indicator and model are dropped last: drop from the end.
        parts.pop();
    }
    while parts.len() > signs && cols < 40 && text_width(&parts.join("  ")) * 2 > cols {
        parts.pop();
    }
    parts.join("  ")
}
