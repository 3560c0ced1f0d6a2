//! Types of setting values. Must not know which settings exist.

/// Type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Any text.
    Text,
    /// One of these strings.
    Choice(&'static [&'static str]),
    /// An integer in this range.
    Number(i64, i64),
    /// True or false.
    Flag,
    /// A list of integers in this range.
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

/// Use of a model's context window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenBudget {
    /// Tokens reserved as free.
    pub reserve_tokens: Option<usize>,
    /// Tokens kept at the end of a conversation.
    pub keep_recent_tokens: Option<usize>,
}

impl Kind {
    /// Returns a description of the allowed values.
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
