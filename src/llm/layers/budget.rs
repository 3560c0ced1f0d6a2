//! A limit of money: a call that could go beyond it is not made, or may say less.
//!
//! Must not know any provider. Prices are the catalog's; a model without prices costs nothing here.

use std::sync::{Arc, Mutex, PoisonError};

use futures::{StreamExt, stream};

use crate::llm::draft::Draft;
use crate::llm::layer::{Layer, Next};
use crate::llm::model::usage::HOUR;
use crate::llm::model::{
    CacheRetention, ErrorKind, KnownPart, LlmError, Message, Part, Request, StreamEvent,
};
use crate::llm::provider::EventStream;

/// Bytes of text per token: fewer than any tokenizer takes for prose, so that the guess is high.
const BYTES_PER_TOKEN: f64 = 2.5;
/// Tokens that an image is taken for.
const IMAGE_TOKENS: f64 = 2000.0;
/// An answer shorter than this is not worth asking for.
const LEAST_ANSWER: u64 = 256;

/// What may be spent, in US dollars, by everybody who shares it.
#[derive(Debug, Clone)]
pub struct Budget {
    limit: f64,
    spent: Arc<Mutex<f64>>,
}

impl Budget {
    /// Nothing is spent yet.
    pub fn new(dollars: f64) -> Self {
        Self { limit: dollars, spent: Arc::default() }
    }

    /// What was spent so far.
    pub fn spent(&self) -> f64 {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The request as it may be made, with an answer that cannot go beyond the limit.
    fn allow(&self, mut request: Request) -> Result<Request, Box<(LlmError, Request)>> {
        let tokens = tokens(&request);
        let prices = request.model.cost.for_prompt(tokens as u64);
        let hour = if request.cache == CacheRetention::Long { HOUR * prices.input } else { 0.0 };
        let dearest = prices.input.max(prices.cache_write).max(hour);
        let left = self.limit - self.spent() - tokens * dearest / 1e6;
        let wished = request.max_tokens.unwrap_or(request.model.max_tokens).min(request.model.max_tokens);
        let affordable = if prices.output > 0.0 { left.max(0.0) * 1e6 / prices.output } else { f64::MAX };
        if left < 0.0 || affordable < LEAST_ANSWER.min(wished) as f64 {
            let text = format!(
                "{}: not asked: ${:.2} of the budget of ${:.2} are spent, and this could go beyond it \
                 (raise the setting `budget`, or choose a cheaper model)",
                request.model.provider,
                self.spent(),
                self.limit
            );
            return Err(Box::new((
                LlmError::new(ErrorKind::Budget, request.model.provider.clone(), text),
                request,
            )));
        }
        if affordable < wished as f64 {
            request.max_tokens = Some(affordable as u64);
        }
        Ok(request)
    }
}

impl Layer for Budget {
    fn stream(&self, request: Request, next: Next) -> EventStream {
        let request = match self.allow(request) {
            Ok(request) => request,
            Err(refused) => {
                let (error, request) = *refused;
                return stream::iter([Draft::new(&request.model, 0).fail(error)]).boxed();
            }
        };
        let spent = self.spent.clone();
        let watch = move |event: StreamEvent| {
            if let StreamEvent::Done { message } | StreamEvent::Error { message, .. } = &event {
                *spent.lock().unwrap_or_else(PoisonError::into_inner) += message.usage.cost.total;
            }
            event
        };
        next.stream(request).map(watch).boxed()
    }
}

/// A high guess of a prompt's tokens.
fn tokens(request: &Request) -> f64 {
    let system: usize = request.system.iter().map(String::len).sum();
    let tools = request.tools.iter().map(|tool| tool.description.len() + tool.parameters.to_string().len());
    let parts = request.messages.iter().flat_map(|message| match message {
        Message::User(user) => user.content.iter(),
        Message::Assistant(answer) => answer.content.iter(),
        Message::ToolResult(result) => result.content.iter(),
    });
    let (mut bytes, mut images) = (system + tools.sum::<usize>(), 0.0);
    for part in parts {
        match part {
            Part::Known(KnownPart::Image { .. }) => images += 1.0,
            Part::Known(KnownPart::Text { text, .. }) => bytes += text.len(),
            Part::Known(KnownPart::Thinking { thinking, thinking_signature, .. }) => {
                bytes += thinking.len() + thinking_signature.as_ref().map_or(0, String::len);
            }
            Part::Known(KnownPart::ToolCall(call)) => bytes += call.arguments.to_string().len(),
            Part::Unknown(_) => {}
        }
    }
    bytes as f64 / BYTES_PER_TOKEN + images * IMAGE_TOKENS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::client::Client;
    use crate::llm::model::{Cost, Model, Prices, Usage, UserMessage};
    use crate::llm::providers::scripted::script::{Scripted, Turn};

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
    async fn answers_get_shorter_and_then_stop_before_the_limit() {
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
    async fn a_model_without_prices_is_free() {
        let budget = Budget::new(0.0);
        let (_script, client, mut request) = client(&budget, 1);
        request.model.cost = Prices::default();
        assert_eq!(ask(&client, &request).await, None);
    }
}
