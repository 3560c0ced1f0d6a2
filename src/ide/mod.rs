//! The full-screen IDE: wires editor, transcript and pickers to one event loop.
//!
//! Layer 7. May import `runtime`, `tui`, `text`, `workspace`, `exec`, `config`, `base`, differences by lines of `patch`
//! and plain data; must not know `modes`, how models are reached, or the agent's inside.
//!
//! Five floors, each of which may import those before it: [`model`] is what is edited, [`core`] what features stand on,
//! [`editor`] the operations on text, [`features`] one folder for everything else that a user can do, [`shell`] puts them
//! together. One task owns the state (`core::state`). An event comes in, `shell::app` changes the state and marks what must
//! be drawn; outside work is done by tasks, whose results come back to the loop. Nothing else mutates.

pub mod core;
pub mod editor;
pub mod features;
pub mod model;
pub mod shell;
