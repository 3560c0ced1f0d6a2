//! `bedrock-converse-stream`.

use serde_json::{Value, json};

use super::{Answer, Bit, Facts, Feature, Stop, Wire, list};
use crate::support::frames;

pub struct Bedrock;

impl Wire for Bedrock {
    fn api(&self) -> &'static str {
        "bedrock-converse-stream"
    }

    fn has(&self, feature: Feature) -> bool {
        feature != Feature::Lines
    }

    fn events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        let counts = answer.counts;
        let mut out = vec![frames::bytes("messageStart", &json!({"role": "assistant"}))];
        for (index, bit) in answer.bits.iter().enumerate() {
            let delta = |delta: Value| {
                frames::bytes("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta}))
            };
            match bit {
                Bit::Text(pieces) => out.extend(pieces.iter().map(|text| delta(json!({"text": text})))),
                Bit::Thinking(pieces, signature) => {
                    let texts = pieces.iter().map(|text| json!({"text": text}));
                    let all = texts.chain([json!({"signature": signature})]);
                    out.extend(all.map(|piece| delta(json!({"reasoningContent": piece}))));
                }
                Bit::Call { id, name, args } => {
                    let start = json!({"toolUse": {"toolUseId": id, "name": name}});
                    let start = json!({"contentBlockIndex": index, "start": start});
                    out.push(frames::bytes("contentBlockStart", &start));
                    out.extend(args.iter().map(|json| delta(json!({"toolUse": {"input": json}}))));
                }
            }
            out.push(frames::bytes("contentBlockStop", &json!({"contentBlockIndex": index})));
        }
        let reason = match answer.stop {
            Stop::End => "end_turn",
            Stop::Length => "max_tokens",
            Stop::Tools => "tool_use",
            Stop::Refusal => "content_filtered",
        };
        let usage = json!({"inputTokens": counts.input, "outputTokens": counts.output,
            "cacheReadInputTokens": counts.cached, "cacheWriteInputTokens": counts.written});
        out.push(frames::bytes("messageStop", &json!({"stopReason": reason})));
        out.push(frames::bytes("metadata", &json!({"usage": usage, "metrics": {"latencyMs": 1}})));
        out
    }

    fn refusal(&self, _: u16, words: &str) -> String {
        json!({"message": words}).to_string()
    }

    fn facts(&self, body: &Value) -> Facts {
        let mut messages: Vec<Value> = list(&body["messages"]).cloned().collect();
        for content in messages.iter_mut().filter_map(|message| message["content"].as_array_mut()) {
            content.retain(|block| block.get("cachePoint").is_none());
        }
        let blocks = || messages.iter().flat_map(|message| list(&message["content"]));
        let ids = |kind: &'static str| {
            let found = blocks().filter_map(move |block| block[kind]["toolUseId"].as_str());
            found.map(str::to_string).collect::<Vec<_>>()
        };
        let config = &body["toolConfig"];
        let choice = match (&config["toolChoice"]["tool"]["name"], config["toolChoice"]["any"].is_object()) {
            (Value::String(name), _) => name.as_str(),
            (_, true) => "required",
            _ if config.is_null() => "none",
            _ => "auto",
        };
        let names = list(&config["tools"]).filter_map(|tool| tool["toolSpec"]["name"].as_str());
        let tools: Vec<String> = names.map(str::to_string).collect();
        let system = list(&body["system"]).filter_map(|block| block["text"].as_str());
        Facts {
            system: system.collect::<Vec<_>>().join("\n"),
            schema: tools.iter().any(|name| name == "shape"),
            tools,
            choice: choice.to_string(),
            images: Value::from(messages.clone()).to_string().matches("\"image\"").count(),
            calls: ids("toolUse"),
            results: ids("toolResult"),
            messages: messages.clone(),
        }
    }

    fn model(&self, model: &mut bowline::llm::model::Model) {
        model.reasoning = true;
        model.name = "Claude Opus 4.6".into();
    }
}
