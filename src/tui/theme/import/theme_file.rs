//! The text of a theme file with its name, for errors, and the limits of such files.
//!
//! Must not know the formats.

/// Bytes of the largest theme that is read; those in use have less than one percent of it.
pub const SIZE_MAX: usize = 10 * 1024 * 1024;

/// Maximum number of files that refer one to the other; more are a circle.
pub(super) const REFERENCES_MAX: usize = 8;

/// A format of themes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// TOML of Helix.
    Helix,
    /// A color theme of VS Code, JSON with comments.
    VsCode,
    /// JSON of pi.
    Pi,
}

impl Source {
    /// Its name with an article.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Helix => "a Helix theme",
            Self::VsCode => "a VS Code color theme",
            Self::Pi => "a pi theme",
        }
    }
}

/// A theme that cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ImportError {
    /// The file, as the caller names it.
    pub file: String,
    /// One-based line.
    pub line: usize,
    /// The problem, and what to do.
    pub message: String,
}

/// Reads a file that a theme refers to. Gets the name of the file that refers and the reference, a path relative to it;
/// returns the name of the file and its text, or an error for the user.
pub type ReadFile<'a> = &'a dyn Fn(&str, &str) -> Result<(String, String), String>;

/// A file of a theme.
#[derive(Debug, Clone, Copy)]
pub(super) struct ThemeText<'a> {
    /// Its name, for messages.
    pub(super) file: &'a str,
    /// Its content.
    pub(super) text: &'a str,
}

impl ThemeText<'_> {
    /// Returns an error at a byte of the text.
    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> ImportError {
        ImportError { file: self.file.to_string(), line: self.line(at), message: message.into() }
    }

    /// Returns the one-based line of a byte.
    pub(super) fn line(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        memchr::memchr_iter(b'\n', before).count() + 1
    }
}
