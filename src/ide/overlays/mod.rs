//! How the things that float are drawn and where: one shape of frame for all.

pub mod contents;
pub mod dialog;
pub mod diff;
pub mod frame;
pub mod inquiry;
pub mod login;
pub mod picker;
pub mod question;
pub mod session_tree;
pub mod undo_tree;
pub mod way_back;
