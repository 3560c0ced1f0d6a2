//! Prompts for summaries. The texts are in `assets/summaries`; their headings are pi's, so that each program
//! can update the other's summaries.

/// The system prompt.
pub const SYSTEM: &str = include_str!("../../../assets/summaries/system.md");
const FIRST: &str = include_str!("../../../assets/summaries/first.md");
const UPDATE: &str = include_str!("../../../assets/summaries/update.md");
const FORM: &str = include_str!("../../../assets/summaries/form.md");
const TURN: &str = include_str!("../../../assets/summaries/turn.md");
const BRANCH: &str = include_str!("../../../assets/summaries/branch.md");

/// A heading that branch summaries do not have.
const CRITICAL_CONTEXT: &str =
    "\n\n## Critical Context\n- (facts and figures without which the work cannot go on, or \"none\")";

/// Text before a branch summary, for the model that reads it.
pub const BRANCH_INTRO: &str =
    "Another way of going on was tried from here and left again. What happened on it:\n\n";
/// Placeholder for the summary of earlier turns when the cut turn starts the conversation.
pub const NO_EARLIER_TURNS: &str = "Nothing came before this turn.";
/// Separator between the summary of earlier turns and that of the cut turn.
pub const SPLIT_TURN_HEADING: &str = "\n\n---\n\n**Turn Context (split turn):**\n\n";

/// Returns the prompt for complete turns; with a previous summary, the prompt to update it.
pub fn history(conversation: &str, previous: Option<&str>, focus: Option<&str>) -> String {
    let (task, previous) = match previous {
        Some(summary) => (UPDATE, format!("<previous-summary>\n{summary}\n</previous-summary>\n\n")),
        None => (FIRST, String::new()),
    };
    let (conversation_text, task, form) = (quoted(conversation), task.trim_end(), FORM.trim_end());
    format!("{conversation_text}{previous}{task}\n\n{form}{CRITICAL_CONTEXT}{}", focus_paragraph(focus))
}

/// Returns the prompt for the first part of a turn whose end is kept.
pub fn turn(conversation: &str, focus: Option<&str>) -> String {
    format!("{}{}{}", quoted(conversation), TURN.trim_end(), focus_paragraph(focus))
}

/// Returns the prompt for a branch that is left.
pub fn branch(conversation: &str, focus: Option<&str>) -> String {
    format!("{}{}\n\n{}{}", quoted(conversation), BRANCH.trim_end(), FORM.trim_end(), focus_paragraph(focus))
}

fn quoted(conversation: &str) -> String {
    format!("<conversation>\n{conversation}\n</conversation>\n\n")
}

/// Returns the user's instructions for the summary as a paragraph.
fn focus_paragraph(focus: Option<&str>) -> String {
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
