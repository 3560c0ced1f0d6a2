//! Text through commands of the shell.

use crate::support::task_orders::with_task_orders;
use crate::support::test_ide::{IdeSetup, TestIde};
use bowline::ide::core::layers::dialog::Dialog;

async fn pipe(ide: &mut TestIde, keys: &str, script: &str) {
    ide.keys(&format!("{keys} Ctrl-u")).await;
    ide.type_in(script).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn shell_filter_replaces_every_selection() {
    let mut ide = IdeSetup::new().with("a.txt", "é one\nx one\r\n").start().await;
    ide.keys("Ctrl-Right Ctrl-Right Ctrl-Shift-Left Alt-j").await;
    assert_eq!(ide.selected_texts(), ["one", "one"]);
    pipe(&mut ide, "Alt-6 |", "tr a-z A-Z; echo 漢").await;
    assert_eq!(ide.text(), "é ONE漢\nx ONE漢\r\n");
    assert_eq!(ide.selected_texts(), ["ONE漢", "ONE漢"]);
    ide.keys("Ctrl-z").await;
    assert_eq!(ide.text(), "é one\nx one\r\n", "one step");
}

#[tokio::test]
async fn shell_filter_without_selection_uses_entire_text() {
    let mut ide = IdeSetup::new().with("a.txt", "b\r\na\r\n").file("c", "").start().await;
    pipe(&mut ide, "Alt-6 |", "sort").await;
    assert_eq!(ide.text(), "a\r\nb\r\n");
    ide.keys("Alt-6 |").await;
    assert!(ide.picture().contains("sort"), "the last command is offered: {}", ide.picture());
    ide.keys("Ctrl-u Enter").await;
    assert!(ide.picture().contains("Nothing typed"), "{}", ide.picture());
}

#[tokio::test]
async fn shell_filter_leaves_no_partial_crlf() {
    let mut ide = IdeSetup::new().with("a.txt", "a\r\nb").start().await;
    pipe(&mut ide, "Alt-6 |", "sort -r; :").await;
    assert_eq!(ide.text(), "b\r\na");
    ide.keys("Ctrl-Home").await;
    pipe(&mut ide, "Alt-6 !", "printf 'x\\r\\n'").await;
    assert_eq!(ide.text(), "xb\r\na");
}

#[tokio::test]
async fn shell_output_is_inserted_at_every_cursor() {
    let mut ide = IdeSetup::new().with("a.txt", "1\n2\n").file("é", "").start().await;
    ide.keys("Ctrl-Alt-Down").await;
    pipe(&mut ide, "Alt-6 !", "ls; echo").await;
    assert_eq!(ide.text(), "a.txt\né\n1\na.txt\né\n2\n");
}

#[tokio::test]
async fn shell_filter_failure_reports_and_keeps_text() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
    pipe(&mut ide, "Alt-6 |", "echo lost; echo 'first \u{1b}[31m' >&2; echo second >&2; exit 7").await;
    assert_eq!(ide.status_message(), "first ␛[31m (exit 7): nothing changed");
    pipe(&mut ide, "Alt-6 |", "printf '\\377'").await;
    assert_eq!(ide.status_message(), "Output is not UTF-8: nothing changed");
    pipe(&mut ide, "Alt-6 |", "false").await;
    assert_eq!(ide.status_message(), "the command failed and said nothing (exit 1): nothing changed");
    assert_eq!(ide.text(), "one\n");
}

#[tokio::test]
async fn shell_filter_canceled_by_escape_or_edit() {
    with_task_orders(async || {
        for keymap in ["default", "vim", "helix"] {
            let map = std::fs::read_to_string(crate::source::root().join(format!("keymaps/{keymap}.toml")))
                .unwrap();
            let mut ide = IdeSetup::new().keymap(&map).with("a.txt", "one\n").start().await;
            ide.keys("Alt-6 | Ctrl-u").await;
            ide.type_in("sleep 60").await;
            ide.headless.press("Enter");
            ide.headless.press("Escape");
            ide.headless.idle().await;
            assert_eq!(ide.status_message(), "Command ended: nothing changed", "{keymap}");
        }
        let mut ide = IdeSetup::new().with("a.txt", "one\n").start().await;
        ide.keys("Alt-6 | Ctrl-u").await;
        ide.type_in("cat; echo two").await;
        ide.headless.press("Enter");
        ide.type_without_settling("x");
        ide.headless.idle().await;
        assert_eq!(ide.text(), "xone\n");
        assert_eq!(ide.status_message(), "Text changed meanwhile: output not inserted");
    })
    .await;
}

async fn line(ide: &mut TestIde, line: &str) {
    ide.type_in(line).await;
    ide.keys("Enter").await;
}

#[tokio::test]
async fn vim_command_line_filters_line_ranges() {
    let vim = include_str!("../../keymaps/vim.toml");
    let mut ide = IdeSetup::new().keymap(vim).with("a.txt", "  é\nb\na\nlast").start().await;
    line(&mut ide, ":2,3!sort").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("  é\na\nb\nlast", (2, 1)));
    ide.keys("u").await;
    assert_eq!(ide.text(), "  é\nb\na\nlast", "one step");
    line(&mut ide, ":$!tr a-z A-Z").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("  é\nb\na\nLAST", (4, 1)));
    line(&mut ide, ":2!!").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("  é\nB\na\nLAST", (2, 1)));
    line(&mut ide, ":%!false").await;
    assert!(ide.status_message().contains("exit 1"), "{}", ide.status_message());
    assert_eq!(ide.text(), "  é\nB\na\nLAST");
    line(&mut ide, ":1!printf '  x\\!'").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("  x!\nB\na\nLAST", (1, 3)));
}

#[tokio::test]
async fn vim_command_line_reads_and_shows_command_output() {
    let vim = include_str!("../../keymaps/vim.toml");
    let plan = IdeSetup::new().keymap(vim).file("it's.txt", "x\ny\n");
    let mut ide = plan.with("a.txt", "one\r\ntwo").start().await;
    line(&mut ide, ":r !echo '  漢'; printf z").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("one\r\n  漢\r\nz\r\ntwo", (2, 3)));
    line(&mut ide, ":$r it's.txt").await;
    assert_eq!((ide.text().as_str(), ide.cursor()), ("one\r\n  漢\r\nz\r\ntwo\r\nx\r\ny", (5, 1)));
    line(&mut ide, ":r missing.txt").await;
    assert!(ide.status_message().contains("missing.txt"), "{}", ide.status_message());
    line(&mut ide, ":!echo said; echo more").await;
    let picture = ide.picture();
    assert!(picture.contains("│ said") && picture.contains("echo said; echo more"), "{picture}");
    ide.keys("Enter").await;
    line(&mut ide, ":!true").await;
    assert_eq!(ide.status_message(), "No output");
    line(&mut ide, ":!").await;
    assert_eq!(ide.status_message(), "Which command?");
    line(&mut ide, ":!echo out; echo wrong >&2; exit 3").await;
    let picture = ide.picture();
    assert!(picture.contains("│ (exit 3)") && picture.contains("│ out"), "{picture}");
    assert!(picture.contains("│ wrong"), "{picture}");
    ide.keys("Enter").await;
    line(&mut ide, ":!head -c 3000000 /dev/zero | tr '\\0' x").await;
    assert!(ide.picture().contains("it said more than 1 MB and was ended"), "{}", ide.picture());
    let Some(dialog) = ide.state().layers.top::<Dialog>() else { panic!("nothing is shown") };
    let longest = dialog.lines.iter().map(String::len).max();
    assert!(longest.is_some_and(|longest| (900..2000).contains(&longest)), "{longest:?}");
    ide.keys("Enter").await;
    assert_eq!(ide.text(), "one\r\n  漢\r\nz\r\ntwo\r\nx\r\ny");
}
