//! The real terminal: modes and their restoration, input, signals.
//!
//! The only part of the toolkit that does input and output. Must not know what is drawn.

pub mod attention;
pub mod clipboard;
pub mod guard;
pub mod modes;
mod output;
pub mod probe;
pub mod reader;
pub mod signals;
pub mod terminal;
mod write_ready;

pub use guard::{install_panic_hook, is_active, restore};
pub use reader::TermInput;
pub use signals::{Signal, Signals};
pub use terminal::{TermOptions, Terminal};
