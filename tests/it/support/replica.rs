//! A terminal that gets the frames of an IDE. After any number of differences it must show what it would show after
//! one full redraw, with the caret at the same place, and it must have the images that the screen refers to.

use std::collections::BTreeSet;
use std::num::NonZeroU16;

use bowline::tui::headless::picture_of;
use bowline::tui::images::placeholder;
use bowline::tui::screen::Screen;
use bowline::tui::writer::Writer;

/// Begin of a sequence of Kitty's graphics protocol.
const KITTY: &[u8] = b"\x1b_G";

/// The terminal.
pub struct Replica {
    parser: vt100::Parser,
    /// The images that it has, by number.
    images: BTreeSet<u32>,
    /// Whether placeholders refer to them.
    has_placeholders: bool,
}

impl Replica {
    /// A terminal of this size that has shown nothing; `has_placeholders` says whether images come by Kitty's
    /// protocol.
    pub fn new(size: (u16, u16), has_placeholders: bool) -> Self {
        Self { parser: parser(size), images: BTreeSet::new(), has_placeholders }
    }

    /// Shows the bytes of frames for this size.
    pub fn process(&mut self, size: (u16, u16), bytes: &[u8]) {
        let (rows, cols) = self.parser.screen().size();
        if (cols.get(), rows.get()) != (size.0.max(1), size.1.max(1)) {
            self.parser.screen_mut().set_size(nonzero(size.1), nonzero(size.0));
        }
        self.note_images(bytes);
        self.parser.process(&known(bytes));
    }

    /// Panics unless it shows what a full redraw would show.
    pub fn check(&self, screen: &Screen) {
        let buffer = screen.buffer();
        let mut full = parser(screen.size());
        let mut writer = Writer::new(screen.depth());
        writer.clear();
        writer.write_all(buffer);
        full.process(&known(&writer.take().0));
        for y in 0..buffer.area.height {
            for x in 0..buffer.area.width {
                let (seen, expected) = (shown(&self.parser, x, y), shown(&full, x, y));
                if seen != expected && !placeholder::is_image(&buffer[(x, y)]) {
                    let contents = self.parser.screen().contents();
                    let picture = picture_of(buffer, screen.cursor());
                    panic!(
                        "the terminal shows {seen} at {x}, {y}, not {expected}:\n{contents}\nof:\n{picture}"
                    );
                }
            }
        }
        self.check_caret(screen);
        self.check_images(screen);
    }

    /// Panics unless it has the images that the screen refers to.
    pub fn check_images(&self, screen: &Screen) {
        if !self.has_placeholders {
            return;
        }
        for cell in screen.buffer().content.iter().filter_map(placeholder::get) {
            let number = cell.id.number();
            assert!(self.images.contains(&number), "{cell:?} is drawn, but was not sent");
        }
    }

    fn check_caret(&self, screen: &Screen) {
        let terminal = self.parser.screen();
        let (row, col) = terminal.cursor_position();
        let seen = (!terminal.hide_cursor()).then_some((col, row));
        assert_eq!(seen, screen.cursor(), "the caret of\n{}", picture_of(screen.buffer(), screen.cursor()));
    }

    /// Notes which images the terminal is sent and which it deletes.
    fn note_images(&mut self, bytes: &[u8]) {
        for at in memchr::memmem::find_iter(bytes, KITTY) {
            let body = &bytes[at + KITTY.len()..];
            let end = body.iter().position(|byte| matches!(byte, b';' | 0x1b)).unwrap_or(body.len());
            let head = String::from_utf8_lossy(&body[..end]);
            let value =
                |key: &str| head.split(',').find_map(|part| part.strip_prefix(key)?.strip_prefix('='));
            let number = value("i").and_then(|number| number.parse().ok());
            match (value("a"), number) {
                (Some("T"), Some(number)) => _ = self.images.insert(number),
                (Some("d"), Some(number)) => _ = self.images.remove(&number),
                // A further part of an image.
                _ => {}
            }
        }
    }
}

/// Bytes without what the emulator leaves out: it takes the sign for bad bytes for bad bytes.
fn known(bytes: &[u8]) -> Vec<u8> {
    String::from_utf8_lossy(bytes).replace('\u{fffd}', "?").into_bytes()
}

fn nonzero(side: u16) -> NonZeroU16 {
    NonZeroU16::new(side).unwrap_or(NonZeroU16::MIN)
}

fn parser((cols, rows): (u16, u16)) -> vt100::Parser {
    vt100::Parser::new(nonzero(rows), nonzero(cols), 0)
}

/// A cell as it is seen.
fn shown(parser: &vt100::Parser, x: u16, y: u16) -> String {
    let Some(cell) = parser.screen().cell(y, x) else { return "nothing".to_string() };
    if cell.is_wide_continuation() {
        return "half".to_string();
    }
    let is_blank = matches!(cell.contents(), "" | " ");
    let text = if is_blank { " " } else { cell.contents() };
    // The color of a blank's text is not seen.
    let is_seen = !is_blank || cell.inverse() || cell.underline();
    let color = if is_seen { cell.fgcolor() } else { vt100::Color::Default };
    let marks = [cell.bold() && !is_blank, cell.italic() && !is_blank, cell.underline(), cell.inverse()];
    format!("{text:?} {color:?} {:?} {marks:?}", cell.bgcolor())
}
