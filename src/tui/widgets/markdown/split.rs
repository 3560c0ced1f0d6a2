//! Splits growing Markdown into pieces that can be laid out independently and permanently.
//!
//! Must not know widths. Every decision depends only on whole lines, or on too much text being open, so that
//! the result does not depend on how the text was delivered.

use std::ops::Range;

/// Text without a boundary is cut at this length, to keep the open end cheap.
const OPEN_MAX: usize = 8 << 10;

/// Kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    /// Markdown that is parsed separately.
    Prose,
    /// The line that opens a fenced block.
    Fence,
    /// A line within a fenced block.
    Code,
    /// The line that closes a fenced block.
    FenceEnd,
    /// Part of a comment.
    Hidden,
}

/// A part of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Piece {
    /// Its range.
    pub range: Range<usize>,
    /// Its kind.
    pub kind: PieceKind,
    /// Whether a blank line precedes it.
    pub gap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    #[default]
    Normal,
    Fence {
        mark: u8,
        count: usize,
    },
    Comment,
}

/// Position up to which the text is split.
#[derive(Debug, Clone, Default)]
pub struct Splitter {
    pos: usize,
    state: State,
    gap: bool,
}

impl Splitter {
    /// Returns the next piece that further text cannot change. `text` is everything so far.
    pub fn next(&mut self, text: &str) -> Option<Piece> {
        self.skip_blank_lines(text);
        let open = &text[self.pos..];
        let window = &open[..open.floor_char_boundary(OPEN_MAX)];
        let (length, kind, next) = match self.state {
            State::Normal => normal(window),
            State::Fence { mark, count } => fenced(window, mark, count),
            State::Comment => hidden(window),
        }
        .or_else(|| (open.len() > OPEN_MAX).then(|| self.force_split(window)))?;
        let range = self.pos..self.pos + length;
        // Blank lines before a boundary belong to the piece above it.
        let blank_end = text[range.clone()].lines().last().is_some_and(|line| line.trim().is_empty());
        let gap = std::mem::replace(&mut self.gap, kind == PieceKind::Prose && blank_end);
        self.pos = range.end;
        self.state = next;
        Some(Piece { range, kind, gap })
    }

    /// Returns the rest, which may change with the next byte. Unless the text is `finished`, an end that may
    /// still become markup is excluded, so that it does not flicker.
    pub fn open(&self, text: &str, finished: bool) -> Option<Piece> {
        let open = &text[self.pos..];
        let start = open.rfind('\n').map_or(0, |at| at + 1);
        let last = open[start..].trim();
        let (kind, end) = match self.state {
            State::Comment => return None,
            State::Fence { mark, count } => {
                let closing = !last.is_empty() && last.bytes().all(|b| b == mark);
                if closing && (!finished || last.len() >= count) {
                    return None;
                }
                (PieceKind::Code, open.len())
            }
            State::Normal => {
                let fence = fence_of(open.lines().next().unwrap_or_default()).is_some();
                let kind = if fence { PieceKind::Fence } else { PieceKind::Prose };
                let mark = !last.is_empty() && last.bytes().all(|b| b"-=*#+`~>|_<!".contains(&b));
                (kind, if mark && !finished { start } else { open.len() })
            }
        };
        if open[..end].trim().is_empty() {
            return None;
        }
        Some(Piece { range: self.pos..self.pos + end, kind, gap: self.gap })
    }

    fn skip_blank_lines(&mut self, text: &str) {
        while self.state == State::Normal
            && let Some(end) = text[self.pos..].find('\n')
            && text[self.pos..self.pos + end].trim().is_empty()
        {
            self.pos += end + 1;
            self.gap = true;
        }
    }

    /// Cuts text without a boundary, at a line, else at a space, else anywhere.
    fn force_split(&self, window: &str) -> (usize, PieceKind, State) {
        let kind = match self.state {
            State::Normal => PieceKind::Prose,
            State::Fence { .. } => PieceKind::Code,
            State::Comment => PieceKind::Hidden,
        };
        let at = window.rfind('\n').or_else(|| window.rfind(' ')).map_or(window.len(), |at| at + 1);
        (at, kind, self.state)
    }
}

/// Returns the complete lines and their starts.
fn whole_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(move |line| {
        at += line.len();
        (at - line.len(), line)
    })
}

fn normal(window: &str) -> Option<(usize, PieceKind, State)> {
    let mut lines = whole_lines(window);
    let (_, head) = lines.next()?;
    if let Some((mark, count)) = fence_of(head) {
        return Some((head.len(), PieceKind::Fence, State::Fence { mark, count }));
    }
    if opens_comment(head) {
        let closed = head.contains("-->");
        let (kind, state) =
            if closed { (PieceKind::Prose, State::Normal) } else { (PieceKind::Hidden, State::Comment) };
        return Some((head.len(), kind, state));
    }
    if is_heading(head) {
        return Some((head.len(), PieceKind::Prose, State::Normal));
    }
    let list = item_of(head).is_some() && indent(head) < 4;
    let quote = head.trim_start().starts_with('>');
    let mut blank = false;
    for (at, line) in lines {
        if line.trim().is_empty() {
            blank = true;
            continue;
        }
        let inside = list && indent(line) >= 2;
        if !inside && (blank || begins_block(line, list, quote)) {
            return Some((at, PieceKind::Prose, State::Normal));
        }
        blank = false;
    }
    None
}

/// Returns whether a line begins a block directly after another one.
fn begins_block(line: &str, list: bool, quote: bool) -> bool {
    // As in CommonMark: of numbers only 1 may interrupt a paragraph.
    let begins_list = match item_of(line) {
        Some(Item::Number(number)) => list || number == 1,
        Some(Item::Bullet) => true,
        None => false,
    };
    fence_of(line).is_some()
        || is_heading(line)
        || opens_comment(line)
        || begins_list
        || (!quote && indent(line) < 4 && line.trim_start().starts_with('>'))
}

fn fenced(window: &str, mark: u8, count: usize) -> Option<(usize, PieceKind, State)> {
    let (_, line) = whole_lines(window).next()?;
    let text = line.trim();
    let closes = indent(line) < 4 && text.len() >= count && text.bytes().all(|b| b == mark);
    let (kind, state) = if closes {
        (PieceKind::FenceEnd, State::Normal)
    } else {
        (PieceKind::Code, State::Fence { mark, count })
    };
    Some((line.len(), kind, state))
}

fn hidden(window: &str) -> Option<(usize, PieceKind, State)> {
    let (_, line) = whole_lines(window).next()?;
    let state = if line.contains("-->") { State::Normal } else { State::Comment };
    Some((line.len(), PieceKind::Hidden, state))
}

fn indent(line: &str) -> usize {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += 4 - columns % 4,
            _ => break,
        }
    }
    columns
}

/// Mark and length of an opening fence.
fn fence_of(line: &str) -> Option<(u8, usize)> {
    let text = line.trim();
    let mark = *text.as_bytes().first().filter(|b| matches!(b, b'`' | b'~'))?;
    let count = text.bytes().take_while(|b| *b == mark).count();
    let info = &text[count..];
    let opens = indent(line) < 4 && count >= 3 && (mark == b'~' || !info.contains('`'));
    opens.then_some((mark, count))
}

fn opens_comment(line: &str) -> bool {
    indent(line) < 4 && line.trim_start().starts_with("<!--")
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start();
    let level = text.bytes().take_while(|b| *b == b'#').count();
    indent(line) < 4 && (1..=6).contains(&level) && text[level..].starts_with([' ', '\t', '\n'])
}

/// Start of a list item.
enum Item {
    Bullet,
    Number(u64),
}

/// Returns the start of a list item with content.
fn item_of(line: &str) -> Option<Item> {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (item, rest) = match digits {
        0 => (Item::Bullet, text.strip_prefix(['-', '*', '+'])?),
        1..=9 => (Item::Number(text[..digits].parse().ok()?), text[digits..].strip_prefix(['.', ')'])?),
        _ => return None,
    };
    (indent(line) < 4 && rest.starts_with([' ', '\t']) && !rest.trim().is_empty()).then_some(item)
}
