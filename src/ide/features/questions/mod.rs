//! User questions: questions that the model asks the user.

use crate::ide::core::feature::Feature;

pub mod draw;
pub mod events;
pub mod layer;
pub mod view;

/// The feature's row.
pub const FEATURE: Feature = Feature { ..Feature::new("questions") };
