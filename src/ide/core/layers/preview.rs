//! What is shown beside a list for its selected row: a file, or a text. Must not know who reads it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::exec::Environment;
use crate::ide::core::layers::picker::Location;

/// What is shown beside the list for a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewTarget {
    /// The text.
    pub source: PreviewSource,
    /// The line in the middle, from 1; without one the beginning is shown.
    pub line: Option<usize>,
    /// Whether its lines are wrapped, whatever its name.
    pub is_wrapped: bool,
}

/// Source of what is shown beside the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreviewSource {
    /// A file, by its absolute path.
    File(PathBuf),
    /// A text that is at hand.
    Text(Arc<str>),
    /// A text that a task makes.
    Made(PreviewText),
}

impl PreviewSource {
    /// Returns the file name whose language the text has; `None` for one that is at hand.
    pub fn name(&self) -> Option<String> {
        match self {
            Self::File(path) => path.file_name().map(|name| name.to_string_lossy().into_owned()),
            Self::Text(_) => None,
            Self::Made(made) => Some(made.name.to_string()),
        }
    }
}

/// Makes a text from a key. The error says why there is none.
pub type MakeText = fn(Arc<dyn Environment>, String) -> BoxFuture<'static, Result<String, String>>;

/// A text that a task makes.
#[derive(Debug, Clone)]
pub struct PreviewText {
    /// A file name whose language the text has.
    pub name: &'static str,
    /// Which text.
    pub key: String,
    /// Makes it.
    pub make: MakeText,
}

impl PartialEq for PreviewText {
    fn eq(&self, other: &Self) -> bool {
        (self.name, &self.key) == (other.name, &other.key)
    }
}

impl Eq for PreviewText {}

impl PreviewTarget {
    /// Returns a place in a file; without a line it is the beginning.
    pub fn file(path: impl Into<PathBuf>, line: Option<usize>) -> Self {
        Self { source: PreviewSource::File(path.into()), line, is_wrapped: false }
    }

    /// Returns a text that is at hand.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self { source: PreviewSource::Text(text.into()), line: None, is_wrapped: false }
    }

    /// Wraps its lines.
    #[must_use]
    pub fn wrapped(self) -> Self {
        Self { is_wrapped: true, ..self }
    }

    /// Returns a text that a task makes.
    pub fn made(name: &'static str, key: String, make: MakeText) -> Self {
        Self { source: PreviewSource::Made(PreviewText { name, key, make }), line: None, is_wrapped: false }
    }

    /// Returns the file, if it is one.
    pub fn path(&self) -> Option<&Path> {
        match &self.source {
            PreviewSource::File(path) => Some(path),
            PreviewSource::Text(_) | PreviewSource::Made(_) => None,
        }
    }
}

impl From<&Location> for PreviewTarget {
    fn from(location: &Location) -> Self {
        Self::file(location.path.clone(), Some(location.line))
    }
}
