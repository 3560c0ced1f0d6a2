//! Language servers: what is said to them and what they answer, in words of our own.
//!
//! Layer 2. May import `base`; must not know editors, agents, nor who starts a server's process.

pub mod table;
pub mod wire;
