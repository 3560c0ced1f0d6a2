//! The message about a review: which hunks the user rejected, and comments, for the model. Its format is in
//! `docs/review.md`. Must not know how hunks are found or undone.

use crate::base::code_fence::code_fence;
use crate::base::plural::pluralize;
use crate::runtime::restore::changes::REVIEW_START;

/// Maximum lines of a hunk in the message, on each side.
const LINES_MAX: usize = 200;

/// A hunk as it was shown when the user decided about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HunkText {
    /// First line, from 1, in the text without the agents' changes.
    pub old_start: usize,
    /// First line, from 1, in the text with them.
    pub new_start: usize,
    /// The old lines.
    pub old: String,
    /// The new lines.
    pub new: String,
    /// For a change that is not shown as text: what it is.
    pub other: Option<&'static str>,
}

/// A decision that the model learns of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Path of the file, as displayed.
    pub path: String,
    /// The hunk.
    pub hunk: HunkText,
    /// Whether it was rejected.
    pub is_rejected: bool,
    /// The user's comment.
    pub comment: Option<String>,
    /// Whether the file no longer has the hunk, for another reason than its rejection.
    pub is_outdated: bool,
}

/// Returns the message, by file in the order of the remarks.
pub fn message(remarks: &[Remark]) -> String {
    let rejected = remarks.iter().filter(|remark| remark.is_rejected).count();
    let comments = remarks.iter().filter(|remark| remark.comment.is_some()).count();
    let mut text = String::from(REVIEW_START);
    let parts: Vec<String> =
        [(rejected, "hunk rejected", "hunks rejected"), (comments, "comment", "comments")]
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, one, many)| pluralize(count, one, many))
            .collect();
    text.push_str(&format!(": {}.\n", parts.join(", ")));
    if rejected > 0 {
        text.push_str("Rejected hunks are already undone in the files; do not make these changes again.\n");
    }
    let mut path = None;
    for remark in remarks {
        if path != Some(&remark.path) {
            text.push_str(&format!("\n## {}\n", remark.path));
            path = Some(&remark.path);
        }
        write_remark(&mut text, remark);
    }
    text
}

fn write_remark(text: &mut String, remark: &Remark) {
    let title = match (remark.is_rejected, remark.is_outdated) {
        (true, _) => "Rejected",
        (false, false) => "Comment",
        (false, true) => "Comment on lines that have changed since",
    };
    text.push_str(&format!("\n{title}:\n\n"));
    let hunk = &remark.hunk;
    if let Some(other) = hunk.other {
        text.push_str(&format!("The whole change of the file ({other}).\n"));
    } else {
        let lines = diff(hunk);
        let fence = code_fence(&lines);
        text.push_str(&format!("{fence}diff\n{lines}{fence}\n"));
    }
    if let Some(comment) = &remark.comment {
        text.push_str(&format!("\n{comment}\n"));
    }
}

/// Returns a hunk as a unified diff without context.
fn diff(hunk: &HunkText) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (hunk.old.split_inclusive('\n').collect(), hunk.new.split_inclusive('\n').collect());
    let range =
        |start: usize, count: usize| format!("{},{count}", if count == 0 { start - 1 } else { start });
    let mut text =
        format!("@@ -{} +{} @@\n", range(hunk.old_start, old.len()), range(hunk.new_start, new.len()));
    for (sign, lines) in [('-', old), ('+', new)] {
        for line in lines.iter().take(LINES_MAX) {
            text.push_str(&format!("{sign}{}\n", line.trim_end_matches(['\n', '\r'])));
        }
        if lines.len() > LINES_MAX {
            text.push_str(&format!("{sign}[{} more lines]\n", lines.len() - LINES_MAX));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remark(path: &str, is_rejected: bool, comment: Option<&str>) -> Remark {
        let hunk =
            HunkText { old_start: 3, new_start: 4, old: "a\n".into(), new: "b\r\nc".into(), other: None };
        Remark { path: path.into(), hunk, is_rejected, comment: comment.map(Into::into), is_outdated: false }
    }

    #[test]
    fn review_message_groups_by_file() {
        let other = HunkText { other: Some("Binary file"), ..HunkText::default() };
        let remarks = [
            remark("a.rs", true, None),
            remark("a.rs", false, Some("Why c?")),
            Remark { hunk: other, ..remark("b.png", true, Some("Keep the old one")) },
            Remark { is_outdated: true, ..remark("d.rs", false, Some("late")) },
        ];
        let expected = "I reviewed your changes to the files: 2 hunks rejected, 3 comments.
Rejected hunks are already undone in the files; do not make these changes again.

## a.rs

Rejected:

```diff
@@ -3,1 +4,2 @@
-a
+b
+c
```

Comment:

```diff
@@ -3,1 +4,2 @@
-a
+b
+c
```

Why c?

## b.png

Rejected:

The whole change of the file (Binary file).

Keep the old one

## d.rs

Comment on lines that have changed since:

```diff
@@ -3,1 +4,2 @@
-a
+b
+c
```

late
";
        assert_eq!(message(&remarks), expected);
    }

    #[test]
    fn review_message_fence_is_longer_than_any_inside() {
        let hunk = HunkText { new: "````\n".into(), ..remark("a", true, None).hunk };
        let text = message(&[Remark { hunk, ..remark("a", true, None) }]);
        assert!(text.contains("\n`````diff\n") && text.ends_with("\n`````\n"), "{text}");
    }

    #[test]
    fn review_message_long_hunks_are_cut() {
        let hunk = HunkText { new: "x\n".repeat(1000), ..remark("a", true, None).hunk };
        let text = message(&[Remark { hunk, ..remark("a", true, None) }]);
        assert!(text.contains("+[800 more lines]") && text.lines().count() < 230, "{text}");
    }
}
