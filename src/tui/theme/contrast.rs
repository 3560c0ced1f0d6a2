//! Contrasts by WCAG 2.2 (relative luminance): 4.5:1 is enough for text (AA), 7:1 is demanded of themes with high contrast
//! (AAA), and lines need less.
//!
//! Must not know files. Colors that only the terminal knows have no contrast.

use ratatui::style::{Color, Style};

use crate::tui::theme::color;
use crate::tui::theme::scheme::Theme;

/// The contrasts that a theme must have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wanted {
    /// Of text.
    pub text: f64,
    /// Of lines and dividers.
    pub line: f64,
}

/// What all built-in themes have.
pub const ENOUGH: Wanted = Wanted { text: 4.5, line: 2.0 };

/// A scope that is hard to read.
#[derive(Debug, Clone, PartialEq)]
pub struct LowContrast {
    /// The scope.
    pub scope: String,
    /// The scope that has the ground; `None` for the ground of the scope itself.
    pub ground: Option<&'static str>,
    /// Its contrast.
    pub ratio: f64,
    /// The smallest one that is enough.
    pub wanted: f64,
}

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
const CODE: [&str; 17] = [
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
];

/// Whether a scope is of code, and not of the program's own texts.
pub fn is_code(scope: &str) -> bool {
    let first = scope.split('.').next().unwrap_or_default();
    CODE.contains(&first) || ["diff.plus", "diff.minus", "diff.delta"].contains(&scope)
}

/// Whether a scope is a line or divider.
pub fn is_line(scope: &str) -> bool {
    LINES.contains(&scope)
}

fn luminance(color: Color) -> Option<f64> {
    let (r, g, b) = color::rgb(color)?;
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    Some(0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b))
}

/// Returns the contrast of two colors, 1 to 21; `None` where a part of them is not known.
pub fn contrast(a: Color, b: Color) -> Option<f64> {
    let (a, b) = (luminance(a)? + 0.05, luminance(b)? + 0.05);
    Some(a.max(b) / a.min(b))
}

/// Whether a ground is dark: white text has more contrast on it than black text. `None` where it is not known.
pub fn is_dark(ground: Color) -> Option<bool> {
    let white = contrast(Color::Rgb(255, 255, 255), ground)?;
    Some(white > contrast(Color::Rgb(0, 0, 0), ground)?)
}

/// Returns the scopes of a theme that have less contrast than wanted on one of the grounds they are drawn on, in order.
pub fn low_contrasts(theme: &Theme, wanted: Wanted) -> Vec<LowContrast> {
    let mut found = Vec::new();
    for (scope, style) in theme.all() {
        let minimum = if is_line(scope) { wanted.line } else { wanted.text };
        check(theme, (scope, style), &GROUNDS, minimum, &mut found);
        if (is_code(scope) && !scope.starts_with("diff.")) || scope.starts_with("ui.text") {
            check(theme, (scope, style), &DIFF_GROUNDS, ENOUGH.text, &mut found);
        }
    }
    for scope in ["ui.overlay", "ui.overlay.soft", "ui.overlay.faint"] {
        let style = Style { bg: None, ..theme.style(scope) };
        check(theme, (scope, style), &["ui.row", "ui.selection"], ENOUGH.text, &mut found);
    }
    let style = Style { bg: None, ..theme.style("ui.text") };
    check(theme, ("ui.text", style), &["ui.match"], ENOUGH.text, &mut found);
    found.sort_by(|a, b| a.scope.cmp(&b.scope));
    found
}

/// Checks a scope's color on its own ground, or else on each of the grounds.
fn check(
    theme: &Theme,
    (scope, style): (&str, Style),
    grounds: &[&'static str],
    wanted: f64,
    found: &mut Vec<LowContrast>,
) {
    let Some(text) = style.fg else { return };
    let own = style.bg.map(|ground| (ground, None));
    let others = grounds.iter().filter_map(|ground| Some((theme.style(ground).bg?, Some(*ground))));
    for (color, ground) in own.map_or_else(|| others.collect::<Vec<_>>(), |own| vec![own]) {
        if let Some(ratio) = contrast(text, color).filter(|ratio| *ratio < wanted) {
            found.push(LowContrast { scope: scope.to_string(), ground, ratio, wanted });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::scheme::{BUILTIN, TERMINAL};

    #[test]
    fn themes_have_enough_contrast() {
        let mut found = Vec::new();
        for (name, text) in BUILTIN.iter().filter(|(name, _)| *name != TERMINAL) {
            let theme = Theme::parse(name, text).unwrap();
            let known = |color: Option<Color>| color.is_none_or(|color| color::rgb(color).is_some());
            assert!(
                theme.all().all(|(_, style)| known(style.fg) && known(style.bg)),
                "{name}: unknown colors"
            );
            let is_high = name.starts_with("high-contrast");
            let wanted = if is_high { Wanted { text: 7.0, line: 4.5 } } else { ENOUGH };
            for LowContrast { scope, ground, ratio, wanted } in low_contrasts(&theme, wanted) {
                let ground = ground.unwrap_or("its own ground");
                found.push(format!("{name}: {scope} on {ground} has {ratio:.2}:1, not {wanted}:1"));
            }
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        let (black, white) = (Color::Rgb(0, 0, 0), Color::Rgb(255, 255, 255));
        let gray = Color::Rgb(118, 118, 118);
        assert!((contrast(black, white).unwrap() - 21.0).abs() < 0.01);
        assert!((contrast(gray, white).unwrap() - 4.54).abs() < 0.01);
        assert_eq!((contrast(Color::Reset, white), contrast(Color::Indexed(1), white)), (None, None));
        assert_eq!((is_dark(black), is_dark(white), is_dark(Color::Reset)), (Some(true), Some(false), None));
    }

    #[test]
    fn contrast_low_scopes_are_named_with_their_ratio() {
        let text = "inherits = 'bowline-dark'\n[scopes]\ncomment = '#3a3f4a'\n'ui.hint' = { fg = '#222', bg = '#111' }";
        let low = low_contrasts(&Theme::parse("t", text).unwrap(), ENOUGH);
        let scopes: Vec<_> = low.iter().map(|low| (low.scope.as_str(), low.ground)).collect();
        assert!(
            scopes.contains(&("comment", Some("ui.text"))) && scopes.contains(&("ui.hint", None)),
            "{low:?}"
        );
        assert!(low.iter().all(|low| low.ratio < low.wanted));
    }
}
