//! The settings screen: finding and changing settings, where they are written, and what takes effect at once.

use std::fmt::Write as _;

use bowline::config::{ROWS, load};
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::features::settings::store::SETTINGS;
use bowline::ide::shell::catalog::CATALOG;

use crate::support::test_ide::{IdeSetup, TestIde};

fn user_file(ide: &TestIde) -> String {
    std::fs::read_to_string(ide.home("config/settings.toml")).unwrap_or_default()
}

async fn open(ide: &mut TestIde, typed: &str) {
    ide.keys("Ctrl-,").await;
    ide.type_in(typed).await;
    ide.headless.idle().await;
}

#[tokio::test]
async fn settings_screen_switches_saves_and_takes_effect_at_once() {
    let text = "# Mine.\nmouse = true # needed\n";
    let setup = IdeSetup::new().config_file("settings.toml", text).with("a.rs", "fn main() {}\n");
    let mut ide = setup.size(100, 34).start().await;
    assert!(ide.picture().contains("1 fn main"), "{}", ide.picture());
    open(&mut ide, "").await;
    ide.snap("settings_screen");
    ide.type_in("line-numbers").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(ide.status_message().starts_with("Saved line-numbers = false in "), "{}", ide.status_message());
    assert_eq!(user_file(&ide), format!("{text}line-numbers = false\n"));
    ide.snap("settings_screen_changed");
    ide.keys("Enter Enter Enter").await;
    ide.headless.idle().await;
    assert_eq!(user_file(&ide), format!("{text}line-numbers = true\n"), "each Enter switches");
    ide.keys("Enter Escape").await;
    ide.headless.idle().await;
    assert!(!ide.picture().contains("1 fn main"), "{}", ide.picture());
    let loaded = load::load(Some(&ide.home("config/settings.toml")), None);
    assert!(loaded.problems.is_empty() && !loaded.settings.line_numbers);
}

#[tokio::test]
async fn settings_screen_finds_by_description_and_asks_for_values() {
    let mut ide = IdeSetup::new().with("a.txt", "\tx\n").size(100, 34).start().await;
    open(&mut ide, "tab stop").await;
    ide.keys("Enter Ctrl-u").await;
    ide.type_in("99").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("tab-width must be a whole number from 1 to 16"), "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    ide.type_in("2").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(user_file(&ide), "tab-width = 2\n");
    assert_eq!(ide.state().text_options.tab_width, 2);
    ide.keys("Ctrl-u").await;
    ide.type_in("whitespace").await;
    ide.keys("Enter").await;
    ide.snap("settings_values");
    ide.keys("Down Down Enter").await;
    ide.headless.idle().await;
    assert_eq!(user_file(&ide), "tab-width = 2\nwhitespace = \"all\"\n");
    ide.keys("Ctrl-u").await;
    ide.type_in("rulers").await;
    ide.keys("Enter").await;
    ide.type_in("80, 100").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.state().display.rulers, [80, 100]);
    assert!(user_file(&ide).ends_with("rulers = [80, 100]\n"), "{}", user_file(&ide));
}

#[tokio::test]
async fn settings_search_takes_words_and_other_names_but_no_scattered_letters() {
    let mut ide = IdeSetup::new().size(100, 34).start().await;
    open(&mut ide, "").await;
    for (typed, first) in [
        ("word wrap", Some("soft-wrap")),
        ("reasoning", Some("thinking")),
        ("tab size", Some("tab-width")),
        ("keybindings", Some("keymap")),
        ("mouse", Some("mouse")),
        ("model", Some("model")),
        ("leaves terminal", Some("mouse")),
        ("sticky-lines", Some("sticky-lines")),
        ("highlight current", Some("caret-line")),
        ("Agent timeout", Some("command-timeout-ms")),
        ("wlls", None),
        ("pnf", None),
    ] {
        ide.keys("Ctrl-u").await;
        ide.type_in(typed).await;
        ide.headless.idle().await;
        let picker = ide.state().layers.top::<Picker>().unwrap();
        let found = picker.current().and_then(|row| row.pick.get::<&'static str>().copied());
        assert_eq!(found, first, "{typed}: {}", ide.picture());
    }
    ide.keys("Ctrl-u").await;
    let rows = |ide: &mut TestIde| ide.state().layers.top::<Picker>().unwrap().matches() as usize;
    assert_eq!(rows(&mut ide), ROWS.len() + 1, "without a query all are listed, and the keys");
    ide.type_in("line-numbers").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(rows(&mut ide), 1, "a change keeps the query: {}", ide.picture());
}

#[tokio::test]
async fn settings_reset_removes_the_line_and_its_effect() {
    let text = "# Mine.\ntab-width = 8\nmouse = false\n";
    let mut ide = IdeSetup::new().config_file("settings.toml", text).size(100, 34).start().await;
    open(&mut ide, "tab-width").await;
    ide.keys("Ctrl-r").await;
    ide.headless.idle().await;
    assert!(ide.status_message().starts_with("Removed tab-width from "), "{}", ide.status_message());
    assert!(user_file(&ide).ends_with("mouse = false\n") && !user_file(&ide).contains("tab-width"));
    assert_eq!(ide.state().text_options.tab_width, 4);
    ide.keys("Ctrl-r").await;
    assert_eq!(ide.status_message(), "tab-width has its default");
}

#[tokio::test]
async fn settings_of_the_project_are_changed_in_its_file() {
    let setup = IdeSetup::new().config_file("settings.toml", "tab-width = 8\n");
    let mut ide = setup.with(".bowline/settings.toml", "tab-width = 3\n").size(100, 34).start().await;
    open(&mut ide, "tab-width").await;
    assert!(ide.picture().contains("Set by the project: "), "{}", ide.picture());
    ide.keys("Enter Ctrl-u").await;
    ide.type_in("5").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(std::fs::read_to_string(ide.path(".bowline/settings.toml")).unwrap(), "tab-width = 5\n");
    assert_eq!(user_file(&ide), "tab-width = 8\n");
    ide.keys("Ctrl-r").await;
    ide.headless.idle().await;
    assert_eq!(ide.state().text_options.tab_width, 8, "the user's value is left");
    assert!(ide.picture().contains("Set by you: "), "{}", ide.picture());
}

#[tokio::test]
async fn settings_file_takes_effect_when_saved_and_problems_are_said() {
    let mut ide = IdeSetup::new().config_file("settings.toml", "tab-width = 8\n").size(100, 34).start().await;
    open(&mut ide, "tab-width").await;
    ide.keys("Ctrl-o").await;
    ide.headless.idle().await;
    ide.keys("Ctrl-End").await;
    ide.type_in("scrollbar = false\nindent-guides = 3\n").await;
    ide.keys("Ctrl-s").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(!ide.state().display.scrollbar, "{picture}");
    assert!(
        ide.status_message().ends_with("settings.toml:3: indent-guides must be true or false; ignored"),
        "{}",
        ide.status_message()
    );
    ide.type_in("= = 1\n").await;
    ide.keys("Ctrl-s").await;
    ide.headless.idle().await;
    assert!(ide.status_message().contains("settings.toml:4:"), "{}", ide.status_message());
    assert!(ide.status_message().ends_with("; the settings in use stay"), "{}", ide.status_message());
    assert!(!ide.state().display.scrollbar, "a broken file changes nothing");
}

#[tokio::test]
async fn settings_of_a_broken_file_are_not_overwritten() {
    let text = "mouse = = 1\n";
    let mut ide = IdeSetup::new().config_file("settings.toml", text).size(100, 34).start().await;
    open(&mut ide, "scrollbar").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(ide.status_message().contains("settings.toml, line 1"), "{}", ide.status_message());
    assert!(ide.status_message().contains("correct the file first"), "{}", ide.status_message());
    assert!(ide.state().display.scrollbar, "what was not saved does not count");
    assert!(ide.picture().contains("Not set by you"), "{}", ide.picture());
    assert_eq!(user_file(&ide), text);
}

#[tokio::test]
async fn settings_written_by_another_program_are_seen_on_opening_and_kept() {
    let mut ide = IdeSetup::new().size(100, 34).start().await;
    std::fs::create_dir_all(ide.home("config")).unwrap();
    std::fs::write(ide.home("config/settings.toml"), "# Theirs.\nrelative-numbers = true\n").unwrap();
    open(&mut ide, "relative").await;
    assert!(ide.picture().contains("Relative line numbers") && ide.picture().contains("Set by you"));
    assert!(ide.state().display.relative);
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(user_file(&ide), "# Theirs.\nrelative-numbers = false\n");
}

#[tokio::test]
async fn settings_key_map_is_chosen_with_the_users_and_saved() {
    let mut ide = IdeSetup::new().with("a.txt", "x\n").size(100, 34).start().await;
    ide.headless.app().with_cx(|cx| assert!(cx.state.slots[SETTINGS].loaded.origin("keymap").is_none()));
    open(&mut ide, "keymap").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    ide.snap("settings_keymaps");
    ide.type_in("vim").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(user_file(&ide), "keymap = \"vim\"\n");
    ide.keys("Escape d d").await;
    assert_eq!(ide.picture().matches("1 x").count(), 0, "{}", ide.picture());
}

#[tokio::test]
async fn settings_screen_fits_small_windows() {
    for (cols, rows) in [(20, 5), (40, 12), (80, 24), (250, 70)] {
        let mut ide = IdeSetup::new().size(cols, rows).start().await;
        open(&mut ide, "mouse").await;
        assert!(ide.picture().contains("mouse"), "{cols}x{rows}:\n{}", ide.picture());
        ide.keys("Enter").await;
        ide.headless.idle().await;
        assert_eq!(user_file(&ide), "mouse = false\n", "{cols}x{rows}");
    }
}

#[tokio::test]
async fn settings_screen_leads_to_keys_and_back() {
    let mut ide = IdeSetup::new().size(80, 24).start().await;
    let on_top = |ide: &mut TestIde| {
        let picker = ide.state().layers.top::<Picker>().expect("a list");
        (picker.spec.id, picker.current().map(|row| row.text.clone()).unwrap_or_default())
    };
    open(&mut ide, "shortcuts").await;
    assert_eq!(on_top(&mut ide), ("settings", "Edit keyboard shortcuts".to_string()));
    assert!(ide.picture().contains("Enter open  Escape close"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(on_top(&mut ide).0, "key-bindings");
    ide.keys("Escape").await;
    assert_eq!(on_top(&mut ide), ("settings", "Edit keyboard shortcuts".to_string()));
    ide.keys("Ctrl-r").await;
    assert_eq!(user_file(&ide), "", "it is no setting");
}

#[tokio::test]
async fn settings_descriptions_are_shown_whole() {
    for (cols, rows) in [(80, 24), (40, 12)] {
        for setting in ROWS {
            let mut ide = IdeSetup::new().size(cols, rows).start().await;
            open(&mut ide, setting.key).await;
            let picker = ide.state().layers.top::<Picker>().unwrap();
            let found = (0..picker.matches()).position(|n| {
                picker.rows(n, 1).next().is_some_and(|row| row.pick.get::<&str>() == Some(&setting.key))
            });
            for _ in 0..found.expect("its key finds it") {
                ide.keys("Down").await;
            }
            let picture = ide.picture();
            let words = |text: &str| text.replace(|c: char| "│╭╮╰╯─".contains(c), " ");
            let shown: Vec<String> = words(&picture).split_whitespace().map(String::from).collect();
            let wanted: Vec<String> = setting.doc.split_whitespace().map(String::from).collect();
            let is_whole = shown.windows(wanted.len()).any(|window| window == wanted);
            assert!(is_whole, "{} at {cols}x{rows}:\n{picture}", setting.key);
        }
    }
}

/// The beginning of the page on settings.
const PAGE: &str = "# Settings

`Ctrl-,` or `/settings` lists the settings by name with their values; `●` marks those that a file sets. Typing searches names,
keys and descriptions. Enter changes the selected one and saves it in the file where it is set, or else in yours,
`~/.config/bowline/settings.toml`; comments stay. `Ctrl-r` removes it from the file, `Ctrl-o` opens the file there. The row
“Edit keyboard shortcuts” leads to the list of keys, and Escape back.

A project may set those with a `p` below in `.bowline/settings.toml`, which goes before yours. Options of the command line go
before both. A file that is saved in the editor takes effect at once, as far as `now` says so; the others count at the next
start. A line that is wrong is reported with its number and ignored, be it no TOML; while the program runs, a file with
such a line changes nothing until it is corrected.
";

#[test]
fn settings_page_describes_every_setting() {
    let mut page = PAGE.to_string();
    let mut group = "";
    for row in ROWS {
        if row.group != group {
            group = row.group;
            let head = "| setting | name | values | default | | |";
            write!(page, "\n## {group}\n\n{head}\n|---|---|---|---|---|---|\n").unwrap();
        }
        let default = if row.default.is_empty() { String::new() } else { format!("`{}`", row.default) };
        let marks = [CATALOG.setting(row.key).map(|_| "now"), row.project.then_some("p")];
        let marks = marks.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let (key, title, values, doc) = (row.key, row.title, row.kind.describe(), row.doc);
        writeln!(page, "| `{key}` | {title} | {values} | {default} | {marks} | {doc} |").unwrap();
    }
    let path = crate::source::root().join("docs/settings.md");
    if std::env::var_os("COMMANDS_UPDATE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), page, "COMMANDS_UPDATE=1 writes it");
}

#[tokio::test]
async fn settings_value_that_is_refused_says_why_also_in_a_narrow_window() {
    for size in [(80, 24), (40, 12)] {
        let mut ide = IdeSetup::new().with("a.txt", "one\n").size(size.0, size.1).start().await;
        ide.keys("Ctrl-,").await;
        ide.type_in("scroll margin").await;
        ide.keys("Enter Ctrl-u").await;
        ide.type_in("99").await;
        ide.keys("Enter").await;
        let picture = ide.picture();
        assert!(picture.contains("scroll-margin must be a whole"), "{picture}");
        assert!(picture.contains("99"), "the answer is kept: {picture}");
    }
}
