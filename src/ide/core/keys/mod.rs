//! Keys: key maps, what a modal map remembers between keys, recorded keys.

pub mod background_work;
pub mod hint_pages;
pub mod keymap;
pub mod macros;
pub mod modal;
pub mod pending_char;
