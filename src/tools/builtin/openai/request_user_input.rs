//! `request_user_input`: asks the person.
//!
//! Must not know who answers.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::llm::model::ToolSpec;
use crate::tools::act::Kind;
use crate::tools::asking;
use crate::tools::questions::Question;
use crate::tools::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::view::CallView;

/// The tool.
#[derive(Debug)]
pub struct RequestUserInput;

impl Tool for RequestUserInput {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "request_user_input".to_string(),
            description:
                "Ask the user one to three short questions and wait for the answers. Only for what you \
                          cannot find out yourself. The user can always answer in other words."
                    .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "questions": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 3,
                        "items": {
                            "type": "object",
                            "properties": {
                                "id": {"type": "string", "description": "Name of the answer, in snake_case"},
                                "header": {"type": "string", "description": "Heading of at most 12 characters"},
                                "question": {"type": "string", "description": "The question, one sentence"},
                                "options": {"type": "array", "items": {"type": "object", "properties": {"label": {"type": "string", "description": "A few words"}, "description": {"type": "string", "description": "What it means"}}, "required": ["label", "description"]}, "minItems": 2, "maxItems": 3},
                            },
                            "required": ["id", "header", "question", "options"],
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
            match asking::ask(&call, questions.clone()).await {
                Ok(answers) => asking::told(&questions, &answers),
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
    let question = |row: &Value| Question {
        header: asking::field(row, "header"),
        text: asking::field(row, "question"),
        options: asking::choices(row.get("options")),
        ..Question::default()
    };
    asking::rows(args).iter().map(question).collect()
}
