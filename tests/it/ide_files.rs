//! Files and folders made, moved, deleted and taken back from the tree.

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide() -> TestIde {
    let mut ide =
        IdeSetup::new().file("src/lib.rs", "lib\n").with("notes.md", "notes\n").size(120, 24).start().await;
    ide.keys("Alt-f").await;
    ide.keys("Alt-1 Home").await;
    ide
}

/// Answers the question on top anew.
async fn answer_dialog(ide: &mut TestIde, text: &str) {
    ide.keys("End Ctrl-u").await;
    ide.type_in(text).await;
    ide.keys("Enter").await;
}

fn selected_path(ide: &mut TestIde) -> String {
    let row = ide.state().files.current().unwrap().path.clone();
    ide.state().display_path(&row)
}

#[tokio::test]
async fn file_tree_creates_files_and_folders() {
    let mut ide = ide().await;
    ide.keys("a").await;
    assert!(ide.picture().contains("src/"), "{}", ide.picture());
    ide.type_in("deep/é.rs").await;
    ide.keys("Enter").await;
    assert_eq!((ide.current_file_name().as_str(), ide.file_text("src/deep/é.rs").as_str()), ("é.rs", ""));
    assert_eq!(selected_path(&mut ide), "src/deep/é.rs");
    ide.snap("files-made");
    ide.keys("Alt-1 a").await;
    answer_dialog(&mut ide, "new/").await;
    assert!(ide.path("new").is_dir());
    assert_eq!(ide.status_message(), "Done: created folder new. Undo: u in the tree");
    ide.keys("a").await;
    answer_dialog(&mut ide, "notes.md").await;
    assert_eq!(ide.status_message(), "Not done: created notes.md: a file is there already");
    ide.keys("u").await;
    ide.keys("u").await;
    assert!(!ide.path("new").exists() && !ide.path("src/deep/é.rs").exists());
    assert_eq!(ide.current_file_name(), "notes.md", "what is gone and has nothing unsaved is closed");
}

#[tokio::test]
async fn file_rename_updates_open_buffers() {
    let mut ide = ide().await;
    ide.keys("Right").await;
    ide.keys("Down Enter").await;
    assert_eq!(ide.current_file_name(), "lib.rs");
    ide.type_in("my ").await;
    ide.keys("Alt-1 Home r").await;
    answer_dialog(&mut ide, "code/rust").await;
    assert_eq!(ide.status_message(), "Done: moved to code/rust. Undo: u in the tree");
    assert_eq!(selected_path(&mut ide), "code/rust");
    ide.keys("Alt-2 Ctrl-s").await;
    assert_eq!(ide.file_text("code/rust/lib.rs"), "my lib\n", "unsaved text goes along");
    assert!(!ide.path("src").exists());
    ide.keys("Alt-1 u").await;
    assert_eq!(ide.file_text("src/lib.rs"), "my lib\n");
    ide.keys("Alt-2").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("src/lib.rs"), "my xlib\n");
    ide.keys("Alt-1 Home r").await;
    answer_dialog(&mut ide, "notes.md").await;
    assert_eq!(ide.status_message(), "Not done: moved to notes.md: a file is there already");
    ide.keys("Alt-2").await;
    ide.type_in("y").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("src/lib.rs"), "my xylib\n", "what could not be moved is saved as ever");
}

#[tokio::test]
async fn file_rename_box_selects_the_name_without_its_extension() {
    let mut ide = ide().await;
    ide.keys("Right").await;
    ide.keys("Down r").await;
    ide.type_in("main").await;
    ide.keys("Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.status_message(), "Done: moved to src/main.rs. Undo: u in the tree");
}

#[tokio::test]
async fn file_delete_can_be_undone() {
    let mut ide = ide().await;
    ide.keys("End d").await;
    assert!(!ide.path("notes.md").exists());
    assert_eq!(ide.status_message(), "Done: deleted notes.md. Undo: u in the tree");
    assert!(ide.state().buffers.current().is_none());
    ide.keys("u").await;
    assert_eq!(ide.file_text("notes.md"), "notes\n");
    ide.keys("Home d").await;
    assert!(ide.picture().contains("src and everything in it."), "{}", ide.picture());
    ide.keys("n").await;
    assert!(ide.path("src").exists());
    ide.keys("d").await;
    ide.keys("y").await;
    assert!(!ide.path("src").exists());
    ide.write_file("src", "in the way");
    ide.keys("u").await;
    assert_eq!(ide.status_message(), "Not done: moved to src: a file is there already");
    std::fs::remove_file(ide.path("src")).unwrap();
    ide.keys("u").await;
    assert_eq!(ide.file_text("src/lib.rs"), "lib\n", "it can be tried again");
    ide.keys("u").await;
    assert_eq!(ide.status_message(), "No file operation to undo");
}

#[tokio::test]
async fn file_create_undo_skips_file_with_content() {
    let mut ide = ide().await;
    ide.keys("a").await;
    answer_dialog(&mut ide, "one.md").await;
    ide.keys("Alt-1 a").await;
    answer_dialog(&mut ide, "two.md").await;
    ide.type_in("much").await;
    ide.keys("Ctrl-s").await;
    ide.keys("Alt-1 u").await;
    assert_eq!(ide.file_text("two.md"), "much");
    assert_eq!(ide.status_message(), "Not done: deleted two.md: it is no longer empty; step skipped");
    ide.keys("u").await;
    assert!(!ide.path("one.md").exists(), "the step before can be taken back");
}

#[tokio::test]
async fn file_rename_to_another_language_redraws_its_text() {
    let mut ide = IdeSetup::new().with("a.rs", "fn main() {}\n").start().await;
    ide.keys("Alt-1 r End").await;
    ide.type_in("x").await;
    ide.keys("Enter").await;
    assert!(ide.path("a.rsx").exists(), "{}", ide.picture());
    // Every input compares what was drawn with a full frame.
    ide.headless.input(bowline::tui::input::Input::Focus(false));
}

#[tokio::test]
async fn file_open_note_disappears_with_next_input() {
    let mut ide = IdeSetup::new().with("a.rs", "fn main() {}\n").start().await;
    ide.keys("Ctrl-o x Backspace Enter").await;
    assert!(ide.picture().contains("Nothing typed"), "{}", ide.picture());
    ide.headless.input(bowline::tui::input::Input::Paste(String::new()));
    assert!(!ide.picture().contains("Nothing typed"), "{}", ide.picture());
}

#[tokio::test]
async fn file_rows_found_while_enter_waits_are_drawn() {
    let mut setup = IdeSetup::new();
    for n in 0..200 {
        setup = setup.file(&format!("file{n}.txt"), "");
    }
    let mut ide = setup.start().await;
    ide.headless.press("Ctrl-p z z Enter");
    // Each event that is handled compares what was drawn with a full frame.
    while ide.headless.handle_ready(64).await > 0 {}
    ide.headless.idle().await;
    assert!(ide.picture().contains("0 / 200"), "{}", ide.picture());
}

#[tokio::test]
async fn file_rename_undo_during_save_can_be_retried() {
    let mut ide = ide().await;
    ide.keys("End r").await;
    answer_dialog(&mut ide, "moved.md").await;
    ide.keys("Alt-2").await;
    ide.type_in("my ").await;
    ide.headless.press("Ctrl-s");
    ide.headless.press("Alt-1");
    ide.headless.press("u");
    assert_eq!(ide.status_message(), "moved.md is being saved; try again");
    ide.headless.idle().await;
    ide.keys("u").await;
    assert_eq!(ide.file_text("notes.md"), "my notes\n");
}

#[tokio::test]
async fn quit_with_unsaved_text_waits_for_file_operations() {
    with_task_orders(async || {
        let mut ide = ide().await;
        ide.keys("Alt-2").await;
        ide.type_in("my ").await;
        ide.keys("Alt-1 End r End Ctrl-u").await;
        ide.type_without_settling("moved.md");
        for key in ["Enter", "Ctrl-q"] {
            ide.headless.press(key);
        }
        assert!(ide.picture().contains("Quitting waits for them"), "{}", ide.picture());
        ide.headless.press("d");
        assert!(!ide.state().quit);
        ide.headless.idle().await;
        assert!(ide.state().quit && ide.path("moved.md").exists());
    })
    .await;
}

#[tokio::test]
async fn file_rename_moves_recovery_journal() {
    let mut ide = ide().await;
    ide.keys("Alt-2").await;
    ide.type_in("my ").await;
    ide.advance(std::time::Duration::from_secs(1));
    ide.headless.idle().await;
    ide.keys("Alt-1 End r").await;
    answer_dialog(&mut ide, "moved.md").await;
    ide.advance(std::time::Duration::from_secs(1));
    ide.headless.idle().await;
    let mut ide = ide.restart().open("moved.md").start().await;
    assert!(ide.picture().contains("bowline ended before moved.md was saved."), "{}", ide.picture());
}

#[tokio::test]
async fn file_delete_keeps_unsaved_buffer() {
    let mut ide = ide().await;
    ide.keys("Alt-2").await;
    ide.type_in("mine ").await;
    ide.keys("Alt-1 End d").await;
    assert!(ide.picture().contains("1 unsaved"), "{}", ide.picture());
    ide.keys("y").await;
    assert_eq!(ide.text(), "mine notes\n");
    ide.keys("u").await;
    assert_eq!(ide.file_text("notes.md"), "notes\n");
    assert_eq!(ide.text(), "mine notes\n");
}

#[tokio::test]
async fn file_undo_skips_step_that_fails() {
    for gone in [true, false] {
        let mut ide = ide().await;
        ide.keys("a").await;
        answer_dialog(&mut ide, "new/").await;
        ide.keys("End r").await;
        answer_dialog(&mut ide, "moved.md").await;
        if gone {
            std::fs::remove_file(ide.path("moved.md")).unwrap();
        } else {
            ide.write_file("notes.md", "in the way");
            ide.keys("u").await;
            assert_eq!(ide.status_message(), "Not done: moved to notes.md: a file is there already");
        }
        ide.keys("u").await;
        assert!(ide.status_message().ends_with("; step skipped"), "{}", ide.status_message());
        assert!(ide.path("new").exists());
        ide.keys("u").await;
        assert!(!ide.path("new").exists(), "the step before: {}", ide.status_message());
    }
}

#[tokio::test]
async fn file_rename_onto_open_buffer_is_rejected() {
    let plan = IdeSetup::new().file("a/é.md", "one\n").open("new.md").open("b/é.md").open("a/é.md");
    let mut ide = plan.size(120, 24).start().await;
    ide.type_in("my ").await;
    ide.keys("Alt-f Alt-1 Home r").await;
    answer_dialog(&mut ide, "b").await;
    assert_eq!(ide.status_message(), "é.md is open at that path: close it or save it elsewhere");
    assert!(ide.path("a/é.md").exists() && !ide.path("b").exists());
    ide.keys("Right").await;
    ide.keys("Down r").await;
    answer_dialog(&mut ide, "new.md").await;
    assert_eq!(ide.status_message(), "new.md is open at that path: close it or save it elsewhere");
    assert_eq!(ide.file_text("a/é.md"), "one\n");
    ide.keys("r").await;
    answer_dialog(&mut ide, "c.md").await;
    assert_eq!(ide.file_text("c.md"), "one\n", "{}", ide.status_message());
}

#[tokio::test]
async fn quit_waits_for_file_operations_unless_repeated() {
    for again in [false, true] {
        let mut ide = ide().await;
        ide.keys("End r End Ctrl-u").await;
        ide.type_without_settling("moved.md");
        ide.headless.press("Enter");
        ide.headless.press("Ctrl-q");
        assert!(
            !ide.state().quit && ide.status_message().contains("Quitting when file changes finish"),
            "{}",
            ide.status_message()
        );
        if again {
            ide.headless.press("Ctrl-q");
            assert!(ide.state().quit, "a person can always leave");
            continue;
        }
        ide.headless.idle().await;
        assert!(ide.state().quit && ide.path("moved.md").exists());
    }
}

#[tokio::test]
async fn quit_waiting_for_file_operations_canceled_by_escape() {
    let mut ide = ide().await;
    ide.keys("End r End Ctrl-u").await;
    ide.type_without_settling("moved.md");
    ide.headless.press("Enter");
    ide.headless.press("Ctrl-q");
    ide.headless.press("Escape");
    assert_eq!(ide.status_message(), "Quit canceled");
    ide.headless.idle().await;
    assert!(!ide.state().quit && ide.path("moved.md").exists());
}

#[tokio::test]
async fn path_prompts_complete_names_with_tab() {
    let setup =
        IdeSetup::new().file("src/ide/mod.rs", "x\n").file("src/ids.rs", "x\n").file("src/.hidden", "x\n");
    let mut ide = setup.file("notes.md", "x\n").size(120, 24).start().await;
    ide.keys("Alt-2 Ctrl-o").await;
    ide.type_in("s").await;
    ide.keys("Tab").await;
    assert!(ide.picture().contains("│ src/ "), "{}", ide.picture());
    ide.keys("Tab").await;
    assert!(ide.picture().contains("│ src/id "), "{}", ide.picture());
    assert!(
        ide.picture().contains("ide/  ids.rs") && !ide.picture().contains(".hidden"),
        "{}",
        ide.picture()
    );
    ide.snap("prompt_path_completion");
    ide.type_in("e").await;
    assert!(!ide.picture().contains("ids.rs"), "what was proposed belongs to another text");
    ide.keys("Tab").await;
    ide.keys("Tab").await;
    assert!(ide.picture().contains("│ src/ide/mod.rs "), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(ide.current_file_name(), "mod.rs");
    ide.keys("Ctrl-o Ctrl-u").await;
    ide.type_in("nowhere/x").await;
    ide.keys("Tab").await;
    assert!(ide.picture().contains("No such folder"), "{}", ide.picture());
    ide.keys("Ctrl-u").await;
    ide.type_in("zzz").await;
    ide.keys("Tab").await;
    assert!(
        ide.picture().contains("No match") && ide.picture().contains("Tab complete"),
        "{}",
        ide.picture()
    );
    ide.keys("Escape Ctrl-p Escape").await;
    ide.keys("Alt-x").await;
    ide.type_in("Import sessions").await;
    ide.keys("Enter End Ctrl-u").await;
    ide.type_in("~").await;
    ide.keys("Tab").await;
    assert!(ide.picture().contains("│ ~/ "), "{}", ide.picture());
}

#[tokio::test]
async fn tab_line_counts_the_files_beside_it_and_shows_the_current_one() {
    let mut setup = IdeSetup::new().size(80, 16);
    for n in 0..14 {
        setup = setup.with(&format!("file-{n}.txt"), "x\n");
    }
    let mut ide = setup.with("a/mod.rs", "a\n").with("b/mod.rs", "b\n").start().await;
    let line = |ide: &mut TestIde| ide.picture().lines().nth(1).unwrap_or_default().to_string();
    assert!(line(&mut ide).contains("file-0.txt") && line(&mut ide).contains('›'), "{}", ide.picture());
    ide.keys("Alt-PageUp").await;
    assert!(line(&mut ide).contains("‹ 1") && line(&mut ide).contains("b/mod.rs"), "{}", ide.picture());
    assert!(line(&mut ide).contains("a/mod.rs"), "files of one name have their folders: {}", ide.picture());
    let (x, y) = ide.find("‹ 1");
    ide.click(x, y);
    ide.headless.idle().await;
    assert!(!line(&mut ide).contains("b/mod.rs"), "a click goes on before the first tab: {}", ide.picture());
    ide.snap("tab_line_many");
}

#[tokio::test]
async fn files_are_gone_through_by_last_use_in_the_keys_of_vscode() {
    let plan = IdeSetup::new().keymap(include_str!("../../keymaps/vscode.toml"));
    let plan = plan.with("a.txt", "a\n").with("b.txt", "b\n").with("c.txt", "c\n");
    let mut ide = plan.start().await;
    for name in ["a.txt", "b.txt", "c.txt"] {
        ide.keys("Ctrl-p").await;
        ide.type_in(name).await;
        ide.keys("Enter").await;
        ide.headless.idle().await;
    }
    let mut seen = Vec::new();
    for key in ["Ctrl-Tab", "Ctrl-Tab", "Ctrl-Shift-Tab"] {
        ide.keys(key).await;
        seen.push(ide.current_file_name());
    }
    assert_eq!(seen, ["b.txt", "a.txt", "b.txt"]);
    ide.advance(std::time::Duration::from_secs(5));
    ide.keys("Alt-0 p").await;
    assert_eq!(ide.current_file_name(), "c.txt", "the one before the last pause");
}

#[tokio::test]
async fn closed_file_is_reopened_where_the_cursor_was() {
    let plan = IdeSetup::new().keymap(include_str!("../../keymaps/vscode.toml"));
    let mut ide = plan.with("a.txt", "one\ntwo\nthree\n").start().await;
    ide.keys("Ctrl-Shift-t").await;
    assert_eq!(ide.status_message(), "No closed file");
    ide.keys("Down Down Right Ctrl-w").await;
    assert!(ide.state().buffers.current().is_none());
    ide.keys("Ctrl-Shift-t").await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("a.txt".to_string(), (3, 2)));
    ide.keys("Ctrl-Shift-t").await;
    assert_eq!(ide.status_message(), "No closed file", "it is open");
    ide.type_in("x").await;
    ide.keys("Ctrl-w s").await;
    ide.headless.idle().await;
    ide.keys("Alt-0 o").await;
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name(), ide.cursor()), ("a.txt".to_string(), (3, 3)), "saved and closed");
}
