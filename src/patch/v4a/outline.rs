//! What is known of a patch that is still coming in: its files, and how many lines come and go.
//!
//! Must not know where it comes from. Whatever follows the end of the patch does not count.

use super::parse::OPENERS;
use super::reader::{Event, Kind, PatchError, Reader, Sign};

/// One file of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutline {
    /// What becomes of it.
    pub kind: Kind,
    /// As the patch has it.
    pub path: String,
    /// Its new path.
    pub to: Option<String>,
    /// Lines that come, so far.
    pub added: usize,
    /// Lines that go, so far; of a deleted file they are not known.
    pub removed: usize,
}

/// Takes a patch in pieces of any size.
#[derive(Debug)]
pub struct Outline {
    reader: Reader,
    /// The start of a line whose end has not come.
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
    /// Takes the next piece. After an error nothing more is known.
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

    /// The files so far, the one that is coming in last.
    pub fn files(&self) -> &[FileOutline] {
        &self.files
    }

    /// Why what came is no patch.
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
