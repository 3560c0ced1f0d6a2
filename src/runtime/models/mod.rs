//! Which models a session can use, and which one it uses.
//!
//! `access` reads the catalog and credentials and makes the client, `available` shares the list of usable
//! models, `choice` resolves model and thinking level, `refresh` asks providers for their lists, `reload` does
//! all of it again after a login. Must not know the conversation.

#[doc(hidden)]
pub mod access;
#[doc(hidden)]
pub mod available;
#[doc(hidden)]
pub mod choice;
pub mod refresh;
#[doc(hidden)]
pub mod reload;
