//! Rows of one difference in the side-by-side layout. Must not know the parts between differences.

use std::ops::Range;

use crate::text::compare::ChangedLines;

/// Content of a row of a difference: an old line, a new one, or both.
pub(super) type LinePair = (Option<usize>, Option<usize>);

/// Returns the rows of a difference in the side-by-side layout: corresponding lines share one.
fn side_by_side_rows(run: &ChangedLines) -> impl Iterator<Item = LinePair> + '_ {
    let pairs = run.pairs.iter().flatten().copied().map(Some).chain([None]);
    let (mut old, mut new) = (run.old.start, run.new.start);
    pairs.flat_map(move |pair| {
        let (old_end, new_end) = pair.unwrap_or((run.old.end, run.new.end));
        let (olds, news) = (old..old_end, new..new_end);
        (old, new) = (old_end + 1, new_end + 1);
        let nth = |lines: &Range<usize>, n: usize| Some(lines.start + n).filter(|line| *line < lines.end);
        let count = olds.len().max(news.len());
        let apart = (0..count).map(move |n| (nth(&olds, n), nth(&news, n)));
        apart.chain(pair.map(|(old, new)| (Some(old), Some(new))))
    })
}

/// Returns their number.
pub(super) fn side_by_side_height(run: &ChangedLines) -> usize {
    if run.pairs.is_none() { run.old.len().max(run.new.len()) } else { side_by_side_rows(run).count() }
}

/// Returns the row `n`.
pub(super) fn side_by_side_row(run: &ChangedLines, n: usize) -> LinePair {
    let nth = |lines: &Range<usize>| Some(lines.start + n).filter(|line| *line < lines.end);
    if run.pairs.is_none() {
        (nth(&run.old), nth(&run.new))
    } else {
        side_by_side_rows(run).nth(n).unwrap_or_default()
    }
}

/// Returns the row that contains an old line, or else a new one.
pub(super) fn side_by_side_index(run: &ChangedLines, (old, new): LinePair) -> usize {
    if run.pairs.is_none() {
        let old = old.map(|old| old - run.old.start);
        return old.or(new.map(|new| new.saturating_sub(run.new.start))).unwrap_or(0);
    }
    let holds = |row: LinePair| if old.is_some() { row.0 == old } else { row.1 == new };
    side_by_side_rows(run).position(holds).unwrap_or(0)
}
