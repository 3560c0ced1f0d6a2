//! Middleware: what stands between whoever asks and the adapter that answers.
//!
//! Must not know any provider. The first layer is the outermost; each hands the request on, or not,
//! and may watch or change the events of the answer.

use std::sync::Arc;

use crate::llm::model::Request;
use crate::llm::provider::{EventStream, Provider};

/// One layer. Keeps to the provider's contract: never fails but by an event.
pub trait Layer: Send + Sync {
    /// Answers a request, by way of `next` as a rule.
    fn stream(&self, request: Request, next: Next) -> EventStream;
}

/// What is behind a layer.
pub struct Next {
    layers: Arc<[Arc<dyn Layer>]>,
    at: usize,
    last: Arc<dyn Provider>,
}

impl Next {
    /// All layers, and the adapter behind them.
    pub fn first(layers: Arc<[Arc<dyn Layer>]>, last: Arc<dyn Provider>) -> Self {
        Self { layers, at: 0, last }
    }

    /// Hands a request on.
    pub fn stream(mut self, request: Request) -> EventStream {
        match self.layers.get(self.at).cloned() {
            Some(layer) => {
                self.at += 1;
                layer.stream(request, self)
            }
            None => self.last.stream(request),
        }
    }
}
