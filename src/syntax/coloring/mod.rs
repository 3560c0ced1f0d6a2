//! From a text to the scopes that a theme colors, with or without a grammar.

pub mod by_lines;
pub mod highlight;
pub mod painted;
pub(in crate::syntax) mod rainbow;
pub mod scopes;
pub(in crate::syntax) mod textmate;
