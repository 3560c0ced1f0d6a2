//! Text through commands of the shell.

use crate::support::desk::{Desk, Plan};

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
    assert!(desk.picture().contains("nothing typed"), "{}", desk.picture());
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
    assert_eq!(desk.message(), "first ␛[31m (exit 7); nothing is changed");
    pipe(&mut desk, "Alt-6 |", "printf '\\377'").await;
    assert_eq!(desk.message(), "the command's output is no UTF-8; nothing is changed");
    pipe(&mut desk, "Alt-6 |", "false").await;
    assert_eq!(desk.message(), "the command failed and said nothing (exit 1); nothing is changed");
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
        assert_eq!(desk.message(), "the command was ended; nothing is changed", "{keymap}");
    }
    let mut desk = Plan::new().with("a.txt", "one\n").start().await;
    desk.keys("Alt-6 | Ctrl-u").await;
    desk.type_in("cat; echo two").await;
    desk.ide.press("Enter");
    desk.type_now("x");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "xone\n");
    assert_eq!(desk.message(), "the text was edited while the command ran: its output is not put in");
}
