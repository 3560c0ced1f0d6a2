//! What a text means as code: which language it is in, its parse tree, the scopes of its parts.
//!
//! Layer 3. May import `base` and `text`; must not know files, terminals, tasks or themes: a
//! scope is a name. Grammars and queries are made at the first need, never at a start. Nothing
//! here is fast enough for a key's way to the screen, except moving what was found before.

pub mod coloring;
pub mod injections;
pub mod languages;
pub mod query;
pub mod structure;
pub mod tree;

pub use coloring::painted::{Painted, Span, Spans};
pub use languages::table::Language;
pub use tree::{Syntax, Trouble};
