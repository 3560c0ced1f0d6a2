//! What a live session sends to those who listen.
//!
//! `event` has the events of front ends, `hub` delivers them in bounded queues, `observe` has the events of
//! programs that embed bowline, `wire` writes them as pi's JSON. Must not know who listens.

#[doc(hidden)]
pub mod event;
pub mod hub;
pub mod observe;
#[doc(hidden)]
pub mod wire;
