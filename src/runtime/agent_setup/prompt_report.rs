//! Report of the system prompt for users and scripts: its parts and the available tools, with estimated
//! tokens. Pure.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use crate::base::json::json;

use crate::agent::prompt::{Part, tokens, tool_tokens};
use crate::llm::model::{Model, ToolSpec};

/// The system prompt as it is sent, with the available tools.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PromptReport {
    /// The profile's id.
    pub profile: &'static str,
    /// The model that receives it.
    pub model: Arc<Model>,
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// The documents in it: path and text.
    pub documents: Vec<(PathBuf, String)>,
    /// The available tools in order.
    pub tools: Vec<ToolSpec>,
}

impl PromptReport {
    /// Returns the estimated tokens of all of it.
    pub fn tokens(&self) -> usize {
        let parts = self.parts.iter().map(|part| tokens(&part.text)).sum::<usize>();
        parts + self.tools.iter().map(tool_tokens).sum::<usize>()
    }

    /// Returns a table of the contents, then the parts verbatim. Text from files is not sanitized: the caller
    /// must do that before display.
    pub fn text(&self) -> String {
        let Model { name, provider, id, .. } = &*self.model;
        let mut out = format!("System prompt for {name} ({provider}/{id}), profile {}\n", self.profile);
        out.push_str("Tokens, counted as four characters each:\n\n");
        let mut row = |count: usize, label: &str| {
            out.push_str(&format!("{count:>8}  {label}\n"));
        };
        for part in &self.parts {
            row(tokens(&part.text), part.name);
        }
        for tool in &self.tools {
            row(tool_tokens(tool), &format!("schema of {}", tool.name));
        }
        row(self.tokens(), "in all");
        for Part { name, text } in &self.parts {
            out.extend(["\n----- ", name, " -----\n", text, "\n"]);
        }
        out
    }

    /// Returns the report as JSON.
    pub fn json(&self) -> Value {
        let part = |part: &Part| json!({"name": part.name, "tokens": tokens(&part.text), "text": part.text});
        let tool = |spec: &ToolSpec| {
            json!({"name": spec.name, "tokens": tool_tokens(spec), "description": spec.description,
                "parameters": spec.parameters})
        };
        json!({
            "profile": self.profile,
            "provider": self.model.provider,
            "model": self.model.id,
            "tokens": self.tokens(),
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
            "tools": self.tools.iter().map(tool).collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_report_has_token_table_and_parts() {
        let model = Model { name: "Some Model".into(), ..Model::unknown("p", "m", "a", "") };
        let shown = PromptReport {
            profile: "pi",
            model: Arc::new(model),
            parts: vec![Part { name: "base", text: "Be good.".into() }],
            documents: Vec::new(),
            tools: vec![ToolSpec { name: "read".into(), description: "x".repeat(32), ..ToolSpec::default() }],
        };
        assert_eq!(
            shown.text(),
            "System prompt for Some Model (p/m), profile pi\nTokens, counted as four characters each:\n\n       \
             2  base\n      10  schema of read\n      12  in all\n\n----- base -----\nBe good.\n"
        );
        let json = shown.json();
        assert_eq!(
            (json["tokens"].as_u64(), json["parts"][0]["text"].as_str()),
            (Some(12), Some("Be good."))
        );
        assert_eq!((json["tools"][0]["tokens"].as_u64(), json["model"].as_str()), (Some(10), Some("m")));
    }
}
