//! All sessions of a folder, or of all folders, as the roots of one tree: which are open, their rows, and the selected
//! line. Must not know how lines are drawn, nor where the rows come from.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::ide::features::sessions::view::SessionView;
use crate::runtime::history::session_trees::{SessionFile, StoredTree};
use crate::session::derived::outline::Filter;

/// Which sessions are roots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those of this folder.
    Folder,
    /// Those of all folders.
    Everywhere,
}

/// One session.
#[derive(Debug)]
pub struct Root {
    /// Its file.
    pub file: SessionFile,
    /// Its rows while it is open.
    pub body: Option<Box<SessionView>>,
    /// The session, once it was read for them.
    pub tree: Option<StoredTree>,
    /// Why it could not be read, or what is broken in it.
    pub problem: Option<String>,
    is_match: bool,
}

impl Root {
    /// Returns the number of lines below it; without rows one line says why.
    pub fn lines_below(&self) -> usize {
        self.body.as_ref().map_or(0, |body| body.shown.len().max(1))
    }
}

/// A line: the number of a root, and the index of a row of its body below it.
pub type Line = (usize, Option<usize>);

/// The sessions.
#[derive(Debug)]
pub struct Forest {
    /// Which sessions these are.
    pub scope: Scope,
    /// The sessions; `None` until the list has arrived.
    pub roots: Option<Vec<Root>>,
    /// The text that titles must contain.
    pub query: Option<String>,
    /// The selected line.
    pub at: Line,
    /// Which entries have rows.
    pub filter: Filter,
    /// The id of the session that is open in the program.
    pub current: String,
    /// The time, in milliseconds since the epoch, for ages.
    pub now_ms: u64,
}

impl Forest {
    /// Returns a forest whose list has not arrived.
    pub fn new(scope: Scope, (filter, now_ms): (Filter, u64)) -> Self {
        Self { scope, roots: None, query: None, at: (0, None), filter, current: String::new(), now_ms }
    }

    /// Stores the sessions, and selects the one with this id.
    pub fn set_files(&mut self, files: Vec<SessionFile>, current: &str) {
        let root = |file: SessionFile| Root {
            problem: file.error.clone(),
            file,
            body: None,
            tree: None,
            is_match: true,
        };
        let roots: Vec<Root> = files.into_iter().map(root).collect();
        self.current = current.to_string();
        self.at = (roots.iter().position(|root| self.is_current(root)).unwrap_or(0), None);
        self.roots = Some(roots);
        self.set_query(self.query.clone());
    }

    /// Returns whether a session is the one that is open in the program.
    pub fn is_current(&self, root: &Root) -> bool {
        !self.current.is_empty() && root.file.id == self.current
    }

    /// Shows only the sessions whose titles contain a text, in any case.
    pub fn set_query(&mut self, query: Option<String>) {
        let words = query.as_deref().unwrap_or_default().to_lowercase();
        for root in self.roots.iter_mut().flatten() {
            root.is_match = root.file.title.to_lowercase().contains(&words);
        }
        self.query = query.filter(|query| !query.is_empty());
        if !self.roots().get(self.at.0).is_some_and(|root| root.is_match) {
            self.at = (self.roots().iter().position(|root| root.is_match).unwrap_or(0), None);
        }
    }

    /// Returns the sessions, shown or not.
    pub fn roots(&self) -> &[Root] {
        self.roots.as_deref().unwrap_or_default()
    }

    /// Returns the session in a file.
    pub fn root_mut(&mut self, file: &Path) -> Option<&mut Root> {
        self.roots.iter_mut().flatten().find(|root| root.file.path == file)
    }

    fn shown(&self) -> impl Iterator<Item = (usize, &Root)> {
        self.roots().iter().enumerate().filter(|(_, root)| root.is_match)
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.shown().map(|(_, root)| 1 + root.lines_below()).sum()
    }

    /// Returns whether there are no lines.
    pub fn is_empty(&self) -> bool {
        self.shown().next().is_none()
    }

    /// Returns the line with this number.
    pub fn line(&self, index: usize) -> Option<Line> {
        let mut left = index;
        for (number, root) in self.shown() {
            match left.checked_sub(1) {
                None => return Some((number, None)),
                Some(row) if row < root.lines_below() => return Some((number, Some(row))),
                Some(row) => left = row - root.lines_below(),
            }
        }
        None
    }

    /// Returns the number of the selected line.
    pub fn selected(&self) -> usize {
        let before = self.shown().take_while(|(number, _)| *number < self.at.0);
        let row = self.at.1.map_or(0, |row| {
            let below = self.roots().get(self.at.0).map_or(0, Root::lines_below);
            if below == 0 { 0 } else { 1 + row.min(below - 1) }
        });
        before.map(|(_, root)| 1 + root.lines_below()).sum::<usize>() + row
    }

    /// Selects the line with this number, or the last one.
    pub fn select(&mut self, index: usize) {
        let last = self.len().saturating_sub(1);
        self.at = self.line(index.min(last)).unwrap_or((0, None));
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        self.select(self.selected().saturating_add_signed(by));
    }

    /// Selects the next session, or the previous one; from a row first its own.
    pub fn step_to_root(&mut self, by: isize) {
        let at = self.at.0;
        let found = match (by > 0, self.at.1) {
            (true, _) => self.shown().map(|(number, _)| number).find(|number| *number > at),
            (false, Some(_)) => Some(at),
            (false, None) => self.shown().map(|(number, _)| number).take_while(|number| *number < at).last(),
        };
        self.at = (found.unwrap_or(at), None);
    }

    /// The session of the selected line.
    pub fn selected_root(&self) -> Option<&Root> {
        self.roots().get(self.at.0).filter(|root| root.is_match)
    }

    /// Returns the selected entry, with the file of its session; `None` if a session is selected.
    pub fn selected_entry(&self) -> Option<(PathBuf, String)> {
        let root = self.selected_root()?;
        let (_, row) = root.body.as_ref()?.row(self.at.1?)?;
        Some((root.file.path.clone(), row.id.to_string()))
    }

    /// Changes which entries have rows. Returns the files of the sessions whose rows are to be loaded.
    pub fn set_filter(&mut self, filter: Filter) -> Vec<PathBuf> {
        self.filter = filter;
        let mut due = Vec::new();
        for root in self.roots.iter_mut().flatten() {
            if let Some(body) = &mut root.body {
                body.set_filter(filter);
                due.push(root.file.path.clone());
            }
        }
        due
    }

    /// Folds or unfolds the selected line. Returns the file of a session whose rows are to be loaded; those of a closed
    /// one are dropped, so that it is read again.
    pub fn fold(&mut self, closes: bool) -> Option<PathBuf> {
        let ((number, row), filter, now_ms) = (self.at, self.filter, self.now_ms);
        let root = self.roots.as_mut()?.get_mut(number).filter(|root| root.is_match)?;
        let (Some(row), Some(body)) = (row, root.body.as_mut().filter(|body| !body.shown.is_empty())) else {
            self.at = (number, None);
            if closes {
                (root.body, root.tree) = (None, None);
            }
            let opens = !closes && root.body.is_none() && root.file.error.is_none();
            return opens.then(|| {
                let mut body = SessionView::new(0, now_ms);
                body.filter = filter;
                root.body = Some(Box::new(body));
                root.file.path.clone()
            });
        };
        body.selected = row;
        let has_below = body.selected_row().is_some_and(|row| row.descendants > 0 && !body.is_folded(row));
        body.fold(closes);
        // From what has nothing to fold the way leads to the session.
        let is_out = closes && !has_below && body.selected == row;
        self.at = (number, (!is_out).then_some(body.selected));
        None
    }

    /// Returns, for the lines of a page, the rows of each open session among them.
    pub fn rows_on(&self, page: Range<usize>) -> Vec<(usize, Range<usize>)> {
        let mut found: Vec<(usize, Range<usize>)> = Vec::new();
        for (number, row) in page.filter_map(|index| self.line(index)) {
            let Some(row) = row else { continue };
            match found.last_mut() {
                Some((last, rows)) if *last == number => rows.end = row + 1,
                _ => found.push((number, row..row + 1)),
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::derived::outline::{Filter, outline};
    use crate::session::{Entry, Tree};
    use std::collections::HashMap;

    fn file(name: &str) -> SessionFile {
        SessionFile {
            path: name.into(),
            id: name.into(),
            title: format!("Title {name}"),
            cwd: "/w".into(),
            active_ms: 0,
            messages: 1,
            cost: 0.0,
            error: (name == "x").then(|| "broken".into()),
        }
    }

    /// Three sessions and a broken one; the rows of `b` are `1 2`, the second below the first.
    fn forest() -> Forest {
        let mut tree = Tree::default();
        for (id, parent) in [("1", "null"), ("2", "\"1\"")] {
            let line = format!(
                r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user"}}}}"#
            );
            tree.push(Entry::parse(&line).unwrap()).unwrap();
        }
        let mut body = SessionView::new(1, 0);
        body.set_outline(outline(&tree, &HashMap::new(), Filter::Turns));
        let mut forest = Forest::new(Scope::Folder, (Filter::Turns, 0));
        forest.set_files(["a", "b", "c", "x"].map(file).into(), "b");
        forest.root_mut(Path::new("b")).unwrap().body = Some(Box::new(body));
        forest
    }

    fn lines(forest: &Forest) -> String {
        let name = |(number, row): Line| match row {
            None => forest.roots()[number].file.id.clone(),
            Some(row) => (row + 1).to_string(),
        };
        (0..forest.len()).map(|index| name(forest.line(index).unwrap())).collect()
    }

    #[test]
    fn session_forest_opens_and_closes_sessions() {
        let mut forest = forest();
        assert_eq!(
            (lines(&forest).as_str(), forest.selected()),
            ("ab12cx", 1),
            "the current one is selected"
        );
        assert_eq!(forest.fold(false), None, "its rows are known");
        forest.step(2);
        assert_eq!((forest.selected(), forest.selected_entry().unwrap().1), (3, "2".into()));
        forest.step_to_root(1);
        assert_eq!((forest.selected(), forest.fold(false)), (4, Some("c".into())));
        assert_eq!(lines(&forest), "ab12c1x", "a line says that it is read");
        assert_eq!(forest.rows_on(1..6), [(1, 0..2), (2, 0..1)]);
        forest.step(9);
        assert_eq!((forest.selected(), forest.fold(false)), (6, None), "there is nothing to open");
        forest.step_to_root(-1);
        forest.fold(true);
        forest.select(3);
        forest.fold(true);
        assert_eq!((lines(&forest).as_str(), forest.selected()), ("ab1cx", 2), "the row above folds");
        forest.fold(true);
        assert_eq!((lines(&forest).as_str(), forest.selected()), ("ab1cx", 1), "to the session");
        forest.fold(true);
        assert_eq!((lines(&forest).as_str(), forest.selected()), ("abcx", 1));
        assert_eq!(forest.fold(false), Some("b".into()), "it is read again");
        assert_eq!(forest.set_filter(Filter::All), [PathBuf::from("b")]);
    }

    #[test]
    fn session_forest_query_keeps_the_titles_that_contain_it() {
        let mut forest = forest();
        forest.set_query(Some("title C".into()));
        assert_eq!((lines(&forest).as_str(), forest.selected()), ("c", 0));
        forest.set_query(Some("nothing".into()));
        assert_eq!((forest.len(), forest.is_empty(), forest.selected_entry()), (0, true, None));
        forest.step(1);
        assert_eq!(forest.fold(false), None);
        forest.set_query(None);
        assert_eq!(lines(&forest), "ab12cx");
    }
}
