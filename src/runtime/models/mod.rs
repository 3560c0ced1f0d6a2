//! Usable models of a session, and the choice of one.
//!
//! `access` reads the catalog and credentials and makes the client, `available` shares the list of usable
//! models, `choice` resolves model and thinking level, `refresh` fetches the providers' lists, `reload` does
//! all of it again after a login, `credentials` reports which providers have a key and from where, `providers` lists
//! all of them, `key_test` sends a test request. Must not know the conversation.

#[doc(hidden)]
pub mod access;
#[doc(hidden)]
pub mod available;
#[doc(hidden)]
pub mod choice;
#[doc(hidden)]
pub mod credentials;
#[doc(hidden)]
pub mod key_test;
#[doc(hidden)]
pub mod providers;
pub mod refresh;
#[doc(hidden)]
pub mod reload;
