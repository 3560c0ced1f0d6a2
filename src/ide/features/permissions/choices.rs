//! The possible answers to a permission request. Must not know how they are shown or carried out.

use crate::ide::core::keys::keymap::{KeyContext, Keymap, Lookup};
use crate::ide::features::permissions::view::Step;
use crate::tools::permissions::approval::Ask;
use crate::tui::input::Key;

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Run the call. For a rule that is shown: write it for this project, and run.
    Accept,
    /// Run it, and the same call again until the program ends.
    AcceptRepeats,
    /// Run it, and what the proposed rule covers in this session.
    AcceptSession,
    /// Show the proposed rule, to be written.
    AcceptAlways,
    /// Write the shown rule for all projects, and run.
    AcceptEverywhere,
    /// Type the command to run instead.
    Edit,
    /// Do not run it. For a rule that is shown: go back.
    Deny,
    /// Type a reason for the model.
    DenyWithReason,
}

/// Longer commands are not edited here: the whole text is wrapped for every frame.
const EDIT_BYTES: usize = 32 << 10;

/// The command of each answer.
const COMMANDS: [(Answer, &str); 8] = [
    (Answer::Accept, "approval.accept"),
    (Answer::AcceptRepeats, "approval.accept-repeats"),
    (Answer::AcceptSession, "approval.accept-session"),
    (Answer::AcceptAlways, "approval.accept-always"),
    (Answer::AcceptEverywhere, "approval.accept-everywhere"),
    (Answer::Edit, "approval.edit"),
    (Answer::Deny, "approval.deny"),
    (Answer::DenyWithReason, "approval.deny-with-reason"),
];

impl Answer {
    /// Returns the id of its command.
    pub fn command(self) -> &'static str {
        COMMANDS.iter().find(|(answer, _)| *answer == self).map_or("", |(_, id)| id)
    }

    /// Returns whether the call must have been read to its end before.
    pub fn needs_reading(self) -> bool {
        !matches!(self, Self::Deny | Self::DenyWithReason)
    }
}

/// An answer as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The answer.
    pub answer: Answer,
    /// In plain words.
    pub label: String,
    /// One word for narrow windows.
    pub short: &'static str,
}

fn choice(answer: Answer, label: impl Into<String>, short: &'static str) -> Choice {
    Choice { answer, label: label.into(), short }
}

/// Returns the answers to a request in a step.
pub fn choices(ask: &Ask, step: Step) -> Vec<Choice> {
    if step == Step::Rule {
        return vec![
            choice(Answer::Accept, "for this project", "project"),
            choice(Answer::AcceptEverywhere, "for all projects", "all"),
            choice(Answer::Deny, "back", "back"),
        ];
    }
    let once = if ask.preview.is_some() { "apply once" } else { "run once" };
    let mut all = vec![choice(Answer::Accept, once, "once")];
    if ask.repeatable {
        all.push(choice(
            Answer::AcceptRepeats,
            "run this very call without asking, until quit",
            "until quit",
        ));
    }
    if let Some(proposal) = &ask.proposal {
        all.push(choice(
            Answer::AcceptSession,
            format!("allow {} in this session", proposal.what),
            "session",
        ));
        all.push(choice(Answer::AcceptAlways, "always allow it (adds a rule, shown first)", "rule"));
    }
    if ask.editable.is_some() && ask.target.len() <= EDIT_BYTES && !ask.target.contains('\r') {
        all.push(choice(Answer::Edit, "edit it, then run", "edit"));
    }
    all.push(choice(Answer::Deny, "deny", "no"));
    all.push(choice(Answer::DenyWithReason, "deny and say why", "reason"));
    all
}

/// Returns the answer that a key gives in the waiting approval, if it is one.
pub fn answer_of(keymap: &Keymap, key: Key) -> Option<Answer> {
    let Lookup::Command(id) = keymap.lookup(KeyContext::Approval, &[key]) else { return None };
    COMMANDS.iter().find(|(_, command)| *command == id).map(|(answer, _)| *answer)
}
