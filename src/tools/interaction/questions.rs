//! The port through which a tool asks the user. Must not know who answers, nor which tool asks.

use futures::future::BoxFuture;

/// One question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// A word or two for a heading.
    pub header: String,
    /// The question.
    pub text: String,
    /// What can be chosen; none for free words.
    pub options: Vec<Choice>,
    /// Whether several can be chosen.
    pub several: bool,
    /// Shown where nothing is typed yet.
    pub placeholder: String,
}

/// One thing that can be chosen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// A few words.
    pub label: String,
    /// What it means.
    pub description: String,
}

/// The answer to one question: what was chosen, and what was typed.
pub type Answer = Vec<String>;

/// Asks the user. Dropping the future withdraws the questions.
pub trait Questions: Send + Sync {
    /// Asks one after the other; `None` when the user does not want to answer.
    fn ask(&self, call_id: &str, questions: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>>;
}
