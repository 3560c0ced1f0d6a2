//! A dialog: a text and a set of answers, each with a key and a callback.

use ratatui::layout::Rect;

use crate::base::width::text_width;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::layers::layer::{Actions, Layer, LayerId};
use crate::ide::core::state::State;
use crate::tui::canvas::Canvas;
use crate::tui::input::{Key, KeyCode};
use crate::tui::widgets::line::{self, BreakMode, Line, Span};

/// Callback of an answer, on the event loop.
pub type Callback = Box<dyn FnOnce(&mut Cx<'_>) + Send>;

/// A text with answers of one key each.
pub struct Dialog {
    /// In the frame.
    pub title: String,
    /// The text; wrapped when shown.
    pub lines: Vec<String>,
    /// Index of the first line shown, for long texts.
    pub top: usize,
    choices: Vec<Choice>,
    /// Whether the lines are a diff: colored by their first character, and not wrapped but cut at the edge of
    /// a wide frame.
    is_difference: bool,
    id: Option<LayerId>,
    is_unsolicited: bool,
    on_escape: Option<Callback>,
}

/// One answer.
struct Choice {
    key: char,
    /// Description in two or three words that begin with a verb.
    label: String,
    /// One word for when the label does not fit; by default the first word of the label.
    short_label: Option<&'static str>,
    /// Whether it is accepted only after the text was scrolled to its end.
    requires_scroll: bool,
    /// The callback; `None` only closes the dialog.
    run: Option<Callback>,
}

impl Dialog {
    /// Returns a dialog that asks a question.
    pub fn ask(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self {
            title: title.into(),
            lines,
            top: 0,
            choices: Vec::new(),
            is_difference: false,
            id: None,
            is_unsolicited: false,
            on_escape: None,
        }
    }

    /// Returns a dialog that only shows a message.
    pub fn message(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self::ask(title, lines).close('\n', "Close")
    }

    /// Returns a dialog that shows a diff: lines that begin with `+`, `-` or a space.
    pub fn difference(title: impl Into<String>, lines: Vec<String>) -> Self {
        Self { is_difference: true, ..Self::ask(title, lines) }
    }

    /// Adds an answer.
    #[must_use]
    pub fn choice(mut self, key: char, label: &str, run: impl FnOnce(&mut Cx<'_>) + Send + 'static) -> Self {
        let run: Option<Callback> = Some(Box::new(run));
        self.choices.push(Choice {
            key,
            label: label.to_string(),
            short_label: None,
            requires_scroll: false,
            run,
        });
        self
    }

    /// Adds an answer that is accepted only after the text was scrolled to its end.
    #[must_use]
    pub fn choice_after_scroll(
        self,
        key: char,
        label: &str,
        run: impl FnOnce(&mut Cx<'_>) + Send + 'static,
    ) -> Self {
        let mut dialog = self.choice(key, label, run);
        if let Some(last) = dialog.choices.last_mut() {
            last.requires_scroll = true;
        }
        dialog
    }

    /// Adds an answer that only closes the dialog.
    #[must_use]
    pub fn close(mut self, key: char, label: &str) -> Self {
        self.choices.push(Choice {
            key,
            label: label.to_string(),
            short_label: None,
            requires_scroll: false,
            run: None,
        });
        self
    }

    /// Sets the short word of the answer added last.
    #[must_use]
    pub fn short_label(mut self, word: &'static str) -> Self {
        if let Some(last) = self.choices.last_mut() {
            last.short_label = Some(word);
        }
        self
    }

    /// Sets its id, so that it can be found again.
    #[must_use]
    pub fn with_id(mut self, kind: &'static str, number: u64) -> Self {
        self.id = Some(LayerId { kind, number });
        self
    }

    /// Does the same for a dialog that opens by itself: keys typed before must not answer it.
    #[must_use]
    pub fn uninvited(mut self, kind: &'static str, number: u64) -> Self {
        self.is_unsolicited = true;
        self.with_id(kind, number)
    }

    /// Sets what Escape does in addition to closing it.
    #[must_use]
    pub fn on_escape(mut self, run: impl FnOnce(&mut Cx<'_>) + Send + 'static) -> Self {
        self.on_escape = Some(Box::new(run));
        self
    }

    /// Returns its number if it is of this kind.
    pub fn number_of(&self, kind: &str) -> Option<u64> {
        self.id.filter(|about| about.kind == kind).map(|about| about.number)
    }
}

impl Layer for Dialog {
    fn context(&self) -> KeyContext {
        KeyContext::Dialog
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        view_area(size, self)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, _state: &State) {
        draw(canvas, self);
    }

    fn unsolicited_id(&self) -> Option<LayerId> {
        self.id.filter(|_| self.is_unsolicited)
    }

    fn actions(&self) -> Actions {
        Actions { key, step, escape, ..Actions::default() }
    }
}

/// Handles the keys of a dialog, which are its answers.
fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let last = max_scroll(cx.state);
    let Some(dialog) = cx.state.layers.top_mut::<Dialog>() else { return false };
    let pressed_key = match (key.typed(), key.code) {
        (Some(c), _) => c,
        (None, KeyCode::Enter) => '\n',
        (None, code) => return scroll(cx, code),
    };
    let Some(at) = dialog.choices.iter().position(|choice| choice.key == pressed_key) else { return true };
    if dialog.choices[at].requires_scroll && dialog.top < last {
        cx.state.set_status("Read to the end first: PageDown");
        return true;
    }
    let run = dialog.choices[at].run.take();
    cx.state.pop_layer();
    if let Some(run) = run {
        run(cx);
    }
    cx.state.damage.add_all();
    true
}

fn scroll(cx: &mut Cx<'_>, code: KeyCode) -> bool {
    let by = match code {
        KeyCode::Up => -1,
        KeyCode::Down => 1,
        KeyCode::PageUp => -10,
        KeyCode::PageDown => 10,
        KeyCode::Home => isize::MIN,
        KeyCode::End => isize::MAX,
        _ => return false,
    };
    step(cx, by);
    true
}

fn step(cx: &mut Cx<'_>, by: isize) {
    let last = max_scroll(cx.state);
    let Some(dialog) = cx.state.layers.top_mut::<Dialog>() else { return };
    dialog.top = dialog.top.saturating_add_signed(by).min(last);
    cx.state.damage.add(Part::Overlay);
}

fn escape(cx: &mut Cx<'_>) {
    cx.state.damage.add_all();
    if let Some(escaped) = cx.state.layers.pop_as::<Dialog>().and_then(|dialog| dialog.on_escape) {
        escaped(cx);
    }
}

/// Widest text.
const COLS: u16 = 78;
/// Maximum width of a diff, whose lines are code.
const DIFFERENCE_COLS: u16 = 160;

/// The text wrapped for a dialog of that width.
fn wrap_lines(dialog: &Dialog, cols: u16) -> Vec<Line> {
    let width = cols.saturating_sub(4).max(1);
    let wrap = |text: &String| {
        let (scope, cut) = if dialog.is_difference {
            (difference_scope(text), BreakMode::Anywhere)
        } else {
            ("ui.overlay", BreakMode::Words)
        };
        line::wrap(&[Span::new(text.as_str(), scope)], width, &[], &[], cut)
    };
    dialog.lines.iter().flat_map(wrap).collect()
}

/// The color of a difference's line.
fn difference_scope(line: &str) -> &'static str {
    match line.chars().next() {
        Some('+') => "diff.added",
        Some('-') => "diff.removed",
        _ => "ui.overlay",
    }
}

/// Returns the area of the dialog.
fn view_area(size: (u16, u16), dialog: &Dialog) -> Rect {
    let widest = dialog.lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let most = if dialog.is_difference { DIFFERENCE_COLS } else { COLS };
    let widest = widest.max(text_width(&footer(dialog))).max(text_width(&dialog.title));
    let wanted = widest.min(usize::from(most)) as u16;
    let cols = wanted.saturating_add(6).clamp(30, most);
    // Wrapped to the width of the frame, which may be less than wanted.
    let shown = frame::frame_area(size, cols, 3).width;
    let rows = wrap_lines(dialog, shown).len().min(1_000) as u16 + 2;
    frame::frame_area(size, cols, rows.max(3))
}

fn footer(dialog: &Dialog) -> String {
    join_choices(dialog, |choice| &choice.label)
}

fn join_choices<'a>(dialog: &'a Dialog, name: impl Fn(&'a Choice) -> &'a str) -> String {
    let choices = dialog.choices.iter().map(|choice| match (choice.key, name(choice)) {
        ('\n', label) => format!("Enter {label}"),
        (key, label) => format!("{key} {label}"),
    });
    choices.collect::<Vec<_>>().join("  ").trim_end().to_string()
}

/// The keys alone.
fn keys(dialog: &Dialog) -> String {
    let key = |key: char| if key == '\n' { "Enter".to_string() } else { key.to_string() };
    dialog.choices.iter().map(|choice| key(choice.key)).collect::<Vec<_>>().join(" ")
}

/// Returns the answers that fit a width: as labels, as single words, or as keys alone.
fn truncate_choices(dialog: &Dialog, cols: usize) -> String {
    let forms = [
        footer(dialog),
        join_choices(dialog, |choice| {
            let first = || choice.label.split([' ', ',']).next().unwrap_or(&choice.label);
            choice.short_label.unwrap_or_else(first)
        }),
        keys(dialog),
    ];
    let fits = forms.iter().find(|form| text_width(form) <= cols);
    fits.or(forms.last()).cloned().unwrap_or_default()
}

/// Returns the first row shown when the text of the topmost dialog is scrolled to its end.
fn max_scroll(state: &State) -> usize {
    let Some(dialog) = state.layers.top::<Dialog>() else { return 0 };
    let area = state.layer_area(dialog);
    wrap_lines(dialog, area.width).len().saturating_sub(usize::from(area.height.saturating_sub(2)))
}

/// Draws the dialog.
fn draw(canvas: &mut Canvas<'_>, dialog: &Dialog) {
    let (cols, _) = canvas.size();
    let lines = wrap_lines(dialog, cols);
    let (_, height) = canvas.size();
    let hidden = lines.len().saturating_sub(usize::from(height.saturating_sub(2)) + dialog.top);
    let more = if hidden > 0 { format!("{hidden} more lines, PageDown") } else { String::new() };
    let inner = frame::draw(
        canvas,
        &dialog.title,
        &more,
        &truncate_choices(dialog, usize::from(cols).saturating_sub(6)),
    );
    let more = lines.len() > usize::from(inner.height);
    let top = if more { dialog.top.min(lines.len() - usize::from(inner.height).min(lines.len())) } else { 0 };
    for (n, line) in lines.iter().skip(top).take(usize::from(inner.height)).enumerate() {
        let mut x = inner.x + 1;
        for span in line {
            let style = canvas.style(span.scope);
            x = canvas.text(x, inner.y + n as u16, &span.text, style);
        }
    }
}
