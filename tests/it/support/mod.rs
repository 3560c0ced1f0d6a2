//! What several tests need.

pub mod anthropic;
pub mod desk;
pub mod pty;
pub mod snaps;
