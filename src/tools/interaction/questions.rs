//! Port for tools that ask the user. Must not know who answers, nor which tool asks.

use futures::future::BoxFuture;

/// One question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// A short heading.
    pub header: String,
    /// The question.
    pub text: String,
    /// The options; empty for free text.
    pub options: Vec<Choice>,
    /// Whether several can be chosen.
    pub multiple: bool,
    /// Placeholder for an empty input field.
    pub placeholder: String,
}

/// An option.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// A short label.
    pub label: String,
    /// Its explanation.
    pub description: String,
}

/// The answer to one question: the selected options and typed text.
pub type Answer = Vec<String>;

/// Asks the user. Dropping the future withdraws the questions.
pub trait Questions: Send + Sync {
    /// Asks the questions one after the other; `None` when the user declines.
    fn ask(&self, call_id: &str, questions: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>>;
}
