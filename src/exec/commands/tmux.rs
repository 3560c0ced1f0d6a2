//! Questions to tmux about the terminal around it. Must not know what they are for.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::query::{self, QueryError};

/// The terminal around tmux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outer {
    /// Its name and version, or what `TERM` says.
    pub name: String,
    /// Width and height of its cells in pixels.
    pub cell: Option<(u16, u16)>,
}

/// What tmux passes on between a program and the terminal around it. An option is `None` where this version of tmux
/// does not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxReport {
    /// The version, such as `3.4`.
    pub version: String,
    /// The terminal that shows this pane, if it is known.
    pub outer: Option<Outer>,
    /// `allow-passthrough`: sequences of images.
    pub allow_passthrough: Option<String>,
    /// `extended-keys`: keys with modifiers.
    pub extended_keys: Option<String>,
    /// `focus-events`: whether the window has the focus.
    pub focus_events: Option<String>,
}

/// Whether an option is on: older versions print flags as numbers.
pub fn is_on(option: &str) -> bool {
    !matches!(option, "off" | "0")
}

/// The names of the terminal around tmux, and the size of its cells.
const OUTER_FORMAT: &str =
    "#{client_cell_width} #{client_cell_height} #{client_termtype}\t#{client_termname}";

/// How long tmux may take at the end.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// Returns the terminal that shows this pane of tmux. Blocks.
pub fn outer_terminal() -> Option<Outer> {
    parse(&run(&["display-message", "-p", OUTER_FORMAT])?)
}

/// Asks the program `tmux` for all that it says about this pane, within `limit`; changes nothing.
///
/// # Errors
/// Fails if tmux cannot be run, fails, or does not answer in time or in the known form.
pub async fn report(tmux: &Path, limit: Duration) -> Result<TmuxReport, QueryError> {
    let options = "#{version}\n#{allow-passthrough}\n#{extended-keys}\n#{focus-events}";
    let format = format!("{options}\n{OUTER_FORMAT}");
    let said = query::output(tmux, &["display-message", "-p", &format], limit).await?;
    parse_report(&said).ok_or(QueryError::Unknown)
}

fn parse_report(said: &str) -> Option<TmuxReport> {
    let mut lines = said.splitn(5, '\n');
    let version = lines.next().map(str::trim).filter(|version| !version.is_empty())?.to_string();
    let mut option = || {
        let value = lines.next()?.trim().to_string();
        Some(Some(value).filter(|value| !value.is_empty()))
    };
    let (allow_passthrough, extended_keys) = (option()?, option()?);
    let focus_events = option()?;
    let outer = parse(lines.next()?);
    Some(TmuxReport { version, outer, allow_passthrough, extended_keys, focus_events })
}

/// Makes tmux pass sequences of this pane on to the terminal around it; returns whether it was changed for that, so
/// that [`end_pass_through`] is due, or `None` if tmux does not. Blocks.
///
/// Measured with tmux 3.3: `allow-passthrough` is off by default.
pub fn pass_through() -> Option<bool> {
    if run(&["show-options", "-Apv", "allow-passthrough"])?.trim() != "off" {
        return Some(false);
    }
    run(&["set-option", "-p", "allow-passthrough", "on"])?;
    Some(true)
}

/// Takes back [`pass_through`]: other programs of this pane are not to reach the terminal around tmux.
pub async fn end_pass_through() {
    let mut command = tokio::process::Command::new("tmux");
    command.args(["set-option", "-pu", "allow-passthrough"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    let ended = tokio::time::timeout(END_TIMEOUT, command.status()).await;
    if !ended.is_ok_and(|status| status.is_ok_and(|status| status.success())) {
        tracing::warn!("tmux still passes sequences of this pane on");
    }
}

fn parse(said: &str) -> Option<Outer> {
    let mut parts = said.trim_end().splitn(3, ' ');
    let (width, height, names) = (parts.next()?, parts.next()?, parts.next()?);
    let name = names.split('\t').find(|name| !name.trim().is_empty())?.trim().to_string();
    let side = |text: &str| text.parse().ok().filter(|side| *side > 0);
    Some(Outer { name, cell: side(width).zip(side(height)) })
}

fn run(args: &[&str]) -> Option<String> {
    let mut command = Command::new("tmux");
    command.args(args).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_outer_terminal_is_parsed() {
        let outer = |name: &str, cell| Some(Outer { name: name.to_string(), cell });
        assert_eq!(parse("9 18 kitty(0.41.1)\txterm-kitty\n"), outer("kitty(0.41.1)", Some((9, 18))));
        assert_eq!(parse("  \txterm-256color\n"), outer("xterm-256color", None));
        assert_eq!(parse("0 0 \t\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn tmux_report_is_parsed_also_without_newer_options() {
        let report = parse_report("3.4\non\nalways\n1\n9 18 foot(1.16)\tfoot\n").unwrap();
        assert_eq!((report.version.as_str(), report.outer.unwrap().name.as_str()), ("3.4", "foot(1.16)"));
        assert_eq!(report.allow_passthrough.as_deref().map(is_on), Some(true));
        let old = parse_report("3.0a\n\n\n0\n  \txterm\n").unwrap();
        assert_eq!((old.allow_passthrough, old.extended_keys), (None, None));
        assert_eq!(old.focus_events.as_deref().map(is_on), Some(false));
        for wrong in ["", "\n\n\n\n", "3.4\non"] {
            assert_eq!(parse_report(wrong), None, "{wrong:?}");
        }
    }
}
