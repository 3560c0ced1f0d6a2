//! Marks of unreviewed lines in the gutter, for files that were not open when the agent changed them. Must not know
//! how they are drawn.

use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::features::review::file::{Compared, ReviewedFile, bytes_of};
use crate::ide::features::review::state::{Decision, REVIEW, Review};
use crate::ide::model::buffers::Buffer;
use crate::text::anchors::marks::ReviewMark;

/// Name of the marks: they belong to no single edit.
const BY: &str = "review";

/// Marks the open files, after a comparison or a decision.
pub fn mark_open_files(cx: &mut Cx<'_>) {
    let state = &mut *cx.state;
    let review = &state.slots[REVIEW];
    for buffer in state.buffers.all_mut() {
        let file = buffer.real.as_ref().and_then(|real| review.file_at(real));
        match file {
            Some(file) => mark(buffer, file, review),
            None => drop_own(buffer),
        }
    }
    state.damage.add(Part::Editor);
}

/// Removes the marks made here: their hunks are gone.
fn drop_own(buffer: &mut Buffer) {
    let marks = buffer.area.document.marks().all();
    if marks.iter().any(|mark| mark.by == BY) {
        let others = marks.iter().filter(|mark| mark.by != BY).cloned().collect();
        buffer.area.document.set_marks(others);
    }
}

/// Marks the hunks without a decision. Marks of edits, made while the file was open, stay where no decision was
/// made.
fn mark(buffer: &mut Buffer, file: &ReviewedFile, review: &Review) {
    let Some(pair) = file.texts() else { return };
    let document = &buffer.area.document;
    let is_compared = match &file.compared {
        Compared::Open(id, version) => *id == buffer.id && *version == document.version(),
        Compared::Disk(stamp) => buffer.stamp.as_ref() == Some(stamp) && !document.is_modified(),
    };
    if !is_compared {
        return;
    }
    let hunk = |n: usize| bytes_of(&pair.new, &pair.runs[n].new);
    let is_open = |n: usize| review.decision(&file.name, file.keys[n]) == Decision::Open;
    let (open, decided): (Vec<usize>, Vec<usize>) = (0..pair.runs.len()).partition(|n| is_open(*n));
    let touches = |mark: &ReviewMark, n: usize| {
        let hunk = hunk(n);
        mark.range.start <= hunk.end && hunk.start <= mark.range.end
    };
    let mut marks: Vec<ReviewMark> = document.marks().all().to_vec();
    marks.retain(|mark| mark.by != BY && !decided.iter().any(|n| touches(mark, *n)));
    let of_hunk = |n: &usize| ReviewMark { range: hunk(*n), by: BY.to_string() };
    let missing: Vec<usize> =
        open.into_iter().filter(|n| !marks.iter().any(|mark| touches(mark, *n))).collect();
    marks.extend(missing.iter().map(of_hunk));
    if marks != document.marks().all() {
        buffer.area.document.set_marks(marks);
    }
}
