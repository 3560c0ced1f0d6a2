//! State of the feature. Plain data.

use crate::ide::core::slots::Slot;
use crate::ide::model::view::ask_when_still::AskWhenStill;

/// Slot of the feature's state.
pub const INLAY_HINTS: Slot<InlayHints> = Slot::new();

/// State of the feature.
pub struct InlayHints {
    /// Whether hints are shown.
    pub is_on: bool,
    /// The texts about which servers are asked.
    pub texts: AskWhenStill,
}

impl InlayHints {
    /// Returns the state of a program that has just started.
    pub fn new(is_on: bool) -> Self {
        Self { is_on, texts: AskWhenStill::default() }
    }
}
