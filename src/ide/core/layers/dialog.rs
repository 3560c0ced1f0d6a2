//! A dialog: text, and its answers as keys in the footer.

use ratatui::layout::Rect;

use crate::base::width::text_width;
use crate::ide::core::layers::frame;
use crate::ide::core::overlay::Dialog;
use crate::tui::canvas::Canvas;
use crate::tui::widgets::line::{self, Break, Line, Span};

/// Widest text.
const COLS: u16 = 78;
/// Widest difference: its lines are code.
const DIFFERENCE_COLS: u16 = 160;

/// The text wrapped for a dialog of that width.
fn wrapped(dialog: &Dialog, cols: u16) -> Vec<Line> {
    let width = cols.saturating_sub(4).max(1);
    let wrap = |text: &String| {
        let (scope, cut) = if dialog.is_difference {
            (difference_scope(text), Break::Anywhere)
        } else {
            ("ui.overlay", Break::Words)
        };
        line::wrap(&[Span::new(text.as_str(), scope)], width, &[], &[], cut)
    };
    dialog.lines.iter().flat_map(wrap).collect()
}

/// The colour of a difference's line.
fn difference_scope(line: &str) -> &'static str {
    match line.chars().next() {
        Some('+') => "diff.added",
        Some('-') => "diff.removed",
        _ => "ui.overlay",
    }
}

/// Where it is.
pub fn place(size: (u16, u16), dialog: &Dialog) -> Rect {
    let widest = dialog.lines.iter().map(|line| text_width(line)).max().unwrap_or(0);
    let most = if dialog.is_difference { DIFFERENCE_COLS } else { COLS };
    let wanted = widest.max(text_width(&footer(dialog))).min(usize::from(most)) as u16;
    let cols = wanted.saturating_add(6).clamp(30, most);
    // Wrapped as wide as it will be, which may be less than it wants.
    let shown = frame::place(size, cols, 3).width;
    let rows = wrapped(dialog, shown).len().min(1_000) as u16 + 2;
    frame::place(size, cols, rows.max(3))
}

fn footer(dialog: &Dialog) -> String {
    joined(dialog, |label| label)
}

fn joined<'a>(dialog: &'a Dialog, shorten: impl Fn(&'a str) -> &'a str) -> String {
    let choices = dialog.choices.iter().map(|choice| match (choice.key, shorten(&choice.label)) {
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

/// The answers in a width: whole, by their first words, or by their keys alone. None is ever
/// left out.
fn fitting(dialog: &Dialog, cols: usize) -> String {
    let forms = [
        footer(dialog),
        joined(dialog, |label| label.split([' ', ',']).next().unwrap_or(label)),
        keys(dialog),
    ];
    let fits = forms.iter().find(|form| text_width(form) <= cols);
    fits.or(forms.last()).cloned().unwrap_or_default()
}

/// The first row shown when the text is scrolled to its end.
pub fn last_top(size: (u16, u16), dialog: &Dialog) -> usize {
    let area = place(size, dialog);
    wrapped(dialog, area.width).len().saturating_sub(usize::from(area.height.saturating_sub(2)))
}

/// Draws it.
pub fn draw(canvas: &mut Canvas<'_>, dialog: &Dialog) {
    let (cols, _) = canvas.size();
    let lines = wrapped(dialog, cols);
    let (_, height) = canvas.size();
    let hidden = lines.len().saturating_sub(usize::from(height.saturating_sub(2)) + dialog.top);
    let more = if hidden > 0 { format!("{hidden} more lines, PageDown") } else { String::new() };
    let inner =
        frame::draw(canvas, &dialog.title, &more, &fitting(dialog, usize::from(cols).saturating_sub(6)));
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
