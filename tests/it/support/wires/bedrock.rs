//! `bedrock-converse-stream`: binary frames.

use serde_json::{Value, json};

use super::{Answer, AnswerPart, Feature, ParsedRequest, Wire, WireStop, list};
use crate::support::frames::bytes as frame;

pub struct Bedrock;

impl Wire for Bedrock {
    fn api(&self) -> &'static str {
        "bedrock-converse-stream"
    }

    fn supports(&self, feature: Feature) -> bool {
        !matches!(feature, Feature::InvalidJsonEvents | Feature::ReasoningCounts)
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        let mut out = vec![frame("messageStart", &json!({"role": "assistant"}))];
        for (index, bit) in answer.parts.iter().enumerate() {
            let delta = |delta: Value| {
                frame("contentBlockDelta", &json!({"contentBlockIndex": index, "delta": delta}))
            };
            match bit {
                AnswerPart::Text(pieces) => {
                    out.extend(pieces.iter().map(|text| delta(json!({"text": text}))));
                }
                AnswerPart::Thinking(pieces, signature) => {
                    let text = pieces.iter().map(|text| delta(json!({"reasoningContent": {"text": text}})));
                    out.extend(text);
                    out.push(delta(json!({"reasoningContent": {"signature": signature}})));
                }
                AnswerPart::Call { id, name, args } => {
                    let start = json!({"contentBlockIndex": index,
                        "start": {"toolUse": {"toolUseId": id, "name": name}}});
                    out.push(frame("contentBlockStart", &start));
                    out.extend(args.iter().map(|args| delta(json!({"toolUse": {"input": args}}))));
                }
            }
            out.push(frame("contentBlockStop", &json!({"contentBlockIndex": index})));
        }
        let reason = match answer.stop {
            WireStop::End => "end_turn",
            WireStop::Length => "max_tokens",
            WireStop::Tools => "tool_use",
            WireStop::Refusal => "content_filtered",
        };
        out.push(frame("messageStop", &json!({"stopReason": reason})));
        let counts = answer.tokens;
        let total = counts.input + counts.cache_reads + counts.cache_writes + counts.output;
        let usage = json!({"inputTokens": counts.input, "outputTokens": counts.output, "totalTokens": total,
            "cacheReadInputTokens": counts.cache_reads, "cacheWriteInputTokens": counts.cache_writes});
        out.push(frame("metadata", &json!({"usage": usage, "metrics": {"latencyMs": 1}})));
        out
    }

    fn error_body(&self, _: u16, words: &str) -> String {
        json!({"message": words}).to_string()
    }

    fn parse_request(&self, body: &Value) -> ParsedRequest {
        let mut messages: Vec<Value> = list(&body["messages"]).cloned().collect();
        for content in messages.iter_mut().filter_map(|message| message["content"].as_array_mut()) {
            content.retain(|block| block.get("cachePoint").is_none());
        }
        let blocks = || messages.iter().flat_map(|message| list(&message["content"]));
        let of = |kind: &'static str| {
            let found = blocks().map(move |block| &block[kind]).filter(|inner| inner.is_object());
            found.map(|inner| inner["toolUseId"].as_str().unwrap().to_string()).collect::<Vec<_>>()
        };
        let inner =
            blocks().flat_map(|block| std::iter::once(block).chain(list(&block["toolResult"]["content"])));
        let config = &body["toolConfig"];
        let specs = list(&config["tools"]).filter_map(|tool| tool["toolSpec"]["name"].as_str());
        let tools: Vec<String> = specs.map(str::to_string).collect();
        let choice = if config["toolChoice"]["any"].is_object() {
            "required"
        } else if let Some(name) = config["toolChoice"]["tool"]["name"].as_str() {
            name
        } else if tools.is_empty() {
            "none"
        } else {
            "auto"
        };
        let system = list(&body["system"]).filter_map(|block| block["text"].as_str());
        ParsedRequest {
            system: system.collect::<Vec<_>>().join("\n"),
            choice: choice.to_string(),
            images: inner.filter(|block| block["image"].is_object()).count(),
            calls: of("toolUse"),
            results: of("toolResult"),
            schema: tools.iter().any(|name| name == "shape")
                || body["outputConfig"]["textFormat"].is_object(),
            tools,
            messages: messages.clone(),
        }
    }

    fn model(&self, model: &mut bowline::llm::model::Model) {
        // Only these sign what they think.
        model.id = "us.anthropic.claude-opus-5-5".into();
        model.reasoning = true;
    }
}
