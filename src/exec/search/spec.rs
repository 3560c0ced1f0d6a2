//! What to look for in an environment and what is found, as plain data.
//!
//! Must not know how an environment looks for it, nor who asked.

use std::path::PathBuf;
use std::sync::Arc;

use crate::exec::file_info::FileId;

/// Which files count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Patterns as in `.gitignore`, relative to the root: one without a slash is for names anywhere, one
    /// with a slash for whole paths; a leading `!` leaves files out. Files that no pattern takes are
    /// left out when there is one that takes.
    pub globs: Vec<String>,
    /// Whether the patterns overlook the case of letters.
    pub ignore_case: bool,
    /// Whether names that begin with a dot count. `.git` never does.
    pub hidden: bool,
    /// Whether files count that `.gitignore` and `.ignore` leave out.
    pub ignored: bool,
    /// Names of further files with such rules, `.geminiignore` for one. They count always.
    pub rule_files: Vec<String>,
    /// A kind of files by ripgrep's name for it, such as `rust` or `js`.
    pub file_type: Option<String>,
    /// Patterns as in `.gitignore`, from the root of the file system, of denied paths: neither given
    /// nor looked into nor gone into, by its own name or by where its links lead.
    pub denied: Vec<String>,
    /// Files that are left out under every name: hard links of them, too.
    pub denied_ids: Vec<FileId>,
}

/// Text to look for in files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchSpec {
    /// A folder, or a file, which counts whatever the selection says. An absolute path.
    pub root: PathBuf,
    /// An expression of the `regex` crate's syntax, or a text.
    pub pattern: String,
    /// Whether the pattern is a text.
    pub literal: bool,
    /// Whether case is overlooked.
    pub ignore_case: bool,
    /// Whether a match may go over several lines and `.` means line ends, too.
    pub multiline: bool,
    /// Which files.
    pub files: Selection,
    /// Lines to give before each match.
    pub before: usize,
    /// Lines to give after each match.
    pub after: usize,
    /// What is given of a file.
    pub want: Want,
    /// Lines with matches of one file that are given; the rest is not looked for.
    pub max_per_file: Option<usize>,
    /// Texts that are searched in the environment of files, by the files' real paths: what an editor holds
    /// and has not saved.
    pub unsaved: Vec<(PathBuf, Arc<[u8]>)>,
}

/// What a search gives of a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Want {
    /// The lines.
    #[default]
    Lines,
    /// Only what matches, a line for each match.
    Matches,
    /// How many lines match.
    Counts,
    /// That something matches.
    Files,
}

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundLine {
    /// From 1.
    pub number: usize,
    /// Without what ends it; at most [`LINE_MAX`] bytes of it.
    pub text: String,
    /// Whether something matches in it; else it is there for the lines around it.
    pub matches: bool,
}

/// Bytes of a line that are given.
pub const LINE_MAX: usize = 8 * 1024;

/// What was found in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileMatches {
    /// Where it is.
    pub path: PathBuf,
    /// The same below the root; the file's name when the root is the file.
    pub name: String,
    /// In order; a gap in the numbers is one in the file.
    pub lines: Vec<FoundLine>,
    /// Lines that match.
    pub count: usize,
    /// Last change, in milliseconds since the epoch, where the environment knows.
    pub modified: Option<u64>,
}

/// Names to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindSpec {
    /// A folder. An absolute path.
    pub root: PathBuf,
    /// Which files.
    pub files: Selection,
    /// Whether folders are given, too.
    pub folders: bool,
}

/// A file or folder that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPath {
    /// Where it is.
    pub path: PathBuf,
    /// The same below the root.
    pub name: String,
    /// Whether it is a folder.
    pub folder: bool,
    /// Last change, in milliseconds since the epoch, where the environment knows.
    pub modified: Option<u64>,
}

/// How a search ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SearchStats {
    /// Files that were looked into, or given.
    pub files: usize,
    /// Files that are no text, or none from a NUL on.
    pub binary: usize,
    /// Files and folders that could not be read.
    pub unreadable: usize,
    /// Files whose names are not UTF-8: no argument could name them.
    pub unnamed: usize,
    /// What is wanted and denied.
    pub denied: Omitted,
    /// Whether there was no more to be found: neither the sink nor the cancellation ended it.
    pub complete: bool,
}

impl SearchStats {
    /// Adds what another part of a search did.
    pub fn add(&mut self, other: &Self) {
        self.files += other.files;
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        self.unnamed += other.unnamed;
        self.denied.add(other.denied);
    }
}

/// Files and folders that were left out. What is in such a folder is not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Files.
    pub files: usize,
    /// Folders.
    pub folders: usize,
}

impl Omitted {
    /// One more.
    pub fn note(&mut self, folder: bool) {
        if folder {
            self.folders += 1;
        } else {
            self.files += 1;
        }
    }

    /// Adds others.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.folders += other.folders;
    }
}

/// Takes the files with matches, in the order of their paths; `false` ends the search. Called where it
/// may block.
pub type MatchSink = Box<dyn FnMut(FileMatches) -> bool + Send>;

/// Takes the files that are found, in the order of their paths; `false` ends the search.
pub type PathSink = Box<dyn FnMut(FoundPath) -> bool + Send>;
