//! Queries over a parse tree: compiled once, matched over the part of a text that is on screen.

pub mod compiled;
pub mod cursor;
pub(in crate::syntax) mod indent_query;
pub(in crate::syntax) mod lexer;
pub(in crate::syntax) mod locals_query;
pub(in crate::syntax) mod pattern;
pub(in crate::syntax) mod rules;
