//! What was open in a folder comes back with the next start there.

use crate::ide::core::feature::{Fact, Feature};

pub mod restore;
pub mod state;
pub mod store;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|options| Box::new(state::Restoring::of(options))],
    on_fact: |cx, fact| match fact {
        Fact::BeforeSleep => restore::watch(cx),
        Fact::Due => restore::tick(cx),
        Fact::Saved { is_renamed: true, .. } => cx.state.slots[state::RESTORING].renamed(),
        _ => {}
    },
    deadline: |state| state.slots[state::RESTORING].due,
    ..Feature::new("reopen")
};
