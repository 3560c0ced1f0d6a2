//! Checks of the settings: files, key map, themes, plugins. Must not know what a setting does.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding};
use crate::cli::setup::{self, Setup};
use crate::config::plugins;
use crate::ide::shell::catalog;

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "file", run: files },
    Check { name: "setting", run: problems },
    Check { name: "keymap", run: keymap },
    Check { name: "theme", run: theme },
    Check { name: "plugins", run: plugins },
];

fn files(facts: &Facts) -> Vec<Finding> {
    let Some(setup) = &facts.setup else { return Vec::new() };
    let (user, project) = setup.settings_files();
    let describe = |name: &str, path: &Path| {
        let count = setup.loaded.origins.iter().filter(|origin| origin.file == *path).count();
        let shown = path.display();
        let value = if path.symlink_metadata().is_ok() {
            format!("{shown}: {}", crate::base::plural::pluralize(count, "setting", "settings"))
        } else {
            format!("{shown}: no such file; defaults are used")
        };
        Finding::ok(value).about(name)
    };
    vec![describe("user", &user), describe("project", &project)]
}

fn problems(facts: &Facts) -> Vec<Finding> {
    let Some(setup) = &facts.setup else { return Vec::new() };
    let advice = "Correct this line; docs/settings.md lists the settings";
    let problems = setup.loaded.problems.iter();
    problems.map(|problem| Finding::warning(problem.to_string(), advice)).collect()
}

fn keymap(facts: &Facts) -> Vec<Finding> {
    let Some(setup) = &facts.setup else { return Vec::new() };
    let ((origin, text), missing) = setup::keymap(&facts.args, setup);
    let (_, problems) = catalog::read_keymap(&origin, &text);
    let missing =
        missing.map(|problem| Finding::warning(problem, "Name an existing one: keymap = \"default\""));
    let wrong = problems.into_iter().map(|problem| {
        Finding::warning(problem, "Correct this row; `bowline keys` lists the ids of commands")
    });
    std::iter::once(Finding::ok(origin)).chain(missing).chain(wrong).collect()
}

fn theme(facts: &Facts) -> Vec<Finding> {
    let Some(setup) = &facts.setup else { return Vec::new() };
    let choice = setup::theme_choice(&facts.args, setup);
    let (colors, _) = setup::color_depth(&facts.process);
    let (is_dark, _) = setup::terminal_background(setup, &facts.process);
    let shown = choice.name(colors, is_dark);
    // The theme for the other background is needed as soon as the terminal changes.
    let names: BTreeSet<&str> = [true, false].map(|is_dark| choice.name(colors, is_dark)).into();
    let problems = names.into_iter().filter_map(|name| setup::theme(setup, name).1);
    let to_finding =
        |problem| Finding::warning(problem, "Correct the theme, or choose another one: docs/themes.md");
    let problems: Vec<Finding> = problems.map(to_finding).collect();
    if problems.is_empty() { vec![Finding::ok(shown)] } else { problems }
}

fn plugins(facts: &Facts) -> Vec<Finding> {
    let Some(Setup { home, .. }) = &facts.setup else { return Vec::new() };
    let (found, problems) = plugins::read(&home.config.join("plugins"));
    let names: Vec<&str> = found.iter().map(|plugin| plugin.name.as_str()).collect();
    let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    let wrong = problems
        .into_iter()
        .map(|problem| Finding::warning(problem.to_string(), "Correct the plugin, or remove its folder"));
    std::iter::once(Finding::ok(names)).chain(wrong).collect()
}
