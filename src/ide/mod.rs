//! The full-screen IDE: wires editor, transcript and pickers to one event loop.
//!
//! Layer 7. May import `runtime`, `tui`, `text`, `workspace`, `exec`, `config`, `base`, differences
//! by lines of `patch` and plain data; must not know `modes`, how models are reached, or the agent's inside.
//!
//! One task owns the [`state`]. An [`event`] comes in, [`app`] changes the state and marks what
//! must be drawn, commands ask for outside work as [`effect`]s, a [`worker`] does it and
//! answers with an event. Nothing else mutates.

pub mod access;
pub mod answers;
pub mod app;
pub mod approval;
pub mod arrange;
pub mod commands;
pub mod contents;
pub mod diff;
pub mod disk_events;
pub mod earlier;
pub mod effect;
pub mod environment;
pub mod event;
pub mod feed;
pub mod file_events;
pub mod git;
pub mod headless;
pub mod input;
pub mod inquiries;
pub mod keeping;
pub mod keys;
pub mod layout;
pub mod leaving;
pub mod listing;
pub mod modal;
pub mod mouse;
pub mod opening;
pub mod options;
pub mod overlays;
pub mod pacing;
pub mod panes;
pub mod past;
pub mod permission;
pub mod pickers;
pub mod plugin_talk;
pub mod plugins;
pub mod pump;
pub mod reading;
pub mod recovery;
pub mod replay;
pub mod restoring;
pub mod retrying;
pub mod rules;
pub mod run;
pub mod sessions;
pub mod settle;
pub mod shell;
pub mod state;
pub mod tasks;
pub mod terminal;
pub mod terminal_input;
pub mod terminals;
pub mod tree_events;
pub mod undo_keeping;
pub mod undo_shelf;
pub mod update;
pub mod way_back;
pub mod windowing;
pub mod worker;
