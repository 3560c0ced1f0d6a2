//! What was open in a folder is open again with the next start there: files, cursors, windows.

use bowline::llm::providers::scripted::Turn;
use bowline::tools::Mode;
use serde_json::json;
use std::time::Duration;

use bowline::ide::model::buffers::Buffer;

use crate::support::test_ide::{IdeSetup, TestIde};

/// Lines that tell their numbers.
fn numbered_lines(name: &str) -> String {
    (1..=60).map(|n| format!("{name} {n} é漢\n")).collect::<Vec<_>>().concat()
}

/// Three files in three windows: one over the other beside the third.
async fn ide_with_split() -> TestIde {
    let plan = IdeSetup::new().restore_session().size(100, 30);
    let plan =
        plan.file("a.txt", numbered_lines("a")).file("größe.txt", numbered_lines("b")).file("c.txt", "c\n");
    let mut ide = plan.start().await;
    ide.keys("Alt-2").await;
    let steps =
        [("a.txt", "Down Down Right Alt-5 v"), ("größe.txt", "Ctrl-g 4 0 Enter End Alt-5 s"), ("c.txt", "")];
    for (name, keys) in steps {
        ide.keys("Ctrl-o").await;
        ide.type_in(name).await;
        ide.keys("Enter").await;
        ide.keys(keys).await;
    }
    ide
}

/// Ends the run as a user does.
async fn quit(mut ide: TestIde) -> IdeSetup {
    ide.keys("Ctrl-q").await;
    ide.headless.app().final_writes(true)();
    ide.restart()
}

fn names(ide: &mut TestIde) -> Vec<String> {
    ide.state().buffers.all().iter().map(Buffer::name).collect()
}

#[tokio::test]
async fn reopen_restores_files_cursors_and_windows() {
    let mut ide = ide_with_split().await;
    let (before, shape) = (names(&mut ide), ide.state().windows.shape());
    let (shown, cursor) = (ide.current_file_name(), ide.cursor());
    assert_eq!(ide.state().windows.count(), 3);
    let mut ide = quit(ide).await.restore_session().size(100, 30).start().await;
    assert_eq!(names(&mut ide), before, "in their order");
    assert_eq!((ide.current_file_name(), ide.cursor()), (shown, cursor));
    assert_eq!(ide.state().windows.shape(), shape);
    ide.snap("restored");
    ide.keys("Alt-5 Left").await;
    assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("a.txt", (3, 2)));
    ide.keys("Alt-5 Right Alt-5 Up").await;
    assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("größe.txt", (40, 9)));
}

#[tokio::test]
async fn reopen_state_survives_crash() {
    let mut ide = ide_with_split().await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    let mut ide = ide.restart().restore_session().start().await;
    assert_eq!(names(&mut ide).len(), 3);
    assert_eq!(ide.state().windows.count(), 3);
}

#[tokio::test]
async fn reopen_state_follows_file_rename() {
    let mut ide = IdeSetup::new().restore_session().file("a.txt", "a\n").file("b.txt", "b\n").start().await;
    ide.keys("Alt-1 Home Enter").await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    ide.keys("Alt-1 r End Ctrl-u").await;
    ide.type_in("c.txt").await;
    ide.keys("Enter").await;
    ide.advance(Duration::from_secs(2));
    ide.headless.idle().await;
    let mut ide = ide.restart().restore_session().start().await;
    assert_eq!((ide.status_message().as_str(), names(&mut ide)), ("", vec!["c.txt".to_string()]));
}

#[tokio::test]
async fn reopen_reports_missing_files_and_closes_windows() {
    let ide = ide_with_split().await;
    let gone = ide.path("größe.txt");
    let plan = quit(ide).await.restore_session();
    std::fs::remove_file(gone).unwrap();
    let mut ide = plan.start().await;
    assert_eq!(ide.status_message(), "No longer there: größe.txt");
    let mut after = names(&mut ide);
    after.sort();
    assert_eq!(after, ["a.txt", "c.txt"]);
    assert_eq!(ide.state().windows.count(), 2);
    ide.keys("Ctrl-w").await;
    assert_eq!(ide.file_text("a.txt"), numbered_lines("a"), "nothing is made anew");
    assert!(!ide.path("größe.txt").exists());
}

#[tokio::test]
async fn reopen_is_skipped_if_file_is_named() {
    let ide = ide_with_split().await;
    let mut ide = quit(ide).await.restore_session().with("c.txt", "c\n").start().await;
    assert_eq!(names(&mut ide), ["c.txt"]);
    let mut ide = quit(ide).await.restore_session().start().await;
    assert_eq!(names(&mut ide).len(), 3, "and what was open before is still kept");
    for _ in 0..3 {
        ide.keys("Alt-w").await;
    }
    assert!(names(&mut ide).is_empty());
    let mut ide = quit(ide).await.restore_session().start().await;
    assert!(names(&mut ide).is_empty(), "what was closed stays closed");
    let mut ide = quit(ide).await.start().await;
    assert!(names(&mut ide).is_empty());
}

#[tokio::test]
async fn reopen_state_damaged_does_not_panic() {
    let deep = format!(
        "{{\"version\":1,\"files\":[],\"views\":[],\"active\":0,\"windows\":{}\"Window\"{}}}",
        "{\"Split\":[true,[[".repeat(100),
        ",1]]]}".repeat(100)
    );
    let two = "{\"Split\":[true,[[\"Window\",0],[\"Window\",4294967295]]]}";
    let many = format!("{{\"Split\":[false,[{}]]}}", ["[\"Window\",1]"; 40].join(","));
    for (shape, views) in [("\"Window\"", ""), (two, ""), (many.as_str(), "")] {
        let plan = IdeSetup::new().restore_session().file("a.txt", "é\n");
        let path = plan.path("a.txt");
        let text = format!(
            "{{\"version\":1,\"files\":[{{\"path\":{path:?},\"line\":900,\"column\":0}}],\
             \"windows\":{shape},\"views\":[{views}],\"active\":7}}"
        );
        let name = bowline::ide::features::reopen::store::name_of(
            &plan.path("").components().collect::<std::path::PathBuf>(),
        );
        let plan = plan.state_file(&format!("open/{name}"), &text);
        let mut ide = plan.start().await;
        assert_eq!((ide.text().as_str(), ide.state().windows.count()), ("é\n", 1), "{shape}");
    }
    for text in ["", "[]", "{\"version\":2}", "\u{0}", &deep] {
        let plan = IdeSetup::new().restore_session().file("a.txt", "é\n");
        let name = bowline::ide::features::reopen::store::name_of(
            &plan.path("").components().collect::<std::path::PathBuf>(),
        );
        let mut ide = plan.state_file(&format!("open/{name}"), text).start().await;
        assert!(names(&mut ide).is_empty());
    }
}

#[tokio::test]
async fn quit_waits_for_files_that_are_being_restored() {
    let edit = json!({"command": "sed -i s/1/one/ a.txt"});
    let turns = [Turn::call("c1", "bash", edit), Turn::text("done")];
    let setup = IdeSetup::new().policy(Mode::Full).checkpoints().file("a.txt", "1\n2\n");
    let mut ide = setup.turns(turns).start().await;
    ide.prompt("change it").await;
    assert_eq!(ide.file_text("a.txt"), "one\n2\n");
    ide.keys("Alt-x").await;
    ide.type_in("session.undo-turn").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Undo file changes of turn").await;
    ide.headless.press("Enter");
    ide.headless.press("Ctrl-q");
    assert!(!ide.state().quit, "{}", ide.picture());
    assert!(ide.status_message().contains("Quitting when file changes finish"), "{}", ide.status_message());
    ide.headless.idle().await;
    assert!(ide.state().quit);
    assert_eq!(ide.file_text("a.txt"), "1\n2\n");
}
