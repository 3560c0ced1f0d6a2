//! The wires of all dialects as a test sees them: what an answer looks like in bytes, and what a
//! request says. One file and one row for each dialect; the conformance tests run every case on
//! every row.

mod anthropic;
mod bedrock;
mod completions;
mod gemini;
mod mistral;
mod responses;

use serde_json::Value;

/// Every wire.
pub const WIRES: &[&dyn Wire] = &[
    &anthropic::Anthropic,
    &bedrock::Bedrock,
    &completions::Completions,
    &mistral::Mistral,
    &responses::Responses("openai-responses"),
    &responses::Responses("azure-openai-responses"),
    &responses::Responses("openai-codex-responses"),
    &responses::Socket,
    &gemini::Gemini("google-generative-ai"),
    &gemini::Gemini("google-vertex"),
];

/// A part of an answer, each text in its deltas.
#[derive(Debug, Clone)]
pub enum AnswerPart {
    Text(&'static [&'static str]),
    /// With its signature, where the wire has any.
    Thinking(&'static [&'static str], &'static str),
    Call {
        id: &'static str,
        name: &'static str,
        args: Vec<String>,
    },
}

/// Why an answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireStop {
    End,
    Length,
    Tools,
    /// The model would not answer.
    Refusal,
}

/// Tokens; `input` without those that were read from a cache or written to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCounts {
    pub input: u64,
    pub cache_reads: u64,
    pub cache_writes: u64,
    pub output: u64,
    /// Of `output`.
    pub reasoning: u64,
}

/// An answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub parts: Vec<AnswerPart>,
    pub stop: WireStop,
    pub tokens: TokenCounts,
}

impl Answer {
    pub fn new(bits: Vec<AnswerPart>) -> Self {
        let calls = bits.iter().any(|bit| matches!(bit, AnswerPart::Call { .. }));
        let counts = TokenCounts { input: 100, output: 7, ..TokenCounts::default() };
        Self { parts: bits, stop: if calls { WireStop::Tools } else { WireStop::End }, tokens: counts }
    }
}

/// What a wire has, where not all have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// Thinking comes with a signature that goes back.
    Signatures,
    /// Tokens that are written to a cache are told.
    CacheWrites,
    /// Tokens that are read from a cache are told.
    CacheReads,
    /// Tokens of thinking are told apart.
    ReasoningCounts,
    /// Thinking is streamed.
    Thinking,
    /// A refusal has a stop reason of its own.
    Refusals,
    /// Arguments come in pieces.
    SplitArguments,
    /// Calls have ids of the provider's.
    CallIds,
    /// An event that is no JSON can be put into the stream.
    InvalidJsonEvents,
}

/// What a request says, in no wire's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedRequest {
    pub system: String,
    /// Names of the tools on offer.
    pub tools: Vec<String>,
    /// `auto`, `none`, `required` or a tool's name.
    pub choice: String,
    /// How many images there are.
    pub images: usize,
    /// Ids, or names where the wire has none, of calls and of results, in their order.
    pub calls: Vec<String>,
    pub results: Vec<String>,
    /// Whether a schema for the answer is sent.
    pub schema: bool,
    /// The messages as they are sent, without marks for caches.
    pub messages: Vec<Value>,
}

/// One dialect's wire.
pub trait Wire: Sync {
    /// Its id.
    fn api(&self) -> &'static str;

    /// Whether it has this.
    fn supports(&self, feature: Feature) -> bool;

    /// An answer, in the bytes of its events.
    fn encode_events(&self, answer: &Answer) -> Vec<Vec<u8>>;

    /// The body of a refusal.
    fn error_body(&self, status: u16, words: &str) -> String;

    /// What a body says.
    fn parse_request(&self, body: &Value) -> ParsedRequest;

    /// What a login knows of its account.
    fn account(&self) -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// Whether it is this dialect's second way, over a WebSocket.
    fn is_socket(&self) -> bool {
        false
    }

    /// What the model's data must say.
    fn model(&self, model: &mut bowline::llm::model::Model) {
        model.reasoning = true;
    }
}

/// A server-sent event.
pub fn sse(data: &Value) -> Vec<u8> {
    let name = data["type"].as_str().map_or_else(String::new, |name| format!("event: {name}\n"));
    format!("{name}data: {data}\n\n").into_bytes()
}

/// The elements of an array; none where there is no array.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The texts under a name in the elements of an array.
pub fn texts(value: &Value, name: &str) -> Vec<String> {
    list(value).filter_map(|item| item[name].as_str()).map(str::to_string).collect()
}
