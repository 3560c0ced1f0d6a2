//! Search requests and results, as plain data.
//!
//! Must not know how an environment searches, nor the caller.

use std::path::PathBuf;
use std::sync::Arc;

use crate::exec::file_info::FileId;

/// Which files are searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Patterns as in `.gitignore`, relative to the root: one without a slash matches names anywhere, one
    /// with a slash whole paths; a leading `!` excludes files. If there is an including pattern, files that
    /// match none are excluded.
    pub globs: Vec<String>,
    /// Whether the patterns overlook the case of letters.
    pub ignore_case: bool,
    /// Whether hidden names are included. `.git` never is.
    pub hidden: bool,
    /// Whether files are included that `.gitignore` and `.ignore` exclude.
    pub ignored: bool,
    /// Names of further ignore files, such as `.geminiignore`. They always apply.
    pub rule_files: Vec<String>,
    /// A file type by ripgrep's name, such as `rust` or `js`.
    pub file_type: Option<String>,
    /// Patterns of denied paths, as in `.gitignore`, from the root of the file system: they are neither
    /// returned, read nor entered, by their own name or their resolved path.
    pub denied: Vec<String>,
    /// Denied files by id: also under the names of hard links.
    pub denied_ids: Vec<FileId>,
}

/// A text search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchSpec {
    /// A folder, or a file, which is searched whatever the selection. An absolute path.
    pub root: PathBuf,
    /// An expression of the `regex` crate's syntax, or a text.
    pub pattern: String,
    /// Whether the pattern is a text.
    pub literal: bool,
    /// Whether case is overlooked.
    pub ignore_case: bool,
    /// Whether a match may span several lines and `.` matches line endings, too.
    pub multiline: bool,
    /// Which files.
    pub files: Selection,
    /// Context lines before each match.
    pub before: usize,
    /// Context lines after each match.
    pub after: usize,
    /// What is returned for a file.
    pub want: Want,
    /// Maximum number of matching lines per file; the search of a file stops there.
    pub max_per_file: Option<usize>,
    /// Unsaved texts of an editor that are searched in place of files, by resolved paths.
    pub unsaved: Vec<(PathBuf, Arc<[u8]>)>,
}

/// What a search returns for a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Want {
    /// The lines.
    #[default]
    Lines,
    /// Only the matching text, one line per match.
    Matches,
    /// The number of matching lines.
    Counts,
    /// Only the file.
    Files,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// From 1.
    pub number: usize,
    /// The text without its line ending; at most [`LINE_MAX`] bytes.
    pub text: String,
    /// Whether it matches; otherwise it is context.
    pub matches: bool,
}

/// Maximum bytes of a returned line.
pub const LINE_MAX: usize = 8 * 1024;

/// The matches in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMatches {
    /// Where it is.
    pub path: PathBuf,
    /// Its path relative to the root; the file's name when the root is the file.
    pub name: String,
    /// The lines in order; a gap in the numbers is a gap in the file.
    pub lines: Vec<FoundLine>,
    /// Lines that match.
    pub count: usize,
    /// Last change, in milliseconds since the epoch, where the environment knows.
    pub modified: Option<u64>,
}

/// A search for names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindSpec {
    /// A folder. An absolute path.
    pub root: PathBuf,
    /// Which files.
    pub files: Selection,
    /// Whether folders are returned, too.
    pub folders: bool,
}

/// A file or folder that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPath {
    /// Where it is.
    pub path: PathBuf,
    /// Its path relative to the root.
    pub name: String,
    /// Whether it is a folder.
    pub folder: bool,
    /// Last change, in milliseconds since the epoch, where the environment knows.
    pub modified: Option<u64>,
}

/// The summary of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Number of files that were searched, or returned.
    pub files: usize,
    /// Number of binary files, completely or after a NUL.
    pub binary: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// Number of files whose names are not UTF-8: no argument could name them.
    pub unnamed: usize,
    /// Selected but denied paths.
    pub denied: Omitted,
    /// Whether the search was complete: neither the sink nor a cancellation ended it.
    pub complete: bool,
}

impl SearchStats {
    /// Adds another part's summary.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        self.unnamed += other.unnamed;
        self.denied.add(other.denied);
    }
}

/// Numbers of hidden files and folders. The content of a hidden folder is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Files.
    pub files: usize,
    /// Folders.
    pub folders: usize,
}

impl Omitted {
    /// Counts one.
    pub fn note(&mut self, folder: bool) {
        if folder {
            self.folders += 1;
        } else {
            self.files += 1;
        }
    }

    /// Adds other numbers.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.folders += other.folders;
    }
}

/// Receives files with matches, sorted by path; returning `false` ends the search. Called on a blocking
/// thread.
pub type MatchSink = Box<dyn FnMut(FileMatches) -> bool + Send>;

/// Receives found files, sorted by path; returning `false` ends the search.
pub type PathSink = Box<dyn FnMut(FoundPath) -> bool + Send>;
