//! Interprets complete escape sequences: keys, mouse events and replies.
//!
//! Must not know where a sequence begins or ends, which is the decoder's work. An unknown sequence gives
//! `None` and is dropped whole.

use crate::tui::input::event::{Button, Input, Mouse, MouseKind, Reply};
use crate::tui::input::key::{Key, KeyCode, KeyKind, Mods};

/// Parameters of a control sequence: groups separated by `;`, each with parts separated by `:`. A missing
/// part is 0.
struct Params(Vec<Vec<u32>>);

impl Params {
    fn parse(bytes: &[u8]) -> Self {
        let number = |part: &[u8]| {
            part.iter()
                .filter(|b| b.is_ascii_digit())
                .fold(0u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
        };
        let group = |group: &[u8]| group.split(|b| *b == b':').map(number).collect();
        Self(bytes.split(|b| *b == b';').map(group).collect())
    }

    fn part(&self, group: usize, part: usize) -> u32 {
        self.0.get(group).and_then(|g| g.get(part)).copied().unwrap_or(0)
    }

    fn get(&self, group: usize) -> u32 {
        self.part(group, 0)
    }

    fn small(&self, group: usize) -> u16 {
        self.get(group).min(u32::from(u16::MAX)) as u16
    }

    /// Returns the modifiers and the event kind encoded in a group.
    fn mods(&self, group: usize) -> (Mods, KeyKind) {
        let kind = match self.part(group, 1) {
            2 => KeyKind::Repeat,
            3 => KeyKind::Release,
            _ => KeyKind::Press,
        };
        (Mods::from_wire(self.small(group).saturating_sub(1)), kind)
    }
}

/// Interprets `CSI body`, where the body ends with its final byte.
pub fn csi(body: &[u8]) -> Option<Input> {
    let (last, head) = body.split_last()?;
    match head.first() {
        Some(b'?') => private(&head[1..], *last),
        Some(b'<') => sgr_mouse(&Params::parse(&head[1..]), *last),
        Some(b'>' | b'=') => None,
        _ => plain(head, *last),
    }
}

fn plain(head: &[u8], last: u8) -> Option<Input> {
    if head.iter().any(|b| (0x20..0x30).contains(b)) {
        return None;
    }
    let params = Params::parse(head);
    match last {
        b'u' => kitty_key(&params),
        b'~' => tilde(&params),
        b'^' | b'@' => {
            let mods = if last == b'^' { Mods::CTRL } else { Mods::CTRL | Mods::SHIFT };
            Some(key(tilde_code(params.get(0))?, mods, KeyKind::Press))
        }
        b'Z' => {
            let (mods, kind) = params.mods(1);
            Some(key(KeyCode::Tab, mods | Mods::SHIFT, kind))
        }
        b'a'..=b'd' => Some(key(letter_code(last.to_ascii_uppercase())?, Mods::SHIFT, KeyKind::Press)),
        b'I' if head.is_empty() => Some(Input::Focus(true)),
        b'O' if head.is_empty() => Some(Input::Focus(false)),
        b't' => pixels(&params),
        _ => {
            let (mods, kind) = params.mods(1);
            Some(key(letter_code(last)?, mods, kind))
        }
    }
}

fn private(head: &[u8], last: u8) -> Option<Input> {
    let params = Params::parse(head);
    let reply = match (last, head.last()) {
        (b'c', _) => Reply::Attributes((0..params.0.len()).map(|i| params.small(i)).collect()),
        (b'u', _) => Reply::KittyFlags(params.get(0).min(255) as u8),
        (b'y', Some(b'$')) => Reply::Mode { mode: params.small(0), state: params.small(1) },
        (b'S', _) if (params.get(0), params.get(1)) == (1, 0) => Reply::SixelColors(params.small(2)),
        (b'n', _) if params.get(0) == 997 => Reply::ColorScheme(params.get(1) == 1),
        _ => return None,
    };
    Some(Input::Reply(reply))
}

fn pixels(params: &Params) -> Option<Input> {
    let (height, width) = (params.small(1), params.small(2));
    let reply = match params.get(0) {
        4 => Reply::WindowPixels(width, height),
        6 => Reply::CellPixels(width, height),
        _ => return None,
    };
    (width > 0 && height > 0).then_some(Input::Reply(reply))
}

fn key(code: KeyCode, mods: Mods, kind: KeyKind) -> Input {
    Input::Key(Key { code, mods, kind }.normal())
}

/// Keys named by the letter that ends their sequence, as in `CSI A` and `ESC O A`.
fn letter_code(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// Keys named by a number, as in `CSI 5 ~`.
fn tilde_code(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23..=26 => KeyCode::F(number as u8 - 12),
        28 | 29 => KeyCode::F(number as u8 - 13),
        31..=34 => KeyCode::F(number as u8 - 14),
        _ => return None,
    })
}

fn tilde(params: &Params) -> Option<Input> {
    let (mods, kind) = params.mods(1);
    if params.get(0) == 27 {
        // xterm's modifyOtherKeys: CSI 27 ; modifiers ; character ~
        return key_from_code(params.get(2), 0, 0, mods, kind);
    }
    Some(key(tilde_code(params.get(0))?, mods, kind))
}

fn kitty_key(params: &Params) -> Option<Input> {
    let (mods, kind) = params.mods(1);
    key_from_code(params.get(0), params.part(0, 1), params.part(0, 2), mods, kind)
}

/// Returns the key of a code point. `shifted` and `base` are the alternate keys, or 0.
fn key_from_code(code: u32, shifted: u32, base: u32, mods: Mods, kind: KeyKind) -> Option<Input> {
    if let Some(code) = special(code) {
        return Some(key(code, mods, kind));
    }
    // The private use area holds keys without a character that have no name here.
    let mut c = char::from_u32(code).filter(|c| !matches!(c, '\0' | '\u{e000}'..='\u{f8ff}'))?;
    let mut mods = mods;
    // A shortcut on a non-Latin keyboard means the Latin key at the same position.
    let latin = char::from_u32(base).filter(char::is_ascii_graphic);
    if let Some(latin) = latin
        && !c.is_ascii()
        && mods.intersects(Mods::CTRL | Mods::ALT | Mods::SUPER)
    {
        c = latin;
    } else if let Some(shifted) = char::from_u32(shifted).filter(|s| *s != '\0' && !s.is_alphabetic())
        && mods.contains(Mods::SHIFT)
    {
        c = shifted;
        mods = mods.without(Mods::SHIFT);
    } else if let Some(shifted) = char::from_u32(shifted).filter(|s| *s != '\0')
        && mods.contains(Mods::SHIFT)
        && !mods.intersects(Mods::CTRL | Mods::ALT | Mods::SUPER)
    {
        c = shifted;
        mods = Mods::NONE;
    }
    (!c.is_control()).then(|| key(KeyCode::Char(c), mods, kind))
}

/// Returns the key without a character that a code point denotes, from the table of the Kitty protocol.
fn special(code: u32) -> Option<KeyCode> {
    Some(match code {
        13 | 57414 => KeyCode::Enter,
        9 => KeyCode::Tab,
        127 | 8 => KeyCode::Backspace,
        27 => KeyCode::Escape,
        57376..=57398 => KeyCode::F((code - 57376 + 13) as u8),
        57399..=57408 => KeyCode::Char(char::from(b'0' + (code - 57399) as u8)),
        57409 => KeyCode::Char('.'),
        57410 => KeyCode::Char('/'),
        57411 => KeyCode::Char('*'),
        57412 => KeyCode::Char('-'),
        57413 => KeyCode::Char('+'),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417 => KeyCode::Left,
        57418 => KeyCode::Right,
        57419 => KeyCode::Up,
        57420 => KeyCode::Down,
        57421 => KeyCode::PageUp,
        57422 => KeyCode::PageDown,
        57423 => KeyCode::Home,
        57424 => KeyCode::End,
        57425 => KeyCode::Insert,
        57426 => KeyCode::Delete,
        _ => return None,
    })
}

/// The key of `ESC O letter`; the lower-case letters are the application keypad.
pub fn ss3(letter: u8) -> Option<Input> {
    let (code, mods) = match letter {
        b'M' => (KeyCode::Enter, Mods::NONE),
        b'I' => (KeyCode::Tab, Mods::NONE),
        b'X' => (KeyCode::Char('='), Mods::NONE),
        b'a'..=b'd' => (letter_code(letter.to_ascii_uppercase())?, Mods::CTRL),
        b'j'..=b'y' => (KeyCode::Char(char::from(letter - b'j' + b'*')), Mods::NONE),
        _ => (letter_code(letter)?, Mods::NONE),
    };
    Some(key(code, mods, KeyKind::Press))
}

fn sgr_mouse(params: &Params, last: u8) -> Option<Input> {
    let released = match last {
        b'M' => false,
        b'm' => true,
        _ => return None,
    };
    mouse(params.get(0), released, params.small(1), params.small(2))
}

/// Interprets the legacy mouse report: button, column and row, each as one byte plus 32.
pub fn old_mouse(bytes: [u8; 3]) -> Option<Input> {
    let [button, col, row] = bytes.map(|b| u32::from(b.saturating_sub(32)));
    let released = button & 0b1100_0011 == 3 && button & 32 == 0;
    mouse(if released { button & !3 } else { button }, released, col as u16, row as u16)
}

fn mouse(bits: u32, released: bool, col: u16, row: u16) -> Option<Input> {
    let button = match bits & 3 {
        0 => Some(Button::Left),
        1 => Some(Button::Middle),
        2 => Some(Button::Right),
        _ => None,
    };
    let kind = match (bits & 0b1100_0000, bits & 32 != 0) {
        (64, _) => match bits & 3 {
            0 => MouseKind::ScrollUp,
            1 => MouseKind::ScrollDown,
            2 => MouseKind::ScrollLeft,
            _ => MouseKind::ScrollRight,
        },
        (0, true) => button.map_or(MouseKind::Moved, MouseKind::Drag),
        (0, false) if released => MouseKind::Up(button?),
        (0, false) => MouseKind::Down(button?),
        _ => return None,
    };
    let flag = |bit: u32, mods: Mods| if bits & bit != 0 { mods } else { Mods::NONE };
    let mods = flag(4, Mods::SHIFT) | flag(8, Mods::ALT) | flag(16, Mods::CTRL);
    Some(Input::Mouse(Mouse { kind, col: col.saturating_sub(1), row: row.saturating_sub(1), mods }))
}

/// Interprets a reply in an operating system command: `10;rgb:…` or `11;rgb:…`.
pub fn osc(body: &[u8]) -> Option<Input> {
    let text = std::str::from_utf8(body).ok()?;
    let (number, value) = text.split_once(';')?;
    let (r, g, b) = rgb(value)?;
    match number {
        "10" => Some(Input::Reply(Reply::Foreground(r, g, b))),
        "11" => Some(Input::Reply(Reply::Background(r, g, b))),
        _ => None,
    }
}

/// Parses `rgb:R/G/B` or `rgba:R/G/B/A` with one to four hexadecimal digits each, or `#RRGGBB`.
fn rgb(value: &str) -> Option<(u8, u8, u8)> {
    if let Some(hex) =
        value.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
    {
        let part = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).ok();
        return Some((part(0)?, part(2)?, part(4)?));
    }
    let parts = value.strip_prefix("rgb:").or_else(|| value.strip_prefix("rgba:"))?;
    let scaled = |part: &str| {
        let max = (1u32 << (4 * u32::try_from(part.len()).ok().filter(|n| (1..=4).contains(n))?)) - 1;
        u32::from_str_radix(part, 16).ok().map(|n| (n * 255 / max) as u8)
    };
    let mut parts = parts.split('/').map(scaled);
    Some((parts.next()??, parts.next()??, parts.next()??))
}

/// Interprets a reply in an application program command: that of Kitty's graphics protocol to our query.
pub fn apc(body: &[u8]) -> Option<Input> {
    let result = body.strip_prefix(b"Gi=31;")?;
    Some(Input::Reply(Reply::KittyGraphics(result == b"OK")))
}

/// Interprets a reply in a device control string: `>|name version`.
pub fn dcs(body: &[u8]) -> Option<Input> {
    let name = body.strip_prefix(b">|")?;
    Some(Input::Reply(Reply::Version(String::from_utf8_lossy(name).into_owned())))
}
