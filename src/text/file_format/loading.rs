//! Incremental loading: a text that grows piece by piece and can be displayed meanwhile. Only for UTF-8;
//! other files must be read whole, see [`crate::text::file_format::format`]. Must not know where the pieces
//! come from.

use std::borrow::Cow;

use ropey::Rope;

use crate::text::file_format::encoding::Encoding;
use crate::text::file_format::format::{Format, LineEnding, holds_carrier, looks_binary};
use crate::text::rope::Text;

/// Why a file cannot be loaded in pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not UTF-8")]
pub struct NotPlainText;

/// The state of loading.
#[derive(Debug, Default)]
pub struct Loading {
    rope: Rope,
    bytes: usize,
    bom: bool,
    line_feeds: usize,
    /// How many of them follow a CR.
    crlf: usize,
    /// Bytes of a character that is not complete.
    rest: Vec<u8>,
}

impl Loading {
    /// Adds a piece. The first one must contain at least the bytes that reveal binary files, unless the file
    /// is shorter.
    pub fn feed(&mut self, piece: &[u8]) -> Result<(), NotPlainText> {
        let mut piece = piece;
        if self.bytes == 0 {
            if looks_binary(piece) {
                return Err(NotPlainText);
            }
            if let Some(content) = piece.strip_prefix(Encoding::UTF8.bom()) {
                (self.bom, piece) = (true, content);
                self.bytes += Encoding::UTF8.bom().len();
            }
        }
        self.bytes += piece.len();
        let joined = if self.rest.is_empty() {
            Cow::Borrowed(piece)
        } else {
            Cow::Owned([&*std::mem::take(&mut self.rest), piece].concat())
        };
        let text = match std::str::from_utf8(&joined) {
            Ok(text) => text,
            Err(error) if error.error_len().is_none() => {
                let (whole, rest) = joined.split_at(error.valid_up_to());
                self.rest = rest.to_vec();
                std::str::from_utf8(whole).map_err(|_| NotPlainText)?
            }
            Err(_) => return Err(NotPlainText),
        };
        if holds_carrier(text.as_bytes()) {
            return Err(NotPlainText);
        }
        self.count(text);
        self.rope.append(Rope::from_str(text));
        Ok(())
    }

    fn count(&mut self, text: &str) {
        self.line_feeds += memchr::memchr_iter(b'\n', text.as_bytes()).count();
        self.crlf += memchr::memmem::find_iter(text.as_bytes(), b"\r\n").count();
        let length = self.rope.len_bytes();
        let split = text.starts_with('\n') && length > 0 && self.rope.byte(length - 1) == b'\r';
        self.crlf += usize::from(split);
    }

    /// Returns the number of bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the text so far.
    pub fn so_far(&self) -> Text {
        Text::partial(self.rope.clone())
    }

    /// Returns the whole text, after the last piece.
    pub fn finish(self) -> Result<(Text, Format), NotPlainText> {
        if !self.rest.is_empty() {
            return Err(NotPlainText);
        }
        let ending = if self.crlf * 2 > self.line_feeds { LineEnding::CrLf } else { LineEnding::Lf };
        Ok((Text::from(self.rope), Format { bom: self.bom, ending, ..Format::default() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::file_format::format;
    use proptest::prelude::*;

    fn in_pieces(bytes: &[u8], cuts: &[usize]) -> Result<(String, Format), NotPlainText> {
        let mut loading = Loading::default();
        let mut from = 0;
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
        cuts.sort_unstable();
        for to in cuts.into_iter().chain([bytes.len()]).filter(|to| *to >= bytes.len().min(8_000)) {
            let shown = loading.so_far().to_string();
            loading.feed(&bytes[from..to])?;
            assert!(loading.so_far().to_string().starts_with(&shown));
            from = to;
        }
        loading.finish().map(|(text, format)| (text.to_string(), format))
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        /// Read in pieces or whole, a file is the same text; what is not read in pieces is not
        /// plain.
        #[test]
        fn loading_pieces_match_full_decode(
            parts in proptest::collection::vec("[a-z]{0,3}|\r\n|\n|\r|é|漢|\u{feff}|\u{10ff80}|🇩🇪", 0..30),
            odd in proptest::option::of(proptest::collection::vec(proptest::num::u8::ANY, 1..3)),
            long: bool, cuts in proptest::collection::vec(proptest::num::usize::ANY, 0..6),
        ) {
            let mut bytes = if long { "0123456789\r\n".repeat(900).into_bytes() } else { Vec::new() };
            bytes.extend(parts.concat().into_bytes());
            bytes.extend(odd.into_iter().flatten());
            let (text, whole) = format::decode(&bytes);
            match in_pieces(&bytes, &cuts) {
                Ok(read) => prop_assert_eq!(read, (text, whole)),
                Err(NotPlainText) => prop_assert!(
                    whole.lossless || whole.binary || whole.encoding != Encoding::UTF8, "{:?}", whole
                ),
            }
        }
    }

    #[test]
    fn loading_splits_inside_characters_and_line_endings() {
        let mut bytes = "x".repeat(8_000).into_bytes();
        bytes.extend("é\r\n漢\r\n🦀\n".as_bytes());
        for cut in 8_000..bytes.len() {
            let (text, format) = in_pieces(&bytes, &[cut]).unwrap();
            assert_eq!((text.as_bytes(), format.ending), (&*bytes, LineEnding::CrLf));
        }
    }

    #[test]
    fn loading_non_plain_files_are_refused() {
        for bytes in [&b"a\0b"[..], b"\xff\xfea\0", b"caf\xe9", b"cut \xe6\xbc", "\u{10ff80}".as_bytes()] {
            assert_eq!(in_pieces(bytes, &[]), Err(NotPlainText), "{bytes:?}");
        }
    }
}
