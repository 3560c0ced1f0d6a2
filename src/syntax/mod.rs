//! What a text means as code: which language it is in, its parse tree, the scopes of its parts.
//!
//! Layer 3. May import `base` and `text`; must not know files, terminals, tasks or themes: a
//! scope is a name. Grammars and queries are loaded on first use, never at a start. Nothing
//! here is fast enough for the path from a key to the screen, except moving earlier results along with edits.
//!
//! [`languages`] is the table, [`tree`] parses, `query` matches patterns, [`coloring`] gives scopes, [`structure`]
//! everything else that a tree tells: indentation, local names, text objects, symbols.

pub mod highlighting;
pub mod injections;
pub mod languages;
pub mod query;
pub mod structure;
pub mod tree;

pub use highlighting::highlighted_range::{HighlightedRange, Span, Spans};
pub use languages::table::Language;
pub use tree::{ParseError, Syntax};
