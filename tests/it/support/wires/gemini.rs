//! `google-generative-ai` and `google-vertex`, which speak the same.

use serde_json::{Value, json};

use super::{Answer, AnswerPart, Feature, ParsedRequest, Wire, WireStop, list, sse};

pub struct Gemini(pub &'static str);

impl Wire for Gemini {
    fn api(&self) -> &'static str {
        self.0
    }

    fn supports(&self, feature: Feature) -> bool {
        !matches!(feature, Feature::CacheWrites | Feature::SplitArguments | Feature::CallIds)
    }

    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>> {
        let counts = answer.tokens;
        let chunk = |parts: Value, finish: Option<&str>| {
            let mut candidate = json!({"content": {"parts": parts, "role": "model"}, "index": 0});
            if let Some(finish) = finish {
                candidate["finishReason"] = finish.into();
            }
            json!({"candidates": [candidate], "modelVersion": "m", "responseId": "resp_1",
                "usageMetadata": {"promptTokenCount": counts.input + counts.cache_reads,
                    "candidatesTokenCount": counts.output - counts.reasoning,
                    "thoughtsTokenCount": counts.reasoning, "cachedContentTokenCount": counts.cache_reads}})
        };
        let mut out = Vec::new();
        for bit in &answer.parts {
            match bit {
                AnswerPart::Text(pieces) => {
                    out.extend(pieces.iter().map(|text| chunk(json!([{"text": text}]), None)));
                }
                AnswerPart::Thinking(pieces, signature) => {
                    for (at, text) in pieces.iter().enumerate() {
                        let mut part = json!({"text": text, "thought": true});
                        if at + 1 == pieces.len() {
                            part["thoughtSignature"] = (*signature).into();
                        }
                        out.push(chunk(json!([part]), None));
                    }
                }
                AnswerPart::Call { name, args, .. } => {
                    let args: Value = serde_json::from_str(&args.concat()).unwrap();
                    out.push(chunk(json!([{"functionCall": {"name": name, "args": args}}]), None));
                }
            }
        }
        let finish = match answer.stop {
            WireStop::End | WireStop::Tools => "STOP",
            WireStop::Length => "MAX_TOKENS",
            WireStop::Refusal => "SAFETY",
        };
        out.push(chunk(json!([{"text": ""}]), Some(finish)));
        out.iter().map(sse).collect()
    }

    fn error_body(&self, status: u16, words: &str) -> String {
        let name = match status {
            401 => "UNAUTHENTICATED",
            403 => "PERMISSION_DENIED",
            404 => "NOT_FOUND",
            429 => "RESOURCE_EXHAUSTED",
            503 => "UNAVAILABLE",
            500.. => "INTERNAL",
            _ => "INVALID_ARGUMENT",
        };
        json!({"error": {"code": status, "message": words, "status": name}}).to_string()
    }

    fn parse_request(&self, body: &Value) -> ParsedRequest {
        let contents: Vec<Value> = list(&body["contents"]).cloned().collect();
        let parts = || contents.iter().flat_map(|content| list(&content["parts"]));
        let of = |kind: &'static str| {
            let found = parts().map(move |part| &part[kind]).filter(|inner| inner.is_object());
            let name = |inner: &Value| inner["id"].as_str().or(inner["name"].as_str()).unwrap().to_string();
            found.map(name).collect::<Vec<_>>()
        };
        let calling = &body["toolConfig"]["functionCallingConfig"];
        let choice = match (calling["mode"].as_str(), calling["allowedFunctionNames"][0].as_str()) {
            (_, Some(name)) => name,
            (Some("ANY"), None) => "required",
            (Some("NONE"), None) => "none",
            _ => "auto",
        };
        let declared = list(&body["tools"]).flat_map(|group| list(&group["functionDeclarations"]));
        let tools: Vec<String> = declared.map(|tool| tool["name"].as_str().unwrap().to_string()).collect();
        let config = &body["generationConfig"];
        let system = list(&body["systemInstruction"]["parts"]).filter_map(|part| part["text"].as_str());
        ParsedRequest {
            system: system.collect::<Vec<_>>().join("\n"),
            choice: choice.to_string(),
            images: Value::from(contents.clone()).to_string().matches("\"inlineData\"").count(),
            calls: of("functionCall"),
            results: of("functionResponse"),
            schema: config["responseSchema"].is_object()
                || config["responseJsonSchema"].is_object()
                || tools.iter().any(|name| name == "shape"),
            tools,
            messages: contents.clone(),
        }
    }
}
