//! Files of this machine: `files` reads and lists, `replace` writes atomically if possible, `tree` creates,
//! moves and deletes.

pub mod files;
pub mod replace;
pub mod tree;
