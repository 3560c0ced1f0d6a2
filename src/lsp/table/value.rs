//! Values of keys in rows, out of TOML. Each fails with what is expected and where. Must not know which key it is.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::lsp::table::feature::{Feature, Features};
use crate::lsp::table::pattern::Pattern;

/// A value with its position.
pub(super) type Input<'a, 'i> = &'a Spanned<DeValue<'i>>;

/// Why a value cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// Its position in bytes.
    pub(super) at: usize,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    pub(super) fn at(value: Input<'_, '_>, message: impl Into<String>) -> Self {
        Self::new(value.span().start, message)
    }
}

/// A text that a program can get: without NUL.
pub(super) fn text(value: Input<'_, '_>) -> Result<String, Fault> {
    match value.get_ref() {
        DeValue::String(text) if !text.contains('\0') => Ok(text.to_string()),
        DeValue::String(_) => Err(Fault::at(value, "a text must not contain NUL")),
        _ => Err(Fault::at(value, "a string is expected")),
    }
}

/// A name or a command: something that can be displayed in a line.
pub(super) fn name(value: Input<'_, '_>) -> Result<String, Fault> {
    let text = text(value)?;
    check_name(&text).map_err(|message| Fault::at(value, message))?;
    Ok(text)
}

/// Fails if a text is empty or has control characters.
pub(super) fn check_name(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("a name is expected, not an empty string".to_string());
    }
    if text.chars().any(char::is_control) {
        return Err(format!("{text:?} contains control characters"));
    }
    Ok(())
}

pub(super) fn flag(value: Input<'_, '_>) -> Result<bool, Fault> {
    value.get_ref().as_bool().ok_or_else(|| Fault::at(value, "true or false is expected"))
}

/// A number of seconds.
pub(super) fn seconds(value: Input<'_, '_>, most: u64) -> Result<u64, Fault> {
    let number = match value.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    number
        .filter(|number| (1..=most).contains(number))
        .ok_or_else(|| Fault::at(value, format!("a number of seconds from 1 to {most} is expected")))
}

pub(super) fn table<'a, 'i>(value: Input<'a, 'i>) -> Result<&'a DeTable<'i>, Fault> {
    match value.get_ref() {
        DeValue::Table(table) => Ok(table),
        _ => Err(Fault::at(value, "a table is expected")),
    }
}

/// A list whose items `read` converts.
pub(super) fn list<T>(
    value: Input<'_, '_>,
    read: impl FnMut(Input<'_, '_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    match value.get_ref() {
        DeValue::Array(items) => items.iter().map(read).collect(),
        _ => Err(Fault::at(value, "a list is expected")),
    }
}

pub(super) fn pattern(value: Input<'_, '_>) -> Result<Pattern, Fault> {
    Pattern::new(&text(value)?).map_err(|message| Fault::at(value, message))
}

/// A mark of a folder: a glob that would need the lists of other folders is refused.
pub(super) fn marker(value: Input<'_, '_>) -> Result<Pattern, Fault> {
    let marker = pattern(value)?;
    if !marker.is_exact() && marker.text().contains('/') {
        return Err(Fault::at(value, "a glob must be the name of a file, without folders"));
    }
    Ok(marker)
}

pub(super) fn features(value: Input<'_, '_>) -> Result<Features, Fault> {
    let feature = |value: Input<'_, '_>| {
        let name = text(value)?;
        Feature::from_name(&name).ok_or_else(|| Fault::at(value, format!("unknown feature {name:?}")))
    };
    Ok(list(value, feature)?.into_iter().collect())
}

/// Variables of an environment.
pub(super) fn environment(value: Input<'_, '_>) -> Result<BTreeMap<String, String>, Fault> {
    let variable = |(name, value): (&Spanned<_>, _)| {
        let name: &str = name_of(name);
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(Fault::at(value, format!("{name:?} is no name of a variable")));
        }
        Ok((name.to_string(), text(value)?))
    };
    table(value)?.iter().map(variable).collect()
}

/// The text of a key.
pub(super) fn name_of<'a>(key: &'a Spanned<std::borrow::Cow<'_, str>>) -> &'a str {
    key.get_ref().as_ref()
}

/// Any table, as JSON.
pub(super) fn object(value: Input<'_, '_>) -> Result<Value, Fault> {
    table(value)?;
    json(value)
}

fn json(value: Input<'_, '_>) -> Result<Value, Fault> {
    let number = |number: Option<Number>| {
        number.map(Value::Number).ok_or_else(|| Fault::at(value, "this number does not exist in JSON"))
    };
    match value.get_ref() {
        DeValue::String(text) => Ok(Value::String(text.to_string())),
        DeValue::Boolean(flag) => Ok(Value::Bool(*flag)),
        DeValue::Integer(integer) => {
            number(i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(Number::from))
        }
        DeValue::Float(float) => number(float.as_str().parse().ok().and_then(Number::from_f64)),
        DeValue::Datetime(time) => Ok(Value::String(time.to_string())),
        DeValue::Array(items) => items.iter().map(json).collect::<Result<_, _>>().map(Value::Array),
        DeValue::Table(table) => {
            let field = |(key, value): (&Spanned<_>, _)| Ok((name_of(key).to_string(), json(value)?));
            table.iter().map(field).collect::<Result<Map<_, _>, _>>().map(Value::Object)
        }
    }
}
