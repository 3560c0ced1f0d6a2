//! Reads a color theme of VS Code: JSON with comments, `colors` of the screen by key, `tokenColors` by `TextMate` scope.
//!
//! Must not know files or how the result is written.

use std::collections::BTreeMap;

use jsonc_parser::ast::{self, Value};
use ratatui::style::{Color, Modifier};

use super::draft::{Draft, Row, Target};
use super::json::{JsonFile, get};
use super::textmate::{self, Rule};
use super::theme_file::{ImportError, REFERENCES_MAX, ReadFile, ThemeText};
use crate::tui::theme::color::blend;

use Target::{Bg, Fg, Role};

/// Colors of the screen.
const UI: &[Row] = &[
    ("editor.background", Role("bg")),
    ("editor.foreground", Role("text")),
    ("foreground", Role("text")),
    ("sideBar.background", Role("panel")),
    ("panel.background", Role("panel")),
    ("quickInput.background", Role("raised")),
    ("editorWidget.background", Role("raised")),
    ("menu.background", Role("raised")),
    ("editorHoverWidget.background", Role("raised")),
    ("panel.border", Role("line")),
    ("editorGroup.border", Role("line")),
    ("sideBar.border", Role("line")),
    ("contrastBorder", Role("line")),
    ("editor.selectionBackground", Role("select")),
    ("list.activeSelectionBackground", Role("select")),
    ("sideBar.foreground", Role("soft")),
    ("descriptionForeground", Role("faint")),
    ("editorLineNumber.foreground", Role("faint")),
    ("editorWhitespace.foreground", Role("ghost")),
    ("textLink.foreground", Role("accent")),
    ("focusBorder", Role("accent")),
    ("button.background", Role("accent")),
    ("terminal.ansiBlue", Role("accent")),
    ("errorForeground", Role("red")),
    ("editorError.foreground", Role("red")),
    ("terminal.ansiRed", Role("red")),
    ("terminal.ansiGreen", Role("green")),
    ("gitDecoration.addedResourceForeground", Role("green")),
    ("terminal.ansiYellow", Role("yellow")),
    ("editorWarning.foreground", Role("yellow")),
    ("terminal.ansiMagenta", Role("purple")),
    ("terminal.ansiCyan", Role("cyan")),
    ("diffEditor.insertedLineBackground", Role("add")),
    ("diffEditor.insertedTextBackground", Role("add")),
    ("diffEditor.removedLineBackground", Role("remove")),
    ("diffEditor.removedTextBackground", Role("remove")),
    ("editor.findMatchHighlightBackground", Role("match")),
    ("editorLineNumber.foreground", Fg("ui.linenr")),
    ("editorLineNumber.activeForeground", Fg("ui.linenr.active")),
    ("editor.lineHighlightBackground", Bg("ui.caret-line")),
    ("editorWhitespace.foreground", Fg("ui.whitespace")),
    ("editorIndentGuide.background1", Fg("ui.guide")),
    ("editorIndentGuide.background", Fg("ui.guide")),
    ("editorInlayHint.foreground", Fg("ui.inlay")),
    ("editorStickyScroll.background", Bg("ui.sticky")),
    ("list.inactiveSelectionBackground", Bg("ui.row.soft")),
    ("editorGutter.addedBackground", Fg("ui.gutter.added")),
    ("editorGutter.modifiedBackground", Fg("ui.gutter.changed")),
    ("editorGutter.deletedBackground", Fg("ui.gutter.removed")),
    ("focusBorder", Fg("ui.border.focus")),
    ("input.placeholderForeground", Fg("ui.placeholder")),
    ("editorBracketHighlight.foreground1", Fg("rainbow.1")),
    ("editorBracketHighlight.foreground2", Fg("rainbow.2")),
    ("editorBracketHighlight.foreground3", Fg("rainbow.3")),
    ("editorBracketHighlight.foreground4", Fg("rainbow.4")),
    ("editorBracketHighlight.foreground5", Fg("rainbow.5")),
    ("editorBracketHighlight.foreground6", Fg("rainbow.6")),
    ("editorError.foreground", Fg("error")),
    ("editorWarning.foreground", Fg("warning")),
    ("editorInfo.foreground", Fg("info")),
    ("editorHint.foreground", Fg("hint")),
];

/// A color with its opacity.
type Translucent = (Color, u8);

/// What the files of a theme say, the included ones first.
#[derive(Default)]
struct VscodeFiles {
    name: Option<String>,
    kind: Option<String>,
    colors: BTreeMap<String, Translucent>,
    rules: Vec<TokenRule>,
    /// By type of a semantic token.
    semantic: Vec<TokenRule>,
    problems: Vec<String>,
}

/// A rule whose color may be translucent.
struct TokenRule {
    selector: String,
    color: Option<Translucent>,
    attributes: Option<Modifier>,
}

/// Reads a theme, with the files that it includes.
pub(super) fn read(file: &JsonFile<'_>, read: ReadFile<'_>) -> Result<Draft, ImportError> {
    let mut files = VscodeFiles::default();
    files.add(file, read, 0)?;
    let dark = files.kind.as_deref().map(|kind| !["light", "vs", "hcLight", "hc-light"].contains(&kind));
    let own = files.color("editor.background");
    let over = if dark == Some(false) { Color::Rgb(255, 255, 255) } else { Color::Rgb(0, 0, 0) };
    let ground = own.map_or(over, |own| flat(own, over));
    let mut draft = Draft { name: files.name.take(), dark, ..Draft::default() };
    if own.is_some() {
        draft.roles.insert("bg", ground);
    }
    let keys = draft.map(UI, |key| files.color(key).map(|color| flat(color, ground)));
    draft.unmapped = files.colors.keys().filter(|key| !keys.contains(key.as_str())).cloned().collect();
    files.map_tokens(&mut draft, ground);
    draft.problems = files.problems;
    Ok(draft)
}

impl VscodeFiles {
    /// Adds a file after those that it includes.
    fn add(&mut self, file: &JsonFile<'_>, read: ReadFile<'_>, depth: usize) -> Result<(), ImportError> {
        if let (Some(include), Some(value)) = (file.text("include")?, file.get("include")) {
            if depth == REFERENCES_MAX {
                return Err(file.error(value, "themes include each other in a circle: remove one `include`"));
            }
            let (name, text) = read(file.theme.file, include).map_err(|why| file.error(value, why))?;
            let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
            self.add(&JsonFile::parse(ThemeText { file: &name, text })?, read, depth + 1)?;
        }
        self.name = file.text("name")?.map(str::to_string).or(self.name.take());
        self.kind = file.text("type")?.map(str::to_string).or(self.kind.take());
        for property in file.object("colors")? {
            match color_of(&property.value) {
                Some(color) => drop(self.colors.insert(property.name.as_str().to_string(), color)),
                // A color that a theme takes from the default one.
                None if is_default(&property.value) => drop(self.colors.remove(property.name.as_str())),
                None => self.problem(file, &property.value, "not a color; #rrggbb or #rrggbbaa is one"),
            }
        }
        match file.get("tokenColors") {
            Some(Value::Array(rules)) => {
                for rule in &rules.elements {
                    self.add_rule(file, rule)?;
                }
            }
            Some(other @ Value::StringLit(path)) => {
                let message = format!("rules in another file are not read: {}", path.value);
                self.problem(file, other, &message);
            }
            Some(other) => {
                return Err(file.error(other, "`tokenColors` must be a list of rules: write [ … ]"));
            }
            None => {}
        }
        for property in file.object("semanticTokenColors")? {
            self.add_semantic(file, property);
        }
        Ok(())
    }

    /// Adds a rule of `tokenColors`, once for each of its scopes.
    fn add_rule(&mut self, file: &JsonFile<'_>, rule: &Value<'_>) -> Result<(), ImportError> {
        let Value::Object(rule) = rule else {
            return Err(file.error(rule, "a rule must be an object with `scope` and `settings`"));
        };
        let settings = match get(rule, "settings") {
            None => return Ok(()),
            Some(Value::Object(settings)) => settings,
            Some(other) => return Err(file.error(other, "`settings` must be an object: write { … }")),
        };
        let selectors: Vec<String> = match get(rule, "scope") {
            // Without a scope it is for all text, and the only one with a ground.
            None => {
                for (part, key) in [("foreground", "foreground"), ("background", "editor.background")] {
                    if let Some(color) = get(settings, part).and_then(color_of) {
                        self.colors.entry(key.to_string()).or_insert(color);
                    }
                }
                return Ok(());
            }
            Some(Value::StringLit(text)) => text.value.split(',').map(str::to_string).collect(),
            Some(Value::Array(list)) => {
                let text = |value: &Value<'_>| match value {
                    Value::StringLit(text) => Ok(text.value.to_string()),
                    other => Err(file.error(other, "a scope must be a text: write \"…\"")),
                };
                list.elements.iter().map(text).collect::<Result<_, _>>()?
            }
            Some(other) => return Err(file.error(other, "`scope` must be a text or a list of texts")),
        };
        let (color, attributes) = self.settings(file, settings);
        for selector in selectors.iter().flat_map(|text| text.split(',')) {
            self.rules.push(TokenRule { selector: selector.trim().to_string(), color, attributes });
        }
        Ok(())
    }

    /// Adds a rule of `semanticTokenColors`: a color, or an object as in `settings`.
    fn add_semantic(&mut self, file: &JsonFile<'_>, property: &ast::ObjectProp<'_>) {
        let selector = property.name.as_str().to_string();
        let (color, attributes) = match &property.value {
            Value::Object(settings) => self.settings(file, settings),
            other => {
                let color = color_of(other);
                if color.is_none() && !is_default(other) {
                    self.problem(file, other, "neither a color nor an object with `foreground`");
                }
                (color, None)
            }
        };
        self.semantic.push(TokenRule { selector, color, attributes });
    }

    /// Returns color and attributes of a rule.
    fn settings(
        &mut self,
        file: &JsonFile<'_>,
        settings: &ast::Object<'_>,
    ) -> (Option<Translucent>, Option<Modifier>) {
        let color = get(settings, "foreground").and_then(|value| {
            let color = color_of(value);
            if color.is_none() && !is_default(value) {
                self.problem(file, value, "not a color; #rrggbb or #rrggbbaa is one");
            }
            color
        });
        let style = get(settings, "fontStyle").and_then(Value::as_string_lit);
        let mut attributes = style.map(|text| textmate::attributes(&text.value));
        for (key, word) in [("bold", "bold"), ("italic", "italic"), ("underline", "underline")] {
            if get(settings, key).and_then(Value::as_boolean_lit).is_some_and(|flag| flag.value) {
                attributes = Some(attributes.unwrap_or_default() | textmate::attributes(word));
            }
        }
        (color, attributes)
    }

    /// Takes the styles of code, and those of prose that follow from them.
    fn map_tokens(&self, draft: &mut Draft, ground: Color) {
        let flatten = |rule: &TokenRule| Rule {
            selector: rule.selector.clone(),
            color: rule.color.filter(|(_, opacity)| *opacity > 0).map(|color| flat(color, ground)),
            attributes: rule.attributes,
        };
        let rules: Vec<Rule> = self.rules.iter().map(flatten).collect();
        let semantic: Vec<Rule> = self.semantic.iter().map(flatten).collect();
        for (table, rules) in [(textmate::SCOPES, &rules), (textmate::SEMANTIC, &semantic)] {
            for (scope, theirs) in table {
                if !draft.styles.contains_key(*scope)
                    && let Some(style) = textmate::style(rules, theirs)
                {
                    draft.styles.insert((*scope).to_string(), style);
                }
            }
        }
        for (scope, code) in textmate::PROSE {
            if let Some(color) = draft.styles.get(*code).and_then(|style| style.fg) {
                draft.styles.entry((*scope).to_string()).or_default().fg = Some(color);
            }
        }
        let known = |rule: &&Rule| textmate::SEMANTIC.iter().any(|(_, kind)| rule.selector == *kind);
        let mut unmapped: Vec<String> =
            rules.iter().filter(|rule| !rule.is_mapped()).map(|rule| rule.selector.clone()).collect();
        unmapped.extend(semantic.iter().filter(|rule| !known(rule)).map(|rule| rule.selector.clone()));
        unmapped.retain(|selector| !selector.is_empty());
        unmapped.sort();
        unmapped.dedup();
        draft.unmapped.extend(unmapped);
    }

    /// Returns a color that can be seen.
    fn color(&self, key: &str) -> Option<Translucent> {
        self.colors.get(key).copied().filter(|(_, opacity)| *opacity > 0)
    }

    fn problem(&mut self, file: &JsonFile<'_>, value: &Value<'_>, message: &str) {
        self.problems.push(format!("{}:{}: {message}", file.theme.file, file.line(value)));
    }
}

/// Whether a value says that the color is that of VS Code's own theme.
fn is_default(value: &Value<'_>) -> bool {
    match value {
        Value::NullKeyword(_) => true,
        Value::StringLit(text) => text.value == "default",
        _ => false,
    }
}

/// Reads `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`.
fn color_of(value: &Value<'_>) -> Option<Translucent> {
    let hex = value.as_string_lit()?.value.strip_prefix('#')?.to_string();
    if !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let hex = if hex.len() < 6 { hex.chars().flat_map(|digit| [digit, digit]).collect() } else { hex };
    let byte = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    let opacity = match hex.len() {
        6 => 255,
        8 => byte(6)?,
        _ => return None,
    };
    Some((Color::Rgb(byte(0)?, byte(2)?, byte(4)?), opacity))
}

/// Returns what a translucent color looks like over a ground.
fn flat((color, opacity): Translucent, ground: Color) -> Color {
    blend(color, ground, f64::from(opacity) / 255.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(text: &str) -> Result<Draft, String> {
        let files = |from: &str, name: &str| match name {
            "./base.json" => {
                let text = "{\"type\": \"light\", \"colors\": {\"editor.foreground\": \"#222\", \"focusBorder\": \"#f00\"}, \
                    \"tokenColors\": [{\"scope\": \"comment\", \"settings\": {\"foreground\": \"#888\"}}]}";
                Ok((format!("{from}>base.json"), text.to_string()))
            }
            "circle.json" => Ok((name.to_string(), "{\n\"include\": \"circle.json\"}".to_string())),
            _ => Err(format!("no file {name}")),
        };
        let text = JsonFile::parse(ThemeText { file: "t.json", text }).map_err(|error| error.to_string())?;
        read(&text, &files).map_err(|error| error.to_string())
    }

    #[test]
    fn import_vscode_maps_screen_and_tokens() {
        let text = r##"{ // A lake.
            "name": "Lake", "include": "./base.json",
            "colors": {
                "editor.background": "#ffffff", "editor.selectionBackground": "#0000ff80",
                "focusBorder": null, "badge.background": "#123456", "panel.border": "#00000000",
                "editor.foreground": "rouge",
            },
            "tokenColors": [
                { "settings": { "foreground": "#111111", "background": "#eeeeee" } },
                { "scope": ["string", "meta.odd"], "settings": { "foreground": "#008000", "fontStyle": "bold" } },
                { "scope": "keyword, storage.type", "settings": { "foreground": "#800080" } },
                { "scope": "source.css keyword", "settings": { "foreground": "#ff0000" } },
                { "scope": "markup.heading", "settings": { "foreground": "#0000aa" } },
            ],
            "semanticTokenColors": { "macro": "#aa0000", "parameter": { "italic": true }, "comment": "#000", "x.y": "#fff" },
        }"##;
        let draft = draft(text).unwrap();
        let fg = |scope: &str| draft.styles[scope].fg.unwrap();
        assert_eq!((draft.name.as_deref(), draft.dark), (Some("Lake"), Some(false)));
        assert_eq!(
            (draft.roles["bg"], draft.roles["text"]),
            (Color::Rgb(255, 255, 255), Color::Rgb(34, 34, 34))
        );
        assert_eq!(draft.roles["select"], Color::Rgb(127, 127, 255), "blended over the ground");
        assert!(!draft.roles.contains_key("accent") && !draft.roles.contains_key("line"));
        assert_eq!(draft.styles["string"].add_modifier, Modifier::BOLD);
        assert_eq!(
            (fg("keyword"), fg("keyword.storage.type")),
            (Color::Rgb(128, 0, 128), Color::Rgb(128, 0, 128))
        );
        assert_eq!(fg("comment"), Color::Rgb(136, 136, 136), "TextMate rules count before semantic ones");
        assert_eq!(
            (fg("function.macro"), fg("markdown.heading")),
            (Color::Rgb(170, 0, 0), Color::Rgb(0, 0, 170))
        );
        assert_eq!(draft.styles["variable.parameter"].add_modifier, Modifier::ITALIC);
        assert_eq!(draft.unmapped, ["badge.background", "meta.odd", "source.css keyword", "x.y"]);
        assert_eq!(draft.problems, ["t.json:6: not a color; #rrggbb or #rrggbbaa is one"]);
    }

    #[test]
    fn import_vscode_rule_without_scope_gives_ground_and_text() {
        let draft = draft(
            "{\"tokenColors\": [{\"settings\": {\"foreground\": \"#eee\", \"background\": \"#111\"}}]}",
        )
        .unwrap();
        assert_eq!(
            (draft.roles["bg"], draft.roles["text"]),
            (Color::Rgb(17, 17, 17), Color::Rgb(238, 238, 238))
        );
    }

    #[test]
    fn import_vscode_errors_name_file_and_line() {
        for (text, said) in [
            ("{\"include\": \"gone.json\"}", "t.json:1: no file gone.json"),
            ("{\"include\": \"circle.json\"}", "circle.json:2: themes include each other in a circle"),
            ("{\n\"include\": 1}", "t.json:2: `include` must be a text"),
            ("{\n\"colors\": []}", "t.json:2: `colors` must be an object"),
            ("{\"tokenColors\": {}}", "t.json:1: `tokenColors` must be a list"),
            ("{\"tokenColors\": [\n1]}", "t.json:2: a rule must be an object"),
            ("{\"tokenColors\": [{\"scope\": 1, \"settings\": {}}]}", "t.json:1: `scope` must be"),
            ("{\"tokenColors\": [{\"scope\": [1], \"settings\": {}}]}", "t.json:1: a scope must be a text"),
            ("{\"tokenColors\": [{\"settings\": 1}]}", "t.json:1: `settings` must be"),
        ] {
            let error = draft(text).unwrap_err();
            assert!(error.starts_with(said), "{text}: {error}");
        }
    }
}
