//! Text through commands of the shell.

use crate::support::desk::{Desk, Plan};
use bowline::ide::core::layers::dialog::Dialog;

async fn pipe(desk: &mut Desk, keys: &str, script: &str) {
    desk.keys(&format!("{keys} Ctrl-u")).await;
    desk.type_in(script).await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn every_selection_goes_through_the_command() {
    let mut desk = Plan::new().with("a.txt", "é one\nx one\r\n").start().await;
    desk.keys("Ctrl-Right Ctrl-Right Ctrl-Shift-Left Alt-j").await;
    assert_eq!(desk.selected(), ["one", "one"]);
    pipe(&mut desk, "Alt-6 |", "tr a-z A-Z; echo 漢").await;
    assert_eq!(desk.text(), "é ONE漢\nx ONE漢\r\n");
    assert_eq!(desk.selected(), ["ONE漢", "ONE漢"]);
    desk.keys("Ctrl-z").await;
    assert_eq!(desk.text(), "é one\nx one\r\n", "one step");
}

#[tokio::test]
async fn the_whole_text_goes_where_nothing_is_selected() {
    let mut desk = Plan::new().with("a.txt", "b\r\na\r\n").file("c", "").start().await;
    pipe(&mut desk, "Alt-6 |", "sort").await;
    assert_eq!(desk.text(), "a\r\nb\r\n");
    desk.keys("Alt-6 |").await;
    assert!(desk.picture().contains("sort"), "the last command is offered: {}", desk.picture());
    desk.keys("Ctrl-u Enter").await;
    assert!(desk.picture().contains("Nothing typed"), "{}", desk.picture());
}

#[tokio::test]
async fn no_half_of_a_line_end_is_left_where_the_last_line_has_none() {
    let mut desk = Plan::new().with("a.txt", "a\r\nb").start().await;
    pipe(&mut desk, "Alt-6 |", "sort -r; :").await;
    assert_eq!(desk.text(), "b\r\na");
    desk.keys("Ctrl-Home").await;
    pipe(&mut desk, "Alt-6 !", "printf 'x\\r\\n'").await;
    assert_eq!(desk.text(), "xb\r\na");
}

#[tokio::test]
async fn output_is_put_in_at_every_cursor() {
    let mut desk = Plan::new().with("a.txt", "1\n2\n").file("é", "").start().await;
    desk.keys("Ctrl-Alt-Down").await;
    pipe(&mut desk, "Alt-6 !", "ls; echo").await;
    assert_eq!(desk.text(), "a.txt\né\n1\na.txt\né\n2\n");
}

#[tokio::test]
async fn a_command_that_fails_changes_nothing_and_says_why() {
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    pipe(&mut desk, "Alt-6 |", "echo lost; echo 'first \u{1b}[31m' >&2; echo second >&2; exit 7").await;
    assert_eq!(desk.message(), "first ␛[31m (exit 7): nothing changed");
    pipe(&mut desk, "Alt-6 |", "printf '\\377'").await;
    assert_eq!(desk.message(), "Output is not UTF-8: nothing changed");
    pipe(&mut desk, "Alt-6 |", "false").await;
    assert_eq!(desk.message(), "the command failed and said nothing (exit 1): nothing changed");
    assert_eq!(desk.text(), "one\n");
}

#[tokio::test]
async fn escape_ends_the_command_and_edits_meanwhile_refuse_its_output() {
    for keymap in ["default", "vim", "helix"] {
        let map =
            std::fs::read_to_string(crate::source::root().join(format!("keymaps/{keymap}.toml"))).unwrap();
        let mut desk = Plan::new().keymap(&map).with("a.txt", "one\n").start().await;
        desk.keys("Alt-6 | Ctrl-u").await;
        desk.type_in("sleep 60").await;
        desk.ide.press("Enter");
        desk.ide.press("Escape");
        desk.ide.idle().await;
        assert_eq!(desk.message(), "Command ended: nothing changed", "{keymap}");
    }
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.keys("Alt-6 | Ctrl-u").await;
    desk.type_in("cat; echo two").await;
    desk.ide.press("Enter");
    desk.type_now("x");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "xone\n");
    assert_eq!(desk.message(), "Text changed meanwhile: output not inserted");
}

async fn line(desk: &mut Desk, line: &str) {
    desk.type_in(line).await;
    desk.keys("Enter").await;
}

#[tokio::test]
async fn command_lines_send_lines_through_commands() {
    let vim = include_str!("../../keymaps/vim.toml");
    let mut desk = Plan::new().keymap(vim).with("a.txt", "  é\nb\na\nlast").start().await;
    line(&mut desk, ":2,3!sort").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("  é\na\nb\nlast", (2, 1)));
    desk.keys("u").await;
    assert_eq!(desk.text(), "  é\nb\na\nlast", "one step");
    line(&mut desk, ":$!tr a-z A-Z").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("  é\nb\na\nLAST", (4, 1)));
    line(&mut desk, ":2!!").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("  é\nB\na\nLAST", (2, 1)));
    line(&mut desk, ":%!false").await;
    assert!(desk.message().contains("exit 1"), "{}", desk.message());
    assert_eq!(desk.text(), "  é\nB\na\nLAST");
    line(&mut desk, ":1!printf '  x\\!'").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("  x!\nB\na\nLAST", (1, 3)));
}

#[tokio::test]
async fn command_lines_read_and_show_what_commands_say() {
    let vim = include_str!("../../keymaps/vim.toml");
    let plan = Plan::new().keymap(vim).file("it's.txt", "x\ny\n");
    let mut desk = plan.with("a.txt", "one\r\ntwo").start().await;
    line(&mut desk, ":r !echo '  漢'; printf z").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("one\r\n  漢\r\nz\r\ntwo", (2, 3)));
    line(&mut desk, ":$r it's.txt").await;
    assert_eq!((desk.text().as_str(), desk.cursor()), ("one\r\n  漢\r\nz\r\ntwo\r\nx\r\ny", (5, 1)));
    line(&mut desk, ":r missing.txt").await;
    assert!(desk.message().contains("missing.txt"), "{}", desk.message());
    line(&mut desk, ":!echo said; echo more").await;
    let picture = desk.picture();
    assert!(picture.contains("│ said") && picture.contains("echo said; echo more"), "{picture}");
    desk.keys("Enter").await;
    line(&mut desk, ":!true").await;
    assert_eq!(desk.message(), "No output");
    line(&mut desk, ":!").await;
    assert_eq!(desk.message(), "Which command?");
    line(&mut desk, ":!echo out; echo wrong >&2; exit 3").await;
    let picture = desk.picture();
    assert!(picture.contains("│ (exit 3)") && picture.contains("│ out"), "{picture}");
    assert!(picture.contains("│ wrong"), "{picture}");
    desk.keys("Enter").await;
    line(&mut desk, ":!head -c 3000000 /dev/zero | tr '\\0' x").await;
    assert!(desk.picture().contains("it said more than 1 MB and was ended"), "{}", desk.picture());
    let Some(dialog) = desk.state().layers.top::<Dialog>() else { panic!("nothing is shown") };
    let longest = dialog.lines.iter().map(String::len).max();
    assert!(longest.is_some_and(|longest| (900..2000).contains(&longest)), "{longest:?}");
    desk.keys("Enter").await;
    assert_eq!(desk.text(), "one\r\n  漢\r\nz\r\ntwo\r\nx\r\ny");
}
