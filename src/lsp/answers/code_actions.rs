//! Code actions: quick fixes, refactorings and their like, as a list to choose from. Pure.

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::list::as_list;

/// Maximum number of actions of an answer.
const ACTIONS_MAX: usize = 1_000;

/// A command that the server runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ServerAction {
    /// Its title. May contain control characters.
    #[serde(default)]
    pub title: String,
    /// Its id.
    pub command: String,
    /// Its arguments: a list, or null.
    #[serde(default)]
    pub arguments: Value,
}

/// An action to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeAction {
    /// Its title. May contain control characters.
    pub title: String,
    /// Its kind, such as `quickfix`.
    pub kind: Option<String>,
    /// Whether it is the one that fixes the problem.
    pub is_preferred: bool,
    /// Why it cannot be chosen, if so. May contain control characters.
    pub disabled: Option<String>,
    /// What it changes, as sent: it is decoded when it is chosen.
    pub edit: Option<Value>,
    /// What the server does afterwards.
    pub command: Option<ServerAction>,
    /// As sent, for the question that completes it; `None` for a mere command.
    pub sent: Option<Value>,
}

/// The fields that are read. An unknown one costs nothing.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Fields {
    title: String,
    kind: Option<String>,
    is_preferred: Option<bool>,
    disabled: Option<Disabled>,
    edit: Option<Value>,
    command: Option<ServerAction>,
}

#[derive(Deserialize)]
struct Disabled {
    #[serde(default)]
    reason: String,
}

/// Decodes the answer: actions and commands. Preferred ones come first, those that cannot be chosen last.
pub fn decode(answer: Value) -> Vec<CodeAction> {
    let mut found: Vec<CodeAction> = as_list(answer).into_iter().take(ACTIONS_MAX).filter_map(one).collect();
    found.sort_by_key(|action| (action.disabled.is_some(), !action.is_preferred));
    found
}

/// Decodes an action; `None`, which is logged, if it is of another shape than the protocol promises.
pub fn one(item: Value) -> Option<CodeAction> {
    // A command has its id where an action has an object.
    let decoded = if item["command"].is_string() {
        serde_json::from_value(item).map(|command: ServerAction| CodeAction {
            title: command.title.clone(),
            kind: None,
            is_preferred: false,
            disabled: None,
            edit: None,
            command: Some(command),
            sent: None,
        })
    } else {
        serde_json::from_value(item.clone()).map(|fields: Fields| CodeAction {
            title: fields.title,
            kind: fields.kind,
            is_preferred: fields.is_preferred.unwrap_or_default(),
            disabled: fields.disabled.map(|disabled| disabled.reason),
            edit: fields.edit,
            command: fields.command,
            sent: Some(item),
        })
    };
    decoded.inspect_err(|error| tracing::debug!(%error, "a code action is skipped")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn code_actions_preferred_first_and_disabled_last() {
        let command = json!({ "title": "c", "command": "c.run", "arguments": [1] });
        let found = decode(json!([
            { "title": "off", "disabled": { "reason": "no" }, "isPreferred": true },
            command,
            { "title": "fix", "kind": "quickfix", "isPreferred": true, "edit": {}, "data": 7 },
            { "title": "both", "command": command },
            { "kind": "no title" },
            5,
        ]));
        let titles: Vec<_> = found.iter().map(|action| action.title.as_str()).collect();
        assert_eq!(titles, ["fix", "c", "both", "off"]);
        assert_eq!(found[0].sent.as_ref().unwrap()["data"], 7);
        assert_eq!(found[1].command, found[2].command);
        assert_eq!((&found[1].sent, found[3].disabled.as_deref()), (&None, Some("no")));
        assert_eq!(decode(Value::Null), []);
    }
}
