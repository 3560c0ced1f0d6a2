//! Incremental JSON parser: the value so far, which grows in place.
//!
//! Must not know what the JSON is for. Each byte is read once and each delta walks down the open containers
//! once, so that parsing a megabyte in deltas of a few bytes is linear. Lenient: invalid but unambiguous JSON
//! is accepted, ambiguous input makes it `broken`.

use serde_json::{Map, Value};

/// Maximum nesting depth.
const DEPTH_MAX: usize = 128;
/// Maximum length of a number or literal, in bytes.
const TOKEN_MAX: usize = 64;

/// A growing value.
#[derive(Debug, Clone)]
pub struct PartialJson {
    root: Value,
    /// The open containers; each is the last value of the one before it.
    open: Vec<Container>,
    expects: Expects,
    /// The number, literal or key so far.
    token: String,
    escape: Escape,
    /// The high surrogate of a UTF-16 pair.
    high: Option<u16>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    Value,
    /// A value, or the end of an array.
    ValueOrEnd,
    /// A key, or the end of an object.
    Key,
    InKey,
    Colon,
    InString,
    InToken,
    CommaOrEnd,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum Escape {
    #[default]
    None,
    Backslash,
    Unicode(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Complete,
    Broken,
}

impl Default for PartialJson {
    fn default() -> Self {
        Self {
            root: Value::Null,
            open: Vec::new(),
            expects: Expects::Value,
            token: String::new(),
            escape: Escape::None,
            high: None,
            state: State::Open,
        }
    }
}

impl PartialJson {
    /// Adds a delta.
    pub fn push(&mut self, delta: &str) {
        let mut rest = delta;
        while !rest.is_empty() && self.state != State::Broken {
            rest = match (self.expects, &self.escape) {
                (Expects::InString | Expects::InKey, Escape::None) => self.plain(rest),
                (Expects::InString | Expects::InKey, _) => self.escaped(rest),
                _ => self.structure(rest),
            };
        }
        if self.expects == Expects::InToken && self.state == State::Open {
            self.show_token();
        }
    }

    /// Returns the value so far. A string may be partial; a key without a value is omitted.
    pub fn value(&self) -> &Value {
        &self.root
    }

    /// Whether the value is complete, with only white space after it.
    pub fn is_complete(&self) -> bool {
        let number = self.open.is_empty() && self.expects == Expects::InToken;
        self.state == State::Complete || (number && self.state == State::Open && self.token_value().is_some())
    }

    /// Returns the text without escapes up to the end of the string or delta.
    fn plain<'a>(&mut self, text: &'a str) -> &'a str {
        let end = memchr::memchr2(b'"', b'\\', text.as_bytes()).unwrap_or(text.len());
        self.append(&text[..end]);
        match text.as_bytes().get(end) {
            Some(b'"') => self.end_string(),
            Some(_) => self.escape = Escape::Backslash,
            None => return "",
        }
        &text[end + 1..]
    }

    fn escaped<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(c) = text.chars().next() else { return text };
        let rest = &text[c.len_utf8()..];
        match std::mem::take(&mut self.escape) {
            Escape::Backslash => match c {
                'n' => self.append("\n"),
                't' => self.append("\t"),
                'r' => self.append("\r"),
                'b' => self.append("\u{8}"),
                'f' => self.append("\u{c}"),
                'u' => self.escape = Escape::Unicode(String::new()),
                '"' | '\\' | '/' => self.append(c.encode_utf8(&mut [0; 4])),
                // Not an escape: models forget to double a backslash.
                other => {
                    self.append("\\");
                    self.append(other.encode_utf8(&mut [0; 4]));
                }
            },
            Escape::Unicode(mut digits) if c.is_ascii_hexdigit() => {
                digits.push(c);
                match u16::from_str_radix(&digits, 16) {
                    Ok(unit) if digits.len() == 4 => self.unit(unit),
                    _ => self.escape = Escape::Unicode(digits),
                }
            }
            Escape::Unicode(digits) => {
                self.append(&format!("\\u{digits}"));
                return text;
            }
            Escape::None => return text,
        }
        rest
    }

    fn unit(&mut self, unit: u16) {
        match (self.high.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => {
                let text = String::from_utf16_lossy(&[high, unit]);
                self.append(&text);
            }
            (before, 0xd800..=0xdbff) => {
                if before.is_some() {
                    self.append("\u{fffd}");
                }
                self.high = Some(unit);
            }
            (before, unit) => {
                // `append` handles the pending surrogate.
                self.high = before;
                self.append(&String::from_utf16_lossy(&[unit]));
            }
        }
    }

    fn append(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let lost = self.high.take().map_or("", |_| "\u{fffd}");
        if self.expects == Expects::InKey {
            self.token.push_str(lost);
            self.token.push_str(text);
        } else if let Value::String(string) = self.leaf() {
            string.push_str(lost);
            string.push_str(text);
        }
    }

    fn end_string(&mut self) {
        if self.high.is_some() {
            self.high = None;
            self.append("\u{fffd}");
        }
        if self.expects == Expects::InKey {
            self.expects = Expects::Colon;
        } else {
            self.end_value();
        }
    }

    fn structure<'a>(&mut self, text: &'a str) -> &'a str {
        let Some(c) = text.chars().next() else { return text };
        let rest = &text[c.len_utf8()..];
        let blank = matches!(c, ' ' | '\t' | '\n' | '\r');
        match self.expects {
            Expects::InToken if c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.') => {
                if self.token.len() < TOKEN_MAX { self.token.push(c) } else { self.state = State::Broken }
            }
            Expects::InToken => {
                self.end_token();
                return text;
            }
            _ if blank => {}
            _ if self.state == State::Complete => self.state = State::Broken,
            Expects::Value | Expects::ValueOrEnd => self.begin_value(c),
            Expects::Key => match c {
                '"' => {
                    self.token.clear();
                    self.expects = Expects::InKey;
                }
                '}' => self.close(Container::Object),
                _ => self.state = State::Broken,
            },
            Expects::Colon if c == ':' => self.expects = Expects::Value,
            Expects::CommaOrEnd => match (c, self.open.last()) {
                (',', Some(Container::Object)) => self.expects = Expects::Key,
                (',', Some(Container::Array)) => self.expects = Expects::ValueOrEnd,
                ('}', _) => self.close(Container::Object),
                (']', _) => self.close(Container::Array),
                _ => self.state = State::Broken,
            },
            _ => self.state = State::Broken,
        }
        rest
    }

    fn begin_value(&mut self, c: char) {
        match c {
            '{' | '[' if self.open.len() == DEPTH_MAX => self.state = State::Broken,
            '{' => {
                self.put_value(Value::Object(Map::new()));
                self.open.push(Container::Object);
                self.expects = Expects::Key;
            }
            '[' => {
                self.put_value(Value::Array(Vec::new()));
                self.open.push(Container::Array);
                self.expects = Expects::ValueOrEnd;
            }
            '"' => {
                self.put_value(Value::String(String::new()));
                self.expects = Expects::InString;
            }
            ']' if self.expects == Expects::ValueOrEnd => self.close(Container::Array),
            c if c.is_ascii_alphanumeric() || c == '-' => {
                self.put_value(Value::Null);
                self.token = c.to_string();
                self.expects = Expects::InToken;
            }
            _ => self.state = State::Broken,
        }
    }

    fn close(&mut self, container: Container) {
        if self.open.last() == Some(&container) {
            self.open.pop();
            self.end_value();
        } else {
            self.state = State::Broken;
        }
    }

    fn end_value(&mut self) {
        self.expects = Expects::CommaOrEnd;
        if self.open.is_empty() {
            self.state = State::Complete;
        }
    }

    fn end_token(&mut self) {
        if self.token_value().is_some() {
            self.show_token();
            self.end_value();
        } else {
            // The token was not a value after all.
            *self.leaf() = Value::Null;
            self.state = State::Broken;
        }
    }

    fn token_value(&self) -> Option<Value> {
        serde_json::from_str(&self.token).ok()
    }

    /// Displays a number that may be complete, although the next byte may extend it.
    fn show_token(&mut self) {
        let sure = self.token.trim_end_matches(['.', 'e', 'E', '+', '-']);
        let value = self.token_value().or_else(|| serde_json::from_str(sure).ok());
        *self.leaf() = value.unwrap_or_default();
    }

    /// Inserts a value at the current position. Of duplicate keys the last one wins.
    fn put_value(&mut self, value: Value) {
        let key = std::mem::take(&mut self.token);
        match self.container() {
            Some(Value::Object(map)) => {
                map.swap_remove(&key);
                map.insert(key, value);
            }
            Some(Value::Array(list)) => list.push(value),
            _ => self.root = value,
        }
    }

    /// Returns the innermost open container.
    fn container(&mut self) -> Option<&mut Value> {
        let depth = self.open.len().checked_sub(1)?;
        Some((0..depth).fold(&mut self.root, |value, _| last_value(value)))
    }

    /// Returns the value that is growing.
    fn leaf(&mut self) -> &mut Value {
        (0..self.open.len()).fold(&mut self.root, |value, _| last_value(value))
    }
}

/// Returns the last value in a container; the value itself if it is none or empty.
fn last_value(value: &mut Value) -> &mut Value {
    let holds = match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(list) => !list.is_empty(),
        _ => false,
    };
    if !holds {
        return value;
    }
    match value {
        Value::Object(map) => map.values_mut().next_back().expect("a map that holds something"),
        Value::Array(list) => list.last_mut().expect("a list that holds something"),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use proptest::prelude::*;

    fn read(text: &str) -> PartialJson {
        let mut partial = PartialJson::default();
        partial.push(text);
        partial
    }

    #[test]
    fn partial_json_incomplete_text_gives_value_so_far() {
        for (text, value) in [
            ("", json!(null)),
            ("{", json!({})),
            (r#"{"pa"#, json!({})),
            (r#"{"path": "#, json!({})),
            (r#"{"path": "src/ma"#, json!({"path": "src/ma"})),
            (r#"{"path": "a\"#, json!({"path": "a"})),
            (r#"{"a": "x\u00e"#, json!({"a": "x"})),
            (r#"{"a": "\ud83d\ude"#, json!({"a": ""})),
            (r#"{"a": "\ud83d\ude00!"#, json!({"a": "😀!"})),
            (r#"{"n": 12"#, json!({"n": 12})),
            (r#"{"n": 12."#, json!({"n": 12})),
            (r#"{"t": tru"#, json!({"t": null})),
            (
                r#"{"edits": [{"old": "a", "new": "b"}, {"ol"#,
                json!({"edits": [{"old": "a", "new": "b"}, {}]}),
            ),
        ] {
            let mut piecewise = PartialJson::default();
            text.chars().for_each(|c| piecewise.push(c.encode_utf8(&mut [0; 4])));
            assert_eq!((read(text).value(), piecewise.value()), (&value, &value), "{text}");
            assert!(!read(text).is_complete(), "{text}");
        }
    }

    #[test]
    fn partial_json_detects_completion() {
        for (text, complete) in [
            ("{} ", true),
            ("12", true),
            ("12 ", true),
            ("{}x", false),
            ("{]", false),
            ("[1,2", false),
            ("tru", false),
            ("\"a\"", true),
        ] {
            assert_eq!(read(text).is_complete(), complete, "{text}");
        }
    }

    #[test]
    fn partial_json_invalid_escapes_keep_their_fields() {
        for (text, value) in [
            (r#"{"a": "C:\Users\x", "b": 1}"#, json!({"a": "C:\\Users\\x", "b": 1})),
            (r#"{"a": "\u12", "b": 1}"#, json!({"a": "\\u12", "b": 1})),
            (r#"{"a": "\ud83d", "b": 1}"#, json!({"a": "\u{fffd}", "b": 1})),
            ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"})),
        ] {
            let partial = read(text);
            assert!(partial.is_complete(), "{text}");
            assert_eq!(*partial.value(), value, "{text}");
        }
    }

    #[test]
    fn partial_json_limits_depth_and_token_length() {
        assert!(!read(&"[".repeat(DEPTH_MAX + 1)).is_complete());
        assert!(!read(&format!("{} ", "1".repeat(TOKEN_MAX + 1))).is_complete());
        let deep = format!("{}{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
        assert!(read(&deep).is_complete());
    }

    #[test]
    fn partial_json_repeated_keys_are_fast() {
        let keys: Vec<String> = (0..40_000).map(|n| format!("\"k{n}\": {n}")).collect();
        let text = format!("{{{0}, {0}}}", keys.join(","));
        let partial = read(&text);
        assert!(partial.is_complete());
        assert_eq!(partial.value()["k39999"], 39_999);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(null)),
            any::<bool>().prop_map(|b| json!(b)),
            any::<i64>().prop_map(|n| json!(n)),
            any::<char>().prop_map(|c| json!(format!("a{c}\"\\\n"))),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec(("[a-z\"é]{0,3}", inner), 0..4)
                    .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn partial_json_complete_text_matches_strict_parser(value in value(), pretty: bool, cut in 1usize..9) {
            let text = if pretty { format!("{value:#}") } else { value.to_string() };
            let mut partial = PartialJson::default();
            let chars: Vec<char> = text.chars().collect();
            for piece in chars.chunks(cut) {
                partial.push(&piece.iter().collect::<String>());
            }
            prop_assert!(partial.is_complete());
            prop_assert_eq!(partial.value(), &value);
        }

        #[test]
        fn partial_json_any_text_is_safe(text in "[\\[\\]{}\",:\\\\u0-9a-f tr\\-.é]{0,60}", cut in 1usize..5) {
            let mut partial = PartialJson::default();
            for piece in text.chars().collect::<Vec<_>>().chunks(cut) {
                partial.push(&piece.iter().collect::<String>());
            }
            if let (Ok(strict), true) = (serde_json::from_str::<Value>(&text), partial.is_complete()) {
                prop_assert_eq!(partial.value(), &strict);
            }
        }
    }
}
