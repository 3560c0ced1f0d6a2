//! Finding and replacing in a file: expressions, words, case, counts, marks, groups.

use crate::support::desk::{Desk, Plan};

const TEXT: &str = "let one = 1;\nlet two = 2;\n// Let it be: letter\n";

async fn desk() -> Desk {
    Plan::new().with("a.rs", TEXT).start().await
}

#[tokio::test]
async fn matches_are_counted_marked_and_walked() {
    let mut desk = desk().await;
    desk.keys("Ctrl-f").await;
    desk.type_in("let").await;
    assert!(desk.picture().contains("1 of 4"), "{}", desk.picture());
    desk.snap("search-marks");
    desk.keys("Alt-w").await;
    assert!(
        desk.picture().contains("1 of 3") && desk.picture().contains("Find in file (words)"),
        "{}",
        desk.picture()
    );
    desk.keys("Alt-c").await;
    assert!(desk.picture().contains("1 of 2"), "exact case: {}", desk.picture());
    desk.keys("Enter F3").await;
    assert_eq!(desk.cursor(), (2, 4));
    desk.keys("F3").await;
    assert_eq!(desk.cursor(), (1, 4), "round the end");
    desk.keys("Escape").await;
    assert!(desk.state().highlight.is_none() && desk.selected() == [""]);
}

#[tokio::test]
async fn expressions_are_found_and_bad_ones_told() {
    let mut desk = desk().await;
    desk.keys("Ctrl-f Alt-r").await;
    desk.type_in(r"^let (\w+").await;
    assert!(desk.picture().contains("unclosed group"), "{}", desk.picture());
    desk.type_in(")").await;
    assert!(desk.picture().contains("1 of 2"), "{}", desk.picture());
    desk.keys("Enter").await;
    assert_eq!(desk.selected(), ["let one"]);
}

#[tokio::test]
async fn each_match_is_shown_as_what_it_becomes() {
    let mut desk = desk().await;
    desk.keys("Ctrl-r Alt-r").await;
    desk.type_in(r"(\w+) = (\d)").await;
    desk.keys("Enter").await;
    desk.type_in("$2 is $1").await;
    desk.keys("Enter").await;
    assert!(desk.picture().contains("one = 1 → 1 is one"), "{}", desk.picture());
    desk.keys("n").await;
    assert!(desk.picture().contains("two = 2 → 2 is two"), "{}", desk.picture());
    desk.keys("y").await;
    assert_eq!(desk.text(), TEXT.replace("two = 2", "2 is two"));
    assert_eq!(desk.message(), "No more matches below");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), TEXT);
}

#[tokio::test]
async fn all_are_replaced_as_one_step_also_where_nothing_stands() {
    let mut desk = desk().await;
    desk.keys("Ctrl-r Alt-r").await;
    desk.type_in("^").await;
    desk.keys("Enter").await;
    desk.type_in("> ").await;
    desk.keys("Enter n a").await;
    desk.ide.idle().await;
    assert_eq!(desk.text(), "let one = 1;\n> let two = 2;\n> // Let it be: letter\n> ");
    assert_eq!(desk.message(), "Replaced 3. Undo: one step");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), TEXT);
}

#[tokio::test]
async fn plain_text_is_taken_as_it_is() {
    let mut desk = Plan::new().with("a.txt", "a.b a+b $1\n").start().await;
    desk.keys("Ctrl-r").await;
    desk.type_in("a.b").await;
    desk.keys("Enter").await;
    desk.type_in("$0").await;
    desk.keys("Enter a").await;
    assert_eq!(desk.text(), "$0 a+b $1\n");
}

#[tokio::test]
async fn a_match_of_several_lines_is_marked_in_each() {
    let mut desk = Plan::new().with("a.txt", "one {\n  two\n}\n").start().await;
    desk.keys("Ctrl-f Alt-r").await;
    desk.type_in(r"(?s)\{.*\}").await;
    desk.keys("Enter").await;
    assert_eq!(desk.selected(), ["{\n  two\n}"]);
}

#[tokio::test]
async fn what_is_typed_behind_a_search_goes_where_it_leads() {
    let mut desk = Plan::new().with("a.txt", "one foo\nfoo\n").start().await;
    desk.ide.press("Ctrl-f f o o Enter X");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "one X\nfoo\n");
    desk.ide.press("F3 Y");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "one X\nY\n");
}

#[tokio::test]
async fn empty_matches_are_walked_too() {
    let mut desk = desk().await;
    desk.keys("Ctrl-f Alt-r").await;
    desk.type_in("^").await;
    desk.keys("Enter F3").await;
    assert_eq!(desk.cursor(), (2, 1));
    desk.keys("F3").await;
    assert_eq!(desk.cursor(), (3, 1));
    desk.keys("Alt-p Alt-p").await;
    assert_eq!(desk.cursor(), (1, 1));
}

#[tokio::test]
async fn giving_up_selects_what_was_selected() {
    let mut desk = desk().await;
    desk.keys("Right Right Right Right Shift-Right Shift-Right Shift-Right").await;
    assert_eq!(desk.selected(), ["one"]);
    desk.keys("Ctrl-f").await;
    desk.keys("Ctrl-u").await;
    desk.type_in("let").await;
    desk.keys("Escape").await;
    assert_eq!(desk.selected(), ["one"]);
}

#[tokio::test]
async fn the_question_outlives_the_file_it_was_asked_over() {
    let mut desk = Plan::new().with("a.txt", "ab\n").with("b.txt", "éé\n").start().await;
    desk.keys("Ctrl-End Ctrl-f Alt-6 s").await;
    // No file holds it, so that a list with nothing in it comes up, under the first question.
    desk.type_in("zz").await;
    desk.keys("Enter").await;
    desk.type_in("é").await;
    desk.keys("Escape Escape").await;
    desk.keys("Ctrl-f").await;
    desk.type_in("a").await;
    desk.keys("Enter").await;
    assert!(desk.state().buffers.current().is_some());
}

#[tokio::test]
async fn find_goes_back_to_a_selection_that_the_text_still_has() {
    let mut desk = Plan::new().with("a.txt", "aaaa\n漢字漢字\n").start().await;
    desk.keys("Ctrl-End").await;
    desk.keys("Ctrl-Home").await;
    desk.type_in("xx").await;
    desk.keys("Down Home Right Right").await;
    desk.keys("Ctrl-f").await;
    desk.type_in("a").await;
    // The text changes under the question: what was selected begins inside a character now.
    desk.state().buffers.current_mut().unwrap().area.undo();
    desk.state().damage.all();
    desk.type_in("nothing").await;
    let area = &desk.state().buffers.current().unwrap().area;
    let head = area.selection.primary().head;
    assert_eq!(area.text().char_floor(head), head);
    desk.keys("Escape Left Right").await;
}
