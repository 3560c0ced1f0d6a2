//! The layers that every feature uses: dialogs, one-line prompts, pickers, and the frame around them.

pub mod at_caret;
pub mod dialog;
pub mod first_matches;
pub mod frame;
pub mod last_picker;
pub mod layer;
pub mod marked_rows;
pub mod matching;
pub mod path_completion;
pub mod picker;
pub mod picker_draw;
pub mod prefix;
pub mod preview;
pub mod prompt;
pub mod query_position;
pub mod raised;
pub mod rank;
pub mod replaced_rows;
pub mod row_actions;
