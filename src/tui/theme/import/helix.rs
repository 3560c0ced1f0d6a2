//! Reads a theme of Helix: TOML with `palette`, `inherits` and a style for each scope, of code and of its own screen.
//!
//! Must not know files or how the result is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::draft::{Draft, Row, Target, is_plain};
use super::theme_file::{ImportError, REFERENCES_MAX, ReadFile, ThemeText};
use crate::tui::theme::color;
use crate::tui::theme::contrast::is_code;

use Target::{Bg, Fg, Role};

/// Scopes of the screen, each with `.fg` or `.bg`.
const UI: &[Row] = &[
    ("ui.background.bg", Role("bg")),
    ("ui.text.fg", Role("text")),
    ("ui.background.fg", Role("text")),
    ("ui.statusline.inactive.bg", Role("panel")),
    ("ui.statusline.bg", Role("panel")),
    ("ui.menu.bg", Role("raised")),
    ("ui.popup.bg", Role("raised")),
    ("ui.help.bg", Role("raised")),
    ("ui.window.fg", Role("line")),
    ("ui.virtual.indent-guide.fg", Role("line")),
    ("ui.selection.primary.bg", Role("select")),
    ("ui.selection.bg", Role("select")),
    ("ui.text.inactive.fg", Role("faint")),
    ("ui.virtual.whitespace.fg", Role("ghost")),
    ("ui.text.directory.fg", Role("accent")),
    ("ui.text.focus.fg", Role("accent")),
    ("function.fg", Role("accent")),
    ("error.fg", Role("red")),
    ("diff.minus.fg", Role("red")),
    ("diff.plus.fg", Role("green")),
    ("string.fg", Role("green")),
    ("warning.fg", Role("yellow")),
    ("type.fg", Role("yellow")),
    ("constant.numeric.fg", Role("orange")),
    ("constant.fg", Role("orange")),
    ("keyword.fg", Role("purple")),
    ("hint.fg", Role("cyan")),
    ("info.fg", Role("cyan")),
    ("ui.highlight.bg", Role("match")),
    ("ui.linenr.fg", Fg("ui.linenr")),
    ("ui.linenr.selected.fg", Fg("ui.linenr.active")),
    ("ui.cursorline.primary.bg", Bg("ui.caret-line")),
    ("ui.cursorline.bg", Bg("ui.caret-line")),
    ("ui.cursor.match.fg", Fg("ui.bracket")),
    ("ui.virtual.whitespace.fg", Fg("ui.whitespace")),
    ("ui.virtual.indent-guide.fg", Fg("ui.guide")),
    ("ui.virtual.ruler.bg", Bg("ui.ruler")),
    ("ui.virtual.inlay-hint.fg", Fg("ui.inlay")),
    ("ui.text.directory.fg", Fg("ui.dir")),
    ("diff.plus.gutter.fg", Fg("ui.gutter.added")),
    ("diff.plus.fg", Fg("ui.gutter.added")),
    ("diff.delta.gutter.fg", Fg("ui.gutter.changed")),
    ("diff.delta.fg", Fg("ui.gutter.changed")),
    ("diff.minus.gutter.fg", Fg("ui.gutter.removed")),
    ("diff.minus.fg", Fg("ui.gutter.removed")),
    ("diff.plus.fg", Fg("diff.added")),
    ("diff.minus.fg", Fg("diff.removed")),
    ("error.fg", Fg("error")),
    ("warning.fg", Fg("warning")),
    ("info.fg", Fg("info")),
    ("hint.fg", Fg("hint")),
    ("markup.heading.fg", Fg("markdown.heading")),
    ("markup.raw.inline.fg", Fg("markdown.code")),
    ("markup.raw.fg", Fg("markdown.code")),
    ("markup.quote.fg", Fg("markdown.quote")),
    ("markup.link.text.fg", Fg("markdown.link")),
    ("markup.link.url.fg", Fg("markdown.url")),
    ("markup.list.fg", Fg("markdown.bullet")),
];

/// Helix's names for the terminal's colors.
const COLORS: [(&str, Color); 18] = [
    ("default", Color::Reset),
    ("black", Color::Indexed(0)),
    ("red", Color::Indexed(1)),
    ("green", Color::Indexed(2)),
    ("yellow", Color::Indexed(3)),
    ("blue", Color::Indexed(4)),
    ("magenta", Color::Indexed(5)),
    ("cyan", Color::Indexed(6)),
    ("light-gray", Color::Indexed(7)),
    ("gray", Color::Indexed(8)),
    ("light-red", Color::Indexed(9)),
    ("light-green", Color::Indexed(10)),
    ("light-yellow", Color::Indexed(11)),
    ("light-blue", Color::Indexed(12)),
    ("light-magenta", Color::Indexed(13)),
    ("light-cyan", Color::Indexed(14)),
    ("white", Color::Indexed(15)),
    ("light-white", Color::Indexed(15)),
];

/// Helix's names of attributes; those that blink have none here.
const MODIFIERS: [(&str, Modifier); 6] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("crossed_out", Modifier::CROSSED_OUT),
];

/// The number of colors of nested brackets here.
const RAINBOW: usize = 6;

type Palette = HashMap<String, Color>;

/// What the files of a theme say, the inherited first.
#[derive(Default)]
struct HelixFiles {
    /// The palette in the order of the files, and its lookup.
    names: Vec<(String, Color)>,
    /// Of each scope its style.
    styles: BTreeMap<String, Style>,
    rainbow: Vec<Style>,
    problems: Vec<String>,
}

/// Reads a theme, with those that it inherits.
pub(super) fn read(theme: ThemeText<'_>, read: ReadFile<'_>) -> Result<Draft, ImportError> {
    let mut files = HelixFiles::default();
    files.add(theme, read, &Palette::new(), 0)?;
    let mut draft = Draft { palette: files.names, problems: files.problems, ..Draft::default() };
    let keys = draft.map(UI, |key| {
        let (scope, part) = key.rsplit_once('.')?;
        let style = files.styles.get(scope)?;
        if part == "bg" { style.bg } else { style.fg }
    });
    let mapped: BTreeSet<&str> = keys.iter().filter_map(|key| Some(key.rsplit_once('.')?.0)).collect();
    for (scope, style) in files.styles {
        if is_code(&scope) && is_plain(&scope) {
            draft.styles.insert(scope, style);
        } else if !mapped.contains(&*scope) {
            draft.unmapped.push(scope);
        }
    }
    let numbered = (1..=RAINBOW).map(|number| format!("rainbow.{number}"));
    draft.styles.extend(numbered.zip(files.rainbow.into_iter().cycle()));
    Ok(draft)
}

impl HelixFiles {
    /// Adds a file whose colors are replaced by those of a file that inherits it; returns all its colors.
    fn add(
        &mut self,
        theme: ThemeText<'_>,
        read: ReadFile<'_>,
        heirs: &Palette,
        depth: usize,
    ) -> Result<Palette, ImportError> {
        let parsed = DeTable::parse(theme.text);
        let parsed = parsed.map_err(|error| {
            theme.error(error.span().map_or(0, |span| span.start), one_line(error.message()))
        })?;
        let table = parsed.into_inner();
        if let Some((key, _)) = table.iter().find(|(key, _)| *key.get_ref() == "scopes") {
            return Err(theme.error(key.span().start, "a theme of bowline already: copy it to your themes"));
        }
        let mut palette = self.palette(theme, &table)?;
        palette.extend(heirs.iter().map(|(name, color)| (name.clone(), *color)));
        if let Some(parent) = table.get("inherits") {
            let at = parent.span().start;
            let name = parent.get_ref().as_str().ok_or_else(|| {
                theme.error(at, "`inherits` must be the name of a theme: write inherits = \"name\"")
            })?;
            if depth == REFERENCES_MAX {
                return Err(theme.error(at, "themes inherit each other in a circle: remove one `inherits`"));
            }
            if name.contains(['/', '\\', '\0']) {
                return Err(theme.error(at, "`inherits` must be the name of a theme, not a path"));
            }
            let (file, text) =
                read(theme.file, &format!("{name}.toml")).map_err(|why| theme.error(at, why))?;
            palette = self.add(ThemeText { file: &file, text: &text }, read, &palette, depth + 1)?;
        }
        for (key, value) in
            table.iter().filter(|(key, _)| !["palette", "inherits"].contains(&&**key.get_ref()))
        {
            self.add_scope(theme, key.get_ref(), value, &palette)?;
        }
        Ok(palette)
    }

    /// Returns the palette of a file.
    fn palette(&mut self, theme: ThemeText<'_>, table: &DeTable<'_>) -> Result<Palette, ImportError> {
        let Some(value) = table.get("palette") else { return Ok(Palette::new()) };
        let Some(rows) = value.get_ref().as_table() else {
            return Err(theme.error(value.span().start, "`palette` must be a table: write [palette]"));
        };
        let mut rows: Vec<_> = rows.iter().collect();
        rows.sort_by_key(|(key, _)| key.span().start);
        let mut palette = Palette::new();
        for (key, value) in rows {
            let name = key.get_ref().to_string();
            let Some(color) = value.get_ref().as_str().and_then(literal) else {
                self.problem(theme, value, &format!("palette color `{name}` is not #rrggbb"));
                continue;
            };
            if self.names.iter().all(|(known, _)| *known != name) {
                self.names.push((name.clone(), color));
            }
            palette.insert(name, color);
        }
        Ok(palette)
    }

    fn add_scope(
        &mut self,
        theme: ThemeText<'_>,
        scope: &str,
        value: &Spanned<DeValue<'_>>,
        palette: &Palette,
    ) -> Result<(), ImportError> {
        if scope != "rainbow" {
            let style = self.style(theme, value, palette)?;
            self.styles.insert(scope.to_string(), style);
            return Ok(());
        }
        let Some(values) = value.get_ref().as_array() else {
            return Err(theme.error(value.span().start, "`rainbow` must be a list of styles"));
        };
        self.rainbow =
            values.iter().map(|value| self.style(theme, value, palette)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Returns a style: a color, or a table of colors and attributes.
    fn style(
        &mut self,
        theme: ThemeText<'_>,
        value: &Spanned<DeValue<'_>>,
        palette: &Palette,
    ) -> Result<Style, ImportError> {
        let mut style = Style::new();
        let table = match value.get_ref() {
            DeValue::String(_) => {
                style.fg = self.color(theme, value, palette);
                return Ok(style);
            }
            DeValue::Table(table) => table,
            _ => {
                return Err(theme.error(
                    value.span().start,
                    "a style must be a color or a table of `fg`, `bg`, `modifiers`",
                ));
            }
        };
        for (key, value) in table {
            match (&**key.get_ref(), value.get_ref()) {
                ("fg", _) => style.fg = self.color(theme, value, palette),
                ("bg", _) => style.bg = self.color(theme, value, palette),
                // Its color and form have no counterpart.
                ("underline", DeValue::Table(_)) => style = style.add_modifier(Modifier::UNDERLINED),
                ("modifiers", DeValue::Array(names)) => {
                    for name in names {
                        let known = MODIFIERS.iter().find(|row| name.get_ref().as_str() == Some(row.0));
                        match known {
                            Some((_, modifier)) => style = style.add_modifier(*modifier),
                            None => self.problem(theme, name, "no counterpart for this modifier"),
                        }
                    }
                }
                (other, _) => self.problem(theme, value, &format!("`{other}` is no part of a style")),
            }
        }
        Ok(style)
    }

    fn color(
        &mut self,
        theme: ThemeText<'_>,
        value: &Spanned<DeValue<'_>>,
        palette: &Palette,
    ) -> Option<Color> {
        let text = value.get_ref().as_str();
        let color = text.and_then(|text| palette.get(text).copied().or_else(|| literal(text)));
        if color.is_none() {
            let text = text.unwrap_or_default();
            self.problem(theme, value, &format!("`{text}` is neither in the palette nor #rrggbb"));
        }
        color
    }

    fn problem(&mut self, theme: ThemeText<'_>, value: &Spanned<DeValue<'_>>, message: &str) {
        self.problems.push(theme.error(value.span().start, message).to_string());
    }
}

/// Reads a color that no palette is needed for.
fn literal(text: &str) -> Option<Color> {
    let named = COLORS.iter().find(|(name, _)| *name == text).map(|(_, color)| *color);
    named.or_else(|| color::parse(text).filter(|_| text.starts_with('#') || text.parse::<u8>().is_ok()))
}

fn one_line(message: &str) -> String {
    message.trim().replace('\n', ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Result<Draft, String> {
        let files = |_: &str, name: &str| match name {
            "base.toml" => {
                let text = "comment = 'ash'\nkeyword = 'ash'\n[palette]\nash = '#808080'\nsun = '#ffcc00'\n";
                Ok((name.to_string(), text.to_string()))
            }
            "circle.toml" => Ok((name.to_string(), "\ninherits = 'circle'".to_string())),
            _ => Err(format!("no file {name}")),
        };
        read(ThemeText { file: "lake.toml", text }, &files).map_err(|error| error.to_string())
    }

    #[test]
    fn import_helix_maps_palette_scopes_and_screen() {
        let text = "inherits = 'base'\nkeyword = { fg = 'sun', modifiers = ['bold', 'slow_blink'] }\n\
            'ui.background' = { bg = '#101820' }\n'ui.text' = 'light-gray'\n'string.regexp' = { fg = '208', underline = { style = 'curl' } }\n\
            rainbow = ['red', { fg = 'sun' }]\n'ui.cursor' = { bg = 'sun' }\ntype = 'rouge'\n[palette]\nash = '#707070'\n";
        let draft = draft(text).unwrap();
        let (ash, sun) = (Color::Rgb(112, 112, 112), Color::Rgb(255, 204, 0));
        assert_eq!(draft.palette, [("ash".to_string(), ash), ("sun".to_string(), sun)]);
        assert_eq!(draft.styles["comment"].fg, Some(ash), "a color of the heir");
        assert_eq!(draft.styles["keyword"], Style::new().fg(sun).bold());
        assert_eq!(draft.styles["string.regexp"], Style::new().fg(Color::Indexed(208)).underlined());
        assert_eq!(draft.styles["rainbow.6"].fg, Some(sun));
        assert_eq!((draft.roles["bg"], draft.roles["text"]), (Color::Rgb(16, 24, 32), Color::Indexed(7)));
        assert_eq!(draft.roles["purple"], sun);
        assert_eq!(draft.unmapped, ["ui.cursor"]);
        let problems = [
            "lake.toml:2: no counterpart for this modifier",
            "lake.toml:8: `rouge` is neither in the palette nor #rrggbb",
        ];
        assert!(
            problems.iter().all(|problem| draft.problems.iter().any(|found| found == problem)),
            "{:?}",
            draft.problems
        );
    }

    #[test]
    fn import_helix_errors_name_file_and_line() {
        for (text, said) in [
            ("\nkeyword = 1", "lake.toml:2: a style must be"),
            ("rainbow = 'red'", "lake.toml:1: `rainbow` must be"),
            ("palette = 1", "lake.toml:1: `palette` must be"),
            ("inherits = 1", "lake.toml:1: `inherits` must be"),
            ("\ninherits = 'gone'", "lake.toml:2: no file gone.toml"),
            ("inherits = '../up'", "lake.toml:1: `inherits` must be the name of a theme, not a path"),
            ("inherits = 'circle'", "circle.toml:2: themes inherit each other in a circle"),
            ("a = [", "lake.toml:1: "),
        ] {
            let error = draft(text).unwrap_err();
            assert!(error.starts_with(said), "{text}: {error}");
        }
    }

    #[test]
    fn import_helix_deep_nesting_is_an_error() {
        let deep = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(draft(&deep).is_err());
    }
}
