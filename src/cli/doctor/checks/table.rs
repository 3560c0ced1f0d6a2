//! The table of all sections, in the order of the report. Must not know how a check judges.

use super::{clipboard, program, programs, project, providers, sessions, settings, terminal};
use crate::cli::doctor::report::Section;

/// All checks. Names are stable: scripts use them.
pub const SECTIONS: &[Section] = &[
    Section { id: "program", title: "Program", checks: program::CHECKS },
    Section { id: "settings", title: "Settings", checks: settings::CHECKS },
    Section { id: "terminal", title: "Terminal", checks: terminal::CHECKS },
    Section { id: "clipboard", title: "Clipboard", checks: clipboard::CHECKS },
    Section { id: "programs", title: "Programs", checks: programs::CHECKS },
    Section { id: "providers", title: "Providers", checks: providers::CHECKS },
    Section { id: "sessions", title: "Sessions", checks: sessions::CHECKS },
    Section { id: "project", title: "Project", checks: project::CHECKS },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::Facts;
    use crate::cli::doctor::report::{DoctorReport, State};
    use std::collections::BTreeSet;

    #[test]
    fn doctor_names_are_unique_and_documented() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/doctor.md")).unwrap();
        let mut names = BTreeSet::new();
        for section in SECTIONS {
            for check in section.checks {
                assert!(names.insert((section.id, check.name)), "{} {} twice", section.id, check.name);
                let row = page.lines().find(|line| line.starts_with(&format!("| `{}` |", section.id)));
                let row = row.unwrap_or_else(|| panic!("{} is not in docs/doctor.md", section.id));
                assert!(row.contains(&format!("`{}`", check.name)), "{} {}", section.id, check.name);
            }
        }
        let documented: usize = page
            .lines()
            .filter(|line| SECTIONS.iter().any(|section| line.starts_with(&format!("| `{}` |", section.id))))
            .map(|line| line.split('|').nth(2).unwrap_or_default().matches('`').count() / 2)
            .sum();
        assert_eq!(documented, names.len(), "docs/doctor.md names checks that do not exist");
    }

    #[test]
    fn doctor_without_home_reports_it_and_gives_advice_for_all_but_ok() {
        let report = DoctorReport::new(SECTIONS, &Facts::for_tests());
        assert_eq!(report.state(), State::Error);
        let home = report.findings("home");
        assert!(home[0].state == State::Error && home[0].value.contains("no home folder"), "{home:?}");
        assert!(report.findings("credential").is_empty());
        for section in SECTIONS {
            for check in section.checks {
                for finding in report.findings(check.name) {
                    let has_advice = finding.advice.as_ref().is_some_and(|advice| !advice.is_empty());
                    assert_eq!(has_advice, finding.state != State::Ok, "{}: {finding:?}", check.name);
                }
            }
        }
    }
}
