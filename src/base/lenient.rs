//! Lenient JSON parser for other programs' JSON that the library rejects: lone surrogates, numbers out of
//! range, any depth. Pure.
//!
//! Must not know the content.

use std::borrow::Cow;
use std::collections::BTreeMap;

use memchr::memmem;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::json::json;

/// Bytes of an escaped UTF-16 unit: `\uXXXX`.
const ESCAPE_LEN: usize = 6;
/// Replacement for a lone surrogate, of the same length, so that offsets stay the same.
const REPLACEMENT: &str = "\\ufffd";

/// Returns JSON with U+FFFD in place of each lone surrogate, which programs write that truncate texts between
/// the two.
pub fn replace_lone_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if memmem::find(bytes, b"\\ud").is_none() && memmem::find(bytes, b"\\uD").is_none() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut done, mut at) = (String::new(), 0, 0);
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        at += found;
        match escaped_unit(bytes, at) {
            Some(0xd800..=0xdbff)
                if matches!(escaped_unit(bytes, at + ESCAPE_LEN), Some(0xdc00..=0xdfff)) =>
            {
                at += 2 * ESCAPE_LEN;
            }
            Some(0xd800..=0xdfff) => {
                out.push_str(&text[done..at]);
                out.push_str(REPLACEMENT);
                at += ESCAPE_LEN;
                done = at;
            }
            // Any other escape, including an escaped backslash.
            _ => at = (at + 2).min(bytes.len()),
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Returns the UTF-16 unit whose escape starts there.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + ESCAPE_LEN)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |sum, digit| {
        let digit = u16::try_from(char::from(*digit).to_digit(16)?).ok()?;
        Some(sum << 4 | digit)
    })
}

/// The fields of an object.
#[derive(Debug, Default, PartialEq)]
pub struct Fields {
    /// All fields. An unparsable one is an unexpected object.
    pub all: Map<String, Value>,
    /// Fields that cannot be parsed, with their errors.
    pub invalid: BTreeMap<String, String>,
}

impl Fields {
    /// Returns the errors of fields; `otherwise` if there are none.
    pub fn describe_invalid(&self, otherwise: String) -> String {
        let all: Vec<String> =
            self.invalid.iter().map(|(name, error)| format!("`{name}`: {error}")).collect();
        if all.is_empty() { otherwise } else { all.join(", ") }
    }
}

/// Parses the fields of an object, one by one if the whole is invalid; `None` for JSON that is not an object.
/// Skips a byte order mark. The error describes invalid JSON.
pub fn fields(text: &str) -> Result<Option<Fields>, String> {
    let text = replace_lone_surrogates(text.strip_prefix('\u{feff}').unwrap_or(text));
    let error = match serde_json::from_str(&text) {
        Ok(Value::Object(all)) => return Ok(Some(Fields { all, ..Fields::default() })),
        Ok(_) => return Ok(None),
        Err(error) => error,
    };
    let Ok(raw) = serde_json::from_str::<BTreeMap<String, &RawValue>>(&text) else {
        return Err(error.to_string());
    };
    let mut fields = Fields::default();
    for (name, value) in raw {
        let value = serde_json::from_str(value.get()).unwrap_or_else(|error: serde_json::Error| {
            fields.invalid.insert(name.clone(), error.to_string());
            json!({"unread": true})
        });
        fields.all.insert(name, value);
    }
    Ok(Some(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lenient_json_lone_surrogate_becomes_replacement() {
        for (text, wanted) in [
            (r#""plain \n \u00e9""#, None),
            (r#""\ud83d\ude00 \\ud83d \uD83D\uDE00""#, None),
            (r#""a\ud83d""#, Some(r#""a\ufffd""#)),
            (r#""\uDE00\ud83dx\\\udc00""#, Some(r#""\ufffd\ufffdx\\\ufffd""#)),
            (r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#)),
            (r#""\ud83d\u0041""#, Some(r#""\ufffd\u0041""#)),
            (r#""\ud8"#, None),
            ("\"\\ud83é\\", None),
        ] {
            let mended = replace_lone_surrogates(text);
            assert_eq!(mended, wanted.unwrap_or(text), "{text}");
            assert_eq!(
                (mended.len(), matches!(mended, Cow::Owned(_))),
                (text.len(), wanted.is_some()),
                "{text}"
            );
        }
    }

    #[test]
    fn lenient_json_reads_fields_one_by_one() {
        let plain = fields("\u{feff}{\"a\":\"\\ud83d\"}").unwrap().unwrap();
        assert_eq!(
            (plain.all["a"].as_str(), plain.describe_invalid("fine".into())),
            (Some("\u{fffd}"), "fine".into())
        );
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let some = fields(&format!("{{\"a\":1,\"b\":{deep},\"c\":1e400,\"a\":2}}")).unwrap().unwrap();
        assert_eq!(
            (&some.all["a"], some.invalid.keys().map(String::as_str).collect()),
            (&json!(2), vec!["b", "c"])
        );
        assert!(
            some.describe_invalid(String::new()).starts_with("`b`: recursion limit"),
            "{}",
            some.describe_invalid(String::new())
        );
        assert_eq!(fields("[1]"), Ok(None));
        assert!(fields("{\"a\":").is_err() && fields("").is_err() && fields("{} x").is_err());
    }
}
