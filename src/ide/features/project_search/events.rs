//! What comes of work for lists, handed on to whom it concerns.

use crate::ide::core::context::Cx;
use crate::ide::features::project_search;
use crate::ide::features::project_search::job::Outcome;

/// Something came of the work for a list.
pub fn happened(cx: &mut Cx<'_>, outcome: Outcome) {
    match outcome {
        Outcome::Found(list, batch) => project_search::navigate::found(cx, list, batch),
        Outcome::Searched(list, done) => project_search::navigate::searched(cx, list, done),
        Outcome::Planned(plan) => project_search::apply::planned(cx, plan),
        Outcome::Written(results) => project_search::apply::written(cx, results),
    }
}
