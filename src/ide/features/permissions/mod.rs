//! Permission requests: whether a tool call may run.

use crate::ide::core::feature::Feature;

pub mod dialog;
pub mod port;
pub mod requests;
pub mod rules;

/// The feature's row.
pub const FEATURE: Feature = Feature {
    slots: &[|_| Box::new(requests::PermissionRequests::default())],
    ..Feature::new("permissions")
};
