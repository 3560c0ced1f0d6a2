//! The kernel: what every feature stands on. Must not know any feature.
//!
//! [`state`] is the state, with [`slots`] for features; a command gets [`context::Cx`], starts [`tasks`] there and
//! marks [`damage`]. [`feature::Feature`] is a feature's row, [`catalog`] all rows. [`keys`] maps keys to commands,
//! [`layers`] float on top of [`panes`]. [`event`] is what can happen from outside.

pub mod catalog;
pub mod clicks;
pub mod command_line;
pub mod condition;
pub mod context;
pub mod damage;
pub mod event;
pub mod feature;
pub mod indentation;
pub mod keys;
pub mod layers;
pub mod layout;
pub mod options;
pub mod pane;
pub mod pane_borders;
pub mod panes;
pub mod ports;
pub mod quit;
pub mod slots;
pub mod state;
pub mod status;
pub mod tasks;
pub mod tree_job;
pub mod web_page;
