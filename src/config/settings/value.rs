//! Values of settings as text: as in a file, and as a user types them. Must not know files.

use super::Settings;
use super::row::Row;
use crate::config::kind::{Kind, Value};

impl Settings {
    /// Returns the values by their keys; a setting without a value is missing.
    pub fn values(&self) -> toml::Table {
        toml::Table::try_from(self).unwrap_or_default()
    }

    /// Returns the value of a setting as a TOML literal; `None` if it has none.
    pub fn literal(&self, key: &str) -> Option<String> {
        self.values().get(key).map(ToString::to_string)
    }
}

impl Row {
    /// Returns a value as a user edits it: a text without its quotes, a list without its brackets.
    pub fn editable(&self, settings: &Settings) -> String {
        settings.values().get(self.key).map(|value| self.shown(value)).unwrap_or_default()
    }

    /// Does the same for a value of [`Settings::values`].
    pub fn shown(&self, value: &toml::Value) -> String {
        match (self.kind, value) {
            (_, toml::Value::String(text)) => text.clone(),
            (Kind::Numbers(..), _) => value.to_string().trim_matches(['[', ']']).to_string(),
            _ => value.to_string(),
        }
    }

    /// Returns the TOML literal of a value that a user typed, or says what values are valid.
    pub fn literal(&self, typed: &str) -> Result<String, String> {
        let typed = typed.trim();
        let number = |text: &str| text.trim().replace('_', "").parse::<i64>().ok();
        let value = match self.kind {
            Kind::Text | Kind::Choice(_) => Some(Value::Text(typed.to_string())),
            Kind::Number(..) => number(typed).map(Value::Number),
            Kind::Flag => typed.parse().ok().map(Value::Flag),
            Kind::Numbers(..) => {
                let numbers =
                    typed.trim_matches(['[', ']']).split([',', ' ']).filter(|part| !part.is_empty());
                numbers.map(number).collect::<Option<_>>().map(Value::Numbers)
            }
            Kind::Limits | Kind::Budgets => None,
        };
        let invalid = || format!("{} must be {}", self.key, self.kind.describe());
        let mut settings = Settings::default();
        self.set(&mut settings, value.ok_or_else(invalid)?)?;
        settings.literal(self.key).ok_or_else(invalid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str) -> &'static Row {
        Row::find(key).unwrap()
    }

    #[test]
    fn settings_typed_values_become_literals() {
        assert_eq!(row("theme").literal(" night \"x\" "), Ok("'night \"x\"'".to_string()));
        assert_eq!(row("tab-width").literal("8"), Ok("8".to_string()));
        assert_eq!(row("rulers").literal("80, 100"), Ok("[80, 100]".to_string()));
        assert_eq!(row("rulers").literal("[80 100]"), Ok("[80, 100]".to_string()));
        assert_eq!(row("rulers").literal(""), Ok("[]".to_string()));
        assert_eq!(row("mouse").literal("false"), Ok("false".to_string()));
        assert_eq!(row("model").literal("a/b"), Ok("\"a/b\"".to_string()));
    }

    #[test]
    fn settings_invalid_typed_values_are_explained() {
        for (key, typed, reason) in [
            ("tab-width", "0", "tab-width must be a whole number from 1 to 16"),
            ("tab-width", "wide", "tab-width must be a whole number from 1 to 16"),
            ("rulers", "80, x", "rulers must be a list of whole numbers from 1 to 500"),
            ("mouse", "yes", "mouse must be true or false"),
            ("notify", "loud", "notify must be one of auto, bell, off"),
        ] {
            assert_eq!(row(key).literal(typed), Err(reason.to_string()));
        }
    }

    #[test]
    fn settings_defaults_have_literals_and_editable_texts() {
        let settings = Settings { rulers: vec![80, 100], ..Settings::default() };
        for row in
            super::super::rows::ROWS.iter().filter(|row| !row.default.is_empty() && row.key != "rulers")
        {
            assert_eq!(settings.literal(row.key).as_deref(), Some(row.default), "{}", row.key);
            assert_eq!(row.literal(&row.editable(&settings)).as_deref(), Ok(row.default), "{}", row.key);
        }
        assert_eq!(row("rulers").editable(&settings), "80, 100");
        assert_eq!((settings.literal("model"), row("model").editable(&settings)), (None, String::new()));
    }
}
