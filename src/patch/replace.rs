//! Several exact replacements in one text, all matched against the text as it was.
//!
//! Must not know files or tools. Matching looks at lines that end in LF; the text keeps its own
//! endings, byte for byte wherever nothing was replaced. Where nothing matches exactly, whole
//! lines are compared without their trailing blanks, because models drop those.

use memchr::memmem;

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Must occur exactly once.
    pub old: String,
    /// What stands there afterwards.
    pub new: String,
}

/// A changed text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The whole new text.
    pub text: String,
    /// How many changes matched only without trailing blanks.
    pub tolerant: usize,
}

/// Why a text was not changed. Numbers of edits count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// Nothing to do.
    #[error("there are no edits")]
    NoEdits,
    /// Nothing to look for.
    #[error("edit {0}: the old text is empty; give the exact text to replace, or write the whole file")]
    Empty(usize),
    /// It is not there.
    #[error("edit {edit}: the old text does not occur in the file{hint}")]
    NotFound {
        /// Which edit.
        edit: usize,
        /// Where something like it stands, as the rest of the sentence.
        hint: String,
    },
    /// It is there more than once.
    #[error(
        "edit {edit}: the old text occurs {count} times, at lines {lines}; add lines around it until it is unique"
    )]
    Ambiguous {
        /// Which edit.
        edit: usize,
        /// How often.
        count: usize,
        /// The first few places.
        lines: String,
    },
    /// Two edits touch the same text.
    #[error("edits {0} and {1} overlap; make them one edit")]
    Overlap(usize, usize),
    /// The text would stay as it is.
    #[error("the edits change nothing: old and new text are the same")]
    NoChange,
}

/// Places that an ambiguity names.
const PLACES_MAX: usize = 5;

/// Applies all changes, or none.
pub fn apply(original: &str, changes: &[Change]) -> Result<Replacement, ReplaceError> {
    if changes.is_empty() {
        return Err(ReplaceError::NoEdits);
    }
    let flat = Flat::new(original);
    let mut matches = Vec::with_capacity(changes.len());
    for (at, change) in changes.iter().enumerate() {
        let found = find(&flat.text, &unified(&change.old), at + 1)?;
        matches.push((found, at));
    }
    matches.sort_by_key(|(found, _)| found.start);
    for pair in matches.windows(2) {
        let ((first, a), (second, b)) = (&pair[0], &pair[1]);
        if first.end > second.start {
            return Err(ReplaceError::Overlap(a.min(b) + 1, a.max(b) + 1));
        }
    }
    let mut text = String::with_capacity(original.len());
    let mut done = 0;
    for (found, at) in &matches {
        text.push_str(&original[done..flat.in_original(found.start)]);
        flat.push_replacement(&mut text, found, &unified(&changes[*at].new));
        done = flat.in_original(found.end);
    }
    text.push_str(&original[done..]);
    if text == original {
        return Err(ReplaceError::NoChange);
    }
    let tolerant = matches.iter().filter(|(found, _)| found.tolerant).count();
    Ok(Replacement { text, tolerant })
}

/// Text of a model with LF line ends and without a byte order mark.
fn unified(text: &str) -> String {
    text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n")
}

/// A match in the flat text.
#[derive(Debug, Clone, Copy)]
struct Found {
    start: usize,
    end: usize,
    tolerant: bool,
}

/// The text with LF line ends, and the way back.
struct Flat {
    text: String,
    /// Bytes before the text: the byte order mark.
    skipped: usize,
    /// Offsets (in the flat text) of the line feeds that had a carriage return.
    crlf: Vec<usize>,
}

impl Flat {
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

    /// The place in the original. A carriage return belongs to its line feed.
    fn in_original(&self, at: usize) -> usize {
        self.skipped + at + self.crlf.partition_point(|feed| *feed < at)
    }

    fn has_crlf(&self, feed: usize) -> bool {
        self.crlf.binary_search(&feed).is_ok()
    }

    /// Adds the new text: its first lines end as the replaced ones did, further ones as the last
    /// of those, or as the lines around do.
    fn push_replacement(&self, out: &mut String, found: &Found, new: &str) {
        let replaced = &self.text[found.start..found.end];
        let mut endings =
            memchr::memchr_iter(b'\n', replaced.as_bytes()).map(|at| self.has_crlf(found.start + at));
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

    /// How the line of a match ends, else the one before it.
    fn surrounding_crlf(&self, found: &Found) -> bool {
        let next = memchr::memchr(b'\n', &self.text.as_bytes()[found.end..]).map(|at| found.end + at);
        let feed = next.or_else(|| memchr::memrchr(b'\n', &self.text.as_bytes()[..found.start]));
        feed.is_some_and(|feed| self.has_crlf(feed))
    }
}

/// The one place where `old` stands.
fn find(text: &str, old: &str, edit: usize) -> Result<Found, ReplaceError> {
    if old.is_empty() {
        return Err(ReplaceError::Empty(edit));
    }
    let exact: Vec<Found> = exact_places(text, old)
        .map(|start| Found { start, end: start + old.len(), tolerant: false })
        .collect();
    let found = if exact.is_empty() { tolerant_places(text, old) } else { exact };
    match found[..] {
        [one] => Ok(one),
        [] => Err(ReplaceError::NotFound { edit, hint: hint(text, old) }),
        _ => {
            let lines: Vec<String> =
                found.iter().take(PLACES_MAX).map(|one| line_of(text, one.start).to_string()).collect();
            let more = if found.len() > PLACES_MAX { " …" } else { "" };
            let lines = lines.join(", ") + more;
            Err(ReplaceError::Ambiguous { edit, count: found.len(), lines })
        }
    }
}

/// Every place, overlapping ones too: replacing one of those would be a guess.
fn exact_places<'a>(text: &'a str, old: &'a str) -> impl Iterator<Item = usize> + 'a {
    let finder = memmem::Finder::new(old.as_bytes()).into_owned();
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = from + finder.find(&text.as_bytes()[from..])?;
        from = at + 1;
        Some(at)
    })
}

/// Places where whole lines are the same but for trailing blanks.
fn tolerant_places(text: &str, old: &str) -> Vec<Found> {
    let wanted: Vec<&str> = old.strip_suffix('\n').unwrap_or(old).split('\n').map(str::trim_end).collect();
    if wanted.iter().all(|line| line.is_empty()) {
        return Vec::new();
    }
    let mut start = 0;
    let lines: Vec<(usize, &str)> = text
        .split_inclusive('\n')
        .map(|line| {
            start += line.len();
            (start - line.len(), line)
        })
        .collect();
    lines
        .windows(wanted.len())
        .filter(|window| window.iter().zip(&wanted).all(|((_, line), wanted)| line.trim_end() == *wanted))
        .filter_map(|window| {
            let ((start, _), (last, line)) = (*window.first()?, *window.last()?);
            let whole = old.ends_with('\n') || !line.ends_with('\n');
            Some(Found { start, end: last + line.len() - usize::from(!whole), tolerant: true })
        })
        .collect()
}

fn line_of(text: &str, at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count() + 1
}

/// Share of a line that must be the same at its ends to be worth a hint.
const LIKENESS_MIN: f64 = 0.6;

/// Where the first line of `old` or something like it stands.
fn hint(text: &str, old: &str) -> String {
    let read_again = "; read the file again and copy the text exactly";
    let Some(wanted) = old.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return read_again.to_string();
    };
    let best = text
        .lines()
        .enumerate()
        .map(|(at, line)| (likeness(line.trim(), wanted), at + 1, line))
        .filter(|(score, ..)| *score >= LIKENESS_MIN)
        .fold(None, |best: Option<(f64, usize, &str)>, next| match best {
            Some(best) if best.0 >= next.0 => Some(best),
            _ => Some(next),
        });
    let Some((_, number, line)) = best else { return read_again.to_string() };
    let shown = &line[..line.floor_char_boundary(200)];
    format!("; the nearest to its first line is line {number}: {shown:?}{read_again}")
}

/// Common characters at both ends, as a share of the longer text.
fn likeness(a: &str, b: &str) -> f64 {
    let longest = a.chars().count().max(b.chars().count());
    let shortest = a.chars().count().min(b.chars().count());
    let same = |pairs: &mut dyn Iterator<Item = (char, char)>| pairs.take_while(|(x, y)| x == y).count();
    let front = same(&mut a.chars().zip(b.chars()));
    let back = same(&mut a.chars().rev().zip(b.chars().rev())).min(shortest - front);
    if longest == 0 { 0.0 } else { (front + back) as f64 / longest as f64 }
}

#[cfg(test)]
mod tests;
