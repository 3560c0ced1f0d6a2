//! Draws user questions: one at a time, its options, a row for a typed answer.

use ratatui::layout::Rect;

use crate::base::width::{graphemes, text_width};
use crate::ide::core::layers::frame;
use crate::ide::features::questions::view::QuestionsView;
use crate::tui::canvas::Canvas;
use crate::tui::widgets::line::{self, BreakMode, Line, Span};

/// Maximum width of the frame.
const COLS: u16 = 78;
/// The color of the selected row.
const SELECTED: &str = "ui.row";
/// Prefix of the input.
const TYPED_PREFIX: &str = "› ";

/// Returns all rows, wrapped for a frame of that width, and the start of the selected one.
fn lines(view: &QuestionsView, cols: u16) -> (Vec<Line>, usize) {
    let width = cols.saturating_sub(4).max(1);
    let question = view.question();
    let text = [Span::new(question.text.as_str(), "ui.overlay.title")];
    let mut out = line::wrap(&text, width, &[], &[], BreakMode::Words);
    let mut selected = 0;
    for (row, option) in question.options.iter().enumerate() {
        let is_here = row == view.row;
        let scope = if is_here { SELECTED } else { "ui.overlay" };
        if is_here {
            selected = out.len();
        }
        let sign = match (question.multiple, view.is_chosen(row)) {
            (true, true) => "[x]",
            (true, false) => "[ ]",
            (false, true) => "•",
            (false, false) => " ",
        };
        let lead_text = format!("{} {sign} ", row + 1);
        let indent = [Span::new(" ".repeat(text_width(&lead_text)), scope)];
        let lead = [Span::new(lead_text.clone(), scope)];
        out.extend(line::wrap(
            &[Span::new(option.label.as_str(), scope)],
            width,
            &lead,
            &indent,
            BreakMode::Words,
        ));
        if !option.description.is_empty() {
            let words = [Span::new(option.description.as_str(), "ui.overlay.soft")];
            let below = [Span::new(" ".repeat(text_width(&lead_text)), "ui.overlay")];
            out.extend(line::wrap(&words, width, &below, &below, BreakMode::Words));
        }
    }
    if view.is_typing() {
        selected = out.len();
    }
    out.push(typed_row(view, usize::from(width)));
    (out, selected)
}

/// Returns the row for a typed answer: the end of the input, as far as there is room.
fn typed_row(view: &QuestionsView, width: usize) -> Line {
    let scope = if view.is_typing() { "ui.overlay" } else { "ui.overlay.soft" };
    let text = view.typed();
    if text.is_empty() {
        let placeholder = view.question().placeholder.as_str();
        let words = match (placeholder, view.question().options.is_empty()) {
            ("", true) => "type an answer",
            ("", false) => "or type another answer",
            (placeholder, _) => placeholder,
        };
        return vec![Span::new(TYPED_PREFIX, scope), Span::new(words.to_string(), "ui.overlay.soft")];
    }
    vec![
        Span::new(TYPED_PREFIX, scope),
        Span::new(tail(text, width.saturating_sub(TYPED_PREFIX.chars().count() + 1)), scope),
    ]
}

fn tail(text: &str, room: usize) -> String {
    let mut skip = text_width(text).saturating_sub(room);
    let mut out = String::new();
    for grapheme in graphemes(text) {
        if skip == 0 {
            out.push_str(grapheme);
        }
        skip = skip.saturating_sub(text_width(grapheme));
    }
    out
}

/// Returns its area.
pub fn view_area(size: (u16, u16), view: &QuestionsView) -> Rect {
    let cols = COLS.min(size.0);
    let inner = frame::frame_area(size, cols, 3).width;
    let rows = lines(view, inner).0.len().min(1_000) as u16;
    frame::frame_area(size, cols, rows + 2)
}

fn footer(view: &QuestionsView) -> String {
    let mut keys = vec!["Enter accept"];
    if view.question().multiple {
        keys.push("Space choose");
    }
    if view.at > 0 {
        keys.push("Shift-Tab back");
    }
    keys.push("Escape no answer");
    keys.join("  ")
}

/// Returns the first row shown such that the selected one is visible.
fn top(selected: usize, all: usize, rows: usize) -> usize {
    // The description below the selected option must be visible, too.
    (selected + 2).min(all).saturating_sub(rows)
}

/// Draws the question.
pub fn draw(canvas: &mut Canvas<'_>, view: &QuestionsView) {
    let (cols, _) = canvas.size();
    let header = view.question().header.as_str();
    let title = if header.is_empty() { "Agent asks".to_string() } else { format!("Agent asks: {header}") };
    let count = view.questions.len();
    let right = if count > 1 { format!("{} of {count}", view.at + 1) } else { String::new() };
    let inner = frame::draw(canvas, &title, &right, &footer(view));
    let (all, selected) = lines(view, cols);
    let rows = usize::from(inner.height);
    for (n, line) in all.iter().skip(top(selected, all.len(), rows)).take(rows).enumerate() {
        let mut x = inner.x + 1;
        if line.first().is_some_and(|span| span.scope == SELECTED) {
            let style = canvas.style(SELECTED);
            canvas.text(
                x,
                inner.y + n as u16,
                &" ".repeat(usize::from(inner.width.saturating_sub(2))),
                style,
            );
        }
        if !view.is_typing() && top(selected, all.len(), rows) + n == selected {
            canvas.place_caret(x, inner.y + n as u16);
        }
        for span in line {
            let style = canvas.style(span.scope);
            x = canvas.text(x, inner.y + n as u16, &span.text, style);
        }
    }
}

/// Returns the caret in the overlay's coordinates.
pub fn cursor(view: &QuestionsView, (cols, rows): (u16, u16)) -> Option<(u16, u16)> {
    if !view.is_typing() {
        return None;
    }
    let (all, selected) = lines(view, cols);
    let inner = usize::from(rows.saturating_sub(2));
    let y = selected.checked_sub(top(selected, all.len(), inner))? + 1;
    let room = usize::from(cols.saturating_sub(4)).saturating_sub(TYPED_PREFIX.chars().count() + 1);
    let width = text_width(&tail(view.typed(), room)) + TYPED_PREFIX.chars().count();
    Some((2 + width as u16, y as u16))
}
