//! Sequences by which a terminal draws attention to a window that is not looked at: notifications and the
//! progress in the task bar. Must not know what they are about.
//!
//! Formats: OSC 9 is iTerm2's, OSC 777 that of rxvt-unicode, OSC 99 that of Kitty ("Desktop notifications" of
//! its documentation); OSC 9;4 is that of `ConEmu` ("Progress" of its documentation).

use crate::base::width::is_unsafe;

/// Maximum characters of a notification.
const TEXT_MAX: usize = 200;

/// How notifications are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotificationStyle {
    /// OSC 9, a text.
    Osc9,
    /// OSC 777, a title and a text.
    Osc777,
    /// OSC 99, a title and a text.
    Osc99,
    /// The bell.
    Bell,
}

impl NotificationStyle {
    /// Returns the style for a terminal by the name that it reports, if it reports one.
    pub fn of(name: Option<&str>) -> Self {
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let is = |known: &str| name.starts_with(known);
        if is("kitty") {
            Self::Osc99
        } else if is("foot") || is("rxvt") || is("urxvt") || is("vte") || is("ghostty") {
            Self::Osc777
        } else if is("tmux") || is("screen") || is("xterm(") || is("linux") {
            // A multiplexer shows the bell of a window that is not looked at; the others know no notifications.
            Self::Bell
        } else {
            Self::Osc9
        }
    }
}

/// Returns a notification. Control characters are removed, and the text is cut.
pub fn notification(style: NotificationStyle, title: &str, text: &str) -> Vec<u8> {
    let (title, text) = (safe(title), safe(text));
    match style {
        NotificationStyle::Osc9 => format!("\x1b]9;{title}: {text}\x1b\\"),
        NotificationStyle::Osc777 => format!("\x1b]777;notify;{};{text}\x1b\\", title.replace(';', ",")),
        NotificationStyle::Osc99 => {
            format!("\x1b]99;i=bowline:d=0;{title}\x1b\\\x1b]99;i=bowline:p=body;{text}\x1b\\")
        }
        NotificationStyle::Bell => "\x07".to_string(),
    }
    .into_bytes()
}

fn safe(text: &str) -> String {
    text.chars().filter(|c| !is_unsafe(*c)).take(TEXT_MAX).collect()
}

/// Progress in the task bar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Progress {
    /// None.
    #[default]
    None,
    /// Working, for how long is not known.
    Busy,
    /// The last work failed.
    Failed,
}

/// Returns whether a terminal of that name shows progress. Others may take the sequence for a notification.
pub fn shows_progress(name: Option<&str>) -> bool {
    let name = name.unwrap_or_default().to_ascii_lowercase();
    ["ghostty", "iterm2", "windows terminal", "conemu"].iter().any(|known| name.starts_with(known))
}

/// Returns the sequence that shows progress.
pub fn progress(state: Progress) -> &'static [u8] {
    match state {
        Progress::None => b"\x1b]9;4;0;0\x1b\\",
        Progress::Busy => b"\x1b]9;4;3;0\x1b\\",
        Progress::Failed => b"\x1b]9;4;2;100\x1b\\",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_notification_style_follows_reported_name() {
        let rows = [
            (Some("kitty(0.35.2)"), NotificationStyle::Osc99),
            (Some("foot(1.16.2)"), NotificationStyle::Osc777),
            (Some("tmux 3.4"), NotificationStyle::Bell),
            (Some("WezTerm 20240203"), NotificationStyle::Osc9),
            (None, NotificationStyle::Osc9),
        ];
        for (name, style) in rows {
            assert_eq!(NotificationStyle::of(name), style, "{name:?}");
        }
    }

    #[test]
    fn terminal_notification_has_no_controls_of_its_text() {
        let text = "a\x1b]0;x\x07;b\u{9c}\n";
        let sent = |style| String::from_utf8(notification(style, "t;\x1bu", text)).unwrap();
        assert_eq!(sent(NotificationStyle::Osc9), "\x1b]9;t;u: a]0;x;b\x1b\\");
        assert_eq!(sent(NotificationStyle::Osc777), "\x1b]777;notify;t,u;a]0;x;b\x1b\\");
        assert!(sent(NotificationStyle::Osc99).ends_with(";a]0;x;b\x1b\\"));
        assert_eq!(sent(NotificationStyle::Bell), "\x07");
        let long = notification(NotificationStyle::Osc9, "", &"é".repeat(10_000));
        assert!(long.len() < 2 * TEXT_MAX + 20);
    }

    #[test]
    fn terminal_progress_only_where_it_is_known() {
        assert!(shows_progress(Some("ghostty 1.0.1")));
        assert!(!shows_progress(Some("xterm(390)")) && !shows_progress(None));
    }
}
