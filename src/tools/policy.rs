//! Which calls run at once, which are asked about, which are refused: the four approval modes.
//!
//! Pure; must not know tools or front ends. Paths come with their links followed already.

use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::command;
use super::rules::{Ruling, Said};
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

/// The mode of a session, which all of its agents hold to at any time. Cheap to clone; all clones are one.
#[derive(Debug, Clone)]
pub struct SharedMode(Arc<AtomicUsize>);

impl From<Mode> for SharedMode {
    fn from(mode: Mode) -> Self {
        let shared = Self(Arc::default());
        shared.set(mode);
        shared
    }
}

impl SharedMode {
    /// The mode now.
    pub fn get(&self) -> Mode {
        Mode::ALL.get(self.0.load(Ordering::SeqCst)).copied().unwrap_or(Mode::Untrusted)
    }

    /// Another mode, for everybody from the next call on.
    pub fn set(&self, mode: Mode) {
        let place = Mode::ALL.iter().position(|known| *known == mode).unwrap_or(0);
        self.0.store(place, Ordering::SeqCst);
    }
}

/// What becomes of a call, from mild to strict. Rules are said to people and models.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It runs.
    Run,
    /// Somebody decides.
    Ask(Cow<'static, str>),
    /// It does not run.
    Refuse(Cow<'static, str>),
    /// A rule forbids it, in every mode.
    Forbid(String),
}

/// Why an edit of a workspace's own set-up is never allowed by a rule.
const SET_UP: &str = "file of the repository's or bowline's own set-up";

/// Folders in a workspace whose files make other programs run something.
const GUARDED: [&str; 2] = [".git", ".bowline"];

/// Judges a call. `subject` is the command, or the real path of the file; `root` is the real
/// path of the workspace.
pub fn judge(mode: Mode, class: ToolClass, subject: &str, root: &Path) -> Verdict {
    verdict(mode, objection(mode, class, subject, root))
}

/// What becomes of a call against which there may be something to be said.
pub fn verdict(mode: Mode, objection: Option<&'static str>) -> Verdict {
    match (mode, objection) {
        (Mode::Full, _) | (_, None) => Verdict::Run,
        (Mode::AutoEdit, Some(rule)) => Verdict::Refuse(rule.into()),
        (Mode::Untrusted | Mode::OnRequest, Some(rule)) => Verdict::Ask(rule.into()),
    }
}

/// What becomes of a call about which a rule says something.
pub fn overrule(mode: Mode, verdict: Verdict, said: Said) -> Verdict {
    let guarded = matches!(&verdict, Verdict::Ask(rule) | Verdict::Refuse(rule) if rule == SET_UP);
    match (said.ruling, mode) {
        (Ruling::Deny, _) => Verdict::Forbid(said.rule),
        (Ruling::Ask, Mode::Full) => verdict,
        (Ruling::Ask, Mode::AutoEdit) => Verdict::Refuse(said.rule.into()),
        (Ruling::Ask, Mode::Untrusted | Mode::OnRequest) => Verdict::Ask(said.rule.into()),
        (Ruling::Allow, _) if guarded => verdict,
        (Ruling::Allow, _) => Verdict::Run,
    }
}

fn objection(mode: Mode, class: ToolClass, subject: &str, root: &Path) -> Option<&'static str> {
    match class {
        ToolClass::Reads => None,
        ToolClass::Runs if command::is_read_only(subject) => None,
        ToolClass::Runs => Some("command not known to be read-only"),
        ToolClass::Edits => match Path::new(subject).strip_prefix(root) {
            Ok(below) if is_guarded(below) => Some(SET_UP),
            _ if mode == Mode::Untrusted => Some("edits ask in mode untrusted"),
            Err(_) => Some("file outside the workspace"),
            Ok(_) => None,
        },
    }
}

/// Whether a path below a workspace is of its own set-up.
pub fn is_guarded(below: &Path) -> bool {
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
                    Verdict::Forbid(_) => "forbid",
                })
                .collect();
            assert_eq!(words.join(" "), expected, "{subject}");
        }
    }

    #[test]
    fn rules_stand_above_modes() {
        let word = |verdict| match verdict {
            Verdict::Run => "run",
            Verdict::Ask(_) => "ask",
            Verdict::Refuse(_) => "refuse",
            Verdict::Forbid(_) => "forbid",
        };
        let rows = [
            (Runs, "make", Ruling::Allow, "run run run run"),
            (Runs, "make", Ruling::Ask, "ask ask refuse run"),
            (Runs, "ls", Ruling::Ask, "ask ask refuse run"),
            (Runs, "ls", Ruling::Deny, "forbid forbid forbid forbid"),
            (Edits, "/w2/a.rs", Ruling::Allow, "run run run run"),
            (Edits, "/w/.git/config", Ruling::Allow, "ask ask refuse run"),
            (Reads, "/w/.env", Ruling::Deny, "forbid forbid forbid forbid"),
        ];
        for (class, subject, ruling, expected) in rows {
            let words: Vec<&str> = [Untrusted, OnRequest, AutoEdit, Full]
                .into_iter()
                .map(|mode| {
                    let verdict = judge(mode, class, subject, Path::new("/w"));
                    word(overrule(mode, verdict, Said { ruling, rule: "r".to_string() }))
                })
                .collect();
            assert_eq!(words.join(" "), expected, "{subject} {ruling:?}");
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
