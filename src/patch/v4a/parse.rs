//! Parses a complete patch to its sections.
//!
//! Must not know files. As lenient as codex: blanks around the patch and its markers, a surrounding shell
//! here-document, a first chunk without its `@@`.

use super::reader::{BEGIN, END, Event, Kind, PatchError, Reader, Sign};

/// The operation on one file. Paths are as in the patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// Created with this content, or overwritten.
    Add {
        /// Which file.
        path: String,
        /// Every line ends with a line feed.
        text: String,
    },
    /// Deleted.
    Delete {
        /// Which file.
        path: String,
    },
    /// Updated, and optionally renamed.
    Update {
        /// Which file.
        path: String,
        /// Its new path.
        to: Option<String>,
        /// The chunks, at least one, in the order of the file.
        chunks: Vec<Chunk>,
    },
}

impl Section {
    /// The file's path.
    pub fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Delete { path } | Self::Update { path, .. } => path,
        }
    }

    /// Every path that the section touches.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let to = if let Self::Update { to, .. } = self { to.as_deref() } else { None };
        std::iter::once(self.path()).chain(to)
    }
}

/// Lines of a file that are found together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its first line in the patch, from 1.
    pub number: usize,
    /// A line of the file above the chunk, to locate it.
    pub below: Option<String>,
    /// The lines, at least one.
    pub lines: Vec<Line>,
    /// Whether they are the file's last lines.
    pub at_end: bool,
}

/// One line of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its operation.
    pub sign: Sign,
    /// The text without its line ending.
    pub text: String,
}

/// First lines of here-documents, which are stripped.
pub(super) const OPENERS: [&str; 3] = ["<<EOF", "<<'EOF'", "<<\"EOF\""];

/// Parses a patch, completely or not at all.
pub fn parse(text: &str) -> Result<Vec<Section>, PatchError> {
    let trimmed = text.trim();
    let mut skipped = text[..text.len() - text.trim_start().len()].matches('\n').count();
    let lines: Vec<&str> = trimmed.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
    let lines = match lines[..] {
        [first, ref inner @ .., last]
            if inner.len() >= 2 && OPENERS.contains(&first) && last.ends_with("EOF") =>
        {
            skipped += 1;
            strip_envelope(inner)
        }
        _ => strip_envelope(&lines),
    }?;
    let mut reader = Reader::new(skipped);
    let mut sections = Vec::new();
    for line in lines {
        let event = reader.line(line)?;
        take(&mut sections, event, reader.number());
    }
    if !reader.has_ended() {
        reader.line(END)?;
    }
    if sections.is_empty() { Err(PatchError::Empty) } else { Ok(sections) }
}

/// Returns the lines from the first marker on, without the last one.
fn strip_envelope<'a, 'b>(lines: &'b [&'a str]) -> Result<&'b [&'a str], PatchError> {
    if lines.first().is_none_or(|first| first.trim() != BEGIN) {
        return Err(PatchError::NoBegin);
    }
    match lines {
        [inner @ .., last] if !inner.is_empty() && last.trim() == END => Ok(inner),
        _ => Err(PatchError::NoEnd),
    }
}

/// Adds a line's event to the sections.
fn take(sections: &mut Vec<Section>, event: Event<'_>, number: usize) {
    let section = match event {
        Event::Section(Kind::Add, path) => Section::Add { path: path.to_string(), text: String::new() },
        Event::Section(Kind::Delete, path) => Section::Delete { path: path.to_string() },
        Event::Section(Kind::Update, path) => {
            Section::Update { path: path.to_string(), to: None, chunks: Vec::new() }
        }
        other => return take_line(sections.last_mut(), other, number),
    };
    sections.push(section);
}

fn take_line(section: Option<&mut Section>, event: Event<'_>, number: usize) {
    let new = |below: Option<&str>| Chunk {
        number,
        below: below.map(str::to_string),
        lines: Vec::new(),
        at_end: false,
    };
    match (section, event) {
        (Some(Section::Add { text, .. }), Event::Line(_, line)) => text.extend([line, "\n"]),
        (Some(Section::Update { to, .. }), Event::Moved(path)) => *to = Some(path.to_string()),
        (Some(Section::Update { chunks, .. }), Event::Chunk(below)) => chunks.push(new(below)),
        (Some(Section::Update { chunks, .. }), Event::Line(sign, text)) => {
            if chunks.is_empty() {
                chunks.push(new(None));
            }
            if let Some(chunk) = chunks.last_mut() {
                chunk.lines.push(Line { sign, text: text.to_string() });
            }
        }
        (Some(Section::Update { chunks, .. }), Event::AtEnd) => {
            if let Some(chunk) = chunks.last_mut() {
                chunk.at_end = true;
            }
        }
        _ => {}
    }
}
