//! Edits of files that a server wants, decoded and checked against a text. An edit is taken as a whole or refused as a
//! whole. Pure; must not know who applies them.

use std::ops::Range;
use std::path::PathBuf;

use gen_lsp_types as types;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::lsp::document::DocumentText;
use crate::lsp::position::{self, Encoding, Position};
use crate::lsp::uri;

/// Why an edit is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// It is of another shape than the protocol promises.
    #[error("the edit cannot be read: {0}")]
    Shape(String),
    /// It contains an operation on files that is not known.
    #[error("the edit wants an unknown operation: {0}")]
    UnknownOperation(String),
    /// It is about something that is not a file of this machine.
    #[error("the edit is about {0}, which is not a file")]
    NotAFile(String),
    /// It contains a snippet, which is not offered to servers here.
    #[error("the edit contains a snippet")]
    Snippet,
    /// The text has changed since the server knew it.
    #[error("the text has changed")]
    Changed,
    /// Two of its parts replace the same text.
    #[error("edits overlap in line {0}")]
    Overlap(u32),
    /// A part begins behind the end of the text.
    #[error("an edit is behind the end of the text, in line {0}")]
    BehindEnd(u32),
    /// A part begins or ends within a character.
    #[error("an edit begins or ends within a character of line {0}")]
    WithinCharacter(u32),
    /// A part ends before it begins.
    #[error("an edit ends before it begins, in line {0}")]
    Reversed(u32),
}

/// New text for a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// What is replaced.
    pub range: position::Range,
    /// The new text. May contain control characters and any line endings.
    pub text: String,
}

/// Edits of one file, all of them about the same text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEdits {
    /// The file.
    pub path: PathBuf,
    /// The version of the text, as the server counts, if it names one.
    pub version: Option<i64>,
    /// The edits.
    pub edits: Vec<TextEdit>,
}

/// One step of an edit of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditStep {
    /// Changes a text.
    Text(FileEdits),
    /// Creates an empty file.
    Create {
        /// Its path.
        path: PathBuf,
        /// Whether it replaces a file that exists.
        overwrite: bool,
        /// Whether nothing is done if it exists.
        ignore_existing: bool,
    },
    /// Renames a file or folder.
    Rename {
        /// The old path.
        from: PathBuf,
        /// The new path.
        to: PathBuf,
        /// Whether it replaces a file that exists.
        overwrite: bool,
        /// Whether nothing is done if the new path exists.
        ignore_existing: bool,
    },
    /// Deletes a file or folder.
    Delete {
        /// Its path.
        path: PathBuf,
        /// Whether a folder may have content.
        recursive: bool,
        /// Whether nothing is done if it does not exist.
        ignore_missing: bool,
    },
}

/// An edit of any number of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceEdit {
    /// Its steps, in order.
    pub steps: Vec<EditStep>,
}

/// Decodes an edit of files; `None` for null. `documentChanges` counts where both forms are given.
///
/// # Errors
///
/// Anything that is not understood, so that no part of an edit is applied without the others.
pub fn decode(answer: Value) -> Result<Option<WorkspaceEdit>, EditError> {
    let mut fields = match answer {
        Value::Null => return Ok(None),
        Value::Object(fields) => fields,
        other => return Err(EditError::Shape(format!("it is {}", kind_of(&other)))),
    };
    let steps = match (fields.remove("documentChanges"), fields.remove("changes")) {
        (Some(Value::Array(steps)), _) => steps.into_iter().map(step).collect::<Result<_, _>>()?,
        (None | Some(Value::Null), Some(Value::Object(files))) => {
            let mut steps = Vec::new();
            for (address, edits) in files {
                let edits = text_edits(edits)?;
                steps.push(EditStep::Text(FileEdits { path: path(&address)?, version: None, edits }));
            }
            steps
        }
        (None | Some(Value::Null), None | Some(Value::Null)) => Vec::new(),
        (Some(other), _) | (None, Some(other)) => {
            return Err(EditError::Shape(format!("its changes are {}", kind_of(&other))));
        }
    };
    Ok(Some(WorkspaceEdit { steps }))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Decodes a step of `documentChanges`.
fn step(item: Value) -> Result<EditStep, EditError> {
    match item.get("kind") {
        None => {
            // The edits are decoded one by one: the untagged union of the library would take a snippet for a text.
            let identifier: types::OptionalVersionedTextDocumentIdentifier = read(with_version(&item))?;
            let edits = text_edits(item.get("edits").cloned().unwrap_or_default())?;
            Ok(EditStep::Text(FileEdits {
                path: path(identifier.text_document_identifier.uri.as_ref())?,
                version: identifier.version.map(i64::from),
                edits,
            }))
        }
        Some(kind) if kind == "create" => {
            let create: types::CreateFile = read(item)?;
            let options = create.options.unwrap_or_default();
            Ok(EditStep::Create {
                path: path(create.uri.as_ref())?,
                overwrite: options.overwrite.unwrap_or_default(),
                ignore_existing: options.ignore_if_exists.unwrap_or_default(),
            })
        }
        Some(kind) if kind == "rename" => {
            let rename: types::RenameFile = read(item)?;
            let options = rename.options.unwrap_or_default();
            Ok(EditStep::Rename {
                from: path(rename.old_uri.as_ref())?,
                to: path(rename.new_uri.as_ref())?,
                overwrite: options.overwrite.unwrap_or_default(),
                ignore_existing: options.ignore_if_exists.unwrap_or_default(),
            })
        }
        Some(kind) if kind == "delete" => {
            let delete: types::DeleteFile = read(item)?;
            let options = delete.options.unwrap_or_default();
            Ok(EditStep::Delete {
                path: path(delete.uri.as_ref())?,
                recursive: options.recursive.unwrap_or_default(),
                ignore_missing: options.ignore_if_not_exists.unwrap_or_default(),
            })
        }
        Some(Value::String(kind)) => Err(EditError::UnknownOperation(kind.clone())),
        Some(other) => Err(EditError::UnknownOperation(other.to_string())),
    }
}

/// Returns the identifier of a document; a missing version is none.
fn with_version(item: &Value) -> Value {
    let mut identifier = item.get("textDocument").cloned().unwrap_or_default();
    if let Value::Object(fields) = &mut identifier {
        fields.entry("version").or_insert(Value::Null);
    }
    identifier
}

fn read<T: DeserializeOwned>(value: Value) -> Result<T, EditError> {
    serde_json::from_value(value).map_err(|error| EditError::Shape(error.to_string()))
}

fn path(address: &str) -> Result<PathBuf, EditError> {
    uri::to_path(address).ok_or_else(|| EditError::NotAFile(address.to_string()))
}

/// Decodes edits of one text; none for null.
///
/// # Errors
///
/// An edit that is not understood.
pub fn text_edits(list: Value) -> Result<Vec<TextEdit>, EditError> {
    let list = match list {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        other => return Err(EditError::Shape(format!("its edits are {}", kind_of(&other)))),
    };
    let one = |item: Value| {
        if item.get("snippet").is_some() {
            return Err(EditError::Snippet);
        }
        let edit: types::TextEdit = read(item)?;
        Ok(TextEdit { range: edit.range.into(), text: edit.new_text })
    };
    list.into_iter().map(one).collect()
}

/// Returns what edits replace in a text, in bytes and in order, each with its new text. Edits that insert at the same
/// position keep their order. A column behind the end of its line is that end, as the protocol says; an edit may end
/// behind the end of the text, as those of formatters do.
///
/// # Errors
///
/// Edits that overlap or are not about this text.
pub fn checked<'a>(
    edits: &'a [TextEdit],
    text: &dyn DocumentText,
    encoding: Encoding,
) -> Result<Vec<(Range<usize>, &'a str)>, EditError> {
    let last_line = text.position(usize::MAX, encoding).line;
    let mut found = Vec::with_capacity(edits.len());
    for edit in edits {
        let position::Range { start, end } = edit.range;
        if end < start {
            return Err(EditError::Reversed(start.line.saturating_add(1)));
        }
        let is_next_line = start.line == last_line.saturating_add(1) && start.character == 0;
        if start.line > last_line && !is_next_line {
            return Err(EditError::BehindEnd(start.line.saturating_add(1)));
        }
        let start = offset(text, start, encoding)?;
        found.push((start..offset(text, end, encoding)?.max(start), edit.text.as_str()));
    }
    found.sort_by_key(|(range, _)| (range.start, range.end));
    for pair in found.windows(2) {
        if pair[1].0.start < pair[0].0.end {
            return Err(EditError::Overlap(text.position(pair[1].0.start, encoding).line + 1));
        }
    }
    Ok(found)
}

/// Returns the offset of a position that is between two characters.
fn offset(text: &dyn DocumentText, position: Position, encoding: Encoding) -> Result<usize, EditError> {
    let offset = text.offset(position, encoding);
    let found = text.position(offset, encoding);
    if found.line == position.line && found.character < position.character {
        let line_end = text.offset(Position::new(position.line, u32::MAX), encoding);
        if offset < line_end {
            return Err(EditError::WithinCharacter(position.line.saturating_add(1)));
        }
    }
    Ok(offset)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::json::json;
    use crate::lsp::document::PlainText;

    fn range(from: (u32, u32), to: (u32, u32)) -> Value {
        json!({ "start": { "line": from.0, "character": from.1 }, "end": { "line": to.0, "character": to.1 } })
    }

    fn edit(from: (u32, u32), to: (u32, u32), text: &str) -> TextEdit {
        let range = position::Range { start: Position::new(from.0, from.1), end: Position::new(to.0, to.1) };
        TextEdit { range, text: text.to_string() }
    }

    fn apply(text: &str, edits: &[TextEdit]) -> Result<String, EditError> {
        let found = checked(edits, &PlainText::new(text.to_string()), Encoding::Utf16)?;
        let mut after = text.to_string();
        for (range, new) in found.into_iter().rev() {
            after.replace_range(range, new);
        }
        Ok(after)
    }

    #[test]
    fn edits_document_changes_count_where_both_forms_are_given() {
        let one = json!([{ "range": range((0, 0), (0, 1)), "newText": "x" }]);
        let document = json!({ "textDocument": { "uri": "file:///a", "version": 3 }, "edits": one });
        let both = json!({ "changes": { "file:///b": one }, "documentChanges": [document] });
        let steps = decode(both).unwrap().unwrap().steps;
        let expected =
            FileEdits { path: "/a".into(), version: Some(3), edits: vec![edit((0, 0), (0, 1), "x")] };
        assert_eq!(steps, [EditStep::Text(expected)]);
        let steps =
            decode(json!({ "changes": { "file:///b": one }, "documentChanges": null })).unwrap().unwrap();
        assert!(matches!(&steps.steps[..], [EditStep::Text(FileEdits { version: None, .. })]));
        assert_eq!(decode(Value::Null).unwrap(), None);
        assert_eq!(decode(json!({})).unwrap(), Some(WorkspaceEdit::default()));
    }

    #[test]
    fn edits_operations_are_read_with_their_options() {
        let steps = json!([
            { "kind": "create", "uri": "file:///a", "options": { "ignoreIfExists": true } },
            { "kind": "rename", "oldUri": "file:///a", "newUri": "file:///b", "options": { "overwrite": true } },
            { "kind": "delete", "uri": "file:///c", "options": { "recursive": true } },
        ]);
        let steps = decode(json!({ "documentChanges": steps })).unwrap().unwrap().steps;
        assert_eq!(
            steps,
            [
                EditStep::Create { path: "/a".into(), overwrite: false, ignore_existing: true },
                EditStep::Rename {
                    from: "/a".into(),
                    to: "/b".into(),
                    overwrite: true,
                    ignore_existing: false
                },
                EditStep::Delete { path: "/c".into(), recursive: true, ignore_missing: false },
            ]
        );
    }

    #[test]
    fn edits_with_one_odd_part_are_refused_as_a_whole() {
        let good = json!({ "range": range((0, 0), (0, 1)), "newText": "x" });
        let document = |edits: Value| json!([{ "textDocument": { "uri": "file:///a" }, "edits": edits }]);
        let snippet =
            json!({ "range": range((0, 0), (0, 1)), "snippet": { "kind": "snippet", "value": "$1" } });
        for (changes, expected) in [
            (
                json!([{ "kind": "link", "uri": "file:///a" }]),
                Some(EditError::UnknownOperation("link".into())),
            ),
            (
                json!([{ "kind": "create", "uri": "untitled:1" }]),
                Some(EditError::NotAFile("untitled:1".into())),
            ),
            (document(json!([good, snippet])), Some(EditError::Snippet)),
            (document(json!([good, { "newText": "y" }])), None),
            (document(json!(5)), None),
            (json!([{ "edits": [good] }]), None),
            (json!([7]), None),
            (json!("x"), None),
        ] {
            let error = decode(json!({ "documentChanges": changes })).unwrap_err();
            match expected {
                Some(expected) => assert_eq!(error, expected),
                None => assert!(matches!(error, EditError::Shape(_)), "{error}"),
            }
        }
        assert!(matches!(decode(json!([])), Err(EditError::Shape(_))));
    }

    #[test]
    fn edits_are_checked_against_the_text() {
        let text = "a🐚b\r\nlast";
        assert_eq!(
            apply(text, &[edit((0, 99), (0, 99), "x")]).unwrap(),
            "a🐚bx\r\nlast",
            "the end of its line"
        );
        assert_eq!(apply(text, &[edit((0, 0), (99, 0), "x")]).unwrap(), "x", "the end of the text");
        assert_eq!(apply(text, &[edit((2, 0), (2, 0), "x")]).unwrap(), "a🐚b\r\nlastx");
        for (edits, expected) in [
            (vec![edit((0, 2), (0, 3), "x")], EditError::WithinCharacter(1)),
            (vec![edit((0, 0), (0, 2), "x")], EditError::WithinCharacter(1)),
            (vec![edit((3, 0), (3, 0), "x")], EditError::BehindEnd(4)),
            (vec![edit((2, 1), (2, 1), "x")], EditError::BehindEnd(3)),
            (vec![edit((1, 2), (1, 1), "x")], EditError::Reversed(2)),
            (vec![edit((1, 2), (1, 4), "x"), edit((0, 0), (1, 3), "y")], EditError::Overlap(2)),
            (vec![edit((1, 0), (1, 1), "x"), edit((1, 0), (1, 1), "x")], EditError::Overlap(2)),
        ] {
            assert_eq!(apply(text, &edits), Err(expected));
        }
    }

    #[test]
    fn edits_at_one_position_keep_their_order() {
        let edits = [edit((0, 1), (0, 2), "X"), edit((0, 1), (0, 1), "1"), edit((0, 1), (0, 1), "2")];
        assert_eq!(apply("abc", &edits).unwrap(), "a12Xc");
    }

    /// Edits of a text that do not overlap, from cuts in it, and what they make of it.
    fn edits_of(text: &str, cuts: &[usize], news: &[String]) -> (Vec<TextEdit>, String) {
        let plain = PlainText::new(text.to_string());
        // No position of the protocol is within the two characters of a line's end.
        let is_place = |at: &usize| text.is_char_boundary(*at) && !text[..*at].ends_with('\r');
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (text.len() + 1)).filter(is_place).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut edits = Vec::new();
        let mut after = text.to_string();
        for (pair, new) in cuts.chunks(2).zip(news).rev() {
            let (start, end) = (pair[0], pair[pair.len() - 1]);
            edits.push(TextEdit { range: plain.range(start..end, Encoding::Utf16), text: new.clone() });
            after.replace_range(start..end, new);
        }
        (edits, after)
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn edits_in_any_order_equal_the_model(
            text in "[aé漢🐚\r\n]{0,24}",
            cuts in prop::collection::vec(0_usize..100, 0..12),
            news in prop::collection::vec("[xé🐚\n]{0,3}", 6),
            turn in 0_usize..12,
            is_reversed in any::<bool>(),
        ) {
            // A lone carriage return ends a line to the protocol, not to texts here.
            let text = text.replace('\r', "\r\n");
            let (mut edits, expected) = edits_of(&text, &cuts, &news);
            if !edits.is_empty() {
                let turn = turn % edits.len();
                edits.rotate_left(turn);
            }
            if is_reversed {
                edits.reverse();
            }
            prop_assert_eq!(apply(&text, &edits), Ok(expected));
        }

        #[test]
        fn edits_of_any_numbers_are_applied_or_refused(
            text in "[aé🐚\r\n]{0,8}",
            numbers in prop::collection::vec((0_u32..6, 0_u32..6, 0_u32..6, 0_u32..6), 0..4),
        ) {
            let edits: Vec<_> = numbers.iter().map(|(a, b, c, d)| edit((*a, *b), (*c, *d), "x")).collect();
            // It must not panic; what is applied is on boundaries of characters, or it would.
            drop(apply(&text, &edits));
        }
    }
}
