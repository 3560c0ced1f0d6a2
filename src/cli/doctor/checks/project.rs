//! Checks of the project in the working folder. Runs nothing of it. Must not know what a project may request.

use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding};
use crate::exec::storage::trust::{Trust, TrustState};
use crate::runtime::agent_setup::trust_requests::{TrustRequests, plugins_folder};
use crate::workspace::git;

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "workspace", run: |facts| vec![Finding::ok(facts.process.cwd.display().to_string())] },
    Check { name: "repository", run: |facts| vec![repository(facts)] },
    Check { name: "trust", run: trust },
];

fn repository(facts: &Facts) -> Finding {
    match git::root_of(&facts.process.cwd) {
        Some(root) => Finding::ok(root.display().to_string()),
        None => Finding::note("none", "Run `git init` to see what changed since a commit"),
    }
}

fn trust(facts: &Facts) -> Vec<Finding> {
    let Some(setup) = &facts.setup else { return Vec::new() };
    let requests = TrustRequests::read(&setup.workspace, &setup.home.user);
    if requests.allows.is_empty() && !plugins_folder(&setup.workspace).exists() {
        return vec![Finding::ok("nothing here needs trust")];
    }
    let state = match &requests.digest {
        Ok(digest) => Trust::new(&setup.home.state).state_of(&setup.workspace, digest),
        Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
    };
    vec![match state {
        Ok(TrustState::Trusted) => Finding::ok("trusted"),
        Ok(TrustState::Refused) => Finding::note(
            "not trusted: its plugins and allow rules are off",
            "To change that, run trust.show from the palette (F1)",
        ),
        Ok(TrustState::Undecided) => Finding::note(
            "not decided: its plugins and allow rules are off",
            "Review them with trust.show from the palette (F1)",
        ),
        Err(error) => Finding::warning(
            format!("its plugins and allow rules are off: {error}"),
            "Review the folder .bowline of this project",
        ),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::paths::Home;
    use crate::cli::doctor::report::State;
    use crate::cli::setup::Setup;
    use crate::config::load::LoadedSettings;
    use std::path::Path;

    fn facts(work: &Path, home: &Path) -> Facts {
        let setup = Setup {
            home: Home::below(home, home.to_path_buf()),
            workspace: work.to_path_buf(),
            open: Vec::new(),
            initial_prompts: Vec::new(),
            loaded: LoadedSettings::default(),
        };
        let mut facts = Facts { setup: Some(setup), ..Facts::for_tests() };
        facts.process.cwd = work.to_path_buf();
        facts
    }

    #[test]
    fn doctor_trust_follows_decision_and_repository_is_found_above() {
        let dir = tempfile::tempdir().unwrap();
        let (work, home) = (dir.path().join("work/sub"), dir.path().join("home"));
        std::fs::create_dir_all(work.join(".bowline")).unwrap();
        let facts = facts(&work, &home);
        assert_eq!(repository(&facts).state, State::Note);
        std::fs::create_dir(dir.path().join("work/.git")).unwrap();
        assert_eq!(repository(&facts), Finding::ok(dir.path().join("work").display().to_string()));
        assert_eq!(trust(&facts), [Finding::ok("nothing here needs trust")]);
        let rules = "[[rule]]\ndecision = \"allow\"\ncommand = \"make\"\n";
        std::fs::write(work.join(".bowline/permissions.toml"), rules).unwrap();
        let undecided = &trust(&facts)[0];
        assert!(
            undecided.state == State::Note && undecided.value.starts_with("not decided"),
            "{undecided:?}"
        );
        let decide = |is_trusted| {
            let digest = TrustRequests::read(&work, &home).digest.unwrap();
            Trust::new(&home.join("state")).answer(&work, &digest, is_trusted).unwrap();
        };
        decide(false);
        assert!(trust(&facts)[0].value.starts_with("not trusted"));
        decide(true);
        assert_eq!(trust(&facts), [Finding::ok("trusted")]);
    }
}
