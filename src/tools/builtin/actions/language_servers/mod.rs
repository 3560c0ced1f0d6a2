//! Asks language servers: `ask` is the action, `question` reads its arguments, `diagnostics`, `locations`, `symbols` and `server` answer,
//! `rename`, `code_actions` and `request` find out what would change.
//!
//! Must not know which families exist, nor who starts servers.

pub mod ask;
pub mod code_actions;
pub mod diagnostics;
pub mod locations;
pub mod question;
pub mod rename;
pub mod request;
pub mod server;
pub mod symbols;
