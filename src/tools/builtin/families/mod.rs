//! Tool families, one table each. The order of a table's rows is the order in which models see them.
//!
//! `agents` has the rows that several families share.

pub mod agents;
pub mod anthropic;
pub mod gemini;
pub mod openai;
pub mod pi;
