//! Unsaved text outlives the program and is offered on the next start.

use std::time::Duration;

use crate::support::desk::{Desk, Plan};
use bowline::ide::core::layers::dialog::Dialog;

/// Longer than a question that came by itself ignores keys.
const GUARD: Duration = Duration::from_millis(500);

/// The recovery files in the state folder, locks left out.
fn kept(desk: &Desk) -> Vec<String> {
    let folder = desk.path("../home/state/swap");
    let names = std::fs::read_dir(folder).into_iter().flatten();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| !name.ends_with("lock")).collect()
}

/// Lets the time pass after which an edit is kept, and waits until it is.
async fn second(desk: &mut Desk) {
    desk.wait(Duration::from_secs(1));
    desk.ide.idle().await;
}

fn asked(desk: &mut Desk) -> bool {
    desk.state().layers.top::<Dialog>().is_some()
}

/// A desk at which a run ended while `a.txt` had unsaved text.
async fn crashed(before: &str, typed: &str) -> Plan {
    let mut desk = Plan::new().with("a.txt", before).start().await;
    desk.type_in(typed).await;
    second(&mut desk).await;
    assert_eq!(kept(&desk).len(), 1);
    desk.again().open("a.txt")
}

#[tokio::test]
async fn recovered_text_is_one_undoable_edit_and_unsaved() {
    let mut desk = crashed("one\r\ntwo\r\n", "é漢").await.start().await;
    assert_eq!(desk.text(), "one\r\ntwo\r\n", "the file is shown as it is until the person decides");
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), "é漢one\r\ntwo\r\n");
    assert!(desk.state().buffers.current().unwrap().is_unsaved());
    second(&mut desk).await;
    assert_eq!(kept(&desk).len(), 1, "kept by this run now, no more by the one before");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "one\r\ntwo\r\n");
    assert_eq!(kept(&desk).len(), 0, "nothing is unsaved");
    desk.keys("Alt-z Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "é漢one\r\ntwo\r\n");
    second(&mut desk).await;
    assert_eq!(kept(&desk).len(), 0);
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(!asked(&mut desk));
}

#[tokio::test]
async fn recovered_text_survives_the_next_crash_at_any_moment() {
    let mut desk = crashed("\n", "one").await.start().await;
    desk.wait(GUARD);
    desk.keys("r").await;
    let mut desk = desk.again().open("a.txt").start().await;
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), "one\n", "it had not been kept anew, so the old one was still there");
}

#[tokio::test]
async fn discarded_text_is_gone_and_text_kept_for_later_is_offered_again() {
    let mut desk = crashed("\n", "x").await.start().await;
    desk.wait(GUARD);
    desk.keys("k").await;
    assert!(!asked(&mut desk));
    let mut desk = desk.again().open("a.txt").start().await;
    desk.wait(GUARD);
    desk.keys("d").await;
    assert_eq!((desk.text(), kept(&desk).len()), ("\n".to_string(), 0));
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(!asked(&mut desk));
}

#[tokio::test]
async fn what_is_being_typed_does_not_answer_the_question() {
    let mut desk = crashed("\n", "x").await.start().await;
    desk.type_in("ddd").await;
    assert!(asked(&mut desk));
    assert_eq!((desk.text(), kept(&desk).len()), ("ddd\n".to_string(), 1));
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), "x\n");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "ddd\n", "what was typed meanwhile is one step back");
}

#[tokio::test]
async fn a_file_that_changed_meanwhile_is_told() {
    let plan = crashed("one\n", "x").await.file("a.txt", "other\n");
    let mut desk = plan.start().await;
    assert!(desk.picture().contains("has been changed since"), "{}", desk.picture());
    desk.snap("recovery-changed");
    desk.wait(GUARD);
    desk.keys("r").await;
    desk.keys("Ctrl-s").await;
    assert!(asked(&mut desk), "the file is newer than what the text was made from");
    assert_eq!(desk.disk("a.txt"), "other\n");
    desk.wait(GUARD);
    desk.keys("n").await;
    desk.look_again().await;
    desk.keys("Ctrl-s").await;
    assert!(asked(&mut desk));
    desk.wait(GUARD);
    desk.keys("o").await;
    assert_eq!(desk.disk("a.txt"), "xone\n");
    desk.type_in("y").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "yxone\n", "asked once");
}

#[tokio::test]
async fn a_file_that_was_made_meanwhile_is_not_overwritten_unasked() {
    let mut desk = Plan::new().open("a.txt").start().await;
    desk.type_in("mine").await;
    second(&mut desk).await;
    let mut desk = desk.again().with("a.txt", "theirs\n").start().await;
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), "mine");
    desk.keys("Ctrl-s").await;
    assert!(asked(&mut desk));
    assert_eq!(desk.disk("a.txt"), "theirs\n");
}

#[tokio::test]
async fn a_text_that_is_in_the_file_by_now_is_not_offered() {
    let plan = crashed("\n", "x").await.file("a.txt", "x\n");
    let mut desk = plan.start().await;
    assert!(!asked(&mut desk));
    assert_eq!(kept(&desk).len(), 0);
}

#[tokio::test]
async fn a_text_without_a_file_comes_back_too() {
    let mut desk = Plan::new().with("a.txt", "\n").start().await;
    desk.keys("Alt-w").await;
    desk.keys("Alt-x").await;
    desk.type_in("file.new").await;
    desk.keys("Enter").await;
    desk.type_in("a thought").await;
    second(&mut desk).await;
    let mut desk = desk.again().open("a.txt").start().await;
    assert!(desk.picture().contains("It begins: a thought"), "{}", desk.picture());
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!((desk.text().as_str(), desk.shown().as_str()), ("a thought", "scratch"));
    assert!(desk.state().buffers.current().unwrap().is_unsaved());
}

#[tokio::test]
async fn files_that_are_not_open_are_named_at_the_start() {
    let mut desk = crashed("\n", "x").await.with("b.txt", "\n").start().await;
    desk.wait(GUARD);
    desk.keys("k").await;
    let mut desk = desk.again().open("b.txt").start().await;
    assert!(desk.message().contains("Unsaved text of a.txt"), "{}", desk.message());
}

#[tokio::test]
async fn nothing_is_kept_of_what_was_given_up_or_saved() {
    let mut desk = Plan::new().with("a.txt", "\n").with("b.txt", "\n").start().await;
    desk.type_in("x").await;
    second(&mut desk).await;
    assert_eq!(kept(&desk).len(), 1);
    desk.type_in("y").await;
    assert_eq!(kept(&desk).len(), 1);
    desk.keys("Alt-w d").await;
    assert_eq!(kept(&desk).len(), 0, "closed by choice");
    desk.type_in("z").await;
    second(&mut desk).await;
    desk.keys("Ctrl-s").await;
    assert_eq!(kept(&desk).len(), 0, "saved");
    desk.type_in("z").await;
    second(&mut desk).await;
    desk.ide.app().end_keeping(true)();
    assert_eq!(kept(&desk).len(), 0, "left by choice");
}

#[tokio::test]
async fn an_end_that_nobody_chose_keeps_the_last_key() {
    let mut desk = Plan::new().with("a.txt", "\n").start().await;
    desk.type_in("x").await;
    assert_eq!(kept(&desk).len(), 0);
    desk.ide.app().end_keeping(false)();
    let mut desk = desk.again().open("a.txt").start().await;
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), "x\n");
}

#[tokio::test]
async fn a_damaged_recovery_file_is_left_alone() {
    let plan = crashed("\n", "x").await;
    let desk = plan.start().await;
    let name = desk.path("../home/state/swap").join(&kept(&desk)[0]);
    let plan = desk.again();
    std::fs::write(&name, "{\"bowline\":1,\"length\":9").unwrap();
    let mut desk = plan.open("a.txt").start().await;
    assert!(!asked(&mut desk));
    assert!(name.exists());
}

#[tokio::test]
async fn what_is_typed_on_is_added_to_what_is_kept_and_all_of_it_comes_back() {
    let long = "漢字\n".repeat(1000);
    let mut desk = Plan::new().with("a.txt", &long).start().await;
    let file = |desk: &Desk| {
        let names = kept(desk);
        assert_eq!(names.len(), 1);
        std::fs::read(desk.path("../home/state/swap").join(&names[0])).unwrap()
    };
    desk.type_in("one é").await;
    second(&mut desk).await;
    let first = file(&desk);
    desk.type_in(" two").await;
    desk.keys("Ctrl-End").await;
    desk.type_in("end").await;
    second(&mut desk).await;
    desk.keys("Ctrl-z").await;
    second(&mut desk).await;
    let last = file(&desk);
    assert!(last.starts_with(&first), "the text itself is not written again");
    assert!(last.len() < first.len() + 1000, "but what is new: {} bytes", last.len() - first.len());
    let text = desk.text();
    assert!(text.starts_with("one é two漢字\n") && text.ends_with("漢字\n"));
    let mut desk = desk.again().open("a.txt").start().await;
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), text);
}

#[tokio::test]
async fn after_a_save_the_text_is_kept_anew() {
    let mut desk = Plan::new().with("a.txt", "\n").start().await;
    desk.type_in("one").await;
    second(&mut desk).await;
    desk.keys("Ctrl-s").await;
    second(&mut desk).await;
    desk.type_in("two").await;
    second(&mut desk).await;
    let mut desk = desk.again().open("a.txt").start().await;
    assert_eq!(desk.text(), "one\n");
    desk.wait(GUARD);
    desk.keys("r").await;
    assert_eq!(desk.text(), "onetwo\n");
}
