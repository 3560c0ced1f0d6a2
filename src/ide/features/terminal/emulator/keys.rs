//! Encodes keys and pastes as xterm does. Must not know which keys the pane keeps.

use crate::ide::features::terminal::emulator::grid::Modes;
use crate::tui::input::{Key, KeyCode, Mods};

/// Returns the bytes of a key; empty for one without an encoding.
pub fn encode(key: Key, modes: Modes) -> Vec<u8> {
    match key.code {
        KeyCode::Char(c) => char(c, key.mods),
        KeyCode::Enter => escaped(b"\r", key.mods),
        KeyCode::Escape => escaped(b"\x1b", key.mods),
        KeyCode::Tab if key.mods.contains(Mods::SHIFT) => escaped(b"\x1b[Z", key.mods),
        KeyCode::Tab => escaped(b"\t", key.mods),
        KeyCode::Backspace if key.mods.contains(Mods::CTRL) => escaped(b"\x08", key.mods),
        KeyCode::Backspace => escaped(b"\x7f", key.mods),
        KeyCode::Up => cursor('A', key.mods, modes),
        KeyCode::Down => cursor('B', key.mods, modes),
        KeyCode::Right => cursor('C', key.mods, modes),
        KeyCode::Left => cursor('D', key.mods, modes),
        KeyCode::Home => cursor('H', key.mods, modes),
        KeyCode::End => cursor('F', key.mods, modes),
        KeyCode::Insert => tilde(2, key.mods),
        KeyCode::Delete => tilde(3, key.mods),
        KeyCode::PageUp => tilde(5, key.mods),
        KeyCode::PageDown => tilde(6, key.mods),
        KeyCode::F(n) => function(n, key.mods),
    }
}

/// Alt is an Escape before the key.
fn escaped(bytes: &[u8], mods: Mods) -> Vec<u8> {
    let alt: &[u8] = if mods.contains(Mods::ALT) { b"\x1b" } else { b"" };
    [alt, bytes].concat()
}

fn char(c: char, mods: Mods) -> Vec<u8> {
    let c = match single_upper(c) {
        Some(upper) if mods.contains(Mods::SHIFT) => upper,
        _ => c,
    };
    if mods.contains(Mods::CTRL)
        && let Some(control) = control(c)
    {
        return escaped(&[control], mods);
    }
    escaped(c.encode_utf8(&mut [0; 4]).as_bytes(), mods)
}

fn single_upper(c: char) -> Option<char> {
    let mut upper = c.to_uppercase();
    let first = upper.next()?;
    upper.next().is_none().then_some(first)
}

/// Returns the control character of a key, as on keyboards since the VT100.
fn control(c: char) -> Option<u8> {
    match c {
        'a'..='z' | 'A'..='Z' | '[' | '\\' | ']' | '^' | '_' | '@' => Some(c as u8 & 0x1f),
        ' ' | '2' => Some(0),
        '3' => Some(0x1b),
        '4' => Some(0x1c),
        '5' => Some(0x1d),
        '6' => Some(0x1e),
        '7' | '/' | '-' => Some(0x1f),
        '8' | '?' => Some(0x7f),
        _ => None,
    }
}

/// Returns the modifiers as encoded in sequences: 1 plus shift 1, alt 2, control 4.
fn number(mods: Mods) -> u8 {
    let bits = [(Mods::SHIFT, 1), (Mods::ALT, 2), (Mods::CTRL, 4)];
    1 + bits.into_iter().filter(|(held, _)| mods.contains(*held)).map(|(_, bit)| bit).sum::<u8>()
}

fn cursor(end: char, held: Mods, modes: Modes) -> Vec<u8> {
    match number(held) {
        1 if modes.app_cursor => format!("\x1bO{end}"),
        1 => format!("\x1b[{end}"),
        held => format!("\x1b[1;{held}{end}"),
    }
    .into_bytes()
}

fn tilde(key: u8, mods: Mods) -> Vec<u8> {
    match number(mods) {
        1 => format!("\x1b[{key}~"),
        mods => format!("\x1b[{key};{mods}~"),
    }
    .into_bytes()
}

fn function(n: u8, mods: Mods) -> Vec<u8> {
    match n {
        1..=4 => {
            let end = char::from(b'O' + n);
            match number(mods) {
                1 => format!("\x1bO{end}"),
                mods => format!("\x1b[1;{mods}{end}"),
            }
            .into_bytes()
        }
        5 => tilde(15, mods),
        6..=10 => tilde(n + 11, mods),
        11..=14 => tilde(n + 12, mods),
        15 | 16 => tilde(n + 13, mods),
        17..=20 => tilde(n + 14, mods),
        _ => Vec::new(),
    }
}

/// Returns the bytes of a paste, without what could end the paste or be a command to the program.
pub fn paste(text: &str, modes: Modes) -> Vec<u8> {
    let kept = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r');
    let plain: String = text.replace("\r\n", "\n").chars().filter(|c| kept(*c)).collect();
    let typed = plain.replace('\n', "\r");
    if modes.bracketed_paste { format!("\x1b[200~{typed}\x1b[201~") } else { typed }.into_bytes()
}

/// Returns the report that the terminal has got or lost the focus, if that was requested.
pub fn focus(gained: bool, modes: Modes) -> &'static [u8] {
    match (modes.focus, gained) {
        (false, _) => b"",
        (true, true) => b"\x1b[I",
        (true, false) => b"\x1b[O",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const APP: Modes = Modes {
        app_cursor: true,
        bracketed_paste: true,
        wheel_keys: false,
        mouse: crate::ide::features::terminal::emulator::grid::MouseReporting::Off,
        sgr_mouse: false,
        focus: true,
    };

    /// Keys and what xterm sends for them.
    const TABLE: &[(&str, &str)] = &[
        ("a", "a"),
        ("Q", "Q"),
        ("é", "é"),
        ("漢", "漢"),
        ("Space", " "),
        ("Ctrl-a", "\x01"),
        ("Ctrl-z", "\x1a"),
        ("Ctrl-Space", "\0"),
        ("Ctrl-[", "\x1b"),
        ("Ctrl-\\", "\x1c"),
        ("Ctrl-]", "\x1d"),
        ("Ctrl-^", "\x1e"),
        ("Ctrl-_", "\x1f"),
        ("Ctrl-/", "\x1f"),
        ("Ctrl-é", "é"),
        ("Ctrl-Shift-a", "\x01"),
        ("Alt-x", "\x1bx"),
        ("Alt-Shift-x", "\x1bX"),
        ("Alt-é", "\x1bé"),
        ("Ctrl-Alt-x", "\x1b\x18"),
        ("Enter", "\r"),
        ("Alt-Enter", "\x1b\r"),
        ("Tab", "\t"),
        ("Shift-Tab", "\x1b[Z"),
        ("Backspace", "\x7f"),
        ("Alt-Backspace", "\x1b\x7f"),
        ("Ctrl-Backspace", "\x08"),
        ("Escape", "\x1b"),
        ("Up", "\x1b[A"),
        ("Left", "\x1b[D"),
        ("Home", "\x1b[H"),
        ("End", "\x1b[F"),
        ("Shift-Up", "\x1b[1;2A"),
        ("Alt-Left", "\x1b[1;3D"),
        ("Ctrl-Right", "\x1b[1;5C"),
        ("Ctrl-Alt-Shift-Home", "\x1b[1;8H"),
        ("Insert", "\x1b[2~"),
        ("Delete", "\x1b[3~"),
        ("Ctrl-Delete", "\x1b[3;5~"),
        ("PageUp", "\x1b[5~"),
        ("Ctrl-PageDown", "\x1b[6;5~"),
        ("F1", "\x1bOP"),
        ("F4", "\x1bOS"),
        ("Shift-F4", "\x1b[1;2S"),
        ("F5", "\x1b[15~"),
        ("F6", "\x1b[17~"),
        ("F10", "\x1b[21~"),
        ("F11", "\x1b[23~"),
        ("F12", "\x1b[24~"),
        ("Ctrl-F12", "\x1b[24;5~"),
    ];

    fn sent(key: &str, modes: Modes) -> String {
        let key: Key = key.parse().unwrap_or_else(|_| panic!("{key} is a key"));
        String::from_utf8(encode(key, modes)).expect("keys are sent in UTF-8")
    }

    #[test]
    fn terminal_keys_match_xterm() {
        for (key, bytes) in TABLE {
            assert_eq!(sent(key, Modes::default()), *bytes, "{key}");
        }
    }

    #[test]
    fn terminal_app_cursor_mode_ignores_modified_keys() {
        for (key, bytes) in
            [("Up", "\x1bOA"), ("End", "\x1bOF"), ("Ctrl-Up", "\x1b[1;5A"), ("Delete", "\x1b[3~"), ("a", "a")]
        {
            assert_eq!(sent(key, APP), bytes, "{key}");
        }
    }

    #[test]
    fn terminal_paste_strips_escapes_and_controls() {
        let text = "a\x1b[201~b\r\nc\n\x03\td\u{9b}";
        assert_eq!(paste(text, Modes::default()), b"a[201~b\rc\r\td");
        assert_eq!(paste(text, APP), b"\x1b[200~a[201~b\rc\r\td\x1b[201~");
    }

    #[test]
    fn terminal_focus_is_reported_only_when_enabled() {
        assert_eq!((focus(true, APP), focus(false, APP)), (&b"\x1b[I"[..], &b"\x1b[O"[..]));
        assert_eq!(focus(true, Modes::default()), b"");
    }
}
