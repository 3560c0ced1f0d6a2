//! Outline of a streaming patch: its files, and numbers of added and removed lines.
//!
//! Must not know where it comes from. Text after the end of the patch is ignored.

use super::parse::OPENERS;
use super::reader::{Event, Kind, PatchError, Reader, Sign};

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutline {
    /// The operation.
    pub kind: Kind,
    /// The path in the patch.
    pub path: String,
    /// Its new path.
    pub to: Option<String>,
    /// Number of added lines so far.
    pub added: usize,
    /// Number of removed lines so far; unknown for a deleted file.
    pub removed: usize,
}

/// Parses a patch in chunks of any size.
#[derive(Debug)]
pub struct Outline {
    reader: Reader,
    /// An incomplete line.
    rest: String,
    begun: bool,
    files: Vec<FileOutline>,
    error: Option<PatchError>,
}

impl Default for Outline {
    fn default() -> Self {
        Self { reader: Reader::new(0), rest: String::new(), begun: false, files: Vec::new(), error: None }
    }
}

impl Outline {
    /// Adds a chunk. After an error further text is ignored.
    pub fn feed(&mut self, piece: &str) {
        let Some(last) = memchr::memrchr(b'\n', piece.as_bytes()) else {
            self.rest.push_str(piece);
            return;
        };
        let mut rest = std::mem::replace(&mut self.rest, piece[last + 1..].to_string());
        let mut lines = piece[..last].split('\n');
        rest.push_str(lines.next().unwrap_or_default());
        self.line(&rest);
        lines.for_each(|line| self.line(line));
    }

    /// Returns the files so far, the current one last.
    pub fn files(&self) -> &[FileOutline] {
        &self.files
    }

    /// Returns the parse error.
    pub fn error(&self) -> Option<&PatchError> {
        self.error.as_ref()
    }

    fn line(&mut self, line: &str) {
        if self.error.is_some() || self.reader.has_ended() {
            return;
        }
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !self.begun && (line.trim().is_empty() || OPENERS.contains(&line.trim())) {
            return;
        }
        self.begun = true;
        match self.reader.line(line) {
            Ok(event) => self.apply(event),
            Err(error) => self.error = Some(error),
        }
    }

    fn apply(&mut self, event: Event<'_>) {
        if let Event::Section(kind, path) = event {
            let path = path.to_string();
            self.files.push(FileOutline { kind, path, to: None, added: 0, removed: 0 });
            return;
        }
        let Some(file) = self.files.last_mut() else { return };
        match event {
            Event::Moved(path) => file.to = Some(path.to_string()),
            Event::Line(Sign::Add, _) => file.added += 1,
            Event::Line(Sign::Remove, _) => file.removed += 1,
            _ => {}
        }
    }
}
