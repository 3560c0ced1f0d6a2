//! What the next request will hold: shown, and changed by hand.

pub mod ask;
pub mod events;
