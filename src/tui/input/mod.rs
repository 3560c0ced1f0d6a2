//! Decodes bytes into events: keys, mouse, pastes, focus and the terminal's replies.
//!
//! Must not know where bytes come from or what a key does.

pub mod csi;
pub mod decoder;
pub mod event;
pub mod key;
pub mod paste;

pub use decoder::Decoder;
pub use event::{Button, Input, Mouse, MouseKind, Reply};
pub use key::{Key, KeyCode, KeyError, KeyKind, Mods};
