//! Links in a text to files and pages. Pure: nothing is opened.

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::list::{as_list, items};
use crate::lsp::position::Range;

/// Maximum number of links of an answer.
const LINKS_MAX: usize = 10_000;
/// Maximum bytes of an address.
const TARGET_MAX: usize = 8 << 10;

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentLink {
    /// Its text.
    pub range: Range,
    /// Its address; `None` until the server was asked to complete it. May contain control characters.
    pub target: Option<String>,
    /// As sent, for that question.
    pub sent: Value,
}

#[derive(Deserialize)]
#[serde(try_from = "Value")]
struct WithSent(DocumentLink);

impl TryFrom<Value> for WithSent {
    type Error = serde_json::Error;

    fn try_from(sent: Value) -> Result<Self, Self::Error> {
        #[derive(Deserialize)]
        struct Fields {
            range: Range,
            target: Option<String>,
        }
        let Fields { range, target } = Fields::deserialize(&sent)?;
        let target = target.filter(|target| target.len() <= TARGET_MAX);
        Ok(Self(DocumentLink { range, target, sent }))
    }
}

/// Decodes the answer.
pub fn decode(answer: Value) -> Vec<DocumentLink> {
    let list = as_list(answer).into_iter().take(LINKS_MAX).collect();
    items::<WithSent>(list, "link").into_iter().map(|WithSent(link)| link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn document_links_without_an_address_are_kept_to_be_completed() {
        let range = json!({ "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 3 } });
        let long = "x".repeat(TARGET_MAX + 1);
        let found = decode(json!([{ "range": range, "target": "file:///a" }, { "range": range, "data": 7 },
            { "range": range, "target": long }, { "target": "file:///b" }, 5]));
        let targets: Vec<_> = found.iter().map(|link| link.target.as_deref()).collect();
        assert_eq!(targets, [Some("file:///a"), None, None]);
        assert_eq!(found[1].sent["data"], 7);
    }
}
