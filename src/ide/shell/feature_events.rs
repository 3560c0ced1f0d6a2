//! Notifies the editor and every feature of facts, and collects their deadlines. Must not know what they do.

use std::time::Duration;

use crate::ide::core::context::Cx;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::state::State;
use crate::ide::editor::view::{highlighting, scan};

/// Notifies the editor and all features of a fact.
pub fn notify_all(cx: &mut Cx<'_>, fact: FeatureEvent) {
    if matches!(fact, FeatureEvent::FrameSent | FeatureEvent::DeadlineReached) {
        highlighting::start_jobs(cx);
        scan::start_scan(cx);
    }
    feature::notify(cx, fact);
}

/// Returns when something becomes due by time alone, on the monotonic clock.
pub fn deadline(state: &State) -> Option<Duration> {
    let features = state.catalog.features.iter().filter_map(|feature| (feature.deadline)(state));
    features.chain(highlighting::deadline(state)).min()
}
