//! What is asked of a model, and what is known about models. Must not know any wire format.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::message::Message;
use super::usage::Cost;

/// One request: everything that a provider needs to answer.
#[derive(Debug, Clone)]
pub struct Request {
    /// Which model.
    pub model: Model,
    /// The system prompt in stable parts; the last one ends the cached prefix.
    pub system: Vec<String>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The tools on offer, in a stable order.
    pub tools: Vec<ToolSpec>,
    /// Whether the model may or must call a tool.
    pub tool_choice: ToolChoice,
    /// How hard it should think.
    pub thinking: Thinking,
    /// Output limit in tokens; the model's own when `None`.
    pub max_tokens: Option<u64>,
    /// For the provider's cache routing and logs.
    pub session_id: Option<String>,
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// `[a-zA-Z][a-zA-Z0-9_]{0,63}`.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema with an object root.
    pub parameters: Value,
}

/// Whether the model may or must call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// No tool.
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// pi's thinking levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Thinking {
    /// None.
    #[default]
    Off,
    /// As little as the model allows.
    Minimal,
    /// Short.
    Low,
    /// Balanced.
    Medium,
    /// Deep.
    High,
    /// Deeper.
    Xhigh,
}

impl Thinking {
    /// Every level, from none to most.
    pub const ALL: [Self; 6] = [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh];

    /// The level's name on the wire and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
        }
    }

    /// The level of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// What is known about one model: advisory data from the catalog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The provider's own string.
    pub id: String,
    /// For people.
    pub name: String,
    /// Provider id.
    pub provider: String,
    /// Dialect id.
    pub api: String,
    /// Root of the provider's API.
    pub base_url: String,
    /// Whether it can think.
    #[serde(default)]
    pub reasoning: bool,
    /// `text`, `image`.
    #[serde(default)]
    pub input: Vec<String>,
    /// Dollars per million tokens.
    #[serde(default)]
    pub cost: Cost,
    /// Tokens that fit.
    pub context_window: u64,
    /// Tokens that it can produce in one answer.
    pub max_tokens: u64,
}
