//! The protocol: JSON-RPC 2.0 over any two streams. Must not know what a method means.

pub mod connection;
pub mod message;
pub mod outbox;
