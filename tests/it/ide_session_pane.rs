//! The session tree as a pane beside the text: it follows the session, and its keys are those of the full screen.

use std::time::Duration;

use bowline::ide::core::panes::Focus;
use bowline::ide::features::sessions::pane::TREE_PANE;
use bowline::ide::features::sessions::view::SessionView;
use bowline::llm::providers::scripted::Turn;
use bowline::tui::input::{Button, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide(setup: IdeSetup, prompts: &[&str]) -> TestIde {
    let turns: Vec<Turn> = (1..=prompts.len() + 4).map(|n| Turn::text(&format!("answer {n}"))).collect();
    let mut ide = setup.turns(turns).start().await;
    for prompt in prompts {
        ide.prompt(prompt).await;
    }
    ide
}

/// The rows of the pane, without its title.
fn pane(ide: &mut TestIde) -> Vec<String> {
    let picture = ide.picture();
    let Some(area) = ide.state().areas.session_tree else { return Vec::new() };
    let lines = picture.lines().skip(1 + usize::from(area.y) + 1).take(usize::from(area.height) - 1);
    let rows = lines.map(|line| line.chars().skip(1).take(area.width.into()).collect::<String>());
    rows.map(|row| row.trim().to_string()).filter(|row| !row.is_empty()).collect()
}

fn drag(ide: &mut TestIde, from: (u16, u16), to: (u16, u16)) {
    ide.mouse(MouseKind::Down(Button::Left), from.0, from.1);
    ide.mouse(MouseKind::Drag(Button::Left), to.0, to.1);
    ide.mouse(MouseKind::Up(Button::Left), to.0, to.1);
}

fn prompt(ide: &mut TestIde) -> String {
    ide.state().prompt.area.text().to_string()
}

#[tokio::test]
async fn session_pane_follows_the_session_and_is_closed_by_its_key() {
    let mut ide = ide(IdeSetup::new().size(120, 24), &["make a loop"]).await;
    ide.keys("Alt-Shift-t").await;
    assert_eq!(ide.state().panes.focus, Focus::SessionTree);
    assert!(pane(&mut ide)[0].contains("● make a loop"), "{}", ide.picture());
    assert!(pane(&mut ide)[1].contains("◉ answer 1"), "{}", ide.picture());
    ide.keys("Alt-3").await;
    ide.prompt("make it stop").await;
    ide.headless.idle().await;
    let rows = pane(&mut ide);
    assert!(rows[2].contains("● make it stop") && rows[3].contains("◉ answer 2"), "{rows:?}");
    ide.snap("session_pane");
    ide.keys("Alt-Shift-t").await;
    assert_eq!((pane(&mut ide), ide.state().panes.focus), (vec![], Focus::Agent));
}

#[tokio::test]
async fn session_pane_moves_the_conversation_and_stays() {
    let mut ide = ide(IdeSetup::new().size(120, 24), &["make a loop", "make it stop", "add a test"]).await;
    ide.keys("Alt-Shift-t").await;
    ide.keys("Up Up Up Enter").await;
    assert_eq!((prompt(&mut ide), ide.state().panes.focus), ("make it stop".to_string(), Focus::Agent));
    let rows = pane(&mut ide);
    assert!(rows[1].contains("◉ answer 1") && rows[2].contains("○ make it stop"), "{rows:?}");
    ide.prompt(" at once").await;
    ide.headless.idle().await;
    let rows = pane(&mut ide);
    assert!(rows.iter().any(|row| row.contains("└─● make it stop at")), "{rows:?}");
    // The keys of the full screen: label, search, filter, fork.
    ide.keys("Alt-1 Alt-1 l").await;
    ide.type_in("good").await;
    ide.keys("Enter").await;
    assert!(pane(&mut ide).iter().any(|row| row.contains("⚑ good · make")), "{}", ide.picture());
    ide.keys("/").await;
    ide.type_in("loop").await;
    ide.headless.idle().await;
    assert_eq!(pane(&mut ide).len(), 1, "{}", ide.picture());
    ide.keys("Enter Escape").await;
    assert_eq!(pane(&mut ide).len(), 8, "{}", ide.picture());
    ide.keys("Tab").await;
    ide.wait_for_text("answers").await;
    ide.keys("Escape").await;
    assert_eq!(ide.state().panes.focus, Focus::Editor);
    assert!(!pane(&mut ide).is_empty());
}

#[tokio::test]
async fn session_pane_gets_the_focus_by_keys_and_mouse() {
    let mut ide = ide(IdeSetup::new().size(120, 24), &["one", "two"]).await;
    ide.keys("Alt-Shift-t Alt-2 Alt-1").await;
    assert_eq!(ide.state().panes.focus, Focus::Files);
    ide.keys("F6").await;
    assert_eq!(ide.state().panes.focus, Focus::SessionTree);
    ide.keys("F6 Alt-1 Alt-1").await;
    assert_eq!(ide.state().panes.focus, Focus::SessionTree);
    ide.keys("Alt-2").await;
    let area = ide.state().areas.session_tree.unwrap();
    ide.mouse(MouseKind::Down(Button::Left), 4, area.y + 1);
    ide.mouse(MouseKind::Up(Button::Left), 4, area.y + 1);
    ide.headless.idle().await;
    assert_eq!((ide.state().panes.focus, prompt(&mut ide)), (Focus::SessionTree, String::new()));
    assert_eq!(ide.state().slots[TREE_PANE].view.as_ref().map(|view| view.selected), Some(0));
    ide.mouse(MouseKind::Down(Button::Left), 4, area.y + 1);
    ide.headless.idle().await;
    assert_eq!((ide.state().panes.focus, prompt(&mut ide)), (Focus::Agent, "one".to_string()));
}

#[tokio::test]
async fn session_pane_divider_moves_and_sizes_return_with_the_folder() {
    let setup = IdeSetup::new().restore_session().size(140, 30).file("a.txt", "the text\n");
    let mut ide = ide(setup, &["one"]).await;
    ide.keys("Ctrl-p").await;
    ide.type_in("a.txt").await;
    ide.keys("Enter Alt-Shift-t").await;
    let area = |ide: &mut TestIde| {
        ide.picture();
        ide.state().areas.session_tree.map(|area| (area.y, area.width))
    };
    assert_eq!(area(&mut ide), Some((15, 35)));
    drag(&mut ide, (5, 15), (5, 20));
    drag(&mut ide, (34, 25), (49, 25));
    assert_eq!(area(&mut ide), Some((20, 50)));
    ide.keys("Alt-5 + Alt-5 <").await;
    assert_eq!(area(&mut ide), Some((19, 46)), "also by keys");
    ide.keys("Alt-2").await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    let mut ide = ide.restart().restore_session().size(140, 30).start().await;
    ide.keys("Alt-Shift-t").await;
    assert_eq!(area(&mut ide), Some((19, 46)));
}

#[tokio::test]
async fn session_pane_zooms_and_leaves_small_windows() {
    let mut ide = ide(IdeSetup::new().size(120, 24), &["one", "two"]).await;
    ide.keys("Alt-Shift-t F11").await;
    assert_eq!(ide.state().areas.session_tree.map(|area| (area.width, area.height)), Some((120, 23)));
    assert!(ide.picture().contains("turn 2") && ide.picture().contains("you are here"), "{}", ide.picture());
    ide.keys("F11 Alt-2").await;
    ide.headless.resize(90, 24);
    assert_eq!(pane(&mut ide), Vec::<String>::new());
    ide.keys("Alt-Shift-t").await;
    assert_eq!(pane(&mut ide).len(), 4, "{}", ide.picture());
    for (cols, rows) in [(80, 24), (40, 12), (20, 5), (4, 2), (1, 1)] {
        ide.headless.resize(cols, rows);
        ide.keys("Down Up / Escape").await;
        assert!(ide.state().areas.session_tree.is_some(), "{cols}x{rows}");
    }
    ide.headless.resize(120, 24);
    ide.keys("Alt-g").await;
    assert!(ide.state().layers.top::<SessionView>().is_some());
    ide.keys("Escape").await;
    assert_eq!(ide.state().panes.focus, Focus::SessionTree);
}

#[tokio::test]
async fn session_pane_shows_the_session_that_replaces_another() {
    let mut ide = ide(IdeSetup::new().size(120, 24), &["one", "two"]).await;
    ide.keys("Alt-Shift-t Alt-3").await;
    ide.type_in("/new").await;
    ide.keys("Enter").await;
    assert_eq!(pane(&mut ide), ["No entries"]);
    ide.prompt("from scratch").await;
    ide.headless.idle().await;
    assert_eq!(pane(&mut ide).len(), 2, "{}", ide.picture());
}
