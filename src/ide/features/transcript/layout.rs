//! Layout of one item of the conversation as lines. Must not know where an item is shown.

use std::ops::Range;

use crate::ide::features::transcript;
use crate::ide::features::transcript::items::{Item, ItemKind};
use crate::ide::model::view::text_options::TextOptions;
use crate::tui::widgets::line::{self, Line, Span};
use crate::tui::widgets::markdown::Markdown;
use crate::tui::widgets::markdown::code_blocks::{Block, Colored};
use crate::tui::widgets::plain::PlainText;

/// How an item is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemOptions {
    /// What is shown of thinking and output.
    pub show: TextOptions,
    /// Whether only the head of a call is shown.
    pub is_closed: bool,
}

/// The lines of one item at a width. Text of any length is laid out where it is shown.
pub struct Layout {
    lines: Lines,
    version: u64,
    options: ItemOptions,
    width: u16,
}

enum Lines {
    Markdown(Box<Markdown>),
    Plain(Box<PlainText>),
    /// A limited number of rows, for a version.
    Rows {
        version: Option<u64>,
        rows: Vec<Line>,
        bytes: usize,
    },
}

/// Returns the text of an item of unlimited length.
fn text_of(item: &Item) -> &str {
    match &item.kind {
        ItemKind::User(text)
        | ItemKind::Answer(text)
        | ItemKind::Thinking(text)
        | ItemKind::Notice { text, .. } => text,
        ItemKind::Tool(_) | ItemKind::Summary { .. } => "",
    }
}

impl Layout {
    /// Returns the layout of an item, without lines yet.
    pub fn new(item: &Item, width: u16, options: ItemOptions) -> Self {
        let plain = |scope, lead| Lines::Plain(Box::new(PlainText::new(scope, lead)));
        let lines = match &item.kind {
            ItemKind::Answer(_) => Lines::Markdown(Box::default()),
            ItemKind::Thinking(_) => plain("agent.thinking", None),
            ItemKind::User(_) => plain("agent.user", Some(Span::new("› ", "ui.prompt"))),
            ItemKind::Notice { error, .. } => {
                let (sign, scope) = if *error { ("✗ ", "error") } else { ("· ", "ui.text.soft") };
                plain(scope, Some(Span::new(sign, scope)))
            }
            ItemKind::Tool(_) | ItemKind::Summary { .. } => {
                Lines::Rows { version: None, rows: Vec::new(), bytes: 0 }
            }
        };
        Self { lines, version: item.version, options, width }
    }

    /// Updates the layout for the current item and display options.
    pub fn update(&mut self, item: &Item, width: u16, options: ItemOptions) {
        // Other texts only grow; the text of a notice may be replaced.
        if matches!(item.kind, ItemKind::Notice { .. }) && self.version != item.version {
            *self = Self::new(item, width, options);
        }
        let same = (self.options, self.width) == (options, width);
        (self.options, self.width) = (options, width);
        if let Lines::Rows { version, rows, bytes } = &mut self.lines
            && !(same && *version == Some(item.version))
        {
            *rows = transcript::lines::lay_out(item, width, options);
            (*version, *bytes) = (Some(item.version), line::bytes(rows));
        }
    }

    /// Returns the number of lines of the item.
    pub fn height(&mut self, item: &Item) -> usize {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.height(text_of(item), self.width),
            Lines::Plain(plain) => plain.height(text_of(item), self.width),
            Lines::Rows { rows, .. } => rows.len(),
        }
    }

    /// Passes lines of a range to `draw`.
    pub fn visit(&mut self, item: &Item, range: Range<usize>, draw: &mut impl FnMut(&Line)) {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.visit(text_of(item), self.width, range, draw),
            Lines::Plain(plain) => plain.visit(text_of(item), self.width, range, draw),
            Lines::Rows { rows, .. } => rows.iter().take(range.end).skip(range.start).for_each(draw),
        }
    }

    /// Takes the code blocks that came on screen and have no colors yet.
    pub fn take_blocks(&mut self) -> Vec<Block> {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.take_blocks(),
            Lines::Plain(_) | Lines::Rows { .. } => Vec::new(),
        }
    }

    /// Stores the colors of a block; returns whether the block still exists.
    pub fn color(&mut self, item: &Item, block: &Block, colors: &[Colored]) -> bool {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.color(text_of(item), block, colors),
            Lines::Plain(_) | Lines::Rows { .. } => false,
        }
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        match &self.lines {
            Lines::Markdown(markdown) => markdown.bytes(),
            Lines::Plain(plain) => plain.bytes(),
            Lines::Rows { bytes, .. } => *bytes,
        }
    }
}
