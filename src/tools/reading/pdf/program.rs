//! Built-in encoding of a Type 1 font program. TeX's fonts have one, and documents with them often have no
//! other.
//!
//! Pure. Only the plain-text part is read.

/// Bytes at the beginning that contain the encoding.
const HEAD: usize = 64 * 1024;

/// The encoding in a font program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuiltIn {
    /// Adobe's standard encoding.
    Standard,
    /// Names of glyphs by codes.
    Names(Vec<(u8, String)>),
}

/// Returns the encoding of a Type 1 font; `None` if there is none or it cannot be parsed.
pub fn encoding(program: &[u8]) -> Option<BuiltIn> {
    let head = String::from_utf8_lossy(&program[..program.len().min(HEAD)]);
    let rest = &head[head.find("/Encoding")? + "/Encoding".len()..];
    let mut words = rest.split_ascii_whitespace();
    if words.clone().next() == Some("StandardEncoding") {
        return Some(BuiltIn::Standard);
    }
    let mut names = Vec::new();
    // `dup 65 /A put`, up to a `def` that does not belong to the preceding loop.
    while let Some(word) = words.next() {
        match word {
            "dup" => {
                let (code, name) = (words.next()?, words.next()?);
                if let (Ok(code), Some(name)) = (code.parse(), name.strip_prefix('/')) {
                    names.push((code, name.to_string()));
                }
            }
            "def" | "readonly" | "eexec" => break,
            _ => {}
        }
    }
    (!names.is_empty()).then_some(BuiltIn::Names(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdf_type1_encoding_is_read_from_plain_part() {
        let program = b"%!PS-AdobeFont-1.0: CMR10\n/FontName /CMR10 def\n/Encoding 256 array\n0 1 255 {1 index exch /.notdef put} for\n\
            dup 11 /ff put\ndup 65 /A put\nreadonly def\ncurrentdict end\ncurrentfile eexec\n\xff\xfedup 66 /B put";
        let names = vec![(11, "ff".to_string()), (65, "A".to_string())];
        assert_eq!(encoding(program), Some(BuiltIn::Names(names)));
        assert_eq!(encoding(b"/Encoding StandardEncoding def"), Some(BuiltIn::Standard));
        for odd in [
            &b""[..],
            b"/Encoding",
            b"/Encoding 256 array dup",
            b"/Encoding dup 300 /a put dup x put def",
            b"\xff\xff",
        ] {
            assert_eq!(encoding(odd), None);
        }
    }
}
