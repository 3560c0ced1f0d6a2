//! What several tests need.

pub mod anthropic;
pub mod pty;
