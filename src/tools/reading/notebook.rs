//! Converts a Jupyter notebook to text: its cells with their output.
//!
//! Must not know files. Images in the output are only mentioned.

use serde_json::Value;

/// Maximum characters of a cell's output.
const OUTPUT_MAX: usize = 10_000;

/// Returns the text; `None` when it is not a notebook.
pub fn text(bytes: &[u8]) -> Option<String> {
    let book: Value = serde_json::from_slice(bytes).ok()?;
    let cells = book.get("cells")?.as_array()?;
    let language = book.pointer("/metadata/language_info/name").and_then(Value::as_str).unwrap_or("code");
    let mut out = String::new();
    for (at, cell) in cells.iter().enumerate() {
        let kind = cell.get("cell_type").and_then(Value::as_str).unwrap_or("raw");
        let number = format!("cell-{at}");
        let id = cell.get("id").and_then(Value::as_str).unwrap_or(&number);
        let kind = if kind == "code" { language } else { kind };
        out.push_str(&format!("<cell id=\"{id}\" type=\"{kind}\">\n{}", joined(cell.get("source"))));
        end_line(&mut out);
        out.push_str("</cell>\n");
        let printed: String =
            cell.get("outputs").and_then(Value::as_array).into_iter().flatten().map(output).collect();
        if !printed.trim().is_empty() {
            let cut = printed.char_indices().nth(OUTPUT_MAX).map(|(at, _)| at);
            out.push_str(&format!("<output>\n{}", &printed[..cut.unwrap_or(printed.len())]));
            end_line(&mut out);
            if cut.is_some() {
                out.push_str("[The rest of the output is left out.]\n");
            }
            out.push_str("</output>\n");
        }
    }
    Some(out)
}

fn end_line(out: &mut String) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Returns a text, which notebooks store as a list of lines or as one string.
fn joined(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(lines)) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

fn output(output: &Value) -> String {
    let mut text = match output.get("output_type").and_then(Value::as_str) {
        Some("stream") => joined(output.get("text")),
        Some("error") => {
            let part = |name: &str| output.get(name).and_then(Value::as_str).unwrap_or_default();
            let trace = output.get("traceback").and_then(Value::as_array);
            let lines: Vec<&str> = trace.into_iter().flatten().filter_map(Value::as_str).collect();
            crate::tools::output::ansi::strip_ansi(&format!(
                "{}: {}\n{}",
                part("ename"),
                part("evalue"),
                lines.join("\n")
            ))
        }
        _ => {
            let data = output.get("data").and_then(Value::as_object);
            let mut text = joined(data.and_then(|data| data.get("text/plain")));
            for kind in
                data.into_iter().flat_map(serde_json::Map::keys).filter(|kind| kind.starts_with("image/"))
            {
                end_line(&mut text);
                text.push_str(&format!("[A picture: {kind}]"));
            }
            text
        }
    };
    end_line(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn notebook_cells_are_shown_with_outputs() {
        let book = json!({
            "metadata": {"language_info": {"name": "python"}},
            "cells": [
                {"cell_type": "markdown", "id": "m", "source": ["# Title\n", "text"]},
                {"cell_type": "code", "source": "print(1)", "outputs": [
                    {"output_type": "stream", "text": ["1\n"]},
                    {"output_type": "display_data", "data": {"text/plain": "<Figure>", "image/png": "…"}},
                    {"output_type": "error", "ename": "E", "evalue": "why", "traceback": ["\u{1b}[31mat\u{1b}[0m"]},
                ]},
            ],
        });
        assert_eq!(
            text(book.to_string().as_bytes()).unwrap(),
            "<cell id=\"m\" type=\"markdown\">\n# Title\ntext\n</cell>\n<cell id=\"cell-1\" type=\"python\">\nprint(1)\n\
             </cell>\n<output>\n1\n<Figure>\n[A picture: image/png]\nE: why\nat\n</output>\n"
        );
        let long = json!({"cells": [{"cell_type": "code", "outputs": [{"output_type": "stream", "text": "é".repeat(20_000)}]}]});
        let text_of_long = text(long.to_string().as_bytes()).unwrap();
        assert!(text_of_long.chars().count() < 10_200 && text_of_long.contains("left out"));
        assert_eq!((text(b"{}"), text(b"not json"), text(b"{\"cells\": 3}")), (None, None, None));
    }
}
