//! Asks the user on behalf of a tool, in whichever form the family's questions are.
//!
//! Must not know any tool.

use serde_json::Value;

use crate::base::json::json;

use super::questions::{Answer, Choice, Question};
use crate::tools::contract::tool::{Invocation, Outcome};

/// Error when no user can answer.
const NO_USER: &str = "Nobody is there to answer. Decide by yourself what is most sensible, go on, and say in \
                      your last words what you have assumed.";
/// Error when the user declines.
const DECLINED: &str = "The user did not answer. Do not ask the same again; go on without, or end with what you \
                        need to know.";

/// Asks and returns the answers, or the error for the model.
pub async fn ask(call: &Invocation, questions: Vec<Question>) -> Result<Vec<Answer>, String> {
    if questions.iter().any(|question| question.text.trim().is_empty()) {
        return Err("A question is empty.".to_string());
    }
    let Some(port) = &call.shared.questions else { return Err(NO_USER.to_string()) };
    let answers = tokio::select! {
        biased;
        () = call.cancel.cancelled() => return Err("Interrupted before it was answered.".to_string()),
        answers = port.ask(&call.call_id, questions) => answers,
    };
    answers.ok_or_else(|| DECLINED.to_string())
}

/// Returns questions and answers as text in pairs, with the answers as details.
pub fn report(questions: &[Question], answers: &[Answer]) -> Outcome {
    let pairs = questions.iter().zip(answers);
    let rows = pairs.map(|(question, answer)| json!({"question": question.text, "answer": answer}));
    let details = json!({"answers": rows.collect::<Vec<_>>()});
    Outcome::text(text_from_details(Some(&details)).unwrap_or_default()).details(details)
}

/// Returns the same text from the details.
pub fn text_from_details(details: Option<&Value>) -> Option<String> {
    let pair = |row: &Value| {
        let answer: Vec<&str> = row["answer"].as_array()?.iter().filter_map(Value::as_str).collect();
        let answer = if answer.is_empty() { "(no answer)".to_string() } else { answer.join(", ") };
        Some(format!("{}\n{answer}", row["question"].as_str()?))
    };
    let pairs = details?.get("answers")?.as_array()?.iter().map(pair);
    Some(pairs.collect::<Option<Vec<_>>>()?.join("\n\n"))
}

/// The choices of a list of objects with `label` and `description`, or of plain texts.
pub fn choices(list: Option<&Value>) -> Vec<Choice> {
    let rows = list.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |row: &Value, name: &str| {
        row.get(name).and_then(Value::as_str).map(str::to_string).unwrap_or_default()
    };
    let choice = |row: &Value| match row {
        Value::String(label) => Choice { label: label.clone(), description: String::new() },
        row => Choice { label: text(row, "label"), description: text(row, "description") },
    };
    rows.iter().map(choice).filter(|choice| !choice.label.is_empty()).collect()
}

/// Returns a text field of a question.
pub fn field(row: &Value, name: &str) -> String {
    row.get(name).and_then(Value::as_str).unwrap_or_default().to_string()
}

/// Returns the elements of `questions` in a call's arguments.
pub fn rows(args: &Value) -> &[Value] {
    args.get("questions").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
