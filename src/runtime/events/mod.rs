//! Events of a live session, and their delivery.
//!
//! `event` has the events of front ends, `hub` delivers them in bounded queues, `observe` has the events of
//! programs that embed bowline, `wire` writes them as pi's JSON. Must not know who subscribes.

#[doc(hidden)]
pub mod event;
pub mod hub;
pub mod observe;
#[doc(hidden)]
pub mod wire;
