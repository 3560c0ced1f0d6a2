//! Line-based grammar of v4a patches: the meaning of each line, given the lines before it.
//!
//! Must not know the effects on a file. The same reader serves complete and streaming patches.

/// Why a text is not a valid patch. Lines are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The first line is not the begin marker.
    #[error("the first line of a patch must be '*** Begin Patch'")]
    NoBegin,
    /// The last line is not the end marker.
    #[error("the last line of a patch must be '*** End Patch', and nothing may follow it")]
    NoEnd,
    /// There are no sections.
    #[error("the patch is empty: it names no file")]
    Empty,
    /// An environment line without a name, or a second one.
    #[error("line {0}: one '*** Environment ID:' with a name may stand before the first file")]
    Environment(usize),
    /// A file's section was expected to start.
    #[error(
        "line {line}: {text:?} starts no section; expected '*** Add File: path', '*** Delete File: path' \
         or '*** Update File: path' (lines of a new file start with '+')"
    )]
    Header {
        /// Where.
        line: usize,
        /// What is there.
        text: String,
    },
    /// A file to update without a change.
    #[error("line {line}: the update of {path:?} has no lines; write at least one chunk")]
    EmptyUpdate {
        /// The line number where the section ends.
        line: usize,
        /// Of which file.
        path: String,
    },
    /// An `@@` line without lines.
    #[error(
        "line {0}: the chunk has no lines before this one; lines that start with ' ', '-' or '+' must follow \
         its '@@' line, of which a chunk has one"
    )]
    EmptyChunk(usize),
    /// A line that does not belong to a chunk.
    #[error(
        "line {line}: {text:?} is no line of a chunk; those start with ' ' (stays), '-' (goes) or '+' (comes), \
         and a new chunk starts with '@@'"
    )]
    Line {
        /// Where.
        line: usize,
        /// What is there.
        text: String,
    },
}

/// Bytes of a line that an error repeats.
const ECHO_MAX: usize = 200;

pub(super) const BEGIN: &str = "*** Begin Patch";
pub(super) const END: &str = "*** End Patch";

/// Operation on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Create or overwrite it.
    Add,
    /// Delete it.
    Delete,
    /// Update it.
    Update,
}

/// Operation of a line in a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Context.
    Keep,
    /// Removed.
    Remove,
    /// Added.
    Add,
}

/// Meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event<'a> {
    /// Nothing: markers of the envelope, skipped lines.
    Ignored,
    /// A file's section starts.
    Section(Kind, &'a str),
    /// The updated file is renamed to this path.
    Moved(&'a str),
    /// A chunk starts, below this line of the file if given.
    Chunk(Option<&'a str>),
    /// A line; in an update the first one may start a chunk without a marker.
    Line(Sign, &'a str),
    /// The chunk is at the end of the file.
    AtEnd,
}

/// State of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Start,
    /// Between the begin marker and the first section.
    Begun {
        named: bool,
    },
    Adding,
    Deleted,
    /// In an update without a chunk yet.
    Updating {
        moved: bool,
    },
    Chunk {
        lines: usize,
    },
    /// After the end-of-file line of a chunk.
    Closed,
    Ended,
}

/// Reads the lines of one patch in order.
#[derive(Debug)]
pub(super) struct Reader {
    state: State,
    /// Number of lines so far.
    line: usize,
    /// The file of the running update.
    path: String,
}

impl Reader {
    /// Creates a reader; `skipped` lines preceded the patch.
    pub(super) fn new(skipped: usize) -> Self {
        Self { state: State::Start, line: skipped, path: String::new() }
    }

    /// Whether the end marker was read.
    pub(super) fn has_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Returns the number of the last line.
    pub(super) fn number(&self) -> usize {
        self.line
    }

    /// Reads the next line, without its line feed.
    pub(super) fn line<'a>(&mut self, line: &'a str) -> Result<Event<'a>, PatchError> {
        self.line += 1;
        let line = line.strip_suffix('\r').unwrap_or(line);
        match self.state {
            State::Start if line.trim() == BEGIN => {
                self.state = State::Begun { named: false };
                Ok(Event::Ignored)
            }
            State::Start => Err(PatchError::NoBegin),
            State::Begun { named } => self.begun(line, named),
            State::Adding if line.starts_with('+') => Ok(Event::Line(Sign::Add, &line[1..])),
            State::Adding | State::Deleted => self.outside(line),
            State::Updating { .. } | State::Chunk { .. } | State::Closed => self.updating(line),
            State::Ended if line.trim().is_empty() => Ok(Event::Ignored),
            State::Ended => Err(PatchError::NoEnd),
        }
    }

    fn begun<'a>(&mut self, line: &'a str, named: bool) -> Result<Event<'a>, PatchError> {
        let Some(name) = line.trim().strip_prefix("*** Environment ID:") else { return self.outside(line) };
        if named || name.trim().is_empty() {
            return Err(PatchError::Environment(self.line));
        }
        self.state = State::Begun { named: true };
        Ok(Event::Ignored)
    }

    /// Reads a line where only a section or the end may start; surrounding blanks are ignored.
    fn outside<'a>(&mut self, line: &'a str) -> Result<Event<'a>, PatchError> {
        let header = self.header(line.trim());
        header.ok_or_else(|| PatchError::Header { line: self.line, text: echo(line) })
    }

    /// A section's first line or the end marker.
    fn header<'a>(&mut self, line: &'a str) -> Option<Event<'a>> {
        if line == END {
            self.state = State::Ended;
            return Some(Event::Ignored);
        }
        let (kind, path, state) = if let Some(path) = line.strip_prefix("*** Add File: ") {
            (Kind::Add, path, State::Adding)
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            (Kind::Delete, path, State::Deleted)
        } else {
            let path = line.strip_prefix("*** Update File: ")?;
            (Kind::Update, path, State::Updating { moved: false })
        };
        self.state = state;
        self.path = path.to_string();
        Some(Event::Section(kind, path))
    }

    /// Reads a line in an update, where leading blanks belong to the line.
    fn updating<'a>(&mut self, line: &'a str) -> Result<Event<'a>, PatchError> {
        let marker = line.trim_end();
        let number = self.line;
        if self.state == (State::Updating { moved: false })
            && let Some(path) = marker.strip_prefix("*** Move to: ")
        {
            self.state = State::Updating { moved: true };
            return Ok(Event::Moved(path));
        }
        let empty = match self.state {
            State::Updating { .. } => Some(PatchError::EmptyUpdate { line: number, path: self.path.clone() }),
            State::Chunk { lines: 0 } => Some(PatchError::EmptyChunk(number)),
            _ => None,
        };
        let before = self.state;
        if let Some(event) = self.header(marker) {
            return empty.map_or(Ok(event), Err);
        }
        let narrow = marker.strip_prefix("@@ ");
        if narrow.is_some() || marker == "@@" {
            if before == (State::Chunk { lines: 0 }) {
                return Err(PatchError::EmptyChunk(number));
            }
            self.state = State::Chunk { lines: 0 };
            return Ok(Event::Chunk(narrow));
        }
        if before == State::Closed {
            let blank = line.trim().is_empty();
            return if blank { Ok(Event::Ignored) } else { Err(self.line_error(line)) };
        }
        if marker == "*** End of File" {
            if matches!(before, State::Updating { .. }) {
                return Ok(Event::Ignored);
            }
            self.state = State::Closed;
            return empty.map_or(Ok(Event::AtEnd), Err);
        }
        let (sign, text) = match line.as_bytes().first() {
            None => (Sign::Keep, ""),
            Some(b' ') => (Sign::Keep, &line[1..]),
            Some(b'-') => (Sign::Remove, &line[1..]),
            Some(b'+') => (Sign::Add, &line[1..]),
            Some(_) => return Err(self.line_error(line)),
        };
        let lines = if let State::Chunk { lines } = before { lines } else { 0 };
        self.state = State::Chunk { lines: lines + 1 };
        Ok(Event::Line(sign, text))
    }

    fn line_error(&self, line: &str) -> PatchError {
        PatchError::Line { line: self.line, text: echo(line) }
    }
}

fn echo(line: &str) -> String {
    line[..line.floor_char_boundary(ECHO_MAX)].to_string()
}
