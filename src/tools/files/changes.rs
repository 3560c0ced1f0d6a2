//! A file change as details of a result, and its conversion to a view.
//!
//! Must not know how files are changed. `diff` is a text for the user: a sign, a line number, the line; `...`
//! between hunks.

use serde_json::Value;

use crate::base::json::json;

use crate::patch::diff::LineDiff;
use crate::tools::contract::view::{DiffLine, FileDiff, ResultView};

/// Returns the details of a result that changed a file.
pub fn details(diff: &LineDiff) -> Value {
    let width = diff.rows.iter().flatten().map(|row| row.number).max().unwrap_or(1).to_string().len();
    let mut text = String::new();
    for row in &diff.rows {
        match row {
            Some(row) => {
                let number = format!("{:>width$} ", row.number);
                text.push(row.sign);
                text.extend([&number, &row.text, "\n"]);
            }
            None => text.push_str("...\n"),
        }
    }
    json!({
        "diff": text.trim_end_matches('\n'),
        "firstChangedLine": diff.first_changed,
        "added": diff.added,
        "removed": diff.removed,
    })
}

/// A file that a call has changed, one of several.
pub struct ChangedFile {
    /// What was done and the path, such as `M src/a.rs`.
    pub title: String,
    /// The path of the content, present or former, as the model writes it.
    pub path: String,
    /// Between the contents before and after.
    pub diff: LineDiff,
}

impl ChangedFile {
    /// Returns the line for the model.
    pub fn line(&self) -> String {
        format!("{} (+{} -{})", self.title, self.diff.added, self.diff.removed)
    }

    /// Returns the details of the file, in the form of an edit.
    pub fn details(&self) -> Value {
        let mut details = details(&self.diff);
        details["title"] = json!(self.title);
        details["path"] = json!(self.path);
        details
    }
}

/// Returns the details of a result that changed several files.
pub fn files_details(files: &[ChangedFile]) -> Value {
    json!({ "files": files.iter().map(ChangedFile::details).collect::<Vec<_>>() })
}

/// Returns the view of such details; `None` for others.
pub fn files_view(details: Option<&Value>) -> Option<ResultView> {
    let files = details?.get("files")?.as_array()?;
    let one = |details: &Value| {
        let Some(ResultView::Diff { added, removed, lines }) = view(Some(details)) else { return None };
        let title = details.get("title")?.as_str()?.to_string();
        Some(FileDiff { title, added, removed, lines })
    };
    Some(ResultView::Diffs(files.iter().filter_map(one).collect()))
}

/// Returns the view of the details of one file; `None` for others.
pub fn view(details: Option<&Value>) -> Option<ResultView> {
    let details = details?;
    let count = |name: &str| details.get(name).and_then(Value::as_u64).map(|n| n as usize);
    let text = details.get("diff")?.as_str()?;
    let lines = text.lines().map(parse).collect::<Vec<_>>();
    let signs = |sign: char| lines.iter().flatten().filter(|line| line.sign == sign).count();
    Some(ResultView::Diff {
        added: count("added").unwrap_or_else(|| signs('+')),
        removed: count("removed").unwrap_or_else(|| signs('-')),
        lines,
    })
}

/// Returns the view of a tool result that may have changed a file; its text if it did not.
pub fn view_or(text: &str, changed: Option<&Value>) -> ResultView {
    view(changed).unwrap_or_else(|| ResultView::Text(text.to_string()))
}

/// Parses one row; anything else separates hunks.
fn parse(row: &str) -> Option<DiffLine> {
    let sign = row.chars().next().filter(|sign| matches!(sign, '+' | '-' | ' '))?;
    let rest = row[1..].trim_start_matches(' ');
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let text = rest[digits..].strip_prefix(' ').unwrap_or(&rest[digits..]);
    Some(DiffLine { sign, number, text: text.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patch::diff;

    #[test]
    fn diff_details_roundtrip_to_view() {
        let old: String =
            (1..=30).flat_map(|n| ["  line ".to_string(), n.to_string(), "\n".to_string()]).collect();
        let new = old.replace("line 3\n", "line three\n").replace("  line 25\n", "");
        let diff = diff::lines(&old, &new);
        let details = details(&diff);
        let Some(ResultView::Diff { added, removed, lines }) = view(Some(&details)) else {
            panic!("no view")
        };
        assert_eq!((added, removed, details["firstChangedLine"].as_u64()), (1, 2, Some(3)));
        let rows: Vec<_> = diff
            .rows
            .iter()
            .map(|row| {
                row.as_ref().map(|row| DiffLine {
                    sign: row.sign,
                    number: row.number,
                    text: row.text.clone(),
                })
            })
            .collect();
        assert_eq!(lines, rows);
        assert_eq!(view(Some(&json!({"other": 1}))), None);
    }
}
