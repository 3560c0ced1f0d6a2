//! Rows of two compared texts: the mapping of lines to rows, folds, and the selected row. Must not know how rows are
//! drawn, where the texts come from or what keys do.
//!
//! Rows are computed on demand and not stored: there is one block for each difference and for each part
//! between.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::colors::TextColors;
use super::side_by_side::{side_by_side_height, side_by_side_index, side_by_side_row};
use crate::text::compare::{ChangedLines, line_count};
use crate::text::rope::Text;

/// Number of lines around a difference that are not folded.
const CONTEXT: usize = 3;
/// From this screen width on the texts are side by side.
const WIDE: u16 = 120;

/// Content of a row, in zero-based lines of the old and the new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A number of equal lines, folded.
    Fold(usize),
    /// An equal line.
    Unchanged(usize, usize),
    /// Lines of a difference: the shown lines of each text, and which two correspond.
    Changed {
        /// The old line, if one is shown.
        old: Option<usize>,
        /// The new line, if one is shown.
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
    /// Its first row: one text below the other, and side by side.
    first: [usize; 2],
    /// Its number of rows, likewise.
    rows: [usize; 2],
}
/// Two compared texts, as rows.
#[derive(Debug, Default)]
pub struct DiffRows {
    /// The old text, once loaded.
    pub old: Option<Arc<Text>>,
    /// The new text at the comparison.
    pub new: Text,
    /// What differs.
    pub runs: Vec<ChangedLines>,
    /// The colors of the texts.
    pub colors: TextColors,
    top: usize,
    /// The first column shown.
    pub left: usize,
    /// Whether the texts are side by side, if the user has chosen.
    pub layout_choice: Option<bool>,
    blocks: Vec<Block>,
    rows: [usize; 2],
    /// Old lines at which folds were opened.
    opened: BTreeSet<usize>,
    all_open: bool,
    /// The selected row, and the layout that it belongs to.
    row: (usize, bool),
    /// The line for which a fold was closed, and the row that was selected then.
    covered: Option<(usize, (usize, bool))>,
}

impl DiffRows {
    /// Replaces the texts and their differences; the selection stays on its line, and begins at the first
    /// difference.
    pub fn set_texts(&mut self, old: Arc<Text>, new: Text, runs: Vec<ChangedLines>) {
        let is_first = self.old.is_none();
        let line = self.new_line();
        self.colors.reset(self.old.as_ref().is_some_and(|known| Arc::ptr_eq(known, &old)));
        (self.old, self.new, self.runs) = (Some(old), new, runs);
        self.build();
        if is_first {
            let first = self.blocks.iter().find(|block| block.kind == BlockKind::Changed);
            self.row = (first.map_or(0, |block| block.first[0]), false);
        } else {
            self.go_to_line(line);
        }
    }

    fn build(&mut self) {
        self.blocks.clear();
        self.rows = [0, 0];
        let (mut old, mut new) = (0, 0);
        let runs = std::mem::take(&mut self.runs);
        for run in &runs {
            self.push_unchanged(old..run.old.start, new, old > 0 || new > 0, true);
            let (below, side_by_side) = (run.old.len() + run.new.len(), side_by_side_height(run));
            self.push(BlockKind::Changed, (run.old.clone(), run.new.clone()), [below, side_by_side]);
            (old, new) = (run.old.end, run.new.end);
        }
        let end = self.old.as_ref().map_or(0, |old| line_count(old));
        self.push_unchanged(old..end, new, !runs.is_empty(), false);
        self.runs = runs;
    }

    /// Adds equal lines, of which those far from differences are folded.
    fn push_unchanged(&mut self, old: Range<usize>, new: usize, below: bool, above: bool) {
        let (head, tail) = (CONTEXT * usize::from(below), CONTEXT * usize::from(above));
        let is_open = self.all_open || self.opened.range(old.clone()).next().is_some();
        // Folding a single line would save no row.
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
        let [below, side_by_side] = rows;
        self.rows = [self.rows[0] + below, self.rows[1] + side_by_side];
        self.blocks.push(block);
    }

    /// Returns whether the texts are side by side on a screen of this width.
    pub fn is_side_by_side(&self, cols: u16) -> bool {
        self.layout_choice.unwrap_or(cols >= WIDE)
    }

    /// Returns the number of rows.
    pub fn row_count(&self, side_by_side: bool) -> usize {
        self.rows[usize::from(side_by_side)]
    }

    fn block_at(&self, row: usize, side_by_side: bool) -> Option<&Block> {
        let at = self.blocks.partition_point(|block| block.first[usize::from(side_by_side)] <= row);
        at.checked_sub(1).map(|at| &self.blocks[at])
    }

    /// Returns the content of a row.
    pub fn row(&self, row: usize, side_by_side: bool) -> Option<Row> {
        let block = self.block_at(row, side_by_side).filter(|_| row < self.row_count(side_by_side))?;
        let n = row - block.first[usize::from(side_by_side)];
        let (old, new) = (&block.old, &block.new);
        let run = self.run_of(block);
        Some(match (block.kind, run) {
            (BlockKind::Fold, _) => Row::Fold(old.len()),
            (BlockKind::Changed, Some(run)) if side_by_side => {
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

    /// Returns the difference that a block shows.
    fn run_of(&self, block: &Block) -> Option<&ChangedLines> {
        let at = self.runs.partition_point(|run| run.old.start < block.old.start);
        let run = self.runs.get(at).filter(|_| block.kind == BlockKind::Changed)?;
        (run.old == block.old && run.new == block.new).then_some(run)
    }

    /// The selected row in a layout.
    pub fn selected(&self, side_by_side: bool) -> usize {
        if side_by_side == self.row.1 {
            return self.row.0;
        }
        let Some(block) = self.block_at(self.row.0, self.row.1) else { return 0 };
        let n = self.row.0 - block.first[usize::from(self.row.1)];
        let n = match (self.row(self.row.0, self.row.1), self.run_of(block)) {
            (Some(Row::Changed { old, new, .. }), Some(run)) if side_by_side => {
                side_by_side_index(run, (old, new))
            }
            (Some(Row::Changed { old: Some(old), .. }), _) => old - block.old.start,
            (Some(Row::Changed { new: Some(new), .. }), _) => block.old.len() + (new - block.new.start),
            _ => n,
        };
        block.first[usize::from(side_by_side)] + n.min(block.rows[usize::from(side_by_side)] - 1)
    }

    /// Selects another row.
    pub fn step(&mut self, by: isize, side_by_side: bool) {
        let last = self.row_count(side_by_side).saturating_sub(1);
        self.row = (self.selected(side_by_side).saturating_add_signed(by).min(last), side_by_side);
    }

    /// Returns the index of the selected difference, or of the next one below.
    pub fn difference_index(&self) -> usize {
        let Some(block) = self.block_at(self.row.0, self.row.1) else { return 0 };
        self.runs.partition_point(|run| (run.old.end, run.new.end) <= (block.old.start, block.new.start))
    }

    /// Selects the first row of a difference.
    pub fn select_run(&mut self, index: usize) {
        let Some(run) = self.runs.get(index) else { return };
        let found = self
            .blocks
            .iter()
            .find(|block| block.kind == BlockKind::Changed && block.old == run.old && block.new == run.new);
        if let Some(found) = found {
            self.row = (found.first[usize::from(self.row.1)], self.row.1);
        }
    }

    /// Returns the index of the difference that a row belongs to.
    pub fn run_at(&self, row: usize, side_by_side: bool) -> Option<usize> {
        let block = self.block_at(row, side_by_side).filter(|_| row < self.row_count(side_by_side))?;
        self.run_of(block)?;
        Some(self.runs.partition_point(|run| run.old.start < block.old.start))
    }

    /// Selects the next or the previous difference, wrapping around.
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

    /// Returns the first row on a screen of this height such that the selected row is visible.
    pub fn top(&self, height: usize, side_by_side: bool) -> usize {
        let at = self.selected(side_by_side);
        let margin = CONTEXT.min(height / 4);
        let (lowest, highest) = ((at + margin + 1).saturating_sub(height), at.saturating_sub(margin));
        let last = self.row_count(side_by_side).saturating_sub(height);
        self.top.clamp(lowest.min(highest), highest).min(last)
    }

    /// Scrolls so that the selected row is visible, and with `whole` as much of its difference as fits.
    pub fn scroll_to_selection(&mut self, height: usize, side_by_side: bool, whole: bool) {
        self.top = self.top(height, side_by_side);
        let Some(block) = self.block_at(self.selected(side_by_side), side_by_side).filter(|_| whole) else {
            return;
        };
        let first = block.first[usize::from(side_by_side)];
        if first + block.rows[usize::from(side_by_side)] > self.top + height {
            self.top = first.saturating_sub(height / 4);
        }
    }

    /// The difference that the selected row belongs to.
    pub fn selected_run(&self) -> Option<ChangedLines> {
        self.block_at(self.row.0, self.row.1).and_then(|block| self.run_of(block)).cloned()
    }

    /// Returns the line of the new text in the selected row, or the one that would follow.
    pub fn new_line(&self) -> usize {
        let (row, side_by_side) = self.row;
        if let Some((line, _)) = self.covered.filter(|(_, row)| *row == self.row) {
            return line;
        }
        match self.row(row, side_by_side) {
            Some(
                Row::Unchanged(_, new)
                | Row::Changed { new: Some(new), .. }
                | Row::Changed { pair: Some((_, new)), .. },
            ) => new,
            Some(Row::Changed { .. }) => {
                let block = self.block_at(row, side_by_side);
                block
                    .map_or(0, |block| if block.new.is_empty() { block.new.start } else { block.new.end - 1 })
            }
            Some(Row::Fold(_)) => self.block_at(row, side_by_side).map_or(0, |block| block.new.start),
            None => 0,
        }
    }

    fn go_to_line(&mut self, line: usize) {
        let side_by_side = self.row.1;
        let at = self.blocks.partition_point(|block| block.new.end <= line);
        let Some(block) = self.blocks.get(at).or(self.blocks.last()) else {
            self.row = (0, side_by_side);
            return;
        };
        let n = match block.kind {
            BlockKind::Fold => 0,
            BlockKind::Changed if !side_by_side => block.old.len() + line.saturating_sub(block.new.start),
            BlockKind::Changed => {
                self.run_of(block).map_or(0, |run| side_by_side_index(run, (None, Some(line))))
            }
            BlockKind::Unchanged => line.saturating_sub(block.new.start),
        };
        let n = n.min(block.rows[usize::from(side_by_side)] - 1);
        let is_covered = block.kind == BlockKind::Fold && block.new.contains(&line);
        self.row = (block.first[usize::from(side_by_side)] + n, side_by_side);
        self.covered = is_covered.then_some((line, self.row));
    }

    /// Opens the selected fold, or closes the opened fold around the selected row. Returns whether there was
    /// one.
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

    /// Returns the number of lines that only the new text has, and that only the old one has.
    pub fn counts(&self) -> (usize, usize) {
        self.runs.iter().fold((0, 0), |(new, old), run| (new + run.new.len(), old + run.old.len()))
    }
}
