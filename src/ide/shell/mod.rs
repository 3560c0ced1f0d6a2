//! Assembles the program: the application, the source of events, the event loop on a terminal and the
//! headless one.
//!
//! Imports everything; nothing imports it.

pub mod app;
pub mod catalog;
pub mod clipboard;
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
pub mod retype;
pub mod run;
pub mod session_events;
pub mod view_below;
