//! Middleware between the caller and the adapter.
//!
//! Must not know any provider. The first layer is the outermost; each passes the request on or answers
//! itself, and may observe or change the events of the answer.

use std::sync::Arc;

use crate::llm::model::Request;
use crate::llm::provider::{EventStream, Provider};

/// A layer. Like a provider it reports errors only as events.
pub trait Layer: Send + Sync {
    /// Answers a request, usually through `next`.
    fn stream(&self, request: Request, next: Next) -> EventStream;
}

/// The rest of the chain after a layer.
pub struct Next {
    layers: Arc<[Arc<dyn Layer>]>,
    at: usize,
    last: Arc<dyn Provider>,
}

impl Next {
    /// Returns the full chain of layers with its adapter.
    pub fn first(layers: Arc<[Arc<dyn Layer>]>, last: Arc<dyn Provider>) -> Self {
        Self { layers, at: 0, last }
    }

    /// Passes a request on.
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
