//! Commands about what a project may run.

use crate::ide::core::context::{Command, command};
use crate::ide::features::plugins;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("trust.show", "Show what this project wants to run, and whether it may", plugins::run::show),
    command("trust.give", "Trust this project: what it wants to run now may", |cx| {
        plugins::run::answered(cx, Some(true));
    }),
    command(
        "trust.take-back",
        "Trust this project no more: what it wants to run is off",
        plugins::run::take_back,
    ),
];
