//! Finds the format of a theme by its content, and converts it.
//!
//! Must not know what the formats contain, nor where files are.

use jsonc_parser::ast;

use super::draft::Draft;
use super::json::JsonFile;
use super::theme_file::{ImportError, ReadFile, SIZE_MAX, Source, ThemeText};
use super::{helix, pi, vscode, write};

/// A converted theme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversion {
    /// The format that it had.
    pub source: Source,
    /// The text of the theme, in our format.
    pub text: String,
    /// Parts that are wrong and were not used, each with its line.
    pub problems: Vec<String>,
    /// Keys and scopes for which there is no counterpart.
    pub unmapped: Vec<String>,
}

/// Returns the text without a byte order mark, if it is small enough.
fn limited<'a>(file: &'a str, text: &'a str) -> Result<ThemeText<'a>, ImportError> {
    let theme = ThemeText { file, text: text.strip_prefix('\u{feff}').unwrap_or(text) };
    if text.len() > SIZE_MAX {
        return Err(theme.error(0, "larger than 10 MB; a theme is not"));
    }
    Ok(theme)
}

/// Converts a theme, in whatever format it is.
///
/// # Errors
/// Fails if the text has none of the formats, or what it refers to cannot be read.
pub fn convert(file: &str, text: &str, read: ReadFile<'_>) -> Result<Conversion, ImportError> {
    let theme = limited(file, text)?;
    if !is_json(theme.text) {
        return Ok(finish(Source::Helix, &helix::read(theme, read)?));
    }
    let parsed = JsonFile::parse(theme)?;
    match json_source(&parsed) {
        Some(Source::Pi) => Ok(finish(Source::Pi, &pi::read(&parsed)?)),
        Some(_) => Ok(finish(Source::VsCode, &vscode::read(&parsed, read)?)),
        None => Err(theme.error(
            0,
            "neither a color theme of VS Code (`colors`, `tokenColors`) nor a theme of pi (`vars`, `colors`)",
        )),
    }
}

/// Converts a theme of pi.
///
/// # Errors
/// Fails if it is none, or a part of it is wrong.
pub fn convert_pi(file: &str, text: &str) -> Result<Conversion, ImportError> {
    let theme = limited(file, text)?;
    let parsed = JsonFile::parse(theme)?;
    match json_source(&parsed) {
        Some(Source::Pi) => Ok(finish(Source::Pi, &pi::read(&parsed)?)),
        Some(other) => {
            let message = format!("{}, not a pi theme; convert it: bowline theme convert", other.describe());
            Err(theme.error(0, message))
        }
        None => Err(theme.error(0, "not a pi theme: it needs an object `colors`")),
    }
}

fn finish(source: Source, draft: &Draft) -> Conversion {
    let text = write::theme_text(source, draft);
    Conversion { source, text, problems: draft.problems.clone(), unmapped: draft.unmapped.clone() }
}

/// Whether a text is JSON rather than TOML: its first character besides comments opens an object. A TOML file begins
/// with a key, `[` or `#`.
fn is_json(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.split_once('\n').map(|(_, after)| after)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.split_once("*/").map(|(_, after)| after)
        } else {
            return rest.starts_with('{');
        };
        // A comment that does not end is no TOML either.
        let Some(after) = after else { return true };
        rest = after.trim_start();
    }
}

/// Tells the formats in JSON apart. Keys of colors have dots in VS Code, and none in pi.
fn json_source(file: &JsonFile<'_>) -> Option<Source> {
    let root = file.root()?;
    let has = |key: &str| root.properties.iter().any(|property| property.name.as_str() == key);
    if ["tokenColors", "semanticTokenColors", "semanticHighlighting", "include"].iter().any(|key| has(key)) {
        return Some(Source::VsCode);
    }
    if has("vars") {
        return Some(Source::Pi);
    }
    let colors = root.properties.iter().rfind(|property| property.name.as_str() == "colors")?;
    let ast::Value::Object(colors) = &colors.value else {
        // Each reader says what `colors` must be.
        return Some(if has("type") { Source::VsCode } else { Source::Pi });
    };
    let dotted = |property: &ast::ObjectProp<'_>| property.name.as_str().contains('.');
    Some(if has("type") || colors.properties.iter().any(dotted) { Source::VsCode } else { Source::Pi })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_source_is_found_by_content() {
        let source = |text: &str| {
            let none = |_: &str, name: &str| Err(format!("no {name}"));
            convert("f", text, &none).map(|conversion| conversion.source)
        };
        assert_eq!(source("keyword = 'red'"), Ok(Source::Helix));
        assert_eq!(source("# a\n[palette]\n"), Ok(Source::Helix));
        assert_eq!(
            source("// a\n/* { */ {\"colors\": {\"editor.background\": \"#000\"},}"),
            Ok(Source::VsCode)
        );
        assert_eq!(source("{\"type\": \"dark\", \"colors\": {}}"), Ok(Source::VsCode));
        assert_eq!(source("{\"vars\": {}, \"colors\": {\"text\": 7}}"), Ok(Source::Pi));
        assert_eq!(source("{\"colors\": {\"text\": \"\"}}"), Ok(Source::Pi));
        for (text, part) in [
            ("{}", "f:1: neither"),
            ("/* never", "f:1: "),
            ("\n\n{\"colors\": [", "f:3: "),
            ("[scopes]\nui = 'red'", "f:1: a theme of bowline already"),
            ("{\"vars\": {}, \"include\": \"x.json\"}", "f:1: no x.json"),
        ] {
            let message = source(text).unwrap_err().to_string();
            assert!(message.starts_with(part), "{text}: {message}");
        }
        let huge = " ".repeat(SIZE_MAX + 1);
        assert!(source(&huge).unwrap_err().message.contains("10 MB"));
    }

    #[test]
    fn import_of_pi_refuses_other_formats() {
        let message = |text: &str| convert_pi("t.json", text).unwrap_err().to_string();
        assert!(message("{\"tokenColors\": []}").contains("bowline theme convert"));
        assert!(message("[]").contains("not a pi theme"), "{}", message("[]"));
        assert!(message("{").starts_with("t.json:1: "));
    }
}
