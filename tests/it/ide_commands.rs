//! A user changes lines, words, pairs and numbers by commands.

use bowline::ide::core::context::Command;
use bowline::ide::core::layers::picker::Picker;
use bowline::ide::shell::catalog::CATALOG;
use bowline::ide::shell::input;

use crate::support::test_ide::{IdeSetup, TestIde};

#[tokio::test]
async fn line_commands_move_copy_delete_and_yank() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").start().await;
    ide.keys("Alt-Down Alt-Down").await;
    assert_eq!(ide.text(), "two\nthree\none\n");
    assert_eq!(ide.cursor().0, 3);
    ide.keys("Alt-Up Alt-c").await;
    assert_eq!(ide.text(), "two\none\none\nthree\n");
    ide.keys("Alt-k l Alt-k l Ctrl-Home Ctrl-y").await;
    assert_eq!(ide.text(), "one\none\ntwo\nthree\n", "deleted lines join in the kill ring");
    ide.keys("Alt-h Alt-e u").await;
    assert_eq!(ide.text(), "one\ntwo\nthree\n");
    ide.keys("Alt-e s Alt-e j").await;
    assert_eq!(ide.text(), "one three two\n");
}

#[tokio::test]
async fn toggle_comment_uses_language_syntax() {
    for (name, plain, commented) in [
        ("a.rs", "  a\n", "  // a\n"),
        ("a.py", "  a\n", "  # a\n"),
        ("a.html", "  a\n", "  <!-- a -->\n"),
        ("Makefile", "a\n", "# a\n"),
    ] {
        let mut ide = IdeSetup::new().with(name, plain).start().await;
        ide.keys("Alt-/").await;
        assert_eq!(ide.text(), commented);
        ide.keys("Alt-/").await;
        assert_eq!(ide.text(), plain);
    }
    let mut ide = IdeSetup::new().with("a.txt", "a\n").start().await;
    ide.keys("Alt-/").await;
    assert_eq!(ide.status_message(), "No comment syntax for this language");
}

#[tokio::test]
async fn auto_pairs_insert_and_delete_closing_character() {
    let mut ide = IdeSetup::new().with("a.rs", "\n").start().await;
    ide.type_in("f(\"x\")").await;
    assert_eq!(ide.text(), "f(\"x\")\n");
    ide.type_in(" {").await;
    ide.keys("Enter").await;
    ide.type_in("y").await;
    assert_eq!(ide.text(), "f(\"x\") {\n    y\n}\n");
    ide.type_in("[").await;
    ide.keys("Backspace").await;
    assert_eq!(ide.text(), "f(\"x\") {\n    y\n}\n");
    ide.keys("Alt-3").await;
    ide.type_in("(").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "(", "prose is left alone");
}

#[tokio::test]
async fn auto_pairs_disabled_inserts_typed_only() {
    let mut ide = IdeSetup::new().with("a.rs", "\n").start().await;
    ide.state().text_options.auto_pairs = false;
    ide.type_in("(").await;
    assert_eq!(ide.text(), "(\n");
}

#[tokio::test]
async fn auto_indent_after_colon_in_python() {
    let mut ide = IdeSetup::new().with("a.py", "").start().await;
    ide.type_in("if x:").await;
    ide.keys("Enter").await;
    ide.type_in("y").await;
    assert_eq!(ide.text(), "if x:\n    y");
}

#[tokio::test]
async fn surround_commands_add_change_and_delete() {
    let mut ide = IdeSetup::new().with("a.txt", "word größe\n").start().await;
    ide.keys("Alt-e a \"").await;
    assert_eq!(ide.text(), "\"word\" größe\n");
    ide.keys("Alt-e c \" [").await;
    assert_eq!(ide.text(), "[word] größe\n");
    ide.keys("Alt-e d [").await;
    assert_eq!(ide.text(), "word größe\n");
    ide.keys("Alt-e a Escape").await;
    assert_eq!((ide.text().as_str(), ide.status_message().as_str()), ("word größe\n", "Canceled"));
    ide.keys("Ctrl-z Ctrl-z Ctrl-z").await;
    assert_eq!(ide.text(), "word größe\n");
}

#[tokio::test]
async fn case_number_and_transpose_commands_change_text() {
    let mut ide = IdeSetup::new().with("a.txt", "someName 9\nx 9\n").start().await;
    ide.keys("Alt-u s").await;
    assert_eq!(ide.text(), "some_name 9\nx 9\n");
    ide.keys("End Ctrl-Alt-Down Alt-+").await;
    assert_eq!(ide.text(), "some_name 10\nx 10\n");
    ide.keys("Alt-8 #").await;
    assert_eq!(ide.text(), "some_name 10\nx 11\n");
    ide.keys("Escape Ctrl-Home Right Right Ctrl-t").await;
    assert_eq!(ide.text(), "smoe_name 10\nx 11\n");
}

#[tokio::test]
async fn reflow_keeps_comment_prefix() {
    let mut ide =
        IdeSetup::new().with("a.rs", "// one two three four five six seven eight nine\n").start().await;
    ide.keys("Alt-q").await;
    assert_eq!(ide.text(), "// one two three four five six seven\n// eight nine\n");
}

#[tokio::test]
async fn macro_replays_recorded_keys() {
    let mut ide = IdeSetup::new().with("a.txt", "1 a\n1 b\n1 c\n1 d\n1 é\n").start().await;
    ide.keys("F7 Home Delete").await;
    ide.type_in("- ").await;
    ide.keys("Down F7").await;
    assert_eq!(ide.status_message(), "Recorded 5 keys");
    ide.keys("F8").await;
    assert_eq!(ide.text(), "-  a\n-  b\n1 c\n1 d\n1 é\n");
    ide.keys("Alt-e m 3").await;
    assert_eq!(ide.text(), "-  a\n-  b\n-  c\n-  d\n-  é\n");
    // The way through the palette that ends a recording is not part of it.
    ide.keys("F7 x F1").await;
    ide.type_in("macro.record").await;
    ide.keys("Enter F8").await;
    assert_eq!(ide.text(), "-  a\n-  b\n-  c\n-  d\n-  é\nxx");
    ide.keys("F7 F8").await;
    assert_eq!(ide.status_message(), "Cannot replay a macro while recording it");
}

#[tokio::test]
async fn repeat_replays_last_change() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo\nthree\n").start().await;
    ide.keys("Alt-.").await;
    assert_eq!(ide.status_message(), "No changes yet");
    ide.type_in("é-").await;
    ide.keys("Down Home Alt-.").await;
    assert_eq!(ide.text(), "é-one\né-two\nthree\n");
    ide.keys("Alt-k l Alt-.").await;
    assert_eq!(ide.text(), "é-one\n");
    ide.keys("Ctrl-z Alt-.").await;
    assert_eq!(ide.text(), "é-one\n", "taking back is no change");
}

#[tokio::test]
async fn macro_replaying_itself_terminates() {
    let mut ide = IdeSetup::new().with("a.txt", "").start().await;
    ide.keys("F7 a F8 F7 F8").await;
    assert_eq!(ide.text(), "aa");
    assert!(!ide.state().macros.replaying);
}

#[tokio::test]
async fn line_commands_keep_crlf() {
    let mut ide = IdeSetup::new().with("a.txt", "a\r\nb\r\nc\r\nd\r\n").start().await;
    ide.keys("Alt-l Alt-Down Backspace").await;
    assert_eq!(ide.text(), "b\r\nc\r\nd\r\n");
    ide.keys("Ctrl-z Ctrl-z Ctrl-Home Alt-k l Ctrl-y").await;
    assert_eq!(ide.text(), "a\r\nb\r\nc\r\nd\r\n");
}

#[tokio::test]
async fn palette_finds_commands_by_alias() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    for (typed, found) in [
        ("revert checkpoint", "Restore files to here"),
        ("outdent", "Dedent lines"),
        ("switch buffer", "Go to open file"),
        ("hotkeys", "Show keyboard shortcuts"),
        ("session.leave-out", "Exclude message from context"),
    ] {
        ide.keys("F1").await;
        ide.type_in(typed).await;
        let picker = ide.state().layers.top::<Picker>().unwrap();
        assert_eq!(picker.current().map(|row| row.text.as_str()), Some(found), "{typed}");
        ide.keys("Escape").await;
    }
    ide.keys("F1").await;
    ide.type_in("remove line").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "");
}

#[tokio::test]
async fn palette_offers_what_the_words_mean() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 40).start().await;
    for (typed, first) in [
        ("theme", Some("Choose theme")),
        ("help", Some("Open help page")),
        ("settings", Some("Open settings")),
        ("wrap", Some("Toggle word wrap")),
        ("tools", Some("Choose agent tools")),
        ("session", Some("Show session tree")),
        ("key", Some("Show keyboard shortcuts")),
        ("terminal", Some("Focus terminal or editor")),
        ("search", Some("Search files while typing")),
        ("context", Some("Show context report")),
        ("split", Some("Split window right")),
        ("zoom", Some("Zoom focused pane")),
        ("paste", Some("Paste")),
        ("quit", Some("Quit")),
        ("save all", Some("Save all files")),
        ("last list", Some("Show last list")),
        ("permission", Some("Show permissions")),
        ("qzx", None),
        ("font", None),
    ] {
        ide.keys("F1").await;
        ide.type_in(typed).await;
        let picker = ide.state().layers.top::<Picker>().unwrap();
        let found = picker.current().map(|row| row.text.clone());
        assert_eq!(found.as_deref(), first, "{typed}: {}", ide.picture());
        ide.keys("Escape").await;
    }
}

#[tokio::test]
async fn palette_lists_what_was_used_last_first_also_after_a_restart() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 40).start().await;
    for title in ["Toggle word wrap", "Select all"] {
        ide.keys("F1").await;
        ide.type_in(title).await;
        ide.keys("Enter").await;
        ide.headless.idle().await;
    }
    let first = |ide: &mut TestIde| -> Vec<String> {
        let picker = ide.state().layers.top::<Picker>().unwrap();
        picker.rows(0, 2).map(|row| row.text.clone()).collect()
    };
    ide.keys("F1").await;
    assert_eq!(first(&mut ide), ["Select all", "Toggle word wrap"]);
    assert!(ide.picture().contains("Used last"), "{}", ide.picture());
    ide.snap("palette");
    let mut again = ide.restart().start().await;
    again.headless.idle().await;
    again.keys("F1").await;
    assert_eq!(first(&mut again), ["Select all", "Toggle word wrap"]);
}

#[tokio::test]
async fn command_that_cannot_run_says_why_and_changes_nothing() {
    let mut ide = IdeSetup::new().start().await;
    ide.headless.idle().await;
    let refused = |ide: &mut TestIde| -> Vec<(&'static Command, String)> {
        let state = ide.state();
        let reason = |command: &'static Command| Some((command, command.check(state).err()?.message(state)));
        CATALOG.commands().filter_map(reason).collect()
    };
    let all = refused(&mut ide);
    assert!(all.len() > 100, "{}", all.len());
    let seen = |ide: &mut TestIde| {
        ide.state().set_status("");
        let state = ide.state();
        let parts = (state.layers.len(), state.buffers.all().len(), format!("{:?}", state.panes));
        (parts, ide.picture())
    };
    let before = seen(&mut ide);
    // The messages themselves are notifications that can be shown.
    for (command, reason) in all.into_iter().filter(|(command, _)| command.id != "view.notifications") {
        ide.headless.app().with_cx(|cx| input::run(cx, command));
        ide.headless.idle().await;
        assert_eq!(ide.status_message(), reason, "{}", command.id);
        assert_eq!(seen(&mut ide), before, "{}", command.id);
    }
}

#[tokio::test]
async fn command_of_a_view_cannot_run_without_it() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.headless.idle().await;
    let reason = |ide: &mut TestIde, id: &str| -> Option<String> {
        let state = ide.state();
        let command = CATALOG.commands().find(|command| command.id == id)?;
        Some(command.check(state).err()?.message(state))
    };
    for (id, wanted) in [
        ("diff.with-revision", "Undo tree is not shown. Show it: "),
        ("agent.next-value", "Agent settings are not open. Open them: "),
        ("agent.previous-value", "Agent settings are not open. Open them: "),
        ("image.toggle-text", "Not an image"),
        ("workspace.undo-apply", "No applied results to undo"),
    ] {
        let reason = reason(&mut ide, id).unwrap_or_default();
        assert!(reason.starts_with(wanted), "{id}: {reason}");
    }
    ide.type_in("new ").await;
    ide.headless.app().with_cx(|cx| cx.defer_command("history.tree"));
    ide.headless.idle().await;
    assert_eq!(reason(&mut ide, "diff.with-revision"), None, "{}", ide.picture());
}

/// Opens the palette with a query; returns the first row's title and what stands behind it, and whether it is dimmed.
async fn first_row(ide: &mut TestIde, query: &str) -> (String, String, bool) {
    ide.keys("F1").await;
    ide.type_in(query).await;
    let picker = ide.state().layers.top::<Picker>().unwrap();
    let row = picker.current().unwrap();
    (row.text.clone(), row.detail.clone(), (picker.spec.is_dimmed)(&row.pick))
}

#[tokio::test]
async fn palette_row_without_repository_says_why_and_runs_nothing() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.headless.idle().await;
    let shown = first_row(&mut ide, "show commits").await;
    assert_eq!(shown, ("Show commits".to_string(), "Not in a git repository".to_string(), true));
    ide.snap("palette_unavailable");
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Not in a git repository");
    assert!(ide.state().layers.is_empty());
    ide.keys("F1").await;
    let picker = ide.state().layers.top::<Picker>().unwrap();
    assert_ne!(picker.current().unwrap().text, "Show commits", "it was not used");
}

#[tokio::test]
async fn palette_row_is_available_once_its_condition_holds() {
    let mut ide = IdeSetup::new().with("a.txt", "one\ntwo one\n").start().await;
    let (title, reason, is_dimmed) = first_row(&mut ide, "find next match").await;
    assert_eq!((title.as_str(), reason.as_str(), is_dimmed), ("Find next match", "No search yet", true));
    ide.keys("Escape Ctrl-f").await;
    ide.type_in("one").await;
    ide.keys("Enter Escape").await;
    let (title, keys, is_dimmed) = first_row(&mut ide, "find next match").await;
    assert_eq!(title, "Find next match");
    assert!(!is_dimmed && keys != "No search yet", "{keys}");
    ide.keys("Escape").await;
}

#[tokio::test]
async fn palette_lists_what_cannot_run_behind_equal_matches() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(100, 30).start().await;
    let (title, _, is_dimmed) = first_row(&mut ide, "terminal").await;
    assert!(!is_dimmed, "{title}");
    let picker = ide.state().layers.top::<Picker>().unwrap();
    let close = picker.rows(0, picker.matches()).find(|row| row.text == "Close terminal").unwrap();
    assert_eq!(close.detail, "No terminal open");
    ide.type_in(" close").await;
    ide.keys("Enter").await;
    let message = ide.status_message();
    assert!(message.starts_with("No terminal open. Open one: "), "{message}");
}

#[tokio::test]
async fn notifications_cannot_be_marked() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(120, 30).start().await;
    ide.keys("Ctrl-s").await;
    ide.keys("F1").await;
    ide.type_in("show notifications").await;
    ide.keys("Enter Tab").await;
    assert!(!ide.picture().contains("marked"), "{}", ide.picture());
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Copied the notification");
}
