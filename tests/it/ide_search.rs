//! Finding and replacing in a file: expressions, words, case, counts, marks, groups.

use crate::support::test_ide::{IdeSetup, TestIde};

const TEXT: &str = "let one = 1;\nlet two = 2;\n// Let it be: letter\n";

async fn ide() -> TestIde {
    IdeSetup::new().with("a.rs", TEXT).start().await
}

#[tokio::test]
async fn find_counts_marks_and_navigates_matches() {
    let mut ide = ide().await;
    ide.keys("Ctrl-f").await;
    ide.type_in("let").await;
    assert!(ide.picture().contains("1 of 4"), "{}", ide.picture());
    ide.snap("search-marks");
    ide.keys("Alt-w").await;
    assert!(
        ide.picture().contains("1 of 3") && ide.picture().contains("Find in file (words)"),
        "{}",
        ide.picture()
    );
    ide.keys("Alt-c").await;
    assert!(ide.picture().contains("1 of 2"), "exact case: {}", ide.picture());
    ide.keys("Enter").await;
    assert!(ide.picture().contains("2 of 2"), "Enter goes on: {}", ide.picture());
    assert_eq!(ide.cursor(), (2, 4));
    ide.keys("Enter").await;
    assert_eq!(ide.cursor(), (1, 4), "round the end");
    ide.keys("Shift-Enter").await;
    assert_eq!(ide.cursor(), (2, 4), "back round the start");
    assert_eq!(ide.text(), TEXT, "no key of these changes the text");
    ide.keys("Escape").await;
    assert_eq!(ide.selected_texts(), ["let"]);
    ide.keys("Escape").await;
    assert!(ide.state().search.highlight.is_none() && ide.selected_texts() == [""]);
}

#[tokio::test]
async fn find_regex_matches_and_reports_invalid() {
    let mut ide = ide().await;
    ide.keys("Ctrl-f Alt-r").await;
    ide.type_in(r"^let (\w+").await;
    assert!(ide.picture().contains("unclosed group"), "{}", ide.picture());
    ide.type_in(")").await;
    assert!(ide.picture().contains("1 of 2"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(ide.selected_texts(), ["let two"]);
}

#[tokio::test]
async fn replace_previews_each_match() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r Alt-r").await;
    ide.type_in(r"(\w+) = (\d)").await;
    ide.keys("Enter").await;
    ide.type_in("$2 is $1").await;
    ide.keys("Enter").await;
    assert!(ide.picture().contains("one = 1 → 1 is one"), "{}", ide.picture());
    ide.keys("n").await;
    assert!(ide.picture().contains("two = 2 → 2 is two"), "{}", ide.picture());
    ide.keys("y").await;
    assert_eq!(ide.text(), TEXT.replace("two = 2", "2 is two"));
    assert_eq!(ide.status_message(), "No more matches below");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), TEXT);
}

#[tokio::test]
async fn replace_all_of_empty_matches_is_one_undo_step() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r Alt-r").await;
    ide.type_in("^").await;
    ide.keys("Enter").await;
    ide.type_in("> ").await;
    ide.keys("Enter n a").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "let one = 1;\n> let two = 2;\n> // Let it be: letter\n> ");
    assert_eq!(ide.status_message(), "Replaced 3. Undo: one step");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), TEXT);
}

#[tokio::test]
async fn replace_literal_does_not_expand_regex() {
    let mut ide = IdeSetup::new().with("a.txt", "a.b a+b $1\n").start().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("a.b").await;
    ide.keys("Enter").await;
    ide.type_in("$0").await;
    ide.keys("Enter a").await;
    assert_eq!(ide.text(), "$0 a+b $1\n");
}

#[tokio::test]
async fn find_regex_selects_multiline_match() {
    let mut ide = IdeSetup::new().with("a.txt", "one {\n  two\n}\n").start().await;
    ide.keys("Ctrl-f Alt-r").await;
    ide.type_in(r"(?s)\{.*\}").await;
    ide.keys("Enter").await;
    assert_eq!(ide.selected_texts(), ["{\n  two\n}"]);
}

#[tokio::test]
async fn find_keys_typed_after_closing_are_typed_at_match() {
    let mut ide = IdeSetup::new().with("a.txt", "one foo\nfoo\n").start().await;
    ide.headless.press("Ctrl-f f o o Enter Escape X");
    ide.headless.idle().await;
    assert_eq!(ide.text(), "one foo\nX\n");
    ide.headless.press("F3 Y");
    ide.headless.idle().await;
    assert_eq!(ide.text(), "one Y\nX\n");
}

#[tokio::test]
async fn find_navigates_empty_matches() {
    let mut ide = ide().await;
    ide.keys("Ctrl-f Alt-r").await;
    ide.type_in("^").await;
    ide.keys("Enter Escape").await;
    assert_eq!(ide.cursor(), (2, 1));
    ide.keys("F3").await;
    assert_eq!(ide.cursor(), (3, 1));
    ide.keys("Alt-p Alt-p").await;
    assert_eq!(ide.cursor(), (1, 1));
}

#[tokio::test]
async fn find_escape_restores_selection() {
    let mut ide = ide().await;
    ide.keys("Right Right Right Right Shift-Right Shift-Right Shift-Right").await;
    assert_eq!(ide.selected_texts(), ["one"]);
    ide.keys("Ctrl-f").await;
    ide.keys("Ctrl-u").await;
    ide.type_in("nowhere").await;
    ide.keys("Escape").await;
    assert_eq!(ide.selected_texts(), ["one"], "without a match");
    ide.keys("Ctrl-f").await;
    ide.type_in("let").await;
    ide.keys("Escape").await;
    assert_eq!(ide.selected_texts(), ["let"], "a match stays");
}

#[tokio::test]
async fn find_prompt_survives_buffer_switch() {
    let mut ide = IdeSetup::new().with("a.txt", "ab\n").with("b.txt", "éé\n").start().await;
    ide.keys("Ctrl-End Ctrl-f Alt-6 s").await;
    // No file holds it, so that a list with nothing in it comes up, under the first question.
    ide.type_in("zz").await;
    ide.keys("Enter").await;
    ide.type_in("é").await;
    ide.keys("Escape Escape").await;
    ide.keys("Ctrl-f").await;
    ide.type_in("a").await;
    ide.keys("Enter").await;
    assert!(ide.state().buffers.current().is_some());
}

#[tokio::test]
async fn find_restored_selection_is_clamped_to_text() {
    let mut ide = IdeSetup::new().with("a.txt", "aaaa\n漢字漢字\n").start().await;
    ide.keys("Ctrl-End").await;
    ide.keys("Ctrl-Home").await;
    ide.type_in("xx").await;
    ide.keys("Down Home Right Right").await;
    ide.keys("Ctrl-f").await;
    ide.type_in("a").await;
    // The text changes under the question: what was selected begins inside a character now.
    ide.state().buffers.current_mut().unwrap().area.undo();
    ide.state().damage.add_all();
    ide.type_in("nothing").await;
    let area = &ide.state().buffers.current().unwrap().area;
    let head = area.selection.primary().head;
    assert_eq!(area.text().char_floor(head), head);
    ide.keys("Escape Left Right").await;
}
