//! Scans the head of a line, in the form that this program and pi write, without decoding the line. Pure.
//!
//! Must not know what entries mean. One pass checks that the line is valid JSON and finds the fields that a
//! tree needs. Lines in any other form are left to the decoder, which is slower and authoritative; a
//! successful scan always agrees with it.

use memchr::memchr2;

use super::role::Role;

/// Fields of the head; a line with a duplicate of them is left to the decoder.
const HEAD_FIELDS: [&[u8]; 4] = [b"type", b"id", b"parentId", b"timestamp"];
/// Maximum nesting depth; deeper lines are left to the decoder.
const DEPTH_MAX: u32 = 60;
/// A byte pattern with one in each of eight bytes.
const ONES: u64 = u64::MAX / 255;
/// Number of 8-byte words that are checked before a vectorized search is started.
const SCAN_WORDS: usize = 5;

/// The fields that were found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct Head<'a> {
    pub(in crate::session) kind: &'a str,
    pub(in crate::session) id: &'a str,
    pub(in crate::session) parent_id: Option<&'a str>,
    pub(in crate::session) timestamp: &'a str,
    /// The role of a message.
    pub(in crate::session) role: Role,
    /// The text from a message's usage on.
    pub(in crate::session) usage: Option<&'a str>,
}

/// Scans the head of a line; `None` when it is left to the decoder.
pub(in crate::session) fn parse_head(line: &str) -> Option<Head<'_>> {
    let (kind, rest) = plain(line.strip_prefix(r#"{"type":""#)?)?;
    let (id, rest) = plain(rest.strip_prefix(r#","id":""#)?)?;
    let rest = rest.strip_prefix(r#","parentId":"#)?;
    let (parent_id, rest) = match rest.strip_prefix("null") {
        Some(rest) => (None, rest),
        None => plain(rest.strip_prefix('"')?).map(|(parent, rest)| (Some(parent), rest))?,
    };
    let (timestamp, rest) = plain(rest.strip_prefix(r#","timestamp":""#)?)?;
    if has_control(line.as_bytes()) {
        return None;
    }
    let mut scan = Scan::of(rest.as_bytes());
    scan.rest_of_object()?;
    let usage = scan.usage.and_then(|from| rest.get(from..));
    let role = match (kind, scan.role) {
        ("message", Some((from, to))) => Role::named(rest.get(from..to)?),
        ("message", None) => Role::Other,
        _ => Role::None,
    };
    Some(Head { kind, id, parent_id, timestamp, role, usage })
}

/// Returns the position of the first quotation mark or backslash. Most strings of a line are a few bytes
/// long, so checking eight bytes at a time is as fast as starting a search.
fn quote_or_escape(bytes: &[u8]) -> Option<usize> {
    let (eights, _) = bytes.as_chunks::<8>();
    for (n, eight) in eights.iter().take(SCAN_WORDS).enumerate() {
        let all = u64::from_le_bytes(*eight);
        let found = zeros(all ^ (ONES * u64::from(b'"'))) | zeros(all ^ (ONES * u64::from(b'\\')));
        if found != 0 {
            return Some(n * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let near = eights.len().min(SCAN_WORDS) * 8;
    memchr2(b'"', b'\\', &bytes[near..]).map(|at| near + at)
}

/// Returns a mask with the highest bit of the first zero byte, and maybe of later bytes.
fn zeros(eight: u64) -> u64 {
    eight.wrapping_sub(ONES) & !eight & (ONES * 0x80)
}

/// Returns a string up to its closing quotation mark, if it has no escapes, and the rest.
fn plain(text: &str) -> Option<(&str, &str)> {
    let end = quote_or_escape(text.as_bytes())?;
    let rest = text[end..].strip_prefix('"')?;
    Some((&text[..end], rest))
}

/// Whether the bytes include one below a space; compares eight at a time.
fn has_control(bytes: &[u8]) -> bool {
    let (eights, last) = bytes.as_chunks::<8>();
    let below = |eight: &[u8; 8]| {
        let all = u64::from_ne_bytes(*eight);
        all.wrapping_sub(ONES * 0x20) & !all & (ONES * 0x80) != 0
    };
    eights.iter().any(below) || last.iter().any(|byte| *byte < 0x20)
}

/// A scanner over JSON.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Current nesting depth.
    depth: u32,
    /// A bit for each level: set for an object.
    objects: u64,
    /// Whether the current or last object is the message.
    message: bool,
    /// Number of `message` fields.
    messages: u32,
    /// Position of the role.
    role: Option<(usize, usize)>,
    /// Start of the usage.
    usage: Option<usize>,
}

impl<'a> Scan<'a> {
    /// Starts inside an object, after a value.
    fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 1, objects: 1, message: false, messages: 0, role: None, usage: None }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Returns the next byte that is not white space.
    fn token(&mut self) -> Option<u8> {
        loop {
            match self.next()? {
                b' ' => {}
                byte => return Some(byte),
            }
        }
    }

    /// Scans to the end of the object, which must be the end of the line.
    fn rest_of_object(&mut self) -> Option<()> {
        while self.depth > 0 {
            match self.token()? {
                b',' => {
                    if self.in_object() {
                        let quote = self.token()?;
                        self.key(quote)?;
                    }
                    self.value()?;
                }
                close => self.leave(close)?,
            }
        }
        (self.at == self.bytes.len()).then_some(())
    }

    fn in_object(&self) -> bool {
        self.objects & 1 == 1
    }

    fn enter(&mut self, object: bool) -> Option<()> {
        // A message that is an array is left to the decoder.
        if !object && self.message && self.depth == 1 {
            return None;
        }
        self.depth += 1;
        self.objects = self.objects << 1 | u64::from(object);
        (self.depth < DEPTH_MAX).then_some(())
    }

    fn leave(&mut self, close: u8) -> Option<()> {
        if close != if self.in_object() { b'}' } else { b']' } {
            return None;
        }
        (self.depth, self.objects) = (self.depth - 1, self.objects >> 1);
        Some(())
    }

    /// Scans the beginning of a value: to its end, or into an object or array.
    fn value(&mut self) -> Option<()> {
        loop {
            match self.token()? {
                b'"' => return self.string().map(drop),
                open @ (b'{' | b'[') => {
                    self.enter(open == b'{')?;
                    let next = self.token()?;
                    if matches!(next, b'}' | b']') {
                        return self.leave(next);
                    }
                    if open == b'{' {
                        self.key(next)?;
                    } else {
                        self.at -= 1;
                    }
                }
                b't' => return self.literal(b"rue"),
                b'f' => return self.literal(b"alse"),
                b'n' => return self.literal(b"ull"),
                first => return self.number(first),
            }
        }
    }

    fn literal(&mut self, rest: &[u8]) -> Option<()> {
        let fits = self.bytes[self.at..].starts_with(rest);
        self.at += rest.len();
        fits.then_some(())
    }

    fn number(&mut self, mut first: u8) -> Option<()> {
        if first == b'-' {
            first = self.next()?;
        }
        match first {
            b'0' => {}
            b'1'..=b'9' => drop(self.digits()),
            _ => return None,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }

    /// Skips digits; `None` if there are none.
    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    /// Skips a string after its opening quotation mark, and returns its range.
    fn string(&mut self) -> Option<(usize, usize)> {
        let from = self.at;
        loop {
            self.at += quote_or_escape(self.bytes.get(self.at..)?)? + 1;
            if self.bytes[self.at - 1] == b'"' {
                return Some((from, self.at - 1));
            }
            match self.next()? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                b'u' => {
                    let digits = self.bytes.get(self.at..self.at + 4)?;
                    if !digits.iter().all(u8::is_ascii_hexdigit) {
                        return None;
                    }
                    self.at += 4;
                }
                _ => return None,
            }
        }
    }

    /// Skips a key and its colon, and records the positions of the fields of interest.
    fn key(&mut self, quote: u8) -> Option<()> {
        if quote != b'"' {
            return None;
        }
        let (from, to) = self.string()?;
        let name = &self.bytes[from..to];
        if self.token()? != b':' {
            return None;
        }
        if self.depth > 2 {
            return Some(());
        }
        // A key with escapes is left to the decoder.
        if name.contains(&b'\\') {
            return None;
        }
        if self.depth == 1 {
            self.message = name == b"message";
            self.messages += u32::from(self.message);
            return (!HEAD_FIELDS.contains(&name) && self.messages < 2).then_some(());
        }
        match name {
            b"role" if self.message => {
                let first = self.role.is_none() && self.token()? == b'"';
                let (from, to) = self.string().filter(|_| first)?;
                self.role = Some((from, to));
                self.at = from - 1;
                (!self.bytes[from..to].contains(&b'\\')).then_some(())
            }
            b"usage" if self.message => self.usage.replace(self.at).is_none().then_some(()),
            _ => Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::format::entry::EntryHead;
    use proptest::prelude::*;
    use serde_json::Value;

    const LINE: &str = r#"{"type":"message","id":"a1","parentId":"b2","timestamp":"2025-11-20T10:00:00.000Z","message":{"content":[{"type":"text","text":"\"usage\":{ \u00e9 é"},{"usage":{"input":7}}],"usage":{"input":5,"output":-1.5e+3},"role":"assistant","x":[[],{},true,false,null,0]}}"#;

    #[test]
    fn line_head_of_usual_line_is_parsed() {
        let head = parse_head(LINE).unwrap();
        assert_eq!((head.kind, head.id, head.parent_id), ("message", "a1", Some("b2")));
        assert_eq!((head.timestamp, head.role), ("2025-11-20T10:00:00.000Z", Role::Assistant));
        assert!(head.usage.unwrap().starts_with(r#"{"input":5,"#));
        let other = r#"{"type":"label","id":"a","parentId":null,"timestamp":"","targetId":"x","usage":{}}"#;
        let head = parse_head(other).unwrap();
        assert_eq!((head.parent_id, head.role, head.usage), (None, Role::None, None));
        assert_eq!(
            parse_head(r#"{"type":"message","id":"a","parentId":null,"timestamp":""}"#).unwrap().role,
            Role::Other
        );
        // The decoder takes a list for a message, too, by the order of its fields.
        let list = r#"{"type":"message","id":"a","parentId":null,"timestamp":"","message":["user"]}"#;
        assert_eq!(parse_head(list), None);
    }

    #[test]
    fn line_head_quote_or_escape_is_found_anywhere() {
        for length in 0..120 {
            // Bytes beside those that are looked for, and above the first half of all.
            for filler in [b'!', b'#', b'[', b']', 0xa2, 0xdc, 0x21, 0x23] {
                let mut bytes = vec![filler; length];
                assert_eq!(quote_or_escape(&bytes), None);
                for at in 0..length {
                    for (first, behind) in [(b'"', b'\\'), (b'\\', b'"')] {
                        (bytes[at], bytes[length - 1]) =
                            (first, if at + 1 < length { behind } else { first });
                        assert_eq!(quote_or_escape(&bytes), Some(at), "{bytes:?}");
                        (bytes[at], bytes[length - 1]) = (filler, filler);
                    }
                }
            }
        }
    }

    #[test]
    fn line_head_malformed_line_is_rejected() {
        for end in 1..LINE.len() {
            if let Some(cut) = LINE.get(..end) {
                assert_eq!(parse_head(cut), None, "{cut}");
                assert_eq!(parse_head(&format!("{cut}{LINE}")), None, "{cut}");
            }
        }
        for (from, to) in [
            ("null", "nul"),
            ("1.5", "01.5"),
            ("1.5", "1."),
            ("e+3", "e"),
            (r"\u00e9", r"\u00g9"),
            (r#"\""#, r"\q"),
            ("[]", "[}"),
            ("{}", "{,}"),
            ("[],", "[]"),
            (r#""x":"#, r#""x" "#),
            (r#""x":"#, r#""id":1,"role":"#),
            (r#","message""#, r#","id":"again","message""#),
            (r#","message""#, r#","m\u0065ssage""#),
            (" é", "\té"),
            (" é", "\0é"),
        ] {
            let broken = LINE.replacen(from, to, 1);
            assert_ne!(broken, LINE, "{from}");
            assert_eq!(parse_head(&broken), None, "{broken}");
        }
    }

    /// Pieces of lines in any order, so that many are nearly right.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\\",
            "\"message\":",
            "\"role\":",
            "\"usage\":",
            "\"user\"",
            "\"id\":",
            "\"a\"",
            "{}",
            "[]",
            "1",
            "0",
            "-",
            ".5",
            "e9",
            "true",
            "null",
            " ",
            "\\u12ab",
            "é",
            "\t",
            "{\"role\":\"user\"}",
        ]);
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(20_000))]

        #[test]
        fn line_head_agrees_with_decoder(rest in pieces()) {
            for rest in [rest.clone(), format!(",\"message\":{{\"role\":\"user\",{rest}}}}}"), format!(",\"x\":{rest}}}")] {
                let line = format!(r#"{{"type":"message","id":"a","parentId":"b","timestamp":"t"{rest}"#);
                if let Some(head) = parse_head(&line) {
                    let found = EntryHead::decode(&line);
                    prop_assert!(found.is_ok(), "{}", line);
                    let found = found.unwrap();
                    prop_assert_eq!((head.id, head.role), (found.id.as_str(), found.role), "{}", line);
                    let value: Value = match serde_json::from_str(&line) {
                        Ok(value) => value,
                        // Nobody looks at what it is but a value, which holds no such number.
                        Err(error) => {
                            prop_assert!(error.to_string().contains("number out of range"), "{}: {}", line, error);
                            continue;
                        }
                    };
                    let usage = head.usage.map(|text| {
                        serde_json::Deserializer::from_str(text).into_iter::<Value>().next().unwrap().unwrap()
                    });
                    prop_assert_eq!(usage.as_ref(), value["message"].get("usage"), "{}", line);
                }
            }
        }
    }
}
