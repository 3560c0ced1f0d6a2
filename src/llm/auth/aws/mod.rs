//! AWS credentials: the chain of sources that Amazon's own tools use.
//!
//! `chain` has the order and the cache, `ini` parses profile files, `profile` resolves a profile, `sts`
//! exchanges tokens and keys for a role's keys, `machine` queries container and instance metadata.

pub mod chain;
pub mod ini;
mod instance_metadata;
mod profile;
mod sts;
