//! Files are typed and saved as the project's `.editorconfig` wants them.

use bowline::text::transaction::Author;

use crate::support::desk::{Desk, Plan};

async fn desk(rules: &str, file: &str, text: &str) -> Desk {
    let rules = format!("root = true\n[*]\n{rules}\n");
    Plan::new().file(".editorconfig", rules).with(file, text).start().await
}

#[tokio::test]
async fn indentation_is_the_projects() {
    let mut spaces = desk("indent_style = space\nindent_size = 2", "a.txt", "\tx\n").await;
    spaces.keys("Tab").await;
    assert_eq!(spaces.text(), "  \tx\n", "though the text is indented by tabs");
    let mut tabs = desk("indent_style = tab\nindent_size = 8", "a.txt", "  x\n").await;
    tabs.keys("End Enter").await;
    tabs.type_in("{").await;
    tabs.keys("Enter").await;
    assert_eq!(tabs.text(), "  x\n  {\n  \t\n  }\n");
    let mut three = desk("indent_size = 3", "a.txt", "      x\n").await;
    three.keys("Alt-i").await;
    assert_eq!(three.text(), "   x\n");
}

#[tokio::test]
async fn tab_stops_are_the_projects_on_screen_and_for_the_cursor() {
    let mut desk = desk("tab_width = 8", "a.txt", "\tx\nplain text\n").await;
    let (column, row) = desk.find("x ");
    let (plain, _) = desk.find("plain");
    assert_eq!(column - plain, 8);
    desk.keys("Right Down").await;
    desk.type_in("|").await;
    assert_eq!(desk.text(), "\tx\nplain te|xt\n");
    desk.click(column, row);
    desk.type_in("!").await;
    assert_eq!(desk.text(), "\t!x\nplain te|xt\n");
}

#[tokio::test]
async fn paragraphs_are_broken_at_the_projects_column() {
    let mut desk = desk("max_line_length = 10", "a.txt", "one two three four\n").await;
    desk.keys("Alt-x").await;
    desk.type_in("edit.wrap").await;
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "one two\nthree four\n");
}

#[tokio::test]
async fn a_save_cleans_the_text_as_one_step_and_the_cursor_stays() {
    let rules = "trim_trailing_whitespace = true\ninsert_final_newline = true";
    let mut desk = desk(rules, "a.txt", "one  \ntwo\t\nthree").await;
    desk.keys("Down Right").await;
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "one\ntxwo\nthree\n");
    assert_eq!((desk.text(), desk.cursor()), (desk.disk("a.txt"), (2, 3)));
    let buffer = desk.state().buffers.current().unwrap();
    assert!(!buffer.is_unsaved());
    assert_eq!(buffer.area.document.history().last().unwrap().author, Author::Formatter);
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "one  \ntxwo\t\nthree");
    desk.keys("Alt-z Ctrl-s").await;
    assert_eq!(desk.state().buffers.current().unwrap().area.document.history().len(), 3, "nothing to clean");
}

#[tokio::test]
async fn line_endings_become_the_projects_and_undo_brings_them_back() {
    let mut desk = desk("end_of_line = lf", "a.txt", "one\r\ntwo\r\n").await;
    assert_eq!(desk.text(), "one\r\ntwo\r\n", "reading changes nothing");
    desk.type_in("x").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "xone\ntwo\n");
    desk.keys("End Enter").await;
    assert_eq!(desk.text(), "xone\n\ntwo\n");
    desk.keys("Ctrl-z Ctrl-z Enter").await;
    assert_eq!(desk.text(), "x\r\none\r\ntwo\r\n", "line ending and format are undone together");
}

#[tokio::test]
async fn a_new_file_is_in_the_projects_format_and_an_old_one_stays() {
    let rules = "root = true\n[*]\ncharset = utf-16le\nend_of_line = crlf\ninsert_final_newline = false\n";
    let mut desk = Plan::new().file(".editorconfig", rules).open("new.txt").start().await;
    desk.type_in("a").await;
    desk.keys("Enter Ctrl-s").await;
    assert_eq!(desk.bytes("new.txt"), b"\xff\xfea\0");
    let mut old = self::desk("charset = utf-16le", "a.txt", "é\n").await;
    old.type_in("x").await;
    old.keys("Ctrl-s").await;
    assert_eq!(old.disk("a.txt"), "xé\n");
}

#[tokio::test]
async fn what_is_typed_while_a_text_is_cleaned_is_not_lost() {
    let mut desk = desk("trim_trailing_whitespace = true", "a.txt", "one  \n").await;
    desk.type_now("a");
    desk.ide.press("Ctrl-s");
    // Cleaning is under way, and the text is another one already.
    desk.type_now("b");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "abone\n");
    assert_eq!(desk.disk("a.txt"), "abone\n", "it was cleaned again for the newer text");
}

#[tokio::test]
async fn rules_count_from_when_they_are_saved() {
    let mut desk = Plan::new()
        .file(".editorconfig", "root = true\n[*]\nindent_size = 2\nindent_style = space\n")
        .with("a.txt", "x\n")
        .open(".editorconfig")
        .start()
        .await;
    desk.keys("Alt-PageDown").await;
    assert_eq!(desk.shown(), ".editorconfig");
    desk.keys("Down Down End Backspace").await;
    desk.type_in("5").await;
    desk.keys("Ctrl-s").await;
    desk.keys("Alt-PageUp Tab").await;
    assert_eq!(desk.text(), "     x\n");
}

#[tokio::test]
async fn bad_rules_are_told_once_and_ignored() {
    let mut desk = desk("indent_size = 2\nindent_style = space\nno pair", "a.txt", "x\n").await;
    assert!(
        desk.message().contains(".editorconfig:5: invalid line; the file is ignored"),
        "{}",
        desk.message()
    );
    desk.keys("Tab").await;
    assert_eq!(desk.text(), "    x\n");
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.message(), "Saved a.txt");
}

#[tokio::test]
async fn a_new_name_brings_the_rules_of_its_place() {
    let mut desk = desk("[*.two]\nindent_size = 2\nindent_style = space", "a.txt", "x\n").await;
    desk.keys("Alt-x").await;
    desk.type_in("file.save-as").await;
    desk.keys("Enter").await;
    desk.type_in("b.two").await;
    desk.keys("Enter").await;
    desk.keys("Tab").await;
    assert_eq!(desk.text(), "  x\n");
}
