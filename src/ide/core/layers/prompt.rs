//! A prompt: one line of input with a callback.

use std::sync::Arc;

use ratatui::layout::Rect;

use crate::base::width::{graphemes, text_width};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::{KeyContext, Keymap};
use crate::ide::core::layers::dialog::Callback;
use crate::ide::core::layers::frame;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::model::text_area::TextArea;
use crate::text::position::{Byte, Line};
use crate::text::search::SearchOptions;
use crate::text::selection::{Range, Selection};
use crate::tui::canvas::Canvas;

/// Validates the input; the error says why it is rejected.
type Check = Arc<dyn Fn(&mut Cx<'_>, &str) -> Result<(), String> + Send + Sync>;

/// Callback of the answer, on the event loop.
type Accept = Box<dyn FnOnce(&mut Cx<'_>, String) + Send>;

/// A one-line prompt.
pub struct Prompt {
    /// Title in the frame: what to enter.
    pub title: String,
    /// Id for code that follows it, if any.
    kind: &'static str,
    number: u64,
    /// The input being typed.
    pub answer: TextArea,
    /// Why the last answer was rejected, or the number of matches.
    pub note: String,
    /// How the answer is interpreted, if not literally.
    pub flags_label: String,
    /// Version of the answer that was last processed.
    pub handled_version: u64,
    /// Whether its answer is a search, subject to the search switches.
    is_search: bool,
    /// Whether its answer is a path, which can be completed.
    pub completes_paths: bool,
    /// Version of the answer that the note is about, if it is about completions.
    pub noted_version: u64,
    /// What Enter does, for the footer.
    verb: &'static str,
    initial: String,
    /// The bytes of the initial input that are selected.
    selected: std::ops::Range<usize>,
    checks: Vec<Check>,
    accept: Option<Accept>,
    on_change: Option<fn(&mut Cx<'_>)>,
    on_escape: Option<Callback>,
}

impl Prompt {
    /// Returns a prompt with a title. Its answer goes to `accept` after the prompt has closed.
    pub fn new(title: impl Into<String>, accept: impl FnOnce(&mut Cx<'_>, String) + Send + 'static) -> Self {
        Self {
            title: title.into(),
            kind: "",
            number: 0,
            answer: TextArea::default(),
            note: String::new(),
            flags_label: String::new(),
            handled_version: 0,
            is_search: false,
            completes_paths: false,
            noted_version: 0,
            verb: "accept",
            initial: String::new(),
            selected: 0..0,
            checks: Vec::new(),
            accept: Some(Box::new(accept)),
            on_change: None,
            on_escape: None,
        }
    }

    /// Sets its id, so that it can be found again.
    #[must_use]
    pub fn with_id(self, kind: &'static str, number: u64) -> Self {
        Self { kind, number, ..self }
    }

    /// Sets the initial input.
    #[must_use]
    pub fn initial(self, first: impl Into<String>) -> Self {
        Self { initial: first.into(), ..self }
    }

    /// Selects the initial input, so that typing replaces it.
    #[must_use]
    pub fn selected(self) -> Self {
        let all = 0..self.initial.len();
        self.selecting(all)
    }

    /// Selects a part of the initial input.
    #[must_use]
    pub fn selecting(self, selected: std::ops::Range<usize>) -> Self {
        Self { selected, ..self }
    }

    /// Sets what Enter does, in a word or two.
    #[must_use]
    pub fn verb(self, verb: &'static str) -> Self {
        Self { verb, ..self }
    }

    /// Sets what is said beside the title until the answer is rejected.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// Rejects an answer without a letter.
    #[must_use]
    pub fn required(self) -> Self {
        self.check(|_, answer| match answer.trim() {
            "" => Err("Nothing typed".to_string()),
            _ => Ok(()),
        })
    }

    /// Rejects answers for which `check` fails, and shows the message. The prompt is on top while `check`
    /// runs.
    #[must_use]
    pub fn check(
        mut self,
        check: impl Fn(&mut Cx<'_>, &str) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.checks.push(Arc::new(check));
        self
    }

    /// Makes its answer a search: the search switches apply to it.
    #[must_use]
    pub fn as_search(self) -> Self {
        Self { is_search: true, ..self }
    }

    /// Makes its answer a path, which can be completed.
    #[must_use]
    pub fn completing_paths(self) -> Self {
        Self { completes_paths: true, ..self }
    }

    /// Sets a function that is called after every change of the input.
    #[must_use]
    pub fn on_change(self, typed: fn(&mut Cx<'_>)) -> Self {
        Self { on_change: Some(typed), ..self }
    }

    /// Sets what Escape does in addition to closing it.
    #[must_use]
    pub fn on_escape(self, run: impl FnOnce(&mut Cx<'_>) + Send + 'static) -> Self {
        Self { on_escape: Some(Box::new(run)), ..self }
    }

    /// Opens the prompt.
    pub fn open(mut self, cx: &mut Cx<'_>) {
        self.answer.set(&self.initial, cx.now_ms);
        if !self.selected.is_empty() {
            let selected = Range::new(Byte(self.selected.start), Byte(self.selected.end));
            self.answer.select(Selection::single(selected));
        }
        let options = Some(cx.state.search.options)
            .filter(|options| self.is_search && *options != SearchOptions::default());
        self.flags_label = options.map(|options| options.to_string()).unwrap_or_default();
        cx.state.push_layer(self);
    }

    /// Returns whether it is of this kind.
    pub fn has_kind(&self, kind: &str) -> bool {
        self.kind == kind
    }

    /// Returns its number if it is of this kind.
    pub fn number_of(&self, kind: &str) -> Option<u64> {
        self.has_kind(kind).then_some(self.number)
    }
}

impl Layer for Prompt {
    fn context(&self) -> KeyContext {
        KeyContext::InputPrompt
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        view_area(size)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        draw(canvas, self, &state.keymap);
    }

    fn cursor(&self, size: (u16, u16)) -> Option<(u16, u16)> {
        Some(cursor(self, size.0))
    }

    fn text(&mut self) -> Option<&mut TextArea> {
        Some(&mut self.answer)
    }

    fn actions(&self) -> Actions {
        Actions { accept, on_change: on_typed, escape, ..Actions::default() }
    }
}

/// Handles Enter. The prompt stays open when its answer is rejected.
fn accept(cx: &mut Cx<'_>) {
    let Some(prompt) = cx.state.layers.top::<Prompt>() else { return };
    let (checks, answer) = (prompt.checks.clone(), prompt.answer.text().to_string());
    if let Err(note) = checks.iter().try_for_each(|check| check(cx, &answer)) {
        if let Some(prompt) = cx.state.layers.top_mut::<Prompt>() {
            prompt.note = note;
        }
        return cx.state.damage.add_all();
    }
    cx.state.damage.add_all();
    if let Some(accept) = cx.state.layers.pop_as::<Prompt>().and_then(|prompt| prompt.accept) {
        accept(cx, answer);
    }
}

fn on_typed(cx: &mut Cx<'_>) {
    let Some(prompt) = cx.state.layers.top_mut::<Prompt>() else { return };
    let version = prompt.answer.document.version();
    let is_outdated = prompt.completes_paths && prompt.noted_version != version && !prompt.note.is_empty();
    if is_outdated {
        prompt.note.clear();
    }
    let typed = prompt.on_change;
    let has_changed = std::mem::replace(&mut prompt.handled_version, version) != version;
    if is_outdated {
        cx.state.damage.add(Part::Overlay);
    }
    if let Some(typed) = typed.filter(|_| has_changed) {
        typed(cx);
    }
}

fn escape(cx: &mut Cx<'_>) {
    cx.state.damage.add_all();
    if let Some(escaped) = cx.state.layers.pop_as::<Prompt>().and_then(|prompt| prompt.on_escape) {
        escaped(cx);
    }
}

/// Returns its area: over the last lines, which the editor keeps its cursor out of, so that matches stay
/// visible.
pub fn view_area(size: (u16, u16)) -> Rect {
    let (cols, rows) = (size.0.min(72), size.1.min(3));
    let below = u16::from(size.1 > 5);
    Rect::new((size.0 - cols) / 2, size.1 - rows - below, cols, rows)
}

/// Returns the visible part of the answer, such that its end and the caret are visible.
fn visible_part(prompt: &Prompt, cols: u16) -> (String, u16) {
    let text = prompt.answer.text();
    let line = text.line(Line(0)).into_owned();
    let caret = text_width(&text.slice(Byte(0)..prompt.answer.selection.primary().head));
    let skip = (caret + 2).saturating_sub(usize::from(cols));
    let mut out = String::new();
    let mut width = 0;
    for grapheme in graphemes(&line) {
        if width >= skip {
            out.push_str(grapheme);
        }
        width += text_width(grapheme);
    }
    (out, caret.saturating_sub(skip) as u16)
}

/// Returns the most important keys here.
fn footer(prompt: &Prompt, keymap: &Keymap) -> String {
    let (searches, completes) = (prompt.is_search, prompt.completes_paths);
    let mut keys = vec![format!("Enter {}", prompt.verb)];
    if completes && let Some(key) = keymap.keys_for(KeyContext::InputPrompt, "list.complete") {
        keys.push(format!("{key} complete"));
    }
    if searches {
        let toggles = [
            ("search.toggle-regex", "regex"),
            ("search.toggle-word", "words"),
            ("search.toggle-case", "case"),
        ];
        let bound = toggles
            .iter()
            .filter_map(|(id, name)| Some((keymap.keys_for(KeyContext::InputPrompt, id)?, name)));
        keys.extend(bound.map(|(key, name)| format!("{key} {name}")));
    }
    keys.push("Escape close".to_string());
    keys.join("  ")
}

/// Columns of the frame around a title and a note beside it.
const NOTE_MARGIN: usize = 11;

/// Draws the prompt.
fn draw(canvas: &mut Canvas<'_>, prompt: &Prompt, keymap: &Keymap) {
    let (cols, _) = canvas.size();
    let title = match (&prompt.title, prompt.flags_label.as_str()) {
        (title, "") => title.clone(),
        (title, flags) => format!("{title} ({flags})"),
    };
    // Why an answer is rejected goes before what is asked.
    let room = usize::from(cols).saturating_sub(text_width(&title) + NOTE_MARGIN);
    let (title, note) =
        if text_width(&prompt.note) > room { (&prompt.note, "") } else { (&title, prompt.note.as_str()) };
    let inner = frame::draw(canvas, title, note, &footer(prompt, keymap));
    let (text, x) = visible_part(prompt, cols.saturating_sub(6));
    let style = canvas.style("ui.overlay");
    canvas.content(inner.x + 1, inner.y, &text, style);
    let selected = prompt.answer.selection.primary();
    let before = |at: Byte| text_width(&prompt.answer.text().slice(Byte(0)..at));
    let skipped = before(selected.head) - usize::from(x);
    let column = |at: Byte| before(at).saturating_sub(skipped) as u16;
    let (from, to) = (column(selected.start()), column(selected.end()));
    if from < to {
        let part = Rect::new(inner.x + 1 + from, inner.y, to - from, 1);
        canvas.put_style(part, canvas.style("ui.selection"));
    }
}

/// Returns the caret in the overlay's coordinates.
fn cursor(prompt: &Prompt, cols: u16) -> (u16, u16) {
    let (_, x) = visible_part(prompt, cols.saturating_sub(6));
    (x + 2, 1)
}
