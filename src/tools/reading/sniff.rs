//! Detects a file's type by its first bytes, not by its name.
//!
//! Must not know files.

/// Bytes in which a NUL marks a binary file.
const HEAD: usize = 8 * 1024;

/// Type of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileType {
    /// Text, judging by the beginning.
    Text,
    /// A picture of this media type.
    Image(&'static str),
    /// A document in the portable document format.
    Pdf,
    /// Anything else.
    Binary,
}

/// Returns the type of a file that begins like this. A text may begin with the magic bytes of another format;
/// binary formats are never valid text.
pub fn kind(head: &[u8]) -> FileType {
    let head = &head[..head.len().min(HEAD)];
    let nul = head.contains(&0);
    // A character split by the end of the head is not an error.
    let broken = std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some());
    if head.starts_with(b"%PDF-") {
        return FileType::Pdf;
    }
    match image(head) {
        Some(mime) if nul || broken => FileType::Image(mime),
        _ if nul => FileType::Binary,
        _ => FileType::Text,
    }
}

fn image(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'B', b'M', ..] => Some("image/bmp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sniff_detects_kind_by_content() {
        assert_eq!(kind(b"\x89PNG\r\n\x1a\n\0\0"), FileType::Image("image/png"));
        assert_eq!(kind(b"\xff\xd8\xff\xe0"), FileType::Image("image/jpeg"));
        assert_eq!(kind(b"BM\0\0"), FileType::Image("image/bmp"));
        assert_eq!(kind(b"BMW is a car"), FileType::Text);
        assert_eq!(kind(b"GIF89a is how these files begin"), FileType::Text);
        assert_eq!(kind(b"%PDF-1.7\n"), FileType::Pdf);
        assert_eq!(kind(b"\x7fELF\0"), FileType::Binary);
        assert_eq!((kind(b""), kind(b"caf\xe9")), (FileType::Text, FileType::Text));
        let mut long = b"RIFF....WEBP".to_vec();
        long.extend("é".repeat(HEAD).bytes());
        assert_eq!(kind(&long), FileType::Text, "a character cut at the end is no broken one");
    }
}
