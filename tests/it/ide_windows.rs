//! Windows: several views of texts, each with cursors and a place of its own.

use bowline::ide::core::keys::keymap::BUILTIN;
use bowline::tui::input::{Button, Input, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

fn numbered_lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat()
}

async fn ide_with_only_editor(plan: IdeSetup, cols: u16, rows: u16) -> TestIde {
    let mut ide = plan.size(cols, rows).start().await;
    ide.keys("Alt-2 Alt-a").await;
    ide
}

#[tokio::test]
async fn split_views_of_one_file_have_own_cursors() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.txt", numbered_lines(60)), 90, 16).await;
    ide.keys("Alt-5 v").await;
    ide.keys("Ctrl-End").await;
    ide.snap("windows_beside");
    assert_eq!(ide.cursor().0, 61);
    ide.keys("Alt-5 Left").await;
    assert_eq!(ide.cursor().0, 1, "the other view kept its place");
    ide.type_in("X").await;
    ide.keys("Enter").await;
    ide.keys("Alt-5 Right").await;
    assert_eq!(ide.cursor().0, 62, "its cursor went along with what was typed above it");
    assert!(ide.picture().contains("Xline") || ide.picture().contains(" X"), "{}", ide.picture());
    ide.keys("Ctrl-z Ctrl-z").await;
    assert!(!ide.picture().contains(" X"), "both views show the same text: {}", ide.picture());
    ide.keys("Alt-5 c").await;
    assert!(!ide.picture().contains("line 60"), "the left window has the room again");
    ide.keys("Alt-5 c").await;
    assert_eq!(ide.status_message(), "This is the only window. Close file: Alt-w");
}

#[tokio::test]
async fn split_titles_mark_first_edit() {
    let (_, vscode) = BUILTIN.iter().find(|(name, _)| *name == "vscode").unwrap();
    let mut ide = IdeSetup::new().keymap(vscode).start().await;
    ide.headless.press("Escape Ctrl-n Alt-5 v F2 Enter");
    ide.headless.input(Input::Paste(String::new()));
    ide.headless.press("Alt-7 x");
    // The caret's line is all that an edit inside it draws; the ide compares with everything drawn.
    ide.type_without_settling(" ");
    assert_eq!(ide.picture().matches(" scratch ●").count(), 3, "{}", ide.picture());
}

#[tokio::test]
async fn split_window_that_was_hidden_colors_what_changed_meanwhile() {
    let plan = IdeSetup::new().with("a.rs", "fn main() {}\n").with("b.txt", "text\n");
    let mut ide = ide_with_only_editor(plan, 90, 16).await;
    ide.keys("Alt-5 v Alt-PageDown").await;
    assert_eq!(ide.current_file_name(), "b.txt");
    // The agent takes all of the screen; the file changes on disk.
    ide.keys("Alt-a Alt-#").await;
    assert!(!ide.picture().contains("fn main"), "{}", ide.picture());
    ide.write_file("a.rs", "\"string\"; fn main() {}\n");
    ide.focus_window().await;
    // Each frame is compared with one that draws everything.
    ide.headless.press("Alt-#");
    assert!(ide.picture().contains("\"string\"; fn main"), "{}", ide.picture());
}

#[tokio::test]
async fn split_windows_show_different_files() {
    let plan = IdeSetup::new().with("a.rs", "fn a() {}\n").with("b.rs", "fn b() {}\n");
    let mut ide = ide_with_only_editor(plan, 90, 16).await;
    ide.keys("Alt-5 s Alt-PageDown").await;
    ide.snap("windows_below");
    let upper = ide.current_file_name();
    ide.keys("Alt-5 Up").await;
    assert_ne!(ide.current_file_name(), upper);
    ide.keys("Alt-5 Up").await;
    assert_eq!(ide.status_message(), "No window in that direction");
    ide.keys("Alt-5 w").await;
    assert_eq!(ide.current_file_name(), upper);
    // A file that is closed leaves every window.
    ide.keys("Alt-w").await;
    let picture = ide.picture();
    assert!(!picture.contains(&format!("fn {}()", &upper[..1])), "{picture}");
    ide.keys("Alt-5 o").await;
    assert_eq!(ide.state().windows.count(), 1);
}

#[tokio::test]
async fn split_windows_survive_tiny_screen() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.txt", numbered_lines(60)), 120, 30).await;
    ide.keys("Alt-5 v Alt-5 s Ctrl-End").await;
    let before = ide.picture();
    ide.headless.resize(20, 5);
    ide.headless.idle().await;
    ide.snap("windows_tiny");
    ide.headless.resize(120, 30);
    ide.headless.idle().await;
    let rows = |ide: &mut TestIde| ide.state().other_visible_rows.len();
    assert_eq!(rows(&mut ide), 2);
    ide.keys("Alt-5 w").await;
    assert_eq!(ide.cursor().0, 1);
    ide.keys("Alt-5 w Alt-5 w").await;
    assert_eq!(ide.picture().lines().count(), before.lines().count());
    assert_eq!(ide.cursor().0, 61);
}

#[tokio::test]
async fn split_windows_resize_by_keys_and_mouse() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.txt", numbered_lines(60)), 90, 16).await;
    ide.keys("Alt-5 v").await;
    let width = |ide: &mut TestIde| ide.state().visible_rows.clone().unwrap().area.width;
    let before = width(&mut ide);
    ide.keys("Alt-5 >").await;
    assert_eq!(width(&mut ide), before + 4);
    ide.keys("Alt-5 < Alt-5 <").await;
    assert_eq!(width(&mut ide), before - 4);
    ide.keys("Alt-5 =").await;
    let border = ide.state().borders[0].area;
    ide.mouse(MouseKind::Down(Button::Left), border.x, 8);
    ide.mouse(MouseKind::Drag(Button::Left), border.x - 10, 8);
    ide.mouse(MouseKind::Up(Button::Left), border.x - 10, 8);
    ide.headless.idle().await;
    assert_eq!(ide.state().borders[0].area.x, border.x - 10);
    assert!(ide.selected_texts().iter().all(String::is_empty), "nothing was selected by that");
    ide.keys("Alt-5 o Alt-5 s Alt-5 +").await;
    let title = ide.state().visible_rows.clone().unwrap().title.unwrap();
    ide.mouse(MouseKind::Down(Button::Left), title.x + 20, title.y);
    ide.mouse(MouseKind::Drag(Button::Left), title.x + 20, title.y - 2);
    ide.mouse(MouseKind::Up(Button::Left), title.x + 20, title.y - 2);
    ide.headless.idle().await;
    assert_eq!(ide.state().visible_rows.clone().unwrap().title.unwrap().y, title.y - 2);
}

#[tokio::test]
async fn split_window_mouse_scrolls_and_focuses() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.txt", numbered_lines(60)), 90, 16).await;
    ide.keys("Alt-5 v Ctrl-End").await;
    let (x, y) = ide.find("line 3");
    ide.mouse(MouseKind::ScrollDown, x, y);
    assert!(ide.picture().contains("line 4 ") && !ide.picture().contains("line 3 "), "{}", ide.picture());
    assert_eq!(ide.cursor().0, 61, "the wheel leaves the keys where they are");
    let (x, y) = ide.find("line 5 ");
    ide.click(x + 2, y);
    assert_eq!(ide.cursor(), (5, 3));
    ide.keys("Alt-5 Right").await;
    assert_eq!(ide.cursor().0, 61);
}

#[tokio::test]
async fn split_views_both_show_typed_text() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.txt", numbered_lines(5)), 90, 16).await;
    ide.keys("Alt-5 v").await;
    ide.type_in("é").await;
    ide.type_in("漢").await;
    let picture = ide.picture();
    assert_eq!(picture.matches("é漢line 1").count(), 2, "{picture}");
}

const CODE: &str = "mod outer {\n    fn first() {\n        one();\n\n\n\n\n\n\n\n        two();\n    }\n\n    fn second() {\n        three();\n    }\n}\n";

#[tokio::test]
async fn breadcrumbs_show_enclosing_symbols() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.rs", CODE), 80, 24).await;
    ide.keys("Alt-, v h Ctrl-g").await;
    ide.type_in("11").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains(" a.rs › outer › first"), "{}", ide.picture());
    let (x, y) = ide.find("outer › first");
    ide.click(x, y);
    assert_eq!(ide.cursor(), (1, 5));
    assert!(!ide.picture().contains("› first"));
    ide.keys("Ctrl-End").await;
    assert!(!ide.picture().contains("›"));
    ide.keys("Alt-, v h").await;
    assert!(ide.state().visible_rows.clone().unwrap().title.is_none());
}

#[tokio::test]
async fn sticky_header_shows_enclosing_blocks() {
    let mut ide = ide_with_only_editor(IdeSetup::new().with("a.rs", CODE), 60, 12).await;
    ide.keys("Alt-, v t Ctrl-g").await;
    ide.type_in("15").await;
    ide.keys("Enter").await;
    ide.snap("sticky");
    let (x, y) = ide.find("mod outer");
    ide.click(x, y);
    assert_eq!(ide.cursor(), (1, 1));
    ide.keys("Down Down").await;
    assert_eq!(ide.state().visible_rows.clone().unwrap().sticky, 0);
}

#[tokio::test]
async fn tab_bar_can_be_hidden() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").with("b.txt", "two\n").start().await;
    ide.state().display.tabs = bowline::ide::model::view::display::TabLineDisplay::Several;
    ide.state().damage.add_all();
    assert!(ide.picture().contains(" a.txt  b.txt"));
    let (x, y) = ide.find("a.txt");
    ide.mouse(MouseKind::Down(Button::Middle), x, y);
    ide.headless.idle().await;
    assert_eq!(ide.state().buffers.all().len(), 1);
    assert!(ide.state().areas.tabs.is_none(), "{}", ide.picture());
    ide.keys("Alt-, v T Alt-, v T").await;
    assert!(ide.state().areas.tabs.is_some());
}

#[tokio::test]
async fn split_without_room_is_reported() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(20, 5).start().await;
    for keys in ["Alt-5 v", "Alt-5 s"] {
        ide.keys("Right").await;
        ide.keys(keys).await;
        assert_eq!(ide.status_message(), "Not enough room: only this window is shown");
    }
    ide.headless.resize(120, 40);
    ide.advance(std::time::Duration::from_secs(5));
    ide.keys("Alt-5 s").await;
    assert_eq!(ide.status_message(), "");
}

#[tokio::test]
async fn fold_opened_by_the_focused_window_is_open_in_the_window_before_it() {
    let text = "fn main() {\n    one();\n    two();\n}\n";
    let mut ide = IdeSetup::new().with("a.rs", text).size(120, 24).start().await;
    ide.keys("Alt-5 v").await;
    ide.keys("Alt-, z f").await;
    let shown = |ide: &mut TestIde| ide.picture().matches("two();").count();
    assert_eq!(shown(&mut ide), 0, "{}", ide.picture());
    ide.keys("Ctrl-f").await;
    ide.type_in("two").await;
    ide.keys("Enter").await;
    assert_eq!(shown(&mut ide), 2, "{}", ide.picture());
}

#[tokio::test]
async fn window_titles_and_tabs_tell_files_of_one_name_apart() {
    let files = ["one/src/mod.rs", "two/src/mod.rs", "two/lib/mod.rs", "two/lib/main.rs"];
    let setup = files.iter().fold(IdeSetup::new().size(120, 24), |setup, file| setup.with(file, "x\n"));
    let mut ide = setup.start().await;
    ide.keys("Alt-2 Alt-5 v Alt-PageDown Alt-5 s Alt-PageDown").await;
    let shown = ide.picture();
    let rows: Vec<&str> = shown.lines().collect();
    for label in ["one/src/mod.rs", "two/src/mod.rs", "lib/mod.rs"] {
        assert!(
            rows.iter().filter(|row| row.contains(label)).count() >= 2,
            "{label} in tab and title: {shown}"
        );
    }
    assert!(
        !rows[1..22].concat().contains("two/lib/mod.rs") && !shown.contains("lib/main.rs"),
        "no more than needed: {shown}"
    );
}
