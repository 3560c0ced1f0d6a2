//! Messages: shown for some seconds above the status line, over neither prompt nor caret, and kept in a log.

use std::time::Duration;

use bowline::ide::core::panes::Focus;
use bowline::tui::input::{Button, MouseKind};

use crate::support::test_ide::{IdeSetup, TestIde};

fn rows(ide: &mut TestIde) -> Vec<String> {
    let picture = ide.picture();
    let rows: Vec<String> = picture.lines().skip(1).map(String::from).collect();
    rows[..rows.len() - 1].to_vec()
}

fn row_with(ide: &mut TestIde, text: &str) -> Option<usize> {
    rows(ide).iter().position(|row| row.contains(text))
}

async fn show(ide: &mut TestIde, text: &str, is_error: bool) {
    let text = text.to_string();
    ide.headless
        .app()
        .with_cx(|cx| if is_error { cx.state.set_error(text) } else { cx.state.set_status(text) });
    ide.headless.idle().await;
}

fn last_row(ide: &mut TestIde) -> String {
    rows(ide).pop().unwrap()
}

async fn long_file() -> TestIde {
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
    IdeSetup::new().with("a.txt", lines.join("\n") + "\n").size(100, 20).start().await
}

#[tokio::test]
async fn message_stands_above_prompt_for_four_seconds() {
    let mut ide = IdeSetup::new().size(80, 16).start().await;
    show(&mut ide, "It is done", false).await;
    let rows = rows(&mut ide);
    let at = rows.iter().position(|row| row.contains("It is done")).unwrap();
    assert!(rows[at + 1].contains("────") && rows[at + 2].contains("Ask anything"), "{}", ide.picture());
    assert!(rows.last().unwrap().contains("F1 palette"), "the status line keeps its content");
    ide.type_in("x").await;
    ide.advance(Duration::from_millis(3_900));
    assert!(ide.picture().contains("It is done"));
    ide.advance(Duration::from_millis(200));
    assert!(!ide.picture().contains("It is done"));
}

#[tokio::test]
async fn error_stays_until_a_key_and_a_click_closes_any_message() {
    let mut ide = IdeSetup::new().size(80, 16).start().await;
    show(&mut ide, "It failed", true).await;
    ide.advance(Duration::from_mins(1));
    assert!(ide.picture().contains("✗ It failed"));
    ide.type_in("x").await;
    assert!(!ide.picture().contains("It failed"));

    show(&mut ide, "It is done", false).await;
    let (x, y) = ide.find("It is");
    ide.mouse(MouseKind::Down(Button::Left), x, y);
    assert!(!ide.picture().contains("It is done"));
}

#[tokio::test]
async fn message_leaves_rows_of_the_caret_free() {
    let mut ide = long_file().await;
    show(&mut ide, &format!("{}finished", "word ".repeat(27)), false).await;
    let bottom = row_with(&mut ide, "finished").unwrap();
    let lines = ide.state().areas.editor.unwrap();
    assert_eq!(bottom, usize::from(lines.bottom()) - 1);
    ide.keys("Ctrl-End").await;
    let (caret, at) = (row_with(&mut ide, "   61 ").unwrap(), row_with(&mut ide, "finished").unwrap());
    assert!(at < caret, "{}", ide.picture());
}

#[tokio::test]
async fn message_of_many_lines_is_cut_but_whole_in_the_log() {
    let mut ide = long_file().await;
    show(&mut ide, &format!("first \u{1b}]0;x\u{7} {} last", "word ".repeat(200)), true).await;
    let picture = ide.picture();
    assert!(picture.contains("✗ first") && picture.contains('…') && !picture.contains("last"), "{picture}");
    assert!(!picture.contains('\u{1b}') && !picture.contains('\u{7}'));
    show(&mut ide, "It is done", false).await;
    ide.advance(Duration::from_secs(90));
    ide.keys("F1").await;
    ide.type_in("notifications").await;
    ide.keys("Enter").await;
    let picture = ide.picture();
    assert!(picture.contains("· It is done") && picture.contains("✗ first"), "{picture}");
    ide.keys("Down").await;
    ide.headless.idle().await;
    assert!(ide.picture().contains("first ␛]0;x"), "the whole text is beside the list: {}", ide.picture());
    ide.keys("Enter").await;
    let copied = ide.headless.app().ui.clipboard.clone().unwrap();
    assert!(copied.starts_with("first") && copied.ends_with("last"));
}

#[tokio::test]
async fn key_that_is_waited_for_is_asked_in_the_status_line() {
    let mut ide = IdeSetup::new().with("a.txt", "one two\n").start().await;
    ide.keys("Alt-' c").await;
    ide.advance(Duration::from_secs(30));
    let rows = rows(&mut ide);
    let (last, others) = rows.split_last().unwrap();
    let asked = ide.status_message();
    assert!(!asked.is_empty() && last.contains(&asked), "{last}");
    assert!(!others.concat().contains(&asked));
    ide.keys("a").await;
    assert!(!last_row(&mut ide).contains(&asked), "{}", ide.picture());
}

/// Rows of the screen that a message must not hide: titles and footers of lists, the row with the caret.
fn kept_rows(ide: &mut TestIde) -> Vec<usize> {
    let state = ide.state();
    let mut kept = Vec::new();
    if let Some(layer) = state.layers.last() {
        let area = layer.area(state.size);
        kept.extend([area.y, area.bottom() - 1]);
        kept.extend(layer.cursor((area.width, area.height)).map(|(_, y)| area.y + y));
    } else {
        let windows = state.visible_rows.iter().chain(&state.other_visible_rows);
        kept.extend(windows.filter_map(|shown| shown.title).map(|title| title.y));
        kept.extend(state.areas.prompt.filter(|_| state.panes.focus == Focus::Agent).map(|area| area.y));
        kept.extend(state.areas.tabs.map(|area| area.y));
        let caret = state.visible_rows.as_ref().filter(|_| state.panes.focus == Focus::Editor);
        let head = state.buffers.current().map(|buffer| buffer.area.caret());
        kept.extend(caret.and_then(|shown| Some(shown.area.y + shown.row_of(head?)?)));
    }
    kept.into_iter().map(usize::from).collect()
}

#[tokio::test]
async fn message_hides_no_title_no_footer_and_no_caret() {
    let lines: Vec<String> = (1..=60).map(|n| format!("line {n}")).collect();
    let text = lines.join("\n") + "\n";
    let screens = [
        "Alt-2",
        "Alt-2 Ctrl-End",
        "Alt-2 Alt-5 s",
        "Alt-2 Alt-5 v Ctrl-End",
        "Alt-3",
        "Ctrl-p",
        "F1",
        "F2",
        "Alt-m",
        "Alt-g",
        "Alt-r",
        "F9",
        "Ctrl-,",
        "Alt-2 x F4",
        "Alt-2 Ctrl-f",
        "Alt-2 Ctrl-End Ctrl-r",
        "Ctrl-o",
        "Alt-2 Ctrl-g",
        "Alt-2 x Ctrl-q",
    ];
    for (cols, rows) in [(80, 24), (40, 12)] {
        let mut tried = 0;
        for keys in screens {
            let setup =
                IdeSetup::new().with("a.txt", text.clone()).with("b.txt", text.clone()).size(cols, rows);
            let mut ide = setup.start().await;
            ide.keys(keys).await;
            show(&mut ide, "", false).await;
            let before: Vec<String> = ide.picture().lines().skip(1).map(String::from).collect();
            let kept = kept_rows(&mut ide);
            for message in ["Done", "It is done, and this says at length what it was and what to do"] {
                show(&mut ide, message, false).await;
                let now: Vec<String> = ide.picture().lines().skip(1).map(String::from).collect();
                assert_ne!(now, before, "{keys}: the message is shown");
                let hidden = kept.iter().find(|row| before[**row] != now[**row]);
                assert_eq!(hidden, None, "{cols}x{rows} {keys}: hidden by {message:?}:\n{}", ide.picture());
                tried += kept.len();
            }
        }
        assert!(tried > screens.len(), "{tried}");
    }
}
