//! Several replacements in one text, all matched against the original.
//!
//! Must not know files or tools. Matching uses LF line endings; the text keeps its own endings byte for byte
//! outside of replacements. How tolerant matching is depends on the [`Ladder`].

use memchr::memmem;

use super::passes::{self, Found, Pass, Tolerance};

/// A replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The old text; must be unique, unless all occurrences are to be replaced.
    pub old: String,
    /// The new text.
    pub new: String,
}

/// Options of replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReplaceOptions {
    /// How tolerant matching is.
    pub tolerance: Tolerance,
    /// Whether to replace all occurrences.
    pub everywhere: bool,
}

/// A changed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The whole new text.
    pub text: String,
    /// Pieces that were replaced.
    pub count: usize,
    /// The pass of each change, in order.
    pub passes: Vec<Pass>,
}

/// Why a text was not changed. Edits are numbered from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// There are no edits.
    #[error("there are no edits")]
    NoEdits,
    /// The old text is empty.
    #[error("edit {0}: the old text is empty; give the exact text to replace, or write the whole file")]
    Empty(usize),
    /// The old text was not found.
    #[error("edit {edit}: the old text does not occur in the file{hint}")]
    NotFound {
        /// Which edit.
        edit: usize,
        /// The location of similar text, as the rest of the sentence.
        hint: String,
    },
    /// The old text is not unique.
    #[error(
        "edit {edit}: the old text occurs {count} times, at lines {lines}; add lines around it until it is unique"
    )]
    Ambiguous {
        /// Which edit.
        edit: usize,
        /// The number of occurrences.
        count: usize,
        /// The lines of the first occurrences.
        lines: String,
    },
    /// Two edits overlap.
    #[error("edits {0} and {1} overlap; make them one edit")]
    Overlap(usize, usize),
    /// The text would not change.
    #[error("the edits change nothing: old and new text are the same")]
    NoChange,
}

/// Maximum number of occurrences in an error.
const PLACES_MAX: usize = 5;

/// Applies all changes, or none.
pub fn apply(original: &str, changes: &[Change], how: ReplaceOptions) -> Result<Replacement, ReplaceError> {
    if changes.is_empty() {
        return Err(ReplaceError::NoEdits);
    }
    let flat = NormalizedText::new(original);
    let mut matches = Vec::with_capacity(changes.len());
    let mut passes = Vec::with_capacity(changes.len());
    for (at, change) in changes.iter().enumerate() {
        let found = find(&flat.text, &normalize(&change.old), at + 1, how)?;
        passes.extend(found.first().map(|one| one.pass));
        matches.extend(found.into_iter().map(|found| (found, at)));
    }
    matches.sort_by_key(|(found, _)| found.range.start);
    for pair in matches.windows(2) {
        let ((first, a), (second, b)) = (&pair[0], &pair[1]);
        if first.range.end > second.range.start {
            return Err(ReplaceError::Overlap(a.min(b) + 1, a.max(b) + 1));
        }
    }
    let mut text = String::with_capacity(original.len());
    let mut done = 0;
    for (found, at) in &matches {
        text.push_str(&original[done..flat.original_offset(found.range.start)]);
        flat.push_replacement(&mut text, found, &adapt(found, &normalize(&changes[*at].new)));
        done = flat.original_offset(found.range.end);
    }
    text.push_str(&original[done..]);
    if text == original {
        return Err(ReplaceError::NoChange);
    }
    Ok(Replacement { text, count: matches.len(), passes })
}

/// Returns the new text, adapted to its match.
fn adapt(found: &Found, new: &str) -> String {
    match (&found.indent, found.pass) {
        (Some(indent), _) => passes::reindent(new, indent),
        (None, Pass::Escapes) => passes::unescape(new).unwrap_or_else(|| new.to_string()),
        _ => new.to_string(),
    }
}

/// Text of a model with LF line ends and without a byte order mark.
fn normalize(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")
}

/// The text with LF line endings, and the mapping back.
struct NormalizedText {
    text: String,
    /// Bytes before the text: the byte order mark.
    skipped: usize,
    /// Offsets (in the flat text) of the line feeds that followed a carriage return.
    crlf: Vec<usize>,
}

impl NormalizedText {
    fn new(original: &str) -> Self {
        let body = original.strip_prefix('\u{feff}').unwrap_or(original);
        let mut flat = Self {
            text: String::with_capacity(body.len()),
            skipped: original.len() - body.len(),
            crlf: Vec::new(),
        };
        let mut from = 0;
        for at in memmem::find_iter(body.as_bytes(), b"\r\n") {
            flat.text.push_str(&body[from..at]);
            flat.crlf.push(flat.text.len());
            from = at + 1;
        }
        flat.text.push_str(&body[from..]);
        flat
    }

    /// Returns the offset in the original. A carriage return belongs to its line feed.
    fn original_offset(&self, at: usize) -> usize {
        self.skipped + at + self.crlf.partition_point(|feed| *feed < at)
    }

    fn has_crlf(&self, feed: usize) -> bool {
        self.crlf.binary_search(&feed).is_ok()
    }

    /// Appends the new text: its first lines get the line endings of the replaced ones, further ones that of
    /// the last, or of the surrounding lines.
    fn push_replacement(&self, out: &mut String, found: &Found, new: &str) {
        let replaced = &self.text[found.range.clone()];
        let mut endings =
            memchr::memchr_iter(b'\n', replaced.as_bytes()).map(|at| self.has_crlf(found.range.start + at));
        let mut crlf = self.surrounding_crlf(found);
        for line in new.split_inclusive('\n') {
            let Some(line) = line.strip_suffix('\n') else {
                out.push_str(line);
                continue;
            };
            crlf = endings.next().unwrap_or(crlf);
            out.push_str(line);
            out.push_str(if crlf { "\r\n" } else { "\n" });
        }
    }

    /// Whether the line of a match ends with CRLF, else the one before it.
    fn surrounding_crlf(&self, found: &Found) -> bool {
        let next =
            memchr::memchr(b'\n', &self.text.as_bytes()[found.range.end..]).map(|at| found.range.end + at);
        let feed = next.or_else(|| memchr::memrchr(b'\n', &self.text.as_bytes()[..found.range.start]));
        feed.is_some_and(|feed| self.has_crlf(feed))
    }
}

/// Returns the unique match of `old`, or all matches, if none overlap.
fn find(text: &str, old: &str, edit: usize, how: ReplaceOptions) -> Result<Vec<Found>, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Empty(edit));
    }
    let mut found = passes::find_all(text, old, how.tolerance);
    if how.everywhere {
        let mut end = 0;
        found.retain(|one| {
            let apart = one.range.start >= end;
            end = if apart { one.range.end } else { end };
            apart
        });
    }
    match found.len() {
        0 => Err(ReplaceError::NotFound { edit, hint: hint(text, old) }),
        count if count > 1 && !how.everywhere => {
            let lines: Vec<String> =
                found.iter().take(PLACES_MAX).map(|one| line_of(text, one.range.start).to_string()).collect();
            let more = if count > PLACES_MAX { " …" } else { "" };
            Err(ReplaceError::Ambiguous { edit, count, lines: lines.join(", ") + more })
        }
        _ => Ok(found),
    }
}

fn line_of(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1
}

/// Minimum share of a line that must be equal at its ends for a hint.
const SIMILARITY_MIN: f64 = 0.6;

/// Returns the location of the first line of `old`, or of a similar one.
fn hint(text: &str, old: &str) -> String {
    let read_again = "; read the file again and copy the text exactly";
    let Some(first_line) = old.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return read_again.to_string();
    };
    let best = text
        .lines()
        .enumerate()
        .map(|(at, line)| (similarity(line.trim(), first_line), at + 1, line))
        .filter(|(score, ..)| *score >= SIMILARITY_MIN)
        .fold(None, |best: Option<(f64, usize, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        });
    let Some((_, number, line)) = best else { return read_again.to_string() };
    let shown = &line[..line.floor_char_boundary(200)];
    format!("; the nearest to its first line is line {number}: {shown:?}{read_again}")
}

/// Common characters at both ends, as a share of the longer text.
fn similarity(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count());
    let shortest = a.chars().count().min(b.chars().count());
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| pairs.take_while(|(x, y)| x == y).count();
    let front = same(&mut a.chars().zip(b.chars()));
    let back = same(&mut a.chars().rev().zip(b.chars().rev())).min(shortest - front);
    if longest == 0 { 0.0 } else { (front + back) as f64 / longest as f64 }
}

#[cfg(test)]
mod tests;
