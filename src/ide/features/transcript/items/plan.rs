//! The task list while steps of it are unfinished, as one line. Must not know where it is shown.

use crate::tools::contract::view::{PlanStep, StepProgress};

/// Maximum bytes of a step's text that are kept.
const STEP_BYTES: usize = 400;

/// Returns how many steps are done, and the current one, as `1/3 · Bound the loop`; `None` if all are finished.
pub fn active_line(steps: &[PlanStep]) -> Option<String> {
    let with = |wanted: StepProgress| steps.iter().find(move |step| step.progress == wanted);
    let current = with(StepProgress::InProgress)
        .or_else(|| with(StepProgress::Blocked))
        .or_else(|| with(StepProgress::Pending))?;
    let is_finished =
        |step: &&PlanStep| matches!(step.progress, StepProgress::Completed | StepProgress::Cancelled);
    let done = steps.iter().filter(is_finished).count();
    let text = &current.text[..current.text.floor_char_boundary(STEP_BYTES)];
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(format!("{done}/{} · {text}", steps.len()))
}

#[cfg(test)]
mod tests {
    use super::StepProgress::{Cancelled, Completed, InProgress, Pending};
    use super::*;

    #[test]
    fn transcript_plan_line_names_current_step() {
        let step = |text: &str, progress| PlanStep { text: text.to_string(), progress };
        let steps = [step("a", Completed), step("next", Pending), step("Bound\n the loop", InProgress)];
        assert_eq!(active_line(&steps).as_deref(), Some("1/3 · Bound the loop"));
        assert_eq!(active_line(&steps[..2]).as_deref(), Some("1/2 · next"));
        assert_eq!(active_line(&[step("a", Completed), step("b", Cancelled)]), None);
        assert_eq!(active_line(&[]), None);
    }
}
