//! Front ends without a screen: print.
//!
//! Layer 7. May import `runtime`, `config`, `base` and plain data; must not know `ide`, `tui`
//! or `text`.
pub mod print;
pub mod visible;
