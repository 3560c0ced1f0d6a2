//! Checks whole conversions, of own samples and of any text.

use proptest::prelude::*;

use super::{Source, convert, convert_pi};
use crate::tui::theme::Theme;
use crate::tui::theme::contrast::{ENOUGH, is_code, low_contrasts};

const HELIX: &str = r##"
"attribute" = "sand"
"comment" = { fg = "silt", modifiers = ["italic"] }
"keyword" = { fg = "dusk", modifiers = ["bold"] }
"string" = "reed"
"ui.background" = { bg = "deep" }
"ui.text" = "foam"
"ui.linenr" = "silt"
"ui.menu" = { fg = "foam", bg = "dusk" }
"ui.selection" = { bg = "silt" }
[palette]
deep = "#0b1a24"
foam = "#d8e6ec"
silt = "#2f4654"
sand = "#e0c080"
dusk = "#a080d0"
reed = "#90c070"
"##;

const VSCODE: &str = r##"{
    // Paper.
    "name": "Paper", "type": "light",
    "colors": { "editor.background": "#f6f2e8", "editor.foreground": "#3c3a35", "editorLineNumber.foreground": "#d0ccc0",
        "sideBar.background": "#2a2a2a", "list.activeSelectionBackground": "#204060", "focusBorder": "#ffffff33", },
    "tokenColors": [ { "scope": ["comment"], "settings": { "foreground": "#c0bcb0" } },
        { "scope": "string", "settings": { "foreground": "#2f7d32", "fontStyle": "italic" } }, ],
}"##;

const PI: &str = r##"{ "$schema": "x", "name": "lake", "vars": { "wave": "#2f5f8f", "red": "#401010" },
    "colors": { "accent": "wave", "text": "", "error": "red", "userMessageBg": "#102030", "userMessageText": "#203040",
      "dim": 240, "syntaxComment": 242, "mdHeading": "wave" } }"##;

#[test]
fn import_conversions_are_themes_whose_own_texts_are_readable() {
    let none = |_: &str, name: &str| Err(format!("no {name}"));
    for (text, source, dark) in
        [(HELIX, Source::Helix, true), (VSCODE, Source::VsCode, false), (PI, Source::Pi, true)]
    {
        let conversion = convert("t", text, &none).unwrap();
        assert_eq!((conversion.source, conversion.problems.len()), (source, 0), "{conversion:?}");
        let theme = Theme::parse("t", &conversion.text).unwrap();
        assert_eq!(theme.dark, dark);
        let low = low_contrasts(&theme, ENOUGH);
        assert!(low.iter().all(|low| is_code(&low.scope)), "{low:?}\n{}", conversion.text);
        assert!(low.iter().any(|low| low.scope == "comment"), "code is as the theme has it: {low:?}");
    }
}

/// A key and its value, with whatever a file may have in their places.
fn row() -> impl Strategy<Value = (String, String)> {
    let word = prop_oneof![
        Just("\"#8090a0\"".to_string()),
        Just("\"#80f0\"".to_string()),
        Just("\"ink\"".to_string()),
        Just("\"\"".to_string()),
        Just("\"oklch(9e99 -1 nan)\"".to_string()),
        Just("300".to_string()),
        Just("[\"a, b\", 1]".to_string()),
        Just("{\"fg\": \"ink\"}".to_string()),
        "\"\\PC{0,8}\"",
    ];
    let key = prop_oneof![
        prop::sample::select(vec![
            "colors",
            "vars",
            "export",
            "tokenColors",
            "semanticTokenColors",
            "include",
            "type",
            "name",
            "text",
            "dim",
            "editor.background",
            "editor.foreground",
            "ui.background",
            "ui.text",
            "palette",
            "inherits",
            "rainbow",
        ])
        .prop_map(str::to_string),
        "[a-z.]{1,12}",
        "\\PC{0,6}",
    ];
    (key, word)
}

/// Text like that of a theme.
fn theme_text() -> impl Strategy<Value = String> {
    let rows = prop::collection::vec(row(), 0..8);
    (prop::collection::vec((rows, "[a-zA-Z]{0,14}"), 0..4), 0..4usize).prop_map(|(parts, form)| {
        let json = |rows: &[(String, String)]| {
            rows.iter().map(|(key, value)| format!("{key:?}: {value},")).collect::<Vec<_>>().concat()
        };
        let toml = |rows: &[(String, String)]| {
            rows.iter().map(|(key, value)| format!("{key:?} = {value}\n")).collect::<Vec<_>>().concat()
        };
        let object = |name: &str, rows: &[(String, String)]| format!("{name:?}: {{{}}},", json(rows));
        match form {
            0 => {
                let inner = parts.iter().map(|(rows, name)| object(name, rows)).collect::<String>();
                let colors = parts.iter().map(|(rows, _)| object("colors", rows)).collect::<String>();
                format!("{{{inner}{colors}}}")
            }
            1 => {
                let rules = parts.iter().map(|(rows, scope)| {
                    format!("{{\"scope\": \"{scope}, keyword\", \"settings\": {{{}}}}},", json(rows))
                });
                format!("{{\"tokenColors\": [{}]}}", rules.collect::<String>())
            }
            2 => parts.iter().map(|(rows, _)| toml(rows)).collect(),
            _ => {
                let palette = parts.iter().map(|(rows, _)| toml(rows)).next().unwrap_or_default();
                let scopes = parts.iter().skip(1).map(|(rows, _)| toml(rows)).collect::<String>();
                format!("{scopes}[palette]\n{palette}")
            }
        }
    })
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(512))]

    /// Whatever the text is, there is an error with a line or a theme that can be read.
    #[test]
    fn import_of_any_text_is_an_error_or_a_theme(text in prop_oneof![theme_text(), ".{0,200}"]) {
        let itself = |_: &str, name: &str| {
            if name.len() > 6 { Err("none".to_string()) } else { Ok((name.to_string(), text.clone())) }
        };
        for result in [convert("t", &text, &itself), convert_pi("t", &text)] {
            match result {
                Ok(conversion) => {
                    let theme = Theme::parse("t", &conversion.text);
                    prop_assert!(theme.is_ok(), "{:?}\n{}", theme, conversion.text);
                }
                Err(error) => prop_assert!(error.line >= 1 && !error.message.is_empty(), "{error}"),
            }
        }
    }
}
