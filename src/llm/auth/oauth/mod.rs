//! OAuth logins: differences between providers are rows of `assets/logins.json`, the flows are shared.
//!
//! Must not know terminals or screens: the dialog goes through [`LoginUi`]. A row contains no client id of
//! another product: if a provider accepts only registered clients, the user must supply one.

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
