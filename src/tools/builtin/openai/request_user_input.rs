//! `request_user_input`: asks the user.
//!
//! Must not know who answers.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::interaction::questions::{Answer, Question};
use crate::tools::interaction::user_questions;

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
            let ids = ids(&call.args);
            if let Some(id) = ids.iter().enumerate().find_map(|(n, id)| ids[..n].contains(id).then_some(id)) {
                return Outcome::error(format!(
                    "Two questions have the id {id:?}. Ask again with one for each."
                ));
            }
            let questions = questions(&call.args);
            match user_questions::ask(&call, questions.clone()).await {
                Ok(answers) => told(&ids, &questions, &answers),
                Err(why) => Outcome::error(why),
            }
        }
        .boxed()
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        ResultView::Text(user_questions::words(details).unwrap_or_else(|| text.to_string()))
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

/// The answers under the names that the model gave them, as codex has them.
fn told(ids: &[String], questions: &[Question], answers: &[Answer]) -> Outcome {
    let by_id: Map<String, Value> =
        ids.iter().zip(answers).map(|(id, answer)| (id.clone(), json!({"answers": answer}))).collect();
    let words = user_questions::told(questions, answers);
    Outcome { details: words.details, ..Outcome::text(json!({"answers": by_id}).to_string()) }
}

fn ids(args: &Value) -> Vec<String> {
    user_questions::rows(args).iter().map(|row| user_questions::field(row, "id")).collect()
}

fn questions(args: &Value) -> Vec<Question> {
    let question = |row: &Value| Question {
        header: user_questions::field(row, "header"),
        text: user_questions::field(row, "question"),
        options: user_questions::choices(row.get("options")),
        ..Question::default()
    };
    user_questions::rows(args).iter().map(question).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::llm::model::message::join_text;
    use crate::tools::Shared;
    use crate::tools::interaction::questions::Questions;

    /// Answers each question with its heading and a second word, but the one without a choice.
    struct Someone;

    impl Questions for Someone {
        fn ask(&self, _call_id: &str, questions: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>> {
            let answer = |question: &Question| match question.header.as_str() {
                "none" => Vec::new(),
                header => vec![header.to_string(), "more".to_string()],
            };
            let answers = questions.iter().map(answer).collect();
            Box::pin(async move { Some(answers) })
        }
    }

    async fn ask(rows: &[(&str, &str)]) -> Outcome {
        let folder = tempfile::tempdir().unwrap();
        let mut shared = Shared::new(folder.path().to_path_buf());
        shared.questions = Some(Arc::new(Someone));
        let question = |(id, header): &(&str, &str)| {
            let options =
                [json!({"label": "A", "description": "a"}), json!({"label": "B", "description": "b"})];
            json!({"id": id, "header": header, "question": format!("Which {id}?"), "options": options})
        };
        let call = Invocation {
            folder: None,
            call_id: "c".into(),
            args: json!({"questions": rows.iter().map(question).collect::<Vec<_>>()}),
            env: Arc::new(LocalEnvironment::new(folder.path().to_path_buf(), [])),
            cancel: tokio_util::sync::CancellationToken::new(),
            progress: Arc::new(|_| {}),
            shared: Arc::new(shared),
        };
        RequestUserInput.run(call).await
    }

    #[tokio::test]
    async fn answers_come_under_their_ids() {
        let outcome = ask(&[("data_base", "none"), ("colour", "Red")]).await;
        let text = join_text(&outcome.content);
        let wanted = json!({"answers": {
            "data_base": {"answers": []},
            "colour": {"answers": ["Red", "more"]},
        }});
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), wanted);
        let view = RequestUserInput.result_view(&text, outcome.details.as_ref());
        let words = "Which data_base?\n(no answer)\n\nWhich colour?\nRed, more";
        assert_eq!(view, ResultView::Text(words.to_string()));
        assert_eq!(RequestUserInput.result_view("x", None), ResultView::Text("x".to_string()));
    }

    #[tokio::test]
    async fn one_name_is_for_one_answer() {
        let outcome = ask(&[("a", "x"), ("b", "x"), ("a", "y")]).await;
        assert!(outcome.is_error && join_text(&outcome.content).contains("the id \"a\""));
    }
}
