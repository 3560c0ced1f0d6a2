//! View state of a text: colors, folds, change marks, scrollbar, and the rows that the last frame laid out.

pub mod ask_when_still;
pub mod debounce;
pub mod display;
pub mod folding;
pub mod highlighting;
pub mod hunks;
pub mod scrollbar;
pub mod text_options;
pub mod view_state;
pub mod visible_rows;
