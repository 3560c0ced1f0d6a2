//! Open files and the disk: opened, saved, reloaded, compared, watched; how projects want them written; what the
//! agent sees of them.

pub mod all_files;
pub mod commands;
pub mod disk;
pub mod editorconfig;
pub mod encodings;
pub mod environment;
pub mod events;
pub mod list;
pub mod open;
pub mod open_files;
pub mod progressive;
pub mod save;
pub mod watch;
