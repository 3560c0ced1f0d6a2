//! Fuzzy search for lines similar to an old text: edit distance over windows of as many lines, in which white
//! space has low weight.
//!
//! Must not know files or tools. Texts have LF line endings here.

use std::ops::Range;

use super::line_windows::{extent, lines_of, search_lines};

/// Minimum characters of an old text: shorter ones are similar to anything.
const CHARS_MIN: usize = 10;
/// Share of the characters that may differ.
const DIFFERENCE_MAX: f64 = 0.1;
/// Weight of a difference in white space.
const BLANK_WEIGHT: f64 = 0.1;
/// Limit on the lines of the text times the square of the old text's characters; more would be too slow.
const COMPLEXITY_MAX: f64 = 400_000_000.0;

/// Returns the matches with the smallest allowed distance, without those that overlap a better one.
pub(super) fn find_ranges(text: &str, old: &str) -> Vec<Range<usize>> {
    let Some(expected) = search_lines(old) else { return Vec::new() };
    let chars = old.chars().count();
    let lines = lines_of(text);
    if chars < CHARS_MIN || lines.len() as f64 * (chars as f64).powi(2) > COMPLEXITY_MAX {
        return Vec::new();
    }
    let wanted_text = expected.join("\n");
    let solid = without_whitespace(&wanted_text);
    let allowed = chars as f64 * DIFFERENCE_MAX;
    let mut best: Vec<(f64, usize)> = Vec::new();
    for (at, window) in lines.windows(expected.len()).enumerate() {
        let joined: String = window.iter().map(|(_, line)| *line).collect();
        let joined = joined.strip_suffix('\n').unwrap_or(&joined);
        // Non-blank characters that are added or removed have full weight.
        let size = self::without_whitespace(joined).len().abs_diff(solid.len()) as f64;
        if size > allowed {
            continue;
        }
        let distance = distance(&self::without_whitespace(joined), &solid) as f64
            + whitespace_distance(joined, &wanted_text);
        if distance <= allowed {
            best.push((distance, at));
        }
    }
    best.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut chosen: Vec<usize> = Vec::new();
    for (_, at) in &best {
        if chosen.iter().all(|other| other.abs_diff(*at) >= expected.len()) {
            chosen.push(*at);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| extent(&lines[at..at + expected.len()], old)).collect()
}

/// Returns a text without its white space.
fn without_whitespace(text: &str) -> Vec<char> {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Returns the weight of differing white space.
fn whitespace_distance(a: &str, b: &str) -> f64 {
    let count = |text: &str| text.chars().filter(|c| c.is_whitespace()).count();
    count(a).abs_diff(count(b)) as f64 * BLANK_WEIGHT
}

/// Returns the Levenshtein distance, with one row in memory.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzzy_match_allows_a_tenth_to_differ() {
        let text = "fn alpha(value: u32) -> u32 {\n    value + 1\n}\nfn beta() {}\n";
        let found = find_ranges(text, "fn alpha(valve: u32) -> u32 {\n  value + 1\n}\n");
        assert_eq!(found.iter().map(|place| &text[place.clone()]).collect::<Vec<_>>(), [&text[..46]]);
        assert!(find_ranges(text, "fn gamma(thing: i64) -> u32 {\n").is_empty());
        assert!(find_ranges("abcdefghi\n", "abcdefghj").is_empty(), "too short to be like anything");
        assert!(find_ranges(&"x\n".repeat(500_000), &"y".repeat(5000)).is_empty(), "too much work");
    }

    #[test]
    fn fuzzy_edit_distances() {
        let of = |a: &str, b: &str| distance(&without_whitespace(a), &without_whitespace(b));
        assert_eq!((of("kitten", "sitting"), of("", "abc"), of("a b", "ab")), (3, 3, 0));
    }
}
