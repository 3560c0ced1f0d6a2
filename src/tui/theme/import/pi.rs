//! Reads a theme of pi: JSON with `vars`, names of colors, and `colors`, one for each part of its screen.
//!
//! Must not know files or how the result is written. An empty color is that of the terminal in pi; here it is the
//! inherited one, as the ground is.

use std::collections::BTreeMap;

use jsonc_parser::ast::{self, Value};
use ratatui::style::Color;

use super::draft::{Draft, Row, Target};
use super::json::JsonFile;
use super::theme_file::{ImportError, REFERENCES_MAX};
use crate::tui::theme::color;
use crate::tui::theme::contrast::is_dark;

use Target::{Bg, Fg, Role};

/// Colors of pi; those of `export` have that word before them.
const COLORS: &[Row] = &[
    ("export.pageBg", Role("bg")),
    ("text", Role("text")),
    ("export.cardBg", Role("panel")),
    ("userMessageBg", Role("raised")),
    ("customMessageBg", Role("raised")),
    ("border", Role("line")),
    ("borderMuted", Role("line")),
    ("selectedBg", Role("select")),
    ("searchMatchBg", Role("match")),
    ("muted", Role("soft")),
    ("dim", Role("faint")),
    ("borderMuted", Role("ghost")),
    ("accent", Role("accent")),
    ("error", Role("red")),
    ("success", Role("green")),
    ("warning", Role("yellow")),
    ("syntaxNumber", Role("orange")),
    ("syntaxKeyword", Role("purple")),
    ("syntaxType", Role("cyan")),
    ("borderAccent", Fg("ui.border.focus")),
    ("scrollbarTrack", Fg("ui.scroll")),
    ("scrollbarThumb", Bg("ui.scroll.thumb")),
    ("userMessageText", Fg("agent.user")),
    ("userMessageBg", Bg("agent.user")),
    ("thinkingText", Fg("agent.thinking")),
    ("toolTitle", Fg("agent.tool.title")),
    ("toolOutput", Fg("agent.tool.output")),
    ("mdHeading", Fg("markdown.heading")),
    ("mdLink", Fg("markdown.link")),
    ("mdLinkUrl", Fg("markdown.url")),
    ("mdCode", Fg("markdown.code")),
    ("mdCodeBlock", Fg("markdown.code.block")),
    ("mdQuote", Fg("markdown.quote")),
    ("mdQuoteBorder", Fg("markdown.quote.bar")),
    ("mdHr", Fg("markdown.rule")),
    ("mdListBullet", Fg("markdown.bullet")),
    ("mdHeading", Fg("markup.heading")),
    ("mdLink", Fg("markup.link.text")),
    ("mdLinkUrl", Fg("markup.link.url")),
    ("mdCode", Fg("markup.raw")),
    ("mdQuote", Fg("markup.quote")),
    ("mdListBullet", Fg("markup.list")),
    ("toolDiffAdded", Fg("diff.added")),
    ("toolDiffRemoved", Fg("diff.removed")),
    ("toolDiffContext", Fg("diff")),
    ("toolDiffAdded", Fg("diff.plus")),
    ("toolDiffRemoved", Fg("diff.minus")),
    ("syntaxComment", Fg("comment")),
    ("syntaxKeyword", Fg("keyword")),
    ("syntaxFunction", Fg("function")),
    ("syntaxVariable", Fg("variable")),
    ("syntaxString", Fg("string")),
    ("syntaxNumber", Fg("constant")),
    ("syntaxType", Fg("type")),
    ("syntaxType", Fg("constructor")),
    ("syntaxType", Fg("namespace")),
    ("syntaxOperator", Fg("operator")),
    ("syntaxPunctuation", Fg("punctuation")),
];

/// Grounds by which a theme without one is dark or light.
const GROUNDS: [&str; 4] = ["userMessageBg", "selectedBg", "toolPendingBg", "customMessageBg"];

/// What a color of pi is.
#[derive(Debug, Clone, Copy)]
enum PiColor {
    Known(Color),
    /// That of the terminal.
    Default,
    /// In a notation that is not read.
    Other,
}

type Variables<'a> = BTreeMap<String, &'a Value<'a>>;

/// Reads a theme.
pub(super) fn read(file: &JsonFile<'_>) -> Result<Draft, ImportError> {
    let variables: Variables<'_> =
        file.object("vars")?.iter().map(|row| (row.name.as_str().to_string(), &row.value)).collect();
    if file.get("colors").is_none() {
        return Err(file.theme.error(0, "not a pi theme: it needs an object `colors`"));
    }
    let mut draft = Draft { name: file.text("name")?.map(str::to_string), ..Draft::default() };
    draft.dark = file.text("appearance")?.map(|appearance| appearance != "light");
    for row in file.object("vars")? {
        match resolve(file, &row.value, &variables, 0)? {
            PiColor::Known(color) => draft.palette.push((row.name.as_str().to_string(), color)),
            PiColor::Default => {}
            PiColor::Other => draft.problems.push(unread(file, row)),
        }
    }
    let mut colors = BTreeMap::new();
    for (rows, prefix) in [(file.object("colors")?, ""), (file.object("export")?, "export.")] {
        for row in rows {
            let key = format!("{prefix}{}", row.name.as_str());
            match resolve(file, &row.value, &variables, 0)? {
                PiColor::Known(color) => drop(colors.insert(key, Some(color))),
                PiColor::Default => drop(colors.insert(key, None)),
                PiColor::Other => draft.problems.push(unread(file, row)),
            }
        }
    }
    let find = |key: &str| colors.get(key).copied().flatten();
    let keys = draft.map(COLORS, find);
    draft.unmapped = colors.keys().filter(|key| !keys.contains(key.as_str())).cloned().collect();
    draft.dark = draft.dark.or_else(|| GROUNDS.iter().find_map(|key| is_dark(find(key)?)));
    Ok(draft)
}

fn unread(file: &JsonFile<'_>, row: &ast::ObjectProp<'_>) -> String {
    let (name, line) = (row.name.as_str(), file.line(&row.value));
    format!(
        "{}:{line}: the color of `{name}` is not read: only #rrggbb, oklch() and 0 to 255",
        file.theme.file
    )
}

/// Returns the color of a value, which may name a variable.
fn resolve(
    file: &JsonFile<'_>,
    value: &Value<'_>,
    variables: &Variables<'_>,
    depth: usize,
) -> Result<PiColor, ImportError> {
    let text = match value {
        Value::StringLit(text) => text.value.trim(),
        Value::NumberLit(number) => {
            let index = number.value.parse::<u8>().map(|index| PiColor::Known(Color::Indexed(index)));
            return index.map_err(|_| file.error(value, "a number of a color is 0 to 255"));
        }
        _ => return Err(file.error(value, "a color must be \"#rrggbb\", 0 to 255, a name of `vars` or \"\"")),
    };
    if text.is_empty() {
        return Ok(PiColor::Default);
    }
    if let Some(variable) = variables.get(text) {
        if depth == REFERENCES_MAX {
            return Err(file.error(value, format!("`{text}` of `vars` refers to itself in a circle")));
        }
        return resolve(file, variable, variables, depth + 1);
    }
    if let Some(color) = color::parse(text).filter(|_| text.starts_with('#')).or_else(|| oklch(text)) {
        return Ok(PiColor::Known(color));
    }
    if text.ends_with(')') {
        return Ok(PiColor::Other);
    }
    Err(file.error(value, format!("`{text}` is neither #rrggbb nor in `vars`: add it there")))
}

/// Reads `oklch(lightness chroma hue)` as in CSS; colors that a screen cannot show are cut to those that it can.
fn oklch(text: &str) -> Option<Color> {
    let inner = text.strip_prefix("oklch(")?.strip_suffix(')')?;
    let parts: Vec<&str> = inner.split([' ', ',']).filter(|part| !part.is_empty()).collect();
    let [lightness, chroma, hue] = parts[..] else { return None };
    let number = |text: &str, whole: f64| {
        let percent = text.strip_suffix('%');
        let number: f64 = percent.unwrap_or(text).parse().ok()?;
        Some(if percent.is_some() { number / 100.0 * whole } else { number })
            .filter(|number| number.is_finite())
    };
    let (lightness, chroma) = (number(lightness, 1.0)?, number(chroma, 0.4)?);
    let hue = number(hue.strip_suffix("deg").unwrap_or(hue), 360.0)?.to_radians();
    let (red, yellow) = (chroma * hue.cos(), chroma * hue.sin());
    // The matrices of Oklab's definition.
    let l = (lightness + 0.396_337_777_4 * red + 0.215_803_757_3 * yellow).powi(3);
    let m = (lightness - 0.105_561_345_8 * red - 0.063_854_172_8 * yellow).powi(3);
    let s = (lightness - 0.089_484_177_5 * red - 1.291_485_548 * yellow).powi(3);
    let byte = |linear: f64| {
        let part =
            if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        (part.clamp(0.0, 1.0) * 255.0).round() as u8
    };
    Some(Color::Rgb(
        byte(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s),
        byte(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s),
        byte(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::import::theme_file::ThemeText;
    use ratatui::style::Style;

    fn draft(text: &str) -> Result<Draft, String> {
        let file = JsonFile::parse(ThemeText { file: "t.json", text }).map_err(|error| error.to_string())?;
        read(&file).map_err(|error| error.to_string())
    }

    #[test]
    fn import_pi_maps_variables_and_colors() {
        let text = r##"{ "name": "lake", "vars": { "wave": "#78c8ff", "foam": "wave", "odd": "okhsl(1 2 3)" },
            "colors": { "accent": "foam", "text": "", "userMessageBg": "#203040", "userMessageText": "wave",
              "syntaxKeyword": 208, "syntaxString": "oklch(1 0 0)", "thinkingHigh": "#fff",
              "dim": "okhsl(1 2 3)" }, "export": { "cardBg": "#101820" } }"##;
        let draft = draft(text).unwrap();
        let wave = Color::Rgb(120, 200, 255);
        assert_eq!((draft.name.as_deref(), draft.dark), (Some("lake"), Some(true)));
        assert_eq!(draft.palette, [("wave".to_string(), wave), ("foam".to_string(), wave)]);
        assert_eq!((draft.roles["accent"], draft.roles["panel"]), (wave, Color::Rgb(16, 24, 32)));
        assert!(!draft.roles.contains_key("text") && !draft.roles.contains_key("bg"));
        assert_eq!(draft.styles["agent.user"], Style::new().fg(wave).bg(Color::Rgb(32, 48, 64)));
        assert_eq!(draft.styles["keyword"].fg, Some(Color::Indexed(208)));
        assert_eq!(draft.styles["string"].fg, Some(Color::Rgb(255, 255, 255)));
        assert_eq!(draft.unmapped, ["thinkingHigh"]);
        assert_eq!(draft.problems.len(), 2);
        assert!(
            draft.problems[0].starts_with("t.json:1: the color of `odd` is not read"),
            "{:?}",
            draft.problems
        );
    }

    #[test]
    fn import_pi_is_dark_by_its_word_or_its_grounds() {
        let dark = |text: &str| draft(text).unwrap().dark;
        assert_eq!(dark("{\"appearance\": \"light\", \"colors\": {\"selectedBg\": \"#000\"}}"), Some(false));
        assert_eq!(dark("{\"colors\": {\"selectedBg\": \"#ddd\"}}"), Some(false));
        assert_eq!(dark("{\"colors\": {}}"), None);
    }

    #[test]
    fn import_pi_errors_name_file_and_line() {
        for (text, said) in [
            ("{}", "t.json:1: not a pi theme"),
            ("{\"colors\": 1}", "t.json:1: `colors` must be an object"),
            ("{\n\"vars\": 1, \"colors\": {}}", "t.json:2: `vars` must be an object"),
            ("{\"colors\": {\n\"text\": 256}}", "t.json:2: a number of a color is 0 to 255"),
            ("{\"colors\": {\"text\": -1}}", "t.json:1: a number of a color is 0 to 255"),
            ("{\"colors\": {\"text\": []}}", "t.json:1: a color must be"),
            ("{\"colors\": {\"text\": \"ink\"}}", "t.json:1: `ink` is neither #rrggbb nor in `vars`"),
            (
                "{\"vars\": {\"a\": \"b\",\n\"b\": \"a\"}, \"colors\": {}}",
                "t.json:1: `b` of `vars` refers to itself",
            ),
        ] {
            let error = draft(text).unwrap_err();
            assert!(error.starts_with(said), "{text}: {error}");
        }
    }

    #[test]
    fn import_pi_oklch_is_that_of_css() {
        for (text, color) in [
            ("oklch(0 0 0)", Some(Color::Rgb(0, 0, 0))),
            ("oklch(62.8% 0.2577 29.23)", Some(Color::Rgb(255, 0, 0))),
            ("oklch(0.452 0.3132 264.05deg)", Some(Color::Rgb(0, 0, 255))),
            ("oklch(1 2)", None),
            ("oklch(a b c)", None),
        ] {
            let close = match (oklch(text), color) {
                (Some(found), Some(wanted)) => {
                    let (found, wanted) = (color::rgb(found).unwrap(), color::rgb(wanted).unwrap());
                    let far =
                        [found.0.abs_diff(wanted.0), found.1.abs_diff(wanted.1), found.2.abs_diff(wanted.2)];
                    far.iter().all(|far| *far <= 2)
                }
                (found, wanted) => found == wanted,
            };
            assert!(close, "{text}: {:?}", oklch(text));
        }
    }
}
