//! Lists as providers write them.

use super::*;
use proptest::prelude::*;

fn models(list: &Value) -> Vec<Value> {
    parse_list(list).unwrap().models
}

#[test]
fn model_list_of_openai_dialects_is_read() {
    let list = json!({"object": "list", "data": [
        {"id": "gpt-9", "object": "model", "created": 1, "owned_by": "openai"},
        {"id": "text-embedding-9"}, {"id": "gpt-9-realtime"}, {"id": "dall-e-9"}, {"id": "Whisper-9"},
        {"id": ""}, {"id": "a\u{1b}[2J"}, {}, 5, null,
    ]});
    assert_eq!(models(&list), [json!({"id": "gpt-9"})]);
    let groq = json!({"data": [
        {"id": "on", "active": true, "context_window": 131_072, "max_completion_tokens": 8192},
        {"id": "off", "active": false, "context_window": 1},
    ]});
    assert_eq!(models(&groq), [json!({"id": "on", "contextWindow": 131_072, "maxTokens": 8192})]);
    let moonshot = json!({"data": [
        {"id": "kimi", "context_length": 262_144, "supports_image_in": true, "supports_reasoning": false},
    ]});
    let kimi =
        json!({"id": "kimi", "contextWindow": 262_144, "input": ["text", "image"], "reasoning": false});
    assert_eq!(models(&moonshot), [kimi]);
}

#[test]
fn model_list_implausible_values_are_dropped() {
    let list = json!({"data": [
        {"id": "models/"}, {"id": " "}, {"id": "a\u{202e}b"}, {"id": "a\u{200b}"}, {"id": "x".repeat(300)},
        {"id": "m", "name": "a\u{2028}b", "context_window": u64::MAX, "max_tokens": 1e300},
        {"id": "n", "context_window": -1, "max_tokens": 0, "pricing": {"prompt": "1e290", "completion": "1"}},
        {"id": "o", "pricing": {"prompt": "NaN", "completion": "-1"}},
    ]});
    assert_eq!(models(&list), ["m", "n", "o"].map(|id| json!({"id": id})));
}

#[test]
fn model_list_of_anthropic_has_pages() {
    let list = json!({"data": [
        {"type": "model", "id": "claude-9", "display_name": "Claude 9", "created_at": "2027-01-01T00:00:00Z",
         "max_input_tokens": 1_000_000, "max_tokens": 128_000,
         "capabilities": {"image_input": {"supported": true}, "thinking": {"supported": true}}},
    ], "first_id": "claude-9", "last_id": "claude-9", "has_more": true});
    let claude = json!({"id": "claude-9", "name": "Claude 9", "contextWindow": 1_000_000,
        "maxTokens": 128_000, "input": ["text", "image"], "reasoning": true});
    assert_eq!(parse_list(&list), Some(Page { models: vec![claude], next: Some("claude-9".into()) }));
    assert_eq!(parse_list(&json!({"data": [], "last_id": "x", "has_more": false})).unwrap().next, None);
}

#[test]
fn model_list_of_google_has_pages() {
    let list = json!({"models": [
        {"name": "models/gemini-9", "displayName": "Gemini 9", "inputTokenLimit": 1_048_576,
         "outputTokenLimit": 65_536, "supportedGenerationMethods": ["generateContent"], "thinking": true},
        {"name": "models/embedding-9", "supportedGenerationMethods": ["embedContent"]},
    ], "nextPageToken": "t"});
    let gemini = json!({"id": "gemini-9", "name": "Gemini 9", "contextWindow": 1_048_576,
        "maxTokens": 65_536, "reasoning": true});
    assert_eq!(parse_list(&list), Some(Page { models: vec![gemini], next: Some("t".into()) }));
}

#[test]
fn model_list_of_mistral_is_read() {
    let list = json!({"data": [
        {"id": "codestral-9", "name": "codestral-9", "type": "base", "max_context_length": 256_000,
         "aliases": ["codestral-9", "codestral-newest", 5],
         "capabilities": {"completion_chat": true, "vision": false, "reasoning": false}},
        {"id": "mistral-embed", "capabilities": {"completion_chat": false}},
        {"id": "old", "archived": true, "capabilities": {"completion_chat": true}},
    ]});
    let expected = json!({"id": "codestral-9", "aliases": ["codestral-newest"], "contextWindow": 256_000, "input": ["text"], "reasoning": false});
    assert_eq!(models(&list), [expected]);
}

#[test]
fn model_list_prices_are_read() {
    let openrouter = json!({"data": [
        {"id": "a/b", "name": "A: B", "context_length": 400_000,
         "architecture": {"input_modalities": ["image", "text"], "output_modalities": ["text"]},
         "top_provider": {"context_length": 200_000, "max_completion_tokens": null},
         "pricing": {"prompt": "0.00000125", "completion": "0.00001", "input_cache_read": "0.000000125"},
         "supported_parameters": ["tools", "reasoning"]},
        {"id": "auto", "architecture": {"output_modalities": ["text"]}, "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "paint", "architecture": {"output_modalities": ["image"]}},
    ]});
    assert_eq!(
        models(&openrouter),
        [
            json!({"id": "a/b", "name": "A: B", "contextWindow": 200_000, "input": ["text", "image"],
                "reasoning": true,
                "cost": {"input": 1.25, "output": 10.0, "cacheRead": 0.125, "cacheWrite": 0.0}}),
            json!({"id": "auto"}),
        ]
    );
    let vercel = json!({"data": [
        {"id": "x/y", "type": "language", "context_window": 9, "max_tokens": 8, "tags": ["vision"],
         "pricing": {"input": "0.000003", "output": "0.000015", "input_cache_write": "0.00000375"}},
        {"id": "x/embed", "type": "embedding"},
    ]});
    let expected = json!({"id": "x/y", "contextWindow": 9, "maxTokens": 8, "input": ["text", "image"],
        "reasoning": false, "cost": {"input": 3.0, "output": 15.0, "cacheRead": 0.0, "cacheWrite": 3.75}});
    assert_eq!(models(&vercel), [expected]);
    let together = json!([
        {"id": "t/chat", "type": "chat", "display_name": "T", "context_length": 7, "pricing": {"input": 0.2, "output": 0.6}},
        {"id": "t/flux", "type": "image"},
    ]);
    let expected = json!({"id": "t/chat", "name": "T", "contextWindow": 7,
        "cost": {"input": 0.2, "output": 0.6, "cacheRead": 0.0, "cacheWrite": 0.0}});
    assert_eq!(models(&together), [expected]);
    let hub = json!({"data": [{"id": "h", "providers": [{"context_length": 5, "pricing": {"input": 1, "output": 2}}]}]});
    assert_eq!(
        (&models(&hub)[0]["contextWindow"], &models(&hub)[0]["cost"]["output"]),
        (&json!(5), &json!(2.0))
    );
}

#[test]
fn model_list_malformed_answer_is_none() {
    for odd in [json!(null), json!("x"), json!({"data": {}}), json!({"error": {"message": "no"}})] {
        assert_eq!(parse_list(&odd), None, "{odd}");
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        "[a-z/-]{0,6}".prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "id",
        "name",
        "type",
        "pricing",
        "prompt",
        "completion",
        "capabilities",
        "vision",
        "data",
        "top_provider",
        "context_length",
        "architecture",
        "output_modalities",
        "tags",
        "last_id",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((name.clone(), inner), 0..6).prop_map(|pairs| Value::Object(
                pairs.into_iter().map(|(k, v)| (k.to_string(), v)).collect()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]
    /// Whatever a server answers, what is read has an id and can be a model.
    #[test]
    fn model_list_any_answer_gives_valid_models(rows in prop::collection::vec(any_json(), 0..6)) {
        for mut fields in models(&json!({"data": rows})) {
            let map = fields.as_object_mut().unwrap();
            prop_assert!(map["id"].as_str().is_some_and(|id| !id.is_empty()));
            for (key, value) in [("name", json!("")), ("provider", json!("")), ("api", json!("")),
                ("contextWindow", json!(1)), ("maxTokens", json!(1))] {
                map.entry(key).or_insert(value);
            }
            prop_assert!(serde_json::from_value::<crate::llm::model::Model>(fields).is_ok());
        }
    }
}
