//! Reverts an old edit while later ones stay: moves the edit over all later ones. Must not know documents.

use std::ops::Range;

use crate::text::changes::{ChangeSet, Side};
use crate::text::position::Byte;
use crate::text::rope::Text;

/// Why an edit cannot be moved: a later one touched the same text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a later edit touched the same text")]
pub struct RebaseConflict {
    /// The range in the text after the later edits.
    pub at: Range<Byte>,
}

/// Rebases `change`, made for the text before `later`, to the text after it. Refused when both replace the
/// same text, or when one is inside what the other replaced.
pub fn rebase(change: &ChangeSet, later: &ChangeSet) -> Result<ChangeSet, RebaseConflict> {
    debug_assert_eq!(change.len_before(), later.len_before(), "both changes start from one text");
    let mut edits = Vec::new();
    let theirs: Vec<_> = later.edits().collect();
    for ours in change.edits() {
        // Edits that only touch are separate; an insertion inside replaced text is not.
        let first = theirs.partition_point(|edit| edit.old.end < ours.old.start);
        for edit in theirs[first..].iter().take_while(|edit| edit.old.start <= ours.old.end) {
            let meets = edit.old.start < ours.old.end && ours.old.start < edit.old.end;
            let replaces_here = ours.old.is_empty() && !edit.old.is_empty();
            let inside = replaces_here && edit.old.start < ours.old.start && ours.old.start < edit.old.end;
            if meets || inside {
                return Err(RebaseConflict { at: edit.new.clone() });
            }
        }
        let start = later.map(ours.old.start, Side::After);
        let end = later.map(ours.old.end, Side::Before);
        // Text typed at an insertion point stays after it.
        let (start, end) = if ours.old.is_empty() { (end, end) } else { (start, end.max(start)) };
        edits.push((start..end, ours.text.to_string()));
    }
    Ok(ChangeSet::replace(later.len_after(), edits))
}

/// Returns the change without parts that replace text by the same text.
pub fn trim(change: &ChangeSet, before: &Text) -> ChangeSet {
    let edits = change.edits().filter_map(|edit| {
        let old = before.slice(edit.old.clone());
        let prefix = shared(old.chars().zip(edit.text.chars()));
        let (old_rest, new_rest) = (&old[prefix..], &edit.text[prefix..]);
        let suffix = shared(old_rest.chars().rev().zip(new_rest.chars().rev()));
        let range = edit.old.start + prefix..edit.old.end.back(suffix);
        let new = &new_rest[..new_rest.len() - suffix];
        (!range.is_empty() || !new.is_empty()).then(|| (range, new.to_string()))
    });
    ChangeSet::replace(change.len_before(), edits)
}

/// Bytes of the leading pairs that are equal.
fn shared(pairs: impl Iterator<Item = (char, char)>) -> usize {
    pairs.take_while(|(old, new)| old == new).map(|(old, _)| old.len_utf8()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(len: usize, range: Range<usize>, new: &str) -> ChangeSet {
        ChangeSet::replace(len, [(Byte(range.start)..Byte(range.end), new.to_string())])
    }

    /// Applies `later` and then the moved inverse of `first` to `before`.
    fn without_first(before: &str, first: &ChangeSet, later: &ChangeSet) -> Result<String, RebaseConflict> {
        let mut text = Text::from(before);
        let inverse = first.invert(&text);
        first.apply(&mut text);
        let moved = rebase(&inverse, later)?;
        later.apply(&mut text);
        moved.apply(&mut text);
        Ok(text.to_string())
    }

    #[test]
    fn rebase_drops_early_edit_and_keeps_later() {
        let first = replace(7, 0..3, "agent");
        for (later, left) in [
            (replace(9, 9..9, "!"), "one two!"),
            (replace(9, 0..0, "> "), "> one two"),
            (replace(9, 5..5, ","), "one, two"),
            (replace(9, 6..9, "2"), "one 2"),
        ] {
            assert_eq!(without_first("one two", &first, &later).unwrap(), left);
        }
    }

    #[test]
    fn rebase_overlapping_later_edit_is_refused() {
        let first = replace(7, 0..3, "agent");
        for later in
            [replace(9, 2..3, ""), replace(9, 2..2, "x"), replace(9, 4..6, "-"), replace(9, 0..9, "")]
        {
            let refused = without_first("one two", &first, &later).unwrap_err();
            assert_eq!(refused.at, later.edits().next().unwrap().new);
        }
    }

    #[test]
    fn rebase_deleted_text_returns_to_its_position() {
        let first = replace(7, 3..4, "");
        for (later, left) in [
            (replace(6, 3..3, "_"), "one _two"),
            (replace(6, 0..1, "O"), "One two"),
            (replace(6, 6..6, "."), "one two."),
        ] {
            assert_eq!(without_first("one two", &first, &later).unwrap(), left);
        }
        assert!(without_first("one two", &first, &replace(6, 1..5, "")).is_err());
    }

    proptest::proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        /// Taking back an edit behind an untouching one gives the later edit alone.
        #[test]
        fn rebase_separate_edits_do_not_conflict(
            before in "[a-zé ]{12,24}", cut in 1usize..5, gap in 1usize..4, new in "[A-Z]{0,3}", other in "[0-9]{0,3}",
        ) {
            let places: Vec<usize> = before.char_indices().map(|(at, _)| at).collect();
            let (a, b) = (places[cut], places[cut + 2]);
            let (c, d) = (places[cut + 2 + gap], places[cut + 3 + gap]);
            let first = replace(before.len(), a..b, &new);
            let grown = before.len() - (b - a) + new.len();
            let shift = |at: usize| at - (b - a) + new.len();
            let later = replace(grown, shift(c)..shift(d), &other);
            let alone = replace(before.len(), c..d, &other);
            let mut expected = Text::from(before.as_str());
            alone.apply(&mut expected);
            proptest::prop_assert_eq!(without_first(&before, &first, &later).unwrap(), expected.to_string());
        }
    }
}
