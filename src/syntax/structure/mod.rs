//! Information from a syntax tree beyond colors: indentation, local names, text objects, symbols.

pub mod indent;
pub mod locals;
pub mod nodes;
pub mod objects;
pub mod outline;
pub mod symbols;
