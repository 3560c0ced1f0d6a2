//! Thinking level in the forms that different servers require. Pure.

use serde_json::{Map, Value};

use crate::base::json::json;

use super::compat::Compat;
use crate::llm::model::{Model, Thinking};

/// Tokens reserved for the answer beside a thinking budget.
const ANSWER_MIN: u64 = 1024;

/// The requested level, and its names.
struct ThinkingRequest<'a> {
    level: Thinking,
    /// The model's name for the level.
    word: Option<&'a str>,
    budget: Option<u64>,
}

impl ThinkingRequest<'_> {
    fn is_on(&self) -> bool {
        self.level != Thinking::Off
    }

    fn effort(&self) -> &str {
        self.word.unwrap_or(self.level.name())
    }

    /// Returns the effort for servers that require one even without thinking.
    fn any_effort(&self) -> &str {
        if self.is_on() { self.effort() } else { self.word.unwrap_or("none") }
    }
}

/// Adds the thinking level for a reasoning model; `limit` is the request's output limit in tokens.
pub fn add(body: &mut Map<String, Value>, model: &Model, level: Thinking, limit: Option<u64>) {
    if !model.reasoning {
        return;
    }
    let compat = Compat::of(model);
    let level = model.nearest_level(level);
    let word = model.thinking_level_map.get(level.name()).and_then(Option::as_deref);
    let room = limit.unwrap_or(model.max_tokens).saturating_sub(ANSWER_MIN);
    let budget = Some(level.budget().min(room)).filter(|budget| *budget > 0);
    let request = ThinkingRequest { level, word, budget };
    if add_server_form(body, &compat, &request) {
        body.insert("reasoning_effort".into(), request.effort().into());
    }
    let named = model.word("thinkingTokenBudgetField");
    let field = named.or(model.flag("supportsThinkingTokenBudget").then_some("thinking_token_budget"));
    if let (Some(field), Some(budget)) = (field, request.budget.filter(|_| request.is_on())) {
        body.insert(field.into(), budget.into());
    }
}

/// Adds the fields of the server's own form. Returns whether the effort is sent in addition to them.
fn add_server_form(body: &mut Map<String, Value>, compat: &Compat, wish: &ThinkingRequest) -> bool {
    let (on, word) = (wish.is_on(), wish.word);
    let mut set = |name: &str, value: Value| {
        body.insert(name.into(), value);
    };
    let switch = || if on { json!({"type": "enabled"}) } else { json!({"type": "disabled"}) };
    let mut and_word = on && compat.supports_effort();
    match compat.thinking() {
        "zai" if on => set("thinking", json!({"type": "enabled", "clear_thinking": false})),
        "zai" | "deepseek" => set("thinking", switch()),
        "qwen" => set("enable_thinking", on.into()),
        "together" => set("reasoning", json!({"enabled": on})),
        "qwen-chat-template" => {
            set("chat_template_kwargs", json!({"enable_thinking": on, "preserve_thinking": true}));
            and_word = false;
        }
        "chat-template" => {
            if let Some(values) = template(compat, "chatTemplateKwargs", wish) {
                set("chat_template_kwargs", values);
            }
            and_word = false;
        }
        "baseten" => {
            if let Some(values) = template(compat, "chatTemplateArgs", wish) {
                set("chat_template_args", values);
            }
            and_word = compat.supports_effort() && (on || word.is_some());
        }
        "openrouter" => {
            set("reasoning", json!({"effort": wish.any_effort()}));
            and_word = false;
        }
        "ant-ling" => {
            if let Some(word) = word.filter(|_| on) {
                set("reasoning", json!({"effort": word}));
            }
            and_word = false;
        }
        "string-thinking" => {
            set("thinking", wish.any_effort().into());
            and_word = false;
        }
        // Without a name for no thinking, the model's default applies.
        _ => and_word = compat.supports_effort() && (on || word.is_some()),
    }
    and_word
}

/// Returns a chat template argument: a fixed value, or a placeholder's value.
fn template(compat: &Compat, name: &str, request: &ThinkingRequest) -> Option<Value> {
    let values = compat.value(name)?.as_object()?;
    let given =
        values.iter().filter_map(|(name, value)| Some((name.clone(), resolve_value(value, request)?)));
    let given: Map<_, _> = given.collect();
    (!given.is_empty()).then_some(Value::Object(given))
}

fn resolve_value(value: &Value, request: &ThinkingRequest) -> Option<Value> {
    let Some(what) = value.as_object() else { return Some(value.clone()) };
    if !request.is_on() && what.get("omitWhenOff") == Some(&Value::Bool(true)) {
        return None;
    }
    match what.get("$var").and_then(Value::as_str) {
        Some("thinking.enabled") => Some(request.is_on().into()),
        Some("thinking.budget") => request.budget.filter(|_| request.is_on()).map(Value::from),
        _ if request.is_on() => Some(request.effort().into()),
        _ => request.word.map(Value::from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(level: Thinking, compat: &Value, words: &[(&str, &str)]) -> Value {
        let mut model = Model { reasoning: true, ..Model::unknown("p", "m", "openai-completions", "") };
        model.compat = compat.as_object().unwrap().clone();
        model.thinking_level_map =
            words.iter().map(|(level, word)| ((*level).to_string(), Some((*word).to_string()))).collect();
        let mut body = Map::new();
        add(&mut body, &model, level, Some(9_000));
        Value::Object(body)
    }

    /// A format with thinking and without.
    fn both(compat: &Value, words: &[(&str, &str)]) -> (Value, Value) {
        (asked(Thinking::High, compat, words), asked(Thinking::Off, compat, words))
    }

    #[test]
    fn completions_thinking_formats() {
        let of = |format: &str| both(&json!({"thinkingFormat": format}), &[]);
        let effort = |mut value: Value| {
            value["reasoning_effort"] = "high".into();
            value
        };
        let disabled = json!({"thinking": {"type": "disabled"}});
        assert_eq!(of("openai"), (effort(json!({})), json!({})));
        let kept = json!({"thinking": {"type": "enabled", "clear_thinking": false}});
        assert_eq!(of("zai"), (effort(kept), disabled.clone()));
        assert_eq!(of("deepseek"), (effort(json!({"thinking": {"type": "enabled"}})), disabled));
        assert_eq!(of("qwen"), (effort(json!({"enable_thinking": true})), json!({"enable_thinking": false})));
        let enabled = |on: bool| json!({"reasoning": {"enabled": on}});
        assert_eq!(of("together"), (effort(enabled(true)), enabled(false)));
        let kwargs =
            |on: bool| json!({"chat_template_kwargs": {"enable_thinking": on, "preserve_thinking": true}});
        assert_eq!(of("qwen-chat-template"), (kwargs(true), kwargs(false)));
        let nested = |word: &str| json!({"reasoning": {"effort": word}});
        assert_eq!(of("openrouter"), (nested("high"), nested("none")));
        assert_eq!(of("ant-ling"), (json!({}), json!({})));
        assert_eq!(of("string-thinking"), (json!({"thinking": "high"}), json!({"thinking": "none"})));
        assert_eq!(of("chat-template"), (json!({}), json!({})));
        assert_eq!(of("baseten"), (effort(json!({})), json!({})));
    }

    #[test]
    fn completions_thinking_level_map_words_are_sent() {
        let of =
            |format: &str| both(&json!({"thinkingFormat": format}), &[("high", "deep"), ("off", "zero")]);
        let effort = |word: &str| json!({"reasoning_effort": word});
        assert_eq!(of("openai"), (effort("deep"), effort("zero")));
        assert_eq!(of("baseten"), (effort("deep"), effort("zero")));
        assert_eq!(of("ant-ling").0, json!({"reasoning": {"effort": "deep"}}));
        assert_eq!(of("openrouter").1, json!({"reasoning": {"effort": "zero"}}));
        assert_eq!(of("string-thinking"), (json!({"thinking": "deep"}), json!({"thinking": "zero"})));
    }

    #[test]
    fn completions_thinking_without_effort_support() {
        for format in ["openai", "zai", "qwen", "deepseek", "together", "baseten"] {
            let body = asked(
                Thinking::High,
                &json!({"thinkingFormat": format, "supportsReasoningEffort": false}),
                &[],
            );
            assert_eq!(body.get("reasoning_effort"), None, "{format}");
        }
    }

    #[test]
    fn completions_chat_template_variables_are_filled() {
        let values = json!({"mode": "x", "think": {"$var": "thinking.enabled"}, "effort": {"$var": "thinking.effort"},
            "budget": {"$var": "thinking.budget"}, "only": {"$var": "thinking.enabled", "omitWhenOff": true}});
        for (format, flag, field) in [
            ("chat-template", "chatTemplateKwargs", "chat_template_kwargs"),
            ("baseten", "chatTemplateArgs", "chat_template_args"),
        ] {
            let (on, off) = both(&json!({"thinkingFormat": format, flag: values}), &[]);
            let given = json!({"mode": "x", "think": true, "effort": "high", "budget": 7_976, "only": true});
            assert_eq!((&on[field], &off[field]), (&given, &json!({"mode": "x", "think": false})));
        }
    }

    #[test]
    fn completions_thinking_token_budget_fields() {
        let of = |compat: Value| asked(Thinking::High, &compat, &[]);
        assert_eq!(of(json!({"supportsThinkingTokenBudget": true}))["thinking_token_budget"], 7_976);
        let named =
            json!({"thinkingTokenBudgetField": "thinking_budget", "supportsThinkingTokenBudget": true});
        assert_eq!(of(named.clone())["thinking_budget"], 7_976);
        assert_eq!(asked(Thinking::Low, &named, &[])["thinking_budget"], 2_048);
        assert_eq!(asked(Thinking::Off, &named, &[]).get("thinking_budget"), None);
    }

    #[test]
    fn completions_thinking_is_omitted_without_reasoning() {
        let mut body = Map::new();
        add(&mut body, &Model::unknown("deepseek", "m", "a", ""), Thinking::High, None);
        assert!(body.is_empty());
    }
}
