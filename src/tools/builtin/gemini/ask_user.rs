//! `ask_user`: asks the user.
//!
//! Must not know who answers.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::interaction::questions::{Choice, Question};
use crate::tools::interaction::user_questions;

/// The tool.
#[derive(Debug)]
pub struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "ask_user".to_string(),
            description:
                "Ask the user one to four questions and wait for the answers. Only for what you cannot \
                          find out yourself and what changes what you do."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "questions": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 4,
                        "items": {
                            "type": "object",
                            "properties": {
                                "question": {"type": "string", "description": "The question"},
                                "header": {"type": "string", "description": "Heading of at most 16 characters"},
                                "type": {"type": "string", "enum": ["choice", "text", "yesno"], "description": "What answers it"},
                                "options": {"type": "array", "items": {"type": "object", "properties": {"label": {"type": "string", "description": "A few words"}, "description": {"type": "string", "description": "What it means"}}, "required": ["label", "description"]}, "minItems": 2, "maxItems": 4},
                                "multiSelect": {"type": "boolean", "description": "Several may be chosen"},
                                "placeholder": {"type": "string", "description": "Shown where nothing is typed yet"},
                            },
                            "required": ["question", "header", "type"],
                        },
                    },
                },
                "required": ["questions"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::AskUser
    }

    fn snippet(&self) -> &'static str {
        "Ask the user"
    }

    fn sequential(&self) -> bool {
        true
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let questions = questions(&call.args);
            match user_questions::ask(&call, questions.clone()).await {
                Ok(answers) => user_questions::told(&questions, &answers),
                Err(why) => Outcome::error(why),
            }
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let questions = questions(args);
        let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
        CallView {
            title: texts.first().copied().unwrap_or_default().to_string(),
            body: (texts.len() > 1).then(|| texts.join("\n")),
        }
    }
}

fn questions(args: &Value) -> Vec<Question> {
    user_questions::rows(args).iter().map(question).collect()
}

fn question(row: &Value) -> Question {
    let plain = |label: &str| Choice { label: label.to_string(), description: String::new() };
    let options = match row.get("type").and_then(Value::as_str) {
        Some("yesno") => vec![plain("Yes"), plain("No")],
        Some("text") => Vec::new(),
        _ => user_questions::choices(row.get("options")),
    };
    Question {
        header: user_questions::field(row, "header"),
        text: user_questions::field(row, "question"),
        options,
        several: row.get("multiSelect").and_then(Value::as_bool).unwrap_or(false),
        placeholder: user_questions::field(row, "placeholder"),
    }
}
