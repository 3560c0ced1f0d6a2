//! Options for showing and typing text. Must not know what the text is.

/// Options for showing and typing text, from the settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether the screen is drawn for screen readers: the one place where this is known.
    pub accessible: bool,
    /// Cells between tab stops.
    pub tab_width: usize,
    /// Whether typing an opening bracket or quote inserts its partner.
    pub auto_pairs: bool,
    /// The column at which paragraphs are broken.
    pub wrap_column: usize,
    /// Whether the model's thinking is shown.
    pub show_thinking: bool,
    /// Whether tool output is shown in full.
    pub expand_output: bool,
    /// Width and height of a cell in pixels, if images are shown.
    pub image_cell: Option<(u16, u16)>,
}

impl TextOptions {
    /// Returns the options from the settings.
    pub fn new(tab_width: usize, auto_pairs: bool, wrap_column: usize) -> Self {
        Self {
            accessible: false,
            tab_width: tab_width.clamp(1, 16),
            auto_pairs,
            wrap_column: wrap_column.max(1),
            show_thinking: false,
            expand_output: false,
            image_cell: None,
        }
    }
}
