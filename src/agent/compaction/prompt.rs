//! What a model is asked when it sums up. The texts are in `assets/summaries`; the headings in
//! them are pi's, so that its summaries and ours can be carried on by either.

/// Who sums up, and that nothing else is wanted.
pub const SYSTEM: &str = include_str!("../../../assets/summaries/system.md");
const FIRST: &str = include_str!("../../../assets/summaries/first.md");
const UPDATE: &str = include_str!("../../../assets/summaries/update.md");
const FORM: &str = include_str!("../../../assets/summaries/form.md");
const TURN: &str = include_str!("../../../assets/summaries/turn.md");
const BRANCH: &str = include_str!("../../../assets/summaries/branch.md");

/// The heading that summaries of branches do not have.
const CRITICAL: &str =
    "\n\n## Critical Context\n- (facts and figures without which the work cannot go on, or \"none\")";

/// What stands before the summary of a branch, for the model that reads it.
pub const LEFT: &str = "Another way of going on was tried from here and left again. What happened on it:\n\n";
/// Stands for the summary of what came before a turn that begins the conversation.
pub const NOTHING_BEFORE: &str = "Nothing came before this turn.";
/// Stands between the summary of the turns before and that of the turn that was cut.
pub const BETWEEN: &str = "\n\n---\n\n**Turn Context (split turn):**\n\n";

/// For the turns that are summed up whole; with an earlier summary, for bringing that up to date.
pub fn history(conversation: &str, previous: Option<&str>, focus: Option<&str>) -> String {
    let (task, previous) = match previous {
        Some(summary) => (UPDATE, format!("<previous-summary>\n{summary}\n</previous-summary>\n\n")),
        None => (FIRST, String::new()),
    };
    let (said, task, form) = (quoted(conversation), task.trim_end(), FORM.trim_end());
    format!("{said}{previous}{task}\n\n{form}{CRITICAL}{}", focused(focus))
}

/// For the first part of a turn whose end is kept.
pub fn turn(conversation: &str, focus: Option<&str>) -> String {
    format!("{}{}{}", quoted(conversation), TURN.trim_end(), focused(focus))
}

/// For a branch that is left.
pub fn branch(conversation: &str, focus: Option<&str>) -> String {
    format!("{}{}\n\n{}{}", quoted(conversation), BRANCH.trim_end(), FORM.trim_end(), focused(focus))
}

fn quoted(conversation: &str) -> String {
    format!("<conversation>\n{conversation}\n</conversation>\n\n")
}

/// What the user wants the summary to be about.
fn focused(focus: Option<&str>) -> String {
    let focus = focus.map(str::trim).filter(|focus| !focus.is_empty());
    focus.map_or_else(String::new, |focus| format!("\n\nThe user wants this above all: {focus}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compaction_prompt_has_pi_headings() {
        let headings = |text: &str| {
            let lines = text.lines().filter(|line| line.starts_with('#'));
            lines.map(str::to_string).collect::<Vec<_>>()
        };
        let common = [
            "## Goal",
            "## Constraints & Preferences",
            "## Progress",
            "### Done",
            "### In Progress",
            "### Blocked",
            "## Key Decisions",
            "## Next Steps",
        ];
        let whole = [&common[..], &["## Critical Context"]].concat();
        assert_eq!(headings(&history("c", None, None)), whole);
        assert_eq!(headings(&history("c", Some("old"), None)), whole);
        assert_eq!(headings(&branch("c", None)), common);
        assert_eq!(
            headings(&turn("c", None)),
            ["## Original Request", "## Early Progress", "## Context for Suffix"]
        );
    }

    #[test]
    fn compaction_prompt_has_previous_summary_and_request() {
        let text = history("said", Some("old"), Some(" tests "));
        assert!(
            text.starts_with("<conversation>\nsaid\n</conversation>\n\n<previous-summary>\nold\n"),
            "{text}"
        );
        assert!(text.ends_with("above all: tests"), "{text}");
        assert!(turn("c", Some("tests")).ends_with("tests") && branch("c", Some("tests")).ends_with("tests"));
        assert!(!turn("c", Some("  ")).contains("above all"));
    }
}
