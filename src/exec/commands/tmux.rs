//! Questions to tmux about the terminal around it. Must not know what they are for.

use std::process::{Command, Stdio};

/// The terminal around tmux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outer {
    /// Its name and version, or what `TERM` says.
    pub name: String,
    /// Width and height of its cells in pixels.
    pub cell: Option<(u16, u16)>,
}

/// Returns the terminal that shows this pane of tmux, and makes tmux pass this pane's sequences on to it; `None` if it
/// does not. Blocks.
///
/// Measured with tmux 3.3: `allow-passthrough` is off by default.
pub fn reach_outer_terminal() -> Option<Outer> {
    let format = "#{client_cell_width} #{client_cell_height} #{client_termtype}\t#{client_termname}";
    let outer = parse(&run(&["display-message", "-p", format])?)?;
    run(&["set-option", "-p", "allow-passthrough", "on"])?;
    Some(outer)
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
