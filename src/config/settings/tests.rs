//! The table of settings against the struct and itself.

use super::row::Row;
use super::rows::ROWS;
use super::*;
use crate::config::kind::{Kind, Value};

#[test]
fn settings_defaults_match_rows() {
    let mut settings = Settings {
        theme: String::new(),
        keymap: String::new(),
        tab_width: 1,
        auto_pairs: false,
        auto_completion: false,
        server_display: ServerDisplay {
            language_server_memory: 512,
            inlay_hints: false,
            semantic_tokens: false,
            color_swatches: false,
            code_lens: true,
            typing: ServerTyping { format_on_type: true, linked_editing: true },
        },
        wrap_column: 1,
        line_numbers: false,
        relative_numbers: true,
        caret_line: false,
        match_brackets: false,
        whitespace: String::new(),
        indent_guides: true,
        rulers: vec![1],
        max_line_length: 1,
        scroll_margin: 1,
        accessible: true,
        scrollbar: false,
        soft_wrap: String::new(),
        restore: false,
        keep_undo: false,
        breadcrumbs: true,
        sticky_lines: true,
        tree_follow: true,
        rainbow_brackets: true,
        tab_line: String::new(),
        mouse: false,
        transport: String::new(),
        steering_mode: String::new(),
        follow_up_mode: String::new(),
        compaction: false,
        compaction_reserve_tokens: 1,
        compaction_keep_recent_tokens: 1,
        read_before_write: String::new(),
        command_timeout_ms: 1,
        command_timeout_max_ms: 1,
        ..Settings::default()
    };
    for row in ROWS.iter().filter(|row| !row.default.is_empty()) {
        let value = match row.default.strip_prefix('"') {
            Some(text) => Value::Text(text.trim_end_matches('"').to_string()),
            None if row.default == "[]" => Value::Numbers(Vec::new()),
            None if row.kind == Kind::Flag => Value::Flag(row.default == "true"),
            None => Value::Number(row.default.parse().unwrap()),
        };
        row.set(&mut settings, value).unwrap();
    }
    assert_eq!(settings, Settings::default());
}

#[test]
fn settings_keys_are_unique_and_documented() {
    let mut keys: Vec<&str> = ROWS.iter().map(|row| row.key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), ROWS.len());
    assert!(ROWS.iter().all(|row| !row.doc.is_empty()));
    let mut titles: Vec<&str> = ROWS.iter().map(|row| row.title).collect();
    titles.sort_unstable();
    titles.dedup();
    assert_eq!(titles.len(), ROWS.len(), "each has a name of its own");
    let mut groups: Vec<&str> = ROWS.iter().map(|row| row.group).collect();
    groups.dedup();
    let count = groups.len();
    groups.sort_unstable();
    groups.dedup();
    assert_eq!(groups.len(), count, "the rows of a group follow each other");
}

#[test]
fn settings_wrong_values_are_refused() {
    let mut settings = Settings::default();
    let mut set = |key: &str, value| Row::find(key).unwrap().set(&mut settings, value).unwrap_err();
    assert_eq!(set("tab-width", Value::Number(0)), "tab-width must be a whole number from 1 to 16");
    assert_eq!(set("mouse", Value::Text("yes".into())), "mouse must be true or false");
    let rulers = set("rulers", Value::Numbers(vec![80, 0]));
    assert_eq!(rulers, "rulers must be a list of whole numbers from 1 to 500");
    assert!(Row::find("soft-wrap").unwrap().set(&mut Settings::default(), Value::Flag(true)).is_ok());
    assert!(set("thinking", Value::Text("hard".into())).contains("one of off, minimal"));
    assert_eq!(settings, Settings::default());
}
