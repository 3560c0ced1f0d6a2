//! Themes while the program runs: the picker with its preview, the setting that it saves, the terminal's background.

use bowline::config::load;
use bowline::ide::features::themes::background;
use bowline::tui::theme::{ColorDepth, Theme};
use ratatui::style::Color;

use crate::support::test_ide::{IdeSetup, TestIde};

/// The ground of the screen.
fn ground(ide: &mut TestIde) -> Color {
    ide.headless.app().screen.buffer().content[0].bg
}

fn ground_of(theme: &str) -> Color {
    Theme::from_name(theme).unwrap().style("ui.panel").bg.unwrap()
}

fn settings(ide: &TestIde) -> String {
    std::fs::read_to_string(ide.home("config/settings.toml")).unwrap_or_default()
}

async fn choose(ide: &mut TestIde, typed: &str) {
    ide.keys("F1").await;
    ide.type_in("Choose theme").await;
    ide.keys("Enter").await;
    ide.type_in(typed).await;
    ide.headless.idle().await;
}

#[tokio::test]
async fn theme_picker_shows_the_selected_theme_and_saves_the_chosen_one() {
    let text = "# Mine.\ntheme = \"bowline-dark\" # calm\nmouse = false\n";
    let setup = IdeSetup::new().config_file("settings.toml", text).with("a.rs", "fn main() {}\n");
    let mut ide = setup.size(100, 30).start().await;
    assert_eq!(ground(&mut ide), ground_of("bowline-dark"));
    choose(&mut ide, "parch").await;
    assert_eq!(ground(&mut ide), ground_of("parchment"), "{}", ide.picture());
    assert_eq!(settings(&ide), text, "a preview is not saved");
    ide.keys("Escape").await;
    ide.headless.idle().await;
    assert_eq!(ground(&mut ide), ground_of("bowline-dark"));
    choose(&mut ide, "").await;
    ide.keys("Down Down Down").await;
    ide.headless.idle().await;
    assert_eq!(ground(&mut ide), ground_of("colorblind-dark"), "{}", ide.picture());
    ide.snap("theme_picker");
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "Theme: colorblind-dark");
    assert_eq!(settings(&ide), text.replace("bowline-dark", "colorblind-dark"));
    let loaded = load::load(Some(&ide.home("config/settings.toml")), None);
    assert!(loaded.problems.is_empty() && loaded.settings.theme == "colorblind-dark");
}

#[tokio::test]
async fn theme_chosen_right_before_quitting_is_saved() {
    let mut ide = IdeSetup::new().size(100, 30).start().await;
    choose(&mut ide, "mist").await;
    ide.headless.press("Enter");
    ide.headless.press("Ctrl-q");
    assert!(!ide.state().quit, "the theme is still being read");
    ide.headless.idle().await;
    assert!(ide.state().quit, "{}", ide.status_message());
    assert_eq!(settings(&ide), "theme = \"mist\"\n");
}

#[tokio::test]
async fn theme_is_not_saved_in_a_broken_settings_file() {
    let text = "theme = = 1\n";
    let mut ide = IdeSetup::new().config_file("settings.toml", text).size(100, 30).start().await;
    choose(&mut ide, "dusk").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert!(ide.status_message().contains("settings.toml, line 1"), "{}", ide.status_message());
    assert_eq!(settings(&ide), text);
    assert_eq!(ground(&mut ide), ground_of("bowline-dark"), "what was not saved does not count");
}

#[tokio::test]
async fn theme_follows_the_background_of_the_terminal() {
    let mut ide = IdeSetup::new().size(100, 30).start().await;
    assert_eq!(ground(&mut ide), ground_of("bowline-dark"));
    ide.headless.app().with_cx(|cx| background::on_background(cx, false));
    ide.headless.idle().await;
    assert_eq!(ground(&mut ide), ground_of("bowline-light"));
    assert_eq!(background::last_known(&ide.home("state")), Some(false), "for the next start");
    choose(&mut ide, "ember").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    ide.headless.app().with_cx(|cx| background::on_background(cx, true));
    ide.headless.idle().await;
    assert_eq!(ground(&mut ide), ground_of("ember"), "a single theme stays");
    ide.keys("Alt-3").await;
    ide.type_in("/theme mist/midnight").await;
    ide.keys("Escape Enter").await;
    ide.headless.idle().await;
    assert_eq!(ground(&mut ide), ground_of("midnight"));
    ide.headless.app().with_cx(|cx| background::on_background(cx, false));
    ide.headless.idle().await;
    assert_eq!(ground(&mut ide), ground_of("mist"));
}

#[tokio::test]
async fn theme_of_the_terminal_uses_its_sixteen_colors_only() {
    let setup = IdeSetup::new().with("a.rs", "// a\nfn main() { \"b\" }\n").colors(ColorDepth::Ansi16);
    let mut ide = setup.size(100, 30).start().await;
    choose(&mut ide, "auto").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    let is_named = |color: Color| matches!(color, Color::Reset | Color::Indexed(0..16));
    let buffer = ide.headless.app().screen.buffer();
    assert!(buffer.content.iter().all(|cell| is_named(cell.fg) && cell.bg == Color::Reset));
    assert!(buffer.content.iter().any(|cell| cell.fg == Color::Indexed(2)), "strings are green");
}
