//! One live session with its controls and its event stream: the face for every front end and
//! for embedding.
//!
//! Layer 6. May import layers 0 to 5 except `tui` and `text`; must not know who displays it.

pub mod event;

pub use event::{Delivery, RuntimeEvent, Snapshot};
