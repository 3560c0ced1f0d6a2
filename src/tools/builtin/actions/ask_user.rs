//! Asks the user.
//!
//! Must not know who answers.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};

use crate::base::json::json;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::interaction::questions::{Answer, Choice, Question};
use crate::tools::interaction::user_questions;

/// The action.
#[derive(Debug)]
pub struct AskUser {
    /// The form of the questions in a call.
    pub form: QuestionForm,
}

/// The form of the questions in a call.
#[derive(Debug, Clone, Copy)]
pub enum QuestionForm {
    /// One question, in the arguments themselves.
    One,
    /// The elements of `questions`.
    Several {
        /// Whether each has an `id` for its answer.
        ids: bool,
    },
}

impl AskUser {
    fn questions(&self, args: &Value) -> Vec<Question> {
        match self.form {
            QuestionForm::One => vec![Question {
                text: user_questions::field(args, "question"),
                options: user_questions::choices(args.get("options")),
                multiple: args::flag(args, "multiple"),
                ..Question::default()
            }],
            QuestionForm::Several { .. } => user_questions::rows(args).iter().map(question).collect(),
        }
    }

    async fn ask(&self, call: &Invocation) -> Result<Outcome, String> {
        let ids = match self.form {
            QuestionForm::Several { ids: true } => Some(ids(&call.args)?),
            QuestionForm::Several { ids: false } | QuestionForm::One => None,
        };
        let questions = self.questions(&call.args);
        let answers = user_questions::ask(call, questions.clone()).await?;
        let outcome = user_questions::report(&questions, &answers);
        Ok(match ids {
            Some(ids) => Outcome { details: outcome.details, ..Outcome::text(by_id(ids, &answers)) },
            None => outcome,
        })
    }
}

/// Parses one question. Fields that a family's schema lacks are empty.
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
        multiple: args::flag(row, "multiSelect"),
        placeholder: user_questions::field(row, "placeholder"),
    }
}

/// Returns the ids of the questions; fails on duplicates.
fn ids(args: &Value) -> Result<Vec<String>, String> {
    let ids: Vec<String> =
        user_questions::rows(args).iter().map(|row| user_questions::field(row, "id")).collect();
    match ids.iter().enumerate().find(|(n, id)| ids[..*n].contains(id)) {
        Some((_, id)) => Err(format!("Two questions have the id {id:?}. Ask again with one for each.")),
        None => Ok(ids),
    }
}

/// Returns the answers by the model's ids, as codex does.
fn by_id(ids: Vec<String>, answers: &[Answer]) -> String {
    let by_id: Map<String, Value> =
        ids.into_iter().zip(answers).map(|(id, answer)| (id, json!({"answers": answer}))).collect();
    json!({"answers": by_id}).to_string()
}

impl Action for AskUser {
    fn kind(&self) -> Kind {
        Kind::AskUser
    }

    fn sequential(&self) -> bool {
        true
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { self.ask(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let questions = self.questions(args);
        let texts: Vec<&str> = questions.iter().map(|question| question.text.as_str()).collect();
        CallView {
            title: texts.first().copied().unwrap_or_default().to_string(),
            body: (texts.len() > 1).then(|| texts.join("\n")),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        ResultView::Text(user_questions::text_from_details(details).unwrap_or_else(|| text.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::llm::model::message::join_text;
    use crate::tools::builtin::builtin_tool::BuiltinTool;
    use crate::tools::builtin::families::openai;
    use crate::tools::interaction::questions;
    use crate::tools::{AgentToolState, Tool};

    fn request_user_input() -> &'static BuiltinTool {
        openai::SET.get("request_user_input").unwrap()
    }

    /// Answers each question with its heading and a second word, but the one without a choice.
    struct Someone;

    impl questions::Questions for Someone {
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
        let mut shared = AgentToolState::new(folder.path().to_path_buf());
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
        request_user_input().run(call).await
    }

    #[tokio::test]
    async fn ask_user_answers_are_keyed_by_id() {
        let outcome = ask(&[("data_base", "none"), ("colour", "Red")]).await;
        let text = join_text(&outcome.content);
        let wanted = json!({"answers": {
            "data_base": {"answers": []},
            "colour": {"answers": ["Red", "more"]},
        }});
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), wanted);
        let view = request_user_input().result_view(&text, outcome.details.as_ref());
        let words = "Which data_base?\n(no answer)\n\nWhich colour?\nRed, more";
        assert_eq!(view, ResultView::Text(words.to_string()));
        assert_eq!(request_user_input().result_view("x", None), ResultView::Text("x".to_string()));
    }

    #[tokio::test]
    async fn ask_user_duplicate_id_is_error() {
        let outcome = ask(&[("a", "x"), ("b", "x"), ("a", "y")]).await;
        assert!(outcome.is_error && join_text(&outcome.content).contains("the id \"a\""));
    }
}
