//! Files of this machine: `files` reads and lists, `replace` writes so that no file is ever half written, `tree`
//! makes, moves and deletes.

pub mod files;
pub mod replace;
pub mod tree;
