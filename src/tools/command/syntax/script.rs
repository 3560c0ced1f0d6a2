//! What a command line would do, as data.

/// One word of a command, quotes removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// What the program gets, or what is written where that is not known.
    pub text: String,
    /// Whether the shell may turn the word into anything, an option or several words, too.
    pub wild: bool,
    /// Whether the program gets exactly `text`.
    pub exact: bool,
}

impl Word {
    /// A word that the shell does not touch.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), wild: false, exact: true }
    }

    /// A word that can become anything.
    pub fn wild(text: impl Into<String>) -> Self {
        Self { text: text.into(), wild: true, exact: false }
    }
}

/// A simple command: variables that are set, then a program with its words. One of both may be
/// missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// Names of the variables.
    pub sets: Vec<String>,
    /// The program and its words.
    pub words: Vec<Word>,
}

/// Everything that a command line would do, in the order of reading.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// What runs, in substitutions, functions and wrappers, too.
    pub parts: Vec<Part>,
    /// Files that redirections write; the harmless ones are left out.
    pub writes: Vec<Word>,
    /// Files that redirections read.
    pub reads: Vec<Word>,
    /// Why not all of it is known. Nothing is allowed while something is unresolved.
    pub unresolved: Vec<&'static str>,
}

/// Doubts about what a command does, while it is known which commands run.
pub(super) const RESOLVED: [&str; 5] = [BACKGROUND, FUNCTION, VARIABLE, UNKNOWN_FILE, MEMORY];
pub(super) const BACKGROUND: &str = "a command in the background";
pub(super) const FUNCTION: &str = "a function";
pub(super) const VARIABLE: &str = "a variable that a redirection sets";
pub(super) const UNKNOWN_FILE: &str = "a file that is not known is read";
pub(super) const MEMORY: &str = "what processes keep in memory";

impl Script {
    /// Whether other commands may run than those that were found.
    pub fn is_unresolved(&self) -> bool {
        self.unresolved.iter().any(|why| !RESOLVED.contains(why))
    }

    /// Notes a reason, once.
    pub(super) fn mark_unresolved(&mut self, why: &'static str) {
        if !self.unresolved.contains(&why) {
            self.unresolved.push(why);
        }
    }
}
