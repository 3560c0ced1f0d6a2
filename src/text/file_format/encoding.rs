//! Encodings beyond UTF-8: UTF-16, and those of the Encoding Standard. Must not know files, byte order marks
//! or line endings.
//!
//! Text is decoded only if encoding it yields the same bytes.

use std::fmt;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{EncoderResult, UTF_8, UTF_16BE, UTF_16LE};
use serde::{Deserialize, Serialize};

/// Characters from here on represent undecodable bytes, see `text::format`.
pub const FIRST_CARRIED: char = '\u{10FF80}';
/// Bytes from which an encoding is guessed.
const GUESS_BYTES: usize = 64 << 10;
/// A text without a byte order mark is taken for UTF-16 if one in this many of its characters is among the
/// first 256.
const NARROW_PART: usize = 3;
/// Maximum share, for each of these, of characters that look like them in the other byte order.
const STRAY_PART: usize = 8;

/// An encoding of text.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Encoding(&'static encoding_rs::Encoding);

impl Default for Encoding {
    fn default() -> Self {
        Self::UTF8
    }
}

impl fmt::Debug for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TryFrom<String> for Encoding {
    type Error = String;

    fn try_from(label: String) -> Result<Self, String> {
        Self::from_label(&label).ok_or_else(|| format!("`{label}` is no encoding"))
    }
}

impl From<Encoding> for String {
    fn from(encoding: Encoding) -> Self {
        encoding.name().to_string()
    }
}

/// A character that an encoding lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{character:?} in line {line} is not in {encoding:?}; choose another encoding with file.encoding")]
pub struct UnencodableChar {
    /// The first such character.
    pub character: char,
    /// Its line, from 1.
    pub line: usize,
    /// The encoding.
    pub encoding: Encoding,
}

impl Encoding {
    /// UTF-8.
    pub const UTF8: Self = Self(UTF_8);
    /// UTF-16, low byte first.
    pub const UTF16LE: Self = Self(UTF_16LE);
    /// UTF-16, high byte first.
    pub const UTF16BE: Self = Self(UTF_16BE);

    /// Returns all encodings that can be selected, frequent ones first.
    pub fn all() -> impl Iterator<Item = Self> {
        let labels = "utf-8 utf-16le utf-16be windows-1252 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 \
                      iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 \
                      iso-8859-16 windows-1250 windows-1251 windows-1253 windows-1254 windows-1255 \
                      windows-1256 windows-1257 windows-1258 windows-874 koi8-r koi8-u macintosh \
                      x-mac-cyrillic ibm866 gb18030 gbk big5 euc-jp shift_jis iso-2022-jp euc-kr";
        labels.split_whitespace().filter_map(Self::from_label)
    }

    /// The encoding of a label, in any case: `latin1`, `UTF-16LE`, `koi8-r`.
    pub fn from_label(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.trim().as_bytes())?;
        (encoding != encoding_rs::X_USER_DEFINED).then_some(Self(encoding))
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// Whether it is UTF-16 in either byte order.
    pub fn is_utf16(self) -> bool {
        self == Self::UTF16LE || self == Self::UTF16BE
    }

    /// Returns its byte order mark; empty if it has none.
    pub fn bom(self) -> &'static [u8] {
        if self == Self::UTF8 {
            b"\xef\xbb\xbf"
        } else if self == Self::UTF16LE {
            b"\xff\xfe"
        } else if self == Self::UTF16BE {
            b"\xfe\xff"
        } else {
            b""
        }
    }

    /// Decodes bytes without a byte order mark; `None` unless encoding the text yields the same bytes.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        let text = self.0.decode_without_bom_handling_and_without_replacement(bytes)?;
        if text.chars().any(|c| c >= FIRST_CARRIED) {
            return None;
        }
        // UTF-16 and UTF-8 have one form for each text; other encodings have several.
        let same = self.is_utf16() || self == Self::UTF8 || {
            let mut reencoded = Vec::with_capacity(bytes.len());
            self.encode_unchecked([&*text].into_iter(), &mut reencoded).is_ok() && reencoded == bytes
        };
        same.then(|| text.into_owned())
    }

    /// Appends the encoded text, given in chunks. Fails if it would be decoded as another text: some
    /// encodings have one code for several characters.
    pub fn encode<'a>(
        self,
        chunks: impl Iterator<Item = &'a str>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), UnencodableChar> {
        let chunks: Vec<&str> = chunks.collect();
        let start = bytes.len();
        self.encode_unchecked(chunks.iter().copied(), bytes)?;
        if self == Self::UTF8 || self.is_utf16() {
            return Ok(());
        }
        let (decoded, _) = self.0.decode_without_bom_handling(&bytes[start..]);
        let mut decoded = decoded.chars();
        let mut line = 1;
        for character in chunks.iter().flat_map(|chunk| chunk.chars()) {
            if decoded.next() != Some(character) {
                return Err(UnencodableChar { character, line, encoding: self });
            }
            line += usize::from(character == '\n');
        }
        Ok(())
    }

    fn encode_unchecked<'a>(
        self,
        chunks: impl Iterator<Item = &'a str>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), UnencodableChar> {
        let mut line = 1;
        let mut encoder = self.0.new_encoder();
        for chunk in chunks {
            let unfit = if self == Self::UTF16LE {
                encode_utf16(chunk, bytes, u16::to_le_bytes)
            } else if self == Self::UTF16BE {
                encode_utf16(chunk, bytes, u16::to_be_bytes)
            } else {
                // Some encodings have every character, even those that represent bytes.
                let carried = chunk.char_indices().find(|(_, c)| *c >= FIRST_CARRIED && self != Self::UTF8);
                let fit = &chunk[..carried.map_or(chunk.len(), |(at, _)| at)];
                encode_narrow(&mut encoder, fit, bytes, false).or(carried.map(|(at, c)| (c, at)))
            };
            if let Some((character, at)) = unfit {
                line += memchr::memchr_iter(b'\n', &chunk.as_bytes()[..at]).count();
                return Err(UnencodableChar { character, line, encoding: self });
            }
            line += memchr::memchr_iter(b'\n', chunk.as_bytes()).count();
        }
        if !self.is_utf16() {
            encode_narrow(&mut encoder, "", bytes, true);
        }
        Ok(())
    }
}

/// Encodes to UTF-16; the error is an unsupported character and its position.
fn encode_utf16(chunk: &str, bytes: &mut Vec<u8>, order: fn(u16) -> [u8; 2]) -> Option<(char, usize)> {
    bytes.reserve(chunk.len() * 2);
    for (at, c) in chunk.char_indices() {
        if c >= FIRST_CARRIED {
            return Some((c, at));
        }
        bytes.extend(c.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| order(*unit)));
    }
    None
}

fn encode_narrow(
    encoder: &mut encoding_rs::Encoder,
    chunk: &str,
    bytes: &mut Vec<u8>,
    last: bool,
) -> Option<(char, usize)> {
    let mut from = 0;
    loop {
        // The output is never full for long: each iteration reserves space again.
        bytes.reserve((chunk.len() - from) + 64);
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(&chunk[from..], bytes, last);
        from += read;
        match result {
            EncoderResult::InputEmpty => return None,
            EncoderResult::OutputFull => {}
            // The reported character is wrong for some control characters.
            EncoderResult::Unmappable(_) => {
                return chunk[..from].char_indices().next_back().map(|(at, c)| (c, at));
            }
        }
    }
}

/// Detects the encoding of bytes that are not plain UTF-8; returns it with the text. `None` if the bytes are
/// better carried verbatim. `binary`: whether a NUL is near the start.
pub fn detect(bytes: &[u8], binary: bool) -> Option<(Encoding, String)> {
    if binary {
        let order = guess_utf16_order(bytes)?;
        return Some((order, order.decode(bytes)?));
    }
    if is_damaged_utf8(bytes) {
        return None;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(&bytes[..bytes.len().min(GUESS_BYTES)], bytes.len() <= GUESS_BYTES);
    let guess = Encoding(detector.guess(None, Utf8Detection::Deny));
    let text = guess.decode(bytes)?;
    let is_text = |c: char| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b');
    text.chars().all(is_text).then_some((guess, text))
}

/// Whether invalid UTF-8 is damaged UTF-8: at least as many non-ASCII characters as invalid bytes.
fn is_damaged_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    good >= bad
}

/// Detects the byte order of UTF-16 without a mark. Reliable when it answers: one of the two bytes of each
/// unit is rarely 0, the other often is, and there are no control characters.
fn guess_utf16_order(bytes: &[u8]) -> Option<Encoding> {
    let units = bytes.chunks_exact(2);
    if bytes.len() < 8 || !units.remainder().is_empty() {
        return None;
    }
    let units = units.take(GUESS_BYTES / 2);
    let count = units.len();
    let (mut first, mut second) = (0, 0);
    for unit in units {
        let narrow = if unit[0] == 0 { unit[1] } else { unit[0] };
        if unit.contains(&0) && matches!(narrow, 0..=8 | 0x0b | 0x0e..=0x1f) {
            return None;
        }
        first += usize::from(unit[0] == 0);
        second += usize::from(unit[1] == 0);
    }
    // A character like U+DE00 has its 0 on the other side.
    let is_wide = |stray: usize, narrow: usize| narrow * NARROW_PART >= count && stray * STRAY_PART <= narrow;
    match (first, second) {
        (stray, narrow) if is_wide(stray, narrow) => Some(Encoding::UTF16LE),
        (narrow, stray) if is_wide(stray, narrow) => Some(Encoding::UTF16BE),
        _ => None,
    }
}
