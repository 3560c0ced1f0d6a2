//! Commands about what a project may run.

use super::command::{Command, command};
use crate::ide::plugins;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("trust.show", "Show what this project wants to run, and whether it may", plugins::show),
    command("trust.give", "Trust this project: what it wants to run now may", |cx| {
        plugins::answered(cx, Some(true));
    }),
    command("trust.take-back", "Trust this project no more: what it wants to run is off", plugins::take_back),
];
