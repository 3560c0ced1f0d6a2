//! What puts the parts together: the owner of the state, the source of events, the loop on a terminal and the one
//! without.
//!
//! Imports everything; nothing imports it.

pub mod app;
pub mod catalog;
pub mod commands;
pub mod event_source;
pub mod feature_events;
pub mod frame_pacing;
pub mod headless;
pub mod input;
pub mod lists;
pub mod mouse;
pub mod overlay;
pub mod panes;
pub mod preload;
pub mod replay;
pub mod run;
pub mod session_events;
