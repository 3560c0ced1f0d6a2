//! A user edits files: typing, killing, undoing, saving, moving between files, the mouse.

use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;
use bowline::tui::input::{Button, Input, MouseKind};

use crate::support::test_ide::IdeSetup;

#[tokio::test]
async fn save_then_undo_marks_file_unsaved() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.type_in("two ").await;
    assert_eq!(ide.text(), "two one\n");
    assert!(ide.picture().contains("a.txt ●"));
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "two one\n");
    assert_eq!(ide.status_message(), "Saved a.txt");
    assert!(!ide.picture().contains("a.txt ●"));
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "one\n");
    assert!(ide.picture().contains("a.txt ●"), "the disk has another text");
    ide.keys("Alt-z").await;
    assert_eq!(ide.text(), "two one\n");
    assert!(!ide.picture().contains("a.txt ●"));
}

#[tokio::test]
async fn kill_ring_appends_in_both_directions() {
    let mut ide = IdeSetup::new().with("a.txt", "one two three four\n").start().await;
    ide.keys("Ctrl-Right Ctrl-Right Alt-d Ctrl-w").await;
    assert_eq!(ide.text(), "one  four\n");
    ide.keys("Ctrl-a Ctrl-y").await;
    let back = ide.text();
    assert_eq!(back, "two threeone  four\n");
    // A kill after a motion is a new one, and yank-pop goes to the one before.
    ide.keys("Ctrl-e Ctrl-u Ctrl-y").await;
    assert_eq!(ide.text(), back);
    ide.keys("Alt-y").await;
    assert_eq!(ide.text(), "two three\n");
}

#[tokio::test]
async fn yank_pop_redraws_replaced_lines() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree four\n").start().await;
    ide.keys("Down Down Alt-d Up Up Ctrl-k Ctrl-k Ctrl-k Ctrl-y").await;
    assert_eq!(ide.text(), "one\ntwo\n four\n");
    ide.keys("Alt-y").await;
    assert_eq!(ide.text(), "three\n four\n");
    let picture = ide.picture();
    assert!(picture.contains("1 three") && picture.contains("2  four"), "{picture}");
    assert!(!picture.contains("two"), "{picture}");
}

/// The ide looks after every key whether all that looks different was drawn.
#[tokio::test]
async fn redraw_covers_edits_beyond_cursor_line() {
    let words = (0..8).map(|n| format!("w{n:03}")).collect::<Vec<_>>().join(" ");
    let mut ide = IdeSetup::new().with("a.txt", format!("{words}\nend\n")).start().await;
    ide.type_in("typed ").await;
    ide.keys("Alt-q").await;
    assert_eq!(ide.text(), format!("typed {}\nw007 end\n", words.replace(" w007", "")));

    let mut ide = IdeSetup::new().with("a.txt", "fooBar\nbazQux\nquxBar\n").start().await;
    ide.type_in("x").await;
    ide.keys("Down Down Shift-Up Shift-Up Alt-u u").await;
    assert_eq!(ide.text(), "xFOOBAR\nBAZQUX\nQuxBar\n");
}

#[tokio::test]
async fn backspace_deletes_carriage_return_in_crlf() {
    let mut ide = IdeSetup::new().with("a.txt", "a\rx\nb\nc\n").start().await;
    ide.type_in("new").await;
    ide.keys("End Backspace").await;
    assert_eq!(ide.text(), "newa\r\nb\nc\n");
    ide.keys("Backspace").await;
    assert_eq!(ide.text(), "newa\nb\nc\n");
}

#[tokio::test]
async fn selection_is_replaced_by_typed_text() {
    let mut ide = IdeSetup::new().with("a.txt", "hello world\n").start().await;
    ide.keys("Ctrl-Shift-Right").await;
    assert!(ide.selected_texts()[0].starts_with("hello"));
    ide.keys("Shift-Home Ctrl-a Shift-End").await;
    assert_eq!(ide.selected_texts(), ["hello world"]);
    ide.type_in("x").await;
    assert_eq!(ide.text(), "x\n");
    ide.keys("Ctrl-Space Ctrl-a Ctrl-c").await;
    assert_eq!(ide.status_message(), "Copied");
    assert_eq!(ide.headless.app().ui.clipboard.as_deref(), Some("x"));
}

#[tokio::test]
async fn picker_polls_matcher_until_settled() {
    let mut ide = IdeSetup::new().with("a.txt", "a\n").start().await;
    ide.keys("Ctrl-p").await;
    assert_eq!(ide.headless.app().deadline(), None, "nothing is under way");
    let Some(picker) = ide.state().layers.top_mut::<Picker>() else { panic!("no picker") };
    picker.is_settled = false;
    assert!(ide.headless.app().deadline().is_some());
    ide.headless.idle().await;
    assert_eq!(ide.headless.app().deadline(), None);
}

#[tokio::test]
async fn picker_focuses_editor_of_chosen_file() {
    let mut ide = IdeSetup::new().file("b.txt", "b\n").with("a.txt", "a\n").start().await;
    for (from, picker) in [("Alt-1", "Ctrl-p"), ("Alt-3", "Alt-b")] {
        ide.keys(from).await;
        ide.keys(picker).await;
        ide.type_in("b.txt").await;
        ide.keys("Enter").await;
        ide.type_in("d").await;
        assert_eq!(ide.current_file_name(), "b.txt", "from {from}: {}", ide.picture());
        assert!(ide.text().starts_with('d') && ide.path("b.txt").exists(), "from {from}");
        ide.keys("Ctrl-z Alt-PageUp").await;
    }
}

#[tokio::test]
async fn file_picker_skips_ignored_files() {
    let plan = IdeSetup::new()
        .file(".gitignore", "target\n")
        .file("target/login.rs", "")
        .file("src/main.rs", "fn main() {}\n");
    let mut ide =
        plan.file("src/login.rs", "login\n").file(".git/HEAD", "x").with("a.txt", "a\n").start().await;
    ide.keys("Ctrl-p").await;
    ide.wait_for_text("login.rs  src").await;
    assert!(!ide.picture().contains("login.rs  target"));
    ide.type_in("slog").await;
    ide.keys("Enter").await;
    assert_eq!((ide.current_file_name(), ide.text()), ("login.rs".to_string(), "login\n".to_string()));
    ide.keys("Alt-PageUp").await;
    assert_eq!(ide.current_file_name(), "a.txt");
    ide.keys("Alt-PageDown").await;
    assert_eq!(ide.current_file_name(), "login.rs");
    ide.keys("Alt-b").await;
    ide.type_in("a.txt").await;
    ide.keys("Enter").await;
    assert_eq!(ide.current_file_name(), "a.txt");
    ide.keys("Alt-w").await;
    assert_eq!(ide.current_file_name(), "login.rs");
}

#[tokio::test]
async fn open_file_accepts_typed_path() {
    let mut ide = IdeSetup::new().file("src/b.rs", "b\n").with("src/a.rs", "a\n").start().await;
    ide.keys("Ctrl-o").await;
    ide.type_in("b.rs").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "b\n");
}

#[tokio::test]
async fn resize_to_tiny_window_restores_screen() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").size(120, 40).start().await;
    ide.keys("Down End").await;
    ide.type_in("!").await;
    let before = ide.picture();
    for (cols, rows) in [(80, 24), (40, 12), (20, 5), (1, 1), (20, 5)] {
        ide.headless.resize(cols, rows);
        ide.picture();
    }
    ide.type_in("?").await;
    assert!(ide.picture().contains("two!?"), "{}", ide.picture());
    ide.keys("Backspace").await;
    ide.headless.resize(120, 40);
    assert_eq!(ide.picture(), before);
}

#[tokio::test]
async fn quit_with_unsaved_changes_asks() {
    for (answer, quits, on_disk) in
        [("s", true, "xone\n"), ("d", true, "one\n"), ("n", false, "one\n"), ("Escape", false, "one\n")]
    {
        let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
        ide.type_in("x").await;
        ide.keys("Ctrl-q").await;
        assert!(!ide.state().quit);
        ide.wait_for_text("One file is unsaved:").await;
        ide.keys(answer).await;
        assert_eq!((ide.state().quit, ide.file_text("a.txt").as_str()), (quits, on_disk), "{answer}");
        assert_eq!(ide.text(), "xone\n");
    }
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.keys("Ctrl-q").await;
    assert!(ide.state().quit, "nothing is lost, so nothing is asked");
}

#[tokio::test]
async fn mouse_sets_cursor_selects_and_scrolls() {
    let text: String = (1..=100).map(|n| format!("line {n} word\n")).collect::<Vec<_>>().concat();
    let mut ide = IdeSetup::new().with("a.txt", &text).start().await;
    let (x, y) = ide.find("line 3 word");
    ide.click(x + 5, y);
    assert_eq!(ide.cursor(), (3, 6));
    ide.mouse(MouseKind::Down(Button::Left), x, y);
    ide.mouse(MouseKind::Drag(Button::Left), x + 4, y + 1);
    assert_eq!(ide.selected_texts(), ["line 3 word\nline"]);
    ide.advance(Duration::from_secs(1));
    ide.click(x + 8, y);
    ide.click(x + 8, y);
    assert_eq!(ide.selected_texts(), ["word"]);
    ide.click(x + 8, y);
    assert_eq!(ide.selected_texts(), ["line 3 word\n"]);
    ide.mouse(MouseKind::ScrollDown, x, y);
    let scrolled = ide.picture();
    assert!(scrolled.contains("line 4 word") && !scrolled.contains("line 3 word"), "{scrolled}");
    assert_eq!(ide.selected_texts(), ["line 3 word\n"], "the cursor stays where it was");
    ide.keys("Right").await;
    assert!(ide.picture().contains("line 4 word"));
}

#[tokio::test]
async fn mouse_click_focuses_pane_tab_and_file() {
    let plan = IdeSetup::new()
        .file("zz.txt", "from the tree\n")
        .with("a.txt", "a\n")
        .with("b.txt", "b\n")
        .size(120, 30);
    let mut ide = plan.start().await;
    let (x, y) = ide.find(" a.txt  b.txt");
    ide.click(x + 1, y);
    assert_eq!(ide.current_file_name(), "a.txt");
    let (x, y) = ide.find("zz.txt");
    ide.click(x, y);
    ide.headless.idle().await;
    assert_eq!(ide.text(), "from the tree\n");
    let (x, y) = ide.find("Ask anything");
    ide.click(x, y);
    ide.type_in("hi").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "hi");
}

#[tokio::test]
async fn paste_and_newline_use_crlf_of_file() {
    let mut ide = IdeSetup::new().with("a.txt", "one\r\ntwo\r\n").start().await;
    ide.headless.input(Input::Paste("x\ny\n".to_string()));
    ide.keys("Enter Ctrl-s").await;
    assert_eq!(ide.file_text("a.txt"), "x\r\ny\r\n\r\none\r\ntwo\r\n");
    ide.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "one\r\ntwo\r\n");
}

#[tokio::test]
async fn tab_uses_indentation_of_file() {
    let mut ide = IdeSetup::new().with("a.rs", "fn a() {\n    b();\n}\n").start().await;
    ide.keys("Down Down Tab").await;
    assert_eq!(ide.text(), "fn a() {\n    b();\n    }\n");
    ide.keys("Alt-i").await;
    assert_eq!(ide.text(), "fn a() {\n    b();\n}\n");
    let mut ide = IdeSetup::new().with("Makefile", "all:\n\tcc\n").start().await;
    ide.keys("Alt-h Tab").await;
    assert_eq!(ide.text(), "\tall:\n\t\tcc\n");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "all:\n\tcc\n");
}

#[tokio::test]
async fn newline_keeps_indentation() {
    let mut ide = IdeSetup::new().with("a.rs", "    a\n").start().await;
    ide.keys("End Enter").await;
    ide.type_in("b").await;
    assert_eq!(ide.text(), "    a\n    b\n");
}

#[tokio::test]
async fn find_next_wraps_and_escape_restores_cursor() {
    let mut ide = IdeSetup::new().with("a.txt", "x one\ny one\nz one\n").start().await;
    ide.keys("Ctrl-f").await;
    ide.type_in("one").await;
    ide.wait_for_text("1 of 3").await;
    assert_eq!(ide.selected_texts(), ["one"]);
    ide.keys("Enter Escape").await;
    assert_eq!(ide.cursor().0, 2);
    ide.keys("F3 F3").await;
    assert_eq!(ide.cursor().0, 1, "it goes around");
    ide.keys("Alt-p").await;
    assert_eq!(ide.cursor().0, 3);
    ide.keys("Ctrl-f").await;
    ide.type_in("nowhere").await;
    ide.wait_for_text("No match").await;
}

#[tokio::test]
async fn goto_line_rejects_invalid_number() {
    let mut ide = IdeSetup::new().with("a.txt", "a\nbcd\ne\n").start().await;
    ide.keys("Ctrl-g").await;
    ide.type_in("2:3").await;
    ide.keys("Enter").await;
    assert_eq!(ide.cursor(), (2, 3));
    ide.keys("Ctrl-g").await;
    ide.type_in("x").await;
    ide.keys("Enter").await;
    ide.wait_for_text("a line number from 1").await;
    ide.keys("Backspace").await;
    ide.type_in("999").await;
    ide.keys("Enter").await;
    assert_eq!(ide.cursor().0, 4, "the last line is as near as it gets");
}

#[tokio::test]
async fn replace_of_one_match_and_of_all_are_one_undo_step_each() {
    let mut ide = IdeSetup::new().with("a.txt", "a b a b a a\n").start().await;
    ide.keys("Ctrl-r").await;
    ide.type_in("a").await;
    ide.keys("Tab").await;
    ide.type_in("xx").await;
    ide.keys("Enter F3").await;
    assert_eq!(ide.text(), "xx b a b a a\n");
    ide.keys("Alt-Enter Escape").await;
    assert_eq!(ide.text(), "xx b xx b xx xx\n");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "xx b a b a a\n");
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "a b a b a a\n");
}

#[tokio::test]
async fn key_sequence_shows_hints_after_delay() {
    let map =
        "[global]\n\"Alt-x s\" = \"file.save\"\n\"Alt-x k\" = \"file.close\"\n\"Ctrl-q\" = \"app.quit\"\n";
    let mut ide = IdeSetup::new().with("a.txt", "a\n").keymap(map).start().await;
    ide.type_in("b").await;
    ide.keys("Alt-x").await;
    assert!(ide.picture().contains("Alt-x …"));
    ide.advance(Duration::from_millis(299));
    assert!(!ide.picture().contains("Close file"));
    ide.advance(Duration::from_millis(1));
    let picture = ide.picture();
    assert!(picture.contains("k  Close file") && picture.contains("s  Save file"), "{picture}");
    ide.keys("s").await;
    assert!(!ide.picture().contains("Close file"), "{}", ide.picture());
    assert_eq!(ide.file_text("a.txt"), "ba\n");
    ide.keys("Alt-x z").await;
    assert_eq!(ide.status_message(), "No command: Alt-x z");
    ide.keys("Alt-x Escape").await;
    assert!(!ide.status_message().contains("Escape"), "it cancels: {}", ide.status_message());
    assert_eq!(ide.text(), "ba\n", "a broken sequence types nothing");
}

#[tokio::test]
async fn palette_runs_command_by_fuzzy_name() {
    let mut ide = IdeSetup::new().with("a.txt", "a\n").start().await;
    ide.keys("F1").await;
    ide.type_in("selall").await;
    ide.wait_for_text("Select all").await;
    ide.keys("Enter").await;
    assert_eq!(ide.selected_texts(), ["a\n"]);
}

#[tokio::test]
async fn open_missing_path_creates_file_and_folder_on_save() {
    let mut ide = IdeSetup::new().open("deep/down/new.txt").start().await;
    assert!(ide.status_message().contains("New file: deep/down/new.txt"), "{}", ide.status_message());
    ide.type_in("hello").await;
    ide.keys("Ctrl-s").await;
    assert_eq!(ide.file_text("deep/down/new.txt").trim_end(), "hello");
}
