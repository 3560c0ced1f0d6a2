//! Files and settings that are not as they should be: told plainly, and never a byte lost.

use std::fs;

use crate::support::test_ide::IdeSetup;

#[tokio::test]
async fn open_unreadable_file_reports_permission_denied() {
    let mut ide = IdeSetup::new().file("a.txt", "secret").open("a.txt").unreadable("a.txt").start().await;
    assert_eq!(
        ide.status_message(),
        format!("Cannot open a.txt: {}: permission denied", ide.path("a.txt").display())
    );
    assert!(ide.state().buffers.current().is_none());
    ide.keys("Alt-2 Ctrl-p").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().starts_with("Cannot open a.txt"), "{}", ide.status_message());
}

#[tokio::test]
async fn open_binary_file_is_read_only() {
    let bytes = b"\x7fELF\0\0\x01\x02rest\n";
    let mut ide = IdeSetup::new().with("a.bin", bytes).start().await;
    assert!(ide.picture().contains("read-only: a binary file is shown"), "{}", ide.picture());
    ide.type_in("x").await;
    assert_eq!(ide.status_message(), "a binary file is shown, not edited");
    ide.keys("Ctrl-k Ctrl-s").await;
    assert_eq!(ide.status_message(), "Not saved: a binary file is shown, not edited");
    assert_eq!(ide.file_bytes("a.bin"), bytes);
}

#[tokio::test]
async fn save_keeps_invalid_utf8_bytes() {
    let bytes = b"caf\xc3\xa9\nna\xc3\xafve\xff\xfe\r\nend";
    let mut ide = IdeSetup::new().with("a.txt", bytes).start().await;
    assert!(ide.picture().contains("not UTF-8, bytes kept"), "{}", ide.picture());
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), bytes);
    ide.keys("Ctrl-End").await;
    ide.type_in("!").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), [&bytes[..], b"!"].concat());
    // What was cut and put in again is still the same bytes.
    ide.keys("Ctrl-Home Ctrl-k Ctrl-y Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), [&bytes[..], b"!"].concat());
}

#[tokio::test]
async fn save_keeps_mixed_line_endings_and_bom() {
    let bytes = b"\xef\xbb\xbfone\r\ntwo\nthree\rfour";
    let mut ide = IdeSetup::new().with("a.txt", bytes).start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_bytes("a.txt"), b"\xef\xbb\xbfxone\r\ntwo\nthree\rfour");
}

#[tokio::test]
async fn open_folder_shows_it_in_file_tree() {
    let mut ide = IdeSetup::new().file("src/main.rs", "").open("src").size(120, 30).start().await;
    assert_eq!(ide.status_message(), "Folder: src. See the file tree (Alt-1)");
    ide.headless.idle().await;
    assert!(ide.picture().contains("main.rs"));
}

#[tokio::test]
async fn save_creates_missing_parent_folders() {
    let mut ide = IdeSetup::new().start().await;
    ide.keys("Alt-2 Ctrl-o").await;
    ide.type_in("no/such/new.txt").await;
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "New file: no/such/new.txt. Saving creates it");
    assert!(!ide.path("no").exists());
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert!(ide.file_text("no/such/new.txt").starts_with('x'));
}

#[tokio::test]
async fn open_below_file_reports_error_and_keeps_text() {
    let mut ide = IdeSetup::new().file("no", "a file").open("no/new.txt").start().await;
    let first = ide.status_message();
    if ide.state().buffers.current().is_some() {
        ide.type_in("x").await;
        ide.keys("Ctrl-s").await;
        assert!(ide.status_message().starts_with("Not saved"), "{}", ide.status_message());
        assert!(ide.text().starts_with('x'));
    } else {
        assert!(first.starts_with("Cannot open no/new.txt"), "{first}");
    }
    assert_eq!(ide.file_text("no"), "a file");
}

#[tokio::test]
async fn save_without_permission_reports_error_and_keeps_text() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").unwritable("a.txt").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.status_message(), "Not saved: no permission to write a.txt. Save file as: Alt-, f a");
    assert_eq!((ide.text().as_str(), ide.file_text("a.txt").as_str()), ("xone\n", "one\n"));
    ide.keys("F1").await;
    ide.type_in("file.save-as").await;
    ide.keys("Enter").await;
    ide.type_in("b.txt").await;
    ide.keys("Enter").await;
    assert_eq!((ide.status_message().as_str(), ide.file_text("b.txt").as_str()), ("Saved b.txt", "xone\n"));
}

#[tokio::test]
async fn quit_with_failed_save_is_canceled() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").unwritable("a.txt").start().await;
    ide.type_in("x").await;
    ide.keys("Ctrl-q s").await;
    assert!(!ide.state().quit);
    assert!(ide.status_message().starts_with("Not saved"));
    assert_eq!(ide.text(), "xone\n");
}

#[tokio::test]
async fn save_as_existing_file_asks_for_confirmation() {
    let mut ide = IdeSetup::new().file("b.txt", "b\n").with("a.txt", "a\n").start().await;
    ide.keys("F1").await;
    ide.type_in("file.save-as").await;
    ide.keys("Enter").await;
    ide.type_in("b.txt").await;
    ide.keys("Enter").await;
    ide.wait_for_text("Changed on disk").await;
    assert_eq!(ide.file_text("b.txt"), "b\n");
}

#[tokio::test]
async fn reload_of_unmodified_file_can_be_undone() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.write_file("a.txt", "two\n");
    ide.focus_window().await;
    assert_eq!(
        (ide.text().as_str(), ide.status_message().as_str()),
        ("two\n", "Reloaded a.txt. Undo restores the old text")
    );
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\n");
    assert!(ide.picture().contains("a.txt ●"));
}

#[tokio::test]
async fn save_of_externally_changed_file_asks_before_overwriting() {
    for (answer, text, on_disk) in
        [("r", "two\n", "two\n"), ("o", "xone\n", "xone\n"), ("n", "xone\n", "two\n")]
    {
        let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
        ide.type_in("x").await;
        ide.write_file("a.txt", "two\n");
        ide.focus_window().await;
        assert!(ide.status_message().contains("Changed on disk"), "{}", ide.status_message());
        assert!(ide.picture().contains("a.txt ≠"));
        ide.keys("Ctrl-s").await;
        ide.wait_for_text("Changed on disk").await;
        assert_eq!(ide.file_text("a.txt"), "two\n");
        ide.keys(answer).await;
        assert_eq!((ide.text().as_str(), ide.file_text("a.txt").as_str()), (text, on_disk), "{answer}");
        if answer == "r" {
            ide.keys("Ctrl-z").await;
            assert_eq!(ide.text(), "xone\n", "the person's text is one undo away");
        }
    }
}

#[tokio::test]
async fn save_detects_external_change_without_watcher() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.write_file("a.txt", "two\n");
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    ide.wait_for_text("Changed on disk").await;
    assert_eq!(ide.file_text("a.txt"), "two\n");
}

#[tokio::test]
async fn save_recreates_deleted_file() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    fs::remove_file(ide.path("a.txt")).unwrap();
    ide.focus_window().await;
    assert_eq!(ide.status_message(), "Deleted on disk: a.txt. Saving creates it again");
    assert!(ide.picture().contains("a.txt ✗"));
    ide.keys("Ctrl-q").await;
    ide.wait_for_text("One file is unsaved").await;
    ide.keys("n Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "one\n", "{}", ide.picture());
}

#[tokio::test]
async fn settings_problems_are_shown_at_startup() {
    let plan = IdeSetup::new()
        .settings_problem("settings.toml:3: tab-width must be a whole number; ignored")
        .settings_problem("another");
    let mut ide = plan.start().await;
    assert!(ide.picture().contains("settings.toml:3: tab-width must be"), "{}", ide.picture());
    assert!(ide.status_message().ends_with("(and 1 more: “Show notifications” (F1))"));
    ide.headless.app().with_cx(|cx| cx.defer_command("view.notifications"));
    ide.headless.idle().await;
    let picture = ide.picture();
    assert!(picture.contains("another") && picture.contains("settings.toml:3"), "{picture}");
}

#[tokio::test]
async fn keymap_unknown_command_is_reported_and_others_work() {
    let map = "[global]\n\"Ctrl-q\" = \"app.quit\"\n\"Ctrl-s\" = \"file.sav\"\n";
    let mut ide = IdeSetup::new().with("a.txt", "a\n").keymap(map).start().await;
    assert!(ide.status_message().starts_with("keymaps/test.toml:3:"), "{}", ide.status_message());
    ide.keys("Ctrl-q").await;
    assert!(ide.state().quit);
}

#[tokio::test]
async fn keymap_invalid_toml_falls_back_to_working_keys() {
    let mut ide = IdeSetup::new().with("a.txt", "a\n").keymap("[global\n\"Ctrl-q\" = 7\n").start().await;
    assert!(ide.status_message().starts_with("keymaps/test.toml:1:"), "{}", ide.status_message());
    ide.keys("Ctrl-q").await;
    assert!(ide.state().quit, "a person must always be able to leave");
}

#[tokio::test]
async fn editor_draws_long_lines_and_control_characters() {
    let odd =
        format!("{}\ntab\tnul-free \u{1b}[31m bell \u{7} e\u{301} 👩‍👩‍👧 漢字\u{202e}x\n", "long ".repeat(2000));
    let mut ide = IdeSetup::new().with("a.log", &odd).size(120, 24).start().await;
    ide.keys("End Down Home").await;
    let picture = ide.picture();
    assert!(!picture.contains('\u{1b}') && !picture.contains('\u{7}'), "{picture}");
    assert!(picture.contains("漢字"), "{picture}");
    ide.headless.resize(20, 5);
    ide.keys("End Left Left").await;
    ide.type_in("y").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.log").replacen('y', "", 1), odd);
}
