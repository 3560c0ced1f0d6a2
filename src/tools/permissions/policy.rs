//! Approval policy: which calls run immediately, which need approval, and which are refused, in the four
//! approval modes.
//!
//! Pure; must not know tools or front ends. Paths have their links resolved.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::rules::{RuleMatch, Ruling};
use crate::base::names;
use crate::tools::command;
use crate::tools::contract::tool::ToolClass;

/// `--approval`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Mode {
    /// Read-only calls run; everything else needs approval, edits too.
    Untrusted,
    /// Read-only calls and edits inside the workspace run; everything else needs approval.
    #[default]
    OnRequest,
    /// The same, but calls that need approval are refused: no user is there.
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

/// The mode of a session, shared by all of its agents. Cheap to clone.
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

    /// Sets the mode for all agents from the next call on.
    pub fn set(&self, mode: Mode) {
        let place = Mode::ALL.iter().position(|known| *known == mode).unwrap_or(0);
        self.0.store(place, Ordering::SeqCst);
    }
}

/// Verdict on a call, from mild to strict. Reasons are displayed to users and models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It runs.
    Run,
    /// The user decides.
    Ask(Cow<'static, str>),
    /// It is refused.
    Refuse(Cow<'static, str>),
    /// A rule denies it, in every mode.
    Forbid(String),
}

impl Verdict {
    /// Whether the reason is a file that no rule can allow.
    pub fn is_about_set_up(&self) -> bool {
        let guards = |rule: &str| [SET_UP, TOUCHES_SET_UP].contains(&rule);
        matches!(self, Self::Ask(rule) | Self::Refuse(rule) if guards(rule))
    }

    /// Returns its strictness and the reason.
    fn rank(&self) -> (u8, &str) {
        match self {
            Self::Run => (0, ""),
            Self::Ask(rule) => (1, rule),
            Self::Refuse(rule) => (2, rule),
            Self::Forbid(rule) => (3, rule),
        }
    }
}

impl Ord for Verdict {
    /// Of two equally strict verdicts, one about a configuration file is greater: rules and earlier approvals
    /// override other reasons, but not this one.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let ((rank, rule), (other_rank, other_rule)) = (self.rank(), other.rank());
        let guards = self.is_about_set_up().cmp(&other.is_about_set_up());
        rank.cmp(&other_rank).then(guards).then(rule.cmp(other_rule))
    }
}

impl PartialOrd for Verdict {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Why an edit of such a file is never allowed by a rule.
const SET_UP: &str = "file of the repository's, bowline's or your own set-up";
/// Reason for a command that a rule allows but that accesses configuration files.
pub(super) const TOUCHES_SET_UP: &str =
    "command that names a file of the repository's, bowline's or your own set-up";
/// Reason for refusing to read a file with keys.
pub(super) const SECRET_FILE: &str = "file that holds keys";
/// Reason for a command that reads files which it does not name.
pub(super) const MADE_NAMES: &str =
    "command that may read a file that holds keys, by names that are not known";
/// The file with keys in each of bowline's own folders.
pub(super) const KEYS: &str = "auth.json";
/// Reason for an edit in a workspace that is or contains the home folder.
const HIDDEN: &str = "hidden file of your home folder";

/// Folders whose files make other programs run something, wherever they are.
const GUARDED: [&str; 2] = [".git", ".bowline"];

/// Files in a home folder that shells, git and ssh read when they start. Documented in the manuals of bash
/// and zsh under "startup files", in `git-config`, and in `ssh_config`.
pub(super) const START_FILES: [&str; 19] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".zlogout",
    ".inputrc",
    ".pam_environment",
    ".gitconfig",
    ".ssh",
    ".config/git",
    ".config/fish",
    ".config/environment.d",
    ".config/systemd",
];

/// The folders of a session. All paths are resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roots {
    /// The workspace.
    pub root: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The folders of bowline's own files.
    pub own_folders: Vec<PathBuf>,
}

/// Judges a call. `target` is the command, or the real path of the file.
pub fn judge(mode: Mode, class: ToolClass, target: &str, roots: &Roots) -> Verdict {
    verdict(mode, objection(mode, class, target, roots))
}

/// A kind of call, and what a mode without rules does with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeDefault {
    /// The class of the calls.
    pub class: ToolClass,
    /// What they are about.
    pub about: &'static str,
    /// The verdict.
    pub verdict: Verdict,
}

/// Returns what a mode without rules does, by the verdicts on an example of each kind of call.
pub fn defaults(mode: Mode) -> Vec<ModeDefault> {
    const EXAMPLES: [(ToolClass, &str, &str); 6] = [
        (ToolClass::Reads, "any file", "/workspace/a"),
        (ToolClass::Edits, "files in the workspace", "/workspace/a"),
        (ToolClass::Edits, "files elsewhere", "/elsewhere/a"),
        (ToolClass::Edits, "set-up: .git, .bowline, start files", "/workspace/.git/config"),
        (ToolClass::Runs, "read-only commands", "ls"),
        (ToolClass::Runs, "other commands", "make"),
    ];
    let roots = Roots { root: PathBuf::from("/workspace"), ..Roots::default() };
    let judged = EXAMPLES.map(|(class, about, target)| {
        let verdict = judge(mode, class, target, &roots);
        ModeDefault { class, about, verdict }
    });
    let verdict = Verdict::Forbid(SECRET_FILE.to_string());
    let secrets = ModeDefault { class: ToolClass::Reads, about: "auth.json of bowline", verdict };
    judged.into_iter().chain([secrets]).collect()
}

/// Returns the verdict on a call with a possible objection.
pub fn verdict(mode: Mode, objection: Option<&'static str>) -> Verdict {
    match (mode, objection) {
        (Mode::Full, _) | (_, None) => Verdict::Run,
        (Mode::AutoEdit, Some(rule)) => Verdict::Refuse(rule.into()),
        (Mode::Untrusted | Mode::OnRequest, Some(rule)) => Verdict::Ask(rule.into()),
    }
}

/// Returns the verdict on a call that needs approval, with the reason.
pub(super) fn strict_verdict(mode: Mode, reason: String) -> Verdict {
    match mode {
        Mode::Full => Verdict::Run,
        Mode::AutoEdit => Verdict::Refuse(reason.into()),
        Mode::Untrusted | Mode::OnRequest => Verdict::Ask(reason.into()),
    }
}

/// Applies a rule to a verdict.
pub fn overrule(mode: Mode, verdict: Verdict, rule: RuleMatch) -> Verdict {
    let guarded = verdict.is_about_set_up();
    match (rule.ruling, mode) {
        (Ruling::Deny, _) => Verdict::Forbid(rule.rule),
        // Neither a rule nor the user's approval can allow what is always denied.
        _ if matches!(verdict, Verdict::Forbid(_)) => verdict,
        // Approvals of configuration files apply once, so the reason must stay visible.
        (Ruling::Ask | Ruling::Allow, _) if guarded => verdict,
        (Ruling::Ask, Mode::Full) => verdict,
        (Ruling::Ask, Mode::AutoEdit) => Verdict::Refuse(rule.rule.into()),
        (Ruling::Ask, Mode::Untrusted | Mode::OnRequest) => Verdict::Ask(rule.rule.into()),
        (Ruling::Allow, _) => Verdict::Run,
    }
}

fn objection(mode: Mode, class: ToolClass, target: &str, roots: &Roots) -> Option<&'static str> {
    match class {
        ToolClass::Reads => None,
        ToolClass::Runs if command::is_read_only(target) => None,
        ToolClass::Runs => Some("command not known to be read-only"),
        ToolClass::Edits => match &*names::parse(target) {
            path if roots.is_set_up(path) => Some(SET_UP),
            _ if mode == Mode::Untrusted => Some("edits ask in mode untrusted"),
            path if !path.starts_with(&roots.root) => Some("file outside the workspace"),
            path if roots.is_hidden(path) => Some(HIDDEN),
            _ => None,
        },
    }
}

impl Roots {
    /// Whether a file is of the set-up of a repository, of bowline or of the user.
    pub(super) fn is_set_up(&self, path: &Path) -> bool {
        // A workspace that is itself in such a folder was chosen by the user.
        is_guarded(path.strip_prefix(&self.root).unwrap_or(path))
            || self.own_folders.iter().any(|folder| path.starts_with(folder))
            || self
                .below_home(path)
                .is_some_and(|below| START_FILES.iter().any(|name| starts_with(below, name)))
    }

    /// Returns the files with keys.
    pub(super) fn secrets(&self) -> Vec<PathBuf> {
        self.own_folders.iter().map(|folder| folder.join(KEYS)).collect()
    }

    /// Whether a file is hidden in the home folder, if the workspace is or contains that folder.
    fn is_hidden(&self, path: &Path) -> bool {
        let holds_home = self.home.as_ref().is_some_and(|home| home.starts_with(&self.root));
        let hidden = |below: &Path| below.to_string_lossy().starts_with('.');
        holds_home && self.below_home(path).is_some_and(hidden)
    }

    fn below_home<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(self.home.as_ref()?).ok()
    }
}

/// Whether an unexpanded path may be a configuration file, judging by its names.
pub(super) fn may_be_set_up(text: &str) -> bool {
    GUARDED.iter().chain(&START_FILES).any(|name| command::may_contain(text, name))
}

/// Whether a path begins with these names, case-insensitive.
fn starts_with(path: &Path, names: &str) -> bool {
    let mut parts = path.components();
    names.split('/').all(|name| parts.next().is_some_and(|part| part.as_os_str().eq_ignore_ascii_case(name)))
}

/// Whether a path, below a workspace or elsewhere, is a configuration file of a repository or of bowline.
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

    fn roots(root: &str) -> Roots {
        let own = vec![PathBuf::from("/h/.config/bowline"), PathBuf::from("/h/.local/share/bowline")];
        Roots { root: root.into(), home: Some("/h".into()), own_folders: own }
    }

    #[test]
    fn policy_configuration_files_ask_in_any_workspace() {
        for (root, path, expected) in [
            ("/h", "/h/notes.txt", "run"),
            ("/h", "/h/.config/bowline/permissions.toml", SET_UP),
            ("/h", "/h/.local/share/bowline/auth.json", SET_UP),
            ("/h", "/h/.profile", SET_UP),
            ("/h", "/h/.ssh/config", SET_UP),
            ("/h", "/h/.gitconfig", SET_UP),
            ("/h", "/h/.cargo/bin/rg", HIDDEN),
            ("/", "/h/.cargo/bin/rg", HIDDEN),
            ("/h", "/h/work/.cargo/config.toml", "run"),
            ("/h", "/h/work/.git/config", SET_UP),
            ("/h/.config/nvim", "/h/.config/nvim/init.lua", "run"),
            ("/h/.config", "/h/.config/nvim/init.lua", "run"),
            ("/h/.config", "/h/.config/git/config", SET_UP),
            ("/h/.config/bowline", "/h/.config/bowline/permissions.toml", SET_UP),
            ("/x/.git/w", "/x/.git/w/a.rs", "run"),
            ("/x/.git/w", "/x/.git/config", SET_UP),
            ("/w", "/w/.profile", "run"),
        ] {
            let verdict = judge(OnRequest, Edits, path, &roots(root));
            let expected = match expected {
                "run" => Verdict::Run,
                why => Verdict::Ask(why.into()),
            };
            assert_eq!(verdict, expected, "{path} in {root}");
        }
    }

    #[test]
    fn policy_table_of_approval_modes() {
        let run = |mode, class, target| judge(mode, class, target, &roots("/w"));
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
        for (class, target, expected) in rows {
            let words: Vec<&str> = [Untrusted, OnRequest, AutoEdit, Full]
                .into_iter()
                .map(|mode| match run(mode, class, target) {
                    Verdict::Run => "run",
                    Verdict::Ask(_) => "ask",
                    Verdict::Refuse(_) => "refuse",
                    Verdict::Forbid(_) => "forbid",
                })
                .collect();
            assert_eq!(words.join(" "), expected, "{target}");
        }
    }

    #[test]
    fn policy_rules_override_approval_modes() {
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
            (Edits, "/w2/.git/hooks/pre-commit", Ruling::Allow, "ask ask refuse run"),
            (Edits, "/w2/.Bowline/permissions.toml", Ruling::Allow, "ask ask refuse run"),
            (Edits, "/h/.config/bowline/permissions.toml", Ruling::Allow, "ask ask refuse run"),
            (Edits, "/h/.bashrc", Ruling::Allow, "ask ask refuse run"),
            (Edits, "/h/.config/git/config", Ruling::Allow, "ask ask refuse run"),
            (Edits, "/h/.config/nvim/init.lua", Ruling::Allow, "run run run run"),
            (Edits, "/h/.bashrc_notes", Ruling::Allow, "run run run run"),
            (Reads, "/w/.env", Ruling::Deny, "forbid forbid forbid forbid"),
        ];
        for (class, target, ruling, expected) in rows {
            let words: Vec<&str> = [Untrusted, OnRequest, AutoEdit, Full]
                .into_iter()
                .map(|mode| {
                    let verdict = judge(mode, class, target, &roots("/w"));
                    word(overrule(mode, verdict, RuleMatch { ruling, rule: "r".to_string() }))
                })
                .collect();
            assert_eq!(words.join(" "), expected, "{target} {ruling:?}");
        }
    }

    #[test]
    fn approval_mode_names_roundtrip() {
        for mode in Mode::ALL {
            assert_eq!(Mode::parse(mode.name()), Some(mode));
        }
        assert_eq!(Mode::parse("yolo"), None);
    }
}
