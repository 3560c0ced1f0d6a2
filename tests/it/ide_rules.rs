//! Files are typed and saved as the project's `.editorconfig` wants them.

use bowline::text::transaction::Author;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

async fn ide(rules: &str, file: &str, text: &str) -> TestIde {
    let rules = format!("root = true\n[*]\n{rules}\n");
    IdeSetup::new().file(".editorconfig", rules).with(file, text).start().await
}

#[tokio::test]
async fn editorconfig_sets_indentation() {
    let mut spaces = ide("indent_style = space\nindent_size = 2", "a.txt", "\tx\n").await;
    spaces.keys("Tab").await;
    assert_eq!(spaces.text(), "  \tx\n", "though the text is indented by tabs");
    let mut tabs = ide("indent_style = tab\nindent_size = 8", "a.txt", "  x\n").await;
    tabs.keys("End Enter").await;
    tabs.type_in("{").await;
    tabs.keys("Enter").await;
    assert_eq!(tabs.text(), "  x\n  {\n  \t\n  }\n");
    let mut three = ide("indent_size = 3", "a.txt", "      x\n").await;
    three.keys("Alt-i").await;
    assert_eq!(three.text(), "   x\n");
}

#[tokio::test]
async fn editorconfig_sets_tab_width() {
    let mut ide = ide("tab_width = 8", "a.txt", "\tx\nplain text\n").await;
    let (column, row) = ide.find("x ");
    let (plain, _) = ide.find("plain");
    assert_eq!(column - plain, 8);
    ide.keys("Right Down").await;
    ide.type_in("|").await;
    assert_eq!(ide.text(), "\tx\nplain te|xt\n");
    ide.click(column, row);
    ide.type_in("!").await;
    assert_eq!(ide.text(), "\t!x\nplain te|xt\n");
}

#[tokio::test]
async fn editorconfig_sets_wrap_column() {
    let mut ide = ide("max_line_length = 10", "a.txt", "one two three four\n").await;
    ide.keys("Alt-x").await;
    ide.type_in("edit.wrap").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "one two\nthree four\n");
}

#[tokio::test]
async fn editorconfig_save_trims_as_one_undo_step() {
    let rules = "trim_trailing_whitespace = true\ninsert_final_newline = true";
    let mut ide = ide(rules, "a.txt", "one  \ntwo\t\nthree").await;
    ide.keys("Down Right").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "one\ntxwo\nthree\n");
    assert_eq!((ide.text(), ide.cursor()), (ide.file_text("a.txt"), (2, 3)));
    let buffer = ide.state().buffers.current().unwrap();
    assert!(!buffer.is_unsaved());
    assert_eq!(buffer.area.document.history().last().unwrap().author, Author::Formatter);
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one  \ntxwo\t\nthree");
    ide.keys("Alt-z Ctrl-s").await;
    assert_eq!(ide.state().buffers.current().unwrap().area.document.history().len(), 3, "nothing to clean");
}

#[tokio::test]
async fn editorconfig_save_converts_line_endings_undoably() {
    let mut ide = ide("end_of_line = lf", "a.txt", "one\r\ntwo\r\n").await;
    assert_eq!(ide.text(), "one\r\ntwo\r\n", "reading changes nothing");
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "xone\ntwo\n");
    ide.keys("End Enter").await;
    assert_eq!(ide.text(), "xone\n\ntwo\n");
    ide.keys("Ctrl-z Ctrl-z Enter").await;
    assert_eq!(ide.text(), "x\r\none\r\ntwo\r\n", "line ending and format are undone together");
}

#[tokio::test]
async fn editorconfig_charset_applies_to_new_files_only() {
    let rules = "root = true\n[*]\ncharset = utf-16le\nend_of_line = crlf\ninsert_final_newline = false\n";
    let mut ide = IdeSetup::new().file(".editorconfig", rules).open("new.txt").start().await;
    ide.type_in("a").await;
    ide.keys("Enter Ctrl-s").await;
    assert_eq!(ide.file_bytes("new.txt"), b"\xff\xfea\0");
    let mut old = self::ide("charset = utf-16le", "a.txt", "é\n").await;
    old.type_in("x").await;
    old.keys("Ctrl-s").await;
    assert_eq!(old.file_text("a.txt"), "xé\n");
}

#[tokio::test]
async fn editorconfig_save_keeps_text_typed_meanwhile() {
    with_task_orders(async || {
        let mut ide = ide("trim_trailing_whitespace = true", "a.txt", "one  \n").await;
        ide.type_without_settling("a");
        ide.headless.press("Ctrl-s");
        // Cleaning is under way, and the text is another one already.
        ide.type_without_settling("b");
        ide.headless.idle().await;
        assert_eq!(ide.text(), "abone\n");
        assert_eq!(ide.file_text("a.txt"), "abone\n", "it was cleaned again for the newer text");
    })
    .await;
}

#[tokio::test]
async fn editorconfig_edit_applies_after_save() {
    let mut ide = IdeSetup::new()
        .file(".editorconfig", "root = true\n[*]\nindent_size = 2\nindent_style = space\n")
        .with("a.txt", "x\n")
        .open(".editorconfig")
        .start()
        .await;
    ide.keys("Alt-PageDown").await;
    assert_eq!(ide.current_file_name(), ".editorconfig");
    ide.keys("Down Down End Backspace").await;
    ide.type_in("5").await;
    ide.keys("Ctrl-s").await;
    ide.keys("Alt-PageUp Tab").await;
    assert_eq!(ide.text(), "     x\n");
}

#[tokio::test]
async fn editorconfig_invalid_line_is_reported_once() {
    let mut ide = ide("indent_size = 2\nindent_style = space\nno pair", "a.txt", "x\n").await;
    assert!(
        ide.status_message().contains(".editorconfig:5: invalid line; the file is ignored"),
        "{}",
        ide.status_message()
    );
    ide.keys("Tab").await;
    assert_eq!(ide.text(), "    x\n");
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.status_message(), "Saved a.txt");
}

#[tokio::test]
async fn editorconfig_rules_follow_save_as() {
    let mut ide = ide("[*.two]\nindent_size = 2\nindent_style = space", "a.txt", "x\n").await;
    ide.keys("Alt-x").await;
    ide.type_in("file.save-as").await;
    ide.keys("Enter").await;
    ide.type_in("b.two").await;
    ide.keys("Enter").await;
    ide.keys("Tab").await;
    assert_eq!(ide.text(), "  x\n");
}
