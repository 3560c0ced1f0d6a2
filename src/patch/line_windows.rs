//! Windows of whole lines of a text.
//!
//! Must not know what they are compared with. Texts have LF line endings here.

use std::ops::Range;

/// Returns the lines of a text with their offsets, line endings included.
pub(super) fn lines_of(text: &str) -> Vec<(usize, &str)> {
    let mut start = 0;
    let line = |line: &'_ str| -> usize {
        start += line.len();
        start - line.len()
    };
    let starts: Vec<usize> = text.split_inclusive('\n').map(line).collect();
    starts.into_iter().zip(text.split_inclusive('\n')).collect()
}

/// Returns the byte range of some lines; the last line ending is included only if the old text has one.
pub(super) fn extent(window: &[(usize, &str)], old: &str) -> Range<usize> {
    let (Some((start, _)), Some((last, line))) = (window.first(), window.last()) else { return 0..0 };
    let whole = old.ends_with('\n') || !line.ends_with('\n');
    *start..last + line.len() - usize::from(!whole)
}

/// Returns the lines to search for; `None` when all of them are blank.
pub(super) fn search_lines(old: &str) -> Option<Vec<&str>> {
    let lines: Vec<&str> = old.strip_suffix('\n').unwrap_or(old).split('\n').collect();
    (!lines.iter().all(|line| line.trim().is_empty())).then_some(lines)
}
