//! The signatures of the call that is typed. Pure.

use std::ops::Range;

use gen_lsp_types as types;
use serde_json::Value;

use crate::lsp::answers::hover;

/// Maximum number of signatures of an answer.
const SIGNATURES_MAX: usize = 200;

/// The signatures that may be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatures {
    /// At least one.
    pub all: Vec<Signature>,
    /// Index of the one that the server takes to be meant.
    pub active: usize,
}

/// One of them. Texts may contain control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The signature on one line.
    pub label: String,
    /// Bytes of the label with the parameter that is typed.
    pub parameter: Option<Range<usize>>,
    /// What is said about that parameter, as Markdown; may be empty.
    pub parameter_documentation: String,
    /// What is said about all, as Markdown; may be empty.
    pub documentation: String,
}

/// Decodes the answer; `None` if no call is typed.
///
/// # Errors
///
/// An answer of another shape.
pub fn decode(answer: Value) -> Result<Option<Signatures>, serde_json::Error> {
    let Some(help) = serde_json::from_value::<Option<types::SignatureHelp>>(answer)? else { return Ok(None) };
    let common = index(help.active_parameter);
    let signatures = help.signatures.into_iter().take(SIGNATURES_MAX);
    let all: Vec<Signature> = signatures.map(|signature| one(signature, common)).collect();
    // The protocol says so for an index beyond the end.
    let active = help.active_signature.map_or(0, |active| active as usize);
    let active = if active < all.len() { active } else { 0 };
    Ok((!all.is_empty()).then_some(Signatures { all, active }))
}

fn index(active: Option<types::ActiveParameter>) -> Option<usize> {
    match active {
        Some(types::ActiveParameter::Int(index)) => Some(index as usize),
        Some(types::ActiveParameter::Null) => None,
        None => Some(0),
    }
}

fn one(signature: types::SignatureInformation, common: Option<usize>) -> Signature {
    let own = signature.active_parameter.is_some();
    let active = if own { index(signature.active_parameter) } else { common };
    let mut parameters = signature.parameters.unwrap_or_default();
    let active = active.filter(|active| *active < parameters.len());
    let mut result = Signature {
        parameter: active.and_then(|active| place(&signature.label, &parameters, active)),
        parameter_documentation: String::new(),
        documentation: signature.documentation.map(hover::documentation).unwrap_or_default(),
        label: signature.label,
    };
    if let Some(active) = active {
        let documentation = parameters.swap_remove(active).documentation;
        result.parameter_documentation = documentation.map(hover::documentation).unwrap_or_default();
    }
    result
}

/// Returns where a parameter is in a label, in bytes.
fn place(label: &str, parameters: &[types::ParameterInformation], active: usize) -> Option<Range<usize>> {
    // Behind the parameters before it: `a: int, b: int` has two that may be named alike.
    let mut from = 0;
    for parameter in &parameters[..active] {
        if let types::ParameterInformationLabel::String(text) = &parameter.label {
            from = label[from..].find(text.as_str()).map_or(from, |at| from + at + text.len());
        }
    }
    match &parameters[active].label {
        types::ParameterInformationLabel::String(text) => {
            let start = label[from..].find(text.as_str())? + from;
            (!text.is_empty()).then_some(start..start + text.len())
        }
        types::ParameterInformationLabel::Tuple((start, end)) => {
            let (start, end) = (byte_at(label, *start)?, byte_at(label, *end)?);
            (start < end).then_some(start..end)
        }
    }
}

/// Returns the byte of an offset in units of UTF-16, which the protocol has here whatever was agreed on.
fn byte_at(label: &str, units: u32) -> Option<usize> {
    let mut seen = 0;
    for (at, letter) in label.char_indices() {
        if seen == units {
            return Some(at);
        }
        seen += letter.len_utf16() as u32;
    }
    (seen == units).then_some(label.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn marked(answer: Value) -> Vec<Option<String>> {
        let found = decode(answer).unwrap().unwrap();
        found.all.iter().map(|one| Some(one.label[one.parameter.clone()?].to_string())).collect()
    }

    #[test]
    fn signature_parameter_is_found_by_text_and_by_offsets() {
        let by_text =
            json!({ "label": "f(a: a, a: b)", "parameters": [{ "label": "a: a" }, { "label": "a: b" }] });
        let by_place =
            json!({ "label": "f(🐚, é)", "parameters": [{ "label": [2, 4] }, { "label": [6, 7] }] });
        let both = json!({ "signatures": [by_text, by_place], "activeParameter": 1 });
        assert_eq!(marked(both), [Some("a: b".into()), Some("é".into())]);
        let first = json!({ "signatures": [by_place] });
        assert_eq!(marked(first), [Some("🐚".into())], "the first one if nothing is said");
        let none = json!({ "signatures": [by_place], "activeParameter": null });
        assert_eq!(marked(none), [None]);
    }

    #[test]
    fn signature_own_parameter_counts_more_and_offsets_beyond_the_end_are_none() {
        let own = json!({ "label": "f(a, b)", "activeParameter": 0,
            "parameters": [{ "label": "a", "documentation": "first" }, { "label": "b" }] });
        let odd = json!({ "label": "f(a)", "parameters": [{ "label": [9, 12] }] });
        let answer = json!({ "signatures": [own, odd], "activeParameter": 1, "activeSignature": 7 });
        assert_eq!(marked(answer.clone()), [Some("a".into()), None]);
        let found = decode(answer).unwrap().unwrap();
        assert_eq!((found.active, found.all[0].parameter_documentation.as_str()), (0, "```\nfirst\n```"));
    }

    #[test]
    fn signature_without_signatures_is_none() {
        assert_eq!(decode(Value::Null).unwrap(), None);
        assert_eq!(decode(json!({ "signatures": [] })).unwrap(), None);
        assert!(decode(json!({ "signatures": 5 })).is_err());
    }
}
