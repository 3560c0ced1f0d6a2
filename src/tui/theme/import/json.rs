//! JSON with comments and trailing commas, with the positions of its values.
//!
//! Must not know themes.

use jsonc_parser::ast::{self, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::theme_file::{ImportError, ThemeText};

/// A file whose syntax is right.
pub struct JsonFile<'a> {
    pub(super) theme: ThemeText<'a>,
    root: Option<Value<'a>>,
}

impl<'a> JsonFile<'a> {
    /// Parses a text. The parser refuses deep nesting.
    pub(super) fn parse(theme: ThemeText<'a>) -> Result<Self, ImportError> {
        let options = ParseOptions {
            allow_missing_commas: false,
            allow_loose_object_property_names: false,
            allow_single_quoted_strings: false,
            ..ParseOptions::default()
        };
        let parsed = parse_to_ast(theme.text, &CollectOptions::default(), &options);
        let parsed = parsed.map_err(|error| theme.error(error.range().start, error.kind().to_string()))?;
        Ok(Self { theme, root: parsed.value })
    }

    /// Returns the object that the file is; `None` if it is another value.
    pub(super) fn root(&self) -> Option<&ast::Object<'a>> {
        self.root.as_ref().and_then(Value::as_object)
    }

    /// Returns the last value of a key.
    pub(super) fn get(&self, key: &str) -> Option<&Value<'a>> {
        get(self.root()?, key)
    }

    /// Returns the object at a key; empty if the key is missing.
    pub(super) fn object(&self, key: &str) -> Result<&[ast::ObjectProp<'a>], ImportError> {
        match self.get(key) {
            None => Ok(&[]),
            Some(Value::Object(object)) => Ok(&object.properties),
            Some(other) => Err(self.error(other, format!("`{key}` must be an object: write {{ … }}"))),
        }
    }

    /// Returns the text at a key.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, ImportError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::StringLit(text)) => Ok(Some(&*text.value)),
            Some(other) => Err(self.error(other, format!("`{key}` must be a text: write \"…\""))),
        }
    }

    /// Returns an error at a value.
    pub(super) fn error(&self, value: &Value<'_>, message: impl Into<String>) -> ImportError {
        self.theme.error(value.range().start, message)
    }

    /// Returns the line of a value.
    pub(super) fn line(&self, value: &Value<'_>) -> usize {
        self.theme.line(value.range().start)
    }
}

/// Returns the last value of a key in an object, as JSON parsers do.
pub(super) fn get<'a, 'o>(object: &'o ast::Object<'a>, key: &str) -> Option<&'o Value<'a>> {
    object.properties.iter().rfind(|property| property.name.as_str() == key).map(|property| &property.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_json_reads_comments_and_names_lines() {
        let text = "// a\n{ /* b */ \"a\": \"x\",\n \"b\": [1,],\n}\n";
        let file = JsonFile::parse(ThemeText { file: "f", text }).unwrap();
        assert_eq!(file.text("a"), Ok(Some("x")));
        assert_eq!((file.text("c"), file.object("c").unwrap().len()), (Ok(None), 0));
        assert_eq!(file.text("b").unwrap_err().line, 3);
        assert_eq!(file.object("a").unwrap_err().to_string(), "f:2: `a` must be an object: write { … }");
        let deep = "[".repeat(100_000);
        assert!(JsonFile::parse(ThemeText { file: "f", text: &deep }).is_err());
        assert!(JsonFile::parse(ThemeText { file: "f", text: "{\"a\": 1 \"b\": 2}" }).is_err());
    }
}
