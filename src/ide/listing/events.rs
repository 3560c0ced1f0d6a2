//! What comes of work for lists, handed on to whom it concerns.

use super::job::Outcome;
use super::{apply, places};
use crate::ide::commands::Cx;

/// Something came of the work for a list.
pub fn happened(cx: &mut Cx<'_>, outcome: Outcome) {
    match outcome {
        Outcome::Found(list, batch) => places::found(cx, list, batch),
        Outcome::Searched(list, done) => places::searched(cx, list, done),
        Outcome::Planned(plan) => apply::planned(cx, plan),
        Outcome::Written(results) => apply::written(cx, results),
    }
}
