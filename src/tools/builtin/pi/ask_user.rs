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
use crate::tools::interaction::questions::Question;
use crate::tools::interaction::user_questions;

/// The tool.
#[derive(Debug)]
pub struct AskUser;

impl Tool for AskUser {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "ask_user".to_string(),
            description:
                "Ask the user and wait for the answer. Only for what you cannot find out and what changes \
                          what you do; the user may choose an option or answer in other words."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "question": {"type": "string", "description": "The question"},
                    "options": {"type": "array", "items": {"type": "string"}, "description": "Answers to choose from"},
                    "multiple": {"type": "boolean", "description": "Several may be chosen"},
                },
                "required": ["question"],
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

    fn by_default(&self) -> bool {
        false
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

/// The one question of a call.
fn questions(args: &Value) -> Vec<Question> {
    vec![Question {
        text: user_questions::field(args, "question"),
        options: user_questions::choices(args.get("options")),
        several: args.get("multiple").and_then(Value::as_bool).unwrap_or(false),
        ..Question::default()
    }]
}
