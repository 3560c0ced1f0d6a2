//! The effects of a command line, as data.

/// One word of a command, without quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The text that the program gets, or the unexpanded text if that is unknown.
    pub text: String,
    /// Whether the shell may expand the word to anything, even an option or several words.
    pub is_dynamic: bool,
    /// Whether the program gets exactly `text`.
    pub is_exact: bool,
}

impl Word {
    /// Creates a word without expansions.
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_dynamic: false, is_exact: true }
    }

    /// Creates a word that can expand to anything.
    pub fn dynamic(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_dynamic: true, is_exact: false }
    }
}

/// A simple command: variable assignments, then a program with its words. Either may be missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimpleCommand {
    /// Names of the variables.
    pub sets: Vec<String>,
    /// The program and its words.
    pub words: Vec<Word>,
}

/// All effects of a command line, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// All commands, including those in substitutions, functions and wrappers.
    pub commands: Vec<SimpleCommand>,
    /// Files that redirections write, without harmless ones.
    pub writes: Vec<Word>,
    /// Files that redirections read.
    pub reads: Vec<Word>,
    /// Reasons why not all of it is known. Nothing is approved while something is unresolved.
    pub unresolved: Vec<&'static str>,
}

/// Reasons that concern what a command does, although all commands are known.
pub(super) const RESOLVED: [&str; 5] = [BACKGROUND, FUNCTION, VARIABLE, UNKNOWN_FILE, MEMORY];
pub(super) const BACKGROUND: &str = "a command in the background";
pub(super) const FUNCTION: &str = "a function";
pub(super) const VARIABLE: &str = "a variable that a redirection sets";
pub(super) const UNKNOWN_FILE: &str = "a file that is not known is read";
pub(super) const MEMORY: &str = "what processes keep in memory";

impl Script {
    /// Whether commands other than those found may run.
    pub fn is_unresolved(&self) -> bool {
        self.unresolved.iter().any(|reason| !RESOLVED.contains(reason))
    }

    /// Notes a reason, once.
    pub(super) fn mark_unresolved(&mut self, reason: &'static str) {
        if !self.unresolved.contains(&reason) {
            self.unresolved.push(reason);
        }
    }
}
