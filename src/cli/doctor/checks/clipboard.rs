//! Checks of the clipboards: which of them a copied text goes to. Must not know how they are reached.

use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding};
use crate::exec::clipboard::ClipboardKind;

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "desktop", run: |facts| vec![desktop(facts)] },
    Check { name: "tmux", run: |facts| vec![tmux(facts)] },
    Check {
        name: "OSC 52",
        run: |_| vec![Finding::ok("if no other takes the text; the terminal may refuse it")],
    },
    Check { name: "used", run: |facts| vec![used(facts)] },
];

fn desktop(facts: &Facts) -> Finding {
    match &facts.desktop {
        None => Finding::ok("not used: over ssh it is that of the other machine"),
        Some(Ok(())) => Finding::ok("reachable"),
        Some(Err(error)) => Finding::note(
            error.to_string(),
            "On a desktop, set DISPLAY or WAYLAND_DISPLAY as in its terminals",
        ),
    }
}

fn tmux(facts: &Facts) -> Finding {
    match &facts.tmux {
        None => Finding::ok("not used: not in tmux"),
        Some(Ok(_)) => Finding::ok("its buffer, which tmux passes on to the terminal (load-buffer -w)"),
        Some(Err(error)) => Finding::note(error.to_string(), "Check that `tmux display-message` works here"),
    }
}

fn used(facts: &Facts) -> Finding {
    let name = |kind: &ClipboardKind| match kind {
        ClipboardKind::Tmux => matches!(facts.tmux, Some(Ok(_))).then_some("tmux"),
        ClipboardKind::Desktop => matches!(facts.desktop, Some(Ok(()))).then_some("desktop"),
    };
    let names: Vec<&str> = facts.clipboard_route.kinds().iter().filter_map(name).collect();
    if names.is_empty() {
        let advice = "Allow OSC 52 in the terminal's settings; paste with its own key, such as Ctrl-Shift-v";
        return Finding::note("OSC 52", advice);
    }
    Finding::ok(names.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::facts::ProgramError;
    use crate::cli::doctor::report::State;
    use crate::exec::clipboard::{CheckResult, ClipboardError, ClipboardRoute};
    use crate::exec::commands::tmux::TmuxReport;

    fn facts(is_remote: bool, in_tmux: bool, desktop: Option<CheckResult>) -> Facts {
        let clipboard_route = ClipboardRoute { is_remote, in_tmux };
        Facts { clipboard_route, desktop, ..Facts::for_tests() }
    }

    #[test]
    fn doctor_clipboard_names_those_that_take_a_text() {
        let local = facts(false, false, Some(Ok(())));
        assert_eq!((used(&local), tmux(&local).state), (Finding::ok("desktop"), State::Ok));
        let gone = Err(ClipboardError::Unavailable("gone".to_string()));
        let report = TmuxReport {
            version: "3.4".to_string(),
            outer: None,
            allow_passthrough: None,
            extended_keys: None,
            focus_events: None,
        };
        let inside = Facts { tmux: Some(Ok(report)), ..facts(false, true, Some(gone)) };
        assert_eq!((used(&inside), desktop(&inside).value), (Finding::ok("tmux"), "gone".to_string()));
        let remote = facts(true, false, None);
        assert_eq!((used(&remote).value.as_str(), used(&remote).state), ("OSC 52", State::Note));
        assert!(desktop(&remote).value.contains("over ssh"));
        let hanging = facts(false, true, Some(Err(ClipboardError::TimedOut)));
        let hanging = Facts { tmux: Some(Err(ProgramError::NotFound)), ..hanging };
        assert_eq!((used(&hanging).value.as_str(), desktop(&hanging).state), ("OSC 52", State::Note));
        assert_eq!(tmux(&hanging).state, State::Note);
    }
}
