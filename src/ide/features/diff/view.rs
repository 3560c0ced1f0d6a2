//! Two texts side by side or one below the other: which line stands in which row. Must not know
//! how rows are drawn, where texts come from or what keys do.
//!
//! Rows are reckoned, never made: there is one block for each difference and for what lies between.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::ide::model::buffers::BufferId;
use crate::ide::model::view::debounce::Debounce;
use crate::text::changes::ChangeSet;
use crate::text::compare::{ChangedLines, line_count};
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::Format;
use crate::text::rope::Text;
use side_by_side::{side_by_side_height, side_by_side_index, side_by_side_row};

/// Lines around a difference that are not folded away.
const CONTEXT: usize = 3;
/// Columns of the screen from which on the texts are beside each other.
const WIDE: u16 = 120;

/// Where the other text comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// From git: its index, or its last commit.
    Git {
        /// Where the file is, links followed.
        path: PathBuf,
        /// Whether it is the commit.
        head: bool,
    },
    /// From a file; in which encoding, where that is not plain.
    File(PathBuf, Option<Encoding>),
    /// It is known, or what leads to it from a text that is.
    Text(Text, Vec<ChangeSet>, Format),
    /// The one that was compared before.
    Previous(Arc<Text>),
}

/// Two texts that were compared, or could not be.
#[derive(Debug)]
pub struct ComparisonResult {
    /// For which view.
    pub number: u64,
    /// Our text as it was compared.
    pub text: Text,
    /// Its version.
    pub version: u64,
    /// What it was compared with, or why that cannot be had.
    pub other: Result<OtherText, String>,
    /// What the comparison took.
    pub cost: Duration,
}

/// The other text, compared.
#[derive(Debug)]
pub struct OtherText {
    /// The text.
    pub text: Arc<Text>,
    /// What differs besides lines: encodings, line endings.
    pub notes: Vec<String>,
    /// What differs.
    pub runs: Vec<ChangedLines>,
}

/// What a row holds, in lines from 0 of the old and the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// So many lines that are the same, folded away.
    Fold(usize),
    /// A line that is the same.
    Unchanged(usize, usize),
    /// Lines of a difference: what is shown of each text, and which two lines go together.
    Changed {
        /// The old line, if one is shown.
        old: Option<usize>,
        /// The new one.
        new: Option<usize>,
        /// The lines whose words are compared.
        pair: Option<(usize, usize)>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    Fold,
    Unchanged,
    Changed,
}

#[derive(Debug, Clone)]
struct Block {
    kind: BlockKind,
    old: Range<usize>,
    new: Range<usize>,
    /// Its first row: one text below the other, and beside each other.
    first: [usize; 2],
    /// How many rows it has.
    rows: [usize; 2],
}

/// A view of what differs between two texts.
#[derive(Debug)]
pub struct DiffView {
    /// Counts the views of this run.
    pub number: u64,
    /// Whose text is the new one.
    pub buffer: BufferId,
    /// The name of that text.
    pub new_name: String,
    /// The name of the old one.
    pub old_name: String,
    /// Where the old one comes from.
    pub source: Source,
    /// What differs besides lines.
    pub notes: Vec<String>,
    /// The old text, once it is there.
    pub old: Option<Arc<Text>>,
    /// The new one as it was compared.
    pub new: Text,
    /// Its version.
    pub version: u64,
    /// What differs.
    pub runs: Vec<ChangedLines>,
    top: usize,
    /// The first column that is shown.
    pub left: usize,
    /// Whether the texts are beside each other, where somebody has chosen.
    pub layout_choice: Option<bool>,
    /// Whether a comparison is under way.
    pub running: bool,
    blocks: Vec<Block>,
    rows: [usize; 2],
    /// Old lines at which folds were opened.
    opened: BTreeSet<usize>,
    all_open: bool,
    /// The row that is selected, and the layout in which it is.
    row: (usize, bool),
    /// The line that is meant by a fold which closed over it, and the row that was selected then.
    covered: Option<(usize, (usize, bool))>,
    seen: Option<u64>,
    debounce: Debounce,
}

impl DiffView {
    /// A view without a comparison yet.
    pub fn new(number: u64, buffer: BufferId, names: (String, String), source: Source) -> Self {
        Self {
            number,
            buffer,
            new_name: names.0,
            old_name: names.1,
            source,
            notes: Vec::new(),
            old: None,
            new: Text::default(),
            version: 0,
            runs: Vec::new(),
            top: 0,
            left: 0,
            layout_choice: None,
            running: true,
            blocks: Vec::new(),
            rows: [0, 0],
            opened: BTreeSet::new(),
            all_open: false,
            row: (0, false),
            covered: None,
            seen: None,
            debounce: Debounce::low_priority(),
        }
    }

    /// Takes in a comparison; the selected row stays at its line.
    pub fn set_comparison(&mut self, found: ComparisonResult, other: OtherText) {
        self.running = false;
        self.debounce.note_cost(found.cost);
        let is_first = self.old.is_none();
        let line = self.new_line();
        (self.new, self.version, self.runs) = (found.text, found.version, other.runs);
        if !matches!(&self.old, Some(old) if Arc::ptr_eq(old, &other.text)) {
            self.notes = other.notes;
        }
        self.old = Some(other.text);
        self.build();
        if is_first {
            let first = self.blocks.iter().find(|block| block.kind == BlockKind::Changed);
            self.row = (first.map_or(0, |block| block.first[0]), false);
        } else {
            self.go_to_line(line);
        }
    }

    /// Whether a text of this version is to be compared now.
    pub fn needs_comparison(&mut self, version: u64, len: usize, now: Duration) -> bool {
        if self.seen.replace(version).is_some_and(|seen| seen != version) {
            self.debounce.note_change(now);
        }
        let is_early = self.debounce.deadline(len).is_some_and(|due| due > now);
        let wants = self.old.is_some() && !self.running && !is_early && self.version != version;
        if wants {
            self.debounce.note_start();
            self.running = true;
        }
        wants
    }

    /// The next comparison waits for no pause.
    pub fn skip_debounce(&mut self, version: u64) {
        self.seen = Some(version);
        self.debounce.note_start();
    }

    /// When time alone makes a comparison due.
    pub fn deadline(&self, len: usize) -> Option<Duration> {
        self.debounce.deadline(len).filter(|_| self.old.is_some() && !self.running)
    }

    fn build(&mut self) {
        self.blocks.clear();
        self.rows = [0, 0];
        let (mut old, mut new) = (0, 0);
        let runs = std::mem::take(&mut self.runs);
        for run in &runs {
            self.push_unchanged(old..run.old.start, new, old > 0 || new > 0, true);
            let (below, beside) = (run.old.len() + run.new.len(), side_by_side_height(run));
            self.push(BlockKind::Changed, (run.old.clone(), run.new.clone()), [below, beside]);
            (old, new) = (run.old.end, run.new.end);
        }
        let end = self.old.as_ref().map_or(0, |old| line_count(old));
        self.push_unchanged(old..end, new, !runs.is_empty(), false);
        self.runs = runs;
    }

    /// Lines that are the same, of which those far from differences are folded away.
    fn push_unchanged(&mut self, old: Range<usize>, new: usize, below: bool, above: bool) {
        let (head, tail) = (CONTEXT * usize::from(below), CONTEXT * usize::from(above));
        let is_open = self.all_open || self.opened.range(old.clone()).next().is_some();
        // A fold of one line would hide it behind a row that is as high.
        if is_open || old.len() <= head + tail + 1 {
            let rows = [old.len(); 2];
            return self.push(BlockKind::Unchanged, (old.clone(), new..new + old.len()), rows);
        }
        let offset = |at: usize| new + (at - old.start);
        let (from, to) = (old.start + head, old.end - tail);
        self.push(BlockKind::Unchanged, (old.start..from, new..offset(from)), [head; 2]);
        self.push(BlockKind::Fold, (from..to, offset(from)..offset(to)), [1; 2]);
        self.push(BlockKind::Unchanged, (to..old.end, offset(to)..offset(old.end)), [tail; 2]);
    }

    fn push(&mut self, kind: BlockKind, (old, new): (Range<usize>, Range<usize>), rows: [usize; 2]) {
        if old.is_empty() && new.is_empty() {
            return;
        }
        let block = Block { kind, old, new, first: self.rows, rows };
        let [below, beside] = rows;
        self.rows = [self.rows[0] + below, self.rows[1] + beside];
        self.blocks.push(block);
    }

    /// Whether the texts are beside each other on a screen of so many columns.
    pub fn is_side_by_side(&self, cols: u16) -> bool {
        self.layout_choice.unwrap_or(cols >= WIDE)
    }

    /// How many rows there are.
    pub fn row_count(&self, beside: bool) -> usize {
        self.rows[usize::from(beside)]
    }

    fn block_at(&self, row: usize, beside: bool) -> Option<&Block> {
        let at = self.blocks.partition_point(|block| block.first[usize::from(beside)] <= row);
        at.checked_sub(1).map(|at| &self.blocks[at])
    }

    /// What a row holds.
    pub fn row(&self, row: usize, beside: bool) -> Option<Row> {
        let block = self.block_at(row, beside).filter(|_| row < self.row_count(beside))?;
        let n = row - block.first[usize::from(beside)];
        let (old, new) = (&block.old, &block.new);
        let run = self.run_of(block);
        Some(match (block.kind, run) {
            (BlockKind::Fold, _) => Row::Fold(old.len()),
            (BlockKind::Changed, Some(run)) if beside => {
                let (old, new) = side_by_side_row(run, n);
                Row::Changed { old, new, pair: old.and_then(|old| run.pair_of_old(old)) }
            }
            (BlockKind::Changed, Some(run)) if n < old.len() => {
                let line = old.start + n;
                Row::Changed { old: Some(line), new: None, pair: run.pair_of_old(line) }
            }
            (BlockKind::Changed, Some(run)) => {
                let line = new.start + (n - old.len());
                Row::Changed { old: None, new: Some(line), pair: run.pair_of_new(line) }
            }
            _ => Row::Unchanged(old.start + n, new.start + n),
        })
    }

    /// The difference that a block shows.
    fn run_of(&self, block: &Block) -> Option<&ChangedLines> {
        let at = self.runs.partition_point(|run| run.old.start < block.old.start);
        let run = self.runs.get(at).filter(|_| block.kind == BlockKind::Changed)?;
        (run.old == block.old && run.new == block.new).then_some(run)
    }

    /// The selected row in a layout.
    pub fn selected(&self, beside: bool) -> usize {
        if beside == self.row.1 {
            return self.row.0;
        }
        let Some(block) = self.block_at(self.row.0, self.row.1) else { return 0 };
        let n = self.row.0 - block.first[usize::from(self.row.1)];
        let n = match (self.row(self.row.0, self.row.1), self.run_of(block)) {
            (Some(Row::Changed { old, new, .. }), Some(run)) if beside => side_by_side_index(run, (old, new)),
            (Some(Row::Changed { old: Some(old), .. }), _) => old - block.old.start,
            (Some(Row::Changed { new: Some(new), .. }), _) => block.old.len() + (new - block.new.start),
            _ => n,
        };
        block.first[usize::from(beside)] + n.min(block.rows[usize::from(beside)] - 1)
    }

    /// Selects another row.
    pub fn step(&mut self, by: isize, beside: bool) {
        let last = self.row_count(beside).saturating_sub(1);
        self.row = (self.selected(beside).saturating_add_signed(by).min(last), beside);
    }

    /// Which difference is selected, or is the next one below.
    pub fn difference_index(&self) -> usize {
        let Some(block) = self.block_at(self.row.0, self.row.1) else { return 0 };
        self.runs.partition_point(|run| (run.old.end, run.new.end) <= (block.old.start, block.new.start))
    }

    /// Selects the next difference, or the one before, going round.
    pub fn select_next(&mut self, forward: bool) {
        let here = self.block_at(self.row.0, self.row.1).map_or(0, |block| block.first[0]);
        let mut differences = self.blocks.iter().filter(|block| block.kind == BlockKind::Changed);
        let found = if forward {
            differences.clone().find(|block| block.first[0] > here).or(differences.next())
        } else {
            differences.clone().rev().find(|block| block.first[0] < here).or(differences.next_back())
        };
        if let Some(found) = found {
            self.row = (found.first[usize::from(self.row.1)], self.row.1);
        }
    }

    /// The first row on a screen of so many, so that the selected one is in sight.
    pub fn top(&self, height: usize, beside: bool) -> usize {
        let at = self.selected(beside);
        let margin = CONTEXT.min(height / 4);
        let (lowest, highest) = ((at + margin + 1).saturating_sub(height), at.saturating_sub(margin));
        let last = self.row_count(beside).saturating_sub(height);
        self.top.clamp(lowest.min(highest), highest).min(last)
    }

    /// Scrolls so that the selected row is in sight, and as much of its difference as there is
    /// room for where that is to be `whole`.
    pub fn scroll_to_selection(&mut self, height: usize, beside: bool, whole: bool) {
        self.top = self.top(height, beside);
        let Some(block) = self.block_at(self.selected(beside), beside).filter(|_| whole) else { return };
        let first = block.first[usize::from(beside)];
        if first + block.rows[usize::from(beside)] > self.top + height {
            self.top = first.saturating_sub(height / 4);
        }
    }

    /// The difference that the selected row belongs to.
    pub fn selected_run(&self) -> Option<ChangedLines> {
        self.block_at(self.row.0, self.row.1).and_then(|block| self.run_of(block)).cloned()
    }

    /// The line of the new text that the selected row shows, or the one that would follow.
    pub fn new_line(&self) -> usize {
        let (row, beside) = self.row;
        if let Some((line, _)) = self.covered.filter(|(_, row)| *row == self.row) {
            return line;
        }
        match self.row(row, beside) {
            Some(
                Row::Unchanged(_, new)
                | Row::Changed { new: Some(new), .. }
                | Row::Changed { pair: Some((_, new)), .. },
            ) => new,
            Some(Row::Changed { .. }) => {
                let block = self.block_at(row, beside);
                block
                    .map_or(0, |block| if block.new.is_empty() { block.new.start } else { block.new.end - 1 })
            }
            Some(Row::Fold(_)) => self.block_at(row, beside).map_or(0, |block| block.new.start),
            None => 0,
        }
    }

    fn go_to_line(&mut self, line: usize) {
        let beside = self.row.1;
        let at = self.blocks.partition_point(|block| block.new.end <= line);
        let Some(block) = self.blocks.get(at).or(self.blocks.last()) else {
            self.row = (0, beside);
            return;
        };
        let n = match block.kind {
            BlockKind::Fold => 0,
            BlockKind::Changed if !beside => block.old.len() + line.saturating_sub(block.new.start),
            BlockKind::Changed => {
                self.run_of(block).map_or(0, |run| side_by_side_index(run, (None, Some(line))))
            }
            BlockKind::Unchanged => line.saturating_sub(block.new.start),
        };
        let n = n.min(block.rows[usize::from(beside)] - 1);
        let is_covered = block.kind == BlockKind::Fold && block.new.contains(&line);
        self.row = (block.first[usize::from(beside)] + n, beside);
        self.covered = is_covered.then_some((line, self.row));
    }

    /// Opens the fold that is selected, or closes what was opened around the selected row. Tells
    /// whether there was one.
    pub fn toggle(&mut self) -> bool {
        let Some(block) = self.block_at(self.row.0, self.row.1).cloned() else { return false };
        let line = self.new_line();
        match block.kind {
            BlockKind::Changed => return false,
            BlockKind::Fold => {
                self.opened.insert(block.old.start);
            }
            BlockKind::Unchanged => {
                let opened: Vec<usize> = self.opened.range(block.old.clone()).copied().collect();
                if opened.is_empty() {
                    return false;
                }
                self.opened.retain(|at| !opened.contains(at));
            }
        }
        self.build();
        self.go_to_line(line);
        true
    }

    /// Opens all folds, or closes all.
    pub fn toggle_all(&mut self) {
        let line = self.new_line();
        self.all_open = !self.all_open;
        self.opened.clear();
        self.build();
        self.go_to_line(line);
    }

    /// Lines that only the new text has, and only the old one.
    pub fn counts(&self) -> (usize, usize) {
        self.runs.iter().fold((0, 0), |(new, old), run| (new + run.new.len(), old + run.old.len()))
    }
}

mod side_by_side;
#[cfg(test)]
mod tests;
