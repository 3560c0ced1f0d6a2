//! Edits one cell of a Jupyter notebook; the rest is unchanged.
//!
//! Must not know which tool requested it.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::file::{self, ChangeTarget, FileContent};
use crate::base::json::json;
use crate::exec::Stamp;
use crate::patch::diff;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::files::changes;

/// The edit.
#[derive(Debug, Clone)]
pub struct Change {
    /// The id of the cell, or `cell-3` for the fourth.
    pub cell: Option<String>,
    /// The new text.
    pub source: String,
    /// `code` or `markdown`.
    pub kind: Option<String>,
    /// `replace`, `insert` or `delete`.
    pub mode: String,
}

/// Changes a notebook.
pub async fn run(call: &Invocation, path: &str, change: &Change) -> Outcome {
    let target = ChangeTarget { shown: path.to_string(), verb: "edit", read_first: true };
    let done = file::change(call, &target, |found| {
        let FileContent::Text(before) = &found.before else {
            return Err(format!("Cannot edit {path}: there is no notebook of UTF-8 text."));
        };
        let (after, which) =
            change_cell(before, change).map_err(|error| format!("Cannot edit {path}: {error}."))?;
        let diff = diff::lines(before, &after);
        Ok((after.into_bytes(), (diff, which)))
    })
    .await;
    match done {
        Ok((diff, which)) => {
            let verb = match change.mode.as_str() {
                "insert" => "Inserted",
                "delete" => "Deleted",
                _ => "Replaced",
            };
            Outcome::text(format!("{verb} cell {which} of {path}.")).details(changes::details(&diff))
        }
        Err(error) => Outcome::error(error),
    }
}

/// The parts of a notebook that must be located in its text.
#[derive(Deserialize)]
struct RawNotebook<'a> {
    #[serde(borrow)]
    cells: &'a RawValue,
    #[serde(default)]
    nbformat: u64,
    #[serde(default)]
    nbformat_minor: u64,
}

/// Returns a notebook with one cell changed, and that cell's name. All bytes outside of the cell are
/// unchanged. Pure.
pub fn change_cell(before: &str, change: &Change) -> Result<(String, String), String> {
    let (mark, text) = before.strip_prefix('\u{feff}').map_or(("", before), |text| ("\u{feff}", text));
    let none = |error: serde_json::Error| format!("it is not a notebook: {error}");
    let book: RawNotebook = serde_json::from_str(text).map_err(none)?;
    let pieces: Vec<&RawValue> = serde_json::from_str(book.cells.get()).map_err(none)?;
    let values: Result<Vec<Value>, _> =
        pieces.iter().map(|piece| serde_json::from_str(piece.get())).collect();
    let values = values.map_err(none)?;
    // Format version 4.5 introduced ids.
    let ids = (book.nbformat, book.nbformat_minor) >= (4, 5);
    let at = change.cell.as_deref().map(|cell| cell_index(&values, cell)).transpose()?;
    let style = NotebookStyle::of(text);
    let list = offset_of(text, book.cells.get());
    let spans: Vec<Range<usize>> = pieces.iter().map(|piece| offset_of(text, piece.get())).collect();
    let name = |cell: &Value, at: usize| {
        cell.get("id").and_then(Value::as_str).map_or_else(|| format!("cell-{at}"), String::from)
    };
    let needed = "give the cell_id of the cell";
    let (span, new, cell) = match change.mode.as_str() {
        "insert" => {
            let kind = change.kind.as_deref().ok_or("give the cell_type of the new cell")?;
            let id = ids.then(|| new_id(&values, before, &change.source));
            let cell = new_cell(kind, &change.source, id);
            let (span, new) = style.insert_cell(text, &list, &spans, at, &cell)?;
            (span, new, name(&cell, at.map_or(0, |at| at + 1)))
        }
        "delete" => {
            let at = at.ok_or(needed)?;
            (removal_range(&list, &spans, at), String::new(), name(&values[at], at))
        }
        _ => {
            let at = at.ok_or(needed)?;
            let mut cell = values[at].clone();
            replace(&mut cell, change);
            let new = style.format_cell(&cell, text, spans[at].start)?;
            (spans[at].clone(), new, name(&cell, at))
        }
    };
    Ok((format!("{mark}{}{new}{}", &text[..span.start], &text[span.end..]), cell))
}

/// Returns the range of a substring in its text.
fn offset_of(text: &str, piece: &str) -> Range<usize> {
    let from = piece.as_ptr() as usize - text.as_ptr() as usize;
    from..from + piece.len()
}

/// Returns the range of a cell with an adjacent comma; the whole list for the only cell.
fn removal_range(list: &Range<usize>, spans: &[Range<usize>], at: usize) -> Range<usize> {
    match (at.checked_sub(1), spans.get(at + 1)) {
        (_, Some(next)) => spans[at].start..next.start,
        (Some(before), None) => spans[before].end..spans[at].end,
        (None, None) => list.start + 1..list.end - 1,
    }
}

/// The formatting of a notebook.
struct NotebookStyle<'a> {
    /// One level of indentation; empty if everything is on one line.
    indent: &'a str,
    /// The line ending.
    end: &'static str,
}

impl<'a> NotebookStyle<'a> {
    fn of(text: &'a str) -> Self {
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let indent = text.lines().nth(1).map_or("", indentation);
        Self { indent, end }
    }

    /// Returns a cell, formatted for its position in the text.
    fn format_cell(&self, cell: &Value, text: &str, from: usize) -> Result<String, String> {
        if self.indent.is_empty() {
            return serde_json::to_string(cell).map_err(|error| error.to_string());
        }
        let line = &text[text[..from].rfind('\n').map_or(0, |at| at + 1)..from];
        self.format_indented(cell, indentation(line))
    }

    /// A cell below an indentation.
    fn format_indented(&self, cell: &Value, below: &str) -> Result<String, String> {
        let mut bytes = Vec::new();
        let form = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, form);
        cell.serialize(&mut writer).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
        // JSON strings contain no raw line endings.
        Ok(text.replace('\n', &format!("{}{below}", self.end)))
    }

    /// Returns position and text of a new cell: after another one, or before all.
    fn insert_cell(
        &self,
        text: &str,
        list: &Range<usize>,
        spans: &[Range<usize>],
        after: Option<usize>,
        cell: &Value,
    ) -> Result<(Range<usize>, String), String> {
        let Some(model) = after.map_or(spans.first(), |at| spans.get(at)) else {
            let line = &text[text[..list.start].rfind('\n').map_or(0, |at| at + 1)..list.start];
            let (outer, end) = (indentation(line), self.end);
            let inner = format!("{outer}{}", self.indent);
            let new = match self.indent {
                "" => format!("[{}]", serde_json::to_string(cell).map_err(|error| error.to_string())?),
                _ => format!("[{end}{inner}{}{end}{outer}]", self.format_indented(cell, &inner)?),
            };
            return Ok((list.clone(), new));
        };
        let new = self.format_cell(cell, text, model.start)?;
        // The text between the bracket and the first cell also separates cells.
        let between = &text[list.start + 1..spans[0].start];
        Ok(match after {
            Some(_) => (model.end..model.end, format!(",{between}{new}")),
            None => (model.start..model.start, format!("{new},{between}")),
        })
    }
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns the index of the cell that is meant.
fn cell_index(cells: &[Value], cell: &str) -> Result<usize, String> {
    let by_id = cells.iter().position(|one| one.get("id").and_then(Value::as_str) == Some(cell));
    let by_number = || cell.strip_prefix("cell-").unwrap_or(cell).parse().ok().filter(|at| *at < cells.len());
    by_id.or_else(by_number).ok_or_else(|| format!("there is no cell {cell:?}; it has {} cells", cells.len()))
}

fn source(text: &str) -> Value {
    text.split_inclusive('\n').map(String::from).collect()
}

/// Returns an unused id. The same call on the same notebook yields the same one, so that the preview matches
/// what is written.
fn new_id(cells: &[Value], before: &str, text: &str) -> String {
    let mut id = Stamp::of(format!("{before}\0{text}").as_bytes()).0;
    loop {
        id = id.split_off(id.len() - 8);
        if !cells.iter().any(|cell| cell.get("id").and_then(Value::as_str) == Some(&id)) {
            return id;
        }
        id = Stamp::of(id.as_bytes()).0;
    }
}

fn new_cell(kind: &str, text: &str, id: Option<String>) -> Value {
    let mut cell = Map::new();
    cell.insert("cell_type".to_string(), json!(kind));
    if let Some(id) = id {
        cell.insert("id".to_string(), json!(id));
    }
    cell.insert("metadata".to_string(), json!({}));
    cell.insert("source".to_string(), source(text));
    if kind == "code" {
        cell.insert("execution_count".to_string(), Value::Null);
        cell.insert("outputs".to_string(), json!([]));
    }
    Value::Object(cell)
}

fn replace(cell: &mut Value, change: &Change) {
    let Some(fields) = cell.as_object_mut() else { return };
    fields.insert("source".to_string(), source(&change.source));
    if let Some(kind) = &change.kind {
        fields.insert("cell_type".to_string(), json!(kind));
    }
    if fields.get("cell_type").and_then(Value::as_str) == Some("code") {
        // Its output belongs to the old source.
        fields.insert("execution_count".to_string(), Value::Null);
        fields.insert("outputs".to_string(), json!([]));
    } else {
        fields.shift_remove("execution_count");
        fields.shift_remove("outputs");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"execution_count\": 3,\n   \
                        \"id\": \"a1\",\n   \"metadata\": {},\n   \"outputs\": [1],\n   \"source\": [\n    \"x\"\n   \
                        ]\n  }\n ],\n \"nbformat\": 4,\n \"nbformat_minor\": 5\n}\n";

    fn change(
        cell: Option<&str>,
        source: &str,
        kind: Option<&str>,
        mode: &str,
    ) -> Result<(Value, String), String> {
        let change = Change {
            cell: cell.map(String::from),
            source: source.into(),
            kind: kind.map(String::from),
            mode: mode.into(),
        };
        change_cell(BOOK, &change).map(|(text, cell)| (serde_json::from_str(&text).unwrap(), cell))
    }

    #[test]
    fn notebook_cells_are_replaced_inserted_and_deleted() {
        let (book, cell) = change(Some("a1"), "y\nz", None, "replace").unwrap();
        assert_eq!((cell.as_str(), &book["cells"][0]["source"]), ("a1", &json!(["y\n", "z"])));
        assert_eq!(
            (&book["cells"][0]["outputs"], &book["cells"][0]["execution_count"]),
            (&json!([]), &Value::Null)
        );
        let (book, _) = change(Some("cell-0"), "# t", Some("markdown"), "insert").unwrap();
        assert_eq!(
            (&book["cells"][1]["cell_type"], book["cells"][1]["id"].as_str().unwrap().len()),
            (&json!("markdown"), 8)
        );
        let (book, _) = change(None, "1", Some("code"), "insert").unwrap();
        assert_eq!(book["cells"][0]["source"], json!(["1"]));
        let (book, cell) = change(Some("a1"), "", None, "delete").unwrap();
        assert_eq!((cell.as_str(), &book["cells"]), ("a1", &json!([])));
    }

    #[test]
    fn notebook_edit_keeps_untouched_bytes() {
        let same = Change { cell: Some("a1".into()), source: "y".into(), kind: None, mode: "replace".into() };
        let (after, _) = change_cell(BOOK, &same).unwrap();
        let expected = BOOK.replace("\"x\"", "\"y\"").replace(": 3", ": null").replace("[1]", "[]");
        assert_eq!(after, expected);
    }

    #[test]
    fn notebook_edit_keeps_bom_crlf_and_odd_values() {
        let cell = |id: &str, more: &str| {
            format!(
                "  {{\n   \"cell_type\": \"code\",\n   \"id\": \"{id}\",\n   \"metadata\": {{}},\n   \
                 \"source\": [\n    \"{id}\"\n   ],\n   \"execution_count\": null,\n   \"outputs\": [{more}]\n  }}"
            )
        };
        let book = |cells: &[String]| {
            let cells = if cells.is_empty() { String::new() } else { format!("\n{}\n ", cells.join(",\n")) };
            let text = format!("{{\n \"cells\": [{cells}],\n \"nbformat\": 4,  \"nbformat_minor\": 4\n}}");
            format!("\u{feff}{}", text.replace('\n', "\r\n"))
        };
        // What a parser would write in another way.
        let odd = cell("odd", r#""\u00e9", 1.10, 123456789012345678901234567890"#);
        let both = book(&[cell("a", ""), odd.clone()]);
        let make = |book: &str, cell: Option<&str>, source: &str, mode: &str| {
            let kind = (mode == "insert").then(|| "code".to_string());
            let change =
                Change { cell: cell.map(String::from), source: source.into(), kind, mode: mode.into() };
            change_cell(book, &change).unwrap().0
        };
        assert_eq!(make(&both, Some("a"), "a", "replace"), both);
        assert_eq!(make(&both, Some("a"), "", "delete"), book(std::slice::from_ref(&odd)));
        assert_eq!(make(&both, Some("odd"), "", "delete"), book(&[cell("a", "")]));
        assert_eq!(make(&book(std::slice::from_ref(&odd)), Some("odd"), "", "delete"), book(&[]));
        let new =
            "  {\n   \"cell_type\": \"code\",\n   \"metadata\": {},\n   \"source\": [\n    \"n\"\n   ],\n   \
                   \"execution_count\": null,\n   \"outputs\": []\n  }"
                .to_string();
        assert_eq!(make(&both, None, "n", "insert"), book(&[new.clone(), cell("a", ""), odd.clone()]));
        assert_eq!(make(&both, Some("a"), "n", "insert"), book(&[cell("a", ""), new.clone(), odd.clone()]));
        assert_eq!(make(&both, Some("odd"), "n", "insert"), book(&[cell("a", ""), odd, new.clone()]));
        assert_eq!(make(&book(&[]), None, "n", "insert"), book(&[new]));
        let flat = r#"{"cells":[{"cell_type":"code","id":"x","source":[],"outputs":[ ]},{"cell_type":"raw"}],"nbformat":4}"#;
        let after = r#"{"cells":[{"cell_type":"code","id":"x","source":["y"],"outputs":[],"execution_count":null},{"cell_type":"raw"}],"nbformat":4}"#;
        assert_eq!(make(flat, Some("x"), "y", "replace"), after);
    }

    #[test]
    fn notebook_new_cell_id_is_unique_and_stable() {
        let insert =
            Change { cell: None, source: "x".into(), kind: Some("code".into()), mode: "insert".into() };
        let (after, id) = change_cell(BOOK, &insert).unwrap();
        assert_eq!(change_cell(BOOK, &insert).unwrap(), (after, id.clone()), "the same again");
        assert_eq!(id.len(), 8);
        // A notebook in which the id is taken: what it is made of is the same, and it is another one.
        let cells = [json!({"id": id})];
        let other = new_id(&cells, BOOK, "x");
        assert_ne!(other, id);
        assert_eq!(new_id(&[], BOOK, "x"), id);
    }

    #[test]
    fn notebook_edit_errors_are_explained() {
        assert!(change(Some("nope"), "", None, "replace").unwrap_err().contains("no cell \"nope\""));
        assert!(change(None, "", None, "delete").unwrap_err().contains("cell_id"));
        assert!(change(None, "", None, "insert").unwrap_err().contains("cell_type"));
        let any = Change { cell: None, source: String::new(), kind: None, mode: "replace".into() };
        assert!(change_cell("[]", &any).unwrap_err().contains("not a notebook"));
        assert!(change_cell("{", &any).unwrap_err().contains("not a notebook"));
    }
}
