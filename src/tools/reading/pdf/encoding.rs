//! Character encodings of fonts: codes and glyph names to text, when a document has no Unicode map.
//!
//! Pure. The tables are those of the PDF specification (ISO 32000, annex D); the names are Adobe's list.

use std::collections::HashMap;
use std::sync::LazyLock;

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1252};

/// Adobe's glyph list.
const GLYPHS: &str = include_str!("../../../../assets/glyphs.txt");

/// Codes 0xA1 to 0xFB of the standard encoding.
const STANDARD_HIGH: &str = "¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿\0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0Æ\0ª\0\0\0\0ŁØŒº\0\0\0\0\0æ\0\0\0ı\0\0łøœß";
/// Codes 0x20 to 0x7E of the font Symbol.
const SYMBOL_LOW: &str =
    " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// Codes 0xA0 to 0xFE of the Symbol encoding. Parts of large braces map to Unicode's pieces.
const SYMBOL_HIGH: &str =
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";

/// Base encoding of a font with one-byte codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseEncoding {
    /// Adobe's standard encoding: the default of Type 1 fonts.
    Standard,
    /// `WinAnsiEncoding`: Windows code page 1252.
    WinAnsi,
    /// `MacRomanEncoding`.
    MacRoman,
    /// The built-in encoding of the font Symbol.
    Symbol,
    /// The built-in encoding of the font `ZapfDingbats`.
    Dingbats,
}

impl BaseEncoding {
    /// Returns the encoding with a name.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        match name {
            b"StandardEncoding" => Some(Self::Standard),
            b"WinAnsiEncoding" | b"PDFDocEncoding" => Some(Self::WinAnsi),
            b"MacRomanEncoding" => Some(Self::MacRoman),
            _ => None,
        }
    }

    /// The character of a code.
    pub fn char(self, code: u8) -> Option<char> {
        let found = match (self, code) {
            (Self::Symbol, _) => symbol(code),
            (Self::Dingbats, _) => dingbat(code),
            (Self::Standard, b'\'') => Some('\u{2019}'),
            (Self::Standard, b'`') => Some('\u{2018}'),
            (_, 0x20..=0x7e) => Some(char::from(code)),
            (Self::Standard, 0xa1..) => STANDARD_HIGH.chars().nth(usize::from(code) - 0xa1),
            (Self::Standard, _) => None,
            (Self::WinAnsi, _) => decode(WINDOWS_1252, &[code]).and_then(|text| text.chars().next()),
            (Self::MacRoman, _) => decode(MACINTOSH, &[code]).and_then(|text| text.chars().next()),
        };
        found.filter(|c| !c.is_control())
    }
}

fn symbol(code: u8) -> Option<char> {
    match code {
        0x20..=0x7e => SYMBOL_LOW.chars().nth(usize::from(code) - 0x20),
        0xa0..=0xfe => SYMBOL_HIGH.chars().nth(usize::from(code) - 0xa0),
        _ => None,
    }
}

/// Unicode has the dingbats in the same order, except those that it already had.
fn dingbat(code: u8) -> Option<char> {
    let code = u32::from(code);
    let at = match code {
        0x20 => 0x20,
        0x25 => 0x260e,
        0x2a => 0x261b,
        0x2b => 0x261e,
        0x48 => 0x2605,
        0x6c => 0x25cf,
        0x6e => 0x25a0,
        0x73 => 0x25b2,
        0x74 => 0x25bc,
        0x75 => 0x25c6,
        0x77 => 0x25d7,
        0xa8 => 0x2663,
        0xa9 => 0x2666,
        0xaa => 0x2665,
        0xab => 0x2660,
        0xac..=0xb5 => 0x2460 + code - 0xac,
        0xd5 => 0x2192,
        0xd6 => 0x2194,
        0xd7 => 0x2195,
        0x21..=0x7e => 0x2701 + code - 0x21,
        0xa1..=0xfe => 0x2761 + code - 0xa1,
        _ => return None,
    };
    char::from_u32(at)
}

/// Returns the text of a glyph name, by Adobe's rules: a suffix after a dot is a variant, parts of ligatures
/// are joined by `_`, `uni` and `u` are followed by code points.
pub fn glyph(name: &str) -> Option<String> {
    let base = name.split('.').next().unwrap_or_default();
    let text: String = base.split('_').filter_map(component).collect();
    (!text.is_empty()).then_some(text)
}

fn component(name: &str) -> Option<String> {
    static LIST: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
        GLYPHS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' ')).collect()
    });
    if name.len() == 1 {
        return Some(name.to_string());
    }
    let hex = |digits: &str| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
    if let Some(codes) = LIST.get(name) {
        return codes.split(' ').map(hex).collect();
    }
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(rest) = name.strip_prefix("uni").filter(|rest| digits(rest) && rest.len().is_multiple_of(4)) {
        let units: Option<Vec<u16>> =
            (0..rest.len()).step_by(4).map(|at| u16::from_str_radix(&rest[at..at + 4], 16).ok()).collect();
        return String::from_utf16(&units?).ok();
    }
    let rest = name.strip_prefix('u').filter(|rest| digits(rest) && (4..=6).contains(&rest.len()))?;
    hex(rest).map(String::from)
}

/// Decodes the bytes of one character; `None` if they are invalid.
pub fn decode(encoding: &'static Encoding, bytes: &[u8]) -> Option<String> {
    encoding.decode_without_bom_handling_and_without_replacement(bytes).map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdf_encoding_tables_are_complete() {
        let text = |base: BaseEncoding, codes: &[u8]| -> String {
            codes.iter().map(|code| base.char(*code).unwrap_or('?')).collect()
        };
        assert_eq!(text(BaseEncoding::Standard, b"a'`\xa1\xae\xb7\xd0\xe1\xfb\xff\x80"), "a’‘¡ﬁ•—Æß??");
        assert_eq!(STANDARD_HIGH.chars().count(), 0xfb - 0xa1 + 1);
        assert_eq!(text(BaseEncoding::WinAnsi, b"\x80\x93\xe9\xb4"), "€“é´");
        assert_eq!(text(BaseEncoding::MacRoman, b"\x8e\xd2\xde\xca"), "é“ﬁ\u{a0}");
        assert_eq!((SYMBOL_LOW.chars().count(), SYMBOL_HIGH.chars().count()), (95, 95));
        assert_eq!(text(BaseEncoding::Symbol, b"abG\xb7\xae\xd5\xfe"), "αβΓ•→∏⎭");
        assert_eq!(text(BaseEncoding::Dingbats, b"34\xac\xb6\xfe"), "✓✔①❶➾");
    }

    #[test]
    fn pdf_glyph_names_map_to_text() {
        for (name, text) in [
            ("a", "a"),
            ("eacute", "é"),
            ("eacute.sc", "é"),
            ("f_f_i", "ffi"),
            ("fi", "ﬁ"),
            ("afii10017", "А"),
            ("uni00E900E8", "éè"),
            ("u1F600", "😀"),
            ("uniD83DDE00", "😀"),
            ("Lcommaaccent_uni20AC0308_u1040C.alternate", "Ļ\u{20ac}\u{308}\u{1040c}"),
        ] {
            assert_eq!(glyph(name).as_deref(), Some(text), "{name}");
        }
        for name in ["", ".notdef", "g12", "uni00", "uniD83D", "u110000", "uni+123"] {
            assert_eq!(glyph(name), None, "{name}");
        }
    }
}
