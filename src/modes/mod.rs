//! Front ends without a screen: print, JSON, RPC.
//!
//! Layer 7. May import `runtime`, `config`, `base` and plain data; must not know `ide`, `tui`
//! or `text`.

pub mod json;
pub mod lines;
pub mod notes;
pub mod print;
pub mod rpc;
pub mod visible;
