//! Tools that are the same for every family.

pub mod close_agent;
pub mod send_input;
pub mod spawn_agent;
pub mod wait;
