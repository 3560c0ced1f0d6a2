//! RPC: another program drives a session by lines of JSON.

pub mod answer;
pub mod command;
pub mod desk;
pub mod long;
pub mod outbox;
pub mod quick;
pub mod serve;
pub mod whole;

pub use desk::Desk;
pub use serve::{Ports, serve};
