//! A font as far as text needs it: the text of its codes, and their widths.
//!
//! Must not know pages. Outlines are never read.

use std::borrow::Cow;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily, WritingMode, load_embedded};
use hayro_syntax::object::{Array, Dict, Name, Number, Object, Stream};

use super::encoding::{self, BaseEncoding};
use super::program::{self, BuiltIn};

/// Maximum ranges of widths stored per font.
const WIDTHS_MAX: usize = 1 << 17;
/// Widths of Helvetica from space to tilde, in thousandths: the default for fonts without widths.
const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278,
    500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469,
    556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500,
    278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];
/// The same for Times Roman.
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500,
    500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333,
    389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469,
    500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389,
    278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];

/// A font.
#[derive(Debug)]
pub struct Font {
    codes: Codes,
    widths: Widths,
    to_unicode: Option<CMap>,
    /// Texts of the characters of a collection, by their numbers.
    collection: Option<CMap>,
    /// Whether the writing is vertical.
    pub vertical: bool,
}

/// How bytes become codes.
#[derive(Debug)]
enum Codes {
    /// One byte each, with its text.
    Bytes(Vec<Option<String>>),
    /// By a map: one of the document, or a predefined one.
    Map(Box<CMap>),
    /// Two bytes each, which are the character's number.
    Pairs,
}

/// Widths in units of the font's size.
#[derive(Debug, Default)]
struct Widths {
    /// First and last code, and the width; sorted by the first.
    ranges: Vec<(u32, u32, f64)>,
    /// The default width.
    default: f64,
}

/// One displayed character.
#[derive(Debug)]
pub struct ShownChar<'a> {
    /// Its text; `None` if unknown.
    pub text: Option<Cow<'a, str>>,
    /// Its width, in units of the font size.
    pub width: f64,
    /// Whether it is the single byte 32, to which word spacing is added.
    pub blank: bool,
}

impl Font {
    /// Reads a font.
    pub fn read(dict: &Dict<'_>) -> Self {
        let composite = dict.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_ref() == b"Type0");
        let to_unicode = to_unicode(dict);
        if composite {
            return Self::composite(dict, to_unicode);
        }
        let texts = (0..=255).map(|code| text_of(to_unicode.as_ref(), code)).collect();
        let texts = code_meanings(dict, texts);
        let widths = simple_widths(dict, &texts);
        Self { codes: Codes::Bytes(texts), widths, to_unicode, collection: None, vertical: false }
    }

    fn composite(dict: &Dict<'_>, to_unicode: Option<CMap>) -> Self {
        let map = match dict.get::<Object<'_>>("Encoding") {
            Some(Object::Name(name)) => predefined(CMapName::from_bytes(name.as_ref())),
            Some(Object::Stream(stream)) => parse_cmap(&stream),
            _ => None,
        };
        let vertical =
            map.as_ref().is_some_and(|map| map.metadata().writing_mode == Some(WritingMode::Vertical));
        let inner =
            dict.get::<Array<'_>>("DescendantFonts").and_then(|fonts| fonts.iter::<Dict<'_>>().next());
        let mut widths = inner.as_ref().map(composite_widths).unwrap_or_default();
        let family =
            map.as_ref().and_then(|map| Some(map.metadata().character_collection.as_ref()?.family.clone()));
        let family =
            family.filter(|family| family.ucs2_cmap().is_some()).or_else(|| collection(inner.as_ref()?));
        let collection = family.and_then(|family| predefined(family.ucs2_cmap()?));
        let codes = map.map_or(Codes::Pairs, |map| Codes::Map(Box::new(map)));
        if vertical {
            // Vertical writing is rare, and its glyphs are as high as the font size.
            widths = Widths { ranges: Vec::new(), default: 1.0 };
        }
        Self { codes, widths, to_unicode, collection, vertical }
    }

    /// Iterates over the characters that a text operator shows.
    pub fn each(&self, bytes: &[u8], each: &mut dyn FnMut(ShownChar<'_>)) {
        let mut rest = bytes;
        while let Some(first) = rest.first() {
            let (code, cid, length) = match &self.codes {
                Codes::Bytes(texts) => {
                    let code = u32::from(*first);
                    let text = texts.get(usize::from(*first)).and_then(Option::as_deref).map(Cow::Borrowed);
                    each(ShownChar { text, width: self.widths.of(code), blank: *first == b' ' });
                    rest = &rest[1..];
                    continue;
                }
                Codes::Map(map) => map_code(map, rest),
                Codes::Pairs => pair(rest),
            };
            let text =
                text_of(self.to_unicode.as_ref(), code).or_else(|| text_of(self.collection.as_ref(), cid));
            let blank = length == 1 && *first == b' ';
            each(ShownChar { text: text.map(Cow::Owned), width: self.widths.of(cid), blank });
            rest = &rest[length.min(rest.len())..];
        }
    }
}

impl Widths {
    fn of(&self, code: u32) -> f64 {
        let at = self.ranges.partition_point(|(first, ..)| *first <= code);
        let range = at.checked_sub(1).and_then(|at| self.ranges.get(at)).filter(|(_, last, _)| code <= *last);
        range.map_or(self.default, |(.., width)| *width)
    }
}

/// A code by a map in the document: the code, the character's number in the font, bytes.
fn map_code(map: &CMap, bytes: &[u8]) -> (u32, u32, usize) {
    let mut code = 0;
    for (at, byte) in bytes.iter().take(4).enumerate() {
        code = (code << 8) | u32::from(*byte);
        if let Some(cid) = map.lookup_cid_code(code, at as u8 + 1) {
            return (code, cid, at + 1);
        }
    }
    (0, 0, 1)
}

/// Two bytes, which are the number.
fn pair(bytes: &[u8]) -> (u32, u32, usize) {
    let code = bytes.iter().take(2).fold(0, |code, byte| (code << 8) | u32::from(*byte));
    (code, code, 2)
}

/// Returns the text of a code in the Unicode map. Some maps have NUL for unknown codes.
fn text_of(map: Option<&CMap>, code: u32) -> Option<String> {
    match map?.lookup_bf_string(code)? {
        BfString::Char('\0') => None,
        BfString::Char(c) => Some(c.to_string()),
        BfString::String(text) => Some(text),
    }
}

fn to_unicode(dict: &Dict<'_>) -> Option<CMap> {
    parse_cmap(&dict.get::<Stream<'_>>("ToUnicode")?)
}

fn parse_cmap(stream: &Stream<'_>) -> Option<CMap> {
    CMap::parse(&stream.decoded_data().ok()?, load_embedded)
}

/// One of the maps that every reader has.
fn predefined(name: CMapName<'_>) -> Option<CMap> {
    match name {
        CMapName::IdentityH => Some(CMap::identity_h()),
        CMapName::IdentityV => Some(CMap::identity_v()),
        name => CMap::parse(load_embedded(name)?, load_embedded),
    }
}

/// The collection that a font names.
fn collection(inner: &Dict<'_>) -> Option<CidFamily> {
    let about = inner.get::<Dict<'_>>("CIDSystemInfo")?;
    let text = |key: &str| about.get::<hayro_syntax::object::String<'_>>(key);
    Some(CidFamily::from_registry_ordering(text("Registry")?.as_bytes(), text("Ordering")?.as_bytes()))
}

/// Returns the texts of one-byte codes that the font's map lacks.
fn code_meanings(dict: &Dict<'_>, mut texts: Vec<Option<String>>) -> Vec<Option<String>> {
    let (mut base, mut differences) = (None, None);
    match dict.get::<Object<'_>>("Encoding") {
        Some(Object::Name(name)) => base = BaseEncoding::from_name(name.as_ref()),
        Some(Object::Dict(encoding)) => {
            base = encoding
                .get::<Name<'_>>("BaseEncoding")
                .and_then(|name| BaseEncoding::from_name(name.as_ref()));
            differences = encoding.get::<Array<'_>>("Differences");
        }
        _ => {}
    }
    let mut fill = |code: u8, text: Option<String>| {
        let slot = &mut texts[usize::from(code)];
        if slot.is_none() {
            *slot = text;
        }
    };
    let mut code = 0_u32;
    for object in differences.iter().flat_map(Array::iter::<Object<'_>>) {
        match object {
            Object::Number(number) => code = number.as_f64() as u32,
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    fill(
                        code,
                        encoding::glyph(name.as_str()).or_else(|| numbered_glyph(name.as_str(), code)),
                    );
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    let kind = dict.get::<Name<'_>>("Subtype");
    let kind = kind.as_ref().map_or(&b""[..], |kind| kind.as_ref());
    if base.is_none() && kind == b"Type1" {
        match built_in(dict) {
            Some(BuiltIn::Names(names)) => {
                for (code, name) in names {
                    fill(code, encoding::glyph(&name));
                }
            }
            Some(BuiltIn::Standard) => base = Some(BaseEncoding::Standard),
            None => {}
        }
    }
    let base = base.or_else(|| own_encoding(dict, kind));
    for code in 0..=255 {
        fill(code, base.and_then(|base| base.char(code)).map(String::from));
    }
    texts
}

/// Returns the default encoding of a font.
fn own_encoding(dict: &Dict<'_>, kind: &[u8]) -> Option<BaseEncoding> {
    let name = name(dict);
    match kind {
        b"Type3" => None,
        _ if name.contains("symbol") => Some(BaseEncoding::Symbol),
        _ if name.contains("dingbats") => Some(BaseEncoding::Dingbats),
        b"TrueType" => Some(BaseEncoding::WinAnsi),
        _ => Some(BaseEncoding::Standard),
    }
}

/// Parses names such as `a65`: some bitmap font generators name glyphs by their codes.
fn numbered_glyph(name: &str, code: u8) -> Option<String> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let plain = digits.len() + 2 >= name.len() && (0x20..0x7f).contains(&code);
    (plain && digits.parse() == Ok(code)).then(|| char::from(code).to_string())
}

fn built_in(dict: &Dict<'_>) -> Option<BuiltIn> {
    let file = dict.get::<Dict<'_>>("FontDescriptor")?.get::<Stream<'_>>("FontFile")?;
    program::encoding(&file.decoded_data().ok()?)
}

/// The font's name in small letters.
fn name(dict: &Dict<'_>) -> String {
    dict.get::<Name<'_>>("BaseFont").map(|name| name.as_str().to_ascii_lowercase()).unwrap_or_default()
}

fn simple_widths(dict: &Dict<'_>, texts: &[Option<String>]) -> Widths {
    let matrix = dict.get::<Array<'_>>("FontMatrix");
    let unit = matrix.and_then(|matrix| matrix.iter::<Number>().next());
    let unit = unit.map_or(0.001, |unit| unit.as_f64().abs());
    let missing = dict.get::<Dict<'_>>("FontDescriptor").and_then(|about| about.get::<f32>("MissingWidth"));
    let default = missing.map_or(0.0, f64::from) * unit;
    let first = dict.get::<u32>("FirstChar").unwrap_or(0).min(255);
    if let Some(widths) = dict.get::<Array<'_>>("Widths") {
        let widths = widths.iter::<Number>().take(256).zip(first..);
        let ranges = widths.map(|(width, code)| (code, code, width.as_f64() * unit)).collect();
        return Widths { ranges, default };
    }
    let name = name(dict);
    let table = if name.contains("times") { &TIMES } else { &HELVETICA };
    let width = |text: &Option<String>| {
        let byte = text.as_deref().and_then(|text| text.bytes().next()).unwrap_or(b'n');
        let at = usize::from(byte).checked_sub(0x20);
        f64::from(*at.and_then(|at| table.get(at)).unwrap_or(&556)) / 1000.0
    };
    if name.contains("courier") {
        return Widths { ranges: Vec::new(), default: 0.6 };
    }
    let ranges = texts.iter().zip(0..).map(|(text, code)| (code, code, width(text))).collect();
    Widths { ranges, default }
}

/// `[c [w w …] c c w …]`.
fn composite_widths(dict: &Dict<'_>) -> Widths {
    let mut ranges = Vec::new();
    let mut numbers: Vec<f64> = Vec::new();
    for object in dict.get::<Array<'_>>("W").iter().flat_map(Array::iter::<Object<'_>>) {
        if ranges.len() > WIDTHS_MAX {
            break;
        }
        match object {
            Object::Number(number) => numbers.push(number.as_f64()),
            Object::Array(list) => {
                let first = numbers.pop().unwrap_or_default() as u32;
                let list = list.iter::<Number>().take(WIDTHS_MAX).zip(first..=u32::MAX);
                ranges.extend(list.map(|(width, cid)| (cid, cid, width.as_f64() / 1000.0)));
                numbers.clear();
            }
            _ => {}
        }
        if let [first, last, width] = numbers[..] {
            ranges.push((first as u32, last as u32, width / 1000.0));
            numbers.clear();
        }
    }
    ranges.sort_by_key(|(first, ..)| *first);
    Widths { ranges, default: f64::from(dict.get::<f32>("DW").unwrap_or(1000.0)) / 1000.0 }
}
