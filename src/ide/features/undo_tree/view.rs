//! Rows of the undo tree of an open file: branches drawn as lines, newest on top. Must not know how rows are
//! drawn or which keys move between them.

use crate::ide::model::buffers::BufferId;
use crate::text::transaction::Author;
use crate::text::undo::history::{History, Revision, RevisionId};

/// Maximum number of parallel branches drawn.
const LANES_MAX: usize = 12;
/// Maximum number of revisions shown, the newest ones.
const ROWS_MAX: usize = 10_000;
/// Maximum characters shown of what a step inserted or deleted.
const SAMPLE: usize = 60;

/// The undo tree on top of the panes.
#[derive(Debug)]
pub struct UndoView {
    /// Its buffer.
    pub buffer: BufferId,
    /// The revision when the tree was opened; cancelling returns to it.
    pub origin: RevisionId,
    /// Number of revisions committed at that time.
    pub commits: i64,
    /// Newest first; the last one is the text as it was opened, unless there are too many.
    pub rows: Vec<UndoRow>,
    /// Index of the revision that the text shows.
    pub selected: usize,
    /// When it was opened, in milliseconds since the epoch, for the ages of revisions.
    pub now_ms: u64,
}

/// One revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoRow {
    /// Its id.
    pub revision: RevisionId,
    /// The branches beside it: its own as `●`.
    pub graph: String,
}

impl UndoView {
    /// The tree of a file.
    pub fn new(buffer: BufferId, history: &History, now_ms: u64) -> Self {
        let rows = rows(history);
        let origin = history.current();
        let selected = rows.iter().position(|row| row.revision == origin).unwrap_or(0);
        Self { buffer, origin, commits: history.commits(), rows, selected, now_ms }
    }

    /// Updates the rows after changes of the tree. An edit of another author is the newest row, and
    /// cancelling does not undo it; a tree restored from an earlier run only adds rows. Returns whether the
    /// rows changed.
    pub fn refresh(&mut self, history: &History, now_ms: u64) -> bool {
        if history.commits() != self.commits {
            *self = Self::new(self.buffer, history, now_ms);
        } else if history.len().min(ROWS_MAX) != self.rows.len() {
            self.rows = rows(history);
            self.selected =
                self.rows.iter().position(|row| row.revision == history.current()).unwrap_or_default();
        } else {
            return false;
        }
        true
    }

    /// Moves the selection; returns its revision.
    pub fn step(&mut self, by: isize) -> RevisionId {
        self.selected = self.selected.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
        self.rows.get(self.selected).map_or(self.origin, |row| row.revision)
    }
}

/// Each revision waits in a lane for its parent; where several wait for the same one, their lanes join.
fn rows(history: &History) -> Vec<UndoRow> {
    let mut lanes: Vec<Option<RevisionId>> = Vec::new();
    let mut rows = Vec::new();
    for (revision, parent) in history.newest_first().take(ROWS_MAX) {
        let own = lanes.iter().position(|lane| *lane == Some(revision)).unwrap_or_else(|| {
            let free = lanes.iter().position(Option::is_none).unwrap_or(lanes.len());
            if free == lanes.len() {
                lanes.push(None);
            }
            free
        });
        let sign = |(n, lane): (usize, &Option<RevisionId>)| match lane {
            _ if n == own => '●',
            Some(waiting) if *waiting == revision => '╯',
            Some(_) => '│',
            None => ' ',
        };
        let graph: String = lanes.iter().enumerate().take(LANES_MAX).map(sign).collect();
        rows.push(UndoRow { revision, graph: graph.trim_end().to_string() });
        for lane in lanes.iter_mut().filter(|lane| **lane == Some(revision)) {
            *lane = None;
        }
        lanes[own] = parent;
        while lanes.last() == Some(&None) {
            lanes.pop();
        }
    }
    rows
}

/// Returns the author of a step.
pub fn author(author: &Author) -> &str {
    match author {
        Author::User | Author::Revert(_) => "you",
        Author::Agent(_) => "agent",
        Author::External => "disk",
        Author::Formatter => "format",
        Author::Plugin(name) => name,
    }
}

/// Returns a summary of a step: bytes inserted and deleted, and the beginning of the text.
pub fn summary(revision: &Revision) -> String {
    let (mut added, mut removed, mut count) = (0, 0, 0);
    for edit in revision.forward.edits() {
        added += edit.text.len();
        removed += edit.old.end - edit.old.start;
        count += 1;
    }
    let written = revision.forward.edits().find(|edit| !edit.text.trim().is_empty());
    let taken = revision.backward.edits().find(|edit| !edit.text.trim().is_empty());
    let (sign, text) = match (&written, &taken) {
        (Some(edit), _) => ("", edit.text),
        (None, Some(edit)) => ("deleted ", edit.text),
        (None, None) => ("whitespace", ""),
    };
    let sample: String = text.trim().chars().take(SAMPLE).collect();
    let sample = sample.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = if count > 1 { format!(" in {count} places") } else { String::new() };
    format!("+{added} −{removed}{count}  {sign}{sample}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::changes::ChangeSet;
    use crate::text::document::Document;
    use crate::text::file_format::format::Format;
    use crate::text::position::Byte;
    use crate::text::selection::Selection;
    use crate::text::transaction::Transaction;

    fn write(document: &mut Document, new: &str) {
        let end = document.text().end();
        let edit = Transaction::new(ChangeSet::replace(end.0, [(end..end, new.to_string())]));
        document.apply(edit, &Selection::cursor(Byte(0)), 0).unwrap();
    }

    fn graph(document: &Document) -> Vec<String> {
        rows(document.history()).into_iter().map(|row| format!("{} {}", row.graph, row.revision)).collect()
    }

    #[test]
    fn undo_tree_graph_shows_branches() {
        let mut document = Document::new("", Format::default());
        assert_eq!(graph(&document), ["● 0"]);
        write(&mut document, "a");
        write(&mut document, "b");
        document.undo().unwrap();
        write(&mut document, "c");
        document.travel(document.history().root());
        write(&mut document, "d");
        assert_eq!(graph(&document), ["● 4", "│● 3", "││● 2", "│●╯ 1", "●╯ 0"]);
    }

    #[test]
    fn undo_tree_step_has_summary() {
        let mut document = Document::new("", Format::default());
        write(&mut document, "fn  main() {\n}\n");
        assert_eq!(summary(document.history().last().unwrap()), "+15 −0  fn main() { }");
        let cut = ChangeSet::replace(15, [(Byte(0)..Byte(2), String::new()), (Byte(4)..Byte(8), " ".into())]);
        document.apply(Transaction::new(cut), &Selection::cursor(Byte(0)), 0).unwrap();
        assert_eq!(summary(document.history().last().unwrap()), "+1 −6 in 2 places  deleted fn");
    }
}
