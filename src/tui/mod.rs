//! The terminal toolkit on ratatui's buffer: terminal, input, component tree, themes, widgets.
//!
//! Layer 2. May import `base`; must not know editors, agents or sessions. Input and output
//! happen in `term` only.
