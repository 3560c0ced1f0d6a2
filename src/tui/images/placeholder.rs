//! Cells that show a part of an image: Kitty's placeholder, a private character whose marks name row, column and a part
//! of the id; the color names the rest of it. For other protocols the cells say the same, but are never sent. Must not
//! know bytes of images.
//!
//! A cell names its place completely, so it may be drawn, moved and compared alone.

use ratatui::buffer::Cell;
use ratatui::style::Color;

/// Kitty's character for a cell of an image.
pub const PLACEHOLDER: char = '\u{10EEEE}';
/// Its first byte in UTF-8; few other characters share it.
const FIRST_BYTE: u8 = 0xf4;

/// Maximum rows and columns of an image.
pub const SIDE_MAX: u16 = 255;
/// Number of ids that share their marks.
const COLORS: u16 = 240;
/// The first color that names an id: those before it are the user's own.
const COLOR_FIRST: u8 = 16;

/// Marks by number: ranges of code points, from `rowcolumn-diacritics.txt` of Kitty's documentation.
const MARKS: [(u32, u32); 80] = [
    (0x305, 1),
    (0x30d, 2),
    (0x310, 1),
    (0x312, 1),
    (0x33d, 3),
    (0x346, 1),
    (0x34a, 3),
    (0x350, 3),
    (0x357, 1),
    (0x35b, 1),
    (0x363, 13),
    (0x483, 5),
    (0x592, 4),
    (0x597, 3),
    (0x59c, 6),
    (0x5a8, 2),
    (0x5ab, 2),
    (0x5af, 1),
    (0x5c4, 1),
    (0x610, 8),
    (0x657, 5),
    (0x65d, 2),
    (0x6d6, 7),
    (0x6df, 4),
    (0x6e4, 1),
    (0x6e7, 2),
    (0x6eb, 2),
    (0x730, 1),
    (0x732, 2),
    (0x735, 2),
    (0x73a, 1),
    (0x73d, 1),
    (0x73f, 3),
    (0x743, 1),
    (0x745, 1),
    (0x747, 1),
    (0x749, 2),
    (0x7eb, 7),
    (0x7f3, 1),
    (0x816, 4),
    (0x81b, 9),
    (0x825, 3),
    (0x829, 5),
    (0x951, 1),
    (0x953, 2),
    (0xf82, 2),
    (0xf86, 2),
    (0x135d, 3),
    (0x17dd, 1),
    (0x193a, 1),
    (0x1a17, 1),
    (0x1a75, 8),
    (0x1b6b, 1),
    (0x1b6d, 7),
    (0x1cd0, 3),
    (0x1cda, 2),
    (0x1ce0, 1),
    (0x1dc0, 2),
    (0x1dc3, 7),
    (0x1dcb, 2),
    (0x1dd1, 22),
    (0x1dfe, 1),
    (0x20d0, 2),
    (0x20d4, 4),
    (0x20db, 2),
    (0x20e1, 1),
    (0x20e7, 1),
    (0x20e9, 1),
    (0x20f0, 1),
    (0x2cef, 3),
    (0x2de0, 32),
    (0xa66f, 1),
    (0xa67c, 2),
    (0xa6f0, 2),
    (0xa8e0, 18),
    (0xaab0, 1),
    (0xaab2, 2),
    (0xaab7, 2),
    (0xaabe, 2),
    (0xaac1, 1),
];

/// Id of an image on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId(u16);

impl ImageId {
    /// Returns an id by number; they repeat after about 60 000.
    pub fn new(number: u16) -> Self {
        Self(number % (COLORS * (SIDE_MAX - 1)))
    }

    /// Returns the number that the terminal knows it by.
    pub fn number(self) -> u32 {
        u32::from(self.mark()) << 24 | u32::from(self.color_index())
    }

    fn mark(self) -> u16 {
        1 + self.0 / COLORS
    }

    fn color_index(self) -> u8 {
        COLOR_FIRST + (self.0 % COLORS) as u8
    }
}

/// The part of an image that a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageCell {
    /// The image.
    pub id: ImageId,
    /// Row in it.
    pub row: u16,
    /// Column in it.
    pub col: u16,
}

/// Makes a cell show a part of an image. Its background stays.
pub fn set(cell: &mut Cell, part: ImageCell) {
    let mut symbol = String::with_capacity(13);
    symbol.push(PLACEHOLDER);
    symbol.extend([part.row, part.col, part.id.mark()].into_iter().filter_map(mark));
    cell.set_symbol(&symbol);
    cell.fg = Color::Indexed(part.id.color_index());
    cell.modifier = ratatui::style::Modifier::empty();
}

/// Returns whether a cell shows a part of an image.
pub fn is_image(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.as_bytes().first() == Some(&FIRST_BYTE) && symbol.starts_with(PLACEHOLDER)
}

/// Returns the part of an image that a cell shows, if it does.
pub fn get(cell: &Cell) -> Option<ImageCell> {
    if !is_image(cell) {
        return None;
    }
    let Color::Indexed(index) = cell.fg else { return None };
    let mut marks = cell.symbol().chars().skip(1).filter_map(number);
    let (row, col, part) = (marks.next()?, marks.next()?, marks.next()?);
    let id = part.checked_sub(1)? * COLORS + u16::from(index.checked_sub(COLOR_FIRST)?);
    Some(ImageCell { id: ImageId(id), row, col })
}

fn mark(number: u16) -> Option<char> {
    let mut left = u32::from(number);
    for (first, count) in MARKS {
        if left < count {
            return char::from_u32(first + left);
        }
        left -= count;
    }
    None
}

fn number(mark: char) -> Option<u16> {
    let mut before = 0;
    for (first, count) in MARKS {
        if (first..first + count).contains(&u32::from(mark)) {
            return u16::try_from(before + u32::from(mark) - first).ok();
        }
        before += count;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_placeholder_names_its_place() {
        for (number, row, col) in [(0, 0, 0), (239, 1, 254), (240, 254, 17), (60_959, 99, 200)] {
            let part = ImageCell { id: ImageId::new(number), row, col };
            let mut cell = Cell::default();
            set(&mut cell, part);
            assert_eq!(get(&cell), Some(part), "{number}");
            assert_eq!(unicode_width::UnicodeWidthStr::width(cell.symbol()), 1, "{number}");
        }
        assert_eq!(get(&Cell::new("x")), None);
        assert_eq!(get(&Cell::new("\u{10eeee}")), None);
    }

    #[test]
    fn image_marks_are_those_of_kitty() {
        // The first, the last of the first range of more than one, and the last that is used.
        assert_eq!((mark(0), mark(2), mark(255)), (Some('\u{305}'), Some('\u{30e}'), Some('\u{a8e5}')));
        let all: Vec<char> = (0..=255).filter_map(mark).collect();
        assert!(all.len() == 256 && all.is_sorted());
    }

    #[test]
    fn image_ids_differ_in_their_numbers() {
        let numbers: std::collections::BTreeSet<u32> =
            (0..60_960).map(|n| ImageId::new(n).number()).collect();
        assert_eq!(numbers.len(), 60_960);
        assert_eq!(ImageId::new(60_960), ImageId::new(0));
    }
}
