//! Keys in a normal form, and their notation in key maps: `Ctrl-Alt-x`, `Shift-Tab`, `Alt--`.
//!
//! Must not know bytes or commands. Normal form: a shifted character is that character without `SHIFT`; with
//! `CTRL`, `ALT` or `SUPER` letters are lower case and `SHIFT` is explicit.

use std::fmt;
use std::ops::BitOr;
use std::str::FromStr;

/// Modifier keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Mods(u8);

impl Mods {
    /// No modifier.
    pub const NONE: Self = Self(0);
    /// The shift key.
    pub const SHIFT: Self = Self(1);
    /// The alt, option or meta key.
    pub const ALT: Self = Self(2);
    /// The control key.
    pub const CTRL: Self = Self(4);
    /// The super, command or windows key.
    pub const SUPER: Self = Self(8);

    /// Decodes modifiers from the wire value minus one: shift 1, alt 2, control 4, super 8; hyper (16) is
    /// ignored, meta (32) counts as alt, locks (64, 128) are ignored.
    pub fn from_wire(bits: u16) -> Self {
        let alt = if bits & 32 != 0 { 2 } else { 0 };
        Self((bits & 15) as u8 | alt)
    }

    /// Returns whether all of `other` are held.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether any of `other` is held.
    pub fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns these without `other`.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether none is held.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Mods {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Kind of a key event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum KeyKind {
    /// The key was pressed.
    #[default]
    Press,
    /// The key repeats while held.
    Repeat,
    /// The key was released; only some terminals report it.
    Release,
}

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyCode {
    /// A character.
    Char(char),
    /// Enter or Return.
    Enter,
    /// Tab.
    Tab,
    /// Backspace.
    Backspace,
    /// Escape.
    Escape,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// Arrow up.
    Up,
    /// Arrow down.
    Down,
    /// Arrow left.
    Left,
    /// Arrow right.
    Right,
    /// A function key, from 1.
    F(u8),
}

/// A key event in normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: KeyCode,
    /// With which modifiers.
    pub mods: Mods,
    /// Pressed, held or released.
    pub kind: KeyKind,
}

impl Key {
    /// A press in normal form.
    pub fn new(code: KeyCode, mods: Mods) -> Self {
        Self { code, mods, kind: KeyKind::Press }.normal()
    }

    /// A press of a character alone.
    pub fn char(c: char) -> Self {
        Self::new(KeyCode::Char(c), Mods::NONE)
    }

    /// Returns the key as a press, for lookups that ignore the kind.
    #[must_use]
    pub fn pressed(self) -> Self {
        Self { kind: KeyKind::Press, ..self }
    }

    /// Returns the character that this key types, if any.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c)
                if !self.mods.intersects(Mods::CTRL | Mods::ALT | Mods::SUPER)
                    && self.kind != KeyKind::Release =>
            {
                Some(c)
            }
            _ => None,
        }
    }

    /// Returns the normal form; see the module docs.
    #[must_use]
    pub fn normal(mut self) -> Self {
        let KeyCode::Char(c) = self.code else { return self };
        if !self.mods.intersects(Mods::CTRL | Mods::ALT | Mods::SUPER) {
            if self.mods.contains(Mods::SHIFT) {
                self.code = KeyCode::Char(single(c.to_uppercase()).unwrap_or(c));
            }
            self.mods = self.mods.without(Mods::SHIFT);
        } else if let Some(lower) = single(c.to_lowercase())
            && lower != c
            && single(lower.to_uppercase()) == Some(c)
        {
            self.code = KeyCode::Char(lower);
            self.mods = self.mods | Mods::SHIFT;
        }
        self
    }
}

/// Returns the character of a case mapping, if it is exactly one.
fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

/// Why a text is not a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key; write it like Ctrl-x, Alt-Shift-Up, F5 or Space")]
pub struct KeyError(pub String);

/// Modifier prefixes in display order.
const MODIFIERS: [(&str, Mods); 4] =
    [("Ctrl-", Mods::CTRL), ("Alt-", Mods::ALT), ("Shift-", Mods::SHIFT), ("Super-", Mods::SUPER)];

/// Names of keys; of several names for a key the first is displayed.
const NAMES: [(&str, KeyCode); 22] = [
    ("Enter", KeyCode::Enter),
    ("Tab", KeyCode::Tab),
    ("Backspace", KeyCode::Backspace),
    ("Escape", KeyCode::Escape),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Space", KeyCode::Char(' ')),
    ("Return", KeyCode::Enter),
    ("Esc", KeyCode::Escape),
    ("Del", KeyCode::Delete),
    ("Ins", KeyCode::Insert),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Minus", KeyCode::Char('-')),
];

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, mods) in MODIFIERS {
            if self.mods.contains(mods) {
                f.write_str(name)?;
            }
        }
        match self.code {
            KeyCode::F(n) => write!(f, "F{n}"),
            KeyCode::Char(c) if c != ' ' => write!(f, "{c}"),
            code => match NAMES.iter().find(|(_, named)| *named == code) {
                Some((name, _)) => f.write_str(name),
                None => Ok(()),
            },
        }
    }
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let error = || KeyError(text.to_string());
        let mut mods = Mods::NONE;
        let mut rest = text;
        while let Some((flag, after)) = modifier(rest) {
            if mods.contains(flag) {
                return Err(error());
            }
            mods = mods | flag;
            rest = after;
        }
        let code = code_named(rest).ok_or_else(error)?;
        Ok(Self::new(code, mods))
    }
}

/// Splits off a modifier prefix. The rest is never empty.
fn modifier(text: &str) -> Option<(Mods, &str)> {
    MODIFIERS.iter().find_map(|(name, flag)| {
        let (head, rest) = text.split_at_checked(name.len())?;
        (head.eq_ignore_ascii_case(name) && !rest.is_empty()).then_some((*flag, rest))
    })
}

fn code_named(name: &str) -> Option<KeyCode> {
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control() && c != ' ').then_some(KeyCode::Char(c));
    }
    if let Some((_, code)) = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        return Some(*code);
    }
    let number = name.strip_prefix(['F', 'f'])?;
    let number: u8 = number.parse().ok().filter(|_| !number.starts_with(['+', '0']))?;
    (1..=35).contains(&number).then_some(KeyCode::F(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn key_notation_roundtrips() {
        for text in [
            "Ctrl-Alt-x",
            "Shift-Tab",
            "F1",
            "F35",
            "Escape",
            "Alt-Enter",
            "Space",
            "PageUp",
            "Ctrl-_",
            "Alt-1",
            "?",
            "Alt--",
            "-",
            "Ctrl-Alt-Shift-Super-a",
            "A",
            "漢",
            "Ctrl-Space",
        ] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), text);
        }
        for (text, normal) in [
            ("shift-ctrl-p", "Ctrl-Shift-p"),
            ("Shift-a", "A"),
            ("Ctrl-A", "Ctrl-Shift-a"),
            ("esc", "Escape"),
        ] {
            assert_eq!(text.parse::<Key>().unwrap().to_string(), normal);
        }
    }

    #[test]
    fn key_invalid_notation_is_error() {
        for text in ["", "Ctrl-", "Ctrl-Ctrl-x", "F0", "F36", "F+1", "Ctrl+x", "xy", " ", "\t"] {
            let error = text.parse::<Key>().unwrap_err();
            assert!(error.to_string().contains("is not a key"), "{text:?}");
        }
    }

    #[test]
    fn key_only_unmodified_characters_type() {
        assert_eq!(Key::char('é').typed(), Some('é'));
        assert_eq!(Key::new(KeyCode::Char('x'), Mods::ALT).typed(), None);
        assert_eq!(Key::new(KeyCode::Char('a'), Mods::SHIFT).typed(), Some('A'));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn key_any_key_roundtrips(c in any::<char>(), named in 0usize..40, bits in 0u16..16) {
            prop_assume!(!c.is_control());
            let code = match named {
                n @ 0..22 => NAMES[n].1,
                n @ 22..30 => KeyCode::F(n as u8),
                _ => KeyCode::Char(c),
            };
            let key = Key::new(code, Mods::from_wire(bits));
            prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        }
    }
}
