//! Finding and replacing in a file: expressions, words, case, counts, marks, groups.

use bowline::text::changes::ChangeSet;
use bowline::text::position::Byte;
use bowline::text::transaction::Transaction;
use bowline::tui::input::{Button, MouseKind};

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
    assert_eq!(
        (ide.selected_texts(), ide.cursor()),
        (vec![String::new()], (2, 4)),
        "the caret stays at the match"
    );
    ide.keys("Escape").await;
    assert!(ide.state().search.highlight.is_none());
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
    ide.keys("Tab").await;
    ide.type_in("$2 is $1").await;
    let shown = ide.picture();
    assert!(shown.contains("let one = 1→1 is one;") && shown.contains("let two = 2→2 is two;"), "{shown}");
    assert_eq!(ide.text(), TEXT, "nothing is changed by looking");
    ide.snap("replace-preview");
    ide.keys("F3 Enter").await;
    assert_eq!(ide.text(), TEXT.replace("two = 2", "2 is two"));
    assert_eq!(ide.selected_texts(), ["one = 1"], "it goes on to the next match");
    ide.keys("Escape").await;
    assert!(!ide.picture().contains('→'), "{}", ide.picture());
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), TEXT);
}

#[tokio::test]
async fn replace_bar_shows_both_rows_switches_and_keys() {
    for (cols, rows) in [(80, 24), (40, 12)] {
        let mut ide = IdeSetup::new().with("a.rs", TEXT).size(cols, rows).start().await;
        ide.keys("Alt-2 Ctrl-r").await;
        ide.type_in("let").await;
        ide.keys("Tab Alt-w").await;
        ide.type_in("var").await;
        ide.snap("replace-bar");
    }
}

#[tokio::test]
async fn replace_all_reports_the_number_and_is_one_undo_step() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("let").await;
    ide.keys("Alt-c Tab").await;
    ide.type_in("var").await;
    ide.keys("Alt-Enter").await;
    assert_eq!(ide.text(), "var one = 1;\nvar two = 2;\n// Let it be: varter\n");
    assert_eq!(ide.status_message(), "Replaced 3 matches. Ctrl-z undoes it in one step");
    assert!(ide.picture().contains("No match"), "{}", ide.picture());
    let at = ide.cursor();
    ide.keys("Escape").await;
    assert_eq!((ide.cursor(), ide.selected_texts()), (at, vec![String::new()]), "the caret stays");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), TEXT);
}

#[tokio::test]
async fn replace_key_that_replaces_all_shows_the_row_first() {
    let mut ide = ide().await;
    ide.keys("Ctrl-f").await;
    ide.type_in("let").await;
    ide.keys("Alt-Enter").await;
    assert_eq!(ide.text(), TEXT);
    assert!(ide.picture().contains("Replace in file"), "{}", ide.picture());
    ide.keys("Alt-Enter").await;
    assert_eq!(ide.text(), " one = 1;\n two = 2;\n//  it be: ter\n");
}

#[tokio::test]
async fn find_closed_by_escape_deletes_nothing_when_typing() {
    let mut ide = ide().await;
    ide.keys("Ctrl-f").await;
    ide.type_in("two").await;
    ide.keys("Escape").await;
    ide.type_in("X").await;
    assert_eq!(ide.text(), TEXT.replace("two", "twoX"));
    ide.keys("Ctrl-z").await;
    // Both directions go on from the match, not from the caret after it.
    ide.keys("Ctrl-Home Ctrl-f").await;
    ide.type_in("let").await;
    ide.keys("Enter Escape Alt-p").await;
    assert_eq!((ide.selected_texts(), ide.cursor()), (vec!["let".to_string()], (1, 4)));
}

#[tokio::test]
async fn find_history_lasts_beyond_the_bar() {
    let mut ide = ide().await;
    for query in ["one", "two"] {
        ide.keys("Ctrl-f").await;
        ide.type_in(query).await;
        ide.keys("Enter Escape").await;
    }
    ide.keys("Ctrl-f Up").await;
    assert_eq!(ide.selected_texts(), ["one"]);
    ide.keys("Down Enter").await;
    assert_eq!(ide.selected_texts(), ["two"]);
    ide.keys("Escape Ctrl-r").await;
    ide.type_in("two").await;
    ide.keys("Tab").await;
    ide.type_in("2").await;
    ide.keys("Enter Escape Ctrl-r Tab").await;
    ide.type_in("3").await;
    ide.keys("Up").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), TEXT.replace("two", "2"));
}

#[tokio::test]
async fn find_begins_with_the_selected_text() {
    let mut ide = ide().await;
    ide.keys("Ctrl-Right Ctrl-Right Shift-Left Shift-Left Shift-Left").await;
    assert_eq!(ide.selected_texts(), ["one"]);
    ide.keys("Ctrl-r").await;
    assert!(ide.picture().contains("1 of 1"), "{}", ide.picture());
    ide.keys("Tab").await;
    ide.type_in("1").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), TEXT.replace("one", "1"));
}

#[tokio::test]
async fn find_keeps_the_match_above_the_bar() {
    let text = "line\n".repeat(100) + "needle";
    let mut ide = IdeSetup::new().with("a.txt", text).size(80, 14).start().await;
    ide.keys("Alt-2 Ctrl-r").await;
    ide.type_in("needle").await;
    let shown = ide.picture();
    assert!(shown.lines().any(|row| row.contains("101") && row.contains("needle")), "{shown}");
}

#[tokio::test]
async fn replace_preview_follows_edits_scrolling_and_windows() {
    let text = "old 漢字 old\n".repeat(3000);
    let mut ide = IdeSetup::new().with("a.txt", text).size(120, 24).start().await;
    ide.keys("Alt-2 Alt-5 v Ctrl-End Ctrl-r").await;
    ide.type_in("漢字 old").await;
    ide.keys("Tab").await;
    ide.type_in("新しい").await;
    let count = |ide: &mut TestIde| ide.picture().matches("漢字 old→新しい").count();
    assert!(count(&mut ide) > 25, "both windows, far apart: {}", ide.picture());
    let (x, y) = ide.find("漢字 old→");
    for _ in 0..300 {
        ide.mouse(MouseKind::ScrollUp, x, y);
    }
    ide.headless.idle().await;
    assert!(count(&mut ide) > 25, "where it is scrolled to: {}", ide.picture());
    ide.keys("Escape").await;
    assert_eq!(count(&mut ide), 0);
}

#[tokio::test]
async fn replace_preview_wraps_with_its_row() {
    let text = "word ".repeat(40) + "\n";
    let mut ide = IdeSetup::new().with("a.txt", text.clone()).size(80, 24).start().await;
    ide.keys("Alt-2 Ctrl-r").await;
    ide.type_in("word").await;
    ide.keys("Tab").await;
    ide.type_in("something").await;
    assert!(ide.picture().matches("→something").count() >= 35, "{}", ide.picture());
    ide.keys("Alt-Enter").await;
    assert_eq!(ide.text(), text.replace("word", "something"));
}

#[tokio::test]
async fn replace_of_multi_line_match_previews_and_replaces() {
    let mut ide = IdeSetup::new().with("a.txt", "a {\n  b\n}\nc {\n}\n").start().await;
    ide.keys("Ctrl-r Alt-r").await;
    ide.type_in(r"\{\n[^}]*\}").await;
    ide.keys("Tab").await;
    ide.type_in(";").await;
    assert!(ide.picture().contains("1 of 2") && ide.picture().contains("}→;"), "{}", ide.picture());
    ide.keys("Enter Enter").await;
    assert_eq!(ide.text(), "a ;\nc ;\n");
}

#[tokio::test]
async fn find_in_large_file_searches_off_the_loop_and_waits_for_keys() {
    let text = "some words here\n".repeat(700_000) + "needle 1\nneedle 2\n";
    let mut ide = IdeSetup::new().with("a.txt", text).start().await;
    ide.headless.press("Ctrl-f n e e d l e");
    assert_eq!(ide.selected_texts(), [""], "not on the loop");
    ide.headless.press("Enter Escape");
    ide.headless.idle().await;
    assert_eq!((ide.selected_texts(), ide.cursor()), (vec![String::new()], (700_002, 7)));
    ide.keys("Ctrl-r Tab 2 x Alt-Enter").await;
    assert!(ide.text().ends_with("2x 1\n2x 2\n"));
}

#[tokio::test]
async fn find_again_after_the_text_has_changed_counts_again() {
    let mut ide = ide().await;
    ide.keys("Ctrl-f").await;
    ide.type_in("let").await;
    assert!(ide.picture().contains("1 of 4"), "{}", ide.picture());
    ide.state().buffers.current_mut().unwrap().area.apply_external(
        Transaction::new(ChangeSet::replace(TEXT.len(), [(Byte(0)..Byte(0), "let ".to_string())])),
        0,
    );
    ide.state().damage.add_all();
    ide.headless.idle().await;
    assert!(ide.picture().contains("2 of 5"), "{}", ide.picture());
}

#[tokio::test]
async fn emacs_search_keys_go_on_and_replace() {
    let map = std::fs::read_to_string(crate::source::root().join("keymaps/emacs.toml")).unwrap();
    let mut ide = IdeSetup::new().keymap(&map).with("a.rs", TEXT).start().await;
    ide.keys("Ctrl-s").await;
    ide.type_in("let").await;
    ide.keys("Ctrl-s Ctrl-s Ctrl-r").await;
    assert_eq!(ide.cursor(), (2, 4));
    ide.keys("Alt-%").await;
    ide.type_in("var").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), TEXT.replace("let two", "var two"));
}

#[tokio::test]
async fn vscode_search_keys_open_the_bar_and_its_second_row() {
    let map = std::fs::read_to_string(crate::source::root().join("keymaps/vscode.toml")).unwrap();
    let mut ide = IdeSetup::new().keymap(&map).with("a.rs", TEXT).start().await;
    ide.keys("Ctrl-f").await;
    ide.type_in("let").await;
    ide.keys("F3 F3 Shift-F3").await;
    assert_eq!(ide.cursor(), (2, 4));
    ide.keys("Ctrl-h").await;
    ide.type_in("var").await;
    ide.keys("Ctrl-Alt-Enter Escape").await;
    assert!(ide.text().starts_with("var one = 1;\nvar two"));
}

#[tokio::test]
async fn replace_all_of_empty_matches_is_one_undo_step() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r Alt-r").await;
    ide.type_in("^").await;
    ide.keys("Tab").await;
    ide.type_in("> ").await;
    ide.keys("Enter Enter").await;
    assert_eq!(ide.text(), "> let one = 1;\n> let two = 2;\n// Let it be: letter\n");
    ide.keys("Alt-Enter").await;
    assert_eq!(ide.text(), "> > let one = 1;\n> > let two = 2;\n> // Let it be: letter\n> ");
    ide.keys("Escape Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), TEXT);
}

#[tokio::test]
async fn replace_literal_does_not_expand_regex() {
    let mut ide = IdeSetup::new().with("a.txt", "a.b a+b $1\n").start().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("a.b").await;
    ide.keys("Tab").await;
    ide.type_in("$0").await;
    ide.keys("Alt-Enter").await;
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
    assert_eq!(ide.text(), "one foo\nfooX\n");
    ide.headless.press("F3 Y");
    ide.headless.idle().await;
    assert_eq!(ide.text(), "one Y\nfooX\n");
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
    assert_eq!(
        (ide.selected_texts(), ide.cursor()),
        (vec![String::new()], (2, 4)),
        "the caret stays at a match"
    );
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

#[tokio::test]
async fn replace_is_for_the_file_when_another_pane_has_the_focus() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("one").await;
    ide.keys("Tab").await;
    ide.type_in("uno").await;
    ide.keys("Alt-3").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), TEXT.replacen("one", "uno", 1));
    assert_eq!(ide.state().prompt.area.text().to_string(), "");
    ide.keys("Alt-3 Alt-Enter").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), TEXT.replace("one", "uno"));
}

#[tokio::test]
async fn find_bar_click_gives_a_row_the_keys_and_places_the_caret() {
    let mut ide = ide().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("let").await;
    ide.keys("Tab").await;
    ide.type_in("var").await;
    for (name, typed, shown) in
        [("Find     ", "x", "lxet"), ("Replace  ", "y", "vyar"), ("Find     ", "z", "lzxet")]
    {
        let (x, y) = ide.find(name);
        ide.mouse(MouseKind::Down(Button::Left), x + 10, y);
        ide.type_in(typed).await;
        assert!(ide.picture().contains(shown), "{}", ide.picture());
    }
    assert_eq!(ide.text(), TEXT);
}
