//! The Vim map as a user sees it: modes in the last line, many cursors, command lines, what
//! is still there of the default keys. What keys do to a text is judged in `vim.rs`.

use bowline::text::changes::ChangeSet;
use bowline::text::marked;
use bowline::text::position::Byte;
use bowline::text::transaction::Transaction;
use bowline::tui::input::Input;
use bowline::tui::screen::CursorShape;

use crate::support::desk::{Desk, Plan};

const VIM: &str = include_str!("../../keymaps/vim.toml");

async fn desk(marked_text: &str) -> Desk {
    let (text, selection) = marked::parse(marked_text);
    let plan = Plan::new().keymap(VIM).with("a.txt", text.to_string()).file("b.txt", "b one\nb two\n");
    let mut desk = plan.start().await;
    desk.keys("Alt-2").await;
    desk.state().show.auto_pairs = false;
    desk.state().buffers.current_mut().unwrap().area.selection = selection;
    desk.state().damage.all();
    desk
}

fn shown(desk: &mut Desk) -> String {
    let area = &desk.state().buffers.current().unwrap().area;
    marked::show(area.text(), &area.selection)
}

fn last_line(desk: &mut Desk) -> String {
    desk.picture().lines().rev().nth(1).unwrap().to_string()
}

#[tokio::test]
async fn the_last_line_tells_the_mode_and_what_has_begun() {
    let mut desk = desk("|one\ntwo\n").await;
    assert!(last_line(&mut desk).contains("NORMAL a.txt 1:1"), "{}", last_line(&mut desk));
    desk.keys("2 d").await;
    assert!(last_line(&mut desk).contains("2d"), "{}", last_line(&mut desk));
    desk.keys("Escape").await;
    assert!(!last_line(&mut desk).contains("2d"));
    for (keys, mode) in [("v", "VISUAL"), ("V", "V-LINE"), ("Ctrl-v", "V-BLOCK"), ("Escape", "NORMAL")] {
        desk.keys(keys).await;
        assert!(last_line(&mut desk).contains(mode), "{mode}: {}", last_line(&mut desk));
    }
    desk.keys("i").await;
    assert!(last_line(&mut desk).contains("INSERT"));
    desk.keys("Escape R").await;
    assert!(last_line(&mut desk).contains("REPLACE"));
    desk.keys("Escape q a").await;
    assert!(last_line(&mut desk).contains("Recording into register a"), "{}", last_line(&mut desk));
    desk.keys("x q").await;
    assert_eq!(desk.message(), "Recorded 1 keys into register a");
    desk.keys("V j").await;
    desk.snap("vim_visual_lines");
}

#[tokio::test]
async fn the_caret_has_a_shape_for_each_mode() {
    use bowline::ide::editor::modal::cursor_shape::wanted;
    let mut desk = desk("|one\n").await;
    assert_eq!(wanted(desk.state()), CursorShape::Block);
    desk.keys("i").await;
    assert_eq!(wanted(desk.state()), CursorShape::Bar);
    desk.keys("Escape d").await;
    assert_eq!(wanted(desk.state()), CursorShape::Underline);
    desk.keys("Escape Alt-3").await;
    assert_eq!(wanted(desk.state()), CursorShape::Bar, "the prompt is typed into");
}

#[tokio::test]
async fn commands_work_at_every_cursor() {
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
        let mut desk = desk(before).await;
        desk.keys(keys).await;
        assert_eq!(shown(&mut desk), after, "{keys} from {before:?}");
    }
}

#[tokio::test]
async fn command_lines_save_open_and_leave() {
    let mut desk = desk("|one\n").await;
    desk.keys("x : w Enter").await;
    assert_eq!(desk.disk("a.txt"), "ne\n");
    desk.keys("x").await;
    desk.type_in(":q").await;
    desk.keys("Enter").await;
    assert_eq!(desk.message(), "Not saved. Close without saving: q!");
    desk.type_in(":e b.txt").await;
    desk.keys("Enter").await;
    assert_eq!(desk.shown(), "b.txt");
    desk.type_in(":w c.txt").await;
    desk.keys("Enter").await;
    assert_eq!(desk.disk("c.txt"), "b one\nb two\n");
    desk.type_in(":b a.t").await;
    desk.keys("Enter").await;
    assert_eq!(desk.shown(), "a.txt");
    desk.type_in(":bd!").await;
    desk.keys("Enter").await;
    assert_eq!(desk.shown(), "c.txt");
    desk.type_in(":q").await;
    desk.keys("Enter").await;
    assert!(desk.state().quit, "the last file closes the program");
}

#[tokio::test]
async fn command_lines_tell_what_they_do_not_know() {
    let mut desk = desk("|one\ntwo\n").await;
    for (line, told) in [
        (":frobnicate", "No such command: frobnicate"),
        (":9d", "No such line"),
        (":set rightleft", "No such option: rightleft. See settings.toml"),
        (":s/x/y/", "No match"),
        (":g/one/q", "Cannot run on every line: quit"),
        (":'zd", "Mark not set: z"),
    ] {
        desk.type_in(line).await;
        desk.keys("Enter").await;
        assert_eq!(desk.message(), told, "{line}");
    }
    desk.keys(": Up Up").await;
    desk.snap("vim_command_line");
}

#[tokio::test]
async fn options_are_set() {
    let mut desk = desk("|one\nONE\n").await;
    desk.type_in(":set nonu ts=8 ic").await;
    desk.keys("Enter").await;
    assert!(!desk.state().look.numbers);
    assert_eq!(desk.state().show.tab_width, 8);
    desk.type_in("/one").await;
    desk.keys("Enter").await;
    assert_eq!(desk.cursor(), (2, 1), "case is ignored now");
}

#[tokio::test]
async fn other_places_keep_their_keys_and_other_selections_are_taken_over() {
    let mut desk = desk("|one two\n").await;
    desk.keys("Alt-3").await;
    desk.type_in("dd jk").await;
    assert_eq!(desk.state().prompt.area.text().to_string(), "dd jk");
    desk.keys("Alt-2 Alt-h").await;
    assert!(last_line(&mut desk).contains("VISUAL"), "{}", last_line(&mut desk));
    desk.keys("Escape").await;
    desk.type_in("zq").await;
    assert_eq!(desk.text(), "one two\n", "what is no command is not typed");
}

#[tokio::test]
async fn a_key_map_is_chosen_while_running() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.keys("Alt-2 Alt-x").await;
    desk.type_in("keymap-picker").await;
    desk.keys("Enter").await;
    desk.type_in("vim").await;
    desk.keys("Enter").await;
    assert!(desk.message().starts_with("Key map: vim"), "{}", desk.message());
    desk.keys("x").await;
    assert_eq!(desk.text(), "ne\n");
}

#[tokio::test]
async fn an_insertion_is_one_step_and_the_agent_none_of_it() {
    let mut desk = desk("|one\n").await;
    desk.keys("i").await;
    desk.type_in("ab").await;
    desk.wait(std::time::Duration::from_secs(5));
    desk.type_in("cd").await;
    desk.keys("Escape u").await;
    assert_eq!(desk.text(), "one\n");
    desk.keys("Ctrl-r").await;
    assert_eq!(desk.text(), "abcdone\n");
}

#[tokio::test]
async fn an_operator_alone_shows_what_may_follow() {
    let mut desk = desk("|one two\n").await;
    desk.keys("d").await;
    desk.wait(std::time::Duration::from_millis(400));
    assert!(last_line(&mut desk).contains("d vim.delete"), "{}", last_line(&mut desk));
    desk.keys("w").await;
    assert_eq!(shown(&mut desk), "|two\n");
    desk.wait(std::time::Duration::from_millis(400));
    assert!(last_line(&mut desk).contains("NORMAL"), "{}", last_line(&mut desk));
}

#[tokio::test]
async fn what_is_erased_while_typing_is_in_no_register() {
    for map in [VIM, include_str!("../../keymaps/helix.toml")] {
        let mut desk = Plan::new().keymap(map).with("a.txt", "kept\n").start().await;
        desk.keys("Alt-2 i").await;
        let ring = &mut desk.state().kill_ring;
        ring.kill(vec!["kept".to_string()], bowline::text::kill_ring::Direction::Forward);
        ring.interrupt();
        desk.type_in("one two three").await;
        desk.keys("Ctrl-w").await;
        assert_eq!(desk.text(), "one two kept\n");
        desk.keys("Ctrl-u").await;
        assert_eq!(desk.text(), "kept\n");
        let newest = desk.state().kill_ring.killed(0).map(|content| content.joined());
        assert_eq!(newest.as_deref(), Some("kept"));
    }
}

/// Lines of a text that is not searched on the loop.
const MANY: usize = 60_000;

async fn long() -> Desk {
    let lines: Vec<String> = (0..MANY).map(|n| format!("line {n} é")).collect();
    desk(&format!("|{}\nneedle at the end\nlast\n", lines.join("\n"))).await
}

#[tokio::test]
async fn keys_wait_for_a_search_of_a_long_text() {
    let mut desk = long().await;
    desk.ide.press("/");
    desk.type_now("needle");
    desk.ide.press("Enter");
    assert!(desk.message().contains("Searching the text"), "{}", desk.message());
    desk.type_now("x");
    assert_eq!(desk.cursor(), (1, 1), "a key waits");
    desk.ide.idle().await;
    assert_eq!(desk.cursor(), (MANY + 1, 1));
    assert!(desk.text().ends_with("\needle at the end\nlast\n"), "the key that waited came to the match");
    desk.keys("u g g d / n e e d l e Enter").await;
    assert_eq!(desk.text(), "needle at the end\nlast\n");
    desk.keys("u").await;
    assert_eq!(desk.text().lines().count(), MANY + 2);
    desk.keys("g g / n o n e Enter").await;
    assert_eq!(desk.message(), "No match: none");
    assert_eq!(desk.cursor(), (1, 1));
    desk.keys("/ n e e d l e Enter N").await;
    assert_eq!(desk.cursor(), (MANY + 1, 1), "the only match again");
}

#[tokio::test]
async fn a_search_of_a_long_text_is_given_up_by_escape() {
    let mut desk = long().await;
    desk.ide.press("/");
    desk.type_now("needle");
    desk.ide.press("Enter");
    desk.type_now("dd");
    desk.ide.press("Escape");
    assert_eq!(desk.message(), "Canceled");
    desk.ide.idle().await;
    assert_eq!(desk.cursor(), (1, 1));
    assert_eq!(desk.text().lines().count(), MANY + 2);
}

#[tokio::test]
async fn long_texts_are_substituted_by_a_task_as_one_step() {
    let mut desk = long().await;
    let before = desk.text();
    desk.ide.press(":");
    desk.type_now("%s/line/row/");
    desk.ide.press("Enter");
    assert_eq!(desk.text(), before, "not on the loop");
    desk.type_now("x");
    desk.ide.idle().await;
    assert_eq!(desk.text().matches("row").count(), MANY - 1, "the key that waited took one letter");
    desk.keys("u u").await;
    assert_eq!(desk.text(), before);
    desk.ide.press(":");
    desk.type_now("g/line/d");
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "needle at the end\nlast\n");
    desk.keys("u").await;
    assert_eq!(desk.text(), before);
    desk.ide.press(":");
    desk.type_now("g/line/s/é/e/");
    desk.keys("Enter").await;
    assert!(!desk.text().contains('é') && desk.message().contains("Replaced 60000"), "{}", desk.message());
    desk.keys("u").await;
    assert_eq!(desk.text(), before);
    desk.ide.press(":");
    desk.type_now("%s/absent/x/");
    desk.keys("Enter").await;
    assert_eq!(desk.message(), "No match");
}

#[tokio::test]
async fn a_substitution_can_ask_about_each_match() {
    let text = "|é a a\na b\na\n";
    for (answers, becomes, said) in [
        ("y n y y", "é X a\nX b\nX\n", "Replaced 3. Undo: one step"),
        ("n a", "é a X\nX b\nX\n", "Replaced 3. Undo: one step"),
        ("n l", "é a X\na b\na\n", "Replaced 1. Undo: one step"),
        ("y q", "é X a\na b\na\n", "Replaced 1. Undo: one step"),
        ("y Escape", "é X a\na b\na\n", "Replaced 1. Undo: one step"),
        ("n n n n", "é a a\na b\na\n", "Nothing replaced"),
    ] {
        let mut desk = desk(text).await;
        desk.type_in(":%s/a/X/gc").await;
        desk.keys("Enter").await;
        assert!(desk.picture().contains("Line 1: a → X"), "{}", desk.picture());
        desk.keys(answers).await;
        assert_eq!((desk.text().as_str(), desk.message().as_str()), (becomes, said), "{answers}");
        assert!(desk.state().layers.is_empty());
        if becomes != "é a a\na b\na\n" {
            desk.keys("u").await;
            assert_eq!(desk.text(), "é a a\na b\na\n", "{answers} are one step");
        }
    }
}

#[tokio::test]
async fn a_substitution_whose_text_changes_meanwhile_ends() {
    let mut desk = desk("|é a a a a a a\n").await;
    desk.type_in(":%s/a/X/gc").await;
    desk.keys("Enter").await;
    desk.ide.app().with_cx(|cx| {
        let area = &mut cx.state.buffers.current_mut().unwrap().area;
        let end = area.text().end();
        let edit = ChangeSet::replace(end.0, [(Byte(0)..end, "é".to_string())]);
        area.apply_foreign(Transaction::new(edit), 0);
    });
    desk.keys("n").await;
    assert_eq!(desk.message(), "Text changed meanwhile: nothing replaced");
    assert!(desk.state().layers.is_empty() && desk.text() == "é", "{}", desk.picture());
}

#[tokio::test]
async fn numbers_without_end_are_lines_that_there_are_not() {
    let mut desk = desk("one\n|two\nthree\nfour\n").await;
    for line in [
        ":99999999999999999999999d",
        ":18446744073709551615d",
        ":1,+99999999999999999999999d",
        ":+18446744073709551615d",
        ":99999999999999999999999;+d",
        ":m 18446744073709551615",
    ] {
        desk.type_in(line).await;
        desk.keys("Enter").await;
        assert_eq!(desk.message(), "No such line", "{line}");
    }
    assert_eq!(shown(&mut desk), "one\n|two\nthree\nfour\n");
    desk.type_in(":99999;?three?d").await;
    desk.keys("Enter").await;
    desk.type_in(":d 18446744073709551615").await;
    desk.keys("Enter").await;
    assert!(!desk.text().contains("four"), "{}", desk.text());
}

#[tokio::test]
async fn macro_that_presses_itself_ends_with_a_message() {
    for keys in ["q q 0 @ q q @ q", "q q : n o r m a l Space @ q Enter q @ q"] {
        let mut desk = desk("|one\ntwo\n").await;
        desk.keys(keys).await;
        assert!(desk.message().contains("Recursive macro"), "{keys}: {}", desk.message());
        desk.keys("Escape x").await;
        assert_eq!(desk.text(), "ne\ntwo\n", "{keys}");
    }
}

#[tokio::test]
async fn key_that_waits_for_a_character_changes_no_other_text() {
    for keys in ["r", "3 r", "f", "\" a d t"] {
        let mut desk = desk("|one\ntwo\n").await;
        desk.keys(keys).await;
        desk.state().panes.focus = bowline::ide::core::panes::Focus::Agent;
        desk.state().damage.all();
        desk.keys("o").await;
        assert_eq!(desk.text(), "one\ntwo\n", "{keys}");
    }
}

#[tokio::test]
async fn erasing_what_was_typed_at_several_cursors_cuts_no_character() {
    let text = "\nfn main() {}\n";
    let mut desk = Plan::new().keymap(VIM).with("a.txt", text).start().await;
    desk.keys("I Ctrl-t é Ctrl-Alt-Down").await;
    // As much as the one cursor typed is a part of a character before the other.
    for pasted in ["\u{301}", ""] {
        desk.ide.input(Input::Paste(pasted.to_string()));
        desk.keys("Alt-9 Right").await;
    }
    desk.keys("Ctrl-w").await;
    let buffer = desk.state().buffers.current_mut().unwrap();
    while buffer.area.undo().is_some() {}
    assert_eq!(buffer.area.text().to_string(), text);
}
