//! Context of the next request: report and edits.
//!
//! `report` lists the parts of the request with their tokens, `editing` excludes, replaces and pins entries,
//! `summaries` writes compactions and summaries of branches as entries. Must not know who displays it.

pub(super) mod editing;
#[doc(hidden)]
pub mod report;
pub(super) mod summaries;
