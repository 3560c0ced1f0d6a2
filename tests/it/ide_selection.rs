//! The mouse in the conversation: selecting text by drag, double and triple click, and clicks on names of files.

use std::time::Duration;

use bowline::exec::clipboard::ClipboardError;
use bowline::ide::core::keys::keymap::KeyContext;
use bowline::ide::core::panes::{AgentPart, Focus};
use bowline::ide::shell::clipboard::on_read;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tui::input::{Button, MouseKind};
use bowline::tui::theme::Theme;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

const DOWN: MouseKind = MouseKind::Down(Button::Left);
const DRAG: MouseKind = MouseKind::Drag(Button::Left);
const UP: MouseKind = MouseKind::Up(Button::Left);

const ANSWER: &str = "The **quick** brown fox jumps over the lazy dog and then it runs all the way home.\n\n\
                      - first item that is long enough to be wrapped in a narrow pane of the agent\n\
                      - second\n\n\
                      ```rust\nfn main() {\n\tprintln!(\"a line of code that is much too long for the pane\");\n}\n```\n\n\
                      | Name | Meaning |\n|---|---|\n| one | the first of the numbers that there are |\n| two | next |\n\n\
                      See `src/a.rs:2` and `src/none.rs`.";

fn text_step(text: &str) -> Step {
    Step::Text(vec![text.to_string()])
}

async fn ide_with(turns: impl IntoIterator<Item = Turn>, size: (u16, u16)) -> TestIde {
    let setup = IdeSetup::new().file("src/a.rs", "one\ntwo\n").turns(turns).size(size.0, size.1);
    setup.policy(bowline::tools::Mode::Full).start().await
}

/// Drags from the beginning of one text on the screen to the end of another, and waits for the copy.
async fn drag(ide: &mut TestIde, from: &str, to: &str) -> String {
    let (x, y) = ide.find(from);
    ide.mouse(DOWN, x, y);
    let (x, y) = ide.find(to);
    let last = x + to.chars().count() as u16 - 1;
    ide.mouse(DRAG, last, y);
    ide.mouse(UP, last, y);
    copied(ide).await
}

async fn copied(ide: &mut TestIde) -> String {
    ide.headless.idle().await;
    ide.headless.app().ui.clipboard.take().unwrap_or_default()
}

fn is_selected(ide: &mut TestIde) -> bool {
    use bowline::ide::features::transcript::view::TRANSCRIPT_VIEW;
    ide.state().slots[TRANSCRIPT_VIEW].borrow().selection.selected.is_some()
}

/// Returns whether a cell has the background of a selection.
fn is_marked(ide: &mut TestIde, x: u16, y: u16) -> bool {
    ide.headless.app().frame();
    ide.headless.app().screen.buffer()[(x, y)].style().bg == Theme::builtin().style("ui.selection").bg
}

#[tokio::test]
async fn transcript_drag_copies_wrapped_text_lists_code_and_tables_as_they_were() {
    let mut ide = ide_with([Turn::text(ANSWER)], (44, 60)).await;
    ide.prompt("tell me").await;
    let text = drag(&mut ide, "The quick", "way home.").await;
    assert_eq!(text, "The quick brown fox jumps over the lazy dog and then it runs all the way home.");
    assert_eq!(ide.status_message(), "Copied 1 line");
    let text = drag(&mut ide, "• first", "second").await;
    assert_eq!(
        text,
        "• first item that is long enough to be wrapped in a narrow pane of the agent\n• second"
    );
    let text = drag(&mut ide, "fn main", "}").await;
    let code = "fn main() {\n\tprintln!(\"a line of code that is much too long for the pane\");\n}";
    assert_eq!(text, code);
    let text = drag(&mut ide, "Name", "next").await;
    assert_eq!(text, "Name\tMeaning\none\tthe first of the numbers that there are\ntwo\tnext");
    // Within a line, and backwards.
    let (x, y) = ide.find("brown");
    ide.mouse(DOWN, x + 4, y);
    ide.mouse(DRAG, x + 1, y);
    ide.mouse(UP, x + 1, y);
    assert_eq!(copied(&mut ide).await, "rown");
    let (x, y) = ide.find("brown");
    let selected: Vec<bool> = (0..6).map(|offset| is_marked(&mut ide, x + offset, y)).collect();
    assert_eq!(selected, [false, true, true, true, true, false]);
}

#[tokio::test]
async fn transcript_drag_across_items_leaves_signs_and_margins_out() {
    let turns = [
        Turn::call("c1", "bash", json!({"command": "seq 3"})),
        Turn::text("The numbers."),
        Turn::call("c2", "edit", json!({"path": "src/a.rs", "old_text": "two", "new_text": "2 two"})),
        Turn::text("Done."),
    ];
    let mut ide = ide_with(turns, (70, 40)).await;
    ide.prompt("count").await;
    let text = drag(&mut ide, "› count", "The numbers").await;
    assert_eq!(text, "count\n\nseq 3\n1\n2\n3\n\nThe numbers");
    assert_eq!(ide.status_message(), "Copied 8 lines");
    // The key copies the selection while there is one; Escape removes it.
    ide.keys("Alt-3 Tab").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Transcript));
    ide.keys("y").await;
    assert_eq!(copied(&mut ide).await, text);
    ide.keys("Escape").await;
    assert!(!is_selected(&mut ide));
    assert!(ide.state().panes.is_agent_focused(AgentPart::Transcript));
    ide.keys("y").await;
    assert_eq!(copied(&mut ide).await, "The numbers.");
}

#[tokio::test]
async fn transcript_drag_over_diff_copies_lines_without_numbers_and_signs() {
    let turns = [
        Turn::call("c1", "read", json!({"path": "src/a.rs"})),
        Turn::call(
            "c2",
            "edit",
            json!({"path": "src/a.rs", "edits": [{"oldText": "two", "newText": "\ttwo new"}]}),
        ),
        Turn::text("Done."),
    ];
    let mut ide = ide_with(turns, (70, 40)).await;
    ide.prompt("change").await;
    assert!(ide.picture().contains("+ "), "{}", ide.picture());
    let text = drag(&mut ide, "one", "two new").await;
    assert_eq!(text, "one\ntwo\n\ttwo new");
}

#[tokio::test]
async fn transcript_double_and_triple_click_select_word_and_whole_line() {
    let mut ide = ide_with([Turn::text(ANSWER)], (44, 60)).await;
    ide.prompt("tell me").await;
    let (x, y) = ide.find("brown");
    ide.click(x + 2, y);
    assert!(!is_selected(&mut ide));
    ide.click(x + 2, y);
    assert_eq!(copied(&mut ide).await, "brown");
    ide.click(x + 2, y);
    let line = "The quick brown fox jumps over the lazy dog and then it runs all the way home.";
    assert_eq!(copied(&mut ide).await, line);
    // The fourth click is a first one again, which removes the selection and goes to the prompt.
    ide.click(x + 2, y);
    assert!(!is_selected(&mut ide) && ide.state().panes.is_agent_focused(AgentPart::Prompt));
    // A drag after a double click selects by words.
    ide.advance(Duration::from_secs(1));
    ide.click(x + 2, y);
    ide.mouse(DOWN, x + 2, y);
    let (x, y) = ide.find("jumps");
    ide.mouse(DRAG, x + 1, y);
    ide.mouse(UP, x + 1, y);
    assert_eq!(copied(&mut ide).await, "brown fox jumps");
}

#[tokio::test]
async fn transcript_drag_beyond_edge_scrolls_by_time_and_selects_what_comes() {
    let lines: String = (1..=60).map(|n| format!("line {n}\n\n")).collect::<Vec<_>>().concat();
    let mut ide = ide_with([Turn::text(&lines)], (70, 20)).await;
    ide.prompt("go").await;
    let (x, y) = ide.find("line 60");
    ide.mouse(DOWN, x + 6, y);
    ide.mouse(DRAG, x, 0);
    ide.mouse(DRAG, x, 0);
    // Events of the mouse do not scroll, time does.
    assert_eq!(ide.find("line 60"), (x, y));
    ide.advance(Duration::from_millis(50));
    assert_eq!(ide.find("line 59"), (x, y - 1));
    for _ in 0..200 {
        ide.advance(Duration::from_millis(50));
    }
    assert!(ide.picture().contains("› go"), "{}", ide.picture());
    assert_eq!(
        ide.headless.app().deadline(),
        None,
        "there is nothing more above; message: {:?}",
        ide.status_message()
    );
    ide.mouse(UP, x, 0);
    let all: String = (1..=60).map(|n| format!("\n\nline {n}")).collect::<Vec<_>>().concat();
    assert_eq!(copied(&mut ide).await, format!("go{all}"));
    // Faster the further away, down to the end.
    let (x, y) = ide.find("line 1");
    ide.mouse(DOWN, x, y);
    let area = ide.state().areas.transcript.unwrap();
    ide.mouse(DRAG, x + 6, area.bottom() + 2);
    ide.advance(Duration::from_millis(50));
    assert!(!ide.picture().contains("› go") && ide.picture().contains("line 1"), "{}", ide.picture());
    for _ in 0..200 {
        ide.advance(Duration::from_millis(50));
    }
    assert!(ide.picture().contains("line 60"), "{}", ide.picture());
    ide.mouse(UP, x + 6, area.bottom());
    assert_eq!(copied(&mut ide).await, all.trim_start());
    // Released, nothing scrolls any more; the message about the copy passes.
    ide.advance(Duration::from_secs(5));
    assert_eq!(ide.headless.app().deadline(), None);
}

#[tokio::test]
async fn transcript_selection_stays_on_its_text_while_answer_streams() {
    let rest: String = (1..=40).map(|n| format!("more {n}\n\n")).collect::<Vec<_>>().concat();
    let turn = Turn::of(vec![text_step("Keep this text.\n\nstart "), Step::Gate, text_step(&rest)]);
    let mut ide = ide_with([turn], (70, 20)).await;
    ide.send_prompt("go").await;
    ide.wait_for_text("Keep this text.").await;
    let (x, y) = ide.find("this");
    ide.mouse(DOWN, x, y);
    ide.mouse(DRAG, x + 8, y);
    ide.script.gate.add_permits(1);
    ide.wait_for("the end of the run", |state| state.agent.working_since.is_none()).await;
    // While it is held, the text stays under the mouse.
    assert_eq!(ide.find("this"), (x, y));
    ide.mouse(UP, x + 8, y);
    assert_eq!(copied(&mut ide).await, "this text");
    assert!(ide.picture().contains("more 40"), "the end is followed again\n{}", ide.picture());
    ide.keys("Ctrl-Home").await;
    ide.keys("Alt-3 Tab y").await;
    assert_eq!(copied(&mut ide).await, "this text");
    // At another width the lines are others.
    ide.headless.resize(60, 20);
    assert!(!is_selected(&mut ide), "{}", ide.picture());
}

#[tokio::test]
async fn transcript_selection_stays_when_item_above_is_folded() {
    let turns = [Turn::call("c1", "bash", json!({"command": "seq 10"})), Turn::text("Select me here.")];
    let mut ide = ide_with(turns, (70, 40)).await;
    ide.prompt("count").await;
    assert_eq!(drag(&mut ide, "Select", "me").await, "Select me");
    ide.keys("Ctrl-Up j Enter").await;
    assert!(!ide.picture().contains("… 5 more"), "{}", ide.picture());
    ide.keys("y").await;
    assert_eq!(copied(&mut ide).await, "Select me");
}

#[tokio::test]
async fn transcript_click_on_file_opens_it_at_its_line() {
    let mut ide = ide_with([Turn::text(ANSWER)], (140, 40)).await;
    ide.prompt("tell me").await;
    let (x, y) = ide.find("src/a.rs:2");
    // Beside it, and on one that does not exist, it is a click like any other.
    for (x, y) in [(x - 2, y), (x + 10, y), ide.find("src/none.rs")] {
        ide.click(x, y);
        ide.headless.idle().await;
        assert!(ide.state().buffers.current().is_none(), "{x}");
        assert!(ide.state().panes.is_agent_focused(AgentPart::Prompt));
    }
    ide.click(x + 9, y);
    ide.headless.idle().await;
    assert_eq!((ide.current_file_name().as_str(), ide.cursor()), ("a.rs", (2, 1)));
    assert_eq!(ide.state().panes.focus, Focus::Editor);
}

#[tokio::test]
async fn transcript_click_on_head_of_card_opens_path_or_folds() {
    let turns = [Turn::call("c1", "read", json!({"path": "src/a.rs"})), Turn::text("Read.")];
    let mut ide = ide_with(turns, (140, 40)).await;
    ide.prompt("read").await;
    let (x, y) = ide.find("read  src/a.rs");
    ide.click(x, y);
    ide.headless.idle().await;
    assert!(ide.picture().contains("▾ read"), "{}", ide.picture());
    assert!(ide.state().buffers.current().is_none());
    ide.click(x + 7, y);
    ide.headless.idle().await;
    assert_eq!(ide.current_file_name(), "a.rs");
    assert!(ide.picture().contains("▾ read"), "it is not folded too\n{}", ide.picture());
}

#[tokio::test]
async fn prompt_click_drag_and_several_clicks_select_as_in_the_editor() {
    let mut ide = IdeSetup::new().size(60, 24).start().await;
    ide.type_in("first words of the prompt that are wrapped in a pane of sixty").await;
    ide.keys("Ctrl-j").await;
    ide.type_in("second line").await;
    let selected = |ide: &mut TestIde| ide.state().prompt.area.selected().concat();
    let (x, y) = ide.find("words");
    ide.click(x + 2, y);
    assert_eq!(ide.state().prompt.area.selection.primary().head.0, 8);
    ide.click(x + 2, y);
    assert_eq!(selected(&mut ide), "words");
    ide.click(x + 2, y);
    assert_eq!(selected(&mut ide), "first words of the prompt that are wrapped in a pane of sixty\n");
    let (end, below) = ide.find("second");
    ide.mouse(DOWN, x, y);
    ide.mouse(DRAG, end + 6, below);
    ide.mouse(UP, end + 6, below);
    assert_eq!(selected(&mut ide), "words of the prompt that are wrapped in a pane of sixty\nsecond");
    // Beyond the end of a line the caret goes to its end, also if that is in a row below.
    ide.click(58, below);
    assert_eq!(ide.state().prompt.area.selection.primary().head, ide.state().prompt.area.text().end());
    // A press ends when the text changes: what is typed is not selected.
    ide.advance(Duration::from_secs(1));
    ide.mouse(DOWN, x, y);
    ide.type_in("my ").await;
    ide.mouse(DRAG, x + 20, y);
    assert_eq!(selected(&mut ide), "");
    assert!(ide.state().prompt.area.text().to_string().starts_with("first my words of"));
}

#[tokio::test]
async fn prompt_drag_beyond_its_rows_scrolls_long_text() {
    let mut ide = IdeSetup::new().size(60, 24).start().await;
    for n in 1..=30 {
        ide.type_in(&format!("line {n:02}")).await;
        ide.keys("Ctrl-j").await;
    }
    let (x, y) = ide.find("line 27");
    ide.mouse(DOWN, x, y);
    // Rows do not move under the mouse that is held.
    assert_eq!(ide.find("line 27"), (x, y));
    for _ in 0..40 {
        ide.mouse(DRAG, x, 0);
    }
    ide.mouse(UP, x, 0);
    let selected = ide.state().prompt.area.selected().concat();
    assert!(selected.starts_with("line 01\n") && selected.ends_with("line 26\n"), "{selected}");
    assert!(ide.picture().contains("line 01"), "{}", ide.picture());
}

#[tokio::test]
async fn clipboard_paste_arrives_later_and_only_where_it_was_asked_for() {
    let mut ide = IdeSetup::new().with("a.txt", "file\n").size(120, 30).start().await;
    let read = |ide: &mut TestIde, asked, text: Result<&str, ClipboardError>| {
        assert!(std::mem::take(&mut ide.headless.app().ui.paste_clipboard), "nothing was asked for");
        let text = text.map(str::to_string);
        ide.headless.app().with_cx(|cx| on_read(cx, asked, text));
    };
    ide.keys("Alt-3 Ctrl-v").await;
    read(&mut ide, KeyContext::Prompt, Ok("two\r\nlines"));
    assert_eq!(ide.state().prompt.area.text().to_string(), "two\nlines");
    ide.keys("Ctrl-v Alt-2").await;
    read(&mut ide, KeyContext::Prompt, Ok("rm -rf"));
    assert_eq!(ide.text(), "file\n");
    assert_eq!(ide.status_message(), "Not pasted: the keys go elsewhere now");
    let asked = ide.state().key_context();
    for (text, message) in [
        (Ok(""), "Clipboard is empty"),
        (Err(ClipboardError::NoText), "Clipboard has no text"),
        (Err(ClipboardError::TimedOut), "Cannot read the clipboard: it did not answer in time"),
    ] {
        ide.keys("Ctrl-v").await;
        read(&mut ide, asked, text);
        assert_eq!(ide.status_message(), message);
        assert_eq!(ide.text(), "file\n");
    }
    ide.keys("Ctrl-v").await;
    read(&mut ide, asked, Ok("my "));
    assert_eq!(ide.text(), "my file\n");
}

#[tokio::test]
async fn selection_ended_by_another_button_follows_the_end_again() {
    let text = (1..=80).map(|n| format!("word {n}\n\n")).collect::<Vec<_>>().concat();
    let mut ide = ide_with([Turn::text(&text)], (80, 24)).await;
    ide.prompt("go").await;
    let (x, y) = ide.find("word 80");
    ide.mouse(DOWN, x, y);
    ide.mouse(DRAG, x, y - 4);
    assert!(ide.picture().contains("more below"), "{}", ide.picture());
    let held = |ide: &mut TestIde| {
        use bowline::ide::features::transcript::view::TRANSCRIPT_VIEW;
        let view = ide.state().slots[TRANSCRIPT_VIEW].borrow();
        (view.selection.press.is_some(), view.is_at_tail())
    };
    assert_eq!(held(&mut ide), (true, false));
    ide.mouse(MouseKind::Down(Button::Middle), x, y);
    assert_eq!(held(&mut ide), (false, true));
    assert!(!ide.picture().contains("more below"), "{}", ide.picture());
}
