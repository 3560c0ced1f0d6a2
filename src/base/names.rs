//! Lossless conversion between paths and text: names that are not UTF-8 are written in shell notation
//! (`$'a\xff.txt'`), which shells accept, and parsed from it.
//!
//! Must not know who displays or enters a path.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const OPEN: &str = "$'";
const CLOSE: char = '\'';

/// Returns the path as text. UTF-8 names are unchanged, unless they look like the notation.
pub fn display(path: &Path) -> Cow<'_, str> {
    match path.to_str() {
        Some(text) if !text.contains(OPEN) => Cow::Borrowed(text),
        _ => {
            let names = path.as_os_str().as_bytes().split(|byte| *byte == b'/');
            Cow::Owned(names.map(quote).collect::<Vec<_>>().join("/"))
        }
    }
}

/// The same for one name.
pub fn display_name(name: &OsStr) -> Cow<'_, str> {
    display(Path::new(name))
}

/// The path that a text names.
pub fn parse(text: &str) -> Cow<'_, Path> {
    if !text.contains(OPEN) {
        return Cow::Borrowed(Path::new(text));
    }
    let names: Vec<Vec<u8>> =
        text.split('/').map(|name| unquote(name).unwrap_or_else(|| name.as_bytes().to_vec())).collect();
    Cow::Owned(PathBuf::from(std::ffi::OsString::from_vec(names.join(&b'/'))))
}

fn quote(name: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(name)
        && !(text.starts_with(OPEN) && text.ends_with(CLOSE))
    {
        return text.to_string();
    }
    let mut out = OPEN.to_string();
    let byte = |out: &mut String, byte: u8| {
        // Writing into a text cannot fail.
        let _ = write!(out, "\\x{byte:02x}");
    };
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\\' | CLOSE => out.extend(['\\', c]),
                c if c.is_ascii_control() => byte(&mut out, c as u8),
                c => out.push(c),
            }
        }
        chunk.invalid().iter().for_each(|b| byte(&mut out, *b));
    }
    out.push(CLOSE);
    out
}

/// Returns the bytes of a name in the notation; `None` for any other.
fn unquote(name: &str) -> Option<Vec<u8>> {
    let mut rest = name.strip_prefix(OPEN)?.strip_suffix(CLOSE)?.chars().peekable();
    let mut out = Vec::new();
    while let Some(c) = rest.next() {
        if c == CLOSE {
            return None;
        }
        if c != '\\' {
            out.extend(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match rest.next()? {
            'n' => out.push(b'\n'),
            't' => out.push(b'\t'),
            'r' => out.push(b'\r'),
            c @ ('\\' | CLOSE | '"') => out.push(c as u8),
            'x' => out.push(u8::try_from(parse_number(&mut rest, 16, 2, 0)?).ok()?),
            c => out.push(
                u8::try_from(parse_number(&mut rest, 8, 2, c.to_digit(8)?).unwrap_or(c.to_digit(8)?)).ok()?,
            ),
        }
    }
    (!out.is_empty() && !out.contains(&0) && !out.contains(&b'/')).then_some(out)
}

/// Parses up to this many further digits of a number; `None` if there are none.
fn parse_number(
    rest: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
    begun: u32,
) -> Option<u32> {
    let mut number = None;
    for _ in 0..most {
        let Some(digit) = rest.peek().and_then(|c| c.to_digit(radix)) else { break };
        rest.next();
        number = Some(number.unwrap_or(begun) * radix + digit);
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path(bytes: &[u8]) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(bytes))
    }

    #[test]
    fn names_non_utf8_are_shown_quoted() {
        for (bytes, text) in [
            (&b"src/a.rs"[..], "src/a.rs"),
            (b"a\xff.txt", r"$'a\xff.txt'"),
            (b"/w/\xc3\xa4\xff/it's", r"/w/$'ä\xff'/it's"),
            (b"\xff\n'\\", r"$'\xff\x0a\'\\'"),
            (b"$'x'", r"$'$\'x\''"),
            (b"a$'b", "a$'b"),
        ] {
            assert_eq!(display(&path(bytes)), text);
            assert_eq!(parse(text), path(bytes), "{text}");
        }
    }

    #[test]
    fn names_other_texts_are_literal() {
        assert_eq!(parse(r"$'a\377.txt'"), path(b"a\xff.txt"), "as git and ls write it");
        for text in [r"$'a\xff.txt", r"$'a'b'", r"$'\q'", r"$'a\x2fb'", r"$'\x00'", "$''", r"$'\777'"] {
            assert_eq!(parse(text), Path::new(text));
        }
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]

        #[test]
        fn names_any_path_roundtrips(bytes in prop::collection::vec(prop_oneof![1..=255u8, Just(b'$'), Just(b'\''), Just(b'\\')], 0..12)) {
            let path = path(&bytes);
            prop_assert_eq!(parse(&display(&path)).into_owned(), path);
        }
    }
}
