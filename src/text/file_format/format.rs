//! File format: lossless conversion of a file's bytes to a text and back, with encoding, optional byte order
//! mark, and unchanged line endings.
//!
//! Must not know files. Each invalid UTF-8 byte becomes one character of a private-use range, `U+10FF80` for
//! 0x80 up to `U+10FFFF` for 0xFF, and is converted back to that byte. If a file contains such a character
//! itself, its four bytes are carried in the same way, so that any bytes are preserved.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::text::file_format::encoding::{self, Encoding, FIRST_CARRIED, UnencodableChar};

/// The character that would represent byte 0x00; only 0x80..=0xFF occur.
const CARRIER: u32 = 0x10_FF00;

/// Number of bytes at the start that decide whether a file is binary, as in git.
const BINARY_PROBE: usize = 8_000;

/// Line ending.
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

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Format {
    /// Its encoding.
    pub encoding: Encoding,
    /// Whether it started with a byte order mark.
    pub bom: bool,
    /// The most frequent line ending, which Enter inserts.
    pub ending: LineEnding,
    /// Whether it contained invalid UTF-8.
    pub lossless: bool,
    /// Whether it has a NUL byte near its start.
    pub binary: bool,
}

impl Format {
    /// Returns why a file of this format is read-only, if it is.
    pub fn read_only(self) -> Option<&'static str> {
        self.binary.then_some("a binary file is shown, not edited")
    }
}

/// Whether the start of a file looks binary.
pub(in crate::text) fn looks_binary(start: &[u8]) -> bool {
    start[..start.len().min(BINARY_PROBE)].contains(&0)
}

/// Decodes a file's bytes. Never fails: see the module docs.
pub fn decode(bytes: &[u8]) -> (String, Format) {
    let binary = looks_binary(bytes);
    let utf8 = |bom: bool, text: String, lossless| {
        let format = Format { bom, ending: ending_of(&text), lossless, binary, ..Format::default() };
        (text, format)
    };
    let (bom, content) = match bytes.strip_prefix(Encoding::UTF8.bom()) {
        Some(rest) => (true, rest),
        None => (false, bytes),
    };
    let text = std::str::from_utf8(content).ok().filter(|_| !holds_carrier(content));
    if let Some(text) = text.filter(|_| !binary) {
        return utf8(bom, text.to_string(), false);
    }
    for encoding in [Encoding::UTF16LE, Encoding::UTF16BE] {
        let wide = bytes.strip_prefix(encoding.bom()).and_then(|rest| encoding.decode(rest));
        // The mark of UTF-32 starts like one of UTF-16; a text does not start with NUL.
        if let Some(text) = wide.filter(|text| !text.starts_with('\0')) {
            return other(encoding, true, text);
        }
    }
    if !bom && let Some((encoding, text)) = encoding::detect(bytes, binary) {
        return other(encoding, false, text);
    }
    match text {
        Some(text) => utf8(bom, text.to_string(), false),
        None => utf8(bom, carry(content), true),
    }
}

/// Decodes a file's bytes in an encoding that the user selected; `None` if encoding the text would not yield
/// the same bytes. UTF-8 always works.
pub fn decode_as(bytes: &[u8], encoding: Encoding) -> Option<(String, Format)> {
    let marked = Some(bytes).filter(|_| !encoding.bom().is_empty());
    let rest = marked.and_then(|bytes| bytes.strip_prefix(encoding.bom()));
    if encoding != Encoding::UTF8 {
        let text = encoding.decode(rest.unwrap_or(bytes))?;
        return Some(other(encoding, rest.is_some(), text));
    }
    let content = rest.unwrap_or(bytes);
    let (text, lossless) = match std::str::from_utf8(content) {
        Ok(text) if !holds_carrier(content) => (text.to_string(), false),
        _ => (carry(content), true),
    };
    let binary = looks_binary(bytes);
    let format =
        Format { bom: rest.is_some(), ending: ending_of(&text), lossless, binary, ..Format::default() };
    Some((text, format))
}

/// Decodes the bytes of a file that had this encoding before: it is kept unless another one is certain.
pub fn decode_like(bytes: &[u8], before: Encoding) -> (String, Format) {
    let (text, format) = decode(bytes);
    let plain = format.encoding == Encoding::UTF8 && !format.lossless && !format.binary;
    let is_evidence = plain && (before.is_utf16() || !text.is_ascii());
    if is_evidence || format.bom || before == format.encoding {
        return (text, format);
    }
    decode_as(bytes, before).unwrap_or((text, format))
}

fn other(encoding: Encoding, bom: bool, text: String) -> (String, Format) {
    let ending = ending_of(&text);
    (text, Format { encoding, bom, ending, ..Format::default() })
}

/// Returns the most frequent line ending of a text.
fn ending_of(text: &str) -> LineEnding {
    let lf = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    let crlf = memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
    if crlf * 2 > lf { LineEnding::CrLf } else { LineEnding::Lf }
}

/// Whether valid UTF-8 contains a character of the carrier range: `F4 8F BE/BF xx`.
pub(in crate::text) fn holds_carrier(bytes: &[u8]) -> bool {
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

/// Whether a character represents an invalid byte.
pub fn is_carried(c: char) -> bool {
    c >= FIRST_CARRIED
}

/// Returns the byte that a character represents.
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

/// Text from outside as [`without_carriers`], with the line ending of a file.
pub fn with_ending(text: &str, ending: &str) -> String {
    let text = without_carriers(text).replace("\r\n", "\n");
    if ending == "\n" { text } else { text.replace('\n', ending) }
}

/// Encodes a text, given in chunks, in its format. Fails if the encoding lacks a character; UTF-8 never
/// fails.
pub fn encode<'a>(chunks: impl Iterator<Item = &'a str>, format: Format) -> Result<Vec<u8>, UnencodableChar> {
    let mut bytes = if format.bom { format.encoding.bom().to_vec() } else { Vec::new() };
    if format.encoding == Encoding::UTF8 {
        encode_utf8(chunks, &mut bytes);
    } else {
        format.encoding.encode(chunks, &mut bytes)?;
    }
    Ok(bytes)
}

fn encode_utf8<'a>(chunks: impl Iterator<Item = &'a str>, bytes: &mut Vec<u8>) {
    for chunk in chunks {
        // Regardless of the format: undo can restore a text of another format, and no other way into a text
        // lets such characters in, so each represents a byte.
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
}

#[cfg(test)]
mod tests;
