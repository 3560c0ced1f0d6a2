//! Budget layer: refuses a call that could exceed the limit, or reduces its output limit.
//!
//! Must not know any provider. Prices come from the catalog; a model without prices counts as free.

use std::sync::Arc;

use futures::{FutureExt, StreamExt, stream};
use parking_lot::Mutex;

use crate::llm::layers::layer::{Layer, Next};
use crate::llm::model::usage::HOUR;
use crate::llm::model::{
    CacheRetention, ErrorKind, KnownPart, LlmError, Message, Part, Request, StreamEvent,
};
use crate::llm::provider::EventStream;
use crate::llm::request::media;
use crate::llm::stream_builder::StreamBuilder;

/// Bytes of text per token: lower than for any tokenizer on prose, so that the estimate is high.
const BYTES_PER_TOKEN: f64 = 2.5;
/// Estimated tokens of an image.
const IMAGE_TOKENS: f64 = 2000.0;
/// Minimum output limit that is worth a call.
const MIN_ANSWER_TOKENS: u64 = 256;

/// The budget in US dollars, shared by all clones.
#[derive(Debug, Clone)]
pub struct Budget {
    limit: f64,
    ledger: Arc<Mutex<Ledger>>,
}

#[derive(Debug, Default)]
struct Ledger {
    spent: f64,
    /// Maximum cost of the calls in progress.
    reserved: f64,
}

/// Reservation of one call, settled at its end or when it is dropped.
struct Reservation {
    ledger: Arc<Mutex<Ledger>>,
    /// The maximum, in dollars.
    max_cost: f64,
    /// Cost of the prompt, estimated high.
    prompt_cost: f64,
    /// Price per million output tokens.
    output_price: f64,
    /// Whether the call was made.
    was_sent: bool,
    /// Bytes of the answer so far.
    answer_bytes: usize,
    settled: bool,
}

impl Budget {
    /// Creates a budget.
    pub fn new(dollars: f64) -> Self {
        Self { limit: dollars, ledger: Arc::default() }
    }

    /// Returns the amount spent so far.
    pub fn spent(&self) -> f64 {
        self.ledger.lock().spent
    }

    /// Returns the request with an output limit that cannot exceed the budget, even if every call in progress
    /// costs its maximum.
    fn reserve(&self, mut request: Request) -> Result<(Request, Reservation), Box<(LlmError, Request)>> {
        let tokens = tokens(&request);
        let prices = request.model.cost.for_prompt(tokens as u64);
        let output = prices.output;
        let hour = if request.cache == CacheRetention::Long { HOUR * prices.input } else { 0.0 };
        let prompt = tokens * prices.input.max(prices.cache_write).max(hour) / 1e6;
        let requested = request.max_tokens.unwrap_or(request.model.max_tokens).min(request.model.max_tokens);
        // Held until the reservation is made: two calls must not get the same money.
        let mut ledger = self.ledger.lock();
        let left = self.limit - ledger.spent - ledger.reserved - prompt;
        let affordable = if output > 0.0 { left.max(0.0) * 1e6 / output } else { f64::MAX };
        if left < 0.0 || affordable < MIN_ANSWER_TOKENS.min(requested) as f64 {
            let text = format!(
                "{}: not asked: ${:.2} of the budget of ${:.2} are spent, and this could go beyond it \
                 (raise the setting `budget`, or choose a cheaper model)",
                request.model.provider, ledger.spent, self.limit
            );
            let error = LlmError::new(ErrorKind::Budget, request.model.provider.clone(), text);
            return Err(Box::new((error, request)));
        }
        if affordable < requested as f64 {
            request.max_tokens = Some(affordable as u64);
        }
        let most = prompt + affordable.min(requested as f64) * output / 1e6;
        ledger.reserved += most;
        let ledger = self.ledger.clone();
        let promise = Reservation {
            ledger,
            max_cost: most,
            prompt_cost: prompt,
            output_price: output,
            was_sent: false,
            answer_bytes: 0,
            settled: false,
        };
        Ok((request, promise))
    }
}

impl Reservation {
    fn count_event(&mut self, event: &StreamEvent) {
        match event {
            StreamEvent::TextDelta { delta, .. }
            | StreamEvent::ThinkingDelta { delta, .. }
            | StreamEvent::ToolCallDelta { delta, .. } => self.answer_bytes += delta.len(),
            StreamEvent::Done { message } => self.settle(message.usage.cost.total),
            // Many servers report usage only at the end: an answer that broke off was not free.
            StreamEvent::Error { message, .. } => {
                let least = if self.answer_bytes > 0 { self.estimate() } else { 0.0 };
                self.settle(message.usage.cost.total.max(least));
            }
            _ => {}
        }
    }

    /// Returns the call's cost so far, estimated high.
    fn estimate(&self) -> f64 {
        self.prompt_cost + self.answer_bytes as f64 / BYTES_PER_TOKEN * self.output_price / 1e6
    }

    fn settle(&mut self, cost: f64) {
        if !std::mem::replace(&mut self.settled, true) {
            let mut ledger = self.ledger.lock();
            ledger.spent += cost;
            ledger.reserved = (ledger.reserved - self.max_cost).max(0.0);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        // An interrupted call still costs the prompt and the output so far.
        let cost = if self.was_sent { self.estimate().min(self.max_cost) } else { 0.0 };
        self.settle(cost);
    }
}

impl Layer for Budget {
    fn stream(&self, request: Request, next: Next) -> EventStream {
        let (request, mut promise) = match self.reserve(request) {
            Ok(allowed) => allowed,
            Err(refused) => {
                let (error, request) = *refused;
                return stream::iter([StreamBuilder::new(&request.model, 0).fail(error)]).boxed();
            }
        };
        let begin = async move {
            promise.was_sent = true;
            next.stream(request).inspect(move |event| promise.count_event(event))
        };
        begin.into_stream().flatten().boxed()
    }
}

/// Returns a high estimate of a prompt's tokens.
fn tokens(request: &Request) -> f64 {
    let system: usize = request.system.iter().map(String::len).sum();
    let tools = request.tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len());
    let parts = request.messages.iter().flat_map(|message| match message {
        Message::User(user) => user.content.iter(),
        Message::Assistant(answer) => answer.content.iter(),
        Message::ToolResult(result) => result.content.iter(),
    });
    let form = request.format.as_ref().map_or(0, |format| format.schema.to_string().len());
    let (mut bytes, mut images, mut heavy) = (system + form + tools.sum::<usize>(), 0.0, 0);
    for part in parts {
        match part {
            Part::Known(KnownPart::Image { .. }) => images += 1.0,
            Part::Known(KnownPart::Document { data, .. }) => heavy += media::document_tokens(data.len()),
            Part::Known(KnownPart::Audio { data, .. }) => heavy += media::sound_tokens(data.len()),
            Part::Known(KnownPart::Text { text, text_signature }) => {
                bytes += text.len() + text_signature.as_ref().map_or(0, String::len);
            }
            Part::Known(KnownPart::Thinking { thinking, thinking_signature, .. }) => {
                bytes += thinking.len() + thinking_signature.as_ref().map_or(0, String::len);
            }
            Part::Known(KnownPart::ToolCall(call)) => bytes += call.arguments.to_string().len(),
            Part::Unknown(_) => {}
        }
    }
    bytes as f64 / BYTES_PER_TOKEN + images * IMAGE_TOKENS + heavy as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::client::Client;
    use crate::llm::model::{Cost, Model, Prices, Usage, UserMessage};
    use crate::llm::providers::scripted::script::{Scripted, Step, Turn};

    /// A dollar for a million tokens in, ten for a million out.
    fn client(budget: &Budget, turns: usize) -> (Arc<Scripted>, Client, Request) {
        let usage = Usage { input: 1000, output: 900, ..Usage::default() };
        let turn = || Turn { usage: usage.clone(), ..Turn::text("ok") };
        let (script, injected) = Scripted::injected((0..turns).map(|_| turn()).collect());
        let mut client = Client::new();
        client.register(injected.provider, injected.models);
        let client = client.with_layers(vec![Arc::new(budget.clone())]);
        let base = Cost { input: 1.0, output: 10.0, ..Cost::default() };
        let cost = Prices { base, tiers: Vec::new() };
        let model = Model { cost, max_tokens: 1000, ..(*client.models()[0]).clone() };
        let messages = vec![Message::User(UserMessage::text("x".repeat(2500), 0))];
        (script, client, Request { model, messages, ..Request::default() })
    }

    async fn ask(client: &Client, request: &Request) -> Option<ErrorKind> {
        match client.stream(request.clone()).collect::<Vec<_>>().await.pop() {
            Some(StreamEvent::Error { error, .. }) => Some(error.kind),
            _ => None,
        }
    }

    #[tokio::test]
    async fn budget_shortens_answers_then_refuses() {
        // A call costs $0.010: $0.001 for the prompt, $0.009 for the answer.
        let budget = Budget::new(0.025);
        let (script, client, request) = client(&budget, 3);
        assert_eq!([ask(&client, &request).await, ask(&client, &request).await], [None, None]);
        assert!((budget.spent() - 0.02).abs() < 1e-9, "{}", budget.spent());
        assert_eq!(ask(&client, &request).await, None);
        let limits: Vec<_> = script.requests().iter().map(|asked| asked.max_tokens).collect();
        assert_eq!(limits, [None, None, Some(400)], "the last one cannot go beyond the limit");
        assert_eq!(ask(&client, &request).await, Some(ErrorKind::Budget));
        assert_eq!(script.requests().len(), 3, "nothing was asked any more");
    }

    #[tokio::test]
    async fn budget_reserves_cost_of_running_calls() {
        let budget = Budget::new(0.015);
        let (script, client, request) = client(&budget, 3);
        let first = client.stream(request.clone());
        let second = client.stream(request.clone());
        let third = client.stream(request.clone());
        assert!(script.requests().is_empty(), "nobody has asked yet");
        let last = |events: Vec<StreamEvent>| match events.last() {
            Some(StreamEvent::Error { error, .. }) => Some(error.kind),
            _ => None,
        };
        assert_eq!(last(third.collect().await), Some(ErrorKind::Budget), "the first two may take it all");
        assert_eq!(last(second.collect().await), None);
        assert_eq!(script.requests()[0].max_tokens, Some(300), "$0.003 behind what the first may cost");
        drop(first);
        assert!((budget.spent() - 0.01).abs() < 1e-9, "what was never asked is free: {}", budget.spent());
        assert!(budget.ledger.lock().reserved.abs() < 1e-9);
    }

    #[tokio::test]
    async fn budget_charges_dropped_and_broken_answers() {
        let budget = Budget::new(1.0);
        let (script, client, request) = client(&budget, 0);
        script.push([Turn::of(vec![Step::Text(vec!["x".repeat(250)]), Step::Stall])]);
        let mut answer = client.stream(request.clone());
        while let Some(event) = answer.next().await {
            if matches!(event, StreamEvent::TextDelta { .. }) {
                break;
            }
        }
        drop(answer);
        // A thousand tokens of the prompt, a hundred of the answer.
        assert!((budget.spent() - 0.002).abs() < 1e-9, "{}", budget.spent());
        let broken = LlmError::new(ErrorKind::Stream, "scripted", "it broke");
        let turn = Turn {
            usage: Usage::default(),
            ..Turn::of(vec![Step::Text(vec!["x".repeat(250)]), Step::Fail(broken)])
        };
        script.push([turn]);
        assert_eq!(ask(&client, &request).await, Some(ErrorKind::Stream));
        assert!((budget.spent() - 0.004).abs() < 1e-9, "{}", budget.spent());
    }

    #[tokio::test]
    async fn budget_model_without_prices_is_free() {
        let budget = Budget::new(0.0);
        let (_script, client, mut request) = client(&budget, 1);
        request.model.cost = Prices::default();
        assert_eq!(ask(&client, &request).await, None);
    }
}
