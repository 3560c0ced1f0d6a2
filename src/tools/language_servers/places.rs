//! Places in files as text for a model: path, line, column and the line's text. Must not know what they are.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::base::paths;
use crate::base::plural::pluralize;
use crate::exec::{EnvError, Environment};
use crate::lsp::answers::locations::Location;
use crate::lsp::document::{DocumentText, PlainText};
use crate::lsp::position::Encoding;

/// Maximum bytes of a file of which lines are shown.
const FILE_MAX: u64 = 8 << 20;
/// Maximum characters of a line.
const LINE_MAX: usize = 500;

/// A place, in a server's units.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerPlace {
    /// The place.
    pub location: Location,
    /// The unit of its columns.
    pub encoding: Encoding,
    /// What it is, such as the name of a symbol; empty for nothing.
    pub label: String,
}

/// What is known of a file.
#[derive(Clone)]
enum FileText {
    /// Its text.
    Known(Arc<PlainText>),
    /// It is gone, too long or no text.
    Unknown,
    /// It must not be read.
    Hidden,
}

/// Reads the lines of files, each file once.
pub struct PlaceLines<'e> {
    env: &'e dyn Environment,
    files: HashMap<PathBuf, FileText>,
    hidden: usize,
}

impl<'e> PlaceLines<'e> {
    /// Creates it for an environment.
    pub fn new(env: &'e dyn Environment) -> Self {
        Self { env, files: HashMap::new(), hidden: 0 }
    }

    async fn text(&mut self, path: &Path) -> FileText {
        if let Some(known) = self.files.get(path) {
            return known.clone();
        }
        let read = match self.read(path).await {
            Ok(Some(text)) => FileText::Known(text),
            Err(EnvError::Refused(_)) => FileText::Hidden,
            Ok(None) | Err(_) => FileText::Unknown,
        };
        self.files.insert(path.to_path_buf(), read.clone());
        read
    }

    /// Returns the text of a file; `None` for one that is too long or is no text.
    async fn read(&self, path: &Path) -> Result<Option<Arc<PlainText>>, EnvError> {
        if self.env.stat(path).await?.size > FILE_MAX {
            return Ok(None);
        }
        let text = String::from_utf8(self.env.read(path).await?.bytes).ok();
        // Servers do not know of byte order marks.
        let plain = |text: String| PlainText::new(text.strip_prefix('\u{feff}').unwrap_or(&text).to_string());
        Ok(text.map(|text| Arc::new(plain(text))))
    }

    /// Returns a place as a line, `path:line:column: text`, between as many lines of context. Of a file that cannot be read
    /// only the place; nothing of one that must not be read, which a server does not know.
    pub async fn show(&mut self, place: &ServerPlace, context: usize) -> Option<String> {
        let shown = paths::display(&place.location.path, self.env.root());
        let start = place.location.range.start;
        let label = if place.label.is_empty() { String::new() } else { format!("{} ", place.label) };
        let file = match self.text(&place.location.path).await {
            FileText::Known(file) => file,
            FileText::Unknown => {
                let place = format!("{shown}:{}:{}: {label}", start.line + 1, start.character + 1);
                return Some(place.trim_end().to_string());
            }
            FileText::Hidden => {
                self.hidden += 1;
                return None;
            }
        };
        let at = file.offset(start, place.encoding);
        let position = file.position(at, Encoding::Utf32);
        let row = position.line as usize;
        let all = file.as_str().lines().enumerate().skip(row.saturating_sub(context));
        let head = format!("{shown}:{}:{}: {label}", row + 1, position.character + 1);
        let mut rows = Vec::new();
        let mut is_shown = false;
        for (n, line) in all.take(row.min(context) + 1 + context) {
            let line: String = line.trim_end().chars().take(LINE_MAX).collect();
            is_shown |= n == row;
            rows.push(if n == row {
                format!("{head}{}", indented(&line, context))
            } else {
                format!("{shown}-{}-  {line}", n + 1)
            });
        }
        if !is_shown {
            // An empty file, or behind its last line.
            rows.push(head);
        }
        Some(rows.join("\n").trim_end().to_string())
    }

    /// Returns a line about the places that were not shown because their files must not be read, if there are any.
    pub fn hidden_note(&self) -> Option<String> {
        let places = pluralize(self.hidden, "place", "places");
        (self.hidden > 0).then(|| format!("[{places} in files that rules hide: left out]"))
    }
}

/// The blanks before a line say something only beside others.
fn indented(line: &str, context: usize) -> &str {
    if context == 0 { line.trim_start() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::lsp::position::{Position, Range};

    #[tokio::test]
    async fn places_show_their_line_and_its_context() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_path_buf();
        std::fs::write(root.join("a.rs"), "one\n  é🐚two\nthree\n").unwrap();
        let env = LocalEnvironment::new(root.clone(), []);
        let mut lines = PlaceLines::new(&env);
        let place = |path: &str, line, character| ServerPlace {
            location: Location {
                path: root.join(path),
                range: Range { start: Position::new(line, character), end: Position::new(line, character) },
            },
            encoding: Encoding::Utf16,
            label: String::new(),
        };
        assert_eq!(
            lines.show(&place("a.rs", 1, 5), 0).await.unwrap(),
            "a.rs:2:5: é🐚two",
            "a column in characters"
        );
        assert_eq!(
            lines.show(&place("a.rs", 1, 2), 1).await.unwrap(),
            "a.rs-1-  one\na.rs:2:3:   é🐚two\na.rs-3-  three"
        );
        assert_eq!(lines.show(&place("a.rs", 0, 0), 1).await.unwrap(), "a.rs:1:1: one\na.rs-2-    é🐚two");
        std::fs::write(root.join("empty"), "").unwrap();
        assert_eq!(lines.show(&place("empty", 0, 0), 1).await.unwrap(), "empty:1:1:");
        let labelled = ServerPlace { label: "fn one".to_string(), ..place("gone.rs", 4, 1) };
        assert_eq!(lines.show(&labelled, 0).await.unwrap(), "gone.rs:5:2: fn one");
    }
}
