//! Tests of formats: whatever the bytes, they come out as they went in.

use proptest::prelude::*;

use super::*;

fn again(bytes: &[u8]) -> Vec<u8> {
    let (text, format) = decode(bytes);
    encode([text.as_str()].into_iter(), format).unwrap()
}

/// Bytes of one of the encodings, or of none.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let encodings: Vec<Encoding> = Encoding::all().collect();
    let encoded = (prop::sample::select(encodings), any::<bool>(), "[a-zA-Z \\r\\n\\téäßĄЖя漢字あ가]{0,60}");
    let encoded = encoded.prop_map(|(encoding, bom, text)| {
        let format = Format { encoding, bom, ..Format::default() };
        encode([text.as_str()].into_iter(), format).unwrap_or_else(|_| text.into_bytes())
    });
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..200),
        prop::collection::vec(prop_oneof![Just(0u8), Just(b'a'), Just(b'\n'), any::<u8>()], 0..60),
        encoded,
    ]
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(600))]

    #[test]
    fn format_any_bytes_roundtrip(bytes in bytes(), salt in 0..7usize) {
        let mut bytes = bytes;
        let salts: [&[u8]; 7] =
            [b"", b"\xef\xbb\xbf", "\u{10FF80}a".as_bytes(), b"\xf4\x8f\xbe", b"\xff\xfe", b"\xfe\xff", b"\x1b$B"];
        bytes.splice(0..0, salts[salt].iter().copied());
        prop_assert_eq!(again(&bytes), bytes.clone());
        bytes.extend_from_slice(salts[salt]);
        prop_assert_eq!(again(&bytes), bytes.clone());
        for encoding in Encoding::all() {
            if let Some((text, format)) = decode_as(&bytes, encoding) {
                let again = encode([text.as_str()].into_iter(), format).unwrap();
                prop_assert_eq!(&again, &bytes, "as {:?}", encoding);
            }
        }
    }

    #[test]
    fn format_utf8_is_never_misdetected(text in "[^\\x00]{0,80}") {
        let (decoded, format) = decode(text.as_bytes());
        prop_assert_eq!(format.encoding, Encoding::UTF8);
        let plain = text.strip_prefix('\u{feff}').unwrap_or(&text);
        prop_assert!(format.lossless || decoded == plain);
    }

    #[test]
    fn format_utf16_with_bom_roundtrips(text in "[a-z][^\\x00-\\x08\\x0b\\x0e-\\x1f\u{10FF80}-\u{10FFFF}]{0,80}", big in any::<bool>()) {
        let encoding = if big { Encoding::UTF16BE } else { Encoding::UTF16LE };
        let format = Format { encoding, bom: true, ..Format::default() };
        let (read, as_read) = decode(&encode([text.as_str()].into_iter(), format).unwrap());
        prop_assert_eq!(read, text);
        prop_assert_eq!((as_read.encoding, as_read.bom), (encoding, true));
    }
}

#[test]
fn format_plain_utf8_and_binary_are_detected() {
    let (text, format) = decode("é\r\n\u{fffd}\r\nx\n".as_bytes());
    assert_eq!(text, "é\r\n\u{fffd}\r\nx\n");
    assert_eq!(format, Format { ending: LineEnding::CrLf, ..Format::default() });
    assert!(decode(b"a\0b").1.binary);
}

#[test]
fn format_damaged_utf8_and_legacy_text() {
    let (_, format) = decode(
        "schön, na\u{ef}ve, \u{df}"
            .as_bytes()
            .iter()
            .chain(b"\xff\n")
            .copied()
            .collect::<Vec<_>>()
            .as_slice(),
    );
    assert!(format.lossless && format.encoding == Encoding::UTF8);
    let (text, format) = decode(b"caf\xe9, na\xefve, stra\xdfe\r\n");
    assert_eq!((text.as_str(), format.encoding.name()), ("café, naïve, straße\r\n", "windows-1252"));
    assert_eq!(format.ending, LineEnding::CrLf);
    let (_, format) = decode(b"\x7fELF\xff\x81\x02");
    assert!(format.lossless, "control characters are no text");
}

#[test]
fn format_utf16_without_bom_is_not_binary() {
    let wide =
        |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> { text.encode_utf16().flat_map(order).collect() };
    for (order, encoding) in
        [(u16::to_le_bytes as fn(u16) -> [u8; 2], Encoding::UTF16LE), (u16::to_be_bytes, Encoding::UTF16BE)]
    {
        let (text, format) = decode(&wide("hello, wörld 漢\r\n", order));
        assert_eq!((text.as_str(), format.encoding), ("hello, wörld 漢\r\n", encoding));
        assert_eq!(format, Format { encoding, ending: LineEnding::CrLf, ..Format::default() });
    }
    for binary in [
        b"a\0b".as_slice(),
        b"\x7fELF\x02\x01\x01\0\0\0\0\0",
        b"\x01\0\x02\0\x03\0\x04\0",
        b"\xff\xfe\0\0a\0\0\0",
    ] {
        let (_, format) = decode(binary);
        assert!(format.binary && format.encoding == Encoding::UTF8, "{binary:?}");
    }
}

#[test]
fn format_unencodable_character_is_reported_by_line() {
    for (encoding, text, named) in [
        ("windows-1252", "a\né漢", "'漢' in line 2 is not in windows-1252"),
        ("koi8-r", "Ж\n\né", "'é' in line 3 is not in KOI8-R"),
        ("utf-16le", "a\u{10FF80}", "in line 1 is not in UTF-16LE"),
        ("gb18030", "a\n漢\u{10FF80}", "'\\u{10ff80}' in line 2 is not in gb18030"),
        ("gb18030", "\u{10FFFF}", "in line 1 is not in gb18030"),
        ("windows-1252", "漢\u{10FF80}", "'漢' in line 1"),
        ("iso-2022-jp", "\x1b$B", "'\\u{1b}' in line 1 is not in ISO-2022-JP"),
    ] {
        let format = Format { encoding: Encoding::from_label(encoding).unwrap(), ..Format::default() };
        let pieces = text.split_inclusive('\n');
        let error = encode(pieces, format).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
    assert_eq!(Encoding::from_label("LATIN1").map(Encoding::name), Some("windows-1252"));
    assert_eq!(Encoding::from_label("klingon"), None);
    assert_eq!(Encoding::all().count(), 37);
}

#[test]
fn format_ambiguous_character_is_not_saved() {
    for (encoding, text, named) in [
        ("shift_jis", "a\n¥5", "'¥' in line 2 is not in Shift_JIS"),
        ("shift_jis", "漢\u{203e}", "'‾' in line 1 is not in Shift_JIS"),
        ("shift_jis", "a\u{2212}", "'−' in line 1 is not in Shift_JIS"),
        ("euc-jp", "¥", "'¥' in line 1 is not in EUC-JP"),
        ("iso-2022-jp", "漢\n\u{ff71}", "'ｱ' in line 2 is not in ISO-2022-JP"),
    ] {
        let format = Format { encoding: Encoding::from_label(encoding).unwrap(), ..Format::default() };
        let error = encode(text.split_inclusive('\n'), format).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(300))]

    #[test]
    fn format_encoded_text_decodes_to_itself(text in any::<String>(), one in any::<char>(), encoding in prop::sample::select(Encoding::all().collect::<Vec<_>>())) {
        for text in [text, one.to_string()] {
            let mut bytes = Vec::new();
            if encoding != Encoding::UTF8 && encoding.encode([text.as_str()].into_iter(), &mut bytes).is_ok() {
                prop_assert!(!text.chars().any(is_carried));
                prop_assert_eq!(encoding.decode(&bytes), Some(text));
            }
        }
    }
}
