//! Code lenses: commands that belong to ranges of a text, such as "Run test". Pure.

use serde::Deserialize;
use serde_json::Value;

use crate::lsp::answers::code_actions::ServerAction;
use crate::lsp::answers::list::as_list;
use crate::lsp::position::Range;

/// Maximum number of lenses of an answer.
const LENSES_MAX: usize = 10_000;

/// A lens.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeLens {
    /// What it is about.
    pub range: Range,
    /// Its command, whose title is shown; `None` until the server was asked to complete it.
    pub command: Option<ServerAction>,
    /// As sent, for the question that completes it.
    pub sent: Value,
}

/// Decodes the answer, by position.
pub fn decode(answer: Value) -> Vec<CodeLens> {
    let mut found: Vec<_> = as_list(answer).into_iter().take(LENSES_MAX).filter_map(one).collect();
    found.sort_by_key(|lens| lens.range.start);
    found
}

/// Decodes a lens; `None`, which is logged, if it is of another shape than the protocol promises.
pub fn one(item: Value) -> Option<CodeLens> {
    #[derive(Deserialize)]
    struct Fields {
        range: Range,
        command: Option<ServerAction>,
    }
    let decoded = Fields::deserialize(&item);
    let decoded = decoded.map(|Fields { range, command }| CodeLens { range, command, sent: item });
    decoded.inspect_err(|error| tracing::debug!(%error, "a code lens is skipped")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;

    #[test]
    fn code_lenses_come_by_position_and_odd_ones_cost_themselves() {
        let at = |line: u32| json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 1 } });
        let found = decode(json!([
            { "range": at(4), "data": { "n": 1 } },
            { "range": at(1), "command": { "title": "Run", "command": "run", "arguments": [1] } },
            { "range": 5 },
            { "range": at(2), "command": { "title": "no command" } },
        ]));
        let titles: Vec<_> =
            found.iter().map(|lens| lens.command.as_ref().map(|command| command.title.as_str())).collect();
        assert_eq!(titles, [Some("Run"), None]);
        assert_eq!(found[1].sent["data"]["n"], 1);
        assert_eq!(decode(Value::Null), []);
    }
}
