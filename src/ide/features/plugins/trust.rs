//! Commands about trusting a project.

use crate::ide::core::context::{Command, command};
use crate::ide::features::plugins;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "trust.show",
        "Show project trust",
        &["workspace trust", "restricted mode"],
        plugins::run::show_trust,
    ),
    command("trust.give", "Trust project", &["trust folder", "workspace trust"], |cx| {
        plugins::run::on_trust_answered(cx, Some(true));
    }),
    command(
        "trust.take-back",
        "Revoke project trust",
        &["untrust", "restricted mode"],
        plugins::run::forget_trust,
    ),
];
