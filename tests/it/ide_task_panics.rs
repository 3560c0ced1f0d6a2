//! Any task may panic: what waits for its result goes on, the user reads why, and the same work
//! can be done again.

use bowline::ide::core::quit::is_changing;
use bowline::ide::features::plugins::state::PLUGINS;
use bowline::ide::features::recovery::unsaved::UNSAVED;
use futures::FutureExt;
use futures::future::LocalBoxFuture;

use crate::support::desk::{Desk, Plan};

/// Tasks that one story starts at most.
const TASKS_MAX: usize = 40;

type Story = for<'a> fn(&'a mut Desk) -> LocalBoxFuture<'a, ()>;

fn files() -> Plan {
    let big = "fn two() { let one = 1; }\n".repeat(12_000);
    Plan::new()
        .file(".editorconfig", "[*.txt]\ntrim_trailing_whitespace = true\n")
        .file("src/lib.rs", "fn one() {\n    two();\n}\n")
        .file("big.rs", big)
        .file("a.txt", "one two\nthree\n")
}

fn plan() -> Plan {
    files().open("a.txt")
}

fn big() -> Plan {
    files().open("big.rs")
}

/// What must hold after a task has panicked, whatever it was.
async fn nothing_waits(desk: &mut Desk, what: &str) {
    assert!(!is_changing(desk.state()), "{what}: files still count as being changed");
    assert!(desk.state().modal.elsewhere.waiting.is_none(), "{what}: keys wait");
    assert!(desk.state().slots[PLUGINS].running.is_none(), "{what}: a plugin runs");
    assert!(!desk.ide.app().is_filling(), "{what}: a picker is being filled");
    // Two of them in a row would open the session tree.
    for _ in 0..4 {
        if !desk.state().layers.is_empty() {
            desk.keys("Escape").await;
        }
    }
    assert!(desk.state().layers.is_empty(), "{what}: {}", desk.picture());
}

/// Does a story with each of its tasks in turn panicking, then once more without.
async fn with_every_task(name: &str, plan: fn() -> Plan, story: Story, works: fn(&mut Desk) -> bool) {
    let mut struck = 0;
    for nth in 1..=TASKS_MAX {
        let mut desk = plan().start().await;
        desk.ide.app().tasks().panic_in_task(nth);
        story(&mut desk).await;
        if desk.ide.app().tasks().is_panic_to_come() {
            break;
        }
        struck += 1;
        let what = format!("{name}, task {nth}");
        nothing_waits(&mut desk, &what).await;
        story(&mut desk).await;
        assert!(works(&mut desk), "{what}: {} {:?}\n{}", desk.message(), desk.text(), desk.picture());
        nothing_waits(&mut desk, &what).await;
    }
    assert!((1..TASKS_MAX).contains(&struck), "{name}: {struck} tasks");
}

fn save(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Alt-2 Ctrl-End").await;
        desk.type_in("x  ").await;
        desk.keys("Ctrl-s").await;
    }
    .boxed_local()
}

fn is_saved(desk: &mut Desk) -> bool {
    let unsaved = desk.state().buffers.current().unwrap().is_unsaved();
    let text = desk.text();
    !unsaved && text == desk.disk("a.txt") && text.ends_with('x')
}

#[tokio::test]
async fn save_whose_task_panics_can_be_repeated() {
    with_every_task("save", plan, save, is_saved).await;
}

fn find(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Alt-2 Ctrl-Home Ctrl-f Ctrl-u").await;
        desk.type_in("1; }").await;
        desk.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn find_whose_task_panics_can_be_repeated() {
    with_every_task("find", big, find, |desk| desk.selected() == ["1; }"]).await;
}

fn replace_everywhere(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Alt-6 r Ctrl-u").await;
        desk.type_in("three").await;
        desk.keys("Enter").await;
        desk.type_in("3").await;
        desk.keys("Enter").await;
        desk.keys("Alt-6 a").await;
        desk.keys("y").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn replacement_in_files_whose_task_panics_can_be_repeated() {
    let plan = || plan().file("c.txt", "three\n");
    with_every_task("replace", plan, replace_everywhere, |desk| desk.disk("c.txt") == "3\n").await;
}

fn filter(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Alt-2 Alt-6 | Ctrl-u").await;
        desk.type_in("tr a-z A-Z").await;
        desk.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn shell_filter_whose_task_panics_can_be_repeated() {
    with_every_task("filter", plan, filter, |desk| desk.text() == "ONE TWO\nTHREE\n").await;
}

fn create(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Alt-1 Home a").await;
        desk.keys("Ctrl-u").await;
        desk.type_in("new.txt").await;
        desk.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn file_creation_whose_task_panics_can_be_repeated() {
    let is_there = |desk: &mut Desk| desk.path("new.txt").exists() || desk.path("src/new.txt").exists();
    with_every_task("create", plan, create, is_there).await;
}

fn pick(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Ctrl-p").await;
        desk.type_in("lib.rs").await;
        desk.keys("Enter").await;
        desk.keys("Alt-, F").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn picker_opening_and_folding_whose_tasks_panic_can_be_repeated() {
    with_every_task("pick", plan, pick, |desk| desk.shown() == "lib.rs").await;
}

fn sort(desk: &mut Desk) -> LocalBoxFuture<'_, ()> {
    async {
        desk.keys("Alt-2 Alt-h").await;
        desk.keys("F1").await;
        desk.type_in("edit.unique-lines").await;
        desk.keys("Enter").await;
    }
    .boxed_local()
}

#[tokio::test]
async fn edit_of_a_long_text_whose_task_panics_can_be_repeated() {
    with_every_task("sort", big, sort, |desk| desk.text().len() < 100).await;
}

#[tokio::test]
async fn unsaved_text_is_kept_though_its_task_panicked_once() {
    let mut desk = plan().start().await;
    desk.type_in("x").await;
    desk.ide.app().tasks().panic_in_task(1);
    desk.wait(std::time::Duration::from_secs(1));
    desk.ide.idle().await;
    assert!(desk.message().contains("Cannot write the recovery journal"), "{}", desk.message());
    desk.wait(std::time::Duration::from_secs(10));
    desk.ide.idle().await;
    let id = desk.state().buffers.current().unwrap().id;
    assert!(!desk.state().slots[UNSAVED].behind().contains(&id), "the text is kept");
}

#[tokio::test]
async fn session_that_ends_by_itself_is_reported_and_nothing_works_on() {
    let mut desk = plan().start().await;
    let session = desk.ide.app().session().unwrap().clone();
    session.shutdown().await;
    desk.until("the end", |state| !state.agent.connected).await;
    assert!(desk.message().starts_with("Session ended by an internal error"));
    assert!(desk.picture().contains("--continue"), "{}", desk.picture());
    desk.keys("Alt-3").await;
    desk.type_in("hello").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains("hello"), "the prompt keeps what was typed: {}", desk.picture());
}
