//! Completions that a server offers. Pure.

use gen_lsp_types as types;
use serde_json::Value;

use crate::lsp::answers::hover;
use crate::lsp::answers::label::cut;
use crate::lsp::answers::list::items;
use crate::lsp::position::Range;

/// Maximum number of completions of an answer.
pub const ITEMS_MAX: usize = 20_000;

/// One completion. Texts may contain control characters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Item {
    /// What is shown.
    pub label: String,
    /// What follows the label at once, such as the parameters of a function.
    pub suffix: String,
    /// Where it is from: a type, a module.
    pub origin: String,
    /// Its kind, such as `function`; empty if the server does not say.
    pub kind: &'static str,
    /// By what the server orders.
    pub sort: String,
    /// What is compared with the word that is typed.
    pub filter: String,
    /// Whether the server would select it first.
    pub is_preselected: bool,
    /// Whether it should not be used any more.
    pub is_deprecated: bool,
    /// What is inserted.
    pub text: String,
    /// Whether that is a snippet.
    pub is_snippet: bool,
    /// What it replaces; `None`: the word before the caret.
    pub replaced: Option<Replaced>,
    /// What changes elsewhere in the text, such as imports.
    pub further: Vec<(Range, String)>,
    /// Characters that accept it and are typed behind it.
    pub commit: Vec<char>,
    /// Its type or signature, as code.
    pub detail: String,
    /// Markdown.
    pub documentation: String,
    /// The item as the server sent it, to ask for the rest.
    pub raw: Value,
}

/// What a completion replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replaced {
    /// Up to the caret.
    pub insert: Range,
    /// With the rest of the word behind the caret.
    pub replace: Range,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completions {
    /// The completions, in the server's order.
    pub items: Vec<Item>,
    /// Whether there are others when more is typed.
    pub is_incomplete: bool,
}

/// Decodes the answer: a list, or a list with defaults for its items.
pub fn decode(mut answer: Value) -> Completions {
    let (list, defaults) = match answer.take() {
        Value::Array(list) => (list, Defaults::default()),
        Value::Object(mut answer) => {
            let defaults = answer.remove("itemDefaults").unwrap_or_default();
            let is_incomplete = answer.get("isIncomplete") == Some(&Value::Bool(true));
            let list = match answer.remove("items") {
                Some(Value::Array(list)) => list,
                _ => Vec::new(),
            };
            (list, Defaults { is_incomplete, ..Defaults::new(defaults) })
        }
        _ => return Completions::default(),
    };
    let is_cut = list.len() > ITEMS_MAX;
    let list = list.into_iter().take(ITEMS_MAX).map(|item| defaults.apply(item)).collect::<Vec<_>>();
    let decoded = items::<WithRaw>(list, "completion").into_iter().map(WithRaw::item);
    Completions { items: decoded.collect(), is_incomplete: defaults.is_incomplete || is_cut }
}

/// Adds to a completion what the server says when it is asked for the rest of it.
pub fn resolve(item: &mut Item, answer: Value) {
    let Ok(rest) = serde_json::from_value::<WithRaw>(answer).map(WithRaw::item) else {
        tracing::debug!("language server: the rest of a completion is invalid");
        return;
    };
    let fill = |known: &mut String, new: String| {
        if !new.is_empty() {
            *known = new;
        }
    };
    fill(&mut item.detail, rest.detail);
    fill(&mut item.documentation, rest.documentation);
    if item.further.is_empty() {
        item.further = rest.further;
    }
}

/// What holds for all items that do not say it themselves: `CompletionList.itemDefaults`.
#[derive(Default)]
struct Defaults {
    is_incomplete: bool,
    values: Value,
}

impl Defaults {
    fn new(values: Value) -> Self {
        Self { is_incomplete: false, values }
    }

    fn apply(&self, mut item: Value) -> Value {
        let Some(fields) = item.as_object_mut().filter(|_| self.values.is_object()) else { return item };
        for name in ["commitCharacters", "insertTextFormat", "insertTextMode", "data"] {
            if let Some(value) = self.values.get(name).filter(|_| !fields.contains_key(name)) {
                fields.insert(name.to_string(), value.clone());
            }
        }
        let Some(range) = self.values.get("editRange").filter(|_| !fields.contains_key("textEdit")) else {
            return item;
        };
        let text = fields.get("textEditText").or_else(|| fields.get("label")).cloned().unwrap_or_default();
        let mut edit = if range.get("insert").is_some() {
            range.clone()
        } else {
            serde_json::Map::from_iter([("range".to_string(), range.clone())]).into()
        };
        if let Some(edit) = edit.as_object_mut() {
            edit.insert("newText".to_string(), text);
        }
        fields.insert("textEdit".to_string(), edit);
        item
    }
}

/// A completion with the value that it was read from.
#[derive(serde::Deserialize)]
#[serde(try_from = "Value")]
struct WithRaw(types::CompletionItem, Value);

impl TryFrom<Value> for WithRaw {
    type Error = serde_json::Error;

    fn try_from(raw: Value) -> Result<Self, Self::Error> {
        Ok(Self(<types::CompletionItem as serde::Deserialize>::deserialize(&raw)?, raw))
    }
}

impl WithRaw {
    fn item(self) -> Item {
        let Self(item, raw) = self;
        let is_deprecated = is_deprecated(&item);
        let details = item.label_details.unwrap_or_default();
        let (text, replaced) = match item.text_edit {
            Some(types::CompletionItemTextEdit::TextEdit(edit)) => {
                let range = edit.range.into();
                (edit.new_text, Some(Replaced { insert: range, replace: range }))
            }
            Some(types::CompletionItemTextEdit::InsertReplaceEdit(edit)) => {
                let (insert, replace) = (edit.insert.into(), edit.replace.into());
                (edit.new_text, Some(Replaced { insert, replace }))
            }
            None => (item.insert_text.unwrap_or_else(|| item.label.clone()), None),
        };
        let further = item.additional_text_edits.unwrap_or_default().into_iter();
        let commit = item.commit_characters.unwrap_or_default();
        Item {
            sort: item.sort_text.unwrap_or_else(|| item.label.clone()),
            filter: item.filter_text.unwrap_or_else(|| item.label.clone()),
            label: cut(item.label),
            suffix: cut(details.detail.unwrap_or_default()),
            origin: cut(details.description.unwrap_or_default()),
            kind: item.kind.map_or("", kind),
            is_preselected: item.preselect == Some(true),
            is_deprecated,
            text,
            is_snippet: item.insert_text_format == Some(types::InsertTextFormat::Snippet),
            replaced,
            further: further.map(|edit| (edit.range.into(), edit.new_text)).collect(),
            commit: commit.iter().filter_map(|text| text.chars().next()).collect(),
            detail: cut(item.detail.unwrap_or_default()),
            documentation: item.documentation.map(hover::documentation).unwrap_or_default(),
            raw,
        }
    }
}

#[expect(deprecated, reason = "servers still send it")]
fn is_deprecated(item: &types::CompletionItem) -> bool {
    let tags = item.tags.iter().flatten();
    item.deprecated == Some(true) || tags.into_iter().any(|tag| *tag == types::CompletionItemTag::Deprecated)
}

/// Returns the name of a kind.
fn kind(kind: types::CompletionItemKind) -> &'static str {
    use types::CompletionItemKind as Kind;
    match kind {
        Kind::Text => "text",
        Kind::Method => "method",
        Kind::Function => "function",
        Kind::Constructor => "constructor",
        Kind::Field => "field",
        Kind::Variable => "variable",
        Kind::Class => "class",
        Kind::Interface => "interface",
        Kind::Module => "module",
        Kind::Property => "property",
        Kind::Unit => "unit",
        Kind::Value => "value",
        Kind::Enum => "enum",
        Kind::Keyword => "keyword",
        Kind::Snippet => "snippet",
        Kind::Color => "color",
        Kind::File => "file",
        Kind::Reference => "reference",
        Kind::Folder => "folder",
        Kind::EnumMember => "enum member",
        Kind::Constant => "constant",
        Kind::Struct => "struct",
        Kind::Event => "event",
        Kind::Operator => "operator",
        Kind::TypeParameter => "type parameter",
        Kind::Custom(_) => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    fn range(from: u32, to: u32) -> Value {
        json!({ "start": { "line": 0, "character": from }, "end": { "line": 0, "character": to } })
    }

    #[test]
    fn completions_are_read_in_both_forms() {
        let one = json!({ "label": "abc" });
        let plain = decode(json!([one]));
        assert_eq!((plain.items.len(), plain.is_incomplete), (1, false));
        let item = &plain.items[0];
        assert_eq!((item.text.as_str(), item.filter.as_str(), item.sort.as_str()), ("abc", "abc", "abc"));
        assert_eq!(item.replaced, None);
        let listed = decode(json!({ "isIncomplete": true, "items": [one] }));
        assert_eq!((listed.items.len(), listed.is_incomplete), (1, true));
        for nothing in [Value::Null, json!(5), json!({}), json!({ "items": "x" })] {
            assert_eq!(decode(nothing), Completions::default());
        }
    }

    #[test]
    fn completion_of_another_shape_costs_itself() {
        let found =
            decode(json!([{ "label": 5 }, { "label": "good" }, "x", { "label": "odd kind", "kind": 99 }]));
        let labels: Vec<_> = found.items.iter().map(|item| (item.label.as_str(), item.kind)).collect();
        assert_eq!(labels, [("good", ""), ("odd kind", "")]);
    }

    #[test]
    fn completion_edits_name_what_they_replace() {
        let found = decode(json!([
            { "label": "a", "textEdit": { "range": range(1, 2), "newText": "new" }, "insertText": "other",
              "additionalTextEdits": [{ "range": range(0, 0), "newText": "use a;" }] },
            { "label": "b", "textEdit": { "insert": range(1, 2), "replace": range(1, 4), "newText": "n" },
              "insertTextFormat": 2 },
        ]));
        let (first, second) = (&found.items[0], &found.items[1]);
        assert_eq!((first.text.as_str(), first.further[0].1.as_str()), ("new", "use a;"));
        let ends = |item: &Item| {
            item.replaced.map(|range| (range.insert.end.character, range.replace.end.character))
        };
        assert_eq!((ends(first), ends(second)), (Some((2, 2)), Some((2, 4))));
        assert!(second.is_snippet && !first.is_snippet);
    }

    #[test]
    fn completion_defaults_hold_for_items_without_their_own() {
        let defaults = json!({ "commitCharacters": ["."], "editRange": range(3, 5), "insertTextFormat": 2,
            "data": { "n": 1 } });
        let found = decode(json!({ "itemDefaults": defaults, "items": [
            { "label": "a", "textEditText": "a()" },
            { "label": "b", "commitCharacters": [], "data": 7, "insertTextFormat": 1,
              "textEdit": { "range": range(0, 1), "newText": "c" } },
        ] }));
        let (first, second) = (&found.items[0], &found.items[1]);
        assert_eq!(
            (first.text.as_str(), first.is_snippet, first.commit.as_slice()),
            ("a()", true, &['.'][..])
        );
        assert_eq!(first.raw["data"]["n"], 1);
        assert_eq!(first.replaced.unwrap().replace.start.character, 3);
        assert_eq!((second.text.as_str(), second.is_snippet, second.commit.len()), ("c", false, 0));
        assert_eq!(second.raw["data"], 7);
        let defaults = json!({ "editRange": { "insert": range(1, 2), "replace": range(1, 3) } });
        let found = decode(json!({ "itemDefaults": defaults, "items": [{ "label": "a" }] }));
        assert_eq!(found.items[0].replaced.unwrap().replace.end.character, 3);
    }

    #[test]
    fn completion_resolved_gets_what_it_lacked() {
        let mut item = decode(json!([{ "label": "a", "detail": "fn a()" }])).items.remove(0);
        let markdown = json!({ "kind": "markdown", "value": "**text**" });
        let edits = json!([{ "range": range(0, 0), "newText": "x" }]);
        resolve(&mut item, json!({ "label": "a", "documentation": markdown, "additionalTextEdits": edits }));
        let known = (item.detail.as_str(), item.documentation.as_str(), item.further.len());
        assert_eq!(known, ("fn a()", "**text**", 1));
        resolve(&mut item, json!(3));
        assert_eq!(item.documentation, "**text**");
    }

    #[test]
    fn completion_says_when_it_is_out_of_use() {
        let found = decode(
            json!([{ "label": "a", "tags": [1] }, { "label": "b", "deprecated": true }, { "label": "c" }]),
        );
        let old: Vec<_> = found.items.iter().map(|item| item.is_deprecated).collect();
        assert_eq!(old, [true, true, false]);
    }
}
