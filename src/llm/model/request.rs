//! Model requests, and model metadata. Must not know any wire format.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::limits::{InputLimits, PromptCache};
use super::message::Message;
use super::options::{CacheRetention, Grammar, ResponseFormat, Strictness};
use super::usage::{Prices, Usage};
use crate::base::secret::Secret;

/// A request: everything that a provider needs to answer.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The model.
    pub model: Model,
    /// The system prompt in stable parts; the last one ends the cached prefix.
    pub system: Vec<String>,
    /// The conversation, oldest first.
    pub messages: Vec<Message>,
    /// The available tools, in a stable order.
    pub tools: Vec<ToolSpec>,
    /// Whether the model may or must call a tool.
    pub tool_choice: ToolChoice,
    /// The thinking level.
    pub thinking: Thinking,
    /// Output limit in tokens; the model's own when `None`.
    pub max_tokens: Option<u64>,
    /// For the provider's cache routing and logs.
    pub session_id: Option<String>,
    /// How long the prompt's prefix should be cached.
    pub cache: CacheRetention,
    /// The required format of the answer, if any.
    pub format: Option<ResponseFormat>,
    /// Sampling parameters by their names in requests (`temperature`, `top_p`, …), for models that support
    /// them.
    pub sampling: Map<String, Value>,
    /// Options without a field above, by provider id: copied to the body verbatim.
    pub provider_options: Map<String, Value>,
    /// Additional headers, which override those of the provider.
    pub headers: Secret<Vec<(String, String)>>,
    /// Whether raw provider events are emitted, too.
    pub raw_events: bool,
}

impl Request {
    /// Returns the sampling parameters: the model's defaults for all thinking levels and for the requested
    /// one, overridden by those of the request.
    pub fn sampling(&self) -> Map<String, Value> {
        let level = self.model.nearest_level(self.thinking).name();
        let mut all = self.model.sampling_params.clone();
        all.extend(self.model.sampling_params_by_thinking_level.get(level).into_iter().flatten().map(owned));
        all.extend(self.sampling.iter().map(owned));
        all
    }

    /// Returns a string option for this provider.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.provider_options.get(&self.model.provider)?.get(name)?.as_str()
    }
}

/// A tool as the model sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolSpec {
    /// Name, `[a-zA-Z][a-zA-Z0-9_]{0,63}`.
    pub name: String,
    /// Its purpose and when to use it.
    pub description: String,
    /// JSON Schema with an object at its root.
    pub parameters: Value,
    /// The grammar of the input, for providers that can enforce it; then the call's arguments are `{"input":
    /// text}`, and `parameters` describe that for other providers.
    pub grammar: Option<Grammar>,
    /// Whether arguments are constrained to `parameters` during generation.
    pub strict: Strictness,
}

/// Whether the model may or must call a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool.
    None,
    /// At least one.
    Required,
    /// This tool.
    Named(String),
}

/// pi's thinking levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
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
    /// As deep as the model can.
    Max,
}

impl Thinking {
    /// Every level, from none to most.
    pub const ALL: [Self; 7] =
        [Self::Off, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::Xhigh, Self::Max];

    /// Returns the level's name in requests and on screen.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// Returns pi's token budget for models that use one; the three highest levels are equal.
    pub fn budget(self) -> u64 {
        match self {
            Self::Off => 0,
            Self::Minimal => 1024,
            Self::Low => 2048,
            Self::Medium => 8192,
            Self::High | Self::Xhigh | Self::Max => 16_384,
        }
    }

    /// Parses the name of a level.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

/// Metadata of a model: advisory data from the catalog.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The provider's id for it.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Other names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Provider id.
    pub provider: String,
    /// Dialect id.
    pub api: String,
    /// Root URL of the provider's API.
    #[serde(default)]
    pub base_url: String,
    /// Whether it supports thinking.
    #[serde(default)]
    pub reasoning: bool,
    /// Input types: `text`, `image`.
    #[serde(default)]
    pub input: Vec<String>,
    /// Prices in dollars per million tokens.
    #[serde(default)]
    pub cost: Prices,
    /// Context window in tokens.
    pub context_window: u64,
    /// Maximum tokens of an answer.
    pub max_tokens: u64,
    /// The provider's name for each thinking level, by our name; `null` if the model lacks the level. Empty
    /// if levels are token budgets.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub thinking_level_map: BTreeMap<String, Option<String>>,
    /// Deviations from the dialect's defaults, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub compat: Map<String, Value>,
    /// Headers of requests for this model; values may be `$VAR` or `!command`.
    #[serde(default, skip_serializing_if = "no_headers")]
    pub headers: Secret<BTreeMap<String, String>>,
    /// How long its provider caches a prompt's prefix, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_cache: Option<PromptCache>,
    /// Its input limits other than the context window, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_limits: Option<InputLimits>,
    /// The knowledge cutoff as its provider states it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub knowledge_cutoff: Option<String>,
    /// Default sampling parameters, overridden by the request.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub sampling_params: Map<String, Value>,
    /// Default sampling parameters by thinking level, overriding the general ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sampling_params_by_thinking_level: BTreeMap<String, Map<String, Value>>,
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}

fn no_headers(headers: &BTreeMap<String, String>) -> bool {
    headers.is_empty()
}

impl Model {
    /// Returns a model with no metadata except where to send requests; sizes are pi's defaults.
    pub fn unknown(provider: &str, id: &str, api: &str, base_url: &str) -> Self {
        Self {
            id: id.to_string(),
            name: id.to_string(),
            aliases: Vec::new(),
            provider: provider.to_string(),
            api: api.to_string(),
            base_url: base_url.to_string(),
            reasoning: false,
            input: vec!["text".to_string(), "image".to_string()],
            cost: Prices::default(),
            context_window: 128_000,
            max_tokens: 16_384,
            thinking_level_map: BTreeMap::new(),
            compat: Map::new(),
            headers: Secret::default(),
            prompt_cache: None,
            input_limits: None,
            knowledge_cutoff: None,
            sampling_params: Map::new(),
            sampling_params_by_thinking_level: BTreeMap::new(),
        }
    }

    /// Whether it accepts images.
    pub fn supports_images(&self) -> bool {
        self.input.iter().any(|kind| kind == "image")
    }

    /// Whether a flag of `compat` is set.
    pub fn flag(&self, name: &str) -> bool {
        self.compat.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// Returns a flag of `compat`, if it is set.
    pub fn set_flag(&self, name: &str) -> Option<bool> {
        self.compat.get(name).and_then(Value::as_bool)
    }

    /// Returns a string of `compat`.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.compat.get(name).and_then(Value::as_str)
    }

    /// Whether the model has this thinking level.
    pub fn has_level(&self, level: Thinking) -> bool {
        match self.thinking_level_map.get(level.name()) {
            Some(word) => word.is_some(),
            None if self.reasoning => level < Thinking::Xhigh,
            None => level == Thinking::Off,
        }
    }

    /// Returns the supported level nearest to the requested one; of two equally near the higher.
    pub fn nearest_level(&self, requested: Thinking) -> Thinking {
        let distance = |level: Thinking| (level as i8 - requested as i8).unsigned_abs();
        Thinking::ALL
            .into_iter()
            .rev()
            .filter(|level| self.has_level(*level))
            .min_by_key(|level| distance(*level))
            .unwrap_or(Thinking::Off)
    }

    /// Sets the cost of a usage with this model.
    pub fn price(&self, usage: &mut Usage) {
        usage.price(self.cost.for_prompt(usage.prompt()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn request_sampling_merges_model_level_and_request() {
        let mut model = serde_json::to_value(Model::unknown("p", "m", "a", "")).unwrap();
        model["reasoning"] = true.into();
        model["samplingParams"] = crate::base::json::json!({"temperature": 1, "top_p": 1, "top_k": 1});
        model["samplingParamsByThinkingLevel"] =
            crate::base::json::json!({"high": {"top_p": 2, "top_k": 2}, "low": {"top_p": 9}});
        let mut request = Request { model: serde_json::from_value(model).unwrap(), ..Request::default() };
        request.thinking = Thinking::Max;
        request.sampling.insert("top_k".into(), 3.into());
        assert_eq!(
            Value::Object(request.sampling()),
            crate::base::json::json!({"temperature": 1, "top_p": 2, "top_k": 3}),
            "the deepest level that the model has is `high`"
        );
    }

    #[test]
    fn request_debug_hides_headers() {
        let mut request =
            Request { headers: vec![("x-key".into(), "hunter2".into())].into(), ..Request::default() };
        request.model.headers.insert("authorization".into(), "Bearer hunter2".into());
        assert!(!format!("{request:?}").contains("hunter2"));
    }

    #[test]
    fn model_nearest_thinking_level() {
        let mut model = Model { reasoning: true, ..Model::unknown("p", "m", "a", "") };
        assert_eq!(model.nearest_level(Thinking::Xhigh), Thinking::High);
        model.thinking_level_map.insert("off".into(), None);
        model.thinking_level_map.insert("xhigh".into(), Some("xhigh".into()));
        assert_eq!(model.nearest_level(Thinking::Off), Thinking::Minimal);
        assert_eq!(model.nearest_level(Thinking::Xhigh), Thinking::Xhigh);
        model = Model { reasoning: false, ..Model::unknown("p", "m", "a", "") };
        assert_eq!(model.nearest_level(Thinking::High), Thinking::Off);
    }
}
