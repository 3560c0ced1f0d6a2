//! Sanitizing writer for terminals: a model's output must not be able to control one.
//!
//! Must not know the content. The caller decides whether there is a terminal.

use std::io::{self, Write};

use crate::base::width::visible;

/// Replaces control characters other than line feeds and tabs with visible ones, and invalid UTF-8 with `�`.
#[derive(Debug)]
pub struct VisibleWriter<W> {
    inner: W,
    /// An incomplete character at the end of the last write.
    partial: Vec<u8>,
}

impl<W: Write> VisibleWriter<W> {
    /// Wraps another writer.
    pub fn new(inner: W) -> Self {
        Self { inner, partial: Vec::new() }
    }

    fn write_visible(&mut self, bytes: &[u8]) -> io::Result<()> {
        let text = String::from_utf8_lossy(bytes);
        let mut out = String::with_capacity(text.len());
        for piece in text.split_inclusive(['\n', '\t']) {
            let end = piece.chars().next_back().filter(|c| matches!(c, '\n' | '\t'));
            out.push_str(&visible(&piece[..piece.len() - end.map_or(0, char::len_utf8)]));
            out.extend(end);
        }
        self.inner.write_all(out.as_bytes())
    }
}

impl<W: Write> Write for VisibleWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        self.partial = all.split_off(complete_len(&all));
        self.write_visible(&all)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.partial);
        self.write_visible(&rest)?;
        self.inner.flush()
    }
}

/// Returns the number of bytes before an incomplete character at the end.
fn complete_len(bytes: &[u8]) -> usize {
    let mut from = 0;
    loop {
        match std::str::from_utf8(&bytes[from..]) {
            Ok(_) => return bytes.len(),
            Err(error) => match error.error_len() {
                Some(wrong) => from += error.valid_up_to() + wrong,
                None => return from + error.valid_up_to(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(pieces: &[&[u8]]) -> String {
        let mut out = Vec::new();
        let mut writer = VisibleWriter::new(&mut out);
        for piece in pieces {
            writer.write_all(piece).unwrap();
        }
        writer.flush().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn visible_terminal_controls_are_escaped() {
        let text = "a\tb\n\x1b[2J\x1b]0;title\x07\r\u{9b}31m\u{202e}x\x7f\n";
        assert_eq!(shown(&[text.as_bytes()]), "a\tb\n␛[2J␛]0;title␇␍<9B>31m<U+202E>x␡\n");
        assert_eq!(shown(&["Grüße 👩‍👩‍👧 \n".as_bytes()]), "Grüße 👩‍👩‍👧 \n");
    }

    #[test]
    fn visible_split_characters_and_invalid_bytes() {
        assert_eq!(shown(&[b"\xc2", b"\x9b", b"x"]), "<9B>x");
        assert_eq!(shown(&[b"a\xff\x1bb\xe4\xb8"]), "a\u{fffd}␛b\u{fffd}");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]

        #[test]
        fn visible_piece_size_does_not_matter(bytes in prop::collection::vec(any::<u8>(), 0..40), size in 1..5usize) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            let out = shown(&pieces);
            prop_assert_eq!(&out, &shown(&[&bytes]));
            prop_assert!(out.chars().all(|c| !c.is_control() || c == '\n' || c == '\t'));
        }
    }
}
