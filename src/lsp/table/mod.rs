//! The table of language servers: which one serves a file, with which command line, from which folder. Built-in rows,
//! those of the user and those of the project are merged. Pure. Must not know how a server is started, nor read files.

pub mod feature;
pub mod layer;
pub mod merge;
pub mod pattern;
pub mod program;
pub mod root;
pub mod row;
mod value;

pub use feature::{Feature, Features};
pub use layer::{Layer, Mistake};
pub use merge::Table;
pub use pattern::Pattern;
pub use row::{Formatter, Language, Origin, Server, ServerUse};
