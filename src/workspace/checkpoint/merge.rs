//! Three-way merge of texts, by lines.
//!
//! Must not know files. Adjacent changes are a conflict for the user to resolve.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

/// Maximum bytes of a text that is merged.
const TEXT_MAX: usize = 4 << 20;
/// Bytes at the beginning in which a zero byte marks binary content, as in git.
const SNIFF_BYTES: usize = 8000;

/// Whether the content looks like text.
pub fn is_text(content: &[u8]) -> bool {
    !content[..content.len().min(SNIFF_BYTES)].contains(&0)
}

/// Lines of the base and their replacement.
struct Change<'a> {
    base: Range<usize>,
    lines: &'a [&'a [u8]],
}

/// Returns the base with the changes of both sides; `None` if they overlap or touch, or if an input is not
/// text.
pub fn merge(base: &[u8], mine: &[u8], theirs: &[u8]) -> Option<Vec<u8>> {
    let texts = [base, mine, theirs];
    if texts.iter().any(|text| text.len() > TEXT_MAX || !is_text(text)) {
        return None;
    }
    let [lines, my_lines, their_lines] = texts.map(lines);
    let (mine, theirs) = (changes(base, mine, &my_lines), changes(base, theirs, &their_lines));
    let (mut mine, mut theirs) = (mine.iter().peekable(), theirs.iter().peekable());
    let (mut out, mut at) = (Vec::new(), 0);
    loop {
        let change = match (mine.peek(), theirs.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) if a.base == b.base && a.lines == b.lines => {
                theirs.next();
                mine.next()
            }
            (Some(a), Some(b)) if a.base.start <= b.base.end && b.base.start <= a.base.end => return None,
            (Some(a), Some(b)) if a.base.start < b.base.start => mine.next(),
            (_, Some(_)) => theirs.next(),
            (Some(_), None) => mine.next(),
        };
        let Some(Change { base, lines: new }) = change else { break };
        lines[at..base.start].iter().chain(new.iter()).for_each(|line| out.extend_from_slice(line));
        at = base.end;
    }
    lines[at..].iter().for_each(|line| out.extend_from_slice(line));
    Some(out)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn changes<'a>(base: &[u8], text: &[u8], lines: &'a [&'a [u8]]) -> Vec<Change<'a>> {
    let input = InternedInput::new(base, text);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks = diff.hunks().map(|hunk| Change {
        base: hunk.before.start as usize..hunk.before.end as usize,
        lines: &lines[hunk.after.start as usize..hunk.after.end as usize],
    });
    hunks.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn merged(base: &str, mine: &str, theirs: &str) -> Option<String> {
        merge(base.as_bytes(), mine.as_bytes(), theirs.as_bytes())
            .map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn merge_separate_changes_and_detects_conflicts() {
        let base = "1\n2\n3\n4\n5\n";
        assert_eq!(
            merged(base, "0\n1\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive").as_deref(),
            Some("0\n1\n2\n3\n4\nfive")
        );
        assert_eq!(merged(base, "1\n2\nx\n4\n5\n", "1\n2\ny\n4\n5\n"), None);
        assert_eq!(merged(base, "1\n2\nx\n4\n5\n", "1\n2\n3\ny\n5\n"), None, "they touch");
        assert_eq!(
            merged(base, "1\n2\nx\n4\n5\n", "1\n2\nx\n4\n").as_deref(),
            Some("1\n2\nx\n4\n"),
            "both the same"
        );
        assert_eq!(merged("", "a\n", "b\n"), None);
        assert_eq!(merged("a\0", "a\0b", "a\0"), None, "no text");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn merge_single_change_is_that_change(base in "([abc]\n){0,8}", other in "([abc]\n){0,8}[a-c]?") {
            prop_assert_eq!(merged(&base, &other, &base), Some(other.clone()));
            prop_assert_eq!(merged(&base, &base, &other), Some(other.clone()));
            prop_assert_eq!(merged(&base, &other, &other), Some(other));
        }
    }
}
