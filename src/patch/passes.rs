//! Matching passes for an old text, from strict to tolerant. The first pass with a match is used; the match
//! must still be unique, unless all are requested.
//!
//! Must not know files or tools. Texts have LF line endings here.

use std::ops::Range;

use memchr::memmem;
use regex::RegexBuilder;

use super::fuzzy;
use super::line_windows::{extent, lines_of, search_lines};

/// The pass that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    /// Byte for byte.
    Exact,
    /// Whole lines, ignoring trailing blanks.
    TrailingBlanks,
    /// But for typographic quotes, dashes, blanks and wide forms.
    Characters,
    /// Whole lines, ignoring leading and trailing blanks; the new text gets the indentation of the old one.
    Indentation,
    /// White space and line endings may differ.
    Blanks,
    /// Escapes such as `\n` and `\"` are unescaped in both texts.
    Escapes,
    /// The same number of lines, with equal first and last lines, and mostly equal ones between.
    Anchors,
    /// At most a tenth of the characters differ, where blanks count a tenth.
    Fuzzy,
}

impl Pass {
    /// A name for details.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::TrailingBlanks => "trailing-blanks",
            Self::Characters => "characters",
            Self::Indentation => "indentation",
            Self::Blanks => "blanks",
            Self::Escapes => "escapes",
            Self::Anchors => "anchors",
            Self::Fuzzy => "fuzzy",
        }
    }

    /// Returns the difference from the given text, for the model.
    pub fn description(self) -> &'static str {
        match self {
            Self::Exact => "nothing",
            Self::TrailingBlanks => "trailing blanks",
            Self::Characters => "quotes, dashes or blanks of another kind",
            Self::Indentation => "indentation",
            Self::Blanks => "white space",
            Self::Escapes => "escaped characters",
            Self::Anchors => "lines in its middle",
            Self::Fuzzy => "a few characters",
        }
    }
}

/// Which passes are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tolerance {
    /// Passes in which all words of the old text match exactly, so that no concurrent change of another
    /// process is overwritten.
    Strict,
    /// All passes except the fuzzy one.
    #[default]
    Careful,
    /// All passes.
    Fuzzy,
}

/// A match of the old text, and its pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Bytes of the text.
    pub range: Range<usize>,
    /// By which pass.
    pub pass: Pass,
    /// The indentation that a line of the new text loses and gains, if it differs.
    pub indent: Option<(String, String)>,
}

/// Returns all matches of the first pass with any. Exact matches may overlap: replacing one of those would be
/// a guess.
pub fn find_all(text: &str, old: &str, ladder: Tolerance) -> Vec<Found> {
    let plain = |pass: Pass, places: Vec<Range<usize>>| -> Vec<Found> {
        places.into_iter().map(|place| Found { range: place, pass, indent: None }).collect()
    };
    let passes: [&dyn Fn() -> Vec<Found>; 8] = [
        &|| plain(Pass::Exact, find_exact(text, old)),
        &|| plain(Pass::TrailingBlanks, find_by_lines(text, old, |a, b| a.trim_end() == b.trim_end())),
        &|| plain(Pass::Characters, find_lookalikes(text, old)),
        &|| find_reindented(text, old),
        &|| plain(Pass::Blanks, find_ignoring_blanks(text, old)),
        &|| plain(Pass::Escapes, unescape(old).map_or_else(Vec::new, |old| find_exact(text, &old))),
        &|| plain(Pass::Anchors, find_anchored(text, old)),
        &|| match ladder {
            Tolerance::Strict | Tolerance::Careful => Vec::new(),
            Tolerance::Fuzzy => plain(Pass::Fuzzy, fuzzy::find_ranges(text, old)),
        },
    ];
    let last = if ladder == Tolerance::Strict { Pass::Indentation } else { Pass::Fuzzy };
    passes[..=last as usize].iter().map(|pass| pass()).find(|found| !found.is_empty()).unwrap_or_default()
}

fn find_exact(text: &str, old: &str) -> Vec<Range<usize>> {
    let finder = memmem::Finder::new(old.as_bytes());
    let mut from = 0;
    let mut found = Vec::new();
    while let Some(at) = finder.find(&text.as_bytes()[from..]) {
        found.push(from + at..from + at + old.len());
        from += at + 1;
    }
    found
}

fn find_by_lines(text: &str, old: &str, same: impl Fn(&str, &str) -> bool) -> Vec<Range<usize>> {
    let Some(expected) = search_lines(old) else { return Vec::new() };
    lines_of(text)
        .windows(expected.len())
        .filter(|window| window.iter().zip(&expected).all(|((_, line), expected)| same(line, expected)))
        .map(|window| extent(window, old))
        .collect()
}

/// Normalizes a character that looks like another one.
fn plain_char(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}'..='\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\u{a0}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => ' ',
        // Wide forms of ASCII.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        other => other,
    }
}

/// Returns matches that differ only in similar-looking characters and trailing blanks.
fn find_lookalikes(text: &str, old: &str) -> Vec<Range<usize>> {
    let plain_old: String = old.chars().map(plain_char).collect();
    let mut plain = String::with_capacity(text.len());
    // The original offsets of the normalized characters; stored only where they differ.
    let mut shifts: Vec<(usize, usize)> = vec![(0, 0)];
    for (at, c) in text.char_indices() {
        let to = plain_char(c);
        plain.push(to);
        if to.len_utf8() != c.len_utf8() {
            shifts.push((plain.len(), at + c.len_utf8()));
        }
    }
    let back = |at: usize| {
        let (from, origin) = shifts[shifts.partition_point(|(from, _)| *from <= at) - 1];
        origin + (at - from)
    };
    let found = find_exact(&plain, &plain_old);
    if !found.is_empty() {
        return found.into_iter().map(|place| back(place.start)..back(place.end)).collect();
    }
    let same =
        |a: &str, b: &str| a.trim_end().chars().map(plain_char).eq(b.trim_end().chars().map(plain_char));
    find_by_lines(text, old, same)
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn find_reindented(text: &str, old: &str) -> Vec<Found> {
    let Some(expected) = search_lines(old) else { return Vec::new() };
    let lines = lines_of(text);
    let same = |window: &&[(usize, &str)]| {
        window.iter().zip(&expected).all(|((_, line), expected)| line.trim() == expected.trim())
    };
    let found = |window: &[(usize, &str)]| {
        let first = window.iter().zip(&expected).find(|(_, expected)| !expected.trim().is_empty());
        let indent = first.map(|((_, line), expected)| (indent_of(expected).into(), indent_of(line).into()));
        Found { range: extent(window, old), pass: Pass::Indentation, indent }
    };
    lines.windows(expected.len()).filter(same).map(found).collect()
}

/// Returns a new text whose lines change their indentation as the old one's did.
pub(super) fn reindent(new: &str, (from, to): &(String, String)) -> String {
    let line = |line: &str| match line.strip_prefix(from.as_str()) {
        _ if line.trim().is_empty() => line.to_string(),
        Some(rest) => format!("{to}{rest}"),
        None => format!("{to}{}", line.trim_start_matches([' ', '\t'])),
    };
    new.split_inclusive('\n').map(line).collect()
}

/// Longest expression of the pass for blanks, in bytes.
const EXPRESSION_MAX: usize = 20_000;
/// Characters around which blanks are optional.
const DELIMITERS: &str = "()[]{}<>=:;,";

/// Returns matches that differ only in white space.
fn find_ignoring_blanks(text: &str, old: &str) -> Vec<Range<usize>> {
    if old.trim().chars().count() < 2 {
        return Vec::new();
    }
    // A match must not start or end within a word.
    let word = |c: Option<char>| if c.is_some_and(|c| c.is_alphanumeric() || c == '_') { r"\b" } else { "" };
    let mut expression = word(old.trim().chars().next()).to_string();
    let mut blank = false;
    let mut last = None;
    for c in old.trim().chars() {
        if c.is_whitespace() {
            blank = true;
            continue;
        }
        let loose = DELIMITERS.contains(c) || last.is_some_and(|last| DELIMITERS.contains(last));
        match last {
            Some(_) if loose => expression.push_str(r"\s*"),
            Some(_) if blank => expression.push_str(r"\s+"),
            _ => {}
        }
        expression.push_str(&regex::escape(&c.to_string()));
        (blank, last) = (false, Some(c));
    }
    expression.push_str(word(last));
    if expression.len() > EXPRESSION_MAX {
        return Vec::new();
    }
    let Ok(found) = RegexBuilder::new(&expression).size_limit(4 << 20).build() else { return Vec::new() };
    // White space at both ends of the text is included: whole lines stay whole lines.
    let whole = |place: Range<usize>| {
        let start = if old.starts_with([' ', '\t']) {
            text[..place.start].trim_end_matches([' ', '\t']).len()
        } else {
            place.start
        };
        let rest = &text[place.end..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let feed = old.ends_with('\n') && rest[blanks..].starts_with('\n');
        start..if feed { place.end + blanks + 1 } else { place.end }
    };
    found.find_iter(text).map(|found| whole(found.range())).collect()
}

/// Returns a text without escapes; `None` when there are none.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut any = false;
    while let Some(c) = chars.next() {
        let meant = (c == '\\').then(|| chars.peek()).flatten().and_then(|next| match next {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            '"' | '\'' | '`' | '\\' | '$' | '\n' => Some(*next),
            _ => None,
        });
        match meant {
            Some(meant) => {
                chars.next();
                any = true;
                out.push(meant);
            }
            None => out.push(c),
        }
    }
    any.then_some(out)
}

/// Minimum number of lines for this pass.
const ANCHORED_MIN: usize = 3;
/// Share of the lines between the anchors that must be equal except for blanks.
const ANCHORED_SAME: f64 = 0.5;

/// Returns blocks of as many lines with equal first and last lines, and mostly equal ones between.
fn find_anchored(text: &str, old: &str) -> Vec<Range<usize>> {
    let Some(expected) = search_lines(old).filter(|expected| expected.len() >= ANCHORED_MIN) else {
        return Vec::new();
    };
    let (Some(first), Some(last)) = (expected.first(), expected.last()) else { return Vec::new() };
    if first.trim().is_empty() || last.trim().is_empty() {
        return Vec::new();
    }
    let lines = lines_of(text);
    let ends = |window: &[(usize, &str)]| {
        window.first().is_some_and(|(_, line)| line.trim() == first.trim())
            && window.last().is_some_and(|(_, line)| line.trim() == last.trim())
    };
    let blocks: Vec<&[(usize, &str)]> = lines.windows(expected.len()).filter(|window| ends(window)).collect();
    // Two blocks with such anchors are ambiguous, however similar they are.
    let [block] = blocks[..] else { return Vec::new() };
    let pairs = block.iter().zip(&expected).skip(1).take(expected.len() - 2);
    let same = pairs.filter(|((_, line), expected)| line.trim() == expected.trim()).count();
    if (same as f64) < ANCHORED_SAME * (expected.len() - 2) as f64 {
        return Vec::new();
    }
    vec![extent(block, old)]
}
