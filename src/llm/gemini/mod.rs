//! Gemini's wire format, which two services use: request body and stream reader.
//!
//! Pure. Must not know the services' URLs or authentication.

pub mod body;
pub mod contents;
pub mod errors;
pub mod generation;
pub mod partial_args;
pub mod schema;
pub mod stream;
