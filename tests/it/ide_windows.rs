//! Windows: several views of texts, each with cursors and a place of its own.

use bowline::ide::core::keymap::BUILTIN;
use bowline::tui::input::{Button, Input, MouseKind};

use crate::support::desk::{Desk, Plan};

fn lines(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat()
}

async fn alone(plan: Plan, cols: u16, rows: u16) -> Desk {
    let mut desk = plan.size(cols, rows).start().await;
    desk.keys("Alt-2 Alt-a").await;
    desk
}

#[tokio::test]
async fn a_file_has_two_views_of_its_own() {
    let mut desk = alone(Plan::new().with("a.txt", lines(60)), 90, 16).await;
    desk.keys("Alt-5 v").await;
    desk.keys("Ctrl-End").await;
    desk.snap("windows_beside");
    assert_eq!(desk.cursor().0, 61);
    desk.keys("Alt-5 Left").await;
    assert_eq!(desk.cursor().0, 1, "the other view kept its place");
    desk.type_in("X").await;
    desk.keys("Enter").await;
    desk.keys("Alt-5 Right").await;
    assert_eq!(desk.cursor().0, 62, "its cursor went along with what was typed above it");
    assert!(desk.picture().contains("Xline") || desk.picture().contains(" X"), "{}", desk.picture());
    desk.keys("Ctrl-z Ctrl-z").await;
    assert!(!desk.picture().contains(" X"), "both views show the same text: {}", desk.picture());
    desk.keys("Alt-5 c").await;
    assert!(!desk.picture().contains("line 60"), "the left window has the room again");
    desk.keys("Alt-5 c").await;
    assert_eq!(desk.message(), "This is the only window. Close file: Alt-w");
}

#[tokio::test]
async fn windows_titles_mark_the_first_edit_of_a_text() {
    let (_, vscode) = BUILTIN.iter().find(|(name, _)| *name == "vscode").unwrap();
    let mut desk = Plan::new().keymap(vscode).start().await;
    desk.ide.press("Escape Ctrl-n Alt-5 v F2 Enter");
    desk.ide.input(Input::Paste(String::new()));
    desk.ide.press("Alt-7 x");
    // The caret's line is all that an edit inside it draws; the desk compares with everything drawn.
    desk.type_now(" ");
    assert_eq!(desk.picture().matches(" scratch ●").count(), 3, "{}", desk.picture());
}

#[tokio::test]
async fn windows_show_files_of_their_own() {
    let plan = Plan::new().with("a.rs", "fn a() {}\n").with("b.rs", "fn b() {}\n");
    let mut desk = alone(plan, 90, 16).await;
    desk.keys("Alt-5 s Alt-PageDown").await;
    desk.snap("windows_below");
    let upper = desk.shown();
    desk.keys("Alt-5 Up").await;
    assert_ne!(desk.shown(), upper);
    desk.keys("Alt-5 Up").await;
    assert_eq!(desk.message(), "No window in that direction");
    desk.keys("Alt-5 w").await;
    assert_eq!(desk.shown(), upper);
    // A file that is closed leaves every window.
    desk.keys("Alt-w").await;
    let picture = desk.picture();
    assert!(!picture.contains(&format!("fn {}()", &upper[..1])), "{picture}");
    desk.keys("Alt-5 o").await;
    assert_eq!(desk.state().windows.count(), 1);
}

#[tokio::test]
async fn windows_outlive_a_tiny_screen() {
    let mut desk = alone(Plan::new().with("a.txt", lines(60)), 120, 30).await;
    desk.keys("Alt-5 v Alt-5 s Ctrl-End").await;
    let before = desk.picture();
    desk.ide.resize(20, 5);
    desk.ide.idle().await;
    desk.snap("windows_tiny");
    desk.ide.resize(120, 30);
    desk.ide.idle().await;
    let rows = |desk: &mut Desk| desk.state().beside.len();
    assert_eq!(rows(&mut desk), 2);
    desk.keys("Alt-5 w").await;
    assert_eq!(desk.cursor().0, 1);
    desk.keys("Alt-5 w Alt-5 w").await;
    assert_eq!(desk.picture().lines().count(), before.lines().count());
    assert_eq!(desk.cursor().0, 61);
}

#[tokio::test]
async fn windows_are_resized_by_keys_and_the_mouse() {
    let mut desk = alone(Plan::new().with("a.txt", lines(60)), 90, 16).await;
    desk.keys("Alt-5 v").await;
    let width = |desk: &mut Desk| desk.state().shown.clone().unwrap().area.width;
    let before = width(&mut desk);
    desk.keys("Alt-5 >").await;
    assert_eq!(width(&mut desk), before + 4);
    desk.keys("Alt-5 < Alt-5 <").await;
    assert_eq!(width(&mut desk), before - 4);
    desk.keys("Alt-5 =").await;
    let border = desk.state().borders[0].area;
    desk.mouse(MouseKind::Down(Button::Left), border.x, 8);
    desk.mouse(MouseKind::Drag(Button::Left), border.x - 10, 8);
    desk.mouse(MouseKind::Up(Button::Left), border.x - 10, 8);
    desk.ide.idle().await;
    assert_eq!(desk.state().borders[0].area.x, border.x - 10);
    assert!(desk.selected().iter().all(String::is_empty), "nothing was selected by that");
    desk.keys("Alt-5 o Alt-5 s Alt-5 +").await;
    let title = desk.state().shown.clone().unwrap().title.unwrap();
    desk.mouse(MouseKind::Down(Button::Left), title.x + 20, title.y);
    desk.mouse(MouseKind::Drag(Button::Left), title.x + 20, title.y - 2);
    desk.mouse(MouseKind::Up(Button::Left), title.x + 20, title.y - 2);
    desk.ide.idle().await;
    assert_eq!(desk.state().shown.clone().unwrap().title.unwrap().y, title.y - 2);
}

#[tokio::test]
async fn the_mouse_goes_from_window_to_window() {
    let mut desk = alone(Plan::new().with("a.txt", lines(60)), 90, 16).await;
    desk.keys("Alt-5 v Ctrl-End").await;
    let (x, y) = desk.find("line 3");
    desk.mouse(MouseKind::ScrollDown, x, y);
    assert!(desk.picture().contains("line 4 ") && !desk.picture().contains("line 3 "), "{}", desk.picture());
    assert_eq!(desk.cursor().0, 61, "the wheel leaves the keys where they are");
    let (x, y) = desk.find("line 5 ");
    desk.click(x + 2, y);
    assert_eq!(desk.cursor(), (5, 3));
    desk.keys("Alt-5 Right").await;
    assert_eq!(desk.cursor().0, 61);
}

#[tokio::test]
async fn typing_in_one_of_two_views_shows_in_both() {
    let mut desk = alone(Plan::new().with("a.txt", lines(5)), 90, 16).await;
    desk.keys("Alt-5 v").await;
    desk.type_in("é").await;
    desk.type_in("漢").await;
    let picture = desk.picture();
    assert_eq!(picture.matches("é漢line 1").count(), 2, "{picture}");
}

const CODE: &str = "mod outer {\n    fn first() {\n        one();\n\n\n\n\n\n\n\n        two();\n    }\n\n    fn second() {\n        three();\n    }\n}\n";

#[tokio::test]
async fn names_of_what_is_around_are_above_the_text() {
    let mut desk = alone(Plan::new().with("a.rs", CODE), 80, 24).await;
    desk.keys("Alt-, h Ctrl-g").await;
    desk.type_in("11").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains(" a.rs › outer › first"), "{}", desk.picture());
    let (x, y) = desk.find("outer › first");
    desk.click(x, y);
    assert_eq!(desk.cursor(), (1, 5));
    assert!(!desk.picture().contains("› first"));
    desk.keys("Ctrl-End").await;
    assert!(!desk.picture().contains("›"));
    desk.keys("Alt-, h").await;
    assert!(desk.state().shown.clone().unwrap().title.is_none());
}

#[tokio::test]
async fn heads_of_what_the_first_row_is_in_stay() {
    let mut desk = alone(Plan::new().with("a.rs", CODE), 60, 12).await;
    desk.keys("Alt-, t Ctrl-g").await;
    desk.type_in("15").await;
    desk.keys("Enter").await;
    desk.snap("sticky");
    let (x, y) = desk.find("mod outer");
    desk.click(x, y);
    assert_eq!(desk.cursor(), (1, 1));
    desk.keys("Down Down").await;
    assert_eq!(desk.state().shown.clone().unwrap().sticky, 0);
}

#[tokio::test]
async fn the_line_of_files_can_be_hidden() {
    let mut desk = Plan::new().with("a.txt", "one\n").with("b.txt", "two\n").start().await;
    desk.state().look.tabs = bowline::ide::model::display::Tabs::Several;
    desk.state().damage.all();
    assert!(desk.picture().contains(" a.txt  b.txt"));
    let (x, y) = desk.find("a.txt");
    desk.mouse(MouseKind::Down(Button::Middle), x, y);
    desk.ide.idle().await;
    assert_eq!(desk.state().buffers.all().len(), 1);
    assert!(desk.state().areas.tabs.is_none(), "{}", desk.picture());
    desk.keys("Alt-, T Alt-, T").await;
    assert!(desk.state().areas.tabs.is_some());
}

#[tokio::test]
async fn windows_that_do_not_fit_are_told() {
    let mut desk = Plan::new().with("a.txt", "one\n").size(20, 5).start().await;
    for keys in ["Alt-5 v", "Alt-5 s"] {
        desk.keys("Right").await;
        desk.keys(keys).await;
        assert_eq!(desk.message(), "Not enough room: only this window is shown");
    }
    desk.ide.resize(120, 40);
    desk.keys("Alt-5 s").await;
    assert_eq!(desk.message(), "");
}
