//! Which calls run at once, which are asked about, which are refused: the four approval modes.
//!
//! Pure; must not know tools or front ends. Paths come with their links followed already.

use std::path::{Component, Path};

use super::command;
use super::tool::ToolClass;

/// `--approval`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Looking runs; everything else asks, edits too.
    Untrusted,
    /// Looking and edits inside the workspace run; everything else asks.
    #[default]
    OnRequest,
    /// The same, but what would ask is refused: nobody is there.
    AutoEdit,
    /// Everything runs.
    Full,
}

impl Mode {
    /// Every mode, from careful to careless.
    pub const ALL: [Self; 4] = [Self::Untrusted, Self::OnRequest, Self::AutoEdit, Self::Full];

    /// The mode's name on the command line and in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Untrusted => "untrusted",
            Self::OnRequest => "on-request",
            Self::AutoEdit => "auto-edit",
            Self::Full => "full",
        }
    }

    /// The mode of that name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// What becomes of a call. Rules are said to people and models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Run,
    /// Somebody decides.
    Ask(&'static str),
    /// It does not run.
    Refuse(&'static str),
}

/// Folders in a workspace whose files make other programs run something.
const GUARDED: [&str; 2] = [".git", ".bowline"];

/// Judges a call. `subject` is the command, or the real path of the file; `root` is the real
/// path of the workspace.
pub fn judge(mode: Mode, class: ToolClass, subject: &str, root: &Path) -> Verdict {
    match (mode, objection(mode, class, subject, root)) {
        (Mode::Full, _) | (_, None) => Verdict::Run,
        (Mode::AutoEdit, Some(rule)) => Verdict::Refuse(rule),
        (Mode::Untrusted | Mode::OnRequest, Some(rule)) => Verdict::Ask(rule),
    }
}

fn objection(mode: Mode, class: ToolClass, subject: &str, root: &Path) -> Option<&'static str> {
    match class {
        ToolClass::Reads => None,
        ToolClass::Runs if command::is_read_only(subject) => None,
        ToolClass::Runs => Some("command not known to be read-only"),
        ToolClass::Edits if mode == Mode::Untrusted => Some("edits ask in mode untrusted"),
        ToolClass::Edits => match Path::new(subject).strip_prefix(root) {
            Err(_) => Some("file outside the workspace"),
            Ok(below) if is_guarded(below) => Some("file of the repository's or bowline's own set-up"),
            Ok(_) => None,
        },
    }
}

fn is_guarded(below: &Path) -> bool {
    below.components().any(|part| {
        matches!(part, Component::Normal(name) if GUARDED.iter().any(|guarded| name.eq_ignore_ascii_case(guarded)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Mode::{AutoEdit, Full, OnRequest, Untrusted};
    use ToolClass::{Edits, Reads, Runs};

    #[test]
    fn the_table_of_modes() {
        let run = |mode, class, subject| judge(mode, class, subject, Path::new("/w"));
        let rows = [
            (Reads, "/etc/passwd", "run run run run"),
            (Runs, "ls -l", "run run run run"),
            (Runs, "make", "ask ask refuse run"),
            (Edits, "/w/a.rs", "ask run run run"),
            (Edits, "/w2/a.rs", "ask ask refuse run"),
            (Edits, "/w/.git/hooks/pre-commit", "ask ask refuse run"),
            (Edits, "/w/sub/.Git/config", "ask ask refuse run"),
            (Edits, "/w/.github/x.yml", "ask run run run"),
        ];
        for (class, subject, expected) in rows {
            let words: Vec<&str> = [Untrusted, OnRequest, AutoEdit, Full]
                .into_iter()
                .map(|mode| match run(mode, class, subject) {
                    Verdict::Run => "run",
                    Verdict::Ask(_) => "ask",
                    Verdict::Refuse(_) => "refuse",
                })
                .collect();
            assert_eq!(words.join(" "), expected, "{subject}");
        }
    }

    #[test]
    fn modes_have_names() {
        for mode in Mode::ALL {
            assert_eq!(Mode::parse(mode.name()), Some(mode));
        }
        assert_eq!(Mode::parse("yolo"), None);
    }
}
