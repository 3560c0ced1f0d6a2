//! What several tests need.

pub mod pty;
