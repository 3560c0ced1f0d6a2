//! What a server says about a position, as Markdown.

use gen_lsp_types as types;
use serde_json::Value;

use crate::base::code_fence::code_fence;
use crate::lsp::position::Range;

/// Maximum bytes that are shown.
const TEXT_MAX: usize = 64 << 10;

/// An explanation of what is at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hover {
    /// Markdown. May contain control characters.
    pub markdown: String,
    /// What it is about, if the server says so.
    pub range: Option<Range>,
}

/// Decodes the answer; `None` if there is nothing to say.
///
/// # Errors
///
/// An answer of another shape.
pub fn decode(answer: Value) -> Result<Option<Hover>, serde_json::Error> {
    let Some(hover) = serde_json::from_value::<Option<types::Hover>>(answer)? else { return Ok(None) };
    let mut markdown = match hover.contents {
        types::Contents::MarkupContent(content) if content.kind == types::MarkupKind::PlainText => {
            fenced("", &content.value)
        }
        types::Contents::MarkupContent(content) => content.value,
        types::Contents::MarkedString(one) => marked(one),
        types::Contents::MarkedStringList(list) => list
            .into_iter()
            .map(marked)
            .filter(|part| !part.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n\n"),
    };
    markdown.truncate(markdown.floor_char_boundary(TEXT_MAX));
    let range = hover.range.map(Range::from);
    Ok((!markdown.trim().is_empty()).then_some(Hover { markdown, range }))
}

/// Returns the documentation of something as Markdown.
pub fn documentation(documentation: types::Documentation) -> String {
    let mut markdown = match documentation {
        types::Documentation::MarkupContent(content) if content.kind == types::MarkupKind::Markdown => {
            content.value
        }
        types::Documentation::MarkupContent(types::MarkupContent { value, .. })
        | types::Documentation::String(value) => {
            if value.trim().is_empty() {
                String::new()
            } else {
                fenced("", &value)
            }
        }
    };
    markdown.truncate(markdown.floor_char_boundary(TEXT_MAX));
    markdown
}

#[expect(deprecated, reason = "servers still send it")]
fn marked(part: types::MarkedString) -> String {
    match part {
        types::MarkedString::String(text) => text,
        types::MarkedString::MarkedStringWithLanguage(code) => fenced(&code.language, &code.value),
    }
}

/// Returns a block of code.
fn fenced(language: &str, text: &str) -> String {
    let fence = code_fence(text);
    format!("{fence}{language}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn shown(contents: &Value) -> Option<String> {
        decode(json!({ "contents": contents })).unwrap().map(|hover| hover.markdown)
    }

    #[test]
    fn hover_is_read_in_all_three_forms() {
        assert_eq!(shown(&json!({ "kind": "markdown", "value": "**a**" })).unwrap(), "**a**");
        let code = json!({ "language": "rust", "value": "fn a()" });
        assert_eq!(shown(&code).unwrap(), "```rust\nfn a()\n```");
        assert_eq!(shown(&json!([code, "", "text"])).unwrap(), "```rust\nfn a()\n```\n\ntext");
    }

    #[test]
    fn hover_plain_text_keeps_its_signs() {
        assert_eq!(shown(&json!({ "kind": "plaintext", "value": "*a* `b`" })).unwrap(), "```\n*a* `b`\n```");
    }

    #[test]
    fn hover_without_text_is_none() {
        assert_eq!(decode(Value::Null).unwrap(), None);
        for nothing in [json!([]), json!(" "), json!({ "kind": "markdown", "value": "\n" })] {
            assert_eq!(shown(&nothing), None);
        }
        assert!(decode(json!({ "contents": 5 })).is_err());
    }
}
