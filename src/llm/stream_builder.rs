//! Builder of a streaming answer: each step returns the event for it.
//!
//! Must not know any wire format. Keeps events and message consistent.

use crate::llm::model::{ErrorKind, LlmError, Model, Prices, StopReason, StreamEvent, Usage};
use crate::llm::stream::accumulate::Accumulator;

/// A partial answer.
#[derive(Debug)]
pub struct StreamBuilder {
    all: Accumulator,
    model: Model,
    /// The provider's charge in dollars, if it reports one.
    charged: Option<f64>,
    /// The usage that was emitted last.
    reported_usage: Usage,
}

impl StreamBuilder {
    /// Creates an empty answer of this model.
    pub fn new(model: &Model, now_ms: u64) -> Self {
        Self {
            all: Accumulator::new(model, now_ms),
            model: model.clone(),
            charged: None,
            reported_usage: Usage::default(),
        }
    }

    /// Opens a text part; also returns its index.
    pub fn open_text(&mut self) -> (usize, StreamEvent) {
        let index = self.all.next_index();
        (index, self.push_event(StreamEvent::TextStart { index }))
    }

    /// Opens a thinking part.
    pub fn open_thinking(&mut self) -> (usize, StreamEvent) {
        let index = self.all.next_index();
        (index, self.push_event(StreamEvent::ThinkingStart { index }))
    }

    /// Opens a tool call.
    pub fn open_call(&mut self, id: String, name: String) -> (usize, StreamEvent) {
        let index = self.all.next_index();
        (index, self.push_event(StreamEvent::ToolCallStart { index, id, name }))
    }

    /// Adds a thinking part with encrypted content.
    pub fn redacted(&mut self, data: String) -> usize {
        let index = self.all.next_index();
        self.all.redact(index, data);
        index
    }

    /// Starts over: the content so far is void. The timestamp stays.
    pub fn restart(&mut self, model: &Model) -> StreamEvent {
        *self = Self::new(model, self.all.meta().timestamp);
        self.push_event(StreamEvent::Start)
    }

    /// Whether any content has arrived.
    pub fn has_content(&self) -> bool {
        self.all.has_content()
    }

    /// Returns a part's content so far: its text, or a call's raw arguments.
    pub fn so_far(&self, index: usize) -> &str {
        self.all.so_far(index)
    }

    /// Replaces the content of a text part.
    pub fn replace_text(&mut self, index: usize, text: String) -> [StreamEvent; 2] {
        [self.push_event(StreamEvent::TextStart { index }), self.text(index, text)]
    }

    /// The same for a thinking part.
    pub fn replace_thinking(&mut self, index: usize, text: String) -> [StreamEvent; 2] {
        [self.push_event(StreamEvent::ThinkingStart { index }), self.thinking(index, text)]
    }

    /// Appends text.
    pub fn text(&mut self, index: usize, delta: String) -> StreamEvent {
        self.push_event(StreamEvent::TextDelta { index, delta })
    }

    /// Appends thinking.
    pub fn thinking(&mut self, index: usize, delta: String) -> StreamEvent {
        self.push_event(StreamEvent::ThinkingDelta { index, delta })
    }

    /// Appends to a thinking part's signature.
    pub fn sign(&mut self, index: usize, piece: &str) {
        self.all.sign(index, piece);
    }

    /// Sets opaque data that must be sent back with a text or call, or a thinking part's signature.
    pub fn attach(&mut self, index: usize, data: String) {
        self.all.attach(index, data);
    }

    /// Sets a call's complete arguments, if a provider repeats them at the end.
    pub fn whole_arguments(&mut self, index: usize, whole: String) {
        self.all.arguments(index, whole);
    }

    /// Appends to a call's arguments.
    pub fn arguments(&mut self, index: usize, delta: String) -> StreamEvent {
        self.push_event(StreamEvent::ToolCallDelta { index, delta })
    }

    /// Ends a tool call; `None` when the part is not a call.
    pub fn close_call(&mut self, index: usize) -> Option<StreamEvent> {
        let call = self.all.call(index)?;
        Some(self.push_event(StreamEvent::ToolCallEnd { index, call }))
    }

    /// Sets the response's id and model.
    pub fn response(&mut self, id: Option<String>, model: Option<String>) {
        let requested_model = self.model.id.clone();
        let meta = self.all.meta();
        meta.response_id = id.or_else(|| meta.response_id.take());
        if let Some(model) = model {
            meta.response_model = Some(model).filter(|model| *model != requested_model);
        }
    }

    /// Returns the usage so far, mutable; cost and total are computed at the end.
    pub fn usage(&mut self) -> &mut Usage {
        &mut self.all.meta().usage
    }

    /// Returns the usage event, if the counts differ from the last one.
    pub fn changed_counts(&mut self) -> Option<StreamEvent> {
        let usage = &self.all.meta().usage;
        if *usage == self.reported_usage {
            return None;
        }
        self.reported_usage.clone_from(usage);
        let mut usage = Box::new(self.reported_usage.clone());
        self.model.price(&mut usage);
        Some(StreamEvent::Usage(usage))
    }

    /// Sets the factor on the list price.
    pub fn set_price_factor(&mut self, factor: f64) {
        let tiers = self.model.cost.tiers.iter_mut().map(|tier| &mut tier.cost);
        for cost in tiers.chain([&mut self.model.cost.base]) {
            for price in [&mut cost.input, &mut cost.output, &mut cost.cache_read, &mut cost.cache_write] {
                *price *= factor;
            }
        }
    }

    /// Sets the provider's charge in dollars, which overrides the price list.
    pub fn set_charge(&mut self, dollars: f64) {
        self.charged = Some(dollars).filter(|dollars| dollars.is_finite() && *dollars >= 0.0);
    }

    /// Sets the prices of another model that answered.
    pub fn set_prices(&mut self, prices: Prices) {
        self.model.cost = prices;
    }

    /// Sets the stop reason, with the provider's own.
    pub fn stop(&mut self, reason: StopReason, raw: Option<String>) {
        let meta = self.all.meta();
        meta.stop_reason = reason;
        meta.raw_stop_reason = raw;
    }

    /// Returns the final event of a complete answer.
    pub fn done(self) -> StreamEvent {
        StreamEvent::Done { message: Box::new(self.message()) }
    }

    /// Returns the final event of a failed answer, with its content so far.
    pub fn fail(mut self, error: LlmError) -> StreamEvent {
        let aborted = error.kind == ErrorKind::Abort;
        let meta = self.all.meta();
        meta.stop_reason = if aborted { StopReason::Aborted } else { StopReason::Error };
        meta.error_message = Some(error.message.clone());
        StreamEvent::Error { error, message: Box::new(self.message()) }
    }

    fn message(self) -> crate::llm::model::AssistantMessage {
        let mut message = self.all.finish();
        self.model.price(&mut message.usage);
        if let Some(dollars) = self.charged {
            message.usage.cost.total = dollars;
        }
        message
    }

    fn push_event(&mut self, event: StreamEvent) -> StreamEvent {
        self.all.push(&event);
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::model::Cost;

    #[test]
    fn stream_builder_keeps_response_id_and_model() {
        let mut draft = StreamBuilder::new(&Model::unknown("p", "m", "a", ""), 0);
        draft.response(Some("r".into()), Some("m-2026".into()));
        draft.response(None, None);
        let StreamEvent::Done { message } = draft.done() else { panic!("it is whole") };
        assert_eq!(
            (message.response_id.as_deref(), message.response_model.as_deref()),
            (Some("r"), Some("m-2026"))
        );
    }

    #[test]
    fn stream_builder_sends_usage_only_on_change() {
        let mut model = Model::unknown("p", "m", "a", "");
        model.cost.base = Cost { input: 2.0, ..Cost::default() };
        let mut draft = StreamBuilder::new(&model, 0);
        assert_eq!(draft.changed_counts(), None, "nobody has counted");
        draft.usage().input = 500_000;
        let Some(StreamEvent::Usage(usage)) = draft.changed_counts() else { panic!("somebody has") };
        assert_eq!((usage.input, usage.total_tokens), (500_000, 500_000));
        assert!((usage.cost.total - 1.0).abs() < 1e-9, "{:?}", usage.cost);
        assert_eq!(draft.changed_counts(), None, "they are the same");
        draft.usage().output = 1;
        assert!(draft.changed_counts().is_some());
    }

    #[test]
    fn stream_builder_price_factor_scales_cost() {
        let mut model = Model::unknown("p", "m", "a", "");
        model.cost.base = Cost { input: 2.0, output: 10.0, ..Cost::default() };
        let mut draft = StreamBuilder::new(&model, 0);
        draft.set_price_factor(0.5);
        draft.usage().input = 1_000_000;
        let StreamEvent::Done { message } = draft.done() else { panic!("it is whole") };
        assert!((message.usage.cost.total - 1.0).abs() < 1e-9, "{:?}", message.usage.cost);
    }
}
