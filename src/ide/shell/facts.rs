//! Tells the editor and every feature what happens, and asks them when time alone makes something due. Must not know
//! what they do.

use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::feature::{self, Fact};
use crate::ide::core::state::State;
use crate::ide::editor::view::{colors, scan};

/// Something happened.
pub fn tell(cx: &mut Cx<'_>, fact: Fact) {
    if matches!(fact, Fact::FrameSent | Fact::Due) {
        colors::find(cx);
        scan::find(cx);
    }
    feature::tell(cx, fact);
}

/// When time alone makes something due, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    let features = state.catalog.features.iter().filter_map(|feature| (feature.deadline)(state));
    features.chain(colors::due(state)).min()
}
