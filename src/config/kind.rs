//! What values settings take. Must not know which settings there are.

/// The values that a setting takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A whole number between these two.
    Number(i64, i64),
    /// True or false.
    Flag,
    /// A list of whole numbers between these two.
    Numbers(i64, i64),
    /// A table of limits by name.
    Limits,
    /// A table of budgets of tokens by model.
    Budgets,
}

/// A value from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string.
    Text(String),
    /// An integer.
    Number(i64),
    /// A boolean.
    Flag(bool),
    /// An array of integers.
    Numbers(Vec<i64>),
    /// A table of limits.
    Limits(Vec<(String, Limit)>),
    /// A table of budgets.
    Budgets(Vec<(String, TokenBudget)>),
}

/// A limit of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Limit {
    /// Characters.
    pub chars: Option<usize>,
    /// Lines; 0 for any number.
    pub lines: Option<usize>,
}

/// How much of a model's window is used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenBudget {
    /// Tokens that stay free.
    pub reserve_tokens: Option<usize>,
    /// Tokens at the end of a conversation that are kept.
    pub keep_recent_tokens: Option<usize>,
}

impl Kind {
    /// What it takes, for people.
    pub fn describe(self) -> String {
        match self {
            Self::Text => "a string".to_string(),
            Self::Choice(words) => format!("one of {}", words.join(", ")),
            Self::Number(min, max) => format!("a whole number from {min} to {max}"),
            Self::Numbers(min, max) => format!("a list of whole numbers from {min} to {max}"),
            Self::Limits => "tables of chars and lines by tool, such as [tool-limits.bash]".to_string(),
            Self::Budgets => "tables of reserve-tokens and keep-recent-tokens by model, such as \
                 [compaction-models.\"openai/gpt-5\"]"
                .to_string(),
            Self::Flag => "true or false".to_string(),
        }
    }
}
