//! What every feature stands on: the context of a command, the state and its damage, events, key maps,
//! what a picker and a pane are.
//!
//! Must not know any feature.

pub mod catalog;
pub mod command_line;
pub mod context;
pub mod damage;
pub mod effect;
pub mod event;
pub mod feature;
pub mod indentation;
pub mod keys;
pub mod layers;
pub mod layout;
pub mod options;
pub mod pane;
pub mod panes;
pub mod ports;
pub mod quit;
pub mod slots;
pub mod state;
pub mod tasks;
