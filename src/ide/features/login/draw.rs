//! Draws a login: its messages, its question, the input.

use ratatui::layout::Rect;

use crate::base::width::{graphemes, text_width, truncate};
use crate::ide::core::layers::frame;
use crate::ide::features::login::view::{LoginQuestion, LoginView};
use crate::llm::model::Notice;
use crate::tui::canvas::Canvas;
use crate::tui::widgets::line::{self, BreakMode, Line, Span};

/// Maximum width of the frame.
const COLS: u16 = 78;
/// Maximum rows shown of a link: it is meant to be copied, not read.
const LINK_ROWS: usize = 3;

/// Returns the lines above the input, wrapped for a frame of that width.
fn lines(view: &LoginView, cols: u16) -> Vec<Line> {
    let width = cols.saturating_sub(4).max(1);
    let plain = |text: &str| line::wrap(&[Span::new(text, "ui.overlay")], width, &[], &[], BreakMode::Words);
    let link = |page: &str| {
        let mut rows =
            line::wrap(&[Span::new(page, "ui.overlay.soft")], width, &[], &[], BreakMode::Anywhere);
        if rows.len() > LINK_ROWS {
            let room = usize::from(width) * LINK_ROWS - 1;
            let short = truncate(page, room);
            rows = line::wrap(&[Span::new(short, "ui.overlay.soft")], width, &[], &[], BreakMode::Anywhere);
        }
        rows
    };
    let mut out = Vec::new();
    for notice in &view.notices {
        match notice {
            Notice::Progress(text) => out.extend(plain(text)),
            Notice::Page(page) => {
                out.extend(plain("Open this page in a browser:"));
                out.extend(link(page));
            }
            Notice::Code { code, page } => {
                out.extend(plain("Open this page and type the code there:"));
                out.extend(link(page));
                let code = [Span::new(code.as_str(), "ui.overlay.title")];
                out.extend(line::wrap(&code, width, &[], &[], BreakMode::Words));
            }
        }
    }
    let (words, scope) = match &view.question {
        Some(question) => (format!("{}:", question.text), "ui.overlay"),
        None => ("waiting…".to_string(), "ui.overlay.soft"),
    };
    out.extend(line::wrap(&[Span::new(words, scope)], width, &[], &[], BreakMode::Words));
    out
}

/// Returns its area.
pub fn view_area(size: (u16, u16), view: &LoginView) -> Rect {
    let cols = COLS.min(size.0);
    let inner = frame::frame_area(size, cols, 3).width;
    let rows = lines(view, inner).len().min(1_000) as u16 + u16::from(view.question.is_some());
    frame::frame_area(size, cols, rows + 2)
}

/// Returns the keys; in a narrow frame only the unusual ones.
fn footer(view: &LoginView, room: usize) -> String {
    let (page, code) = (view.page().is_some(), view.code().is_some());
    let keys = [
        (view.question.is_some(), "Enter accept"),
        (true, "Escape cancel"),
        (page, "Alt-c copy link"),
        (page, "Alt-o open"),
        (code, "Alt-k code"),
    ];
    let few = [(page, "Alt-c copy"), (page, "Alt-o open"), (code, "Alt-k code")];
    let line = |keys: &[(bool, &'static str)]| {
        let shown: Vec<&str> = keys.iter().filter(|(is, _)| *is).map(|(_, key)| *key).collect();
        shown.join("  ")
    };
    let all = line(&keys);
    if text_width(&all) <= room || !page { all } else { line(&few) }
}

/// Returns the end of the input, as far as there is room.
fn tail(question: &LoginQuestion, room: usize) -> String {
    let shown = question.visible_answer();
    let mut skip = (text_width(&shown) + 1).saturating_sub(room);
    let mut out = String::new();
    for grapheme in graphemes(&shown) {
        if skip == 0 {
            out.push_str(grapheme);
        }
        skip = skip.saturating_sub(text_width(grapheme));
    }
    out
}

/// Draws the login.
pub fn draw(canvas: &mut Canvas<'_>, view: &LoginView) {
    let (cols, _) = canvas.size();
    let title = format!("Log in: {}", view.name);
    let inner = frame::draw(canvas, &title, "", &footer(view, usize::from(cols).saturating_sub(6)));
    let all = lines(view, cols);
    let room = usize::from(inner.height).saturating_sub(usize::from(view.question.is_some()));
    // The question is at the end and stays visible.
    for (n, line) in all.iter().skip(all.len().saturating_sub(room)).enumerate() {
        let mut x = inner.x + 1;
        for span in line {
            let style = canvas.style(span.scope);
            x = canvas.text(x, inner.y + n as u16, &span.text, style);
        }
    }
    if let (Some(question), Some(y)) = (&view.question, (inner.y + inner.height).checked_sub(1)) {
        let (soft, style) = (canvas.style("ui.overlay.soft"), canvas.style("ui.overlay"));
        canvas.text(inner.x + 1, y, "›", soft);
        canvas.text(inner.x + 3, y, &tail(question, usize::from(cols).saturating_sub(6)), style);
    }
}

/// Returns the caret in the overlay's coordinates.
pub fn cursor(view: &LoginView, (cols, rows): (u16, u16)) -> Option<(u16, u16)> {
    let width = text_width(&tail(view.question.as_ref()?, usize::from(cols).saturating_sub(6)));
    Some((4 + width as u16, rows.checked_sub(2)?))
}
