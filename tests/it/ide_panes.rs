//! Panes: the agent's title row, zoom, borders that the mouse moves, and sizes that are kept for the folder.

use std::time::Duration;

use bowline::llm::model::ErrorKind;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tui::input::{Button, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide() -> TestIde {
    IdeSetup::new().with("a.txt", "the text\n").size(140, 30).start().await
}

fn row(ide: &mut TestIde, n: usize) -> String {
    ide.picture().lines().nth(n + 1).unwrap_or_default().to_string()
}

/// Widths of file tree, editor and agent's pane, 0 where one is not shown.
fn widths(ide: &mut TestIde) -> [u16; 3] {
    ide.picture();
    let areas = ide.state().areas;
    [areas.files, areas.editor, areas.transcript].map(|area| area.map_or(0, |area| area.width))
}

fn drag(ide: &mut TestIde, from: (u16, u16), to: (u16, u16)) {
    ide.mouse(MouseKind::Down(Button::Left), from.0, from.1);
    ide.mouse(MouseKind::Drag(Button::Left), to.0, to.1);
    ide.mouse(MouseKind::Up(Button::Left), to.0, to.1);
}

#[tokio::test]
async fn agent_title_shows_first_message_activity_and_time() {
    let turns = [Turn::of(vec![Step::Text(vec!["one".to_string()]), Step::Gate])];
    let mut ide = IdeSetup::new().turns(turns).size(100, 20).start().await;
    assert!(row(&mut ide, 0).contains("New session"), "{}", ide.picture());
    ide.send_prompt("count to two").await;
    ide.wait_for_text("one").await;
    ide.advance(Duration::from_secs(3));
    let title = row(&mut ide, 0);
    assert!(title.contains("count to two") && title.contains(" 3 s"), "{title}");
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    let title = row(&mut ide, 0);
    assert!(title.contains("✓ 3 s"), "{title}");
    ide.type_in("/name the loop").await;
    ide.keys("Enter").await;
    assert!(row(&mut ide, 0).contains("the loop"), "{}", ide.picture());
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    let title = row(&mut ide, 0);
    assert!(title.contains("New session") && !title.contains('✓'), "{title}");
}

#[tokio::test]
async fn agent_title_says_that_turn_failed() {
    let mut ide =
        IdeSetup::new().turns([Turn::fail(ErrorKind::InvalidRequest, "no")]).size(100, 20).start().await;
    ide.prompt("go").await;
    let title = row(&mut ide, 0);
    assert!(title.contains("✗ failed"), "{title}");
}

#[tokio::test]
async fn zoom_gives_focused_pane_the_screen_until_another_has_the_focus() {
    let mut ide = ide().await;
    let before = widths(&mut ide);
    assert!(before.iter().all(|width| *width > 0));
    ide.keys("F11").await;
    assert_eq!(widths(&mut ide), [0, 140, 0]);
    assert!(ide.picture().contains("zoomed · F11"), "{}", ide.picture());
    ide.keys("F11").await;
    assert_eq!(widths(&mut ide), before);
    ide.keys("Alt-#").await;
    assert_eq!(widths(&mut ide), [0, 0, 140]);
    ide.keys("Alt-!").await;
    assert_eq!(widths(&mut ide), [140, 0, 0], "another pane takes the zoom over");
    ide.keys("Alt-2").await;
    assert_eq!(widths(&mut ide), before, "and moving the focus ends it");
    ide.keys("Alt-1").await;
    assert_eq!(widths(&mut ide), before, "for all panes");
}

#[tokio::test]
async fn zoomed_terminal_is_started_and_has_the_screen() {
    let mut ide = ide().await;
    ide.keys("Alt-$").await;
    ide.wait_for("the terminal", |state| state.areas.terminal.is_some_and(|area| area.width == 140)).await;
    assert_eq!(widths(&mut ide), [0, 0, 0]);
    ide.keys("Alt-$").await;
    assert!(ide.state().areas.terminal.is_some_and(|area| area.width < 140));
}

#[tokio::test]
async fn borders_follow_the_mouse_and_sizes_return_with_the_folder() {
    let setup = IdeSetup::new().restore_session().size(140, 30).file("a.txt", "the text\n");
    let mut ide = setup.start().await;
    ide.keys("Ctrl-p").await;
    ide.type_in("a.txt").await;
    ide.keys("Enter").await;
    let [files, _, agent] = widths(&mut ide);
    drag(&mut ide, (files - 1, 9), (30, 9));
    drag(&mut ide, (140 - agent, 5), (90, 7));
    assert_eq!(widths(&mut ide), [31, 90 - 31, 50]);
    assert_eq!(ide.current_file_name(), "a.txt", "a press on a border is no click on what is beside it");
    ide.keys("Alt-3 Alt-5 >").await;
    assert_eq!(widths(&mut ide), [31, 86 - 31, 54]);
    ide.keys("Alt-2").await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    let mut ide = ide.restart().restore_session().size(140, 30).start().await;
    assert_eq!(widths(&mut ide), [31, 86 - 31, 54]);
}

#[tokio::test]
async fn border_dragged_too_far_leaves_every_pane_some_columns() {
    let mut ide = ide().await;
    let [files, _, agent] = widths(&mut ide);
    drag(&mut ide, (140 - agent, 5), (0, 5));
    assert_eq!(widths(&mut ide), [files, 20, 120 - files]);
    drag(&mut ide, (20 + files, 5), (139, 5));
    assert_eq!(widths(&mut ide), [files, 110 - files, 30]);
}
