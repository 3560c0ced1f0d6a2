//! Paragraphs: lines up to an empty one, and runs of empty lines. Must not know selections.

use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::Line;

/// Iterates over paragraphs and runs of empty lines.
pub struct Paragraphs<'t> {
    /// The text.
    pub page: ModalText<'t>,
}

impl Paragraphs<'_> {
    fn blank(&self, line: usize) -> bool {
        let span = self.page.start(Line(line))..self.page.end(Line(line));
        self.page.text.chunks_in(span).all(|chunk| chunk.chars().all(char::is_whitespace))
    }

    /// Returns the end of a linewise selection that grows by this many, and whether there were enough.
    pub fn grown(&self, from: usize, back: bool, outer: bool, count: usize) -> (usize, bool) {
        let border = if back { 0 } else { self.page.last_line().0 };
        let step = |line: usize| if back { line - 1 } else { line + 1 };
        let mut line = from;
        for _ in 0..count {
            if line == border {
                return (line, false);
            }
            let mut before = None;
            for _ in 0..2 {
                let next = step(line);
                let blank = self.blank(next);
                if before == Some(blank) {
                    break;
                }
                line = next;
                while line != border && self.blank(step(line)) == blank {
                    line = step(line);
                }
                if !outer || line == border {
                    break;
                }
                before = Some(blank);
            }
        }
        (line, true)
    }

    /// Returns the first and last line of this many around a line.
    pub fn around(&self, line: usize, outer: bool, count: usize) -> Option<(usize, usize)> {
        let last = self.page.last_line().0;
        let white = self.blank(line);
        let mut start = line;
        while start > 0 && self.blank(start - 1) == white {
            start -= 1;
        }
        // The line after the last selected one.
        let mut end = start;
        while end <= last && self.blank(end) {
            end += 1;
        }
        let left = if !outer && white { count - 1 } else { count };
        for left in (0..left).rev() {
            if end > last {
                return None;
            }
            let gap = !outer && self.blank(end);
            if !gap {
                end += 1;
                while end <= last && !self.blank(end) {
                    end += 1;
                }
            }
            if left == 0 && white && outer {
                break;
            }
            while (outer || gap) && end <= last && self.blank(end) {
                end += 1;
            }
        }
        if !white && outer && end > 0 && !self.blank(end - 1) {
            while start > 0 && self.blank(start - 1) {
                start -= 1;
            }
        }
        Some((start, end - 1))
    }
}
