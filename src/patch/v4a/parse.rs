//! A whole patch as its sections.
//!
//! Must not know files. Lenient where codex is: blanks around the patch and its markers, a shell's
//! here-document around it, a first chunk without its `@@`.

use super::reader::{BEGIN, END, Event, Kind, PatchError, Reader, Sign};

/// What becomes of one file. Paths are as the patch has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Section {
    /// It is made with this content, or replaced whole.
    Add {
        /// Which file.
        path: String,
        /// Every line ends with a line feed.
        text: String,
    },
    /// It is removed.
    Delete {
        /// Which file.
        path: String,
    },
    /// Its content changes, and perhaps its path.
    Update {
        /// Which file.
        path: String,
        /// Its new path.
        to: Option<String>,
        /// At least one, in the order of the file.
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
    /// Where it starts in the patch, by lines from 1.
    pub number: usize,
    /// A line of the file that stands somewhere above.
    pub below: Option<String>,
    /// At least one.
    pub lines: Vec<Line>,
    /// Whether they are the file's last lines.
    pub at_end: bool,
}

/// One line of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What becomes of it.
    pub sign: Sign,
    /// Without its ending.
    pub text: String,
}

/// First lines of here-documents that are taken for no part of the patch.
pub(super) const OPENERS: [&str; 3] = ["<<EOF", "<<'EOF'", "<<\"EOF\""];

/// Reads a patch. Either all of it is one or nothing is.
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

/// The lines with the first marker but without the last one.
fn strip_envelope<'a, 'b>(lines: &'b [&'a str]) -> Result<&'b [&'a str], PatchError> {
    if lines.first().is_none_or(|first| first.trim() != BEGIN) {
        return Err(PatchError::NoBegin);
    }
    match lines {
        [inner @ .., last] if !inner.is_empty() && last.trim() == END => Ok(inner),
        _ => Err(PatchError::NoEnd),
    }
}

/// Adds what a line says to what is known.
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
