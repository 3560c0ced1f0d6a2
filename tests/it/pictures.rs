//! The pictures of the README, drawn from real screens.

use bowline::llm::providers::scripted::Turn;
use ratatui::style::Color;

use crate::ide_screens::{TASK, plan_of_a_task};
use crate::support::svg::svg;
use crate::support::test_ide::{IdeSetup, TestIde};

/// Letters and ground of the default theme.
const GROUND: (Color, Color) = (Color::Rgb(0xd5, 0xd9, 0xe0), Color::Rgb(0x16, 0x18, 0x1d));

fn check_picture(ide: &mut TestIde, name: &str) {
    drop(ide.picture());
    let picture = svg(ide.headless.app().screen.buffer(), GROUND);
    let path = crate::source::root().join("assets/pictures").join(name);
    if std::env::var_os("COMMANDS_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &picture).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(stored == picture, "assets/pictures/{name} is old: COMMANDS_UPDATE=1 draws it");
}

#[tokio::test]
async fn pictures_of_the_readme_show_the_program_as_it_is() {
    let mut ide = plan_of_a_task().checkpoints().size(110, 32).start().await;
    ide.prompt(TASK).await;
    ide.headless.idle().await;
    check_picture(&mut ide, "agent.svg");
    ide.keys("Alt-r").await;
    ide.headless.idle().await;
    check_picture(&mut ide, "review.svg");
    ide.keys("Escape Ctrl-p").await;
    ide.type_in("log").await;
    ide.headless.idle().await;
    check_picture(&mut ide, "go-to-file.svg");
}

#[tokio::test]
async fn pictures_of_the_readme_show_a_session_with_branches() {
    let answers = ["The loop has no bound.", "It tries **three** times now.", "It ends after `30 s` now."];
    let plan = IdeSetup::new().with("src/login.rs", "impl Session {}\n").turns(answers.map(Turn::text));
    let mut ide = plan.checkpoints().size(110, 24).start().await;
    ide.prompt("why does login never end?").await;
    ide.prompt("limit the retries").await;
    ide.keys("Alt-g").await;
    ide.headless.idle().await;
    ide.keys("Up Up n").await;
    ide.headless.idle().await;
    ide.prompt("use a deadline instead").await;
    ide.keys("Alt-g").await;
    ide.headless.idle().await;
    check_picture(&mut ide, "session-tree.svg");
}
