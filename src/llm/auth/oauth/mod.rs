//! Logins: what differs between providers is a row of `assets/logins.json`, the flows are shared.
//!
//! Must not know terminals or screens: whoever logs in talks through [`Talk`]. A row names no client
//! of another product: where a provider gives tokens only to clients that it has registered, the
//! person has to name one.

pub mod copilot;
pub mod device;
pub mod flow;
pub mod pkce;
pub mod renew;
pub mod row;
pub mod talk;
pub mod token;

pub use row::{Flow, LoginRow, find, rows};
pub use talk::{LoginError, Talk};
