//! From text to rows of a screen: display columns, soft wrap, folds, inlays.

pub mod columns;
pub mod fold_ranges;
pub mod folds;
pub mod inlay;
pub mod rows;
pub mod wrap;
