//! What several tests need.

pub mod desk;
pub mod pty;
pub mod snaps;
