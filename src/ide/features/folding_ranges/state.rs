//! State of the feature. Plain data.

use crate::ide::core::slots::Slot;
use crate::ide::model::view::ask_when_still::AskWhenStill;

/// Slot of the feature's state.
pub const FOLDING_RANGES: Slot<FoldingRanges> = Slot::new();

/// State of the feature.
#[derive(Default)]
pub struct FoldingRanges {
    /// The texts about which servers are asked.
    pub texts: AskWhenStill,
}
