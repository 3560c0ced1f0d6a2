//! How the layers that every feature uses are drawn: the frame, dialogs, one-line prompts, pickers.

pub mod dialog;
pub mod frame;
pub mod picker;
pub mod question;
