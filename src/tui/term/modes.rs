//! The byte strings that switch a terminal's modes on and off, as pure functions.
//!
//! May not write them.

/// What to switch on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermModes {
    /// Mouse reports: buttons, drags and wheel.
    pub mouse: bool,
}

/// What was switched on later than at the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExtraModes {
    /// Kitty keyboard flags were pushed.
    pub kitty: bool,
    /// xterm's modified keys were asked for.
    pub other_keys: bool,
    /// The old window title was put aside.
    pub title: bool,
    /// The caret may look another way than before.
    pub caret: bool,
}

/// Kitty keyboard flags: disambiguate (1) and alternate keys (4). Releases are not asked for,
/// since each would wake the program for nothing.
pub const KITTY_PUSH: &[u8] = b"\x1b[>5u";
/// The same as a setting of the flags on top of the stack, for when they were pushed before.
const KITTY_SET: &[u8] = b"\x1b[=5;1u";
const KITTY_POP: &[u8] = b"\x1b[<u";
/// xterm's `modifyOtherKeys` level 1: only keys that would be ambiguous change.
pub const OTHER_KEYS: &[u8] = b"\x1b[>4;1m";
const OTHER_KEYS_OFF: &[u8] = b"\x1b[>4m";
/// Puts the window title aside.
pub const TITLE_SAVE: &[u8] = b"\x1b[22;0t";
const TITLE_RESTORE: &[u8] = b"\x1b[23;0t";
/// Lets the caret look as the user has set it.
const CARET_RESTORE: &[u8] = b"\x1b[0 q";

/// Alternate screen first: the Kitty flags belong to the screen that is shown.
pub fn enter(wanted: TermModes, extras: ExtraModes) -> Vec<u8> {
    let mut out = b"\x1b[?1049h\x1b[?25l\x1b[?2004h\x1b[?1004h".to_vec();
    if wanted.mouse {
        out.extend_from_slice(b"\x1b[?1000h\x1b[?1002h\x1b[?1006h");
    }
    if extras.kitty {
        out.extend_from_slice(KITTY_PUSH);
    }
    if extras.other_keys {
        out.extend_from_slice(OTHER_KEYS);
    }
    out
}

/// Sets everything again on a terminal whose state is not known, without pushing twice.
pub fn reapply(wanted: TermModes, extras: ExtraModes) -> Vec<u8> {
    let mut out = enter(wanted, ExtraModes { kitty: false, ..extras });
    if extras.kitty {
        out.extend_from_slice(KITTY_SET);
    }
    out
}

/// Undoes everything in the reverse order. Ends an open synchronized update too, since the way
/// out may begin in the middle of a frame.
pub fn leave(wanted: TermModes, extras: ExtraModes) -> Vec<u8> {
    let mut out = Vec::new();
    if extras.other_keys {
        out.extend_from_slice(OTHER_KEYS_OFF);
    }
    if extras.kitty {
        out.extend_from_slice(KITTY_POP);
    }
    if wanted.mouse {
        out.extend_from_slice(b"\x1b[?1006l\x1b[?1002l\x1b[?1000l");
    }
    // Margins are there only where a frame was cut off.
    out.extend_from_slice(b"\x1b[?1004l\x1b[?2004l\x1b[m\x1b[?69l\x1b[r\x1b[?2026l");
    if extras.caret {
        out.extend_from_slice(CARET_RESTORE);
    }
    if extras.title {
        out.extend_from_slice(TITLE_RESTORE);
    }
    out.extend_from_slice(b"\x1b[?1049l\x1b[?25h");
    out
}

/// Sets the window title; control characters and direction overrides are left out, and so is
/// what is longer than a title bar.
pub fn title(text: &str) -> Vec<u8> {
    let safe: String = text.chars().filter(|c| !crate::base::width::is_unsafe(*c)).take(200).collect();
    format!("\x1b]2;{safe}\x1b\\").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: ExtraModes = ExtraModes { kitty: true, other_keys: true, title: true, caret: true };

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
                "\x1b[?1049l",
                "\x1b[?25h",
            ],
        );
        let on = String::from_utf8(enter(wanted, ALL)).unwrap();
        let off = String::from_utf8(leave(wanted, ALL)).unwrap();
        for mode in ["1049", "2004", "1004", "1000", "1002", "1006"] {
            assert!(on.contains(&format!("?{mode}h")) && off.contains(&format!("?{mode}l")), "{mode}");
        }
    }

    #[test]
    fn terminal_modes_pop_only_what_was_pushed() {
        let text = String::from_utf8(leave(TermModes { mouse: false }, ExtraModes::default())).unwrap();
        assert!(!text.contains("\x1b[<u") && !text.contains("1000") && !text.contains("23;0t"));
        let again = String::from_utf8(reapply(TermModes { mouse: true }, ALL)).unwrap();
        assert!(!again.contains("\x1b[>5u") && again.contains("\x1b[=5;1u"));
    }

    #[test]
    fn terminal_title_strips_controls() {
        assert_eq!(title("a\x1b]0;x\x07b\u{9c}\n"), b"\x1b]2;a]0;xb\x1b\\");
    }
}
