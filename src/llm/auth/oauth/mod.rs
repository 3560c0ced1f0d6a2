//! Logins: what differs between providers is a row of `assets/logins.json`, the flows are shared.
//!
//! Must not know terminals or screens: whoever logs in talks through [`LoginUi`]. A row names no client
//! of another product: where a provider gives tokens only to clients that it has registered, the
//! person has to name one.

pub mod copilot;
pub mod device;
pub mod flow;
pub mod login_ui;
pub mod pkce;
pub mod refresh;
pub mod row;
pub mod token;

pub use login_ui::{LoginError, LoginUi};
pub use row::{Flow, LoginRow, find, rows};
