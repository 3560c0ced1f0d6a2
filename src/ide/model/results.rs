//! A search results list: an editable text with lines `path:line:text`, and the data of its lines. The user
//! edits the texts, and the changes are parsed from the list. Must not know who found the locations or who
//! changes files.
//!
//! A location of several lines is written `path:first-last:text`. A line that begins with `:` continues the
//! text of the line above, so that one line can become several.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::syntax::Span;
use crate::text::changes::{ChangeSet, Edit};
use crate::text::position::Byte;
use crate::text::rope::Text;
use crate::text::search::SearchOptions;
use crate::text::transaction::Transaction;

/// Maximum length of a path with its line numbers, in bytes.
const HEAD_MAX: usize = 4200;

/// The search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The text or expression.
    pub pattern: String,
    /// Its options.
    pub options: SearchOptions,
    /// The replacement text, if any.
    pub replacement: Option<String>,
}

/// A file of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path.
    pub path: PathBuf,
    /// The path as written in the lines of the list.
    pub name: String,
    /// How changes applied from the list have shifted later lines: the listed line after which they apply,
    /// and the number of added lines.
    pub shifts: Vec<(usize, isize)>,
}

impl ListedFile {
    /// Returns the current number of a listed line.
    pub fn current_line(&self, line: usize) -> usize {
        let before = self.shifts.iter().filter(|(at, _)| *at < line);
        line.saturating_add_signed(before.map(|(_, more)| more).sum())
    }
}

/// A location in a file of the list: one-based lines, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// Which file of the list.
    pub file: usize,
    /// The first line.
    pub first: usize,
    /// The last line.
    pub last: usize,
}

/// Data of a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundText {
    /// Text of the location in the file, lines separated by `\n`.
    pub old: String,
    /// Start of the first match in it, in bytes.
    pub at: usize,
}

/// Data of all locations of a list.
#[derive(Debug, Clone, Default)]
pub struct KnownRows {
    /// The files, in order.
    pub files: Vec<ListedFile>,
    by_name: HashMap<String, usize>,
    found: HashMap<Origin, FoundText>,
}

/// A parsed line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowHeader {
    /// The location that it refers to.
    pub origin: Origin,
    /// Length of its name in bytes.
    pub name: usize,
    /// Length of the part before its text in bytes.
    pub len: usize,
}

/// A change that the list requests for a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowEdit {
    /// The location.
    pub origin: Origin,
    /// The new text, lines separated by `\n`.
    pub new: String,
}

impl KnownRows {
    /// Adds results.
    pub fn add(
        &mut self,
        files: Vec<ListedFile>,
        found_texts: impl IntoIterator<Item = (Origin, FoundText)>,
    ) {
        for file in files {
            self.by_name.insert(file.name.clone(), self.files.len());
            self.files.push(file);
        }
        self.found.extend(found_texts);
    }

    /// Returns the number of locations.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the data of a location.
    pub fn get(&self, origin: &Origin) -> Option<&FoundText> {
        self.found.get(origin)
    }

    /// Records the new text of a location.
    pub fn set(&mut self, origin: Origin, now: &str) {
        if let Some(found) = self.found.get_mut(&origin) {
            found.old = now.to_string();
        }
    }

    /// Returns the location that a line of the list refers to.
    pub fn header(&self, line: &str) -> Option<RowHeader> {
        let colons = line.match_indices(':').take_while(|(at, _)| *at <= HEAD_MAX);
        colons.filter(|(at, _)| *at > 0).find_map(|(at, _)| {
            let file = *self.by_name.get(&line[..at])?;
            let rest = &line[at + 1..];
            let numbers = &rest[..rest.find(':')?];
            let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
            let origin = Origin { file, first: first.parse().ok()?, last: last.parse().ok()? };
            let len = at + 1 + numbers.len() + 1;
            self.found.contains_key(&origin).then_some(RowHeader { origin, name: at, len })
        })
    }

    /// Returns an edit of the list without the changes that affect only the name or number of a location, and
    /// whether there were any: a replace-all is meant for the texts of the lines.
    pub fn without_header_edits(&self, list: &Text, edit: Transaction) -> (Transaction, bool) {
        let harms = |edit: &Edit<'_>| {
            let start = list.line_start(list.line_of(edit.old.start));
            let Some(head) = self.header(&row_prefix(list, start)) else { return false };
            // Whole lines may be inserted before it, and what is typed after it is text.
            let lines = edit.old == (start..start) && edit.text.ends_with('\n');
            let inside = edit.old.start < start + head.len && edit.old.end <= start + head.len;
            inside && !lines
        };
        let kept: Vec<_> = edit.changes.edits().filter(|edit| !harms(edit)).collect();
        if kept.len() == edit.changes.edits().count() {
            return (edit, false);
        }
        let kept = kept.into_iter().map(|edit| (edit.old, edit.text.to_string()));
        let changes = ChangeSet::replace(list.end().0, kept);
        (Transaction { changes, selection: None, prepared: None, ..edit }, true)
    }

    /// Returns the changes requested by a list, in the order of files and lines, and messages about lines
    /// that cannot be parsed. A location that is missing from the list is left unchanged.
    pub fn parse_edits(&self, list: &str) -> (Vec<RowEdit>, Vec<String>) {
        let mut new_texts: HashMap<Origin, String> = HashMap::new();
        let mut problems = Vec::new();
        let mut lines = list.split('\n').enumerate().peekable();
        while let Some((number, line)) = lines.next() {
            if line.is_empty() {
                continue;
            }
            let Some(head) = self.header(line) else {
                problems.push(format!("line {} of the list names no place that was found", number + 1));
                continue;
            };
            let mut new = line[head.len..].to_string();
            while let Some((_, more)) = lines.next_if(|(_, line)| line.starts_with(':')) {
                new.push('\n');
                new.push_str(&more[1..]);
            }
            let before = new_texts.get(&head.origin).filter(|before| **before != new);
            if before.is_some() {
                problems.push(format!(
                    "line {} of the list wants another text for its place than a line above",
                    number + 1
                ));
                continue;
            }
            new_texts.insert(head.origin, new);
        }
        let differs = |(origin, new): &(Origin, String)| self.found[origin].old != *new;
        let mut edits: Vec<RowEdit> =
            new_texts.into_iter().filter(differs).map(|(origin, new)| RowEdit { origin, new }).collect();
        edits.sort_unstable_by_key(|edit| edit.origin);
        (edits, problems)
    }
}

/// Returns the line of the list for a location, with its line ending.
pub fn format_row(name: &str, first: usize, last: usize, text: &str) -> String {
    let numbers = if first == last { first.to_string() } else { format!("{first}-{last}") };
    format!("{name}:{numbers}:{}\n", text.replace('\n', "\n:"))
}

/// A search that runs while a clone of this exists.
#[derive(Debug)]
pub struct RunningSearch(pub CancellationToken);

impl Drop for RunningSearch {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// An open list.
#[derive(Debug)]
pub struct SearchResults {
    /// The search.
    pub query: Query,
    /// Data of its lines.
    pub known: Arc<KnownRows>,
    /// The running search; `None` once it is done.
    pub running: Option<RunningSearch>,
    /// Whether the list is being compared with the files.
    pub is_comparing: bool,
    /// Whether the location of the cursor's line was visited.
    pub is_visited: bool,
}

impl SearchResults {
    /// Returns an empty list.
    pub fn new(query: Query, running: RunningSearch) -> Self {
        Self { query, known: Arc::default(), running: Some(running), is_comparing: false, is_visited: false }
    }

    /// Returns why it is read-only, if it is.
    pub fn read_only(&self) -> Option<&'static str> {
        if self.running.is_some() {
            return Some("Search is running. Escape ends it");
        }
        self.is_comparing.then_some("Results are being compared with files")
    }

    /// Returns start and location of the line at or above an offset that refers to a location.
    pub fn row_at(&self, text: &Text, at: Byte) -> Option<(Byte, RowHeader)> {
        let mut line = text.line_of(at);
        loop {
            let start = text.line_start(line);
            let shown = row_prefix(text, start);
            if let Some(head) = self.known.header(&shown) {
                return Some((start, head));
            }
            if !shown.starts_with(':') || line.0 == 0 {
                return None;
            }
            line.0 -= 1;
        }
    }

    /// Returns the scopes of a part of one of its lines.
    pub fn scopes(&self, text: &Text, range: &std::ops::Range<Byte>) -> Vec<Span> {
        let start = text.line_start(text.line_of(range.start));
        let shown = row_prefix(text, start);
        let spans = match self.known.header(&shown) {
            Some(head) => vec![(0..head.name, "ui.dir"), (head.name..head.len, "ui.linenr")],
            None if shown.starts_with(':') => vec![(0..1, "ui.linenr")],
            None => Vec::new(),
        };
        let span = |(span, scope): (std::ops::Range<usize>, _)| Span {
            range: start + span.start..start + span.end,
            scope,
        };
        let meets = |span: &Span| span.range.end > range.start && span.range.start < range.end;
        spans.into_iter().map(span).filter(meets).collect()
    }
}

/// Returns the part of the line starting at an offset that may contain a location.
fn row_prefix(text: &Text, start: Byte) -> String {
    let end = text.line_end(text.line_of(start));
    text.slice(start..text.char_floor(end.min(start + 2 * HEAD_MAX))).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(places: &[(&str, usize, usize, &str)]) -> KnownRows {
        let mut known = KnownRows::default();
        for (name, first, last, old) in places {
            let file = known.by_name.get(*name).copied().unwrap_or(known.files.len());
            let files = if file == known.files.len() {
                vec![ListedFile { path: name.into(), name: (*name).to_string(), shifts: Vec::new() }]
            } else {
                Vec::new()
            };
            let origin = Origin { file, first: *first, last: *last };
            known.add(files, [(origin, FoundText { old: (*old).to_string(), at: 0 })]);
        }
        known
    }

    /// The wishes as `file first-last text`, and how many problems there are.
    fn read(known: &KnownRows, list: &str) -> (Vec<String>, usize) {
        let (wishes, problems) = known.parse_edits(list);
        let shown = |RowEdit { origin: Origin { file, first, last }, new }: &RowEdit| {
            format!("{file} {first}-{last} {new:?}")
        };
        (wishes.iter().map(shown).collect(), problems.len())
    }

    #[test]
    fn results_lines_roundtrip() {
        let known = known(&[("a b.rs", 3, 3, "é"), ("a b.rs", 4, 5, "x\ny"), ("c", 1, 1, "")]);
        let list =
            [format_row("a b.rs", 3, 3, "é"), format_row("a b.rs", 4, 5, "x\ny"), format_row("c", 1, 1, "")]
                .concat();
        assert_eq!(list, "a b.rs:3:é\na b.rs:4-5:x\n:y\nc:1:\n");
        assert_eq!(read(&known, &list), (vec![], 0));
        let edited = "c:1:new\n\na b.rs:4-5:one: 2:\na b.rs:3:é\n:\n:漢";
        let wishes = [r#"0 3-3 "é\n\n漢""#, r#"0 4-5 "one: 2:""#, r#"1 1-1 "new""#];
        assert_eq!(read(&known, edited), (wishes.map(String::from).to_vec(), 0));
        assert_eq!(read(&known, ""), (vec![], 0), "what is not there is left alone");
    }

    #[test]
    fn results_names_with_colons_and_numbers_are_parsed() {
        let known = known(&[("a:1:b", 2, 2, "x"), ("a", 7, 7, "1:b:2:y")]);
        assert_eq!(read(&known, "a:1:b:2:y\na:7:1:b:2:z").0, [r#"0 2-2 "y""#, r#"1 7-7 "1:b:2:z""#]);
    }

    #[test]
    fn results_unknown_or_conflicting_lines_are_reported() {
        let known = known(&[("a", 1, 1, "x")]);
        for (list, problems) in [
            ("a:2:x", 1),
            ("b:1:x", 1),
            ("a:1", 1),
            (":x", 1),
            ("a:1:y\nsplit", 1),
            ("a:1:y\na:1:y", 0),
            ("a:1:y\na:1:z", 1),
        ] {
            assert_eq!(read(&known, list).1, problems, "{list}");
        }
    }

    #[test]
    fn results_edits_of_locations_are_guarded() {
        let known = known(&[("a", 1, 1, "a a"), ("b", 2, 2, "x")]);
        let list = "a:1:a a\nb:2:x\n";
        for (edits, after, harmed) in [
            (vec![(0, 1, "é"), (4, 5, "é"), (6, 7, "é")], "a:1:é é\nb:2:x\n", true),
            (vec![(0, 0, "y")], list, true),
            (vec![(3, 4, "")], list, true),
            (vec![(4, 4, "y")], "a:1:ya a\nb:2:x\n", false),
            (vec![(0, 8, "")], "b:2:x\n", false),
            (vec![(2, 10, "")], "a:2:x\n", false),
            (vec![(8, 8, "a:1:a a\n")], "a:1:a a\na:1:a a\nb:2:x\n", false),
        ] {
            let mut text = Text::from(list);
            let edits = edits
                .into_iter()
                .map(|(from, to, new): (usize, usize, &str)| (Byte(from)..Byte(to), new.to_string()));
            let edit = Transaction::new(ChangeSet::replace(text.end().0, edits));
            let (edit, told) = known.without_header_edits(&text, edit);
            edit.changes.apply(&mut text);
            assert_eq!((text.to_string().as_str(), told), (after, harmed));
        }
    }

    #[test]
    fn results_line_numbers_shift_with_edits_above() {
        let file = ListedFile { path: "a".into(), name: "a".into(), shifts: vec![(3, 2), (7, -1)] };
        assert_eq!([1, 3, 4, 7, 8].map(|line| file.current_line(line)), [1, 3, 6, 9, 9]);
    }
}
