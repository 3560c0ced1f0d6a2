//! A theme: styles by dotted scope, read from TOML. Lookup falls back by dropping the last part of the scope.
//!
//! Must not know files or terminals. A theme has a `[palette]` of names and a `[scopes]` table whose values
//! are a color or a table of `fg`, `bg`, attributes and `mono`, the attributes that carry the meaning where
//! there is no color.

use std::collections::HashMap;

use ratatui::style::{Color, Modifier, Style};
use toml::de::{DeTable, DeValue};

use crate::tui::theme::color;

/// Styles by scope.
#[derive(Debug, Clone)]
pub struct Theme {
    /// The name under which it was loaded.
    pub name: String,
    /// Whether it is meant for a dark background.
    pub dark: bool,
    scopes: HashMap<String, Entry>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    style: Style,
    mono: Modifier,
}

/// A theme file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("theme {name}, line {line}: {message}")]
pub struct ThemeError {
    /// Which theme.
    pub name: String,
    /// One-based line in the theme's text.
    pub line: usize,
    /// The problem.
    pub message: String,
}

/// Names of attributes in `mono`, the same as the switches of a scope.
const ATTRIBUTES: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("strike", Modifier::CROSSED_OUT),
];

/// The built-in themes: names and texts.
pub const BUILTIN: [(&str, &str); 2] = [
    ("bowline-dark", include_str!("../../../themes/bowline-dark.toml")),
    ("bowline-light", include_str!("../../../themes/bowline-light.toml")),
];

impl Theme {
    /// Reads a theme; the error names the line.
    pub fn parse(name: &str, text: &str) -> Result<Self, ThemeError> {
        let error = |at: usize, message: String| ThemeError {
            name: name.to_string(),
            line: text[..at.min(text.len())].matches('\n').count() + 1,
            message,
        };
        // Without serde: a theme is read at every start, and this is half the time.
        let file = DeTable::parse(text)
            .map_err(|e| error(e.span().map_or(0, |span| span.start), e.message().to_string()))?;
        let mut dark = true;
        let (mut colors, mut entries) = (None, None);
        for (key, value) in file.into_inner() {
            let at = key.span().start;
            match (&**key.get_ref(), value.into_inner()) {
                ("dark", DeValue::Boolean(on)) => dark = on,
                ("palette", DeValue::Table(table)) => colors = Some(table),
                ("scopes", DeValue::Table(table)) => entries = Some(table),
                ("dark", _) => return Err(error(at, "`dark` is true or false".to_string())),
                ("palette" | "scopes", _) => {
                    return Err(error(at, format!("`{}` is a table", key.get_ref())));
                }
                (other, _) => return Err(error(at, format!("nothing is called `{other}` here"))),
            }
        }
        let mut palette = HashMap::new();
        for (key, value) in colors.iter().flatten() {
            let text = value.get_ref().as_str().unwrap_or_default();
            let color = color::parse(text).ok_or_else(|| error(value.span().start, not_a_color(text)))?;
            palette.insert(&**key.get_ref(), color);
        }
        let mut scopes = HashMap::new();
        for (scope, value) in entries.ok_or_else(|| error(0, "there is no table `scopes`".to_string()))? {
            let entry =
                entry(value.get_ref(), &palette).map_err(|message| error(value.span().start, message))?;
            scopes.insert(scope.into_inner().into_owned(), entry);
        }
        Ok(Self { name: name.to_string(), dark, scopes })
    }

    /// The default theme, `bowline-dark`.
    pub fn builtin() -> Self {
        let (name, text) = BUILTIN[0];
        Self::parse(name, text).expect("a test parses every built-in theme")
    }

    /// A built-in theme by name.
    pub fn from_name(name: &str) -> Option<Self> {
        let (name, text) = BUILTIN.iter().find(|(known, _)| *known == name)?;
        Self::parse(name, text).ok()
    }

    /// Returns the style of the longest dotted prefix of a scope that the theme has, else the plain style.
    pub fn style(&self, scope: &'static str) -> Style {
        self.find(scope).style
    }

    /// Returns the style of a scope without color: attributes only.
    pub fn mono_style(&self, scope: &'static str) -> Style {
        let entry = self.find(scope);
        Style::new().add_modifier(entry.style.add_modifier | entry.mono)
    }

    /// Whether the theme itself names this scope.
    pub fn contains(&self, scope: &str) -> bool {
        self.scopes.contains_key(scope)
    }

    fn find(&self, scope: &str) -> Entry {
        let mut scope = scope;
        loop {
            if let Some(entry) = self.scopes.get(scope) {
                return *entry;
            }
            match scope.rsplit_once('.') {
                Some((parent, _)) => scope = parent,
                None => return Entry::default(),
            }
        }
    }
}

fn not_a_color(text: &str) -> String {
    format!("`{text}` is not a colour; use #rrggbb, a palette name, red, bright-red, 0 to 255 or default")
}

fn entry(value: &DeValue<'_>, palette: &HashMap<&str, Color>) -> Result<Entry, String> {
    let find = |value: &DeValue<'_>| {
        let text = value.as_str().ok_or_else(|| "a colour is a text".to_string())?;
        palette.get(text).copied().or_else(|| color::parse(text)).ok_or_else(|| not_a_color(text))
    };
    let attribute = |name: &str| ATTRIBUTES.iter().find(|(known, _)| *known == name).map(|row| row.1);
    let DeValue::Table(table) = value else {
        return Ok(Entry { style: Style::new().fg(find(value)?), ..Entry::default() });
    };
    let mut entry = Entry::default();
    for (key, value) in table {
        let (key, value) = (&**key.get_ref(), value.get_ref());
        match (key, attribute(key), value) {
            ("fg", ..) => entry.style.fg = Some(find(value)?),
            ("bg", ..) => entry.style.bg = Some(find(value)?),
            ("mono", _, DeValue::Array(names)) => {
                for name in names {
                    let name = name.get_ref().as_str().unwrap_or_default();
                    entry.mono |= attribute(name).ok_or_else(|| format!("`{name}` is not an attribute"))?;
                }
            }
            (_, Some(modifier), DeValue::Boolean(true)) => entry.style = entry.style.add_modifier(modifier),
            (_, Some(_), DeValue::Boolean(false)) => {}
            (_, Some(_), _) => return Err(format!("`{key}` is true or false")),
            ("mono", ..) => return Err("`mono` is a list of attributes".to_string()),
            _ => return Err(format!("`{key}` is neither fg, bg, mono nor an attribute")),
        }
    }
    Ok(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn theme_scopes_fall_back_by_dots() {
        let text =
            "[palette]\nink = '#010203'\n[scopes]\nui = 'ink'\n'ui.text' = { fg = 'red', bold = true }";
        let theme = Theme::parse("t", text).unwrap();
        assert_eq!(theme.style("ui.line.number"), Style::new().fg(Color::Rgb(1, 2, 3)));
        assert_eq!(theme.style("ui.text.focus"), Style::new().fg(Color::Indexed(1)).bold());
        assert_eq!(theme.style("uix"), Style::new());
    }

    #[test]
    fn theme_errors_name_line() {
        let check = |text: &str, line: usize, part: &str| {
            let error = Theme::parse("mine", text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
            assert!(error.to_string().contains(part), "{error}");
        };
        check("[scopes]\nui = 'red'\n'ui.text' = 'rouge'\n", 3, "`rouge` is not a colour");
        check("[scopes]\nui = { fg = 'red', mono = ['loud'] }\n", 2, "`loud` is not an attribute");
        check("[palette]\nink = '#xyz'\n[scopes]\n", 2, "#xyz");
        check("[scopes]\nui = [\n", 2, "theme mine, line 2");
        check("[scopes]\n[colours]\n", 2, "colours");
    }

    #[test]
    fn theme_mono_style_uses_attributes() {
        let theme =
            Theme::parse("t", "[scopes]\nsel = { bg = 'blue', bold = true, mono = ['reversed'] }").unwrap();
        assert_eq!(theme.mono_style("sel"), Style::new().bold().reversed());
    }

    #[test]
    fn theme_builtins_have_same_scopes() {
        let themes = BUILTIN.map(|(name, text)| Theme::parse(name, text).unwrap());
        let mut names = themes.clone().map(|theme| theme.scopes.into_keys().collect::<Vec<_>>());
        for list in &mut names {
            list.sort();
        }
        assert_eq!(names[0], names[1]);
        assert_eq!(themes.map(|theme| theme.dark), [true, false]);
        assert!(Theme::from_name("bowline-light").is_some() && Theme::from_name("nope").is_none());
    }
}
