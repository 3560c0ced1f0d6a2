//! A row of the settings table: looked up by key, and set from a valid value.

use super::Settings;
use crate::config::kind::{Kind, Value};

/// One setting.
#[derive(Debug)]
pub struct Row {
    /// The key in files.
    pub key: &'static str,
    /// Its name on the settings screen.
    pub title: &'static str,
    /// The heading under which it is listed.
    pub group: &'static str,
    /// The type of its value.
    pub kind: Kind,
    /// The default, as in a file; empty when there is none.
    pub default: &'static str,
    /// Other names that users may search for.
    pub aliases: &'static [&'static str],
    /// One line for help and the settings screen.
    pub doc: &'static str,
    /// Whether a project's file may set it: only if it cannot run, send or cost anything.
    pub project: bool,
    pub(super) assign: fn(&mut Settings, Value),
}

impl Row {
    /// Sets the value, or returns a description of valid values.
    pub fn set(&self, settings: &mut Settings, value: Value) -> Result<(), String> {
        // A setting that was true or false before it had more values.
        let value = match (self.kind, value) {
            (Kind::Choice(words), Value::Flag(is_on)) if words.contains(&"on") => {
                Value::Text(if is_on { "on" } else { "off" }.to_string())
            }
            (_, value) => value,
        };
        let fits = match (self.kind, &value) {
            (Kind::Text, Value::Text(_))
            | (Kind::Flag, Value::Flag(_))
            | (Kind::Limits, Value::Limits(_))
            | (Kind::Budgets, Value::Budgets(_)) => true,
            (Kind::Choice(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Kind::Number(min, max), Value::Number(number)) => (min..=max).contains(number),
            (Kind::Numbers(min, max), Value::Numbers(numbers)) => {
                numbers.iter().all(|number| (min..=max).contains(number))
            }
            _ => false,
        };
        if fits {
            (self.assign)(settings, value);
            return Ok(());
        }
        Err(format!("{} must be {}", self.key, self.kind.describe()))
    }
}
