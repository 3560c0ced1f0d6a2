//! A window of lines of a text that arrives in chunks. Only the window is kept in memory, however long the
//! text is.
//!
//! Must not know files nor formats.

use crate::tools::output::limits::Limit;

/// Range and limits of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The first line, from 1.
    pub first: usize,
    /// Maximum number of lines.
    pub lines: usize,
    /// Maximum bytes; only whole lines are kept.
    pub bytes: usize,
    /// Maximum characters of a line, if long lines are truncated.
    pub line_chars: Option<usize>,
    /// Whether the only line of a window is left as it is, up to the window's bytes: there is no other way
    /// to see it.
    pub keep_single_line: bool,
}

/// The lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Window {
    /// Them, with their line ends. A byte order mark is left out.
    pub text: String,
    /// How many they are.
    pub lines: usize,
    /// Lines of the whole text.
    pub total: usize,
    /// Bytes of the whole text.
    pub bytes: usize,
    /// The limit that ended the window before the text's end.
    pub limited_by: Option<Limit>,
    /// Bytes of its first line, if that alone exceeds the limit.
    pub long_line: Option<usize>,
    /// Number of truncated lines.
    pub cut_lines: usize,
    /// The number of the first truncated line in the whole text.
    pub first_cut: Option<usize>,
    /// Whether the window contains invalid UTF-8.
    pub lossy: bool,
}

/// Collects a window from chunks.
#[derive(Debug)]
pub struct WindowReader {
    range: Range,
    out: Vec<u8>,
    window: Window,
    /// The current line, up to its limit.
    line: Vec<u8>,
    line_bytes: usize,
    /// Number of complete lines.
    lines_ended: usize,
    full: bool,
}

impl WindowReader {
    /// For these lines.
    pub fn new(range: Range) -> Self {
        let (out, line) = (Vec::new(), Vec::new());
        Self { range, out, window: Window::default(), line, line_bytes: 0, lines_ended: 0, full: false }
    }

    /// Adds a chunk.
    pub fn feed(&mut self, piece: &[u8]) {
        let piece = if self.window.bytes == 0 {
            self.window.bytes += piece.len();
            piece.strip_prefix("\u{feff}".as_bytes()).unwrap_or(piece)
        } else {
            self.window.bytes += piece.len();
            piece
        };
        let mut from = 0;
        while from < piece.len() {
            let shown = !self.full && self.lines_ended + 1 >= self.range.first;
            if !shown && self.line_bytes == 0 && (self.full || self.lines_ended + 1 < self.range.first) {
                from += self.skip(&piece[from..]);
                continue;
            }
            let feed = memchr::memchr(b'\n', &piece[from..]);
            let end = feed.map_or(piece.len(), |at| from + at + 1);
            self.add(&piece[from..end], shown);
            if feed.is_some() {
                self.end_line(shown);
            }
            from = end;
        }
    }

    /// Skips whole lines before the window; returns the number of bytes.
    fn skip(&mut self, piece: &[u8]) -> usize {
        if self.full {
            self.lines_ended += memchr::memchr_iter(b'\n', piece).count();
            let last = memchr::memrchr(b'\n', piece).map_or(0, |at| at + 1);
            self.line_bytes = piece.len() - last;
            return piece.len();
        }
        let lines_to_skip = self.range.first - 1 - self.lines_ended;
        let mut feeds = memchr::memchr_iter(b'\n', piece);
        if let Some(at) = feeds.nth(lines_to_skip - 1) {
            self.lines_ended += lines_to_skip;
            return at + 1;
        }
        self.lines_ended += memchr::memchr_iter(b'\n', piece).count();
        let last = memchr::memrchr(b'\n', piece).map_or(0, |at| at + 1);
        self.line_bytes = piece.len() - last;
        piece.len()
    }

    fn add(&mut self, part: &[u8], shown: bool) {
        self.line_bytes += part.len();
        if shown {
            let most = match self.range.line_chars {
                // A character has at most four bytes; one more shows that there is more.
                Some(chars) if !self.may_be_lone() => chars * 4 + 4,
                _ => self.range.bytes + 2,
            };
            let room = most.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if self.line_bytes > self.line.len() && part.ends_with(b"\n") && self.range.line_chars.is_some() {
                self.line.push(b'\n');
            }
        }
    }

    fn end_line(&mut self, shown: bool) {
        self.lines_ended += 1;
        let bytes = std::mem::take(&mut self.line_bytes);
        let line = std::mem::take(&mut self.line);
        if !shown {
            return;
        }
        if self.window.lines == self.range.lines {
            self.window.limited_by = Some(Limit::Lines);
            self.full = true;
            return;
        }
        if self.window.lines == 1 && self.range.keep_single_line {
            let first = std::mem::take(&mut self.out);
            self.window.cut_lines = 0;
            let bytes = first.len();
            self.out = self.fit_line(first, bytes, self.lines_ended - 1);
        }
        let line = if self.may_be_lone() {
            self.shorten(line, bytes)
        } else {
            self.fit_line(line, bytes, self.lines_ended)
        };
        if self.out.len() + line.strip_suffix(b"\n").unwrap_or(&line).len() > self.range.bytes {
            self.window.limited_by = Some(Limit::Bytes);
            self.full = true;
            if self.window.lines == 0 {
                self.window.long_line = Some(bytes);
            }
            return;
        }
        self.out.extend_from_slice(&line);
        self.window.lines += 1;
    }

    /// Whether the next line may be the only one of the window, and is then not truncated.
    fn may_be_lone(&self) -> bool {
        self.range.keep_single_line && self.window.lines == 0
    }

    fn note_cut(&mut self, number: usize) {
        self.window.cut_lines += 1;
        self.window.first_cut.get_or_insert(number);
    }

    /// Truncates a line that may be the only one to the window's bytes.
    fn shorten(&mut self, line: Vec<u8>, bytes: usize) -> Vec<u8> {
        let end: &[u8] = if line.ends_with(b"\n") { b"\n" } else { b"" };
        if self.range.line_chars.is_none() || bytes - end.len() <= self.range.bytes {
            return line;
        }
        self.note_cut(self.lines_ended);
        let mut most = self.range.bytes.min(line.len() - end.len());
        // Not within a character, which has at most four bytes.
        let begins = |at: usize| line.get(at).is_none_or(|byte| byte & 0xc0 != 0x80);
        most = (most.saturating_sub(3)..=most).rev().find(|at| begins(*at)).unwrap_or(most);
        [&line[..most], end].concat()
    }

    /// Truncates the line with this number to its maximum characters.
    fn fit_line(&mut self, line: Vec<u8>, bytes: usize, number: usize) -> Vec<u8> {
        let Some(most) = self.range.line_chars.filter(|most| bytes > *most) else { return line };
        let end: &[u8] = if line.ends_with(b"\n") { b"\n" } else { b"" };
        let text = String::from_utf8_lossy(&line[..line.len() - end.len()]);
        let Some((at, _)) = text.char_indices().nth(most) else { return line };
        self.note_cut(number);
        [&text.as_bytes()[..at], end].concat()
    }

    /// Ends the text.
    pub fn finish(mut self) -> Window {
        if self.line_bytes > 0 {
            let shown = !self.full && self.lines_ended + 1 >= self.range.first;
            self.end_line(shown);
        }
        self.window.total = self.lines_ended;
        self.window.text = match String::from_utf8(self.out) {
            Ok(text) => text,
            Err(error) => {
                self.window.lossy = true;
                String::from_utf8_lossy(error.as_bytes()).into_owned()
            }
        };
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::output::limits;
    use proptest::prelude::*;

    fn take(text: &[u8], range: Range, piece: usize) -> Window {
        let mut taker = WindowReader::new(range);
        text.chunks(piece).for_each(|piece| taker.feed(piece));
        taker.finish()
    }

    fn range(first: usize, lines: usize, bytes: usize) -> Range {
        Range { first, lines, bytes, line_chars: None, keep_single_line: false }
    }

    #[test]
    fn read_window_keeps_only_shown_lines() {
        let mut taker = WindowReader::new(range(1_000_000, 2, 100));
        for n in 1..=1_000_100 {
            taker.feed(format!("line {n}\n").as_bytes());
            assert!(taker.out.capacity() + taker.line.capacity() < 1000);
        }
        let window = taker.finish();
        assert_eq!(window.text, "line 1000000\nline 1000001\n");
        assert_eq!((window.total, window.limited_by), (1_000_100, Some(Limit::Lines)));
        let mut taker = WindowReader::new(range(1, 9, 50));
        for _ in 0..1000 {
            taker.feed(&[b'x'; 1000]);
            assert!(taker.line.capacity() < 1000);
        }
        assert_eq!(taker.finish().long_line, Some(1_000_000));
    }

    #[test]
    fn read_window_cuts_long_lines_at_characters() {
        let cut = Range { line_chars: Some(3), ..range(1, 9, 1000) };
        let window = take("ééééé\r\nabc\nabcd".as_bytes(), cut, 4);
        assert_eq!((window.text.as_str(), window.cut_lines, window.total), ("ééé\nabc\nabc", 2, 3));
        assert_eq!(window.first_cut, Some(1));
    }

    #[test]
    fn read_window_single_long_line_is_complete() {
        let cut = Range { line_chars: Some(3), keep_single_line: true, ..range(1, 9, 20) };
        let long = "x".repeat(12);
        assert_eq!(take(format!("{long}\n").as_bytes(), cut, 5).text, format!("{long}\n"));
        let two = take(format!("{long}\n{long}").as_bytes(), cut, 5);
        assert_eq!((two.text.as_str(), two.cut_lines, two.first_cut), ("xxx\nxxx", 2, Some(1)));
        let later = take(format!("a\nb\n{long}\n").as_bytes(), cut, 5);
        assert_eq!((later.text.as_str(), later.cut_lines, later.first_cut), ("a\nb\nxxx\n", 1, Some(3)));
        let alone = take(format!("a\n{long}\nb\n").as_bytes(), Range { first: 2, lines: 1, ..cut }, 5);
        assert_eq!((alone.text.as_str(), alone.cut_lines, alone.total), ("xxxxxxxxxxxx\n", 0, 3));
        // More than a window may have: as much of it as that, in whole characters.
        let longest = take("é".repeat(50).as_bytes(), Range { bytes: 9, ..cut }, 5);
        assert_eq!((longest.text.as_str(), longest.cut_lines), ("éééé", 1));
        assert_eq!((longest.long_line, longest.limited_by), (None, None));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(400))]

        #[test]
        fn read_window_piece_size_does_not_matter(
            text in "[aé\r\n]{0,40}", first in 1usize..6, lines in 1usize..5, bytes in 4usize..30, piece in 1usize..9,
        ) {
            let window = take(text.as_bytes(), range(first, lines, bytes), piece);
            prop_assert_eq!(&window, &take(text.as_bytes(), range(first, lines, bytes), 1000));
            let cut = Range { line_chars: Some(3), keep_single_line: true, ..range(first, lines, bytes) };
            prop_assert_eq!(take(text.as_bytes(), cut, piece), take(text.as_bytes(), cut, 1000));
            prop_assert_eq!(window.total, limits::count_lines(&text));
            let rest: String = text.split_inclusive('\n').skip(first - 1).collect();
            let cut = limits::head(&rest, lines, bytes);
            if cut.partial {
                prop_assert!(window.long_line.is_some());
            } else {
                prop_assert_eq!(&window.text, cut.text);
                prop_assert_eq!(window.limited_by, cut.limited_by);
            }
        }
    }
}
