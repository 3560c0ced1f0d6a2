//! State of the feature. Plain data.

use std::time::Duration;

use crate::ide::core::slots::Slot;

/// Slot of the feature's state.
pub const SYMBOLS: Slot<Symbols> = Slot::new();

/// State of the feature.
#[derive(Debug, Default)]
pub struct Symbols {
    /// When language servers are asked for the query that is typed, on the monotonic clock, and the number of its list.
    pub search_at: Option<(Duration, u64)>,
}
