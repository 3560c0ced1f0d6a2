//! How a card is laid out: its width, how much of it is shown, and the keys that it names. Must not know calls.

use crate::ide::features::transcript::layout::ItemOptions;
use crate::tui::widgets::markdown::code_blocks::Colored;

/// Keys that cards name, as they are shown; empty if a command has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardKeys {
    /// Shows more of the output.
    pub expand: String,
}

/// How a card is laid out.
#[derive(Debug, Clone, Copy)]
pub struct CardForm<'a> {
    /// Columns for text.
    pub width: u16,
    /// Whether all of it is shown.
    pub is_full: bool,
    /// Whether only its head is shown.
    pub is_closed: bool,
    /// Whether a screen reader reads it: words in place of signs, and nothing that changes by time.
    pub is_accessible: bool,
    /// Width and height of a cell in pixels, if images are shown.
    pub image_cell: Option<(u16, u16)>,
    /// The keys.
    pub keys: &'a CardKeys,
    /// Colors of its pieces of code, as far as they are known.
    pub colors: &'a [Vec<Colored>],
}

impl<'a> CardForm<'a> {
    /// Returns the form for a width.
    pub fn new(width: u16, options: ItemOptions, keys: &'a CardKeys, colors: &'a [Vec<Colored>]) -> Self {
        let (is_full, is_closed) = (options.show.expand_output, options.is_closed);
        let image_cell = options.show.image_cell;
        let is_accessible = options.show.accessible;
        Self { width, is_full, is_closed, is_accessible, image_cell, keys, colors }
    }

    /// Returns the colors of a piece of code.
    pub fn colors_of(&self, code: usize) -> &'a [Colored] {
        self.colors.get(code).map_or(&[], |colors| &colors[..])
    }
}
