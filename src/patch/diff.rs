//! Line diff of two texts, with context.
//!
//! Must not know files or who displays it.

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

/// Number of context lines around a change.
const CONTEXT: u32 = 3;
/// Maximum number of rows; a rewritten file does not need more.
const ROWS_MAX: usize = 2000;

/// A difference by lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineDiff {
    /// Number of added lines.
    pub added: usize,
    /// Number of removed lines.
    pub removed: usize,
    /// Line number, from 1, of the first change in the new text; `None` without a change.
    pub first_changed: Option<usize>,
    /// The rows in order; `None` separates hunks, and is last when there are too many rows.
    pub rows: Vec<Option<Row>>,
}

/// A row of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// `+`, `-` or a space.
    pub sign: char,
    /// Line number, from 1, in the new text (`-`: in the old one).
    pub number: usize,
    /// The line without its line ending.
    pub text: String,
}

/// Number of lines around the differing part that are compared, too: hunks may slide by some of them.
const AROUND: usize = 32;

/// Compares two texts line by line, including line endings. Of long, mostly equal texts only the differing
/// part is compared.
pub fn lines(old: &str, new: &str) -> LineDiff {
    let (front, back) = common_ends(old.as_bytes(), new.as_bytes());
    let above = memchr::memchr_iter(b'\n', &old.as_bytes()[..front]).count();
    let mut diff = compare(&old[front..old.len() - back], &new[front..new.len() - back]);
    diff.first_changed = diff.first_changed.map(|line| line + above);
    diff.rows.iter_mut().flatten().for_each(|row| row.number += above);
    diff
}

/// Returns the bytes of whole lines that both texts start and end with, except for some lines.
fn common_ends(old: &[u8], new: &[u8]) -> (usize, usize) {
    let shorter = old.len().min(new.len());
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let front = memchr::memrchr_iter(b'\n', &old[..same]).nth(AROUND).map_or(0, |at| at + 1);
    let most = shorter - same;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let rest = &old[old.len() - tail..];
    let back = memchr::memchr_iter(b'\n', rest).nth(AROUND).map_or(0, |at| rest.len() - at - 1);
    (front, back)
}

fn compare(old: &str, new: &str) -> LineDiff {
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    let mut rows = Rows { input: &input, made: Vec::new(), next_new: 0 };
    for hunk in &hunks {
        rows.hunk(hunk);
    }
    if !hunks.is_empty() {
        rows.context_until(rows.next_new + CONTEXT);
    }
    LineDiff {
        added: diff.count_additions() as usize,
        removed: diff.count_removals() as usize,
        first_changed: hunks.first().map(|hunk| hunk.after.start as usize + 1),
        rows: rows.made,
    }
}

struct Rows<'a> {
    input: &'a InternedInput<&'a str>,
    made: Vec<Option<Row>>,
    /// Index of the first line of the new text without a row.
    next_new: u32,
}

impl Rows<'_> {
    fn hunk(&mut self, hunk: &Hunk) {
        let gap = hunk.after.start - self.next_new;
        let first = self.made.is_empty();
        if first || gap > 2 * CONTEXT {
            if !first {
                self.context_until(self.next_new + CONTEXT);
            }
            let start = hunk.after.start.saturating_sub(CONTEXT).max(self.next_new);
            if start > self.next_new && !first {
                self.push(None);
            }
            self.next_new = start;
        }
        self.context_until(hunk.after.start);
        for at in hunk.before.clone() {
            self.line('-', at, self.input.before[at as usize]);
        }
        for at in hunk.after.clone() {
            self.line('+', at, self.input.after[at as usize]);
        }
        self.next_new = hunk.after.end;
    }

    /// Unchanged lines up to line `end` of the new text.
    fn context_until(&mut self, end: u32) {
        let end = end.min(self.input.after.len() as u32);
        for at in self.next_new..end {
            self.line(' ', at, self.input.after[at as usize]);
        }
        self.next_new = self.next_new.max(end);
    }

    fn line(&mut self, sign: char, at: u32, token: imara_diff::Token) {
        let text = self.input.interner[token].trim_end_matches(['\n', '\r']).to_string();
        self.push(Some(Row { sign, number: at as usize + 1, text }));
    }

    fn push(&mut self, row: Option<Row>) {
        match self.made.len() {
            0..ROWS_MAX => self.made.push(row),
            ROWS_MAX => self.made.push(None),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(old: &str, new: &str) -> String {
        let rows = lines(old, new).rows;
        rows.iter()
            .map(|row| row.as_ref().map_or("~\n".into(), |r| format!("{}{} {}\n", r.sign, r.number, r.text)))
            .collect()
    }

    fn numbers(from: usize, to: usize) -> String {
        (from..=to).flat_map(|n| [n.to_string(), "\n".to_string()]).collect()
    }

    #[test]
    fn diff_hunks_have_context_and_gaps() {
        let old = numbers(1, 20);
        let new = old.replace("\n5\n", "\nfive\n").replace("\n19\n", "\n");
        assert_eq!(
            show(&old, &new),
            " 2 2\n 3 3\n 4 4\n-5 5\n+5 five\n 6 6\n 7 7\n 8 8\n~\n 16 16\n 17 17\n 18 18\n-19 19\n 19 20\n"
        );
        let diff = lines(&old, &new);
        assert_eq!((diff.added, diff.removed, diff.first_changed), (1, 2, Some(5)));
    }

    #[test]
    fn diff_change_in_long_text_is_found() {
        let old = numbers(1, 100_000);
        let new = old.replace("\n60000\n", "\nx\ny\n");
        let diff = lines(&old, &new);
        assert_eq!((diff.added, diff.removed, diff.first_changed), (2, 1, Some(60_000)));
        let rows = " 59997 59997\n 59998 59998\n 59999 59999\n-60000 60000\n+60000 x\n+60001 y\n";
        assert!(show(&old, &new).starts_with(rows), "{}", show(&old, &new));
        assert!(super::common_ends(old.as_bytes(), new.as_bytes()).0 > 300_000);
        assert!(super::common_ends(old.as_bytes(), new.as_bytes()).1 > 200_000);
    }

    #[test]
    fn diff_near_changes_share_hunk() {
        let old = "a\nb\nc\nd\ne\n";
        assert_eq!(show(old, "A\nb\nc\nd\nE\n"), "-1 a\n+1 A\n 2 b\n 3 c\n 4 d\n-5 e\n+5 E\n");
    }

    #[test]
    fn diff_new_empty_and_equal_texts() {
        assert_eq!(show("", "a\nb"), "+1 a\n+2 b\n");
        assert_eq!(show("a\n", ""), "-1 a\n");
        assert_eq!(lines("a\n", "a\n"), LineDiff::default());
        assert_eq!(show("a\n", "a\r\n"), "-1 a\n+1 a\n");
    }

    #[test]
    fn diff_rows_are_bounded() {
        let new = numbers(1, 5000);
        let diff = lines("", &new);
        assert_eq!((diff.added, diff.rows.len(), diff.rows.last()), (5000, ROWS_MAX + 1, Some(&None)));
    }
}
