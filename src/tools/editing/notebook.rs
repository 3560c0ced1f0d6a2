//! Changing one cell of a Jupyter notebook; everything else of it stays as it is.
//!
//! Must not know which tool asked.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::file::{self, Before, Target};
use crate::exec::Stamp;
use crate::patch::diff;
use crate::tools::changes;
use crate::tools::tool::{Invocation, Outcome};

/// What is to be done.
#[derive(Debug, Clone)]
pub struct Change {
    /// The id of the cell, or `cell-3` for the fourth.
    pub cell: Option<String>,
    /// Its new text.
    pub source: String,
    /// `code` or `markdown`.
    pub kind: Option<String>,
    /// `replace`, `insert` or `delete`.
    pub mode: String,
}

/// Changes a notebook.
pub async fn run(call: &Invocation, path: &str, change: &Change) -> Outcome {
    let target = Target { shown: path.to_string(), verb: "edit", read_first: true };
    let done = file::change(call, &target, |found| {
        let Before::Text(before) = &found.before else {
            return Err(format!("Cannot edit {path}: there is no notebook of UTF-8 text."));
        };
        let (after, which) = changed(before, change).map_err(|why| format!("Cannot edit {path}: {why}."))?;
        let diff = diff::lines(before, &after);
        Ok((after.into_bytes(), (diff, which)))
    })
    .await;
    match done {
        Ok((diff, which)) => {
            let what = match change.mode.as_str() {
                "insert" => "Inserted",
                "delete" => "Deleted",
                _ => "Replaced",
            };
            Outcome::text(format!("{what} cell {which} of {path}.")).details(changes::details(&diff))
        }
        Err(why) => Outcome::error(why),
    }
}

/// A notebook with one cell changed, and that cell's name. Pure.
pub fn changed(before: &str, change: &Change) -> Result<(String, String), String> {
    let mut book: Value =
        serde_json::from_str(before).map_err(|error| format!("it is not a notebook: {error}"))?;
    // Ids came with version 4.5 of the format.
    let version = |name: &str| book.get(name).and_then(Value::as_u64).unwrap_or(0);
    let ids = (version("nbformat"), version("nbformat_minor")) >= (4, 5);
    let cells =
        book.get_mut("cells").and_then(Value::as_array_mut).ok_or("it is not a notebook with cells")?;
    let at = change.cell.as_deref().map(|cell| place(cells, cell)).transpose()?;
    let name = |cells: &[Value], at: usize| {
        let id = cells[at].get("id").and_then(Value::as_str);
        id.map_or_else(|| format!("cell-{at}"), String::from)
    };
    let needed = "give the cell_id of the cell";
    let cell = match change.mode.as_str() {
        "insert" => {
            let at = at.map_or(0, |at| at + 1);
            let kind = change.kind.as_deref().ok_or("give the cell_type of the new cell")?;
            let id = ids.then(|| new_id(cells, before, &change.source));
            cells.insert(at, new_cell(kind, &change.source, id));
            name(cells, at)
        }
        "delete" => {
            let at = at.ok_or(needed)?;
            let name = name(cells, at);
            cells.remove(at);
            name
        }
        _ => {
            let at = at.ok_or(needed)?;
            replace(&mut cells[at], change);
            name(cells, at)
        }
    };
    Ok((printed(&book, before)?, cell))
}

/// Which cell is meant.
fn place(cells: &[Value], cell: &str) -> Result<usize, String> {
    let by_id = cells.iter().position(|one| one.get("id").and_then(Value::as_str) == Some(cell));
    let by_number = || cell.strip_prefix("cell-").unwrap_or(cell).parse().ok().filter(|at| *at < cells.len());
    by_id.or_else(by_number).ok_or_else(|| format!("there is no cell {cell:?}; it has {} cells", cells.len()))
}

fn source(text: &str) -> Value {
    text.split_inclusive('\n').map(String::from).collect()
}

/// An id that no cell has. The same call on the same notebook gives the same one, so that what a person is
/// shown is what is written.
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
        // What it printed belongs to what it was.
        fields.insert("execution_count".to_string(), Value::Null);
        fields.insert("outputs".to_string(), json!([]));
    } else {
        fields.remove("execution_count");
        fields.remove("outputs");
    }
}

/// As notebooks are written: indented as this one is, and ending as it does.
fn printed(book: &Value, before: &str) -> Result<String, String> {
    let second = before.lines().nth(1).unwrap_or(" ");
    let indent = &second[..second.len() - second.trim_start_matches([' ', '\t']).len()];
    let mut bytes = Vec::new();
    let form = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, form);
    book.serialize(&mut writer).map_err(|error| error.to_string())?;
    let end = if before.ends_with('\n') { "\n" } else { "" };
    String::from_utf8(bytes).map(|text| text + end).map_err(|error| error.to_string())
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
        changed(BOOK, &change).map(|(text, cell)| (serde_json::from_str(&text).unwrap(), cell))
    }

    #[test]
    fn cells_are_replaced_inserted_and_deleted() {
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
    fn what_is_not_touched_keeps_its_bytes() {
        let same = Change { cell: Some("a1".into()), source: "y".into(), kind: None, mode: "replace".into() };
        let (after, _) = changed(BOOK, &same).unwrap();
        let expected = BOOK.replace("\"x\"", "\"y\"").replace(": 3", ": null").replace("[1]", "[]");
        assert_eq!(after, expected);
    }

    #[test]
    fn a_new_cell_has_an_id_that_no_other_has() {
        let insert =
            Change { cell: None, source: "x".into(), kind: Some("code".into()), mode: "insert".into() };
        let (after, id) = changed(BOOK, &insert).unwrap();
        assert_eq!(changed(BOOK, &insert).unwrap(), (after, id.clone()), "the same again");
        assert_eq!(id.len(), 8);
        // A notebook in which the id is taken: what it is made of is the same, and it is another one.
        let cells = [json!({"id": id})];
        let other = new_id(&cells, BOOK, "x");
        assert_ne!(other, id);
        assert_eq!(new_id(&[], BOOK, "x"), id);
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        assert!(change(Some("nope"), "", None, "replace").unwrap_err().contains("no cell \"nope\""));
        assert!(change(None, "", None, "delete").unwrap_err().contains("cell_id"));
        assert!(change(None, "", None, "insert").unwrap_err().contains("cell_type"));
        let any = Change { cell: None, source: String::new(), kind: None, mode: "replace".into() };
        assert!(changed("[]", &any).unwrap_err().contains("not a notebook"));
        assert!(changed("{", &any).unwrap_err().contains("not a notebook"));
    }
}
