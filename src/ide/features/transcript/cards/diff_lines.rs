//! The lines of a diff as spans: syntax colors, and marks on the words that differ. Must not know widths.

use std::collections::HashMap;
use std::ops::Range;

use crate::ide::features::transcript::cards::diff_code::DiffCode;
use crate::ide::features::transcript::cards::rows::painted;
use crate::text::compare::differing_words;
use crate::tools::contract::view::DiffLine;
use crate::tui::widgets::line::Span;
use crate::tui::widgets::markdown::code_blocks::Colored;

/// Longer lines are shown without a comparison of words.
const LINE_MAX: usize = 4 << 10;
/// Maximum bytes of lines whose words are compared.
const COMPARED_MAX: usize = 64 << 10;

/// A diff, ready to be shown.
pub struct DiffLines<'a> {
    lines: &'a [Option<DiffLine>],
    code: DiffCode,
    /// Colors of both sides, new and old.
    colors: [&'a [Colored]; 2],
    /// The counterpart of changed lines.
    pairs: HashMap<usize, usize>,
    /// The words of changed lines that differ from their counterpart.
    words: HashMap<usize, Vec<Range<usize>>>,
}

impl<'a> DiffLines<'a> {
    /// Returns the first `count` lines of a diff.
    pub fn new(lines: &'a [Option<DiffLine>], count: usize, colors: [&'a [Colored]; 2]) -> Self {
        let lines = &lines[..lines.len().min(count)];
        let code = if colors.iter().all(|side| side.is_empty()) {
            DiffCode::default()
        } else {
            DiffCode::new(lines)
        };
        let mut all = Self { lines, code, colors, pairs: HashMap::new(), words: HashMap::new() };
        all.pair();
        all
    }

    /// Pairs the removed lines of each change with the added ones that follow.
    fn pair(&mut self) {
        let sign = |n: usize| self.lines.get(n).and_then(Option::as_ref).map(|line| line.sign);
        let (mut at, mut room) = (0, COMPARED_MAX);
        while at < self.lines.len() {
            let old = (at..self.lines.len()).take_while(|n| sign(*n) == Some('-')).count();
            let new = (at + old..self.lines.len()).take_while(|n| sign(*n) == Some('+')).count();
            for (old, new) in (at..at + old).zip(at + old..at + old + new) {
                self.pairs.extend([(old, new), (new, old)]);
                let (Some(was), Some(is)) = (&self.lines[old], &self.lines[new]) else { continue };
                let bytes = was.text.len() + is.text.len();
                if bytes > LINE_MAX || bytes > room {
                    continue;
                }
                room -= bytes;
                let (removed, added) = differing_words(&was.text, &is.text);
                self.words.extend([(old, removed), (new, added)]);
            }
            at += (old + new).max(1);
        }
    }

    /// Returns the index of the line that a removed line became.
    pub fn added_for(&self, removed: usize) -> Option<usize> {
        self.pairs.get(&removed).copied()
    }

    /// Returns the beginning of the `n`th line, as spans.
    pub fn spans(&self, n: usize, line: &DiffLine, seen: &str) -> Vec<Span> {
        let (scope, word) = scopes(line.sign);
        let side = usize::from(line.sign == '-');
        let code = if side == 0 { &self.code.new } else { &self.code.old };
        let spans = match self.code.place(n) {
            Some(place) if !self.colors[side].is_empty() => {
                // On the background of the change, plain code has the color of text.
                painted(code, place.start..place.start + seen.len(), self.colors[side], "variable")
            }
            _ => vec![Span::new(seen, scope)],
        };
        mark(spans, self.words.get(&n).map_or(&[], |words| &words[..]), word)
    }
}

/// Returns the scope of lines with a sign, and of words in them that differ.
pub fn scopes(sign: char) -> (&'static str, &'static str) {
    match sign {
        '+' => ("diff.added", "diff.added.word"),
        '-' => ("diff.removed", "diff.removed.word"),
        _ => ("diff", "diff"),
    }
}

/// Gives parts of a text another scope.
fn mark(spans: Vec<Span>, parts: &[Range<usize>], scope: &'static str) -> Vec<Span> {
    let (mut out, mut start) = (Vec::new(), 0);
    for span in spans {
        let end = start + span.text.len();
        let mut at = start;
        for part in parts.iter().filter(|part| part.start < end && part.end > start) {
            let (from, to) = (part.start.max(at), part.end.min(end));
            let (Some(before), Some(marked)) =
                (span.text.get(at - start..from - start), span.text.get(from - start..to - start))
            else {
                continue;
            };
            out.extend((!before.is_empty()).then(|| Span::new(before, span.scope)));
            out.push(Span::new(marked, scope));
            at = to;
        }
        let rest = span.text.get(at - start..).unwrap_or_default();
        out.extend((!rest.is_empty()).then(|| Span::new(rest, span.scope)));
        start = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(spans: &[Span]) -> Vec<(&str, &str)> {
        spans.iter().map(|span| (span.text.as_str(), span.scope)).collect()
    }

    #[test]
    fn cards_diff_marks_words_that_differ() {
        let line = |sign, text: &str| Some(DiffLine { sign, number: 1, text: text.to_string() });
        let lines = [line('-', "let a = one;"), line('+', "let a = two;"), line('+', "more")];
        let diff = DiffLines::new(&lines, 9, [&[], &[]]);
        let spans = |n: usize| diff.spans(n, lines[n].as_ref().unwrap(), &lines[n].as_ref().unwrap().text);
        let removed = [("let a = ", "diff.removed"), ("one", "diff.removed.word"), (";", "diff.removed")];
        assert_eq!(shown(&spans(0)), removed);
        assert_eq!(shown(&spans(1))[1], ("two", "diff.added.word"));
        assert_eq!(shown(&spans(2)), [("more", "diff.added")]);
        assert_eq!((diff.added_for(0), diff.added_for(2)), (Some(1), None));
    }

    #[test]
    fn cards_diff_marks_lie_over_syntax_colors() {
        let line = |sign, text: &str| Some(DiffLine { sign, number: 1, text: text.to_string() });
        let lines = [line('-', "let a = one;"), line('+', "let a = two;")];
        let diff = DiffLines::new(&lines, 9, [&[(0..3, "keyword")], &[]]);
        let added = lines[1].as_ref().unwrap();
        let spans = diff.spans(1, added, &added.text);
        let expected =
            [("let", "keyword"), (" a = ", "variable"), ("two", "diff.added.word"), (";", "variable")];
        assert_eq!(shown(&spans), expected);
        let cut = diff.spans(1, added, "let a = t");
        assert_eq!(shown(&cut).last(), Some(&("t", "diff.added.word")));
    }
}
