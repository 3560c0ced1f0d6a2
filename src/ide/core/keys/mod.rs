//! Keys: key maps, what a modal map remembers between keys, recorded keys.

pub mod awaiting;
pub mod keymap;
pub mod macros;
pub mod modal;
pub mod modal_work;
