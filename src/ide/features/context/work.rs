//! What is asked of the session about its context, and what comes of it. Plain data.

use crate::runtime::contents::Contents;
use crate::runtime::moving::Told;

/// What is asked. The number is that of the view that asks.
pub enum Work {
    /// What the next request will hold.
    List(u64),
    /// What an entry says.
    Told(u64, String),
    /// Leave it out.
    LeaveOut(u64, String),
    /// Tell it again as it was.
    AsItWas(u64, String),
    /// Pin it, or take its pin away.
    Pin(u64, String, bool),
    /// Tell it with these words.
    Tell(String, String),
}

/// What came of it.
pub enum Happened {
    /// What the next request will hold.
    Listed(u64, Box<Contents>),
    /// What an entry says.
    Told(u64, String, Option<Told>),
    /// Something is another way now; what is said then.
    Changed(u64, String),
}
