//! What a text means as code: which language it is in, its parse tree, the scopes of its parts.
//!
//! Layer 3. May import `base` and `text`; must not know files, terminals, tasks or themes: a
//! scope is a name. Grammars and queries are made at the first need, never at a start. Nothing
//! here is fast enough for a key's way to the screen, except moving what was found before.

pub mod by_lines;
pub mod compiled;
pub mod detect;
mod forms;
pub mod highlight;
pub mod injections;
pub mod lined;
pub mod nodes;
pub mod outline;
pub mod painted;
mod pattern;
pub mod query;
mod rules;
pub mod scopes;
pub mod table;
mod textmate;
pub mod tree;

pub use painted::{Painted, Span, Spans};
pub use table::Language;
pub use tree::{Syntax, Trouble};
