//! Checks that all built-in themes can be read: contrasts by WCAG 2.2 (relative luminance), in which 4.5:1 is enough for
//! text (AA) and 7:1 is demanded of themes with high contrast (AAA). The theme in the terminal's own colors is left out:
//! nobody knows them.

use ratatui::style::{Color, Style};

use super::scheme::{BUILTIN, TERMINAL, Theme};

/// Scopes of lines and dividers; all other scopes are text.
const LINES: [&str; 7] = [
    "ui.border",
    "ui.guide",
    "ui.scroll",
    "ui.whitespace",
    "markdown.rule",
    "markdown.table",
    "markdown.quote.bar",
];
/// Grounds on which scopes without an own one stand: the scopes that have them.
const GROUNDS: [&str; 3] = ["ui.text", "ui.panel", "ui.overlay"];
/// Grounds of code in diffs.
const DIFF_GROUNDS: [&str; 2] = ["diff.added", "diff.removed"];
/// The first parts of scopes of code.
const CODE: [&str; 18] = [
    "attribute",
    "comment",
    "constant",
    "constructor",
    "function",
    "keyword",
    "label",
    "namespace",
    "operator",
    "punctuation",
    "rainbow",
    "special",
    "string",
    "tag",
    "type",
    "variable",
    "markup",
    "ui.text",
];

fn luminance(color: Color) -> f64 {
    let Color::Rgb(r, g, b) = color else { panic!("{color} has no known luminance") };
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

fn contrast(a: Color, b: Color) -> f64 {
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// Checks a scope's color on each ground.
fn check(
    theme: &Theme,
    (scope, style): (&str, Style),
    grounds: &[&'static str],
    wanted: f64,
    found: &mut Vec<String>,
) {
    let Some(color) = style.fg else { return };
    let own = style.bg.map(|ground| (ground, "its own ground"));
    let others = grounds.iter().filter_map(|ground| Some((theme.style(ground).bg?, *ground)));
    for (ground, name) in own.map_or_else(|| others.collect::<Vec<_>>(), |own| vec![own]) {
        let ratio = contrast(color, ground);
        if ratio < wanted {
            found.push(format!("{}: {scope} on {name} has {ratio:.2}:1, not {wanted}:1", theme.name));
        }
    }
}

#[test]
fn themes_have_enough_contrast() {
    let mut found = Vec::new();
    for (name, text) in BUILTIN.iter().filter(|(name, _)| *name != TERMINAL) {
        let theme = Theme::parse(name, text).unwrap();
        let is_high = name.starts_with("high-contrast");
        let (text_min, line_min) = if is_high { (7.0, 4.5) } else { (4.5, 2.0) };
        for (scope, style) in theme.all() {
            let is_line = LINES.contains(&scope);
            check(&theme, (scope, style), &GROUNDS, if is_line { line_min } else { text_min }, &mut found);
            if CODE.iter().any(|first| scope == *first || scope.starts_with(&format!("{first}."))) {
                check(&theme, (scope, style), &DIFF_GROUNDS, 4.5, &mut found);
            }
        }
        for scope in ["ui.overlay", "ui.overlay.soft", "ui.overlay.faint"] {
            let style = Style { bg: None, ..theme.style(scope) };
            check(&theme, (scope, style), &["ui.row", "ui.selection"], 4.5, &mut found);
        }
        let style = Style { bg: None, ..theme.style("ui.text") };
        check(&theme, ("ui.text", style), &["ui.match"], 4.5, &mut found);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn contrast_is_that_of_wcag() {
    let gray = Color::Rgb(118, 118, 118);
    assert!((contrast(Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255)) - 21.0).abs() < 0.01);
    assert!((contrast(gray, Color::Rgb(255, 255, 255)) - 4.54).abs() < 0.01);
}
