//! Permission requests: whether a tool call may run.

pub mod dialog;
pub mod port;
pub mod requests;
pub mod rules;
