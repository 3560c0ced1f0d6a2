//! The keys of commands, changed and looked up by a user at the keyboard.

use bowline::ide::core::keys::keymap::KeyContext;

use crate::support::test_ide::{IdeSetup, TestIde};

const FILE: &str = "config/keymaps/default.toml";

fn written(ide: &TestIde, file: &str) -> String {
    std::fs::read_to_string(ide.home(file)).unwrap_or_default()
}

async fn run_command(ide: &mut TestIde, command: &str) {
    ide.keys("Alt-x").await;
    ide.type_in(command).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn key_editor_gives_a_command_another_key_at_once() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("show undo tree").await;
    ide.keys("Enter").await;
    ide.keys("Ctrl-Alt-u").await;
    ide.snap("key_recorder");
    ide.keys("Enter").await;
    ide.wait_for("the file", |state| {
        state.keymap.keys_for(state.base_key_context(), "history.tree").as_deref() == Some("Ctrl-Alt-u")
    })
    .await;
    ide.snap("key_bindings");
    let text = written(&ide, FILE);
    assert!(text.contains("base = \"default\"") && text.contains("\"history.tree\""), "{text}");
    ide.keys("Escape").await;
    assert_eq!(ide.state().layers.len(), 0);
    ide.type_in("x").await;
    ide.keys("F4").await;
    assert_eq!(ide.state().layers.len(), 0, "the old key is free");
    ide.keys("Ctrl-Alt-u").await;
    assert!(ide.picture().contains("Undo tree"), "{}", ide.picture());
}

#[tokio::test]
async fn key_editor_removes_a_key_of_the_base() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("file.save").await;
    ide.wait_for_text("Ctrl-s").await;
    ide.keys("Delete").await;
    ide.wait_for("no key", |state| state.keymap.keys_for(state.base_key_context(), "file.save").is_none())
        .await;
    assert!(written(&ide, FILE).contains("Ctrl-s = \"none\""), "{}", written(&ide, FILE));
    ide.keys("Escape").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "one\n", "nothing is saved");
}

#[tokio::test]
async fn key_editor_finds_commands_by_words_and_keys() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("save file").await;
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("Ctrl-s  global") && !picture.contains("Move to text start"), "{picture}");
    ide.keys("Ctrl-u").await;
    ide.type_in("ctrl-s").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("Save file"), "{}", ide.picture());
}

#[tokio::test]
async fn key_editor_cancels_with_escape_and_needs_a_key() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("file.save").await;
    ide.keys("Enter Enter").await;
    assert!(ide.status_message().contains("Press the keys first"), "{}", ide.status_message());
    ide.keys("F7 Backspace F8 Escape").await;
    assert_eq!(written(&ide, FILE), "");
    assert!(ide.picture().contains("Edit keyboard shortcuts"), "{}", ide.picture());
}

#[tokio::test]
async fn key_editor_gives_a_command_its_keys_back() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("file.save").await;
    ide.keys("Delete").await;
    let keys = ["Ctrl-s".parse().unwrap()];
    let bound = |state: &bowline::ide::core::state::State| state.keymap.binding(KeyContext::Global, &keys);
    ide.wait_for("no key", |state| bound(state).is_none()).await;
    ide.keys("Ctrl-r").await;
    ide.wait_for("the key", |state| bound(state).is_some()).await;
    assert!(ide.status_message().contains("has the keys of the key map again"), "{}", ide.status_message());
    assert!(!written(&ide, FILE).contains("none"), "{}", written(&ide, FILE));
}

#[tokio::test]
async fn key_editor_says_what_is_lost_and_refuses_text() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("file.save").await;
    ide.keys("Enter").await;
    ide.type_in("a").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("a is typed as text"), "{}", ide.status_message());
    ide.keys("Ctrl-q F8").await;
    assert!(ide.picture().contains("Lost: Quit on Ctrl-q"), "{}", ide.picture());
    ide.keys("Backspace Backspace Alt-5").await;
    assert!(ide.picture().contains("longer shortcuts"), "{}", ide.picture());
    ide.keys("Escape").await;
    assert_eq!(written(&ide, FILE), "");
}

#[tokio::test]
async fn key_editor_says_what_a_key_hides_of_the_contexts_around() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("edit.join-lines").await;
    ide.keys("Enter Ctrl-q").await;
    assert!(ide.picture().contains("Hidden there: Quit (global)"), "{}", ide.picture());
    ide.keys("F8").await;
    assert!(ide.picture().contains("Hidden there: Quit on Ctrl-q (global)"), "{}", ide.picture());
    ide.keys("Backspace Backspace Ctrl-Alt-F9").await;
    assert!(ide.picture().contains("Free"), "{}", ide.picture());
}

#[tokio::test]
async fn key_editor_says_where_other_contexts_hide_a_new_key() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("view.toggle-wrap").await;
    ide.keys("Enter Alt-z").await;
    assert!(ide.picture().contains("Hidden by: Redo (text)"), "{}", ide.picture());
    ide.keys("Backspace Ctrl-Alt-F9").await;
    assert!(ide.picture().contains("Free"), "{}", ide.picture());
}

#[tokio::test]
async fn key_editor_says_what_is_wrong_with_the_file() {
    let plan = IdeSetup::new().with("a.txt", "one\n");
    let mut ide = plan.start().await;
    std::fs::create_dir_all(ide.home("config/keymaps")).unwrap();
    std::fs::write(ide.home(FILE), "[global\n").unwrap();
    run_command(&mut ide, "keys.edit").await;
    ide.type_in("file.save").await;
    ide.keys("Delete").await;
    ide.wait_for("the error", |state| state.status.message.contains("correct the file first")).await;
    assert_eq!(written(&ide, FILE), "[global\n", "it is not overwritten");
}

#[tokio::test]
async fn key_inspector_shows_contexts_prefixes_and_hidden_keys() {
    let mut ide = IdeSetup::new().size(100, 24).with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.inspect").await;
    ide.keys("Ctrl-s").await;
    assert!(ide.picture().contains("file.save"), "{}", ide.picture());
    ide.keys("Alt-5").await;
    assert!(ide.picture().contains("waits for another key"), "{}", ide.picture());
    ide.keys("v").await;
    assert!(ide.picture().contains("window.split-right"), "{}", ide.picture());
    ide.snap("key_inspector");
    ide.keys("Ctrl-q").await;
    assert!(ide.picture().contains("app.quit"), "a key is looked up, not run: {}", ide.picture());
    ide.keys("Escape").await;
    assert_eq!(ide.state().layers.len(), 0);
    assert_eq!(ide.file_text("a.txt"), "one\n");
}

#[tokio::test]
async fn key_map_file_of_yours_is_begun_and_counts_once_saved() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    run_command(&mut ide, "keys.open-file").await;
    ide.wait_for_text("base = \"default\"").await;
    ide.keys("Ctrl-End").await;
    ide.type_in("[editor]\n\"Ctrl-Alt-u\" = \"history.tree\"\n").await;
    ide.keys("Ctrl-s").await;
    let keys = ["Ctrl-Alt-u".parse().unwrap()];
    ide.wait_for("the key", |state| state.keymap.binding(KeyContext::Editor, &keys).is_some()).await;
    ide.keys("Ctrl-Alt-u").await;
    assert!(ide.picture().contains("Undo tree"), "{}", ide.picture());
}
