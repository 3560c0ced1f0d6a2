//! What git has of the open files: marks beside lines, hunks to go to and to revert.

pub mod commands;
pub mod events;
