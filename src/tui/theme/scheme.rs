//! A theme: styles by dotted scope, read from TOML. Lookup falls back by dropping the last part of the scope.
//!
//! Must not know files or terminals. A theme has a `[palette]` of names and a `[scopes]` table whose values
//! are a color or a table of `fg`, `bg`, attributes and `mono`, the attributes that carry the meaning where
//! there is no color. `inherits` names a theme whose colors and scopes it replaces in part.

use std::collections::HashMap;

use ratatui::style::{Color, Modifier, Style};
use toml::de::{DeTable, DeValue};

use crate::base::partial_toml::{self, Mistake};
use crate::tui::theme::color;

/// Styles by scope.
#[derive(Debug, Clone)]
pub struct Theme {
    /// The name under which it was loaded.
    pub name: String,
    /// Whether it is meant for a dark background.
    pub dark: bool,
    /// Lines that are no TOML: the theme is what the others say.
    pub problems: Vec<ThemeError>,
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
pub const ATTRIBUTES: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("strike", Modifier::CROSSED_OUT),
];

/// The built-in themes: names and texts.
pub const BUILTIN: [(&str, &str); 13] = [
    ("bowline-dark", include_str!("../../../themes/bowline-dark.toml")),
    ("bowline-light", include_str!("../../../themes/bowline-light.toml")),
    ("colorblind-dark", include_str!("../../../themes/colorblind-dark.toml")),
    ("colorblind-light", include_str!("../../../themes/colorblind-light.toml")),
    ("dusk", include_str!("../../../themes/dusk.toml")),
    ("ember", include_str!("../../../themes/ember.toml")),
    ("high-contrast-dark", include_str!("../../../themes/high-contrast-dark.toml")),
    ("high-contrast-light", include_str!("../../../themes/high-contrast-light.toml")),
    ("midnight", include_str!("../../../themes/midnight.toml")),
    ("mist", include_str!("../../../themes/mist.toml")),
    ("moss", include_str!("../../../themes/moss.toml")),
    ("parchment", include_str!("../../../themes/parchment.toml")),
    (TERMINAL, include_str!("../../../themes/terminal.toml")),
];

/// The theme in the sixteen colors that the user chose for the terminal.
pub const TERMINAL: &str = "terminal";

/// Maximum number of themes that inherit one from the other; more are a circle.
const INHERITED_MAX: usize = 8;

/// Returns the text of a theme that another one inherits; the error is for the user.
pub type ReadTheme<'a> = &'a dyn Fn(&str) -> Result<String, String>;

type Palette = HashMap<String, Color>;

/// What a theme file says, with what it inherits.
struct ThemeFile {
    dark: Option<bool>,
    palette: Palette,
    scopes: HashMap<String, Entry>,
    problems: Vec<ThemeError>,
}

/// Reads theme files.
struct Reader<'a> {
    parent: ReadTheme<'a>,
}

impl Reader<'_> {
    /// Reads a theme whose colors are replaced by those of a theme that inherits it.
    fn read(&self, name: &str, text: &str, heirs: &Palette, depth: usize) -> Result<ThemeFile, ThemeError> {
        let mut repaired = String::new();
        let (file, mistakes) = partial_toml::parse(text, &mut repaired);
        // Another theme is meant where these are wrong.
        let is_needed = |mistake: &Mistake| {
            let row = text[mistake.at..].trim_start();
            row.starts_with("inherits") || row.starts_with("dark")
        };
        let needed = mistakes.iter().position(is_needed);
        let mut problems: Vec<ThemeError> = mistakes
            .into_iter()
            .map(|mistake| ThemeError {
                name: name.to_string(),
                line: mistake.line,
                message: mistake.message,
            })
            .collect();
        if let Some(needed) = needed {
            return Err(problems.swap_remove(needed));
        }
        let first = problems.first().cloned();
        // What is missing because of a mistake is no mistake of its own.
        self.read_rows((name, text), (file, problems), heirs, depth).map_err(|error| match first {
            Some(first) if error.name == name => first,
            _ => error,
        })
    }

    /// Reads the rows of a theme, and adds to the mistakes of its syntax.
    fn read_rows(
        &self,
        (name, text): (&str, &str),
        (file, mut problems): (DeTable<'_>, Vec<ThemeError>),
        heirs: &Palette,
        depth: usize,
    ) -> Result<ThemeFile, ThemeError> {
        let error = |at: usize, message: String| ThemeError {
            name: name.to_string(),
            line: text[..at.min(text.len())].matches('\n').count() + 1,
            message,
        };
        let (mut dark, mut inherits) = (None, None);
        let (mut colors, mut entries) = (None, None);
        for (key, value) in file {
            let at = key.span().start;
            match (&**key.get_ref(), value.into_inner()) {
                ("dark", DeValue::Boolean(on)) => dark = Some(on),
                ("inherits", DeValue::String(parent)) => inherits = Some((parent, at)),
                ("palette", DeValue::Table(table)) => colors = Some(table),
                ("scopes", DeValue::Table(table)) => entries = Some(table),
                ("dark", _) => return Err(error(at, "`dark` is true or false".to_string())),
                ("inherits", _) => return Err(error(at, "`inherits` is the name of a theme".to_string())),
                ("palette" | "scopes", _) => {
                    return Err(error(at, format!("`{}` is a table", key.get_ref())));
                }
                (other, _) => return Err(error(at, format!("nothing is called `{other}` here"))),
            }
        }
        let mut palette = Palette::new();
        for (key, value) in colors.iter().flatten() {
            let text = value.get_ref().as_str().unwrap_or_default();
            let color = color::parse(text).ok_or_else(|| error(value.span().start, not_a_color(text)))?;
            palette.insert(key.get_ref().to_string(), color);
        }
        palette.extend(heirs.iter().map(|(name, color)| (name.clone(), *color)));
        let inherited = match inherits {
            Some((_, at)) if depth == INHERITED_MAX => {
                return Err(error(at, "themes inherit each other in a circle".to_string()));
            }
            Some((parent, at)) => {
                let text = (self.parent)(&parent).map_err(|message| error(at, message))?;
                Some(self.read(&parent, &text, &palette, depth + 1)?)
            }
            None => None,
        };
        let has_scopes = entries.as_ref().is_some_and(|rows| !rows.is_empty() || problems.is_empty());
        if !has_scopes && inherited.is_none() {
            return Err(error(0, "there is no table `scopes`".to_string()));
        }
        let empty = ThemeFile { dark: None, palette, scopes: HashMap::new(), problems: Vec::new() };
        let mut all = inherited.unwrap_or(empty);
        for (scope, value) in entries.into_iter().flatten() {
            let entry =
                entry(value.get_ref(), &all.palette).map_err(|message| error(value.span().start, message))?;
            all.scopes.insert(scope.into_inner().into_owned(), entry);
        }
        problems.append(&mut all.problems);
        Ok(ThemeFile { dark: dark.or(all.dark), problems, ..all })
    }
}

impl Theme {
    /// Reads a theme, which may inherit a built-in one; the error names the line.
    pub fn parse(name: &str, text: &str) -> Result<Self, ThemeError> {
        Self::parse_with(name, text, &|name| {
            let found = BUILTIN.iter().find(|(known, _)| *known == name);
            found.map(|(_, text)| (*text).to_string()).ok_or_else(|| format!("unknown theme {name}"))
        })
    }

    /// Reads a theme, which may inherit those that `parent` reads; the error names the file and line.
    pub fn parse_with(name: &str, text: &str, parent: ReadTheme<'_>) -> Result<Self, ThemeError> {
        let file = Reader { parent }.read(name, text, &Palette::new(), 0)?;
        let ThemeFile { dark, scopes, problems, .. } = file;
        Ok(Self { name: name.to_string(), dark: dark.unwrap_or(true), problems, scopes })
    }

    /// Returns a message about the first line that could not be read.
    pub fn problem(&self) -> Option<String> {
        self.problems.first().map(|problem| format!("{problem}; the rest of the theme is used"))
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

    /// Returns all scopes and their styles, in no order.
    pub fn all(&self) -> impl Iterator<Item = (&str, Style)> {
        self.scopes.iter().map(|(scope, entry)| (scope.as_str(), entry.style))
    }

    /// Returns the style of a scope whose name is not known when the program is built.
    pub fn style_of(&self, scope: &str) -> Style {
        self.find(scope).style
    }

    /// Returns the attributes that a scope has only where there is no color.
    pub(super) fn mono(&self, scope: &str) -> Modifier {
        self.find(scope).mono
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
    format!("`{text}` is not a color; use #rrggbb, a palette name, red, bright-red, 0 to 255 or default")
}

fn entry(value: &DeValue<'_>, palette: &Palette) -> Result<Entry, String> {
    let find = |value: &DeValue<'_>| {
        let text = value.as_str().ok_or_else(|| "a color is a text".to_string())?;
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
    use proptest::prelude::*;

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
        check("[scopes]\nui = 'red'\n'ui.text' = 'rouge'\n", 3, "`rouge` is not a color");
        check("[scopes]\nui = { fg = 'red', mono = ['loud'] }\n", 2, "`loud` is not an attribute");
        check("[palette]\nink = '#xyz'\n[scopes]\n", 2, "#xyz");
        check("[scopes]\nui = [\n", 2, "theme mine, line 2");
        check("[scopes]\n[colours]\n", 2, "colours");
    }

    #[test]
    fn theme_line_that_is_no_toml_leaves_the_others() {
        let text = "[palette]\nink = '#010203'\npaper = '#fff\n[scopes]\nui = 'ink'\n'ui.row' = = 1\n'ui.text' = 'red'\n";
        let theme = Theme::parse("t", text).unwrap();
        assert_eq!(theme.problems.iter().map(|problem| problem.line).collect::<Vec<_>>(), [3, 6]);
        assert_eq!(theme.style("ui.row"), Style::new().fg(Color::Rgb(1, 2, 3)), "as the rest of `ui`");
        assert_eq!(theme.style("ui.text"), Style::new().fg(Color::Indexed(1)));
        let heir = Theme::parse("t", "inherits = 'bowline-light'\nx = = 1\n").unwrap();
        assert!(!heir.dark && heir.problems.len() == 1 && heir.contains("ui.text"));
        assert!(Theme::parse("t", "[scopes\nui = 'red'\n").is_err(), "nothing of it is left");
        let orphan = Theme::parse("t", "inherits = 'bowline-light\n[scopes]\nui = 'red'\n").unwrap_err();
        assert_eq!(orphan.line, 1, "another theme was meant");
        let pale = Theme::parse("t", "[palette]\nink = '#010203\n[scopes]\nui = 'ink'\n").unwrap_err();
        assert_eq!(pale.line, 2, "what is missing because of a mistake is none of its own");
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(128))]

        #[test]
        fn theme_of_any_text_is_a_theme_or_an_error_with_its_line(
            text in "(inherits = 'dusk'\n|\\[(palette|scopes)\\]?\n|ui = |'ink'|'#fff'|fg|red|dark|=|'|\\{|\\}| |\n|é){0,14}"
        ) {
            let lines = text.matches('\n').count() + 1;
            match Theme::parse("t", &text) {
                Ok(theme) => {
                    prop_assert!(theme.problems.is_empty() || theme.all().next().is_some());
                    prop_assert!(theme.problems.iter().all(|problem| problem.line <= lines));
                    let _ = (theme.style("ui.text"), theme.mono_style("ui"));
                }
                Err(error) => prop_assert!(error.line <= lines && !error.message.contains('\n'), "{}", error),
            }
        }
    }

    #[test]
    fn theme_mono_style_uses_attributes() {
        let theme =
            Theme::parse("t", "[scopes]\nsel = { bg = 'blue', bold = true, mono = ['reversed'] }").unwrap();
        assert_eq!(theme.mono_style("sel"), Style::new().bold().reversed());
    }

    #[test]
    fn theme_inherits_colors_and_scopes() {
        let parent = |name: &str| {
            match name {
            "base" => Ok("dark = false\n[palette]\nink = '#010203'\npaper = '#fff'\n[scopes]\nui = 'ink'\nrow = { fg = 'ink', bg = 'paper' }".to_string()),
            "circle" => Ok("inherits = 'circle'".to_string()),
            _ => Err(format!("unknown theme {name}")),
        }
        };
        let text =
            "inherits = 'base'\n[palette]\nink = '#040506'\n[scopes]\nui = { fg = 'paper', bold = true }";
        let theme = Theme::parse_with("t", text, &parent).unwrap();
        assert!(!theme.dark && theme.contains("row"));
        assert_eq!(theme.style("ui"), Style::new().fg(Color::Rgb(255, 255, 255)).bold());
        assert_eq!(theme.style("row"), Style::new().fg(Color::Rgb(4, 5, 6)).bg(Color::Rgb(255, 255, 255)));
        let error = |text: &str| Theme::parse_with("t", text, &parent).unwrap_err().to_string();
        assert_eq!(error("\ninherits = 'none'"), "theme t, line 2: unknown theme none");
        assert!(error("inherits = 'circle'").contains("in a circle"));
        assert!(error("inherits = 1").contains("name of a theme"));
        assert!(Theme::parse("t", "inherits = 'bowline-light'").is_ok_and(|theme| !theme.dark));
    }

    #[test]
    fn theme_builtins_have_same_scopes() {
        let themes = BUILTIN.map(|(name, text)| Theme::parse(name, text).unwrap());
        let names = |theme: &Theme| theme.scopes.keys().cloned().collect::<std::collections::BTreeSet<_>>();
        for theme in &themes {
            assert_eq!(names(theme), names(&themes[0]), "{}", theme.name);
        }
        let light = themes.iter().filter(|theme| !theme.dark).count();
        assert!(light >= 4 && themes.len() - light >= 8);
        assert!(Theme::from_name("bowline-light").is_some() && Theme::from_name("nope").is_none());
        assert!(BUILTIN.map(|(name, _)| name).is_sorted());
    }
}
