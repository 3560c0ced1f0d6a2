//! Notifications while another window has the focus: the agent is done, failed, or asks.

use crate::ide::core::feature::Feature;

pub mod events;

/// The feature's row.
pub const FEATURE: Feature = Feature { on_event: events::notify, ..Feature::new("notifications") };
