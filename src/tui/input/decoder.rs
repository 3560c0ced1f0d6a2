//! Decodes bytes into events, one byte at a time, so that the result does not depend on how the stream is
//! split.
//!
//! Must not know what events mean or read a clock: the event loop passes the time and calls
//! [`Decoder::expire`] when [`Decoder::deadline`] has passed *and* no more bytes are ready. An introducer
//! that is also a key (`ESC`, `ESC [`, `ESC O`, `ESC ]`, `ESC P`, `ESC _`) becomes that key when the rest
//! does not arrive or does not fit; the bytes after it are then decoded again.

use std::time::Duration;

use crate::tui::input::csi;
use crate::tui::input::event::Input;
use crate::tui::input::key::{Key, KeyCode, Mods};
use crate::tui::input::paste::{PASTE_MAX, Paste};

/// How long a lone escape may still become a sequence.
const ESCAPE_WAIT: Duration = Duration::from_millis(25);
/// The same for `ESC [` and similar: longer, since Alt-[ is rarely typed but connections often stall.
const INTRODUCER_WAIT: Duration = Duration::from_millis(50);
/// How long an unambiguous sequence, or a paste, may stall.
const SEQUENCE_WAIT: Duration = Duration::from_secs(1);
/// Maximum number of bytes kept of one sequence. A longer one is unknown anyway and is dropped whole.
const SEQUENCE_MAX: usize = 4096;

/// Prefixes of device control strings that are replies.
const DCS_HEADS: [&[u8]; 6] = [b">|", b"!|", b"0+r", b"1+r", b"0$r", b"1$r"];
/// Prefixes of application program commands that are replies.
const APC_HEADS: [&[u8]; 1] = [b"Gi="];
/// Numbers of operating system commands that are replies.
const OSC_NUMBERS: [&[u8]; 9] = [b"4", b"10", b"11", b"12", b"17", b"19", b"21", b"52", b"99"];

/// A string that ends with `ESC \` or a bell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StringKind {
    Osc,
    Dcs,
    Apc,
}

impl StringKind {
    /// The letter after the escape.
    fn letter(self) -> u8 {
        match self {
            Self::Osc => b']',
            Self::Dcs => b'P',
            Self::Apc => b'_',
        }
    }

    /// Returns whether `body` starts like a reply; `None` while that is undecided.
    fn is_reply(self, body: &[u8]) -> Option<bool> {
        let heads: &[&[u8]] = match self {
            Self::Osc => {
                return match body.split_last() {
                    Some((b';', number)) => Some(OSC_NUMBERS.contains(&number)),
                    Some((last, _)) if last.is_ascii_digit() && body.len() <= 3 => None,
                    _ => Some(false),
                };
            }
            Self::Dcs => &DCS_HEADS,
            Self::Apc => &APC_HEADS,
        };
        if heads.contains(&body) {
            return Some(true);
        }
        if heads.iter().any(|head| head.starts_with(body)) { None } else { Some(false) }
    }
}

#[derive(Debug)]
enum State {
    Ground,
    /// `body` holds part of a UTF-8 sequence.
    Utf8,
    Escape,
    Csi,
    /// `CSI [`, the Linux console's function keys.
    CsiLinux,
    /// `CSI M`, the old mouse report.
    OldMouse,
    Ss3,
    /// A string that may still be a key and typed text.
    MaybeReply(StringKind),
    /// Inside a string that is a reply.
    Text(StringKind),
    /// After an escape inside a string, probably the start of its terminator.
    TextEscape(StringKind),
    Paste(Paste),
}

/// The decoder; see the module docs.
#[derive(Debug)]
pub struct Decoder {
    state: State,
    /// Bytes of the current sequence, without its introducer.
    body: Vec<u8>,
    /// Whether an escape preceded the introducer or the character: Alt, or a separate Escape key.
    alt: bool,
    deadline: Option<Duration>,
    paste_max: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// Returns a decoder in its initial state.
    pub fn new() -> Self {
        Self { state: State::Ground, body: Vec::new(), alt: false, deadline: None, paste_max: PASTE_MAX }
    }

    /// Decodes bytes that were read at `now` (monotonic) and appends the events.
    pub fn feed(&mut self, bytes: &[u8], now: Duration, out: &mut Vec<Input>) {
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            if let State::Paste(paste) = &mut self.state {
                let (used, ended) = paste.feed(rest);
                rest = &rest[used..];
                if ended {
                    self.end_paste(out);
                }
            } else {
                self.byte(*first, out);
                rest = after;
            }
        }
        if !bytes.is_empty() {
            self.deadline = self.wait().map(|wait| now + wait);
        }
    }

    /// Returns when to call [`Self::expire`] if no more bytes come.
    pub fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Ends what is pending if its time is up: a lone escape becomes a key, an unfinished reply is dropped,
    /// an unfinished paste is delivered.
    pub fn expire(&mut self, now: Duration, out: &mut Vec<Input>) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        match self.state {
            State::Paste(_) => self.end_paste(out),
            State::Utf8 => self.broken_character(out),
            _ => self.abandon_sequence(out),
        }
        // The bytes decoded again hold no escape, so they cannot begin another sequence.
        self.deadline = self.wait().map(|wait| now + wait);
    }

    fn wait(&self) -> Option<Duration> {
        match self.state {
            State::Ground => None,
            State::Escape => Some(ESCAPE_WAIT),
            State::Csi if self.body.is_empty() => Some(INTRODUCER_WAIT),
            State::Ss3 | State::MaybeReply(_) => Some(INTRODUCER_WAIT),
            _ => Some(SEQUENCE_WAIT),
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<Input>) {
        match self.state {
            State::Ground => self.ground(byte, out),
            State::Utf8 => self.utf8(byte, out),
            State::Escape => self.escape(byte, out),
            State::Csi => self.csi(byte, out),
            State::CsiLinux => {
                let key = matches!(byte, b'A'..=b'E').then(|| KeyCode::F(byte - b'A' + 1));
                self.finish(key.map(|code| Input::Key(Key::new(code, Mods::NONE))), out);
            }
            State::OldMouse => {
                self.body.push(byte);
                if let Ok(report) = <[u8; 3]>::try_from(self.body.as_slice()) {
                    self.finish(csi::old_mouse(report), out);
                }
            }
            State::Ss3 => match csi::ss3(byte) {
                _ if byte == b'E' => self.finish(None, out),
                None => self.abandon_and_feed(byte, out),
                key => self.finish(key, out),
            },
            State::MaybeReply(kind) => self.maybe_reply(kind, byte, out),
            State::Text(kind) => self.text(kind, byte, out),
            State::TextEscape(kind) => self.text_escape(kind, byte, out),
            State::Paste(_) => {}
        }
    }

    fn ground(&mut self, byte: u8, out: &mut Vec<Input>) {
        match byte {
            0x1b => self.state = State::Escape,
            0x80.. => {
                self.body.clear();
                self.state = State::Utf8;
                self.utf8(byte, out);
            }
            _ => self.finish(Some(Input::Key(single_byte(byte))), out),
        }
    }

    fn utf8(&mut self, byte: u8, out: &mut Vec<Input>) {
        self.body.push(byte);
        match std::str::from_utf8(&self.body) {
            Ok(text) => {
                let key = text.chars().next().map(|c| Input::Key(Key::char(c)));
                self.finish(key, out);
            }
            Err(error) if error.error_len().is_none() => {}
            Err(_) => {
                let fresh = self.body.len() > 1;
                self.broken_character(out);
                if fresh {
                    self.byte(byte, out);
                }
            }
        }
    }

    fn broken_character(&mut self, out: &mut Vec<Input>) {
        self.finish(Some(Input::Key(Key::char(char::REPLACEMENT_CHARACTER))), out);
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<Input>) {
        self.body.clear();
        self.state = match byte {
            b'[' => State::Csi,
            b'O' => State::Ss3,
            b']' => State::MaybeReply(StringKind::Osc),
            b'P' => State::MaybeReply(StringKind::Dcs),
            b'_' => State::MaybeReply(StringKind::Apc),
            0x1b => {
                // Of several escapes only the last two may belong together; earlier ones are keys.
                if self.alt {
                    out.push(escape_key());
                }
                self.alt = true;
                return;
            }
            _ => {
                // Escape, then Alt with a character: only sequences combine with an escape before them.
                if self.alt {
                    out.push(escape_key());
                }
                self.alt = true;
                self.state = State::Ground;
                return self.ground(byte, out);
            }
        };
    }

    fn csi(&mut self, byte: u8, out: &mut Vec<Input>) {
        let empty = self.body.is_empty();
        match byte {
            0x20..=0x3f => self.push_byte(byte),
            b'[' if empty => self.state = State::CsiLinux,
            b'M' if empty => self.state = State::OldMouse,
            0x40..=0x7e => {
                self.push_byte(byte);
                if self.body == b"200~" {
                    self.finish_before_event(out);
                    self.state = State::Paste(Paste::new(self.paste_max));
                    return;
                }
                let whole = self.body.len() < SEQUENCE_MAX;
                self.finish(csi::csi(&self.body).filter(|_| whole), out);
            }
            _ => self.abandon_and_feed(byte, out),
        }
    }

    fn maybe_reply(&mut self, kind: StringKind, byte: u8, out: &mut Vec<Input>) {
        if !(0x20..0x7f).contains(&byte) {
            return self.abandon_and_feed(byte, out);
        }
        self.body.push(byte);
        match kind.is_reply(&self.body) {
            None => {}
            Some(true) => self.state = State::Text(kind),
            Some(false) => {
                self.body.pop();
                self.abandon_and_feed(byte, out);
            }
        }
    }

    fn text(&mut self, kind: StringKind, byte: u8, out: &mut Vec<Input>) {
        match byte {
            0x07 => self.end_text(kind, out),
            0x1b => self.state = State::TextEscape(kind),
            // No reply contains a control character: the user typed one, so the reply was cut.
            0x00..0x20 => {
                self.finish(None, out);
                self.byte(byte, out);
            }
            _ => self.push_byte(byte),
        }
    }

    fn text_escape(&mut self, kind: StringKind, byte: u8, out: &mut Vec<Input>) {
        if byte == b'\\' {
            return self.end_text(kind, out);
        }
        self.finish(None, out);
        self.state = State::Escape;
        self.byte(byte, out);
    }

    fn end_text(&mut self, kind: StringKind, out: &mut Vec<Input>) {
        let meaning = match kind {
            _ if self.body.len() >= SEQUENCE_MAX => None,
            StringKind::Osc => csi::osc(&self.body),
            StringKind::Dcs => csi::dcs(&self.body),
            StringKind::Apc => csi::apc(&self.body),
        };
        self.finish(meaning, out);
    }

    fn end_paste(&mut self, out: &mut Vec<Input>) {
        if let State::Paste(mut paste) = std::mem::replace(&mut self.state, State::Ground) {
            let pasted = paste.take();
            out.push(Input::Paste(pasted.text));
            if pasted.dropped > 0 {
                out.push(Input::PasteCut(pasted.dropped));
            }
        }
        self.finish(None, out);
    }

    fn push_byte(&mut self, byte: u8) {
        if self.body.len() < SEQUENCE_MAX {
            self.body.push(byte);
        }
    }

    /// Ends a sequence. An escape before it makes a key an Alt key; before anything else it was a separate
    /// key.
    fn finish(&mut self, meaning: Option<Input>, out: &mut Vec<Input>) {
        let meaning = match meaning {
            Some(Input::Key(mut key)) if self.alt => {
                self.alt = false;
                key.mods = key.mods | Mods::ALT;
                Some(Input::Key(key.normal()))
            }
            other => other,
        };
        self.finish_before_event(out);
        out.extend(meaning);
    }

    fn finish_before_event(&mut self, out: &mut Vec<Input>) {
        if self.alt {
            out.push(escape_key());
        }
        self.alt = false;
        self.body.clear();
        self.state = State::Ground;
    }

    /// Treats the introducer as the key that it also is, and the bytes after it as typed text. An unambiguous
    /// sequence is dropped.
    fn abandon_sequence(&mut self, out: &mut Vec<Input>) {
        let letter = match &self.state {
            State::Escape => {
                self.finish_before_event(out);
                out.push(escape_key());
                return;
            }
            State::Csi if self.body.is_empty() => b'[',
            State::Ss3 => b'O',
            State::MaybeReply(kind) => kind.letter(),
            _ => return self.finish(None, out),
        };
        let typed = std::mem::take(&mut self.body);
        self.finish_before_event(out);
        out.push(Input::Key(Key::new(KeyCode::Char(char::from(letter)), Mods::ALT)));
        for byte in typed {
            self.byte(byte, out);
        }
    }

    fn abandon_and_feed(&mut self, byte: u8, out: &mut Vec<Input>) {
        self.abandon_sequence(out);
        self.byte(byte, out);
    }
}

fn escape_key() -> Input {
    Input::Key(Key::new(KeyCode::Escape, Mods::NONE))
}

/// Returns the key of one byte below 128 in a terminal without extensions.
fn single_byte(byte: u8) -> Key {
    let (code, mods) = match byte {
        0x00 => (KeyCode::Char(' '), Mods::CTRL),
        0x09 => (KeyCode::Tab, Mods::NONE),
        0x0d => (KeyCode::Enter, Mods::NONE),
        0x1b => (KeyCode::Escape, Mods::NONE),
        0x01..=0x1a => (KeyCode::Char(char::from(byte + 0x60)), Mods::CTRL),
        0x1c..=0x1f => (KeyCode::Char(char::from(byte + 0x40)), Mods::CTRL),
        0x7f => (KeyCode::Backspace, Mods::NONE),
        _ => (KeyCode::Char(char::from(byte)), Mods::NONE),
    };
    Key::new(code, mods)
}

#[cfg(test)]
mod tests;
