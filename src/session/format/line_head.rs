//! The head of a line, as this program and pi write it, without decoding what the line says. Pure.
//!
//! Must not know what entries mean. A line is looked through once: whether it is JSON from end to end, and
//! where in it is what a tree needs. What is written otherwise is left to the decoder, which is slower and
//! decides alone; whatever is found here it would find, too.

use memchr::memchr2;

use super::role::Role;

/// Fields that stand in the head; a second one of them is for the decoder.
const HEAD: [&[u8]; 4] = [b"type", b"id", b"parentId", b"timestamp"];
/// Objects and lists in each other that are followed here.
const DEPTH_MAX: u32 = 60;
/// Eight bytes of one.
const EACH: u64 = u64::MAX / 255;
/// Eights of bytes that are looked through before a search is begun.
const NEAR: usize = 5;

/// What is found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::session) struct Head<'a> {
    pub(in crate::session) kind: &'a str,
    pub(in crate::session) id: &'a str,
    pub(in crate::session) parent_id: Option<&'a str>,
    pub(in crate::session) timestamp: &'a str,
    /// Who speaks in a message.
    pub(in crate::session) role: Role,
    /// What follows from the costs of a message on.
    pub(in crate::session) usage: Option<&'a str>,
}

/// The head of a line; `None` where that is for the decoder.
pub(in crate::session) fn of(line: &str) -> Option<Head<'_>> {
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

/// Where the first quotation mark or backslash is. Nearly all texts of a line are a few bytes long, and to begin
/// a search costs as much as to go through them, eight at a time.
fn quote_or_escape(bytes: &[u8]) -> Option<usize> {
    let (eights, _) = bytes.as_chunks::<8>();
    for (n, eight) in eights.iter().take(NEAR).enumerate() {
        let all = u64::from_le_bytes(*eight);
        let found = zeros(all ^ (EACH * u64::from(b'"'))) | zeros(all ^ (EACH * u64::from(b'\\')));
        if found != 0 {
            return Some(n * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let near = eights.len().min(NEAR) * 8;
    memchr2(b'"', b'\\', &bytes[near..]).map(|at| near + at)
}

/// The highest bit of the first byte that is zero, and of some behind it.
fn zeros(eight: u64) -> u64 {
    eight.wrapping_sub(EACH) & !eight & (EACH * 0x80)
}

/// A text up to its quotation mark, if nothing in it is escaped; and what follows.
fn plain(text: &str) -> Option<(&str, &str)> {
    let end = quote_or_escape(text.as_bytes())?;
    let rest = text[end..].strip_prefix('"')?;
    Some((&text[..end], rest))
}

/// Whether a byte below a space is in there; eight are compared at a time.
fn has_control(bytes: &[u8]) -> bool {
    let (eights, last) = bytes.as_chunks::<8>();
    let below = |eight: &[u8; 8]| {
        let all = u64::from_ne_bytes(*eight);
        all.wrapping_sub(EACH * 0x20) & !all & (EACH * 0x80) != 0
    };
    eights.iter().any(below) || last.iter().any(|byte| *byte < 0x20)
}

/// A walk through JSON.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    /// How many objects and lists one is in.
    depth: u32,
    /// Which of them are objects: a bit for each.
    objects: u64,
    /// Whether the object that one is in, or was in last, is the message.
    message: bool,
    /// How often that field was there.
    messages: u32,
    /// Where the name of who speaks is.
    role: Option<(usize, usize)>,
    /// Where the costs begin.
    usage: Option<usize>,
}

impl<'a> Scan<'a> {
    /// A walk that begins in an object, behind a value.
    fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, depth: 1, objects: 1, message: false, messages: 0, role: None, usage: None }
    }

    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte that is no space.
    fn token(&mut self) -> Option<u8> {
        loop {
            match self.next()? {
                b' ' => {}
                byte => return Some(byte),
            }
        }
    }

    /// Goes to the end of everything, which must be the end of the line.
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
        // A message that is a list is for the decoder.
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

    /// Goes behind the beginning of a value: to its end, or into it where more follows there.
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

    /// Goes behind digits; `None` where there are none.
    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    /// Goes behind a text whose quotation mark was passed, and says where it is.
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

    /// Goes behind a name and its colon, and keeps where what is looked for begins.
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
        // Another spelling of a name is for the decoder.
        if name.contains(&b'\\') {
            return None;
        }
        if self.depth == 1 {
            self.message = name == b"message";
            self.messages += u32::from(self.message);
            return (!HEAD.contains(&name) && self.messages < 2).then_some(());
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
    use crate::session::format::entry::Place;
    use proptest::prelude::*;
    use serde_json::Value;

    const LINE: &str = r#"{"type":"message","id":"a1","parentId":"b2","timestamp":"2025-11-20T10:00:00.000Z","message":{"content":[{"type":"text","text":"\"usage\":{ \u00e9 é"},{"usage":{"input":7}}],"usage":{"input":5,"output":-1.5e+3},"role":"assistant","x":[[],{},true,false,null,0]}}"#;

    #[test]
    fn line_head_of_usual_line_is_parsed() {
        let head = of(LINE).unwrap();
        assert_eq!((head.kind, head.id, head.parent_id), ("message", "a1", Some("b2")));
        assert_eq!((head.timestamp, head.role), ("2025-11-20T10:00:00.000Z", Role::Assistant));
        assert!(head.usage.unwrap().starts_with(r#"{"input":5,"#));
        let other = r#"{"type":"label","id":"a","parentId":null,"timestamp":"","targetId":"x","usage":{}}"#;
        let head = of(other).unwrap();
        assert_eq!((head.parent_id, head.role, head.usage), (None, Role::None, None));
        assert_eq!(
            of(r#"{"type":"message","id":"a","parentId":null,"timestamp":""}"#).unwrap().role,
            Role::Other
        );
        // The decoder takes a list for a message, too, by the order of its fields.
        let list = r#"{"type":"message","id":"a","parentId":null,"timestamp":"","message":["user"]}"#;
        assert_eq!(of(list), None);
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
                assert_eq!(of(cut), None, "{cut}");
                assert_eq!(of(&format!("{cut}{LINE}")), None, "{cut}");
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
            assert_eq!(of(&broken), None, "{broken}");
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
                if let Some(head) = of(&line) {
                    let found = Place::decode(&line);
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
