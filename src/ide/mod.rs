//! The full-screen IDE: wires editor, transcript and pickers to one event loop.
//!
//! Layer 7. May import `runtime`, `tui`, `text`, `workspace`, `exec`, `config`, `base` and
//! plain data; must not know `modes`, how models are reached, or the agent's inside.
