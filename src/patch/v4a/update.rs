//! Applies chunks to a text.
//!
//! Must not know files. Context lines are the file's, not the patch's, with their blanks and endings; added
//! lines get the file's first line ending, and so does a last line without one.

use super::parse::Chunk;
use super::reader::Sign;
use super::seek::Finder;

/// Why chunks do not fit a text. Lines of the patch are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateError {
    /// The line of an `@@` was not found.
    #[error(
        "the chunk at line {number} of the patch: no line {text:?} {place}; after '@@' stands one whole line \
         of the file, without line numbers"
    )]
    ContextNotFound {
        /// Where in the patch.
        number: usize,
        /// Of the `@@` line.
        text: String,
        /// The searched part.
        place: String,
    },
    /// The chunk's lines were not found.
    #[error("the chunk at line {number} of the patch: these lines do not stand {place}{hint}:\n{lines}")]
    LinesNotFound {
        /// Where in the patch.
        number: usize,
        /// The searched part.
        place: String,
        /// The likely cause, as the rest of the sentence.
        hint: String,
        /// The context and removed lines.
        lines: String,
    },
}

/// Bytes of the missing lines that an error repeats.
const ECHO_MAX: usize = 2000;

/// Applies chunks, all or none.
pub fn update(before: &str, chunks: &[Chunk]) -> Result<String, UpdateError> {
    let rows = split(before);
    let mut finder = Finder::new(rows.iter().map(|row| row.text).collect());
    let mut cursor = 0;
    let mut splices = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        locate_chunk(&mut finder, chunk, &mut cursor, &mut splices)?;
    }
    // Chunks that only add are at the end; the others are already in the file's order.
    splices.sort_by_key(|splice| splice.start);
    Ok(join(&rows, &splices))
}

/// A line of the file.
struct Row<'a> {
    text: &'a str,
    /// Empty only at the end of the file.
    ending: &'a str,
}

/// Splits at line feeds, carriage returns and pairs of them.
fn split(text: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut from = 0;
    while let Some(length) = memchr::memchr2(b'\n', b'\r', &text.as_bytes()[from..]) {
        let at = from + length;
        let pair = text[at..].starts_with("\r\n");
        let next = at + 1 + usize::from(pair);
        rows.push(Row { text: &text[from..at], ending: &text[at..next] });
        from = next;
    }
    if from < text.len() {
        rows.push(Row { text: &text[from..], ending: "" });
    }
    rows
}

/// Rows of the file and their replacement.
struct Splice<'a> {
    start: usize,
    length: usize,
    new: Vec<&'a str>,
}

/// Locates a chunk, moves the cursor after it and adds its changes.
fn locate_chunk<'a>(
    finder: &mut Finder<'_>,
    chunk: &'a Chunk,
    cursor: &mut usize,
    splices: &mut Vec<Splice<'a>>,
) -> Result<(), UpdateError> {
    if let Some(below) = &chunk.below {
        let found = finder.find(&[below], *cursor, false);
        *cursor = 1 + found.ok_or_else(|| UpdateError::ContextNotFound {
            number: chunk.number,
            text: below.clone(),
            place: searched_range(*cursor),
        })?;
    }
    let mut old = old_lines(chunk);
    if old.is_empty() {
        add_changes(chunk, finder.end(), 0, None, splices);
        return Ok(());
    }
    let mut found = finder.find(&old, *cursor, chunk.at_end);
    let mut dropped = None;
    if found.is_none() && old.last() == Some(&"") {
        // A final empty line often only marks the end of the line before it.
        old.pop();
        let last = chunk.lines.iter().rposition(|line| line.sign != Sign::Remove);
        dropped = last.filter(|at| chunk.lines[*at].text.is_empty());
        found = finder.find(&old, *cursor, chunk.at_end);
    }
    let start = found.ok_or_else(|| missing_lines_error(finder, chunk, *cursor))?;
    *cursor = start + old.len();
    add_changes(chunk, start, old.len(), dropped, splices);
    Ok(())
}

/// Returns the lines that must be in the file.
fn old_lines(chunk: &Chunk) -> Vec<&str> {
    let there = chunk.lines.iter().filter(|line| line.sign != Sign::Add);
    there.map(|line| line.text.as_str()).collect()
}

/// Returns the changes of a chunk at row `start`, without context rows. Only its first `length` old lines
/// have rows, and line `dropped` is not in the result.
fn add_changes<'a>(
    chunk: &'a Chunk,
    start: usize,
    length: usize,
    dropped: Option<usize>,
    splices: &mut Vec<Splice<'a>>,
) {
    let mut row = start;
    let mut open = Splice { start, length: 0, new: Vec::new() };
    for (at, line) in chunk.lines.iter().enumerate() {
        let has_row = line.sign != Sign::Add && row < start + length;
        let stays = line.sign != Sign::Remove && dropped != Some(at);
        row += usize::from(has_row);
        match (has_row, stays) {
            (true, true) => {
                let next = Splice { start: row, length: 0, new: Vec::new() };
                splices.push(std::mem::replace(&mut open, next));
            }
            (true, false) => open.length += 1,
            (false, true) => open.new.push(&line.text),
            (false, false) => {}
        }
    }
    splices.push(open);
}

fn searched_range(cursor: usize) -> String {
    match cursor {
        0 => "in the file".to_string(),
        _ => format!("in the file after its line {cursor}, where the chunk before or '@@' led"),
    }
}

/// Returns the error for a chunk that was not found.
fn missing_lines_error(finder: &mut Finder<'_>, chunk: &Chunk, cursor: usize) -> UpdateError {
    let old = old_lines(chunk);
    let hint = if chunk.at_end && finder.find(&old, cursor, false).is_some() {
        ", of which they are not the last ones as '*** End of File' says".to_string()
    } else if let Some(at) = finder.find(&old, 0, chunk.at_end) {
        format!(", but at its line {}: chunks must be in the order of the file", at + 1)
    } else if let Some(line) = old.iter().find(|line| !finder.contains(line)) {
        let shown = &line[..line.floor_char_boundary(ECHO_MAX / 10)];
        format!(" (no line of it is {shown:?}); read the file again and copy them exactly")
    } else {
        " one after the other; read the file again and copy them exactly".to_string()
    };
    let mut lines = old.join("\n");
    lines.truncate(lines.floor_char_boundary(ECHO_MAX));
    UpdateError::LinesNotFound { number: chunk.number, place: searched_range(cursor), hint, lines }
}

/// Returns the text with all splices applied.
fn join(rows: &[Row<'_>], splices: &[Splice<'_>]) -> String {
    let usual = rows.first().map(|row| row.ending).filter(|ending| !ending.is_empty()).unwrap_or("\n");
    let mut out = String::new();
    let keep = |out: &mut String, row: &Row<'_>| {
        let ending = if row.ending.is_empty() { usual } else { row.ending };
        out.extend([row.text, ending]);
    };
    let mut done = 0;
    for splice in splices {
        rows[done..splice.start].iter().for_each(|row| keep(&mut out, row));
        splice.new.iter().for_each(|line| out.extend([line, usual]));
        done = splice.start + splice.length;
    }
    rows[done..].iter().for_each(|row| keep(&mut out, row));
    out
}
