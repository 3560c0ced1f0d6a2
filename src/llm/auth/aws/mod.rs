//! Keys for Amazon's cloud: the chain of places where its own programs look.
//!
//! `chain` is the order and what is kept, `ini` reads the files of profiles, `profile` follows one,
//! `sts` exchanges tokens and keys for keys of a role, `machine` asks container and machine.

pub mod chain;
pub mod ini;
mod machine;
mod profile;
mod sts;
