//! From a text to the scopes that a theme colors, with or without a grammar.

pub mod highlight;
pub mod highlighted_range;
pub mod line_highlighter;
pub mod overlay;
pub(in crate::syntax) mod rainbow;
pub mod scopes;
pub(in crate::syntax) mod textmate;
pub mod whole_text;
