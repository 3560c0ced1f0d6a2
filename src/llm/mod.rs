//! Language model access: plain data, the provider contract, and one folder per dialect.
//!
//! Layer 2. May import `base` and `net`; must not know agents, tools that run, sessions or terminals.
//!
//! [`model`] has the data, [`provider`] the contract, [`providers`] an adapter per dialect (`gemini` and `responses`
//! are shared by several). What adapters share is in `request` (building), `stream` (reading) and `errors`; `auth` finds
//! keys, `catalog` and `discovery` the models. A host starts with [`Client`] or [`generate`].

#[doc(hidden)]
pub mod access;
#[doc(hidden)]
pub mod auth;
#[doc(hidden)]
pub mod catalog;
#[doc(hidden)]
pub mod client;
#[doc(hidden)]
pub mod discovery;
#[doc(hidden)]
pub mod errors;
#[doc(hidden)]
pub mod gemini;
pub mod generate;
#[doc(hidden)]
pub mod layers;
pub mod model;
pub mod object;
pub mod provider;
pub mod providers;
#[doc(hidden)]
pub mod request;
#[doc(hidden)]
pub mod responses;
pub mod retry;
#[doc(hidden)]
pub mod stream;
pub mod stream_builder;

pub use client::Client;
pub use provider::Injected;
