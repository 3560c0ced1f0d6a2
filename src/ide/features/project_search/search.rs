//! Searches the workspace for a results list: results become lines, one file at a time. Blocking; must not
//! know the event loop.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::ide::core::layers::picker;
use crate::ide::core::layers::picker::Location;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::features::project_search::job::{Batch, OpenText};
use crate::ide::model::results;
use crate::ide::model::results::{FoundText, ListedFile, Origin, Query};
use crate::text::display::columns;
use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format;
use crate::text::rope::Text;
use crate::text::search::to_regex;
use crate::workspace::grep::{self, FileHits, FileTexts, GrepSummary, Hit, Pattern};
use crate::workspace::walk::Scope;

/// Maximum number of listed matches.
pub const MATCHES_MAX: usize = 10_000;
/// Maximum size of the list in bytes: a few files with a single line could be very long.
const LIST_MAX: usize = 16 << 20;
/// Maximum number of matches in a picker; for more there is the list.
const PICKER_MAX: usize = 2_000;
/// Maximum characters of a line in a row.
const SHOWN_MAX: usize = 300;
/// Bytes of a file that are checked to detect text.
const PROBE: usize = 64 << 10;

/// The texts of open files, by path.
pub struct OpenTexts {
    texts: HashMap<PathBuf, OpenText>,
    /// The searched folder, and its path with all links resolved.
    root: Root,
}

/// A folder, and its path with all links resolved.
pub type Root = (PathBuf, PathBuf);

impl OpenTexts {
    /// Returns those of the open files that are in the folder.
    pub fn new(open: Vec<OpenText>, root: Root) -> Self {
        let paths = |open: OpenText| {
            let real = open.real.clone().filter(|real| *real != open.path);
            real.map(|real| (real, open.clone())).into_iter().chain([(open.path.clone(), open)])
        };
        Self { texts: open.into_iter().flat_map(paths).collect(), root }
    }
}

impl FileTexts for OpenTexts {
    fn unsaved_text(&self, file: &Path) -> Option<String> {
        let real = || self.texts.get(&self.root.1.join(file.strip_prefix(&self.root.0).ok()?));
        self.texts.get(file).or_else(real).map(|open| open.text.to_string())
    }

    fn unsaved_files(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            self.texts.values().filter(|open| open.is_new).map(|open| open.path.clone()).collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }

    fn decode(&self, bytes: Vec<u8>) -> Option<String> {
        let probe = &bytes[..bytes.len().min(PROBE) & !1];
        let looks_binary = memchr::memchr(0, &probe[..probe.len().min(8 << 10)]).is_some();
        if looks_binary && format::decode(probe).1.binary {
            return None;
        }
        let marked = [Encoding::UTF8, Encoding::UTF16LE, Encoding::UTF16BE]
            .iter()
            .any(|one| bytes.starts_with(one.bom()));
        // Most files are plain UTF-8, and their bytes need not be copied.
        let other = match String::from_utf8(bytes) {
            Ok(text) if !looks_binary && !marked => return Some(text),
            Ok(text) => text.into_bytes(),
            Err(error) => error.into_bytes(),
        };
        let (text, format) = format::decode(&other);
        (!format.binary).then_some(text)
    }
}

/// Compiles the search pattern; reports an error in it.
pub fn pattern(query: &Query) -> Result<Pattern, String> {
    let pattern =
        Pattern::new(&to_regex(&query.pattern, query.options)).map_err(|error| error.to_string())?;
    Ok(match &query.replacement {
        Some(new) => pattern.with_replacement(new, query.options.regex),
        None => pattern,
    })
}

/// Searches and passes results to `sink` as they are found.
pub fn search_for_list(
    root: Root,
    query: &Query,
    open: Vec<OpenText>,
    cancel: &CancellationToken,
    mut sink: impl FnMut(Batch),
) -> Result<GrepSummary, String> {
    let pattern = pattern(query)?;
    let full = cancel.child_token();
    let (mut files, mut listed) = (0, 0);
    let cut = Cell::new(false);
    let folder = root.0.clone();
    let mut done = grep::grep(&*folder, &pattern, MATCHES_MAX, &full, &OpenTexts::new(open, root), |hits| {
        let mut batch = Batch::default();
        add_file(&mut batch, hits, files);
        files += 1;
        listed += batch.text.len();
        if listed > LIST_MAX {
            cut.set(true);
            full.cancel();
        }
        // At once: the next file with a match may take long.
        sink(batch);
    });
    if cut.get() {
        (done.truncated, done.cancelled) = (true, cancel.is_cancelled());
    }
    Ok(done)
}

/// A search in all files for a picker.
pub struct PickerSearch {
    /// Adds rows to the picker.
    pub injector: Injector<PickRow>,
    /// The search.
    pub asked: Query,
    /// The open files.
    pub open: Vec<OpenText>,
    /// Tab width.
    pub tab_width: usize,
    /// Whether ignored files are searched, too.
    pub with_ignored: bool,
}

/// Searches for a picker: adds a row for each line as soon as its file is searched. Errors in the expression
/// were reported before.
pub fn search_for_picker(root: Root, picked: PickerSearch, cancel: &CancellationToken) {
    let PickerSearch { injector, asked: query, open, tab_width, with_ignored } = picked;
    let Ok(pattern) = pattern(&query) else { return };
    let folder = root.0.clone();
    let scope = Scope::from(&*folder).with_ignored(with_ignored);
    grep::grep(scope, &pattern, PICKER_MAX, cancel, &OpenTexts::new(open, root), |found| {
        for Hit { first, old, at, .. } in found.hits {
            let before = Text::from(&old[..at]);
            let column = columns::column_of(&before, before.end(), tab_width).0 + 1;
            let shown: String = old.trim_start().chars().take(SHOWN_MAX).collect();
            let text = visible(&format!("{}:{first}: {}", found.name, shown.replace('\t', " "))).into_owned();
            let pick = Pick::new(Location { path: found.path.clone(), line: first, column });
            picker::push(
                &injector,
                PickRow { text, aliases: Vec::new(), group: None, detail: String::new(), pick },
            );
        }
    });
}

/// Adds lines for the matches in a file.
fn add_file(batch: &mut Batch, found: FileHits, file: usize) {
    // A name with a line end would be two lines.
    let name = visible(&found.name).into_owned();
    for Hit { first, last, old, new, at } in found.hits {
        let new = new.unwrap_or_else(|| old.clone());
        let pairs = (new.matches('\n').count() == last - first).then(|| old.split('\n').zip(new.split('\n')));
        match pairs.filter(|_| first < last) {
            // As many lines as before: each is its own location.
            Some(pairs) => {
                for (n, (old, new)) in pairs.enumerate() {
                    let at = if n == 0 { at } else { 0 };
                    add_row(batch, &name, (file, first + n, first + n), (old, new, at));
                }
            }
            None => add_row(batch, &name, (file, first, last), (&old, &new, at)),
        }
    }
    batch.files.push(ListedFile { path: found.path, name, shifts: Vec::new() });
}

fn add_row(
    batch: &mut Batch,
    name: &str,
    (file, first, last): (usize, usize, usize),
    (old, new, at): (&str, &str, usize),
) {
    batch.text.push_str(&results::format_row(name, first, last, new));
    batch.rows.push((Origin { file, first, last }, FoundText { old: old.to_string(), at }));
}

/// Returns a message about the end of a search.
pub fn summary(done: &GrepSummary) -> String {
    let mut text = match done.matches {
        0 => "No match".to_string(),
        matches => {
            let matches = pluralize(matches, "match", "matches");
            format!("{matches} in {}", pluralize(done.files, "file", "files"))
        }
    };
    if done.truncated {
        text.push_str("; more matches not shown");
    }
    if done.cancelled {
        text.push_str("; search canceled");
    }
    let skipped =
        [(done.binary, "no text"), (done.too_long, "longer than 64 MB"), (done.unreadable, "unreadable")];
    let skipped: Vec<String> = skipped
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, reason)| format!("{count} {reason}"))
        .collect();
    if !skipped.is_empty() {
        text.push_str(&format!(" (skipped: {})", skipped.join(", ")));
    }
    text
}
