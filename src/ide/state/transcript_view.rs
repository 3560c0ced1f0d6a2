//! What of the conversation is on screen: where it is scrolled to, and the lines of the items
//! that were laid out lately. The cost of anything here is that of the screen, never of the
//! conversation's length.

use std::collections::HashMap;

use super::show::Show;
use super::transcript::{Item, Kind, Transcript};
use super::transcript_lines;
use crate::tui::widgets::line::Line;
use crate::tui::widgets::markdown::{Block, Colored, Markdown};

/// Items whose lines are kept; more than any screen shows.
const LAID_MAX: usize = 400;

/// The lines of one item.
enum Laid {
    /// Markdown, which grows at its end without being laid out again.
    Markdown { text: Box<Markdown>, seen: usize, version: u64 },
    /// Thinking, which grows at its end: the lines before `done` bytes stay.
    Growing { version: u64, width: u16, done: usize, kept: usize, lines: Vec<Line> },
    /// Anything else, as it was at a version.
    Lines { version: u64, show: Show, width: u16, lines: Vec<Line> },
}

/// The scroll position and the kept lines.
#[derive(Default)]
pub struct TranscriptView {
    laid: HashMap<u64, Laid>,
    /// Blocks of code that were completed, with the items that they belong to.
    blocks: Vec<(u64, Block)>,
    /// The line that stands for thinking that is not shown.
    hidden: Vec<Line>,
    /// The topmost line on screen: item and line in it. `None` keeps to the end.
    top: Option<(usize, usize)>,
}

impl TranscriptView {
    /// Shows the end, and keeps to it as it grows.
    pub fn to_tail(&mut self) {
        self.top = None;
    }

    /// Shows the start.
    pub fn to_top(&mut self) {
        self.top = Some((0, 0));
    }

    /// Whether the end is shown.
    pub fn is_at_tail(&self) -> bool {
        self.top.is_none()
    }

    /// Blocks of code that came on screen and have no colours yet.
    pub fn take_blocks(&mut self) -> Vec<(u64, Block)> {
        std::mem::take(&mut self.blocks)
    }

    /// The colours of a block were found; tells whether the block is still there.
    pub fn color(&mut self, item: u64, block: &Block, colors: &[Colored]) -> bool {
        match self.laid.get_mut(&item) {
            Some(Laid::Markdown { text, .. }) => text.color(block, colors),
            _ => false,
        }
    }

    /// How many lines an item takes, the blank one after it included.
    fn height(&mut self, item: &Item, next: Option<&Item>, width: u16, show: Show) -> usize {
        let lines = self.lines(item, width, show).len();
        let joined = matches!((&item.kind, next.map(|n| &n.kind)), (Kind::Tool(_), Some(Kind::Tool(_))));
        if lines == 0 { 0 } else { lines + usize::from(!joined) }
    }

    fn lines(&mut self, item: &Item, width: u16, show: Show) -> &[Line] {
        let hidden = matches!(item.kind, Kind::Thinking(_)) && !show.thinking;
        if hidden {
            self.hidden = transcript_lines::hidden_thinking(item, width);
            return &self.hidden;
        }
        let laid = self.laid.entry(item.id).or_insert_with(|| match &item.kind {
            Kind::Answer(_) => Laid::Markdown { text: Box::default(), seen: 0, version: u64::MAX },
            Kind::Thinking(_) => {
                Laid::Growing { version: u64::MAX, width, done: 0, kept: 0, lines: Vec::new() }
            }
            _ => Laid::Lines { version: u64::MAX, show, width, lines: Vec::new() },
        });
        match laid {
            Laid::Markdown { text, seen, version } => {
                if let (Kind::Answer(answer), true) = (&item.kind, *version != item.version) {
                    text.push(&answer[*seen..]);
                    (*seen, *version) = (answer.len(), item.version);
                }
                self.blocks.extend(text.take_blocks().into_iter().map(|block| (item.id, block)));
                text.lines(width)
            }
            Laid::Growing { version, width: at, done, kept, lines } => {
                if let (Kind::Thinking(text), true) = (&item.kind, *version != item.version || *at != width) {
                    if *at != width {
                        (*at, *done, *kept) = (width, 0, 0);
                    }
                    lines.truncate(*kept);
                    let whole = text.rfind('\n').map_or(0, |end| end + 1);
                    if whole > *done {
                        lines.extend(transcript_lines::thinking(
                            text[*done..whole].trim_end_matches('\n'),
                            width,
                        ));
                        (*done, *kept) = (whole, lines.len());
                    }
                    if !text[*done..].trim().is_empty() {
                        lines.extend(transcript_lines::thinking(&text[*done..], width));
                    }
                    *version = item.version;
                }
                lines
            }
            Laid::Lines { version, show: was, width: at, lines } => {
                if *version != item.version || *was != show || *at != width {
                    *lines = transcript_lines::lay_out(item, width, show);
                    (*version, *was, *at) = (item.version, show, width);
                }
                lines
            }
        }
    }

    /// The topmost line when the end is at the bottom of `rows`.
    fn tail(&mut self, transcript: &Transcript, show: Show, width: u16, rows: usize) -> (usize, usize) {
        let items = transcript.items();
        let mut left = rows;
        for at in (0..items.len()).rev() {
            let height = self.height(&items[at], items.get(at + 1), width, show);
            // The blank line behind the last item is not worth a row.
            let height = if at + 1 == items.len() { height.saturating_sub(1) } else { height };
            if height >= left {
                return (at, height - left);
            }
            left -= height;
        }
        (0, 0)
    }

    /// Scrolls by lines, upwards when negative. `size` is the pane's columns and rows.
    pub fn scroll(&mut self, transcript: &Transcript, show: Show, size: (u16, u16), by: isize) {
        let width = text_width(size.0);
        let items = transcript.items();
        let tail = self.tail(transcript, show, width, usize::from(size.1));
        let (mut item, mut line) = self.top.unwrap_or(tail);
        let mut left = by.unsigned_abs();
        while left > 0 && by < 0 {
            if line > 0 {
                let step = line.min(left);
                (line, left) = (line - step, left - step);
            } else if item > 0 {
                item -= 1;
                line = self.height(&items[item], items.get(item + 1), width, show);
            } else {
                break;
            }
        }
        while left > 0 && by > 0 && (item, line) < tail {
            let height = self.height(&items[item], items.get(item + 1), width, show);
            let step = (height - line.min(height)).min(left);
            (line, left) = (line + step, left - step);
            if line >= height {
                (item, line) = (item + 1, 0);
            }
        }
        self.top = ((item, line) < tail).then_some((item, line));
    }

    /// Gives every visible line to `draw`, with its row.
    pub fn visit(
        &mut self,
        transcript: &Transcript,
        show: Show,
        size: (u16, u16),
        mut draw: impl FnMut(u16, &Line),
    ) {
        let width = text_width(size.0);
        let rows = usize::from(size.1);
        let items = transcript.items();
        let tail = self.tail(transcript, show, width, rows);
        let (first, skip) = self.top.map_or(tail, |top| top.min(tail));
        let mut y = 0;
        let mut skip = skip;
        for (n, item) in items.iter().enumerate().skip(first) {
            if y >= rows {
                break;
            }
            let height = self.height(item, items.get(n + 1), width, show);
            for line in self.lines(item, width, show).iter().skip(skip).take(rows - y) {
                draw(y as u16, line);
                y += 1;
            }
            // Rows of the item that no line stands in: the blank one behind it.
            let drawn_to = self.lines(item, width, show).len();
            y += height.saturating_sub(drawn_to.max(skip));
            skip = 0;
        }
        if self.laid.len() > LAID_MAX {
            let shown: Vec<u64> = items.iter().skip(first).take(rows).map(|item| item.id).collect();
            self.laid.retain(|id, _| shown.contains(id));
        }
    }
}

/// Columns for text in a pane of that width.
fn text_width(cols: u16) -> u16 {
    cols.saturating_sub(3).max(1)
}
