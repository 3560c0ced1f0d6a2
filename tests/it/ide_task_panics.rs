//! Any task may panic: what waits for its result goes on, the user reads why, and the same work
//! can be done again.

use bowline::ide::core::quit::is_changing;
use bowline::ide::features::plugins::state::PLUGINS;
use bowline::ide::features::recovery::unsaved::UNSAVED;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::support::test_ide::{IdeSetup, TestIde};

/// Tasks that one story starts at most.
const TASKS_MAX: usize = 40;

type TaskStory = for<'a> fn(&'a mut TestIde) -> LocalBoxFuture<'a, ()>;

fn setup_with_files() -> IdeSetup {
    let big = "fn two() { let one = 1; }\n".repeat(12_000);
    IdeSetup::new()
        .file(".editorconfig", "[*.txt]\ntrim_trailing_whitespace = true\n")
        .file("src/lib.rs", "fn one() {\n    two();\n}\n")
        .file("big.rs", big)
        .file("a.txt", "one two\nthree\n")
}

fn setup() -> IdeSetup {
    setup_with_files().open("a.txt")
}

fn setup_with_big_file() -> IdeSetup {
    setup_with_files().open("big.rs")
}

/// What must hold after a task has panicked, whatever it was.
async fn assert_idle(ide: &mut TestIde, what: &str) {
    assert!(!is_changing(ide.state()), "{what}: files still count as being changed");
    assert!(ide.state().modal.background.waiting.is_none(), "{what}: keys wait");
    assert!(ide.state().slots[PLUGINS].running.is_none(), "{what}: a plugin runs");
    assert!(!ide.headless.app().is_filling(), "{what}: a picker is being filled");
    // Two of them in a row would open the session tree.
    for _ in 0..4 {
        if !ide.state().layers.is_empty() {
            ide.keys("Escape").await;
        }
    }
    assert!(ide.state().layers.is_empty(), "{what}: {}", ide.picture());
}

/// Does a story with each of its tasks in turn panicking, then once more without.
async fn panic_each_task(
    name: &str,
    plan: fn() -> IdeSetup,
    story: TaskStory,
    works: fn(&mut TestIde) -> bool,
) {
    let mut struck = 0;
    for nth in 1..=TASKS_MAX {
        let mut ide = plan().start().await;
        ide.headless.app().tasks().panic_in_task(nth);
        story(&mut ide).await;
        if ide.headless.app().tasks().is_panic_pending() {
            break;
        }
        struck += 1;
        let what = format!("{name}, task {nth}");
        assert_idle(&mut ide, &what).await;
        story(&mut ide).await;
        assert!(works(&mut ide), "{what}: {} {:?}\n{}", ide.status_message(), ide.text(), ide.picture());
        assert_idle(&mut ide, &what).await;
    }
    assert!((1..TASKS_MAX).contains(&struck), "{name}: {struck} tasks");
}

fn save(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Alt-2 Ctrl-End").await;
        ide.type_in("x  ").await;
        ide.keys("Ctrl-s").await;
    }
    .boxed_local()
}

fn is_saved(ide: &mut TestIde) -> bool {
    let unsaved = ide.state().buffers.current().unwrap().is_unsaved();
    let text = ide.text();
    !unsaved && text == ide.file_text("a.txt") && text.ends_with('x')
}

#[tokio::test]
async fn save_after_task_panic_can_be_repeated() {
    panic_each_task("save", setup, save, is_saved).await;
}

fn find(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Alt-2 Ctrl-Home Ctrl-f Ctrl-u").await;
        ide.type_in("1; }").await;
        ide.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn find_after_task_panic_can_be_repeated() {
    panic_each_task("find", setup_with_big_file, find, |ide| ide.selected_texts() == ["1; }"]).await;
}

fn replace_everywhere(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Alt-6 r Ctrl-u").await;
        ide.type_in("three").await;
        ide.keys("Enter").await;
        ide.type_in("3").await;
        ide.keys("Enter").await;
        ide.keys("Alt-6 a").await;
        ide.keys("y").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn replace_in_files_after_task_panic_can_be_repeated() {
    let plan = || setup().file("c.txt", "three\n");
    panic_each_task("replace", plan, replace_everywhere, |ide| ide.file_text("c.txt") == "3\n").await;
}

fn filter(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Alt-2 Alt-6 | Ctrl-u").await;
        ide.type_in("tr a-z A-Z").await;
        ide.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn shell_filter_after_task_panic_can_be_repeated() {
    panic_each_task("filter", setup, filter, |ide| ide.text() == "ONE TWO\nTHREE\n").await;
}

fn create(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Alt-1 Home a").await;
        ide.keys("Ctrl-u").await;
        ide.type_in("new.txt").await;
        ide.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn file_create_after_task_panic_can_be_repeated() {
    let is_there = |ide: &mut TestIde| ide.path("new.txt").exists() || ide.path("src/new.txt").exists();
    panic_each_task("create", setup, create, is_there).await;
}

fn pick(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Ctrl-p").await;
        ide.type_in("lib.rs").await;
        ide.keys("Enter").await;
        ide.keys("Alt-, z F").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn picker_open_after_task_panic_can_be_repeated() {
    panic_each_task("pick", setup, pick, |ide| ide.current_file_name() == "lib.rs").await;
}

fn sort(ide: &mut TestIde) -> LocalBoxFuture<'_, ()> {
    async {
        ide.keys("Alt-2 Alt-h").await;
        ide.keys("F1").await;
        ide.type_in("edit.unique-lines").await;
        ide.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn background_edit_after_task_panic_can_be_repeated() {
    panic_each_task("sort", setup_with_big_file, sort, |ide| ide.text().len() < 100).await;
}

#[tokio::test]
async fn recovery_journal_write_is_retried_after_task_panic() {
    let mut ide = setup().start().await;
    ide.type_in("x").await;
    ide.headless.app().tasks().panic_in_task(1);
    ide.advance(std::time::Duration::from_secs(1));
    ide.headless.idle().await;
    assert!(ide.status_message().contains("Cannot write the recovery journal"), "{}", ide.status_message());
    ide.advance(std::time::Duration::from_secs(10));
    ide.headless.idle().await;
    let id = ide.state().buffers.current().unwrap().id;
    assert!(!ide.state().slots[UNSAVED].outdated().contains(&id), "the text is kept");
}

#[tokio::test]
async fn session_unexpected_end_is_reported_and_prompt_kept() {
    let mut ide = setup().start().await;
    let session = ide.headless.app().session().unwrap().clone();
    session.shutdown().await;
    ide.wait_for("the end", |state| !state.agent.connected).await;
    assert!(ide.status_message().starts_with("Session ended by an internal error"));
    assert!(ide.picture().contains("--continue"), "{}", ide.picture());
    ide.keys("Alt-3").await;
    ide.type_in("hello").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("hello"), "the prompt keeps what was typed: {}", ide.picture());
}
