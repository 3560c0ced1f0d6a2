//! The status line: what its segments say, which of them fit, and a click on one.

use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;
use bowline::tui::input::{Button, Input, MouseKind};

use crate::support::git::git;
use crate::support::test_ide::{IdeSetup, TestIde};

fn line(ide: &mut TestIde) -> String {
    let picture = ide.picture();
    picture.lines().rev().nth(1).unwrap().trim_matches('│').to_string()
}

#[tokio::test]
async fn status_line_names_folder_branch_and_changes() {
    let Some(plan) = IdeSetup::new().size(100, 24).with("src/a.txt", "one\ntwo\n").git_committed() else {
        return;
    };
    let mut ide = plan.start().await;
    ide.wait_for_text("main  ").await;
    ide.type_in("x").await;
    ide.keys("Down").await;
    ide.type_in("y\n").await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    let shown = line(&mut ide);
    assert!(shown.starts_with(" src/a.txt 3:1  main  +3 -2  "), "{shown}");
    // A tool of the agent, or a command in the terminal, goes to another branch.
    assert!(git(&ide.path(""), &["switch", "-q", "-c", "feature/é"]));
    ide.headless.input(Input::Focus(false));
    ide.headless.input(Input::Focus(true));
    ide.wait_for_text("feature/é").await;
    ide.headless.resize(40, 12);
    let shown = line(&mut ide);
    assert!(shown.starts_with(" a.txt 3:1"), "{shown}");
}

#[tokio::test]
async fn status_line_click_runs_the_command_of_the_segment() {
    let mut ide = IdeSetup::new().size(120, 24).with("a.txt", "one\n").start().await;
    for (text, picker) in [
        ("script", Some("models")),
        ("medium", Some("thinking")),
        ("on-request", Some("approval-modes")),
        ("F1 palette", Some("commands")),
        ("a.txt 1", Some("buffers")),
        ("      ", None),
    ] {
        let shown = line(&mut ide);
        let column = shown[..shown.find(text).unwrap()].chars().count() as u16 + 1;
        ide.mouse(MouseKind::Down(Button::Left), column, 23);
        let open = ide.state().layers.top::<Picker>().map(|picker| picker.spec.id);
        assert_eq!(open, picker, "{text}");
        ide.keys("Escape").await;
    }
}

#[tokio::test]
async fn status_line_counts_queued_messages_and_keeps_the_file() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    ide.state().agent.follow_up = vec!["one".to_string(), "two".to_string()];
    ide.keys("Alt-,").await;
    let shown = line(&mut ide);
    assert!(shown.starts_with(" a.txt 1:1  2 queued  Alt-, …  "), "{shown}");
}
