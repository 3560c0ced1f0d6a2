//! Files that were shown before: first in "Go to file" and listed on their own, in this run and the next ones.

use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;

use crate::support::test_ide::{IdeSetup, TestIde};

fn listed(ide: &mut TestIde) -> Vec<String> {
    let picker = ide.state().layers.top::<Picker>().unwrap();
    picker.rows(0, picker.matches()).map(|row| row.text.clone()).collect()
}

/// The rows of a list that opens with these keys, for a query.
async fn rows(ide: &mut TestIde, keys: &str, query: &str) -> Vec<String> {
    ide.keys(keys).await;
    ide.type_in(query).await;
    ide.headless.idle().await;
    let rows = listed(ide);
    ide.keys("Escape").await;
    rows
}

async fn show(ide: &mut TestIde, name: &str) {
    ide.keys("Ctrl-p").await;
    ide.type_in(name).await;
    ide.headless.idle().await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    ide.advance(Duration::from_mins(2));
    ide.headless.idle().await;
}

fn files() -> IdeSetup {
    let setup = IdeSetup::new().file("lib/a/mod.rs", "1\n").file("lib/b/mod.rs", "2\n");
    setup.file("lib/c/mod.rs", "3\n").file("one.txt", "4\n").file("two.txt", "5\n").size(120, 30)
}

#[tokio::test]
async fn files_picker_lists_recent_files_first_and_prefers_them_after_restart() {
    let mut ide = files().start().await;
    let all = ["lib/a/mod.rs", "lib/b/mod.rs", "lib/c/mod.rs", "one.txt", "two.txt"];
    assert_eq!(rows(&mut ide, "Ctrl-p", "").await, all);
    for name in ["two", "lib/c", "one"] {
        show(&mut ide, name).await;
    }
    let recent = ["lib/c/mod.rs", "two.txt", "lib/a/mod.rs", "lib/b/mod.rs", "one.txt"];
    assert_eq!(rows(&mut ide, "Ctrl-p", "").await, recent, "the shown one is where it was");
    assert_eq!(rows(&mut ide, "Ctrl-p", "mod").await, ["lib/c/mod.rs", "lib/a/mod.rs", "lib/b/mod.rs"]);
    let mut ide = ide.restart().size(120, 30).start().await;
    let recent = ["one.txt", "lib/c/mod.rs", "two.txt", "lib/a/mod.rs", "lib/b/mod.rs"];
    assert_eq!(rows(&mut ide, "Ctrl-p", "").await, recent);
    assert_eq!(rows(&mut ide, "Ctrl-p", "mod").await, ["lib/c/mod.rs", "lib/a/mod.rs", "lib/b/mod.rs"]);
    show(&mut ide, "lib/b").await;
    show(&mut ide, "one").await;
    show(&mut ide, "lib/b").await;
    show(&mut ide, "one").await;
    let used = rows(&mut ide, "Ctrl-p", "mod").await;
    assert_eq!(used, ["lib/b/mod.rs", "lib/c/mod.rs", "lib/a/mod.rs"], "the more used first");
    assert_eq!(rows(&mut ide, "Ctrl-p", "a/mod").await[0], "lib/a/mod.rs", "what is typed counts more");
}

#[tokio::test]
async fn recent_files_keep_their_order_when_clock_is_set_back() {
    let mut ide = files().start().await;
    show(&mut ide, "two").await;
    ide.advance(Duration::from_hours(900 * 24));
    show(&mut ide, "one").await;
    // The next run begins with the first time again.
    let mut ide = ide.restart().size(120, 30).start().await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, ["one.txt", "two.txt"]);
    show(&mut ide, "two").await;
    show(&mut ide, "lib/a").await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, ["two.txt", "one.txt"]);
    assert_eq!(rows(&mut ide, "Ctrl-p", "").await[..2], ["two.txt", "one.txt"]);
}

#[tokio::test]
async fn recent_files_survive_a_damaged_file() {
    let mut ide = files().start().await;
    show(&mut ide, "two").await;
    show(&mut ide, "one").await;
    let folder = ide.home("state/recent-files");
    let kept = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, [&b"\xff\0[[[\n"[..], &text[..text.len() - 3]].concat()).unwrap();
    let mut ide = ide.restart().size(120, 30).start().await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, ["one.txt"], "the torn line is lost");
    show(&mut ide, "lib/a").await;
    assert_eq!(ide.status_message(), "");
    std::fs::write(&kept, vec![b'x'; 2 << 20]).unwrap();
    let mut ide = ide.restart().size(120, 30).start().await;
    assert!(rows(&mut ide, "Alt-, f o", "").await.is_empty());
    show(&mut ide, "two").await;
    show(&mut ide, "one").await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, ["two.txt"]);
    assert!(std::fs::metadata(&kept).unwrap().len() < 1 << 10);
}

#[tokio::test]
async fn recent_files_of_two_programs_are_both_kept() {
    let mut ide = files().start().await;
    show(&mut ide, "two").await;
    let kept = std::fs::read_dir(ide.home("state/recent-files")).unwrap().next().unwrap().unwrap().path();
    let other = format!("[{:?},1763681400000,3.0]\n", ide.path("lib/b/mod.rs"));
    let ours = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(&kept, format!("{other}{ours}")).unwrap();
    show(&mut ide, "one").await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, ["lib/b/mod.rs", "two.txt"]);
    assert_eq!(std::fs::read_to_string(&kept).unwrap().lines().count(), 3);
}

#[tokio::test]
async fn recent_files_list_shows_opens_and_marks_those_that_exist() {
    let mut ide = files().start().await;
    for name in ["two", "lib/c", "lib/b", "one"] {
        show(&mut ide, name).await;
    }
    std::fs::remove_file(ide.path("lib/c/mod.rs")).unwrap();
    ide.keys("Alt-, f o").await;
    ide.headless.idle().await;
    assert_eq!(
        listed(&mut ide),
        ["lib/b/mod.rs", "two.txt"],
        "the last one first, without the shown and the gone one"
    );
    assert!(
        ide.picture().contains("1 2") && ide.picture().contains("Go to recent file"),
        "{}",
        ide.picture()
    );
    ide.snap("picker_recent_files");
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "2\n");
    ide.keys("Alt-, f o").await;
    ide.headless.idle().await;
    assert_eq!(listed(&mut ide), ["one.txt", "two.txt"]);
    ide.keys("Tab Tab Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "5\n", "{}", ide.picture());
}

#[tokio::test]
async fn recent_files_lead_to_files_outside_of_the_project() {
    let setup = files();
    let outside = setup.workspace_dir().with_file_name("notes.txt");
    std::fs::write(&outside, "far\n").unwrap();
    let mut ide = setup.open(outside.to_str().unwrap()).start().await;
    show(&mut ide, "one").await;
    assert!(!rows(&mut ide, "Ctrl-p", "").await.iter().any(|row| row.contains("notes")));
    ide.keys("Alt-, f o Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "far\n");
}

#[tokio::test]
async fn recent_files_have_those_opened_behind_another_one() {
    let mut ide = files().open("one.txt").open("two.txt").open("lib/a/mod.rs").start().await;
    ide.headless.idle().await;
    assert_eq!(ide.current_file_name(), "one.txt");
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, ["lib/a/mod.rs", "two.txt"], "named at the start");
    show(&mut ide, "two.txt").await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await[0], "one.txt", "the file before");
    ide.keys("Ctrl-p").await;
    ide.type_in("lib").await;
    ide.headless.idle().await;
    ide.keys("Tab Tab Tab Enter").await;
    ide.headless.idle().await;
    let recent = rows(&mut ide, "Alt-, f o", "").await;
    assert!(
        ["lib/b/mod.rs", "lib/c/mod.rs"].iter().any(|file| recent.contains(&(*file).to_string())),
        "{recent:?}"
    );
    assert_eq!(recent.len(), 4, "all but the shown one: {recent:?}");
    let mut ide = ide.restart().size(120, 30).start().await;
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await.len(), 5, "kept");
}

#[tokio::test]
async fn recent_files_do_not_count_files_that_are_open_again() {
    let mut ide = files().restore_session().start().await;
    for name in ["one", "two", "lib/c", "one", "lib/b"] {
        show(&mut ide, name).await;
    }
    let order = ["lib/b/mod.rs", "one.txt", "lib/c/mod.rs", "two.txt"];
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, order[1..]);
    ide.headless.app().final_writes(true)();
    let mut ide = ide.restart().restore_session().size(120, 30).start().await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name().as_str(), ide.state().buffers.all().len()), ("mod.rs", 4));
    assert_eq!(rows(&mut ide, "Alt-, f o", "").await, order[1..]);
}
