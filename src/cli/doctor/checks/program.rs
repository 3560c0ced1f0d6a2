//! Checks of the installation: version, platform, folders. Must not know what is in the folders.

use super::folders;
use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding, State};

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "version", run: |_| vec![Finding::ok(env!("CARGO_PKG_VERSION"))] },
    Check { name: "platform", run: |_| vec![Finding::ok(platform())] },
    Check { name: "home", run: |facts| vec![home(facts)] },
    Check { name: "folder", run: folders },
];

fn platform() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

fn home(facts: &Facts) -> Finding {
    match (&facts.setup, facts.var("HOME")) {
        (None, _) => Finding::error("no home folder", "Set HOME or BOWLINE_HOME"),
        (Some(setup), Some(_)) => Finding::ok(setup.home.user.display().to_string()),
        (Some(setup), None) => {
            let value = format!("HOME is not set; {} by the list of users", setup.home.user.display());
            Finding::warning(value, "Set HOME: other programs use it, too")
        }
    }
}

fn folders(facts: &Facts) -> Vec<Finding> {
    let Some(setup) = &facts.setup else { return Vec::new() };
    let home = &setup.home;
    let rows = [
        ("config", &home.config, State::Error),
        ("data", &home.data, State::Error),
        ("state", &home.state, State::Error),
        // Everything works without it, only slower.
        ("cache", &home.cache, State::Warning),
    ];
    rows.into_iter().map(|(name, folder, bad)| folders::check(folder, bad).about(name)).collect()
}
