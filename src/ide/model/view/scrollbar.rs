//! Content of the scrollbar: which lines are on screen, and positions of interest in the text. Must not know
//! how it is drawn. The cost depends only on the number of drawn marks.

use crate::ide::model::buffers::{Buffer, BufferId};
use crate::ide::model::view::hunks::HunkKind;
use crate::ide::model::view::visible_rows::{BarCell, BarMark};
use crate::text::display::rows::Row;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::search::Needle;

/// Maximum number of marks of one kind that are processed; of more, an even sample is taken.
const MARKS_MAX: usize = 200;
/// Lines with matches that are remembered.
const FOUND_MAX: usize = 10_000;
/// Texts with more bytes are not searched for the scrollbar.
pub const SCAN_MAX: usize = 32 << 20;

/// Result of a scan of a text for the scrollbar.
#[derive(Debug)]
pub struct ScanResult {
    /// Of which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// The search pattern.
    pub needle: Needle,
    /// The lines.
    pub lines: Vec<Line>,
}

/// Scans of the shown text.
#[derive(Debug, Default)]
pub struct ScrollbarScans {
    /// The last result.
    pub found: Option<ScanResult>,
    /// Whether a text is being searched.
    pub running: bool,
}

/// A text to be searched for the scrollbar.
#[derive(Debug)]
pub struct ScanJob {
    /// Of which file.
    pub buffer: BufferId,
    /// The version of its text.
    pub version: u64,
    /// The text.
    pub text: Text,
    /// The search pattern.
    pub needle: Needle,
}

impl ScanJob {
    /// Searches the whole text. Must not be called on the event loop.
    pub fn run(self) -> ScanResult {
        let mut lines: Vec<Line> = Vec::new();
        let mut from = Byte(0);
        while lines.len() < FOUND_MAX
            && let Some(found) = self.needle.find(&self.text, from)
        {
            let line = self.text.line_of(found.start);
            lines.push(line);
            // One match per line is enough.
            from = self.text.line_start(Line(line.0 + 1));
            if line == self.text.last_line() {
                break;
            }
        }
        ScanResult { buffer: self.buffer, version: self.version, needle: self.needle, lines }
    }
}

impl ScanResult {
    /// Returns whether it is the result of a search of the current text of this file.
    pub fn is_of(&self, buffer: &Buffer, needle: &Needle) -> bool {
        (self.buffer, self.version) == (buffer.id, buffer.area.document.version())
            && self.needle.is_same(needle)
    }

    /// Returns the lines, if they belong to this file.
    pub fn lines_in(&self, buffer: &Buffer) -> &[Line] {
        if self.buffer == buffer.id { &self.lines } else { &[] }
    }
}

/// Returns an even sample of the items.
fn sample<T>(all: &[T]) -> impl Iterator<Item = &T> {
    all.iter().step_by(all.len().div_ceil(MARKS_MAX).max(1))
}

/// Returns the scrollbar of a pane with this many rows.
pub fn cells(buffer: &Buffer, rows: &[Row], height: usize, matches: &[Line]) -> Vec<BarCell> {
    let text = buffer.area.text();
    let lines = text.line_count();
    let cell = |line: Line| (line.0.min(lines - 1) * height / lines).min(height - 1);
    let mut cells = vec![BarCell::default(); height];
    if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
        cells[cell(first.line)..=cell(last.line)].iter_mut().for_each(|cell| cell.is_thumb = true);
    }
    let mut mark = |line: Line, mark: BarMark| {
        let cell = &mut cells[cell(line)];
        cell.mark = cell.mark.max(Some(mark));
    };
    for found in sample(matches) {
        mark(*found, BarMark::Match);
    }
    for hunk in sample(buffer.area.per_view.hunks.all()) {
        let sign = match hunk.kind() {
            HunkKind::Added => BarMark::Added,
            HunkKind::Changed => BarMark::Changed,
            HunkKind::Removed | HunkKind::RemovedAbove => BarMark::Removed,
        };
        mark(text.line_of(hunk.range.start), sign);
    }
    for edit in sample(buffer.area.document.marks().all()) {
        mark(text.line_of(edit.range.start), BarMark::Agent);
    }
    mark(text.line_of(buffer.area.selection.primary().head), BarMark::Cursor);
    cells
}
