//! Questions to tmux about the terminal around it. Must not know what they are for.

use std::process::{Command, Stdio};
use std::time::Duration;

/// The terminal around tmux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outer {
    /// Its name and version, or what `TERM` says.
    pub name: String,
    /// Width and height of its cells in pixels.
    pub cell: Option<(u16, u16)>,
}

/// How long tmux may take at the end.
const END_TIMEOUT: Duration = Duration::from_millis(500);

/// Returns the terminal that shows this pane of tmux. Blocks.
pub fn outer_terminal() -> Option<Outer> {
    let format = "#{client_cell_width} #{client_cell_height} #{client_termtype}\t#{client_termname}";
    parse(&run(&["display-message", "-p", format])?)
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
}
