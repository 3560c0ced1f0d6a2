//! Tool families, one table each. The order of a table's rows is the order in which models see them.
//!
//! `agents` and `language_servers` have the rows that several families share.

pub mod agents;
pub mod anthropic;
pub mod gemini;
pub mod language_servers;
pub mod openai;
pub mod pi;
