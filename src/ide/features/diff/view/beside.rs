//! The rows of one difference whose texts are beside each other. Must not know what lies between
//! differences.

use std::ops::Range;

use crate::text::compare::Run;

/// What is in a row of a difference: an old line, a new one, or both.
pub(super) type Beside = (Option<usize>, Option<usize>);

/// The rows of a difference whose texts are beside each other: lines that go together share one.
fn rows_beside(run: &Run) -> impl Iterator<Item = Beside> + '_ {
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

/// How many they are.
pub(super) fn height_beside(run: &Run) -> usize {
    if run.pairs.is_none() { run.old.len().max(run.new.len()) } else { rows_beside(run).count() }
}

/// The `n`th of them.
pub(super) fn row_beside(run: &Run, n: usize) -> Beside {
    let nth = |lines: &Range<usize>| Some(lines.start + n).filter(|line| *line < lines.end);
    if run.pairs.is_none() {
        (nth(&run.old), nth(&run.new))
    } else {
        rows_beside(run).nth(n).unwrap_or_default()
    }
}

/// Which of them holds an old line, or else a new one.
pub(super) fn place_beside(run: &Run, (old, new): Beside) -> usize {
    if run.pairs.is_none() {
        let old = old.map(|old| old - run.old.start);
        return old.or(new.map(|new| new.saturating_sub(run.new.start))).unwrap_or(0);
    }
    let holds = |row: Beside| if old.is_some() { row.0 == old } else { row.1 == new };
    rows_beside(run).position(holds).unwrap_or(0)
}
