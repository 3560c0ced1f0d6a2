//! `bowline doctor`: what this terminal, clipboard, providers and installation can do, and what to do about the
//! rest.
//!
//! [`facts`] gathers everything that takes time, at once and within time limits; [`checks`] has the checks, one row
//! each, which judge the facts; [`report`] is what they found, as text and as JSON. Uses no network, runs no program
//! that a repository names, and changes nothing. Must not decide anything by itself that the program also decides:
//! both call the same functions.

pub mod checks;
pub mod facts;
pub mod report;
pub mod run;
