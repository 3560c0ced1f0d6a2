//! The editor core: rope documents, transactions, undo tree, selections, kill ring. Pure:
//! values in, values out.
//!
//! Layer 2. May import `base`; must not know files, terminals or agents. A single cursor is a
//! selection of one range; every operation works on all ranges.

pub mod archive;
pub mod block;
pub mod block_words;
pub mod brackets;
pub mod changes;
pub mod columns;
pub mod comment;
pub mod comment_signs;
pub mod compare;
pub mod content;
pub mod diff;
pub mod document;
pub mod edit;
pub mod encoding;
pub mod fold_ranges;
pub mod folds;
pub mod format;
pub mod history;
pub mod indent;
pub mod inlay;
pub mod kill_ring;
pub mod lines;
pub mod loading;
pub mod long_lines;
pub mod marked;
pub mod marks;
pub mod modal;
pub mod motion;
pub mod numbers;
pub mod pairs;
pub mod paragraph;
pub mod places;
pub mod position;
pub mod rebase;
pub mod recase;
pub mod reflow;
pub mod registers;
pub mod rope;
pub mod row_motion;
pub mod rows;
pub mod search;
pub mod select;
pub mod selection;
pub mod snippet;
pub mod spans;
pub mod stops;
pub mod subword;
pub mod surround;
pub mod tidy;
pub mod trail;
pub mod transaction;
pub mod transpose;
pub mod wrap;
