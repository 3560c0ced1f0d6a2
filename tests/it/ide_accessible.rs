//! Accessible mode: what a screen reader finds on the screens, where the caret is, and when anything is drawn.

use std::time::Duration;

use bowline::ide::core::panes::AgentPart;
use bowline::ide::features::terminal::state::{ShellState, TERMINALS};
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use bowline::tui::plain_signs::is_ornament;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

const SIZES: [(u16, u16); 2] = [(80, 24), (40, 12)];
const CODE: &str = "fn main() {\n    // → stays\n    call(1);\n}\n";
const ANSWER: &str = "The loop had **no bound**. It has one now:\n\n- `login` tries three times\n- it returns the last error\n\n\
     > a quotation\n\n| name | value |\n|---|---|\n| one | two |\n\n```rust\nfor attempt in 0..3 {\n```\n\n- [x] done\n- [ ] open\n";

fn setup(size: (u16, u16)) -> IdeSetup {
    IdeSetup::new().accessible(true).size(size.0, size.1)
}

/// A screen with something selected in a list, or a text with the caret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caret {
    /// On the row that begins with `>`.
    Row,
    /// On the row that begins with `>`, or in a small window at the first letter of the answer.
    Answer,
    /// In a text or anywhere else.
    Any,
}

/// A workspace with a file open and a finished task of the agent that changed it.
async fn finished_task(size: (u16, u16)) -> TestIde {
    let edits = json!([{"oldText": "call(1);", "newText": "call(2);"}]);
    let turns = [
        Turn::of(vec![
            Step::Text(vec!["I will look first.".into()]),
            Step::Call { id: "c1".into(), name: "read".into(), arguments: json!({"path": "src/a.rs"}) },
        ]),
        Turn::call("c2", "edit", json!({"path": "src/a.rs", "edits": edits})),
        Turn::call("c3", "bash", json!({"command": "cat missing"})),
        Turn::text(ANSWER),
    ];
    let setup = setup(size).policy(Mode::Full).checkpoints().turns(turns);
    let mut ide =
        setup.file("README.md", "# login\n").file("docs/b.md", "b\n").with("src/a.rs", CODE).start().await;
    ide.prompt("fix the loop").await;
    ide
}

/// Shows every main screen and passes it to `check` with its name and where its caret must be.
async fn visit_screens(size: (u16, u16), check: &mut impl FnMut(&mut TestIde, &str, Caret)) {
    let mut ide = setup(size).start().await;
    check(&mut ide, "accessible_start", Caret::Any);
    let mut ide = finished_task(size).await;
    check(&mut ide, "accessible_answer", Caret::Any);
    ide.keys("Tab").await;
    assert!(ide.state().panes.is_agent_focused(AgentPart::Transcript), "{}", ide.picture());
    check(&mut ide, "accessible_transcript", Caret::Row);
    ide.keys("Alt-2").await;
    check(&mut ide, "accessible_editor", Caret::Any);
    ide.keys("F1").await;
    check(&mut ide, "accessible_palette", Caret::Any);
    ide.keys("Down").await;
    check(&mut ide, "accessible_palette_row", Caret::Row);
    ide.keys("Escape Ctrl-p").await;
    ide.type_in("md").await;
    check(&mut ide, "accessible_files_typed", Caret::Any);
    ide.keys("Down").await;
    check(&mut ide, "accessible_files", Caret::Row);
    ide.keys("Escape Alt-1 Home Right").await;
    check(&mut ide, "accessible_tree", Caret::Row);
    ide.keys("Alt-r").await;
    check(&mut ide, "accessible_review_files", Caret::Row);
    ide.keys("Enter").await;
    check(&mut ide, "accessible_review_hunk", Caret::Any);
    ide.keys("Escape Escape Alt-g").await;
    check(&mut ide, "accessible_session_tree", Caret::Row);
    ide.keys("Escape Ctrl-,").await;
    ide.type_in("screen reader").await;
    ide.keys("Down Up").await;
    check(&mut ide, "accessible_settings", Caret::Row);
    ide.keys("Escape Alt-2 End").await;
    ide.type_in("x").await;
    ide.keys("Ctrl-q").await;
    check(&mut ide, "accessible_dialog", Caret::Any);
    visit_approval(size, check).await;
    visit_terminal(size, check).await;
}

async fn visit_approval(size: (u16, u16), check: &mut impl FnMut(&mut TestIde, &str, Caret)) {
    let turns = [Turn::call("c1", "bash", json!({"command": "mkdir -p build"})), Turn::text("done")];
    let mut ide = setup(size).turns(turns).start().await;
    ide.send_prompt("build").await;
    ide.wait_for_text("wants to run").await;
    ide.advance(Duration::from_millis(400));
    check(&mut ide, "accessible_approval", Caret::Any);
    ide.headless.press("Tab");
    assert!(ide.state().panes.is_agent_focused(AgentPart::Approval));
    check(&mut ide, "accessible_approval_row", Caret::Answer);
}

async fn visit_terminal(size: (u16, u16), check: &mut impl FnMut(&mut TestIde, &str, Caret)) {
    let mut ide = setup(size).start().await;
    ide.keys("Alt-4").await;
    let is_running =
        |one: &bowline::ide::features::terminal::state::Terminal| one.shell == ShellState::Running;
    ide.wait_for("a shell", |state| state.slots[TERMINALS].active().is_some_and(is_running)).await;
    let mut shell = ide.faults.shells.lock().unwrap().pop().unwrap();
    shell.print("one → two\r\n$ ").await;
    ide.wait_for_text("$ ").await;
    check(&mut ide, "accessible_terminal", Caret::Any);
}

/// Returns the rows of the screen.
fn rows(ide: &mut TestIde) -> Vec<String> {
    let buffer = ide.headless.app().screen.buffer();
    let cols = usize::from(buffer.area.width);
    let row =
        |cells: &[ratatui::buffer::Cell]| cells.iter().map(ratatui::buffer::Cell::symbol).collect::<String>();
    buffer.content.chunks(cols).map(row).collect()
}

#[tokio::test]
async fn accessible_screens_match_snapshots() {
    for size in SIZES {
        Box::pin(visit_screens(size, &mut |ide, name, _| ide.snap(name))).await;
    }
}

#[tokio::test]
async fn accessible_screens_have_no_ornaments_but_those_of_the_user() {
    for size in SIZES.into_iter().chain([(160, 50)]) {
        let mut seen = 0;
        Box::pin(visit_screens(size, &mut |ide, name, _| {
            for row in rows(ide) {
                let is_own = row.contains("→ stays") || row.contains("one → two");
                seen += usize::from(is_own);
                assert!(is_own || !row.chars().any(is_ornament), "{name}: {row}\n{}", ide.picture());
            }
        }))
        .await;
        assert!(seen >= 2, "texts of the user are shown as they are");
    }
}

#[tokio::test]
async fn accessible_caret_is_always_shown_and_on_the_selected_row() {
    for size in SIZES {
        Box::pin(visit_screens(size, &mut |ide, name, caret| {
            let at = ide.headless.app().screen.cursor();
            let (x, y) = at.unwrap_or_else(|| panic!("{name} has no caret:\n{}", ide.picture()));
            let cell = rows(ide)[usize::from(y)].chars().nth(usize::from(x));
            let is_meant = match caret {
                Caret::Row => cell == Some('>'),
                Caret::Answer => matches!(cell, Some('>' | 'y')),
                Caret::Any => true,
            };
            assert!(is_meant, "{name}: {cell:?}\n{}", ide.picture());
        }))
        .await;
    }
}

/// All words on the screen, whatever rows they are on.
fn words(ide: &mut TestIde) -> String {
    let picture = ide.picture();
    let rows = picture.lines().map(|line| line.trim_matches(['│', ' ', '▸']));
    rows.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn accessible_screen_shows_one_pane_with_title_and_announcement() {
    let mut ide = finished_task((160, 50)).await;
    let first_and_last = |ide: &mut TestIde| {
        let rows = rows(ide);
        (rows[0].trim_end().to_string(), rows.last().unwrap().trim_end().to_string())
    };
    let agent = first_and_last(&mut ide);
    assert_eq!(agent, ("Agent, finished: fix the loop".into(), "The agent finished".into()));
    ide.keys("Alt-2").await;
    assert_eq!(first_and_last(&mut ide).0, "Editor: src/a.rs, 5 lines");
    ide.type_in("x").await;
    assert_eq!(first_and_last(&mut ide).0, "Editor: src/a.rs, 5 lines, modified");
    ide.keys("Ctrl-s").await;
    assert!(first_and_last(&mut ide).1.starts_with("Saved"), "{}", ide.picture());
    ide.advance(Duration::from_mins(1));
    ide.keys("Right").await;
    assert!(first_and_last(&mut ide).1.starts_with("Saved"), "it stays until the next: {}", ide.picture());
    ide.keys("Ctrl-s Ctrl-s").await;
    assert!(first_and_last(&mut ide).1.ends_with("times)"), "the same again differs: {}", ide.picture());
    ide.keys("Alt-x").await;
    ide.type_in("show position").await;
    ide.keys("Enter").await;
    let said = words(&mut ide);
    assert!(said.contains("Line 1 of 5, column 3. Editor: src/a.rs, 5 lines. Agent, finished"), "{said}");
    assert!(said.contains("Approval: full"), "{said}");
    for (keys, selected) in
        [("Shift-Right", "1 character selected"), ("Shift-Down Shift-Down", "3 lines selected")]
    {
        ide.keys(keys).await;
        ide.keys("Alt-x").await;
        ide.type_in("show position").await;
        ide.keys("Enter").await;
        let said = words(&mut ide);
        assert!(said.contains(selected), "{said}");
    }
    ide.keys("Alt-1").await;
    assert_eq!(first_and_last(&mut ide).0.trim(), "Files: work");
    ide.keys("F6 F6").await;
    assert!(first_and_last(&mut ide).0.starts_with("Agent, finished"), "{}", ide.picture());
}

#[tokio::test]
async fn accessible_working_agent_without_output_draws_nothing() {
    let text = |text: &str| Step::Text(vec![text.to_string()]);
    let turn = Turn::of(vec![text("One is done."), Step::Gate, text("And the rest")]);
    let mut ide = setup((80, 24)).turns([turn]).start().await;
    ide.send_prompt("count").await;
    ide.wait_for_text("One is done.").await;
    ide.headless.handle_ready(100).await;
    let picture = ide.picture();
    assert!(picture.contains("Agent, working"), "{picture}");
    ide.headless.take_output();
    for _ in 0..20 {
        ide.advance(Duration::from_millis(250));
        ide.headless.tick();
    }
    let drawn = ide.headless.take_output();
    assert!(drawn.is_empty(), "drawn without anything new: {:?}", String::from_utf8_lossy(&drawn));
    ide.script.gate.add_permits(1);
    ide.headless.idle().await;
    assert!(ide.picture().contains("And the rest"), "{}", ide.picture());
}

#[tokio::test]
async fn accessible_idle_screen_draws_nothing_as_time_passes() {
    let mut ide = finished_task((80, 24)).await;
    ide.keys("Alt-2 Right").await;
    ide.headless.take_output();
    for _ in 0..60 {
        ide.advance(Duration::from_secs(1));
        ide.headless.tick();
    }
    let drawn = ide.headless.take_output();
    assert!(drawn.is_empty(), "{:?}", String::from_utf8_lossy(&drawn));
}

#[tokio::test]
async fn accessible_setting_takes_effect_at_once() {
    let mut ide = IdeSetup::new().with("a.txt", "one\n").size(100, 30).start().await;
    assert!(ide.picture().contains("│ "), "{}", ide.picture());
    ide.keys("Ctrl-,").await;
    ide.type_in("screen reader").await;
    ide.keys("Enter Escape").await;
    ide.headless.idle().await;
    let all = rows(&mut ide);
    assert!(!all.iter().any(|row| row.chars().any(is_ornament)), "{}", ide.picture());
    ide.keys("Ctrl-,").await;
    ide.type_in("screen reader").await;
    ide.keys("Enter Escape").await;
    ide.headless.idle().await;
    assert!(rows(&mut ide).iter().any(|row| row.contains('│')), "{}", ide.picture());
}

#[tokio::test]
async fn accessible_prefix_announces_the_keys_that_follow() {
    let mut ide = finished_task((160, 50)).await;
    ide.headless.press("Alt-0");
    ide.advance(Duration::from_millis(400));
    ide.headless.tick();
    let all = rows(&mut ide);
    let list =
        all.iter().position(|row| row.starts_with("Alt-0 then:")).unwrap_or_else(|| panic!("{all:#?}"));
    let keys: Vec<&str> = all[list + 1..].iter().map(|row| row.trim_end()).collect();
    assert!(keys.len() > 1 && keys.iter().all(|row| !row.is_empty()), "{keys:?}");
    assert!(keys.contains(&"r Reload file from disk"), "each key is in a row of its own: {keys:?}");
    ide.keys("Escape").await;
    assert!(rows(&mut ide).pop().unwrap().starts_with("The agent finished"), "{}", ide.picture());
}

#[tokio::test]
async fn accessible_prefix_pages_through_keys_in_low_window() {
    let mut ide = setup((40, 12)).start().await;
    ide.headless.press("Alt-,");
    ide.advance(Duration::from_millis(400));
    ide.headless.tick();
    let pages = |ide: &mut TestIde| {
        let all = rows(ide);
        let list =
            all.iter().position(|row| row.starts_with("Alt-, then: ")).unwrap_or_else(|| panic!("{all:#?}"));
        all[list..].iter().map(|row| row.trim_end().to_string()).collect::<Vec<_>>()
    };
    let first = pages(&mut ide);
    assert_eq!(first[0], "Alt-, then: 1/2 PageDown");
    ide.headless.press("PageDown");
    let second = pages(&mut ide);
    assert_eq!(second[0], "Alt-, then: 2/2 PageDown");
    assert!(second[1..].iter().all(|row| !first.contains(row)), "{first:?} {second:?}");
    ide.headless.press("PageUp");
    assert_eq!(pages(&mut ide), first);
    ide.headless.press("PageUp");
    assert_eq!(pages(&mut ide), second, "before the first is the last");
}

#[tokio::test]
async fn accessible_long_announcement_is_wrapped_and_moves_the_pane_up() {
    let mut ide = setup((40, 12)).with("a.txt", "one\n").start().await;
    let text = "The first words of a message, and then so many more that one row of forty columns has no room for it. END";
    ide.headless.app().state.set_error(text);
    ide.picture();
    let all = rows(&mut ide);
    let said: Vec<&str> =
        all.iter().map(|row| row.trim_end()).skip_while(|row| !row.starts_with("Error: ")).collect();
    assert_eq!(said.join(" "), format!("Error: {text}"));
    assert!(said.len() == 3, "{all:#?}");
    ide.headless.app().state.set_error("word ".repeat(200));
    ide.picture();
    let all = rows(&mut ide);
    assert!(
        all[0].starts_with("Editor") && all[11].trim_end().ends_with('…'),
        "half of the window at most: {all:#?}"
    );
    assert!(all[6].starts_with("Error: word"), "{all:#?}");
    ide.headless.app().state.set_status("short");
    ide.picture();
    assert!(rows(&mut ide)[11].starts_with("short"));
    ide.headless.resize(20, 5);
    ide.headless.app().state.set_error("word ".repeat(200));
    ide.picture();
    let all = rows(&mut ide);
    assert!(all[3].starts_with("Error: word") && all[2].len() == 20, "{all:#?}");
}

#[tokio::test]
async fn accessible_start_names_the_keys_that_lead_on() {
    let setup = IdeSetup::new().with("a.txt", "one\n").size(80, 24).accessible(true);
    let mut ide = setup.start().await;
    let said = words(&mut ide);
    assert!(said.contains("F1 lists commands, F6 goes to the next pane, Alt-3 to the prompt"), "{said}");
    ide.type_in("x").await;
    ide.keys("Ctrl-s").await;
    assert!(words(&mut ide).contains("Saved"), "the next message replaces it");
}
