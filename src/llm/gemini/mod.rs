//! The wire of Google's models, which two services speak: the body of a request and the reader of
//! its stream.
//!
//! Pure. Must not know where the services are or how they want to be paid.

pub mod body;
pub mod contents;
pub mod errors;
pub mod generation;
pub mod partial_args;
pub mod schema;
pub mod stream;
