//! Cards of tool calls: one renderer for each kind of call, from plain data. Must not know names of tools, nor
//! where a card is shown.

pub mod agent;
pub mod card;
pub mod command;
pub mod diff_code;
pub mod diff_lines;
pub mod edit;
pub mod form;
pub mod images;
pub mod other;
pub mod plan;
pub mod question;
pub mod read;
pub mod rows;
pub mod search;
pub mod status;
#[cfg(test)]
mod tests;
pub mod web;
pub mod write;
