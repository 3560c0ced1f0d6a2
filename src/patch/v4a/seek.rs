//! Locates lines in a file, with increasing tolerance.
//!
//! Must not know chunks. Lines are compared as numbers: equal lines of a pass have the same number, so that
//! the time is linear in the file and the lines, not in their product.

use std::borrow::Cow;
use std::collections::HashMap;

/// Normalizations of a line per pass; tried in this order, each over the whole rest of the file.
const PASSES: [fn(&str) -> Cow<'_, str>; 4] =
    [|line| line.into(), |line| line.trim_end().into(), |line| line.trim().into(), normalize];

/// Returns the line with ASCII dashes, quotes and spaces, trimmed.
fn normalize(line: &str) -> Cow<'_, str> {
    let line = line.trim();
    if line.is_ascii() {
        return line.into();
    }
    line.chars().map(plain_char).collect::<String>().into()
}

fn plain_char(c: char) -> char {
    match c {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        '\u{a0}' | '\u{2002}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        other => other,
    }
}

/// A file as numbers, for one pass.
struct NumberedLines<'a> {
    numbers: HashMap<Cow<'a, str>, u32>,
    rows: Vec<u32>,
}

impl<'a> NumberedLines<'a> {
    fn new(rows: &[&'a str], pass: fn(&str) -> Cow<'_, str>) -> Self {
        let mut numbers = HashMap::with_capacity(rows.len());
        let number = |row: &&'a str| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry(pass(row)).or_insert(next)
        };
        let rows = rows.iter().map(number).collect();
        Self { numbers, rows }
    }
}

/// The lines of a file, ready to be searched.
pub(super) struct Finder<'a> {
    rows: Vec<&'a str>,
    /// Built on first use: most chunks match exactly.
    passes: [Option<NumberedLines<'a>>; PASSES.len()],
}

impl<'a> Finder<'a> {
    pub(super) fn new(rows: Vec<&'a str>) -> Self {
        Self { rows, passes: [const { None }; PASSES.len()] }
    }

    /// Returns the number of lines of the file.
    pub(super) fn end(&self) -> usize {
        self.rows.len()
    }

    /// Returns the row of `lines` at or after row `from`; with `at_end` only as the last rows.
    pub(super) fn find(&mut self, lines: &[&str], from: usize, at_end: bool) -> Option<usize> {
        if lines.is_empty() {
            return Some(from);
        }
        let last = self.rows.len().checked_sub(lines.len())?;
        let from = if at_end { from.max(last) } else { from };
        if at_end && from > last {
            return None;
        }
        (0..PASSES.len()).find_map(|pass| self.find_in(pass, lines, from))
    }

    /// Whether a line occurs anywhere in the file.
    pub(super) fn contains(&mut self, line: &str) -> bool {
        self.find(&[line], 0, false).is_some()
    }

    fn find_in(&mut self, pass: usize, lines: &[&str], from: usize) -> Option<usize> {
        let view = self.passes[pass].get_or_insert_with(|| NumberedLines::new(&self.rows, PASSES[pass]));
        let line_numbers = lines.iter().map(|line| view.numbers.get(&PASSES[pass](line)).copied());
        let line_numbers: Vec<u32> = line_numbers.collect::<Option<_>>()?;
        position(view.rows.get(from..)?, &line_numbers).map(|at| from + at)
    }
}

/// Returns the first position of a non-empty sequence in another one (Knuth-Morris-Pratt).
fn position(rows: &[u32], pattern: &[u32]) -> Option<usize> {
    let mut border = vec![0; pattern.len()];
    let mut length = 0;
    for at in 1..pattern.len() {
        while length > 0 && pattern[at] != pattern[length] {
            length = border[length - 1];
        }
        length += usize::from(pattern[at] == pattern[length]);
        border[at] = length;
    }
    let mut matched = 0;
    for (at, row) in rows.iter().enumerate() {
        while matched > 0 && *row != pattern[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(*row == pattern[matched]);
        if matched == pattern.len() {
            return Some(at + 1 - matched);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn patch_seek_prefers_exact_over_tolerant_pass() {
        let find = |rows: &[&str], lines: &[&str]| Finder::new(rows.to_vec()).find(lines, 0, false);
        assert_eq!(find(&[" a", "a ", "a"], &["a"]), Some(2));
        assert_eq!(find(&[" a", "a ", "b"], &["a"]), Some(1));
        assert_eq!(find(&["\u{201c}a\u{201d}", " \"a\""], &["\"a\""]), Some(1));
        assert_eq!(find(&["\u{201c}a\u{201d} \u{2014}\u{a0}b"], &["\"a\" - b"]), Some(0));
        assert_eq!(find(&["a", "b"], &["A"]), None);
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn patch_seek_matches_naive_search(
            rows in prop::collection::vec(0..3_u32, 0..40),
            wanted in prop::collection::vec(0..3_u32, 1..6),
        ) {
            let expected = rows.windows(wanted.len()).position(|window| window == wanted);
            prop_assert_eq!(position(&rows, &wanted), expected);
        }
    }
}
