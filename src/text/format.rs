//! How a file's bytes become a text and the same bytes again: UTF-8 with or without BOM, line
//! endings kept as they are, and bytes that are no UTF-8 carried through unharmed.
//!
//! Must not know files. Each byte that is not UTF-8 becomes one character of a private-use
//! range, `U+10FF80` for 0x80 up to `U+10FFFF` for 0xFF, and goes back to that byte. Where a
//! file holds such a character itself, its four bytes are carried the same way, so that any
//! bytes come out as they went in.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// The character that stands for byte 0x00 of the carried range; only 0x80..=0xFF occur.
const CARRIER: u32 = 0x10_FF00;

/// How many bytes at the start decide whether a file is binary, as git does.
const BINARY_PROBE: usize = 8_000;

/// How lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LineEnding {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    CrLf,
}

impl LineEnding {
    /// The characters.
    pub fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// What a file was like beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Format {
    /// Whether it began with a UTF-8 byte-order mark.
    pub bom: bool,
    /// How most of its lines end; what Enter inserts.
    pub ending: LineEnding,
    /// Whether it held bytes that are no UTF-8.
    pub lossless: bool,
    /// Whether it holds a NUL byte near its start.
    pub binary: bool,
}

impl Format {
    /// Why a file of this format is shown but not edited, if it is not.
    pub fn read_only(self) -> Option<&'static str> {
        self.binary.then_some("a binary file is shown, not edited")
    }
}

/// Reads a file's bytes. Never fails: see the module's text.
pub fn decode(bytes: &[u8]) -> (String, Format) {
    let binary = bytes[..bytes.len().min(BINARY_PROBE)].contains(&0);
    let (bom, content) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    let (text, lossless) = match std::str::from_utf8(content) {
        Ok(text) if !holds_carrier(content) => (text.to_string(), false),
        _ => (carry(content), true),
    };
    let lf = memchr::memchr_iter(b'\n', content).count();
    let crlf = memchr::memmem::find_iter(content, b"\r\n").count();
    let ending = if crlf * 2 > lf { LineEnding::CrLf } else { LineEnding::Lf };
    (text, Format { bom, ending, lossless, binary })
}

/// Whether valid UTF-8 holds a character of the carrier range: `F4 8F BE/BF xx`.
fn holds_carrier(bytes: &[u8]) -> bool {
    memchr::memmem::find_iter(bytes, b"\xf4\x8f").any(|at| {
        bytes.get(at..at + 4).is_some_and(|c| std::str::from_utf8(c).is_ok_and(|c| c.chars().any(is_carried)))
    })
}

fn carry(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_carried(c) {
                text.extend(c.encode_utf8(&mut [0; 4]).bytes().filter_map(carrier));
            } else {
                text.push(c);
            }
        }
        text.extend(chunk.invalid().iter().copied().filter_map(carrier));
    }
    text
}

fn carrier(byte: u8) -> Option<char> {
    char::from_u32(CARRIER + u32::from(byte))
}

/// Whether a character stands for a byte that is no UTF-8.
pub fn is_carried(c: char) -> bool {
    c as u32 >= CARRIER + 0x80
}

/// The byte that a character stands for.
pub fn carried_byte(c: char) -> Option<u8> {
    is_carried(c).then(|| (c as u32 - CARRIER) as u8)
}

/// Text from outside (a paste, a model) without characters of the carrier range, which would
/// otherwise be saved as single bytes.
pub fn without_carriers(text: &str) -> Cow<'_, str> {
    if text.chars().any(is_carried) {
        Cow::Owned(text.chars().map(|c| if is_carried(c) { '\u{fffd}' } else { c }).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The bytes of a text, given in pieces, in its format.
pub fn encode<'a>(chunks: impl Iterator<Item = &'a str>, format: Format) -> Vec<u8> {
    let mut bytes = if format.bom { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    for chunk in chunks {
        // Whatever the format says: undo can bring a text of another format back, and every way
        // into a text keeps such characters out, so one that is there stands for a byte.
        if memchr::memmem::find(chunk.as_bytes(), b"\xf4\x8f").is_some() {
            for c in chunk.chars() {
                match carried_byte(c) {
                    Some(byte) => bytes.push(byte),
                    None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                }
            }
        } else {
            bytes.extend_from_slice(chunk.as_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_out_as_they_went_in(bytes in prop::collection::vec(any::<u8>(), 0..200), salt in 0..4usize) {
            let mut bytes = bytes;
            let salts: [&[u8]; 4] = [b"", b"\xef\xbb\xbf", "\u{10FF80}a".as_bytes(), b"\xf4\x8f\xbe"];
            bytes.extend_from_slice(salts[salt]);
            bytes.splice(0..0, salts[salt].iter().copied());
            let (text, format) = decode(&bytes);
            prop_assert_eq!(encode([text.as_str()].into_iter(), format), bytes);
        }
    }

    #[test]
    fn plain_files_are_plain() {
        let (text, format) = decode("é\r\n\u{fffd}\r\nx\n".as_bytes());
        assert_eq!(text, "é\r\n\u{fffd}\r\nx\n");
        assert_eq!(format, Format { ending: LineEnding::CrLf, ..Format::default() });
        assert!(decode(b"a\0b").1.binary);
    }
}
