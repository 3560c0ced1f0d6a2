//! Changes of settings files: the text of a file with another value of a setting. Comments, order and layout stay.
//!
//! Must not know files, nor which settings there are.

use toml_edit::{DocumentMut, Item, TableLike, Value};

/// A change that is not possible.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file is not TOML: its other settings would be lost.
    #[error("line {line}: {message}")]
    File {
        /// One-based line.
        line: usize,
        /// What is wrong there.
        message: String,
    },
    /// The file has a table of that name.
    #[error("{0} is a table there")]
    Table(String),
    /// The file has a value of that name in place of a table.
    #[error("{0} is no table there")]
    NotTable(String),
    /// The value is not TOML.
    #[error("not a TOML value: {0}")]
    Value(String),
}

/// Returns the text with a setting of the top level. `value` is a TOML literal, such as `"dusk"` with its quotes; `None`
/// removes the setting.
pub fn set(text: &str, key: &str, value: Option<&str>) -> Result<String, EditError> {
    edit(text, |document| put(document.as_table_mut(), key, value))
}

/// The same in a table, which is added if it is missing.
pub fn set_in(text: &str, table: &str, key: &str, value: Option<&str>) -> Result<String, EditError> {
    edit(text, |document| {
        if value.is_none() && !document.contains_key(table) {
            return Ok(());
        }
        let table_item = document.entry(table).or_insert(toml_edit::table());
        let Some(rows) = table_item.as_table_like_mut() else {
            return Err(EditError::NotTable(table.to_string()));
        };
        put(rows, key, value)
    })
}

fn put(rows: &mut dyn TableLike, key: &str, value: Option<&str>) -> Result<(), EditError> {
    let Some(literal) = value else {
        rows.remove(key);
        return Ok(());
    };
    let mut new: Value = literal
        .parse()
        .map_err(|error: toml_edit::TomlError| EditError::Value(error.message().to_string()))?;
    // A comment behind the old value stays behind the new one.
    match rows.get_mut(key).map(Item::as_value_mut) {
        Some(Some(old)) => {
            *new.decor_mut() = old.decor().clone();
            *old = new;
        }
        Some(None) => return Err(EditError::Table(key.to_string())),
        None => drop(rows.insert(key, Item::Value(new))),
    }
    Ok(())
}

/// Changes a document, with its byte-order mark and line endings.
fn edit(
    text: &str,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text),
    };
    let has_crlf = text.contains("\r\n");
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| EditError::File {
        line: text[..error.span().map_or(0, |span| span.start).min(text.len())].matches('\n').count() + 1,
        message: error.message().to_string(),
    })?;
    change(&mut document)?;
    let changed = document.to_string();
    // The document has no carriage returns.
    let changed = if has_crlf { changed.replace("\r\n", "\n").replace('\n', "\r\n") } else { changed };
    Ok(format!("{mark}{changed}"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn config_edit_keeps_comments_and_order() {
        let text = "# Mine.\ntheme = \"a\" # liked\ntab-width = 8\n\n[tool-limits.bash]\nlines = 3\n";
        let dusk = "# Mine.\ntheme = \"dusk\" # liked\ntab-width = 8\n\n[tool-limits.bash]\nlines = 3\n";
        assert_eq!(set(text, "theme", Some("\"dusk\"")).unwrap(), dusk);
        let removed = "tab-width = 8\n\n[tool-limits.bash]\nlines = 3\n";
        assert!(set(text, "theme", None).unwrap().ends_with(removed));
        assert_eq!(set("", "mouse", Some("false")).unwrap(), "mouse = false\n");
        let before_tables = set("[tool-limits.bash]\nlines = 3\n", "mouse", Some("false")).unwrap();
        assert_eq!(before_tables, "mouse = false\n[tool-limits.bash]\nlines = 3\n");
        assert_eq!(set("rulers = [1]\n", "rulers", Some("[80, 100]")).unwrap(), "rulers = [80, 100]\n");
        assert_eq!(set("\u{feff}a = 1\n", "a", Some("2")).unwrap(), "\u{feff}a = 2\n");
        assert_eq!(set("# c\r\na = 1 # d\r\n", "a", Some("2")).unwrap(), "# c\r\na = 2 # d\r\n");
    }

    #[test]
    fn config_edit_changes_rows_of_tables() {
        let text = "base = \"default\"\n\n# Mine.\n[global]\n\"Ctrl-k\" = \"file.save\" # often\n";
        let changed = set_in(text, "global", "Ctrl-k", Some("\"app.quit\"")).unwrap();
        assert_eq!(changed, text.replace("file.save", "app.quit"));
        let added = set_in(text, "global", "Ctrl-x \"", Some("\"none\"")).unwrap();
        assert_eq!(added, format!("{text}'Ctrl-x \"' = \"none\"\n"));
        let table = set_in(text, "editor", "F9", Some("\"x\"")).unwrap();
        assert_eq!(table, format!("{text}\n[editor]\nF9 = \"x\"\n"));
        assert!(!set_in(text, "global", "Ctrl-k", None).unwrap().contains("Ctrl-k"));
        assert_eq!(set_in(text, "editor", "F9", None).unwrap(), text);
        let error = set_in("global = 3\n", "global", "F9", Some("\"x\""));
        assert_eq!(error, Err(EditError::NotTable("global".to_string())));
    }

    #[test]
    fn config_edit_refuses_broken_files_and_values() {
        let error = set("a = 1\nb = = 2\n", "a", Some("2")).unwrap_err();
        assert!(matches!(error, EditError::File { line: 2, .. }), "{error:?}");
        assert_eq!(set("[theme]\nx = 1\n", "theme", Some("2")), Err(EditError::Table("theme".to_string())));
        assert!(matches!(set("", "a", Some("no quotes here")), Err(EditError::Value(_))));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn config_edit_changes_one_setting(
            text in "((theme|mouse|x) ?= ?(\"[a-z]{0,3}\"|[0-9]{1,2}|true)( # [a-z]{1,3})?\n|# [a-z]{0,4}\n|\\[[ab]\\]\n|\n){0,6}",
            value in "[a-z]{0,5}",
        ) {
            let Ok(before) = text.parse::<toml::Table>() else { return Ok(()) };
            let changed = set(&text, "theme", Some(&format!("\"{value}\""))).unwrap();
            let mut after: toml::Table = changed.parse().unwrap();
            prop_assert_eq!(after.remove("theme"), Some(toml::Value::String(value)));
            let mut before = before;
            before.remove("theme");
            prop_assert_eq!(&after, &before);
            for comment in text.lines().filter(|line| line.starts_with('#')) {
                prop_assert!(changed.contains(comment));
            }
        }
    }
}
