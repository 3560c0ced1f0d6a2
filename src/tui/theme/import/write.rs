//! Writes what another program's theme says as the text of a theme of ours.
//!
//! Must not know formats of other programs.

use std::collections::BTreeMap;

use ratatui::style::{Color, Modifier, Style};

use super::draft::{Draft, Roles, is_plain};
use super::roles::{self, calm, readable};
use super::theme_file::Source;
use crate::base::width::visible;
use crate::tui::theme::color;
use crate::tui::theme::contrast::{ENOUGH, is_code, is_dark, is_line};
use crate::tui::theme::scheme::{ATTRIBUTES, Theme};

/// The longest name of a theme in its heading.
const NAME_MAX: usize = 80;

/// Returns the text of the theme.
pub fn theme_text(source: Source, draft: &Draft) -> String {
    let dark = darkness(draft);
    let roles = roles::complete(&draft.roles, dark);
    let palette = Palette::new(draft, &roles, dark);
    let head = format!("inherits = \"{}\"\ndark = {dark}\n\n{}", roles::parent(dark), palette.text());
    let inherited = Theme::parse(source.describe(), &head);
    let inherited = inherited.expect("a palette of plain names is a theme that inherits");
    let mut text = String::new();
    let name = draft.name.as_deref().map(|name| name.trim().chars().take(NAME_MAX).collect::<String>());
    let name = name.filter(|name| !name.is_empty()).map(|name| format!("{}, ", visible(&name)));
    text.push_str(&format!("# {}converted from {}.\n{head}", name.unwrap_or_default(), source.describe()));
    text.push_str("\n[scopes]\n");
    for (scope, style) in styles(draft, &roles, &inherited, dark) {
        let value = palette.style(style, inherited.mono(&scope));
        text.push_str(&format!("{} = {value}\n", key(&scope)));
    }
    text
}

/// Whether the theme is for dark terminals: by its ground, by what it says, by its text.
fn darkness(draft: &Draft) -> bool {
    let ground = draft.roles.get("bg").and_then(|bg| is_dark(*bg));
    let text = || draft.roles.get("text").and_then(|text| is_dark(*text)).map(|is_dark| !is_dark);
    ground.or(draft.dark).or_else(text).unwrap_or(true)
}

/// Returns the scopes that differ from the inherited ones, complete.
fn styles(draft: &Draft, roles: &Roles, inherited: &Theme, dark: bool) -> BTreeMap<String, Style> {
    let mut styles = BTreeMap::new();
    let named = draft.styles.iter().filter(|(scope, _)| is_plain(scope));
    for (scope, style) in named {
        let style = if is_code(scope) { *style } else { interface(scope, *style, roles, inherited, dark) };
        styles.insert(scope.clone(), style);
    }
    // What the theme says of `string` is meant for `string.escape`, too, and not what is inherited.
    let inner = inherited.all().map(|(scope, _)| scope).filter(|scope| is_code(scope));
    for scope in inner.filter(|scope| !draft.styles.contains_key(*scope)) {
        if let Some(style) = ancestors(scope).find_map(|outer| draft.styles.get(outer)) {
            styles.insert(scope.to_string(), *style);
        }
    }
    styles
}

/// Returns the scopes around one, the nearest first.
fn ancestors(scope: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(scope.rsplit_once('.'), |(outer, _)| outer.rsplit_once('.')).map(|(outer, _)| outer)
}

/// Returns the style of a scope of the program's own texts, with enough contrast.
fn interface(scope: &str, given: Style, roles: &Roles, inherited: &Theme, dark: bool) -> Style {
    let mut style = inherited.style_of(scope).patch(given);
    if let (Some(ground), None) = (given.bg, style.fg) {
        style.bg = Some(calm(ground, roles));
    }
    if let Some(text) = style.fg {
        let ratio = if is_line(scope) { ENOUGH.line } else { ENOUGH.text };
        style.fg = Some(match style.bg {
            Some(own) => readable(text, &[own], ratio, is_dark(own).unwrap_or(dark)),
            None => readable(text, &[roles["bg"], roles["panel"], roles["raised"]], ratio, dark),
        });
    }
    style
}

/// Names of colors.
struct Palette {
    /// The roles that differ from the inherited ones, then the names of the other theme.
    rows: Vec<(String, Color)>,
}

impl Palette {
    fn new(draft: &Draft, roles: &Roles, dark: bool) -> Self {
        let inherited = roles::inherited(dark);
        let order = roles::names().filter(|role| roles[role] != inherited[role]);
        let mut rows: Vec<_> = order.map(|role| (role.to_string(), roles[role])).collect();
        for (name, color) in &draft.palette {
            // Such a name would be read as another color.
            let is_color = name == "default" || name.bytes().all(|byte| byte.is_ascii_digit());
            if is_color || !is_plain(name) {
                continue;
            }
            let is_role = |name: &str| roles::names().any(|role| role == name);
            if is_role(name) && roles[&**name] == *color {
                continue;
            }
            let is_free = |rows: &[(String, Color)], name: &str| {
                !is_role(name) && rows.iter().all(|(known, _)| known != name)
            };
            let others = (2..).map(|number| format!("{name}_{number}"));
            if let Some(name) = std::iter::once(name.clone()).chain(others).find(|name| is_free(&rows, name))
            {
                rows.push((name, *color));
            }
        }
        Self { rows }
    }

    fn text(&self) -> String {
        let row =
            |(name, color): &(String, Color)| format!("{} = \"{}\"\n", key(name), color::format(*color));
        format!("[palette]\n{}", self.rows.iter().map(row).collect::<String>())
    }

    /// Returns the name of a color, the other theme's own if it has one, or its value; with quotes.
    fn color(&self, color: Color) -> String {
        let named = self.rows.iter().rfind(|(_, known)| *known == color);
        format!("\"{}\"", named.map_or_else(|| color::format(color), |(name, _)| name.clone()))
    }

    fn style(&self, style: Style, mono: Modifier) -> String {
        let attributes = |set: Modifier| ATTRIBUTES.iter().filter(move |(_, one)| set.contains(*one));
        let mut parts = Vec::new();
        parts.extend(style.fg.map(|color| format!("fg = {}", self.color(color))));
        parts.extend(style.bg.map(|color| format!("bg = {}", self.color(color))));
        parts.extend(attributes(style.add_modifier).map(|(name, _)| format!("{name} = true")));
        let mono: Vec<String> = attributes(mono).map(|(name, _)| format!("\"{name}\"")).collect();
        if !mono.is_empty() {
            parts.push(format!("mono = [{}]", mono.join(", ")));
        }
        match (style.fg, parts.len()) {
            (Some(color), 1) => self.color(color),
            (_, 0) => "{}".to_string(),
            _ => format!("{{ {} }}", parts.join(", ")),
        }
    }
}

/// Returns a plain name as a key of TOML.
fn key(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_text_is_a_theme_with_inherited_attributes_and_inner_scopes() {
        let mut draft = Draft { name: Some("Lake \u{1b}[31m".to_string()), ..Draft::default() };
        let select = ("select", Color::Rgb(40, 60, 90));
        draft.roles.extend([("bg", Color::Rgb(10, 20, 30)), ("red", Color::Rgb(255, 120, 120)), select]);
        draft.palette = vec![
            ("red".to_string(), Color::Rgb(1, 2, 3)),
            ("wave".to_string(), Color::Rgb(120, 200, 255)),
            ("7".to_string(), Color::Rgb(9, 9, 9)),
            ("a\nb".to_string(), Color::Rgb(9, 9, 9)),
        ];
        let wave = Style::new().fg(Color::Rgb(120, 200, 255));
        draft.styles.extend([
            ("string".to_string(), wave.bold()),
            ("ui.ruler".to_string(), Style::new().bg(Color::Rgb(40, 60, 90))),
            ("ui.linenr".to_string(), Style::new().fg(Color::Rgb(20, 30, 40))),
            ("markdown.heading".to_string(), wave),
            ("odd \" name".to_string(), wave),
        ]);
        let text = theme_text(Source::Helix, &draft);
        assert!(
            text.starts_with("# Lake ␛[31m, converted from a Helix theme.\ninherits = \"bowline-dark\"\n")
        );
        for line in [
            "wave = \"#78c8ff\"",
            "red_2 = \"#010203\"",
            "string = { fg = \"wave\", bold = true }",
            "\"string.escape\" = { fg = \"wave\", bold = true }",
            "\"ui.ruler\" = { bg = \"select\", mono = [\"underlined\"] }",
            "\"markdown.heading\" = { fg = \"wave\", bold = true }",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("odd") && !text.contains("090909"), "{text}");
        let theme = Theme::parse("lake", &text).unwrap();
        assert!(theme.dark);
        let low = crate::tui::theme::contrast::low_contrasts(&theme, ENOUGH);
        assert!(low.is_empty(), "{low:?}");
    }

    #[test]
    fn import_theme_is_dark_by_ground_then_word_then_text() {
        let (black, white) = (Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255));
        let draft = |roles: &[(&'static str, Color)], dark| {
            darkness(&Draft { roles: roles.iter().copied().collect(), dark, ..Draft::default() })
        };
        assert!(!draft(&[("bg", white)], Some(true)) && draft(&[("bg", black)], Some(false)));
        assert!(!draft(&[("text", white)], Some(false)) && draft(&[("text", white)], None));
        assert!(!draft(&[("text", black)], None) && draft(&[], None));
    }
}
