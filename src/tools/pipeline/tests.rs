//! The ways of one call.
