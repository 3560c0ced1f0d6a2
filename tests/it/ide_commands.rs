//! A user changes lines, words, pairs and numbers by commands.

use bowline::ide::core::layers::picker::Picker;

use crate::support::desk::Plan;

#[tokio::test]
async fn lines_are_moved_copied_deleted_and_brought_back() {
    let mut desk = Plan::new().with("a.txt", "one\ntwo\nthree\n").start().await;
    desk.keys("Alt-Down Alt-Down").await;
    assert_eq!(desk.text(), "two\nthree\none\n");
    assert_eq!(desk.cursor().0, 3);
    desk.keys("Alt-Up Alt-c").await;
    assert_eq!(desk.text(), "two\none\none\nthree\n");
    desk.keys("Alt-k l Alt-k l Ctrl-Home Ctrl-y").await;
    assert_eq!(desk.text(), "one\none\ntwo\nthree\n", "deleted lines join in the kill ring");
    desk.keys("Alt-h Alt-e u").await;
    assert_eq!(desk.text(), "one\ntwo\nthree\n");
    desk.keys("Alt-e s Alt-e j").await;
    assert_eq!(desk.text(), "one three two\n");
}

#[tokio::test]
async fn comments_are_those_of_the_language() {
    for (name, plain, commented) in [
        ("a.rs", "  a\n", "  // a\n"),
        ("a.py", "  a\n", "  # a\n"),
        ("a.html", "  a\n", "  <!-- a -->\n"),
        ("Makefile", "a\n", "# a\n"),
    ] {
        let mut desk = Plan::new().with(name, plain).start().await;
        desk.keys("Alt-/").await;
        assert_eq!(desk.text(), commented);
        desk.keys("Alt-/").await;
        assert_eq!(desk.text(), plain);
    }
    let mut desk = Plan::new().with("a.txt", "a\n").start().await;
    desk.keys("Alt-/").await;
    assert_eq!(desk.message(), "No comment syntax for this language");
}

#[tokio::test]
async fn pairs_come_with_what_is_typed_and_go_with_it() {
    let mut desk = Plan::new().with("a.rs", "\n").start().await;
    desk.type_in("f(\"x\")").await;
    assert_eq!(desk.text(), "f(\"x\")\n");
    desk.type_in(" {").await;
    desk.keys("Enter").await;
    desk.type_in("y").await;
    assert_eq!(desk.text(), "f(\"x\") {\n    y\n}\n");
    desk.type_in("[").await;
    desk.keys("Backspace").await;
    assert_eq!(desk.text(), "f(\"x\") {\n    y\n}\n");
    desk.keys("Alt-3").await;
    desk.type_in("(").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "(", "prose is left alone");
}

#[tokio::test]
async fn pairs_can_be_turned_off() {
    let mut desk = Plan::new().with("a.rs", "\n").start().await;
    desk.state().show.auto_pairs = false;
    desk.type_in("(").await;
    assert_eq!(desk.text(), "(\n");
}

#[tokio::test]
async fn a_colon_opens_a_block_where_the_language_says_so() {
    let mut desk = Plan::new().with("a.py", "").start().await;
    desk.type_in("if x:").await;
    desk.keys("Enter").await;
    desk.type_in("y").await;
    assert_eq!(desk.text(), "if x:\n    y");
}

#[tokio::test]
async fn signs_around_words_are_asked_for() {
    let mut desk = Plan::new().with("a.txt", "word größe\n").start().await;
    desk.keys("Alt-e a \"").await;
    assert_eq!(desk.text(), "\"word\" größe\n");
    desk.keys("Alt-e c \" [").await;
    assert_eq!(desk.text(), "[word] größe\n");
    desk.keys("Alt-e d [").await;
    assert_eq!(desk.text(), "word größe\n");
    desk.keys("Alt-e a Escape").await;
    assert_eq!((desk.text().as_str(), desk.message().as_str()), ("word größe\n", "Canceled"));
    desk.keys("Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(desk.text(), "word größe\n");
}

#[tokio::test]
async fn words_and_numbers_change() {
    let mut desk = Plan::new().with("a.txt", "someName 9\nx 9\n").start().await;
    desk.keys("Alt-u s").await;
    assert_eq!(desk.text(), "some_name 9\nx 9\n");
    desk.keys("End Ctrl-Alt-Down Alt-+").await;
    assert_eq!(desk.text(), "some_name 10\nx 10\n");
    desk.keys("Alt-#").await;
    assert_eq!(desk.text(), "some_name 10\nx 11\n");
    desk.keys("Escape Ctrl-Home Right Right Ctrl-t").await;
    assert_eq!(desk.text(), "smoe_name 10\nx 11\n");
}

#[tokio::test]
async fn a_paragraph_is_wrapped_with_its_signs() {
    let mut desk =
        Plan::new().with("a.rs", "// one two three four five six seven eight nine\n").start().await;
    desk.keys("Alt-q").await;
    assert_eq!(desk.text(), "// one two three four five six seven\n// eight nine\n");
}

#[tokio::test]
async fn keys_are_recorded_and_pressed_again() {
    let mut desk = Plan::new().with("a.txt", "1 a\n1 b\n1 c\n1 d\n1 é\n").start().await;
    desk.keys("F7 Home Delete").await;
    desk.type_in("- ").await;
    desk.keys("Down F7").await;
    assert_eq!(desk.message(), "Recorded 5 keys");
    desk.keys("F8").await;
    assert_eq!(desk.text(), "-  a\n-  b\n1 c\n1 d\n1 é\n");
    desk.keys("Alt-e m 3").await;
    assert_eq!(desk.text(), "-  a\n-  b\n-  c\n-  d\n-  é\n");
    // The way through the palette that ends a recording is not part of it.
    desk.keys("F7 x F1").await;
    desk.type_in("macro.record").await;
    desk.keys("Enter F8").await;
    assert_eq!(desk.text(), "-  a\n-  b\n-  c\n-  d\n-  é\nxx");
    desk.keys("F7 F8").await;
    assert_eq!(desk.message(), "Cannot replay a macro while recording it");
}

#[tokio::test]
async fn the_last_change_is_done_again() {
    let mut desk = Plan::new().with("a.txt", "one\ntwo\nthree\n").start().await;
    desk.keys("Alt-.").await;
    assert_eq!(desk.message(), "No changes yet");
    desk.type_in("é-").await;
    desk.keys("Down Home Alt-.").await;
    assert_eq!(desk.text(), "é-one\né-two\nthree\n");
    desk.keys("Alt-k l Alt-.").await;
    assert_eq!(desk.text(), "é-one\n");
    desk.keys("Ctrl-z Alt-.").await;
    assert_eq!(desk.text(), "é-one\n", "taking back is no change");
}

#[tokio::test]
async fn a_recording_never_replays_itself() {
    let mut desk = Plan::new().with("a.txt", "").start().await;
    desk.keys("F7 a F8 F7 F8").await;
    assert_eq!(desk.text(), "aa");
    assert!(!desk.state().again.replaying);
}

#[tokio::test]
async fn lines_keep_their_own_ends() {
    let mut desk = Plan::new().with("a.txt", "a\r\nb\r\nc\r\nd\r\n").start().await;
    desk.keys("Alt-l Alt-Down Backspace").await;
    assert_eq!(desk.text(), "b\r\nc\r\nd\r\n");
    desk.keys("Ctrl-z Ctrl-z Ctrl-Home Alt-k l Ctrl-y").await;
    assert_eq!(desk.text(), "a\r\nb\r\nc\r\nd\r\n");
}

#[tokio::test]
async fn palette_finds_commands_by_aliases() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    for (typed, found) in [
        ("revert checkpoint", "Restore files to here  session.restore-code"),
        ("outdent", "Dedent lines  edit.dedent"),
        ("switch buffer", "Go to open file  view.buffers-picker"),
        ("hotkeys", "Show keyboard shortcuts  app.keys"),
        ("session.leave-out", "Exclude message from context  session.exclude-message"),
    ] {
        desk.keys("F1").await;
        desk.type_in(typed).await;
        let picker = desk.state().layers.top::<Picker>().unwrap();
        assert_eq!(picker.current().map(|row| row.text.as_str()), Some(found), "{typed}");
        desk.keys("Escape").await;
    }
    desk.keys("F1").await;
    desk.type_in("remove line").await;
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "");
}
