//! Operations on all ranges of a selection: each function returns a transaction or a new selection, and
//! applies nothing.

pub mod block;
pub mod block_words;
pub mod comment;
pub mod comment_tokens;
pub mod edit;
pub mod indent;
pub mod lines;
pub mod numbers;
pub mod pairs;
pub mod recase;
pub mod reflow;
pub mod replace_spans;
pub mod select;
pub mod surround;
pub mod transpose;
