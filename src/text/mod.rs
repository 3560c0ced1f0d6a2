//! The editor core: rope documents, transactions, undo tree, selections, kill ring. Pure:
//! values in, values out.
//!
//! Layer 2. May import `base`; must not know files, terminals or agents. A single cursor is a
//! selection of one range; every operation works on all ranges.
//!
//! A [`document`] holds a [`rope`] and its [`undo`] tree; a [`transaction`] of [`changes`] is the only way to
//! change it. [`operations`] and [`movement`] are what commands do, [`modal`] what Vim and Helix do; [`display`] is
//! the text as rows of a screen, [`anchors`] move along with edits, [`file_format`] is the way from bytes and back.

pub mod anchors;
pub mod changes;
pub mod clipboard;
pub mod compare;
pub mod diff;
pub mod display;
pub mod document;
pub mod file_format;
pub mod long_lines;
pub mod marked;
pub mod modal;
pub mod movement;
pub mod operations;
pub mod position;
pub mod rope;
pub mod search;
pub mod selection;
pub mod snippet;
pub mod transaction;
pub mod undo;
pub mod units;
