//! What a provider adapter writes its answer into: each step yields the event that tells of it.
//!
//! Must not know any wire format. Keeps events and message from ever telling different stories.

use crate::llm::model::{ErrorKind, LlmError, Model, Prices, StopReason, StreamEvent, Usage};
use crate::llm::stream::accumulate::Accumulator;

/// An answer in the making.
#[derive(Debug)]
pub struct StreamBuilder {
    all: Accumulator,
    model: Model,
    /// What the provider charged in dollars, where it says so.
    charged: Option<f64>,
    /// The counts that were told last.
    told: Usage,
}

impl StreamBuilder {
    /// An empty answer of this model.
    pub fn new(model: &Model, now_ms: u64) -> Self {
        Self {
            all: Accumulator::new(model, now_ms),
            model: model.clone(),
            charged: None,
            told: Usage::default(),
        }
    }

    /// Opens a text part and returns its index too.
    pub fn open_text(&mut self) -> (usize, StreamEvent) {
        let index = self.all.next_index();
        (index, self.tell(StreamEvent::TextStart { index }))
    }

    /// Opens a thinking part.
    pub fn open_thinking(&mut self) -> (usize, StreamEvent) {
        let index = self.all.next_index();
        (index, self.tell(StreamEvent::ThinkingStart { index }))
    }

    /// Opens a tool call.
    pub fn open_call(&mut self, id: String, name: String) -> (usize, StreamEvent) {
        let index = self.all.next_index();
        (index, self.tell(StreamEvent::ToolCallStart { index, id, name }))
    }

    /// A thinking part whose content only the provider can read.
    pub fn redacted(&mut self, data: String) -> usize {
        let index = self.all.next_index();
        self.all.redact(index, data);
        index
    }

    /// The answer begins anew: what came is void. The time stamp stays.
    pub fn restart(&mut self, model: &Model) -> StreamEvent {
        *self = Self::new(model, self.all.meta().timestamp);
        self.tell(StreamEvent::Start)
    }

    /// Whether anything of the answer has come.
    pub fn has_content(&self) -> bool {
        self.all.has_content()
    }

    /// What a part has so far: its text, or a call's arguments as they came.
    pub fn so_far(&self, index: usize) -> &str {
        self.all.so_far(index)
    }

    /// Another text in the place of what a text part has.
    pub fn replace_text(&mut self, index: usize, text: String) -> [StreamEvent; 2] {
        [self.tell(StreamEvent::TextStart { index }), self.text(index, text)]
    }

    /// The same for a thinking part.
    pub fn replace_thinking(&mut self, index: usize, text: String) -> [StreamEvent; 2] {
        [self.tell(StreamEvent::ThinkingStart { index }), self.thinking(index, text)]
    }

    /// More text.
    pub fn text(&mut self, index: usize, delta: String) -> StreamEvent {
        self.tell(StreamEvent::TextDelta { index, delta })
    }

    /// More thinking.
    pub fn thinking(&mut self, index: usize, delta: String) -> StreamEvent {
        self.tell(StreamEvent::ThinkingDelta { index, delta })
    }

    /// More of a thinking part's signature.
    pub fn sign(&mut self, index: usize, piece: &str) {
        self.all.sign(index, piece);
    }

    /// Opaque data that must go back with a text or a call, or is a thinking part's signature.
    pub fn attach(&mut self, index: usize, data: String) {
        self.all.attach(index, data);
    }

    /// The whole of a call's arguments, where a provider repeats them at the end.
    pub fn whole_arguments(&mut self, index: usize, whole: String) {
        self.all.arguments(index, whole);
    }

    /// More of a call's arguments.
    pub fn arguments(&mut self, index: usize, delta: String) -> StreamEvent {
        self.tell(StreamEvent::ToolCallDelta { index, delta })
    }

    /// The end of a tool call; `None` when the part is none.
    pub fn close_call(&mut self, index: usize) -> Option<StreamEvent> {
        let call = self.all.call(index)?;
        Some(self.tell(StreamEvent::ToolCallEnd { index, call }))
    }

    /// What the provider says about the response itself.
    pub fn response(&mut self, id: Option<String>, model: Option<String>) {
        let asked = self.model.id.clone();
        let meta = self.all.meta();
        meta.response_id = id.or_else(|| meta.response_id.take());
        if let Some(model) = model {
            meta.response_model = Some(model).filter(|model| *model != asked);
        }
    }

    /// The counts so far, to be changed; cost and total follow at the end.
    pub fn usage(&mut self) -> &mut Usage {
        &mut self.all.meta().usage
    }

    /// The event that tells the counts so far, where they are others than those that were told last.
    pub fn counts(&mut self) -> Option<StreamEvent> {
        let usage = &self.all.meta().usage;
        if *usage == self.told {
            return None;
        }
        self.told.clone_from(usage);
        let mut usage = Box::new(self.told.clone());
        self.model.price(&mut usage);
        Some(StreamEvent::Usage(usage))
    }

    /// That this answer costs so many times the list price.
    pub fn at_times_the_price(&mut self, factor: f64) {
        let tiers = self.model.cost.tiers.iter_mut().map(|tier| &mut tier.cost);
        for cost in tiers.chain([&mut self.model.cost.base]) {
            for price in [&mut cost.input, &mut cost.output, &mut cost.cache_read, &mut cost.cache_write] {
                *price *= factor;
            }
        }
    }

    /// What the provider charged for this answer, in dollars: it knows better than any list.
    pub fn charged(&mut self, dollars: f64) {
        self.charged = Some(dollars).filter(|dollars| dollars.is_finite() && *dollars >= 0.0);
    }

    /// Another model answered, at these prices.
    pub fn priced_as(&mut self, prices: Prices) {
        self.model.cost = prices;
    }

    /// Why it ended, with the provider's word.
    pub fn stop(&mut self, reason: StopReason, raw: Option<String>) {
        let meta = self.all.meta();
        meta.stop_reason = reason;
        meta.raw_stop_reason = raw;
    }

    /// The last event of a whole answer.
    pub fn done(self) -> StreamEvent {
        StreamEvent::Done { message: Box::new(self.message()) }
    }

    /// The last event of an answer that broke off, with what had come.
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

    fn tell(&mut self, event: StreamEvent) -> StreamEvent {
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
        assert_eq!(draft.counts(), None, "nobody has counted");
        draft.usage().input = 500_000;
        let Some(StreamEvent::Usage(usage)) = draft.counts() else { panic!("somebody has") };
        assert_eq!((usage.input, usage.total_tokens), (500_000, 500_000));
        assert!((usage.cost.total - 1.0).abs() < 1e-9, "{:?}", usage.cost);
        assert_eq!(draft.counts(), None, "they are the same");
        draft.usage().output = 1;
        assert!(draft.counts().is_some());
    }

    #[test]
    fn stream_builder_price_factor_scales_cost() {
        let mut model = Model::unknown("p", "m", "a", "");
        model.cost.base = Cost { input: 2.0, output: 10.0, ..Cost::default() };
        let mut draft = StreamBuilder::new(&model, 0);
        draft.at_times_the_price(0.5);
        draft.usage().input = 1_000_000;
        let StreamEvent::Done { message } = draft.done() else { panic!("it is whole") };
        assert!((message.usage.cost.total - 1.0).abs() < 1e-9, "{:?}", message.usage.cost);
    }
}
