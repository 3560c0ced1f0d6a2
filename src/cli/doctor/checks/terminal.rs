//! Checks of the terminal by its variables and its size. Must not know what it has answered: that is in
//! [`super::terminal_features`].

use super::terminal_features as features;
use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding};
use crate::cli::setup;
use crate::exec::commands::tmux::{self, TmuxReport};
use crate::tui::theme::ColorDepth;
use crate::tui::theme::color::DepthReason;

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "terminal", run: |facts| vec![features::answers(facts)] },
    Check { name: "name", run: |facts| vec![features::name(facts)] },
    Check { name: "TERM", run: |facts| vec![term(facts)] },
    Check { name: "COLORTERM", run: |facts| vec![Finding::ok(facts.var("COLORTERM").unwrap_or("not set"))] },
    Check { name: "size", run: |facts| vec![size(facts)] },
    Check { name: "colors", run: |facts| vec![colors(facts)] },
    Check { name: "background", run: |facts| vec![features::background(facts)] },
    Check { name: "keyboard", run: |facts| vec![features::keyboard(facts)] },
    Check { name: "synchronized-output", run: |facts| vec![features::synchronized(facts)] },
    Check { name: "images", run: |facts| vec![features::images(facts)] },
    Check { name: "mouse", run: mouse },
    Check { name: "accessible", run: |facts| vec![accessible(facts)] },
    Check { name: "multiplexer", run: |facts| vec![multiplexer(facts)] },
    Check { name: "tmux-option", run: tmux_options },
    Check { name: "locale", run: |facts| vec![locale(facts)] },
    Check { name: "connection", run: |facts| vec![connection(facts)] },
];

/// The smallest size in which text can be edited: columns and rows.
const SIZE_MIN: (u16, u16) = (20, 5);

fn term(facts: &Facts) -> Finding {
    let advice = "Set TERM to the terminal's name, such as xterm-256color, where it can show a screen";
    match facts.var("TERM") {
        Some("dumb") if facts.is_terminal => {
            Finding::error("dumb: the full screen does not start here", advice)
        }
        Some("dumb") => Finding::note("dumb", advice),
        Some(term) => Finding::ok(term),
        None if facts.is_terminal => Finding::warning("not set", advice),
        None => Finding::note("not set", advice),
    }
}

/// Whether the screen is drawn for screen readers.
fn accessible(facts: &Facts) -> Finding {
    let is_set = facts.setup.as_ref().is_some_and(|setup| setup.loaded.settings.accessible);
    Finding::ok(match (facts.args.accessible, is_set) {
        (true, _) if facts.var("ACCESSIBLE").is_some() => "on, by ACCESSIBLE",
        (true, _) => "on, by --accessible",
        (false, true) => "on, by the settings",
        (false, false) => "off",
    })
}

fn size(facts: &Facts) -> Finding {
    match facts.size {
        Some((cols, rows)) if cols < SIZE_MIN.0 || rows < SIZE_MIN.1 => Finding::warning(
            format!("{cols} x {rows}"),
            format!("Enlarge the window to {} columns and {} rows", SIZE_MIN.0, SIZE_MIN.1),
        ),
        Some((cols, rows)) => Finding::ok(format!("{cols} x {rows}")),
        None if facts.is_terminal => {
            Finding::note("unknown; 80 x 24 is assumed", "Set it: stty cols 80 rows 24")
        }
        None => features::not_a_terminal(),
    }
}

fn colors(facts: &Facts) -> Finding {
    let (depth, reason) = setup::color_depth(&facts.process);
    let depth = match depth {
        ColorDepth::None => "none",
        ColorDepth::Ansi16 => "16",
        ColorDepth::Ansi256 => "256",
        ColorDepth::True => "24-bit",
    };
    let term = facts.var("TERM").unwrap_or("not set");
    let more = "Set COLORTERM=truecolor if the terminal shows 24-bit color";
    match reason {
        DepthReason::Colorterm => Finding::ok(format!("{depth}, by COLORTERM")),
        DepthReason::Term => Finding::ok(format!("{depth}, by TERM")),
        DepthReason::NoColor => {
            Finding::note(format!("{depth}: NO_COLOR is set"), "Unset NO_COLOR to get colors")
        }
        DepthReason::ColorlessTerm => Finding::note(format!("{depth}: TERM={term}"), more),
        DepthReason::Term256 => Finding::note(format!("{depth}, by TERM={term}"), more),
        DepthReason::NoPromise => {
            Finding::note(format!("{depth}: neither TERM nor COLORTERM promises more"), more)
        }
    }
}

fn mouse(facts: &Facts) -> Vec<Finding> {
    let is_on = facts.setup.as_ref().map(|setup| setup.loaded.settings.mouse);
    let describe = |is_on| if is_on { "on" } else { "off, by the setting `mouse`" };
    is_on.map(|is_on| Finding::ok(describe(is_on))).into_iter().collect()
}

fn multiplexer(facts: &Facts) -> Finding {
    let outer = facts.var("TERM").filter(|term| term.starts_with("tmux") || term.starts_with("screen"));
    match &facts.tmux {
        Some(Ok(TmuxReport { version, outer: Some(outer), .. })) => {
            return Finding::ok(format!("tmux {version} in {}", outer.name));
        }
        Some(Ok(TmuxReport { version, .. })) => return Finding::ok(format!("tmux {version}")),
        Some(Err(error)) => {
            let advice = "Check that `tmux display-message` works here; images and copying depend on it";
            return Finding::warning(format!("tmux: {error}"), advice);
        }
        None => {}
    }
    if facts.var("STY").is_some() {
        return Finding::note(
            "GNU screen",
            "Outside of it, the terminal's images and keyboard protocol work",
        );
    }
    if facts.var("ZELLIJ").is_some() {
        return Finding::note("Zellij", "Ctrl-g locks Zellij's own keys, so that they reach bowline");
    }
    match outer {
        Some(term) => Finding::note(
            format!("none here, but TERM={term}: there may be one on another machine"),
            "If keys or images are missing, set its options there: extended-keys, allow-passthrough",
        ),
        None => Finding::ok("none"),
    }
}

fn tmux_options(facts: &Facts) -> Vec<Finding> {
    let Some(Ok(report)) = &facts.tmux else { return Vec::new() };
    let is_on = |option: &Option<String>| option.as_deref().map(tmux::is_on);
    let passthrough = match is_on(&report.allow_passthrough) {
        Some(true) => Finding::ok("on"),
        // The program switches it on for its own pane where the terminal around tmux has placeholders.
        Some(false) => Finding::ok("off; bowline switches it on where it shows images"),
        None => Finding::note("not in this version", "Images need tmux 3.3 or newer"),
    };
    let extended = match is_on(&report.extended_keys) {
        Some(true) => Finding::ok("on"),
        Some(false) => Finding::note("off", "For keys such as Shift-Enter: set -s extended-keys on"),
        None => Finding::note("not in this version", "Keys such as Shift-Enter need tmux 3.2 or newer"),
    };
    let focus = match is_on(&report.focus_events) {
        Some(true) => Finding::ok("on"),
        _ => Finding::note(
            "off",
            "For notifications while another window has the focus: set -s focus-events on",
        ),
    };
    vec![passthrough.about("allow-passthrough"), extended.about("extended-keys"), focus.about("focus-events")]
}

fn locale(facts: &Facts) -> Finding {
    let advice = "Set LANG to a locale with UTF-8, such as C.UTF-8: bowline writes UTF-8";
    // The order in which the system looks at them.
    let found = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| Some((*name, facts.var(name)?)));
    match found {
        Some((name, value)) => {
            let shown = format!("{name}={value}");
            let upper = value.to_ascii_uppercase();
            let is_utf8 = upper.contains("UTF-8") || upper.contains("UTF8");
            if is_utf8 { Finding::ok(shown) } else { Finding::warning(shown, advice) }
        }
        None => Finding::warning("not set", advice),
    }
}

fn connection(facts: &Facts) -> Finding {
    Finding::ok(if facts.clipboard_route.is_remote { "ssh" } else { "local" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::report::State;
    use crate::exec::commands::tmux::Outer;

    fn facts(vars: &[(&str, &str)]) -> Facts {
        let mut facts = Facts::for_tests();
        facts.process.vars =
            vars.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect();
        facts
    }

    #[test]
    fn doctor_colors_name_depth_and_reason() {
        let colors = |vars: &[(&str, &str)]| {
            let found = colors(&facts(vars));
            (found.state, found.value)
        };
        let truecolor = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor")];
        assert_eq!(colors(&truecolor), (State::Ok, "24-bit, by COLORTERM".to_string()));
        assert_eq!(colors(&truecolor[..1]), (State::Note, "256, by TERM=xterm-256color".to_string()));
        assert_eq!(colors(&[("TERM", "dumb")]), (State::Note, "none: TERM=dumb".to_string()));
        assert_eq!(colors(&[("NO_COLOR", "1")]), (State::Note, "none: NO_COLOR is set".to_string()));
    }

    #[test]
    fn doctor_locale_needs_utf8_by_the_first_variable_that_is_set() {
        let locale = |vars: &[(&str, &str)]| locale(&facts(vars));
        assert_eq!(locale(&[("LANG", "de_DE.utf8")]), Finding::ok("LANG=de_DE.utf8"));
        assert_eq!(locale(&[("LANG", "C.UTF-8"), ("LC_ALL", "C")]).state, State::Warning);
        assert_eq!(locale(&[]).state, State::Warning);
    }

    #[test]
    fn doctor_term_dumb_is_an_error_only_on_a_terminal() {
        let mut dumb = facts(&[("TERM", "dumb")]);
        assert_eq!(term(&dumb).state, State::Note);
        dumb.is_terminal = true;
        assert_eq!(term(&dumb).state, State::Error);
        assert_eq!(size(&Facts { size: Some((19, 30)), ..dumb }).state, State::Warning);
    }

    #[test]
    fn doctor_multiplexer_names_tmux_screen_zellij() {
        let value = |vars: &[(&str, &str)]| multiplexer(&facts(vars)).value;
        assert_eq!(value(&[]), "none");
        assert_eq!(value(&[("STY", "1.pts")]), "GNU screen");
        assert_eq!(value(&[("ZELLIJ", "0")]), "Zellij");
        assert!(value(&[("TERM", "tmux-256color")]).contains("another machine"));
        let report = TmuxReport {
            version: "3.4".to_string(),
            outer: Some(Outer { name: "foot(1.16)".to_string(), cell: None }),
            allow_passthrough: Some("off".to_string()),
            extended_keys: Some("off".to_string()),
            focus_events: None,
        };
        let inside = Facts { tmux: Some(Ok(report)), ..facts(&[]) };
        assert_eq!(multiplexer(&inside), Finding::ok("tmux 3.4 in foot(1.16)"));
        let states: Vec<State> = tmux_options(&inside).iter().map(|found| found.state).collect();
        assert_eq!(states, [State::Ok, State::Note, State::Note]);
    }
}
