//! Byte strings that switch the modes of a terminal on and off, as pure functions.
//!
//! Must not write them.

use super::attention::{self, Progress};

/// Modes to switch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermModes {
    /// Mouse reports: buttons, drags and wheel.
    pub mouse: bool,
}

/// Modes that were switched on after the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExtraModes {
    /// Kitty keyboard flags were pushed.
    pub kitty: bool,
    /// xterm's modified keys are enabled.
    pub other_keys: bool,
    /// The previous window title was saved.
    pub title: bool,
    /// The caret may have another shape than before.
    pub caret: bool,
    /// The task bar shows progress.
    pub progress: bool,
}

/// Kitty keyboard flags: disambiguate (1) and alternate keys (4). Release events are not enabled, since each
/// would wake the program needlessly.
pub const KITTY_PUSH: &[u8] = b"\x1b[>5u";
/// Sets the same flags at the top of the stack, for when they were already pushed.
const KITTY_SET: &[u8] = b"\x1b[=5;1u";
const KITTY_POP: &[u8] = b"\x1b[<u";
/// xterm's `modifyOtherKeys` level 1: only keys that would be ambiguous change.
pub const OTHER_KEYS: &[u8] = b"\x1b[>4;1m";
const OTHER_KEYS_OFF: &[u8] = b"\x1b[>4m";
/// Saves the window title.
pub const TITLE_SAVE: &[u8] = b"\x1b[22;0t";
const TITLE_RESTORE: &[u8] = b"\x1b[23;0t";
/// Resets the caret to the user's own shape.
const CARET_RESTORE: &[u8] = b"\x1b[0 q";

/// Turns reports of the mouse on or off: buttons and wheel, drags, in SGR form.
pub fn mouse(is_on: bool) -> &'static [u8] {
    if is_on { b"\x1b[?1000h\x1b[?1002h\x1b[?1006h" } else { b"\x1b[?1006l\x1b[?1002l\x1b[?1000l" }
}

/// Enters our modes, among them reports of a change between dark and light colors (2031). The alternate screen
/// comes first, because the Kitty flags belong to the current screen.
pub fn enter(modes: TermModes, extras: ExtraModes) -> Vec<u8> {
    let mut out = b"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h\x1b[?2031h".to_vec();
    if modes.mouse {
        out.extend_from_slice(mouse(true));
    }
    if extras.kitty {
        out.extend_from_slice(KITTY_PUSH);
    }
    if extras.other_keys {
        out.extend_from_slice(OTHER_KEYS);
    }
    out
}

/// Sets all modes again on a terminal in an unknown state, without pushing twice.
pub fn reapply(modes: TermModes, extras: ExtraModes) -> Vec<u8> {
    let mut out = enter(modes, ExtraModes { kitty: false, ..extras });
    if extras.kitty {
        out.extend_from_slice(KITTY_SET);
    }
    out
}

/// Undoes everything in reverse order. Also ends an open synchronized update, since exit may begin in the
/// middle of a frame.
pub fn leave(modes: TermModes, extras: ExtraModes) -> Vec<u8> {
    let mut out = Vec::new();
    if extras.other_keys {
        out.extend_from_slice(OTHER_KEYS_OFF);
    }
    if extras.kitty {
        out.extend_from_slice(KITTY_POP);
    }
    if modes.mouse {
        out.extend_from_slice(mouse(false));
    }
    // Margins remain set only where a frame was cut off.
    out.extend_from_slice(b"\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[m\x1b[?69l\x1b[r\x1b[?2026l");
    if extras.caret {
        out.extend_from_slice(CARET_RESTORE);
    }
    if extras.title {
        out.extend_from_slice(TITLE_RESTORE);
    }
    if extras.progress {
        out.extend_from_slice(attention::progress(Progress::None));
    }
    out.extend_from_slice(b"\x1b[?1049l\x1b[?25h");
    out
}

/// Sets the window title. Control characters and direction overrides are removed, and the text is cut to the
/// length of a title bar.
pub fn title(text: &str) -> Vec<u8> {
    let safe: String = text.chars().filter(|c| !crate::base::width::is_unsafe(*c)).take(200).collect();
    format!("\x1b]2;{safe}\x1b\\").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: ExtraModes =
        ExtraModes { kitty: true, other_keys: true, title: true, caret: true, progress: true };

    fn order(bytes: &[u8], parts: &[&str]) {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let places: Vec<_> =
            parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part:?}"))).collect();
        assert!(places.is_sorted(), "{text:?}");
    }

    #[test]
    fn terminal_modes_are_reset_in_reverse_order() {
        let wanted = TermModes { mouse: true };
        order(&enter(wanted, ALL), &["\x1b[?1049h", "\x1b[?2004h", "\x1b[?1000h", "\x1b[>5u"]);
        order(
            &leave(wanted, ALL),
            &[
                "\x1b[<u",
                "\x1b[?1006l",
                "\x1b[?2004l",
                "\x1b[?2026l",
                "\x1b[23;0t",
                "\x1b]9;4;0;0\x1b\\",
                "\x1b[?1049l",
                "\x1b[?25h",
            ],
        );
        let on = String::from_utf8(enter(wanted, ALL)).unwrap();
        let off = String::from_utf8(leave(wanted, ALL)).unwrap();
        for mode in ["1049", "2004", "1004", "2031", "1000", "1002", "1006"] {
            assert!(on.contains(&format!("?{mode}h")) && off.contains(&format!("?{mode}l")), "{mode}");
        }
    }

    #[test]
    fn terminal_modes_pop_only_what_was_pushed() {
        let text = String::from_utf8(leave(TermModes { mouse: false }, ExtraModes::default())).unwrap();
        assert!(
            !text.contains("\x1b[<u")
                && !text.contains("1000")
                && !text.contains("23;0t")
                && !text.contains("]9;")
        );
        let again = String::from_utf8(reapply(TermModes { mouse: true }, ALL)).unwrap();
        assert!(!again.contains("\x1b[>5u") && again.contains("\x1b[=5;1u"));
    }

    #[test]
    fn terminal_title_strips_controls() {
        assert_eq!(title("a\x1b]0;x\x07b\u{9c}\n"), b"\x1b]2;a]0;xb\x1b\\");
    }
}
