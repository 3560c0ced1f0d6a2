//! Minimal change from one text to another, by lines and then by characters, so that cursors and marks
//! outside of it are preserved. Pure and possibly slow: call it off the event loop.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::changes::ChangeSet;
use super::position::{Byte, Line};

/// Maximum total bytes of texts that are compared line by line; longer texts are compared only at their ends,
/// since a table of their lines would take several times the memory.
const COMPARED_MAX: usize = 64 << 20;

/// The change from `old` to `new`.
pub fn change(old: &str, new: &str) -> ChangeSet {
    if old.len() + new.len() > COMPARED_MAX {
        return change_between_ends(old, new);
    }
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let old_starts = line_starts(old);
    let new_starts = line_starts(new);
    let edits = diff.hunks().filter_map(|hunk| {
        let was = old_starts[hunk.before.start as usize]..old_starts[hunk.before.end as usize];
        let is = new_starts[hunk.after.start as usize]..new_starts[hunk.after.end as usize];
        let (prefix, suffix) = common_ends(&old[was.clone()], &new[is.clone()]);
        let range = Byte(was.start + prefix)..Byte(was.end - suffix);
        let text = &new[is.start + prefix..is.end - suffix];
        (range.start != range.end || !text.is_empty()).then(|| (range, text.to_string()))
    });
    ChangeSet::replace(old.len(), edits)
}

/// Returns the change as one edit.
fn change_between_ends(old: &str, new: &str) -> ChangeSet {
    let (prefix, suffix) = common_ends(old, new);
    let edit = (Byte(prefix)..Byte(old.len() - suffix), new[prefix..new.len() - suffix].to_string());
    ChangeSet::replace(old.len(), [edit].into_iter().filter(|_| old != new))
}

/// Returns the runs of differing lines between two texts, in order, as old and new lines. Either may be
/// empty, not both.
pub fn line_runs(old: &str, new: &str) -> Vec<(Range<Line>, Range<Line>)> {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let lines = |run: Range<u32>| Line(run.start as usize)..Line(run.end as usize);
    diff.hunks().map(|hunk| (lines(hunk.before), lines(hunk.after))).collect()
}

/// Returns the start of each line as the diff library splits them, endings included, and the end of the text.
fn line_starts(text: &str) -> Vec<usize> {
    let after_feeds =
        memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).filter(|at| *at < text.len());
    std::iter::once(0).chain(after_feeds).chain([text.len()]).collect()
}

/// Returns the common bytes of two texts at their start and end, without overlap, on character boundaries.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let prefix: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old, new) = (&old[prefix..], &new[prefix..]);
    let suffix =
        old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    (prefix, suffix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::rope::Text;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn diff_change_produces_new_text(old in "([abé漢]{0,3}\n){0,8}[ab]{0,2}", new in "([abé漢]{0,3}\r?\n){0,8}[ab]{0,2}") {
            let mut text = Text::from(old.as_str());
            change(&old, &new).apply(&mut text);
            prop_assert_eq!(&text.to_string(), &new);
            let mut text = Text::from(old.as_str());
            change_between_ends(&old, &new).apply(&mut text);
            prop_assert_eq!(&text.to_string(), &new);
        }
    }

    #[test]
    fn diff_line_runs_give_line_ranges() {
        let runs = |old: &str, new: &str| {
            let runs = line_runs(old, new).into_iter();
            runs.map(|(a, b)| (a.start.0..a.end.0, b.start.0..b.end.0)).collect::<Vec<_>>()
        };
        assert_eq!(runs("a\nb\nc\nd\n", "a\nB\nc\nx\nd\n"), [(1..2, 1..2), (3..3, 3..4)]);
        assert_eq!(runs("a\nb\n", "b\n"), [(0..1, 0..0)]);
        assert_eq!(runs("a\nb", "a\nb\n"), [(1..2, 1..2)]);
        assert_eq!(runs("", "é\n"), [(0..0, 0..1)]);
    }

    #[test]
    fn diff_edits_only_changed_bytes() {
        let changes = change("one\ntwo\nthree\n", "one\ntwelve\nthree\nfour\n");
        let edits: Vec<_> =
            changes.edits().map(|e| (e.old.start.0..e.old.end.0, e.text.to_string())).collect();
        assert_eq!(edits, [(6..7, "elve".to_string()), (14..14, "four\n".to_string())]);
    }
}
