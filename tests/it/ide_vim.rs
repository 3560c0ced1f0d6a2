//! The Vim map as a user sees it: modes in the last line, many cursors, command lines, what
//! is still there of the default keys. What keys do to a text is judged in `vim.rs`.

use bowline::ide::core::panes::Focus;
use bowline::text::changes::ChangeSet;
use bowline::text::marked;
use bowline::text::position::Byte;
use bowline::text::transaction::Transaction;
use bowline::tui::input::Input;
use bowline::tui::screen::CursorShape;

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};

const VIM: &str = include_str!("../../keymaps/vim.toml");

async fn ide(marked_text: &str) -> TestIde {
    let (text, selection) = marked::parse(marked_text);
    let plan = IdeSetup::new().keymap(VIM).with("a.txt", text.to_string()).file("b.txt", "b one\nb two\n");
    let mut ide = plan.start().await;
    ide.keys("Alt-2").await;
    ide.state().text_options.auto_pairs = false;
    ide.state().buffers.current_mut().unwrap().area.selection = selection;
    ide.state().damage.add_all();
    ide
}

fn marked_area(ide: &mut TestIde) -> String {
    let area = &ide.state().buffers.current().unwrap().area;
    marked::show(area.text(), &area.selection)
}

fn last_line(ide: &mut TestIde) -> String {
    ide.picture().lines().rev().nth(1).unwrap().to_string()
}

#[tokio::test]
async fn vim_status_line_shows_mode_and_pending_keys() {
    let mut ide = ide("|one\ntwo\n").await;
    assert!(last_line(&mut ide).contains("NORMAL a.txt 1:1"), "{}", last_line(&mut ide));
    ide.keys("2 d").await;
    assert!(last_line(&mut ide).contains("2d"), "{}", last_line(&mut ide));
    ide.keys("Escape").await;
    assert!(!last_line(&mut ide).contains("2d"));
    for (keys, mode) in [("v", "VISUAL"), ("V", "V-LINE"), ("Ctrl-v", "V-BLOCK"), ("Escape", "NORMAL")] {
        ide.keys(keys).await;
        assert!(last_line(&mut ide).contains(mode), "{mode}: {}", last_line(&mut ide));
    }
    ide.keys("i").await;
    assert!(last_line(&mut ide).contains("INSERT"));
    ide.keys("Escape R").await;
    assert!(last_line(&mut ide).contains("REPLACE"));
    ide.keys("Escape q a").await;
    assert!(ide.picture().contains("Recording into register a"), "{}", ide.picture());
    assert!(last_line(&mut ide).contains("recording @a"), "{}", last_line(&mut ide));
    ide.keys("x q").await;
    assert_eq!(ide.status_message(), "Recorded 1 keys into register a");
    ide.keys("V j").await;
    ide.snap("vim_visual_lines");
}

#[tokio::test]
async fn vim_cursor_shape_follows_mode() {
    use bowline::ide::editor::modal::cursor_shape::cursor_shape;
    let mut ide = ide("|one\n").await;
    assert_eq!(cursor_shape(ide.state()), CursorShape::Block);
    ide.keys("i").await;
    assert_eq!(cursor_shape(ide.state()), CursorShape::Bar);
    ide.keys("Escape d").await;
    assert_eq!(cursor_shape(ide.state()), CursorShape::Underline);
    ide.keys("Escape Alt-3").await;
    assert_eq!(cursor_shape(ide.state()), CursorShape::Bar, "the prompt is typed into");
}

#[tokio::test]
async fn vim_commands_work_at_every_cursor() {
    for (before, keys, after) in [
        ("|one two\n|öne two\n", "d w", "|two\n|two\n"),
        ("|one two\n|öne two\n", "c w x Escape", "|x two\n|x two\n"),
        ("|one two\n|öne two\n", "A ! Escape", "one two|!\nöne two|!\n"),
        ("|one two\n|öne two\n", "v e d", "| two\n| two\n"),
        ("|one two\n|öne two\n", "y w P", "one| one two\nöne| öne two\n"),
        ("|one\ntwo\n|öne\n", "d d", "|two\n"),
        ("|a\n|b\n", "o x Escape", "a\n|x\nb\n|x\n"),
        ("|(a) |(é)\n", "d i (", "(|) (|)\n"),
        ("|a1\n|b9\n", "Ctrl-a", "a|2\nb1|0\n"),
        ("|one\n|two\n", "x .", "|e\n|o\n"),
    ] {
        let mut ide = ide(before).await;
        ide.keys(keys).await;
        assert_eq!(marked_area(&mut ide), after, "{keys} from {before:?}");
    }
}

#[tokio::test]
async fn vim_command_line_saves_opens_and_quits() {
    let mut ide = ide("|one\n").await;
    ide.keys("x : w Enter").await;
    assert_eq!(ide.file_text("a.txt"), "ne\n");
    ide.keys("x").await;
    ide.type_in(":q").await;
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "Unsaved changes (:q! discards)");
    ide.type_in(":e b.txt").await;
    ide.keys("Enter").await;
    assert_eq!(ide.current_file_name(), "b.txt");
    ide.type_in(":w c.txt").await;
    ide.keys("Enter").await;
    assert_eq!(ide.file_text("c.txt"), "b one\nb two\n");
    ide.type_in(":b a.t").await;
    ide.keys("Enter").await;
    assert_eq!(ide.current_file_name(), "a.txt");
    ide.type_in(":bd!").await;
    ide.keys("Enter").await;
    assert_eq!(ide.current_file_name(), "c.txt");
    ide.type_in(":q").await;
    ide.keys("Enter").await;
    assert!(ide.state().quit, "the last file closes the program");
}

#[tokio::test]
async fn vim_command_line_reports_errors() {
    let mut ide = ide("|one\ntwo\n").await;
    for (line, told) in [
        (":frobnicate", "No such command: frobnicate"),
        (":9d", "No such line"),
        (":set rightleft", "No such option: rightleft. See settings.toml"),
        (":s/x/y/", "No match"),
        (":g/one/q", "Cannot run on every line: quit"),
        (":'zd", "Mark not set: z"),
    ] {
        ide.type_in(line).await;
        ide.keys("Enter").await;
        assert_eq!(ide.status_message(), told, "{line}");
    }
    ide.keys(": Up Up").await;
    ide.snap("vim_command_line");
}

#[tokio::test]
async fn vim_set_changes_options() {
    let mut ide = ide("|one\nONE\n").await;
    ide.type_in(":set nonu ts=8 ic").await;
    ide.keys("Enter").await;
    assert!(!ide.state().display.numbers);
    assert_eq!(ide.state().text_options.tab_width, 8);
    ide.type_in("/one").await;
    ide.keys("Enter").await;
    assert_eq!(ide.cursor(), (2, 1), "case is ignored now");
}

#[tokio::test]
async fn vim_keys_apply_only_in_editor() {
    let mut ide = ide("|one two\n").await;
    ide.keys("Alt-3").await;
    ide.type_in("dd jk").await;
    assert_eq!(ide.state().prompt.area.text().to_string(), "dd jk");
    ide.keys("Alt-2 Alt-h").await;
    assert!(last_line(&mut ide).contains("VISUAL"), "{}", last_line(&mut ide));
    ide.keys("Escape").await;
    ide.type_in("zq").await;
    assert_eq!(ide.text(), "one two\n", "what is no command is not typed");
}

#[tokio::test]
async fn keymap_can_be_switched_at_runtime() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    ide.keys("Alt-2 Alt-x").await;
    ide.type_in("keymap-picker").await;
    ide.keys("Enter").await;
    ide.type_in("vim").await;
    ide.keys("Enter").await;
    assert!(ide.status_message().starts_with("Key map: vim"), "{}", ide.status_message());
    ide.keys("x").await;
    assert_eq!(ide.text(), "ne\n");
}

#[tokio::test]
async fn vim_insert_is_one_undo_step() {
    let mut ide = ide("|one\n").await;
    ide.keys("i").await;
    ide.type_in("ab").await;
    ide.advance(std::time::Duration::from_secs(5));
    ide.type_in("cd").await;
    ide.keys("Escape u").await;
    assert_eq!(ide.text(), "one\n");
    ide.keys("Ctrl-r").await;
    assert_eq!(ide.text(), "abcdone\n");
}

#[tokio::test]
async fn vim_pending_operator_shows_key_hints() {
    let mut ide = ide("|one two\n").await;
    ide.keys("d").await;
    ide.advance(std::time::Duration::from_millis(400));
    assert!(ide.picture().contains("Delete with motion"), "{}", ide.picture());
    ide.keys("w").await;
    assert_eq!(marked_area(&mut ide), "|two\n");
    ide.advance(std::time::Duration::from_millis(400));
    assert!(last_line(&mut ide).contains("NORMAL"), "{}", last_line(&mut ide));
    assert!(!ide.picture().contains("Delete with motion"), "{}", ide.picture());
}

#[tokio::test]
async fn vim_insert_mode_deletion_keeps_registers() {
    for map in [VIM, include_str!("../../keymaps/helix.toml")] {
        let mut ide = IdeSetup::new().keymap(map).with("a.txt", "kept\n").start().await;
        ide.keys("Alt-2 i").await;
        let ring = &mut ide.state().kill_ring;
        ring.kill(vec!["kept".to_string()], bowline::text::clipboard::kill_ring::Direction::Forward);
        ring.interrupt();
        ide.type_in("one two three").await;
        ide.keys("Ctrl-w").await;
        assert_eq!(ide.text(), "one two kept\n");
        ide.keys("Ctrl-u").await;
        assert_eq!(ide.text(), "kept\n");
        let newest = ide.state().kill_ring.nth_kill(0).map(|content| content.joined());
        assert_eq!(newest.as_deref(), Some("kept"));
    }
}

/// Lines of a text that is not searched on the loop.
const MANY: usize = 60_000;

async fn ide_with_long_file() -> TestIde {
    let lines: Vec<String> = (0..MANY).map(|n| format!("line {n} é")).collect();
    ide(&format!("|{}\nneedle at the end\nlast\n", lines.join("\n"))).await
}

#[tokio::test]
async fn vim_search_in_large_file_queues_keys() {
    let mut ide = ide_with_long_file().await;
    ide.headless.press("/");
    ide.type_without_settling("needle");
    ide.headless.press("Enter");
    assert!(ide.status_message().contains("Searching the text"), "{}", ide.status_message());
    ide.type_without_settling("x");
    assert_eq!(ide.cursor(), (1, 1), "a key waits");
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (MANY + 1, 1));
    assert!(ide.text().ends_with("\needle at the end\nlast\n"), "the key that waited came to the match");
    ide.keys("u g g d / n e e d l e Enter").await;
    assert_eq!(ide.text(), "needle at the end\nlast\n");
    ide.keys("u").await;
    assert_eq!(ide.text().lines().count(), MANY + 2);
    ide.keys("g g / n o n e Enter").await;
    assert_eq!(ide.status_message(), "No match: none");
    assert_eq!(ide.cursor(), (1, 1));
    ide.keys("/ n e e d l e Enter N").await;
    assert_eq!(ide.cursor(), (MANY + 1, 1), "the only match again");
}

#[tokio::test]
async fn vim_search_in_large_file_canceled_by_escape() {
    let mut ide = ide_with_long_file().await;
    ide.headless.press("/");
    ide.type_without_settling("needle");
    ide.headless.press("Enter");
    ide.type_without_settling("dd");
    ide.headless.press("Escape");
    assert_eq!(ide.status_message(), "Canceled");
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (1, 1));
    assert_eq!(ide.text().lines().count(), MANY + 2);
}

#[tokio::test]
async fn vim_substitute_in_large_file_is_one_undo_step() {
    let mut ide = ide_with_long_file().await;
    let before = ide.text();
    ide.headless.press(":");
    ide.type_without_settling("%s/line/row/");
    ide.headless.press("Enter");
    assert_eq!(ide.text(), before, "not on the loop");
    ide.type_without_settling("x");
    ide.headless.idle().await;
    assert_eq!(ide.text().matches("row").count(), MANY - 1, "the key that waited took one letter");
    ide.keys("u u").await;
    assert_eq!(ide.text(), before);
    ide.headless.press(":");
    ide.type_without_settling("g/line/d");
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "needle at the end\nlast\n");
    ide.keys("u").await;
    assert_eq!(ide.text(), before);
    ide.headless.press(":");
    ide.type_without_settling("g/line/s/é/e/");
    ide.keys("Enter").await;
    assert!(
        !ide.text().contains('é') && ide.status_message().contains("Replaced 60000"),
        "{}",
        ide.status_message()
    );
    ide.keys("u").await;
    assert_eq!(ide.text(), before);
    ide.headless.press(":");
    ide.type_without_settling("%s/absent/x/");
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "No match");
}

#[tokio::test]
async fn vim_substitute_confirms_each_match() {
    let text = "|é a a\na b\na\n";
    for (answers, becomes, said) in [
        ("y n y y", "é X a\nX b\nX\n", "Replaced 3. Undo: one step"),
        ("n a", "é a X\nX b\nX\n", "Replaced 3. Undo: one step"),
        ("n l", "é a X\na b\na\n", "Replaced 1. Undo: one step"),
        ("y q", "é X a\na b\na\n", "Replaced 1. Undo: one step"),
        ("y Escape", "é X a\na b\na\n", "Replaced 1. Undo: one step"),
        ("n n n n", "é a a\na b\na\n", "Nothing replaced"),
    ] {
        let mut ide = ide(text).await;
        ide.type_in(":%s/a/X/gc").await;
        ide.keys("Enter").await;
        assert!(ide.picture().contains("Line 1: a → X"), "{}", ide.picture());
        ide.keys(answers).await;
        assert_eq!((ide.text().as_str(), ide.status_message().as_str()), (becomes, said), "{answers}");
        assert!(ide.state().layers.is_empty());
        if becomes != "é a a\na b\na\n" {
            ide.keys("u").await;
            assert_eq!(ide.text(), "é a a\na b\na\n", "{answers} are one step");
        }
    }
}

#[tokio::test]
async fn vim_substitute_ends_on_external_change() {
    with_task_orders(async || {
        let mut ide = ide("|é a a a a a a\n").await;
        ide.type_in(":%s/a/X/gc").await;
        ide.keys("Enter").await;
        ide.headless.app().with_cx(|cx| {
            let area = &mut cx.state.buffers.current_mut().unwrap().area;
            let end = area.text().end();
            let edit = ChangeSet::replace(end.0, [(Byte(0)..end, "é".to_string())]);
            area.apply_external(Transaction::new(edit), 0);
        });
        ide.keys("n").await;
        assert_eq!(ide.status_message(), "Text changed meanwhile: nothing replaced");
        assert!(ide.state().layers.is_empty() && ide.text() == "é", "{}", ide.picture());
    })
    .await;
}

#[tokio::test]
async fn vim_command_line_rejects_huge_line_numbers() {
    let mut ide = ide("one\n|two\nthree\nfour\n").await;
    for line in [
        ":99999999999999999999999d",
        ":18446744073709551615d",
        ":1,+99999999999999999999999d",
        ":+18446744073709551615d",
        ":99999999999999999999999;+d",
        ":m 18446744073709551615",
    ] {
        ide.type_in(line).await;
        ide.keys("Enter").await;
        assert_eq!(ide.status_message(), "No such line", "{line}");
    }
    assert_eq!(marked_area(&mut ide), "one\n|two\nthree\nfour\n");
    ide.type_in(":99999;?three?d").await;
    ide.keys("Enter").await;
    ide.type_in(":d 18446744073709551615").await;
    ide.keys("Enter").await;
    assert!(!ide.text().contains("four"), "{}", ide.text());
}

#[tokio::test]
async fn vim_recursive_macro_ends_with_message() {
    for keys in ["q q 0 @ q q @ q", "q q : n o r m a l Space @ q Enter q @ q"] {
        let mut ide = ide("|one\ntwo\n").await;
        ide.keys(keys).await;
        assert!(ide.status_message().contains("Recursive macro"), "{keys}: {}", ide.status_message());
        ide.keys("Escape x").await;
        assert_eq!(ide.text(), "ne\ntwo\n", "{keys}");
    }
}

#[tokio::test]
async fn vim_pending_key_is_dropped_on_focus_change() {
    for keys in ["r", "3 r", "f", "\" a d t"] {
        let mut ide = ide("|one\ntwo\n").await;
        ide.keys(keys).await;
        ide.state().panes.focus = bowline::ide::core::panes::Focus::Agent;
        ide.state().damage.add_all();
        ide.keys("o").await;
        assert_eq!(ide.text(), "one\ntwo\n", "{keys}");
    }
}

#[tokio::test]
async fn vim_multi_cursor_insert_deletion_keeps_characters() {
    let text = "\nfn main() {}\n";
    let mut ide = IdeSetup::new().keymap(VIM).with("a.txt", text).start().await;
    ide.keys("I Ctrl-t é Ctrl-Alt-Down").await;
    // As much as the one cursor typed is a part of a character before the other.
    for pasted in ["\u{301}", ""] {
        ide.headless.input(Input::Paste(pasted.to_string()));
        ide.keys("Alt-9 Right").await;
    }
    ide.keys("Ctrl-w").await;
    let buffer = ide.state().buffers.current_mut().unwrap();
    while buffer.area.undo().is_some() {}
    assert_eq!(buffer.area.text().to_string(), text);
}

#[tokio::test]
async fn vim_search_typed_while_another_file_came_on_screen_searches_that_one() {
    let mut ide = ide("|one\ntwo and more of it, so that it is longer than the other file\n").await;
    ide.keys("Ctrl-p").await;
    ide.type_in("b.txt").await;
    ide.keys("Enter").await;
    ide.keys("g T").await;
    ide.keys("v G $ /").await;
    ide.headless.app().with_cx(|cx| {
        let other = cx.state.buffers.all()[1].id;
        cx.state.buffers.show(other);
        cx.state.damage.add_all();
    });
    ide.type_in("two").await;
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "b one\nb two\n");
    assert!(marked_area(&mut ide).contains("two"), "{}", marked_area(&mut ide));
}

#[tokio::test]
async fn vim_waiting_operator_leaves_the_hint_of_an_approval() {
    use bowline::llm::providers::scripted::Turn;
    let plan = IdeSetup::new().keymap(VIM).with("a.txt", "one\n").size(120, 40);
    let call = Turn::call("c1", "bash", serde_json::json!({"command": "touch x"}));
    let mut ide = plan.turns([call, Turn::text("done")]).start().await;
    ide.send_prompt("go").await;
    ide.wait_for_text("wants to run").await;
    ide.headless.press("Alt-2 d");
    assert!(ide.picture().contains("Alt-3 goes there"), "{}", ide.picture());
}

#[tokio::test]
async fn vim_search_typed_while_the_text_became_shorter_ends_in_it() {
    let mut ide = IdeSetup::new().keymap(VIM).with("a.txt", "one\ntwo\nthree x\n").start().await;
    ide.keys("v G $ /").await;
    ide.type_in("x").await;
    // The prompt stays open, and another program empties the file meanwhile.
    ide.keys("Alt-3").await;
    ide.state().buffers.current_mut().unwrap().area.edit(1, |text, _| {
        Transaction::new(ChangeSet::replace(text.end().0, [(Byte(0)..text.end(), String::new())]))
    });
    ide.keys("Enter").await;
    assert!(ide.status_message().contains("No match: x"), "{}", ide.status_message());
    assert_eq!(ide.state().panes.focus, Focus::Editor, "the search belongs to the editor");
}
