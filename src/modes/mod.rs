//! Front ends without a screen: print, JSON, RPC.
//!
//! Layer 7. May import `runtime`, `config`, `base` and plain data; must not know `ide`, `tui`
//! or `text`.

#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod lines;
#[doc(hidden)]
pub mod notes;
#[doc(hidden)]
pub mod print;
pub mod rpc;
#[doc(hidden)]
pub mod visible;
