//! State of the feature. Plain data.

use crate::ide::core::slots::Slot;
use crate::ide::model::view::ask_when_still::AskWhenStill;

/// Slot of the feature's state.
pub const SEMANTIC_TOKENS: Slot<SemanticTokens> = Slot::new();

/// State of the feature.
pub struct SemanticTokens {
    /// Whether names are colored by what servers know.
    pub is_on: bool,
    /// The texts about which servers are asked.
    pub texts: AskWhenStill,
}

impl SemanticTokens {
    /// Returns the state of a program that has just started.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, texts: AskWhenStill::default() }
    }
}
