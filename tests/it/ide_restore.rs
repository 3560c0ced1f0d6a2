//! What was open in a folder is open again with the next start there: files, cursors, windows.

use std::time::Duration;

use bowline::ide::model::buffers::Buffer;

use crate::support::desk::{Desk, Plan};

/// Lines that tell their numbers.
fn lines(name: &str) -> String {
    (1..=60).map(|n| format!("{name} {n} é漢\n")).collect::<Vec<_>>().concat()
}

/// Three files in three windows: one over the other beside the third.
async fn divided() -> Desk {
    let plan = Plan::new().restoring().size(100, 30);
    let plan = plan.file("a.txt", lines("a")).file("größe.txt", lines("b")).file("c.txt", "c\n");
    let mut desk = plan.start().await;
    desk.keys("Alt-2").await;
    let steps =
        [("a.txt", "Down Down Right Alt-5 v"), ("größe.txt", "Ctrl-g 4 0 Enter End Alt-5 s"), ("c.txt", "")];
    for (name, keys) in steps {
        desk.keys("Ctrl-o").await;
        desk.type_in(name).await;
        desk.keys("Enter").await;
        desk.keys(keys).await;
    }
    desk
}

/// Ends the run as a user does.
async fn quit(mut desk: Desk) -> Plan {
    desk.keys("Ctrl-q").await;
    desk.ide.app().end_keeping(true)();
    desk.again()
}

fn names(desk: &mut Desk) -> Vec<String> {
    desk.state().buffers.all().iter().map(Buffer::name).collect()
}

#[tokio::test]
async fn files_cursors_and_windows_come_back() {
    let mut desk = divided().await;
    let (before, shape) = (names(&mut desk), desk.state().windows.shape());
    let (shown, cursor) = (desk.shown(), desk.cursor());
    assert_eq!(desk.state().windows.count(), 3);
    let mut desk = quit(desk).await.restoring().size(100, 30).start().await;
    assert_eq!(names(&mut desk), before, "in their order");
    assert_eq!((desk.shown(), desk.cursor()), (shown, cursor));
    assert_eq!(desk.state().windows.shape(), shape);
    desk.snap("restored");
    desk.keys("Alt-5 Left").await;
    assert_eq!((desk.shown().as_str(), desk.cursor()), ("a.txt", (3, 2)));
    desk.keys("Alt-5 Right Alt-5 Up").await;
    assert_eq!((desk.shown().as_str(), desk.cursor()), ("größe.txt", (40, 9)));
}

#[tokio::test]
async fn what_is_open_survives_a_crash() {
    let mut desk = divided().await;
    desk.wait(Duration::from_secs(2));
    desk.ide.idle().await;
    let mut desk = desk.again().restoring().start().await;
    assert_eq!(names(&mut desk).len(), 3);
    assert_eq!(desk.state().windows.count(), 3);
}

#[tokio::test]
async fn files_with_another_name_survive_a_crash() {
    let mut desk = Plan::new().restoring().file("a.txt", "a\n").file("b.txt", "b\n").start().await;
    desk.keys("Alt-1 Home Enter").await;
    desk.wait(Duration::from_secs(2));
    desk.ide.idle().await;
    desk.keys("Alt-1 r Ctrl-u").await;
    desk.type_in("c.txt").await;
    desk.keys("Enter").await;
    desk.wait(Duration::from_secs(2));
    desk.ide.idle().await;
    let mut desk = desk.again().restoring().start().await;
    assert_eq!((desk.message().as_str(), names(&mut desk)), ("", vec!["c.txt".to_string()]));
}

#[tokio::test]
async fn files_that_are_gone_are_said_and_their_windows_close() {
    let desk = divided().await;
    let gone = desk.path("größe.txt");
    let plan = quit(desk).await.restoring();
    std::fs::remove_file(gone).unwrap();
    let mut desk = plan.start().await;
    assert_eq!(desk.message(), "No longer there: größe.txt");
    let mut after = names(&mut desk);
    after.sort();
    assert_eq!(after, ["a.txt", "c.txt"]);
    assert_eq!(desk.state().windows.count(), 2);
    desk.keys("Ctrl-w").await;
    assert_eq!(desk.disk("a.txt"), lines("a"), "nothing is made anew");
    assert!(!desk.path("größe.txt").exists());
}

#[tokio::test]
async fn whoever_names_a_file_gets_just_that() {
    let desk = divided().await;
    let mut desk = quit(desk).await.restoring().with("c.txt", "c\n").start().await;
    assert_eq!(names(&mut desk), ["c.txt"]);
    let mut desk = quit(desk).await.restoring().start().await;
    assert_eq!(names(&mut desk).len(), 3, "and what was open before is still kept");
    for _ in 0..3 {
        desk.keys("Alt-w").await;
    }
    assert!(names(&mut desk).is_empty());
    let mut desk = quit(desk).await.restoring().start().await;
    assert!(names(&mut desk).is_empty(), "what was closed stays closed");
    let mut desk = quit(desk).await.start().await;
    assert!(names(&mut desk).is_empty());
}

#[tokio::test]
async fn what_is_kept_may_be_anything() {
    let deep = format!(
        "{{\"version\":1,\"files\":[],\"views\":[],\"active\":0,\"windows\":{}\"Window\"{}}}",
        "{\"Split\":[true,[[".repeat(100),
        ",1]]]}".repeat(100)
    );
    let two = "{\"Split\":[true,[[\"Window\",0],[\"Window\",4294967295]]]}";
    let many = format!("{{\"Split\":[false,[{}]]}}", ["[\"Window\",1]"; 40].join(","));
    for (shape, views) in [("\"Window\"", ""), (two, ""), (many.as_str(), "")] {
        let plan = Plan::new().restoring().file("a.txt", "é\n");
        let path = plan.path("a.txt");
        let text = format!(
            "{{\"version\":1,\"files\":[{{\"path\":{path:?},\"line\":900,\"column\":0}}],\
             \"windows\":{shape},\"views\":[{views}],\"active\":7}}"
        );
        let name = bowline::ide::features::reopen::store::name_of(
            &plan.path("").components().collect::<std::path::PathBuf>(),
        );
        let plan = plan.state(&format!("open/{name}"), &text);
        let mut desk = plan.start().await;
        assert_eq!((desk.text().as_str(), desk.state().windows.count()), ("é\n", 1), "{shape}");
    }
    for text in ["", "[]", "{\"version\":2}", "\u{0}", &deep] {
        let plan = Plan::new().restoring().file("a.txt", "é\n");
        let name = bowline::ide::features::reopen::store::name_of(
            &plan.path("").components().collect::<std::path::PathBuf>(),
        );
        let mut desk = plan.state(&format!("open/{name}"), text).start().await;
        assert!(names(&mut desk).is_empty());
    }
}
