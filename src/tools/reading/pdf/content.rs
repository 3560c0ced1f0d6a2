//! Interprets a page's content stream, as far as it positions text.
//!
//! Must not know documents nor lines: glyphs go to a sink. Nothing is drawn.

use std::collections::HashMap;
use std::rc::Rc;

use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};
use hayro_syntax::page::Resources;

use super::encoding::{self, BaseEncoding};
use super::font::{Font, ShownChar};
use super::matrix::Matrix;

/// Operators between two checks for the timeout.
const OPERATORS_PER_LOOK: usize = 256;
/// Forms within forms.
const DEPTH_MAX: usize = 12;
/// Maximum depth of saved states.
const STATES_MAX: usize = 512;
/// Maximum number of cached fonts; a document of reports may have one per page.
const FONTS_MAX: usize = 256;

/// A positioned glyph.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Glyph<'a> {
    /// Its text; `None` if unknown.
    pub text: Option<&'a str>,
    /// Its start.
    pub from: (f64, f64),
    /// The start of the next glyph.
    pub to: (f64, f64),
    /// Its font size.
    pub size: f64,
}

/// Receiver of glyphs.
pub type Sink<'s> = &'s mut dyn FnMut(Glyph<'_>);

/// Cache of fonts, by their data in the document.
pub type Fonts = HashMap<Vec<u8>, Rc<Font>>;

/// Interprets the content of one page.
pub struct Reader<'s> {
    /// The font cache.
    pub fonts: &'s mut Fonts,
    /// The receiver of glyphs.
    pub sink: Sink<'s>,
    /// Returns whether to stop.
    pub stop: &'s dyn Fn() -> bool,
    /// Operators that may still follow.
    pub operators_left: usize,
    /// Whether there was an image.
    pub pictures: bool,
}

/// The graphics state, as far as text needs it.
#[derive(Clone)]
struct State {
    page: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    char_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

/// The text position within a text object.
#[derive(Clone, Copy)]
struct TextPosition {
    current: Matrix,
    line: Matrix,
}

/// Replacement text of marked content.
struct ActualText {
    /// The nesting depth before it.
    depth: usize,
    /// The text, until the first glyph has taken it.
    text: Option<String>,
}

impl Reader<'_> {
    /// Follows a content stream.
    pub fn follow(&mut self, content: &[u8], resources: &Resources<'_>, page: Matrix) {
        let state = State {
            page,
            font: None,
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        self.run(content, resources, state, 0);
    }

    /// Whether another operator may be processed.
    fn may_continue(&mut self) -> bool {
        self.operators_left = self.operators_left.saturating_sub(1);
        if self.operators_left.is_multiple_of(OPERATORS_PER_LOOK) && (self.stop)() {
            self.operators_left = 0;
        }
        self.operators_left > 0
    }

    fn run(&mut self, content: &[u8], resources: &Resources<'_>, state: State, depth: usize) {
        let mut kept = Vec::new();
        let place = TextPosition { current: Matrix::IDENTITY, line: Matrix::IDENTITY };
        let mut text = Text { state, position: place, marks: 0, actual: None };
        let mut operators = TypedIter::new(content);
        while let Some(operator) = operators.next() {
            if !self.may_continue() {
                return;
            }
            match operator {
                TypedInstruction::SaveState(_) if kept.len() < STATES_MAX => kept.push(text.state.clone()),
                TypedInstruction::RestoreState(_) => text.state = kept.pop().unwrap_or(text.state),
                TypedInstruction::Transform(m) => {
                    text.state.page = matrix([m.0, m.1, m.2, m.3, m.4, m.5]) * text.state.page;
                }
                TypedInstruction::XObject(name) => self.object(name.0, resources, &text.state, depth),
                TypedInstruction::InlineImage(_) => self.pictures = true,
                TypedInstruction::TextFont(font) => {
                    text.state.font = resources.get_font(font.0).map(|dict| self.font(&dict));
                    text.state.size = font.1.as_f64();
                }
                TypedInstruction::BeginMarkedContent(_) => text.marks += 1,
                TypedInstruction::BeginMarkedContentWithProperties(mark) => text.mark(mark.1, resources),
                TypedInstruction::EndMarkedContent(_) => text.unmark(),
                other => text.show(&other, self.sink),
            }
        }
    }

    fn font(&mut self, dict: &Dict<'_>) -> Rc<Font> {
        let data = dict.data();
        if self.fonts.len() > FONTS_MAX {
            self.fonts.clear();
        }
        if let Some(known) = self.fonts.get(data) {
            return Rc::clone(known);
        }
        let font = Rc::new(Font::read(dict));
        self.fonts.insert(data.to_vec(), Rc::clone(&font));
        font
    }

    /// Handles an external object: a form has its own content; others are images.
    fn object(&mut self, name: &Name<'_>, resources: &Resources<'_>, state: &State, depth: usize) {
        let Some(object) = resources.get_x_object(name) else { return };
        let dict = object.dict();
        if dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Image") {
            self.pictures = true;
            return;
        }
        let Some(content) = (depth < DEPTH_MAX).then(|| decode(&object)).flatten() else { return };
        let own = dict.get::<[f32; 6]>("Matrix").map(|numbers| Matrix(numbers.map(f64::from)));
        let mut state = state.clone();
        state.page = own.unwrap_or(Matrix::IDENTITY) * state.page;
        // Old forms have no resources and use the page's.
        match dict.get::<Dict<'_>>("Resources") {
            Some(own) => self.run(&content, &Resources::new(own), state, depth + 1),
            None => self.run(&content, resources, state, depth + 1),
        }
    }
}

fn decode(stream: &Stream<'_>) -> Option<Vec<u8>> {
    Some(stream.decoded_data().ok()?.into_owned())
}

fn matrix(numbers: [Number; 6]) -> Matrix {
    Matrix(numbers.map(|number| number.as_f64()))
}

/// State of a text object.
struct Text {
    state: State,
    position: TextPosition,
    marks: usize,
    actual: Option<ActualText>,
}

impl Text {
    /// Handles operators that change or show text; others are ignored.
    fn show(&mut self, operator: &TypedInstruction<'_, '_>, sink: Sink<'_>) {
        match operator {
            TypedInstruction::BeginText(_) => {
                self.position = TextPosition { current: Matrix::IDENTITY, line: Matrix::IDENTITY };
            }
            TypedInstruction::CharacterSpacing(space) => self.state.char_space = space.0.as_f64(),
            TypedInstruction::WordSpacing(space) => self.state.word_space = space.0.as_f64(),
            TypedInstruction::HorizontalScaling(scale) => self.state.stretch = scale.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(leading) => self.state.leading = leading.0.as_f64(),
            TypedInstruction::TextRise(rise) => self.state.rise = rise.0.as_f64(),
            TypedInstruction::NextLine(by) => self.next_line(by.0.as_f64(), by.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(by) => {
                self.state.leading = -by.1.as_f64();
                self.next_line(by.0.as_f64(), by.1.as_f64());
            }
            TypedInstruction::SetTextMatrix(m) => {
                let now = matrix([m.0, m.1, m.2, m.3, m.4, m.5]);
                self.position = TextPosition { current: now, line: now };
            }
            TypedInstruction::NextLineUsingLeading(_) => self.next_line(0.0, -self.state.leading),
            TypedInstruction::ShowText(text) => self.glyphs(text.0.as_bytes(), sink),
            TypedInstruction::NextLineAndShowText(text) => {
                self.next_line(0.0, -self.state.leading);
                self.glyphs(text.0.as_bytes(), sink);
            }
            TypedInstruction::ShowTextWithParameters(text) => {
                self.state.word_space = text.0.as_f64();
                self.state.char_space = text.1.as_f64();
                self.next_line(0.0, -self.state.leading);
                self.glyphs(text.2.as_bytes(), sink);
            }
            TypedInstruction::ShowTexts(texts) => self.show_array(texts.0, sink),
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        let line = Matrix::shift(x, y) * self.position.line;
        self.position = TextPosition { current: line, line };
    }

    /// Handles texts with numbers between them, which move the position by thousandths.
    fn show_array(&mut self, texts: &Array<'_>, sink: Sink<'_>) {
        for part in texts.iter::<Object<'_>>() {
            match part {
                Object::String(text) => self.glyphs(text.as_bytes(), sink),
                Object::Number(number) => {
                    let by = -number.as_f64() / 1000.0 * self.state.size;
                    let down = self.state.font.as_ref().is_some_and(|font| font.vertical);
                    let by = if down { (0.0, by) } else { (by * self.state.stretch, 0.0) };
                    self.position.current = Matrix::shift(by.0, by.1) * self.position.current;
                }
                _ => {}
            }
        }
    }

    fn glyphs(&mut self, bytes: &[u8], sink: Sink<'_>) {
        let Some(font) = self.state.font.clone() else { return };
        let State { size, char_space, word_space, stretch, rise, .. } = self.state;
        font.each(bytes, &mut |ShownChar { text, width, blank }| {
            let text = match &mut self.actual {
                Some(actual) => Some(actual.text.take().unwrap_or_default().into()),
                None => text,
            };
            let on_page =
                Matrix([size * stretch, 0.0, 0.0, size, 0.0, rise]) * self.position.current * self.state.page;
            let space = char_space + if blank { word_space } else { 0.0 };
            let (end, step) = if font.vertical {
                ((0.0, -width), (0.0, space - width * size))
            } else {
                ((width, 0.0), ((width * size + space) * stretch, 0.0))
            };
            let glyph = Glyph {
                text: text.as_deref(),
                from: on_page.point(0.0, 0.0),
                to: on_page.point(end.0, end.1),
                size: on_page.scale(),
            };
            sink(glyph);
            self.position.current = Matrix::shift(step.0, step.1) * self.position.current;
        });
    }

    /// Starts marked content, which may have a replacement text.
    fn mark(&mut self, properties: &Object<'_>, resources: &Resources<'_>) {
        let named;
        let dict = match properties {
            Object::Dict(dict) => Some(dict),
            Object::Name(name) => {
                named = resources.properties.get::<Dict<'_>>(name);
                named.as_ref()
            }
            _ => None,
        };
        let text = dict.and_then(|dict| dict.get::<hayro_syntax::object::String<'_>>("ActualText"));
        if let Some(text) = text.filter(|_| self.actual.is_none()) {
            self.actual = Some(ActualText { depth: self.marks, text: Some(text_string(text.as_bytes())) });
        }
        self.marks += 1;
    }

    fn unmark(&mut self) {
        self.marks = self.marks.saturating_sub(1);
        if self.actual.as_ref().is_some_and(|actual| actual.depth >= self.marks) {
            self.actual = None;
        }
    }
}

/// Decodes a text string: UTF-16 or UTF-8 with a byte order mark, or else PDF's own encoding, which is nearly
/// Windows-1252.
fn text_string(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned();
    }
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return String::from_utf8_lossy(rest).into_owned();
    }
    bytes.iter().filter_map(|byte| encoding::BaseEncoding::char(BaseEncoding::WinAnsi, *byte)).collect()
}
