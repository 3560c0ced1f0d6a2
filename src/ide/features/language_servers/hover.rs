//! The pop-up at the caret with what is known there: diagnostics, types, documentation. Any key that does not scroll
//! closes it and has its usual effect.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::code_fence::code_fence;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::at_caret;
use crate::ide::core::layers::frame;
use crate::ide::core::layers::layer::{Actions, Layer};
use crate::ide::core::state::State;
use crate::ide::core::tasks::threads::on_thread;
use crate::lsp::answers::diagnostics::Diagnostic;
use crate::syntax::highlighting::whole_text::CodeLanguage;
use crate::text::rope::Text;
use crate::tui::canvas::Canvas;
use crate::tui::input::Key;
use crate::tui::widgets::line::Line;
use crate::tui::widgets::markdown::Markdown;

/// Maximum columns of its text.
const WIDTH_MAX: u16 = 80;
/// Maximum rows of its text.
const HEIGHT_MAX: u16 = 16;
/// Cells beside the text: frame and margin.
const FRAME: u16 = 4;
/// Rows above and below the text.
const FRAME_ROWS: u16 = 2;
/// Time for the colors of a block of code.
const BUDGET: std::time::Duration = std::time::Duration::from_millis(200);

/// The pop-up.
pub struct HoverView {
    lines: Vec<Line>,
    /// First line that is shown.
    top: usize,
    /// Cell of the caret on the screen.
    caret: (u16, u16),
}

/// Returns the columns of the text on a screen of this size.
pub fn width(size: (u16, u16)) -> u16 {
    size.0.saturating_sub(FRAME).clamp(1, WIDTH_MAX)
}

/// Returns a diagnostic as Markdown that shows its message as it is.
pub fn diagnostic_markdown(found: &Diagnostic) -> String {
    let origin = found.origin();
    let head = if origin.is_empty() {
        found.severity.name().to_string()
    } else {
        format!("{} ({})", found.severity.name(), origin.replace(['`', '*', '_', '[', '<'], " "))
    };
    format!("**{head}**\n\n{}", code_block(&found.message))
}

/// Returns code as Markdown.
pub fn code_block(code: &str) -> String {
    let fence = code_fence(code);
    format!("{fence}\n{code}\n{fence}")
}

/// Lays out a text, with the colors of its code.
pub async fn lay_out(text: String, width: u16, is_linear: bool) -> Vec<Line> {
    on_thread(move || {
        let mut layout = if is_linear { Markdown::linear() } else { Markdown::default() };
        layout.finish();
        let height = layout.height(&text, width);
        // Only what was drawn asks for colors.
        layout.visit(&text, width, 0..height, &mut |_| {});
        for block in layout.take_blocks() {
            let painted = CodeLanguage::by_name(&block.language)
                .and_then(|language| language.paint(&Text::from(block.code.as_str()), BUDGET));
            if let Some(painted) = painted.filter(|_| !is_linear) {
                let spans = painted.spans();
                let colors: Vec<_> =
                    spans.map(|span| (span.range.start.0..span.range.end.0, span.scope)).collect();
                layout.color(&text, &block, &colors);
            }
        }
        let mut lines = Vec::with_capacity(height);
        layout.visit(&text, width, 0..height, &mut |line| lines.push(line.clone()));
        lines
    })
    .await
}

/// Opens the pop-up at the caret.
pub fn open(cx: &mut Cx<'_>, lines: Vec<Line>) {
    let caret = cx.state.buffers.current().map(|buffer| buffer.area.caret());
    let caret = caret.and_then(|caret| at_caret::cell(cx.state, caret)).unwrap_or((0, 0));
    cx.state.push_layer(HoverView { lines, top: 0, caret });
}

impl HoverView {
    /// Returns the rows of text that are seen on a screen of this size.
    fn rows(&self, size: (u16, u16)) -> u16 {
        self.area(size).height.saturating_sub(FRAME_ROWS)
    }

    /// Scrolls by rows.
    fn scroll(&mut self, by: isize, size: (u16, u16)) {
        let last = self.lines.len().saturating_sub(usize::from(self.rows(size)));
        self.top = self.top.saturating_add_signed(by).min(last);
    }
}

impl Layer for HoverView {
    fn context(&self) -> KeyContext {
        KeyContext::Picker
    }

    fn area(&self, size: (u16, u16)) -> Rect {
        let widest = self.lines.iter().map(|line| crate::tui::widgets::line::width(line)).max().unwrap_or(0);
        let width = u16::try_from(widest).unwrap_or(u16::MAX).min(width(size)).saturating_add(FRAME);
        let height = u16::try_from(self.lines.len()).unwrap_or(u16::MAX).clamp(1, HEIGHT_MAX) + FRAME_ROWS;
        at_caret::area(self.caret, (width, height), size)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, state: &State) {
        let shown = usize::from(self.rows(state.size));
        let rest = self.lines.len().saturating_sub(self.top + shown);
        let footer = if rest > 0 { format!("{rest} more: Down") } else { String::new() };
        let inside = frame::draw(canvas, "Documentation", "", &footer);
        let mut content =
            canvas.sub(Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside });
        draw_lines(&mut content, self.lines.iter().skip(self.top));
    }

    fn actions(&self) -> Actions {
        Actions { raw_key, step: |cx, by| scroll(cx, by), ..Actions::default() }
    }
}

/// Draws lines of documentation from the top of a canvas on.
pub fn draw_lines<'a>(canvas: &mut Canvas<'_>, lines: impl Iterator<Item = &'a Line>) {
    let plain = canvas.style("ui.overlay");
    let ground = Style { bg: plain.bg, ..Style::default() };
    for (y, line) in (0..canvas.size().1).zip(lines) {
        let mut x = 0;
        for span in line {
            let style = plain.patch(canvas.style(span.scope)).patch(ground);
            x = canvas.text(x, y, &span.text, style);
        }
    }
}

fn scroll(cx: &mut Cx<'_>, by: isize) {
    let size = cx.state.size;
    if let Some(view) = cx.state.layers.top_mut::<HoverView>() {
        view.scroll(by, size);
        cx.state.damage.add(Part::Overlay);
    }
}

/// Scrolls, or closes the pop-up: Escape only that, all other keys have their effect, too.
fn raw_key(cx: &mut Cx<'_>, key: Key) -> bool {
    let size = cx.state.size;
    let Some(page) = cx.state.layers.top::<HoverView>().map(|view| view.rows(size)) else { return false };
    let page = isize::try_from(page.max(1)).unwrap_or(1);
    match key.to_string().as_str() {
        "Down" => scroll(cx, 1),
        "Up" => scroll(cx, -1),
        "PageDown" => scroll(cx, page),
        "PageUp" => scroll(cx, -page),
        other => {
            let is_escape = other == "Escape";
            drop(cx.state.layers.pop_as::<HoverView>());
            cx.state.damage.add_all();
            return is_escape;
        }
    }
    true
}
