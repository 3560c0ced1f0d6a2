//! What servers answer, in our own words. Lists are decoded item by item, so that one odd item costs itself. Pure.

pub mod completion;
pub mod diagnostics;
pub mod hover;
pub mod list;
pub mod locations;
pub mod signature;
