//! Layout of one item of the conversation as lines. Must not know where an item is shown.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::ide::features::transcript::cards::card::card;
use crate::ide::features::transcript::cards::form::{CardForm, CardKeys};
use crate::ide::features::transcript::items::{Item, ItemKind};
use crate::ide::features::transcript::lines;
use crate::ide::model::view::text_options::TextOptions;
use crate::tui::widgets::line::{self, Line, Role, Span};
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

/// Bytes of a text that are laid out at once: one or two milliseconds of work.
const STEP: usize = 8 << 10;
/// The same at another width, of what was laid out before: a text that is read stays where it is.
const STEP_OF_WIDTH: usize = 256 << 10;

/// The lines of one item at a width. Text of any length is laid out where it is shown.
pub struct Layout {
    lines: Lines,
    version: u64,
    /// Bytes of the text when it was last seen.
    len: usize,
    /// Bytes of the text that are laid out.
    laid_len: usize,
    options: ItemOptions,
    width: u16,
    /// The line above the others that says who speaks, for screen readers.
    speaker: Option<Line>,
}

enum Lines {
    Markdown(Box<Markdown>),
    Plain(Box<PlainText>),
    /// A limited number of rows.
    Rows(Box<Rows>),
}

/// A limited number of rows, for a version of the item.
#[derive(Default)]
struct Rows {
    version: Option<u64>,
    lines: Vec<Line>,
    bytes: usize,
    /// Colors of the pieces of code in them; `None` until they are requested.
    colors: Option<Vec<Vec<Colored>>>,
    /// Pieces of code whose colors are requested.
    pending: Vec<Block>,
    /// Hash of the pieces of code.
    code: u64,
}

impl Rows {
    fn lay_out(&mut self, item: &Item, width: u16, options: ItemOptions, keys: &CardKeys) {
        let code = code_of(item);
        let hash = hash_of(&code);
        if self.code != hash {
            (self.code, self.colors, self.pending) = (hash, None, Vec::new());
        }
        let form = CardForm::new(width, options, keys, self.colors.as_deref().unwrap_or_default());
        self.lines = lines::lay_out(item, &form);
        self.version = Some(item.version);
        let colors = self.colors.iter().flatten().map(|colors| colors.capacity() * size_of::<Colored>());
        let pending = self.pending.iter().map(|block| block.code.capacity());
        self.bytes = line::bytes(&self.lines) + colors.sum::<usize>() + pending.sum::<usize>();
    }

    /// Requests colors once rows are shown.
    fn on_shown(&mut self, item: &Item) {
        if self.colors.is_none() {
            self.pending = code_of(item);
            self.colors = Some(vec![Vec::new(); self.pending.len()]);
        }
    }

    fn color(&mut self, item: &Item, block: &Block, colors: &[Colored]) -> bool {
        let is_same = hash_of(&code_of(item)) == self.code;
        let place = self.colors.as_mut().and_then(|all| all.get_mut(block.start)).filter(|_| is_same);
        let Some(place) = place else { return false };
        *place = colors.to_vec();
        self.version = None;
        true
    }
}

/// Returns the pieces of code in the card of a call.
fn code_of(item: &Item) -> Vec<Block> {
    match &item.kind {
        ItemKind::Tool(call) => (card(call.view.kind).code)(call),
        _ => Vec::new(),
    }
}

fn hash_of(blocks: &[Block]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for block in blocks {
        (&block.language, &block.code).hash(&mut hasher);
    }
    hasher.finish()
}

/// Returns the text of an item of unlimited length.
fn text_of(item: &Item) -> &str {
    match &item.kind {
        ItemKind::User(text)
        | ItemKind::Answer(text)
        | ItemKind::Thinking(text)
        | ItemKind::Notice { text, .. } => text,
        ItemKind::Tool(_) | ItemKind::Summary { .. } | ItemKind::Image(_) => "",
    }
}

/// Returns the line that says who speaks; `None` where the first line says it.
fn speaker(item: &Item) -> Option<Line> {
    let name = match &item.kind {
        ItemKind::Answer(_) => "Agent:",
        ItemKind::Thinking(_) => "Thinking:",
        _ => return None,
    };
    Some(vec![Span::new(name, "ui.prompt").with_role(Role::Aside)])
}

impl Layout {
    /// Returns the layout of an item, without lines yet.
    pub fn new(item: &Item, width: u16, options: ItemOptions) -> Self {
        let plain = |scope, lead| Lines::Plain(Box::new(PlainText::new(scope, lead)));
        let lines = match &item.kind {
            ItemKind::Answer(_) if options.show.accessible => Lines::Markdown(Box::new(Markdown::linear())),
            ItemKind::Answer(_) => Lines::Markdown(Box::default()),
            ItemKind::Thinking(_) => plain("agent.thinking", None),
            ItemKind::User(_) => {
                let sign = if options.show.accessible { "You: " } else { "› " };
                plain("agent.user", Some(Span::new(sign, "ui.prompt")))
            }
            ItemKind::Notice { error, .. } => {
                let (sign, scope) = match (options.show.accessible, *error) {
                    (true, true) => ("Error: ", "error"),
                    (true, false) => ("Note: ", "ui.text.soft"),
                    (false, true) => ("✗ ", "error"),
                    (false, false) => ("· ", "ui.text.soft"),
                };
                plain(scope, Some(Span::new(sign, scope)))
            }
            ItemKind::Tool(_) | ItemKind::Summary { .. } | ItemKind::Image(_) => Lines::Rows(Box::default()),
        };
        let speaker = options.show.accessible.then(|| speaker(item)).flatten();
        let len = text_of(item).len();
        Self { lines, version: item.version, len, laid_len: usize::MAX, options, width, speaker }
    }

    /// Lays out the beginning of a long text only, until more is requested by [`Self::lay_out_more`]. Not for screen
    /// readers, which would speak a sentence that is not whole.
    #[must_use]
    pub fn in_steps(mut self) -> Self {
        self.laid_len = if self.options.show.accessible { usize::MAX } else { STEP };
        self
    }

    /// Returns whether all of the text is laid out.
    pub fn is_whole(&self) -> bool {
        self.laid_len >= self.len
    }

    /// Lays out more of a long text.
    pub fn lay_out_more(&mut self) {
        self.laid_len = self.laid_len.saturating_add(STEP);
    }

    /// Lays out all of the text.
    pub fn lay_out_whole(&mut self) {
        self.laid_len = usize::MAX;
    }

    /// Notes the length of a text that may have grown: what is written is laid out as it comes.
    fn note_len(&mut self, len: usize) {
        if len != self.len && self.is_whole() {
            self.laid_len = self.laid_len.max(self.len.saturating_add(STEP));
        }
        self.len = len;
    }

    /// Returns the text of an item of unlimited length, as far as it is shown: to a screen reader, which speaks every
    /// change, whole sentences and lines of a text that is still written.
    fn shown_text<'a>(&self, item: &'a Item) -> &'a str {
        let text = text_of(item);
        let shown = if self.options.show.accessible { item.shown_len() } else { usize::MAX };
        &text[..text.floor_char_boundary(shown.min(self.laid_len))]
    }

    /// Updates the layout for the current item and display options.
    pub fn update(&mut self, item: &Item, width: u16, options: ItemOptions, keys: &CardKeys) {
        // Other texts only grow; the text of a notice may be replaced.
        let is_replaced = matches!(item.kind, ItemKind::Notice { .. }) && self.version != item.version;
        let is_in_steps = self.laid_len != usize::MAX;
        let is_long = is_in_steps && self.laid_len > STEP_OF_WIDTH && self.width != width;
        if is_replaced || is_long || self.options.show.accessible != options.show.accessible {
            let new = Self::new(item, width, options);
            *self = if is_in_steps { new.in_steps() } else { new };
            if is_long {
                self.laid_len = self.laid_len.max(STEP_OF_WIDTH);
            }
        }
        self.note_len(text_of(item).len());
        let same = (self.options, self.width) == (options, width);
        (self.options, self.width) = (options, width);
        if let Lines::Rows(rows) = &mut self.lines
            && !(same && rows.version == Some(item.version))
        {
            rows.lay_out(item, width, options, keys);
        }
    }

    /// Returns the number of lines of the item.
    pub fn height(&mut self, item: &Item) -> usize {
        let text = self.shown_text(item);
        let height = match &mut self.lines {
            Lines::Markdown(markdown) => markdown.height(text, self.width),
            Lines::Plain(plain) => plain.height(text, self.width),
            Lines::Rows(rows) => rows.lines.len(),
        };
        // Who speaks is said with the first words.
        height + usize::from(height > 0 && self.speaker.is_some())
    }

    /// Passes lines of a range to `draw`.
    pub fn visit(&mut self, item: &Item, range: Range<usize>, draw: &mut impl FnMut(&Line)) {
        let above = usize::from(self.speaker.is_some());
        if range.start < above {
            self.speaker.iter().filter(|_| range.end > 0).for_each(&mut *draw);
        }
        let range = range.start.saturating_sub(above)..range.end.saturating_sub(above);
        let text = self.shown_text(item);
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.visit(text, self.width, range, draw),
            Lines::Plain(plain) => plain.visit(text, self.width, range, draw),
            Lines::Rows(rows) => {
                rows.on_shown(item);
                rows.lines.iter().take(range.end).skip(range.start).for_each(draw);
            }
        }
    }

    /// Takes the code blocks that came on screen and have no colors yet.
    pub fn take_blocks(&mut self) -> Vec<Block> {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.take_blocks(),
            Lines::Plain(_) => Vec::new(),
            Lines::Rows(rows) => std::mem::take(&mut rows.pending),
        }
    }

    /// Stores the colors of a block; returns whether the block still exists.
    pub fn color(&mut self, item: &Item, block: &Block, colors: &[Colored]) -> bool {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.color(text_of(item), block, colors),
            Lines::Plain(_) => false,
            Lines::Rows(rows) => rows.color(item, block, colors),
        }
    }

    /// Shows a block as a drawing; returns whether the block still exists.
    pub fn draw(&mut self, item: &Item, block: &Block, lines: Vec<String>) -> bool {
        match &mut self.lines {
            Lines::Markdown(markdown) => markdown.draw(text_of(item), block, lines),
            Lines::Plain(_) | Lines::Rows(_) => false,
        }
    }

    /// Returns its size in bytes.
    pub fn bytes(&self) -> usize {
        match &self.lines {
            Lines::Markdown(markdown) => markdown.bytes(),
            Lines::Plain(plain) => plain.bytes(),
            Lines::Rows(rows) => rows.bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, grows: bool) -> String {
        let kind = ItemKind::Answer(text.to_string());
        let item = Item { id: 1, version: 0, took: None, grows, revealed: None, kind };
        let show = TextOptions { accessible: true, ..TextOptions::new(4, true, 80) };
        let options = ItemOptions { show, is_closed: false };
        let mut layout = Layout::new(&item, 40, options);
        let (height, mut lines) = (layout.height(&item), Vec::new());
        layout.visit(&item, 0..height, &mut |line: &Line| {
            lines.push(line.iter().map(|span| span.text.as_str()).collect::<String>());
        });
        assert_eq!(lines.len(), height, "{lines:?}");
        lines.join("|")
    }

    #[test]
    fn layout_accessible_growing_answer_ends_with_a_sentence_or_line() {
        assert_eq!(shown("One is", true), "");
        assert_eq!(shown("One is done. Two", true), "Agent:|One is done.");
        assert_eq!(shown("# Title\nand 完了。次", true), "Agent:|Heading 1: Title|and 完了。");
        assert_eq!(shown("One is done. Two", false), "Agent:|One is done. Two");
    }

    #[test]
    fn layout_accessible_parts_of_lines_are_those_of_the_whole() {
        let kind = ItemKind::Answer("a\n\nb".into());
        let item = Item { id: 1, version: 0, took: None, grows: false, revealed: None, kind };
        let show = TextOptions { accessible: true, ..TextOptions::new(4, true, 80) };
        let mut layout = Layout::new(&item, 40, ItemOptions { show, is_closed: false });
        let mut lines = |range: Range<usize>| {
            let mut out = String::new();
            layout.visit(&item, range, &mut |line: &Line| {
                out.push_str(&line.first().map_or("", |span| span.text.as_str()).replace(':', ""));
            });
            out
        };
        assert_eq!([lines(0..1), lines(1..2), lines(0..4), lines(3..4)], ["Agent", "a", "Agentab", "b"]);
    }
}
