//! The terminal's clipboard: OSC 52, which works through ssh too. Must not know other clipboards.

use base64::Engine;

/// Maximum length of a text; many terminals drop longer ones.
const TEXT_MAX: usize = 74_000;

/// Returns the sequence that puts a text on the terminal's clipboard; `None` if it is too long. Inside tmux it
/// is sent in both forms, since its options decide which of them it passes on.
pub fn set(text: &str, in_tmux: bool) -> Option<Vec<u8>> {
    if text.len() > TEXT_MAX {
        return None;
    }
    let data = base64::engine::general_purpose::STANDARD.encode(text);
    let plain = format!("\x1b]52;c;{data}\x1b\\");
    let wrapped = if in_tmux {
        format!("\x1bPtmux;{}\x1b\\", plain.replace('\x1b', "\x1b\x1b"))
    } else {
        String::new()
    };
    Some([plain, wrapped].concat().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipboard_sequence_is_wrapped_for_tmux_and_limited() {
        assert_eq!(set("hello", false).unwrap(), b"\x1b]52;c;aGVsbG8=\x1b\\");
        let both = b"\x1b]52;c;aGVsbG8=\x1b\\\x1bPtmux;\x1b\x1b]52;c;aGVsbG8=\x1b\x1b\\\x1b\\";
        assert_eq!(set("hello", true).unwrap(), both);
        assert!(set(&"x".repeat(TEXT_MAX), false).is_some());
        assert!(set(&"x".repeat(TEXT_MAX + 1), false).is_none());
    }
}
