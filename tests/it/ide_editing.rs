//! A user edits files: typing, killing, undoing, saving, moving between files, the mouse.

use std::time::Duration;

use bowline::ide::core::layers::picker::Picker;
use bowline::tui::input::{Button, Input, MouseKind};

use crate::support::desk::Plan;

#[tokio::test]
async fn what_is_typed_is_saved_and_can_be_undone() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.type_in("two ").await;
    assert_eq!(desk.text(), "two one\n");
    assert!(desk.picture().contains("a.txt ●"));
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "two one\n");
    assert_eq!(desk.message(), "Saved a.txt");
    assert!(!desk.picture().contains("a.txt ●"));
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "one\n");
    assert!(desk.picture().contains("a.txt ●"), "the disk has another text");
    desk.keys("Alt-z").await;
    assert_eq!(desk.text(), "two one\n");
    assert!(!desk.picture().contains("a.txt ●"));
}

#[tokio::test]
async fn kills_accumulate_in_both_directions_and_come_back() {
    let mut desk = Plan::new().with("a.txt", "one two three four\n").start().await;
    desk.keys("Ctrl-Right Ctrl-Right Alt-d Ctrl-w").await;
    assert_eq!(desk.text(), "one  four\n");
    desk.keys("Ctrl-a Ctrl-y").await;
    let back = desk.text();
    assert_eq!(back, "two threeone  four\n");
    // A kill after a motion is a new one, and yank-pop goes to the one before.
    desk.keys("Ctrl-e Ctrl-u Ctrl-y").await;
    assert_eq!(desk.text(), back);
    desk.keys("Alt-y").await;
    assert_eq!(desk.text(), "two three\n");
}

#[tokio::test]
async fn lines_that_are_exchanged_for_a_word_leave_the_screen() {
    let mut desk = Plan::new().with("a.txt", "one\ntwo\nthree four\n").start().await;
    desk.keys("Down Down Alt-d Up Up Ctrl-k Ctrl-k Ctrl-k Ctrl-y").await;
    assert_eq!(desk.text(), "one\ntwo\n four\n");
    desk.keys("Alt-y").await;
    assert_eq!(desk.text(), "three\n four\n");
    let picture = desk.picture();
    assert!(picture.contains("1 three") && picture.contains("2  four"), "{picture}");
    assert!(!picture.contains("two"), "{picture}");
}

/// The desk looks after every key whether all that looks different was drawn.
#[tokio::test]
async fn edits_that_begin_in_the_line_of_the_cursor_and_go_further_are_drawn() {
    let words = (0..8).map(|n| format!("w{n:03}")).collect::<Vec<_>>().join(" ");
    let mut desk = Plan::new().with("a.txt", format!("{words}\nend\n")).start().await;
    desk.type_in("typed ").await;
    desk.keys("Alt-q").await;
    assert_eq!(desk.text(), format!("typed {}\nw007 end\n", words.replace(" w007", "")));

    let mut desk = Plan::new().with("a.txt", "fooBar\nbazQux\nquxBar\n").start().await;
    desk.type_in("x").await;
    desk.keys("Down Down Shift-Up Shift-Up Alt-u u").await;
    assert_eq!(desk.text(), "xFOOBAR\nBAZQUX\nQuxBar\n");
}

#[tokio::test]
async fn a_carriage_return_is_part_of_a_line_or_of_its_ending() {
    let mut desk = Plan::new().with("a.txt", "a\rx\nb\nc\n").start().await;
    desk.type_in("new").await;
    desk.keys("End Backspace").await;
    assert_eq!(desk.text(), "newa\r\nb\nc\n");
    desk.keys("Backspace").await;
    assert_eq!(desk.text(), "newa\nb\nc\n");
}

#[tokio::test]
async fn a_selection_is_replaced_by_what_is_typed() {
    let mut desk = Plan::new().with("a.txt", "hello world\n").start().await;
    desk.keys("Ctrl-Shift-Right").await;
    assert!(desk.selected()[0].starts_with("hello"));
    desk.keys("Shift-Home Ctrl-a Shift-End").await;
    assert_eq!(desk.selected(), ["hello world"]);
    desk.type_in("x").await;
    assert_eq!(desk.text(), "x\n");
    desk.keys("Ctrl-Space Ctrl-a Ctrl-c").await;
    assert_eq!(desk.message(), "Copied");
    assert_eq!(desk.ide.app().copied.as_deref(), Some("x"));
}

#[tokio::test]
async fn a_matcher_that_is_done_unheard_is_asked_again() {
    let mut desk = Plan::new().with("a.txt", "a\n").start().await;
    desk.keys("Ctrl-p").await;
    assert_eq!(desk.ide.app().deadline(), None, "nothing is under way");
    let Some(picker) = desk.state().layers.top_mut::<Picker>() else { panic!("no picker") };
    picker.settled = false;
    assert!(desk.ide.app().deadline().is_some());
    desk.ide.idle().await;
    assert_eq!(desk.ide.app().deadline(), None);
}

#[tokio::test]
async fn picked_file_gets_the_keys() {
    let mut desk = Plan::new().file("b.txt", "b\n").with("a.txt", "a\n").start().await;
    for (from, picker) in [("Alt-1", "Ctrl-p"), ("Alt-3", "Alt-b")] {
        desk.keys(from).await;
        desk.keys(picker).await;
        desk.type_in("b.txt").await;
        desk.keys("Enter").await;
        desk.type_in("d").await;
        assert_eq!(desk.shown(), "b.txt", "from {from}: {}", desk.picture());
        assert!(desk.text().starts_with('d') && desk.path("b.txt").exists(), "from {from}");
        desk.keys("Ctrl-z Alt-PageUp").await;
    }
}

#[tokio::test]
async fn the_file_picker_finds_what_is_not_ignored() {
    let plan = Plan::new()
        .file(".gitignore", "target\n")
        .file("target/login.rs", "")
        .file("src/main.rs", "fn main() {}\n");
    let mut desk =
        plan.file("src/login.rs", "login\n").file(".git/HEAD", "x").with("a.txt", "a\n").start().await;
    desk.keys("Ctrl-p").await;
    desk.shows("src/login.rs").await;
    assert!(!desk.picture().contains("target/login.rs"));
    desk.type_in("slog").await;
    desk.keys("Enter").await;
    assert_eq!((desk.shown(), desk.text()), ("login.rs".to_string(), "login\n".to_string()));
    desk.keys("Alt-PageUp").await;
    assert_eq!(desk.shown(), "a.txt");
    desk.keys("Alt-PageDown").await;
    assert_eq!(desk.shown(), "login.rs");
    desk.keys("Alt-b").await;
    desk.type_in("a.txt").await;
    desk.keys("Enter").await;
    assert_eq!(desk.shown(), "a.txt");
    desk.keys("Alt-w").await;
    assert_eq!(desk.shown(), "login.rs");
}

#[tokio::test]
async fn a_path_that_is_typed_is_opened() {
    let mut desk = Plan::new().file("src/b.rs", "b\n").with("src/a.rs", "a\n").start().await;
    desk.keys("Ctrl-o").await;
    desk.type_in("b.rs").await;
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "b\n");
}

#[tokio::test]
async fn a_small_window_and_back_keeps_everything() {
    let mut desk = Plan::new().with("a.txt", "one\ntwo\nthree\n").size(120, 40).start().await;
    desk.keys("Down End").await;
    desk.type_in("!").await;
    let before = desk.picture();
    for (cols, rows) in [(80, 24), (40, 12), (20, 5), (1, 1), (20, 5)] {
        desk.ide.resize(cols, rows);
        desk.picture();
    }
    desk.type_in("?").await;
    assert!(desk.picture().contains("two!?"), "{}", desk.picture());
    desk.keys("Backspace").await;
    desk.ide.resize(120, 40);
    assert_eq!(desk.picture(), before);
}

#[tokio::test]
async fn quitting_with_unsaved_changes_asks() {
    for (answer, quits, on_disk) in
        [("s", true, "xone\n"), ("d", true, "one\n"), ("n", false, "one\n"), ("Escape", false, "one\n")]
    {
        let mut desk = Plan::new().with("a.txt", "one\n").start().await;
        desk.type_in("x").await;
        desk.keys("Ctrl-q").await;
        assert!(!desk.state().quit);
        desk.shows("One file is unsaved:").await;
        desk.keys(answer).await;
        assert_eq!((desk.state().quit, desk.disk("a.txt").as_str()), (quits, on_disk), "{answer}");
        assert_eq!(desk.text(), "xone\n");
    }
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.keys("Ctrl-q").await;
    assert!(desk.state().quit, "nothing is lost, so nothing is asked");
}

#[tokio::test]
async fn the_mouse_places_selects_and_scrolls() {
    let text: String = (1..=100).map(|n| format!("line {n} word\n")).collect::<Vec<_>>().concat();
    let mut desk = Plan::new().with("a.txt", &text).start().await;
    let (x, y) = desk.find("line 3 word");
    desk.click(x + 5, y);
    assert_eq!(desk.cursor(), (3, 6));
    desk.mouse(MouseKind::Down(Button::Left), x, y);
    desk.mouse(MouseKind::Drag(Button::Left), x + 4, y + 1);
    assert_eq!(desk.selected(), ["line 3 word\nline"]);
    desk.wait(Duration::from_secs(1));
    desk.click(x + 8, y);
    desk.click(x + 8, y);
    assert_eq!(desk.selected(), ["word"]);
    desk.click(x + 8, y);
    assert_eq!(desk.selected(), ["line 3 word\n"]);
    desk.mouse(MouseKind::ScrollDown, x, y);
    let scrolled = desk.picture();
    assert!(scrolled.contains("line 4 word") && !scrolled.contains("line 3 word"), "{scrolled}");
    assert_eq!(desk.selected(), ["line 3 word\n"], "the cursor stays where it was");
    desk.keys("Right").await;
    assert!(desk.picture().contains("line 4 word"));
}

#[tokio::test]
async fn a_click_chooses_pane_tab_and_file() {
    let plan =
        Plan::new().file("zz.txt", "from the tree\n").with("a.txt", "a\n").with("b.txt", "b\n").size(120, 30);
    let mut desk = plan.start().await;
    let (x, y) = desk.find(" a.txt  b.txt");
    desk.click(x + 1, y);
    assert_eq!(desk.shown(), "a.txt");
    let (x, y) = desk.find("zz.txt");
    desk.click(x, y);
    desk.ide.idle().await;
    assert_eq!(desk.text(), "from the tree\n");
    let (x, y) = desk.find("ask, or tell");
    desk.click(x, y);
    desk.type_in("hi").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "hi");
}

#[tokio::test]
async fn pastes_and_new_lines_take_the_files_own_line_ends() {
    let mut desk = Plan::new().with("a.txt", "one\r\ntwo\r\n").start().await;
    desk.ide.input(Input::Paste("x\ny\n".to_string()));
    desk.keys("Enter Ctrl-s").await;
    assert_eq!(desk.disk("a.txt"), "x\r\ny\r\n\r\none\r\ntwo\r\n");
    desk.keys("Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "one\r\ntwo\r\n");
}

#[tokio::test]
async fn tab_indents_as_the_file_does() {
    let mut desk = Plan::new().with("a.rs", "fn a() {\n    b();\n}\n").start().await;
    desk.keys("Down Down Tab").await;
    assert_eq!(desk.text(), "fn a() {\n    b();\n    }\n");
    desk.keys("Alt-i").await;
    assert_eq!(desk.text(), "fn a() {\n    b();\n}\n");
    let mut desk = Plan::new().with("Makefile", "all:\n\tcc\n").start().await;
    desk.keys("Alt-h Tab").await;
    assert_eq!(desk.text(), "\tall:\n\t\tcc\n");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "all:\n\tcc\n");
}

#[tokio::test]
async fn a_new_line_keeps_the_indentation() {
    let mut desk = Plan::new().with("a.rs", "    a\n").start().await;
    desk.keys("End Enter").await;
    desk.type_in("b").await;
    assert_eq!(desk.text(), "    a\n    b\n");
}

#[tokio::test]
async fn finding_goes_on_and_around_and_can_be_given_up() {
    let mut desk = Plan::new().with("a.txt", "x one\ny one\nz one\n").start().await;
    desk.keys("Ctrl-f").await;
    desk.type_in("one").await;
    desk.shows("1 of 3").await;
    assert_eq!(desk.selected(), ["one"]);
    desk.keys("Escape").await;
    assert_eq!(desk.cursor(), (1, 1));
    desk.keys("Ctrl-f").await;
    desk.type_in("one").await;
    desk.keys("Enter F3").await;
    assert_eq!(desk.cursor().0, 2);
    desk.keys("F3 F3").await;
    assert_eq!(desk.cursor().0, 1, "it goes around");
    desk.keys("Alt-p").await;
    assert_eq!(desk.cursor().0, 3);
    desk.keys("Ctrl-f").await;
    desk.type_in("nowhere").await;
    desk.shows("No match").await;
}

#[tokio::test]
async fn going_to_a_line_says_what_it_cannot_read() {
    let mut desk = Plan::new().with("a.txt", "a\nbcd\ne\n").start().await;
    desk.keys("Ctrl-g").await;
    desk.type_in("2:3").await;
    desk.keys("Enter").await;
    assert_eq!(desk.cursor(), (2, 3));
    desk.keys("Ctrl-g").await;
    desk.type_in("x").await;
    desk.keys("Enter").await;
    desk.shows("a line number from 1").await;
    desk.keys("Backspace").await;
    desk.type_in("999").await;
    desk.keys("Enter").await;
    assert_eq!(desk.cursor().0, 4, "the last line is as near as it gets");
}

#[tokio::test]
async fn replacing_asks_at_each_match_and_all_is_one_step() {
    let mut desk = Plan::new().with("a.txt", "a b a b a a\n").start().await;
    desk.keys("Ctrl-r").await;
    desk.type_in("a").await;
    desk.keys("Enter").await;
    desk.type_in("xx").await;
    desk.keys("Enter y n a").await;
    assert_eq!(desk.text(), "xx b a b xx xx\n");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "xx b a b a a\n");
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "a b a b a a\n");
}

#[tokio::test]
async fn keys_of_several_presses_show_what_may_follow() {
    let map =
        "[global]\n\"Alt-x s\" = \"file.save\"\n\"Alt-x k\" = \"file.close\"\n\"Ctrl-q\" = \"app.quit\"\n";
    let mut desk = Plan::new().with("a.txt", "a\n").keymap(map).start().await;
    desk.type_in("b").await;
    desk.keys("Alt-x").await;
    assert!(desk.picture().contains("Alt-x …"));
    desk.wait(Duration::from_millis(299));
    assert!(!desk.picture().contains("file.close"));
    desk.wait(Duration::from_millis(1));
    assert!(
        desk.picture().contains("k file.close") && desk.picture().contains("s file.save"),
        "{}",
        desk.picture()
    );
    desk.keys("s").await;
    assert_eq!(desk.disk("a.txt"), "ba\n");
    desk.keys("Alt-x z").await;
    assert_eq!(desk.message(), "No command: Alt-x z");
    assert_eq!(desk.text(), "ba\n", "a broken sequence types nothing");
}

#[tokio::test]
async fn the_palette_runs_commands_by_their_name() {
    let mut desk = Plan::new().with("a.txt", "a\n").start().await;
    desk.keys("F1").await;
    desk.type_in("selall").await;
    desk.shows("select.all").await;
    desk.keys("Enter").await;
    assert_eq!(desk.selected(), ["a\n"]);
}

#[tokio::test]
async fn a_new_file_is_made_with_its_folder() {
    let mut desk = Plan::new().open("deep/down/new.txt").start().await;
    assert!(desk.message().contains("New file: deep/down/new.txt"), "{}", desk.message());
    desk.type_in("hello").await;
    desk.keys("Ctrl-s").await;
    assert_eq!(desk.disk("deep/down/new.txt").trim_end(), "hello");
}
