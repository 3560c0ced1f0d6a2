//! Checks of what the terminal has answered. Must not know how it was asked.

use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::Finding;
use crate::cli::setup::{self, BackgroundSource};
use crate::tui::caps::Caps;
use crate::tui::images::protocol::{
    ImageChoice, ImageProtocol, ImageReason, OuterTerminal, support_with_reason,
};
use crate::tui::term::probe::{Answers, REPLY_TIMEOUT};

/// What to do where the terminal was not asked.
const ELSEWHERE: &str = "Run `bowline doctor` in a terminal, without redirection";

/// What is said where there is no terminal.
pub fn not_a_terminal() -> Finding {
    Finding::note("not a terminal", ELSEWHERE)
}

/// Whether the terminal answers.
pub fn answers(facts: &Facts) -> Finding {
    match &facts.answers {
        None => not_a_terminal(),
        Some(Err(error)) => {
            Finding::warning(error.to_string(), "Run `bowline doctor` in the foreground again")
        }
        Some(Ok(Answers { is_asked: false, .. })) => not_asked(facts),
        Some(Ok(answers)) if answers.caps.complete => {
            Finding::ok(format!("answered within {} ms", answers.took.as_millis()))
        }
        Some(Ok(_)) => Finding::warning(
            format!("did not answer within {} ms", REPLY_TIMEOUT.as_millis()),
            "What needs an answer stays off: images, synchronized output, the keyboard protocol",
        ),
    }
}

/// The terminal's own name.
pub fn name(facts: &Facts) -> Finding {
    with_caps(facts, |caps| match &caps.name {
        Some(name) => Finding::ok(name),
        None => Finding::ok("not reported"),
    })
}

/// Which keys reach the program.
pub fn keyboard(facts: &Facts) -> Finding {
    with_caps(facts, |caps| {
        if caps.kitty_keyboard {
            return Finding::ok("Kitty keyboard protocol");
        }
        let advice =
            "Keys such as Ctrl-Enter may not arrive; terminals with the Kitty keyboard protocol send them";
        Finding::note("xterm's modified keys; no Kitty keyboard protocol", advice)
    })
}

/// Whether a frame is shown at once.
pub fn synchronized(facts: &Facts) -> Finding {
    with_caps(facts, |caps| match caps.synchronized {
        Some(true) => Finding::ok("yes (mode 2026)"),
        _ => Finding::note("no", "If frames flicker, use a terminal with synchronized output (mode 2026)"),
    })
}

/// How images are shown, and why.
pub fn images(facts: &Facts) -> Finding {
    let setting = facts.setup.as_ref().map_or("auto", |setup| setup.loaded.settings.images.as_str());
    let choice = ImageChoice::named(setting);
    let (colors, _) = setup::color_depth(&facts.process);
    with_caps(facts, |caps| {
        let (support, reason) = support_with_reason(choice, caps, colors, outer_terminal(facts).as_ref());
        let protocol = match support.map(|support| support.protocol) {
            Some(ImageProtocol::Kitty) => "Kitty's graphics protocol".to_string(),
            Some(ImageProtocol::Iterm2) => "iTerm2's inline files".to_string(),
            Some(ImageProtocol::Sixel(colors)) => format!("Sixel with {colors} colors"),
            Some(ImageProtocol::HalfBlocks) => "half blocks".to_string(),
            None => "not shown".to_string(),
        };
        let better = "Kitty, Ghostty, WezTerm, iTerm2 and terminals with Sixel show every pixel";
        match reason {
            ImageReason::Chosen => Finding::ok(format!("{protocol}, by the setting `images`")),
            ImageReason::Placeholders => {
                Finding::ok(format!("{protocol}: the terminal has its placeholders"))
            }
            ImageReason::InlineFiles => Finding::ok(format!("{protocol}, by the terminal's name")),
            ImageReason::SixelAnswered => Finding::ok(format!("{protocol}: the terminal answered so")),
            ImageReason::NothingBetter => {
                Finding::note(format!("{protocol}: the terminal has no protocol for images"), better)
            }
            ImageReason::FewColors => Finding::note(
                format!("{protocol}: too few colors"),
                "Set COLORTERM=truecolor if the terminal shows 24-bit color",
            ),
        }
    })
}

/// The color of the background, or what stands for it.
pub fn background(facts: &Facts) -> Finding {
    let word = |is_dark| if is_dark { "dark" } else { "light" };
    let caps = facts.answers.as_ref().and_then(|answers| answers.as_ref().ok()).map(|answers| &answers.caps);
    if let Some(caps) = caps
        && let Some(is_dark) = caps.dark_background
    {
        let color = caps.background.map(|(r, g, b)| format!("#{r:02x}{g:02x}{b:02x}, ")).unwrap_or_default();
        return Finding::ok(format!("{color}{}", word(is_dark)));
    }
    let assumed = Finding::note(
        "unknown; dark is assumed",
        "If that is wrong, choose a theme in settings.toml: theme = \"bowline-light\"",
    );
    let Some(setup) = &facts.setup else { return assumed };
    match setup::terminal_background(setup, &facts.process) {
        (is_dark, BackgroundSource::Variable) => Finding::ok(format!("{}, by COLORFGBG", word(is_dark))),
        (is_dark, BackgroundSource::LastRun) => Finding::ok(format!("{}, as in the last run", word(is_dark))),
        (_, BackgroundSource::Assumed) => assumed,
    }
}

/// Judges what the terminal has answered, if it has.
fn with_caps(facts: &Facts, judge: impl FnOnce(&Caps) -> Finding) -> Finding {
    match &facts.answers {
        None => not_a_terminal(),
        Some(Ok(Answers { is_asked: false, .. })) => not_asked(facts),
        // What came before the time was up counts.
        Some(Ok(answers)) if answers.caps.complete || answers.caps != Caps::default() => judge(&answers.caps),
        Some(_) => Finding::note("unknown", "The terminal has to answer first"),
    }
}

fn not_asked(facts: &Facts) -> Finding {
    let term = facts.var("TERM").unwrap_or("not set");
    Finding::note(
        format!("not asked: TERM is {term}"),
        "Set TERM to the terminal's name; without one it may print the questions",
    )
}

/// The terminal around tmux, as the program sees it.
fn outer_terminal(facts: &Facts) -> Option<OuterTerminal> {
    // As long as tmux has not said which terminal is around it, it is one without a name.
    let Ok(found) = facts.tmux.as_ref()? else { return Some(OuterTerminal::default()) };
    let is_reachable = found.allow_passthrough.is_some();
    let outer = found.outer.clone();
    let to_outer = |outer: crate::exec::commands::tmux::Outer| OuterTerminal {
        name: outer.name,
        cell: outer.cell,
        is_reachable,
    };
    Some(outer.map(to_outer).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::report::State;
    use std::time::Duration;

    fn facts(caps: Caps) -> Facts {
        let mut facts = Facts::for_tests();
        facts.process.vars.insert("COLORTERM".to_string(), "truecolor".to_string());
        let answers = Answers { caps, is_asked: true, took: Duration::from_millis(7) };
        Facts { is_terminal: true, answers: Some(Ok(answers)), ..facts }
    }

    #[test]
    fn doctor_terminal_features_follow_the_answers() {
        let caps = Caps {
            complete: true,
            kitty_keyboard: true,
            kitty_graphics: true,
            synchronized: Some(true),
            background: Some((250, 250, 240)),
            dark_background: Some(false),
            name: Some("kitty(0.41.1)".to_string()),
            ..Caps::default()
        };
        let facts = facts(caps);
        assert_eq!(answers(&facts), Finding::ok("answered within 7 ms"));
        assert_eq!(name(&facts), Finding::ok("kitty(0.41.1)"));
        assert_eq!(keyboard(&facts), Finding::ok("Kitty keyboard protocol"));
        assert_eq!(synchronized(&facts).state, State::Ok);
        assert_eq!(background(&facts), Finding::ok("#fafaf0, light"));
        assert_eq!(
            images(&facts),
            Finding::ok("Kitty's graphics protocol: the terminal has its placeholders")
        );
    }

    #[test]
    fn doctor_terminal_without_answer_is_unknown() {
        let silent = facts(Caps::default());
        assert_eq!(answers(&silent).state, State::Warning);
        assert_eq!((keyboard(&silent).value, images(&silent).value), ("unknown".into(), "unknown".into()));
        let poor = facts(Caps { complete: true, ..Caps::default() });
        assert_eq!((keyboard(&poor).state, synchronized(&poor).state), (State::Note, State::Note));
        assert!(images(&poor).value.starts_with("half blocks"), "{:?}", images(&poor));
    }

    #[test]
    fn doctor_images_in_tmux_follow_the_terminal_around_it() {
        use crate::exec::commands::tmux::{Outer, TmuxReport};
        let report = |name: &str, allow: Option<&str>| TmuxReport {
            version: "3.4".to_string(),
            outer: Some(Outer { name: name.to_string(), cell: None }),
            allow_passthrough: allow.map(str::to_string),
            extended_keys: None,
            focus_events: None,
        };
        let value = |name: &str, allow| {
            let inside = facts(Caps { complete: true, ..Caps::default() });
            images(&Facts { tmux: Some(Ok(report(name, allow))), ..inside }).value
        };
        assert!(value("kitty(0.41.1)", Some("off")).starts_with("Kitty's"));
        assert!(value("kitty(0.41.1)", None).starts_with("half blocks"));
        assert!(value("xterm(1)", Some("on")).starts_with("half blocks"));
    }
}
