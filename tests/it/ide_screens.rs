//! What the screen looks like, as pictures that a user has judged, and as colors.

use std::sync::Arc;
use std::time::Duration;

use bowline::ide::core::damage::Part;
use bowline::ide::core::state::State;
use bowline::ide::features::permissions::requests::PERMISSION_REQUESTS;
use bowline::ide::model::agent::Summarizing;
use bowline::llm::model::Thinking;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tui::headless::legend;
use bowline::tui::theme::ColorDepth;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

const LOGIN: &str = "\
impl Session {
    pub fn login(&mut self, user: &str) -> Result<Token, Error> {
        loop {
            match self.try_once(user) {
                Err(error) if error.is_fatal() => return Err(error),
                Err(_) => {}
                Ok(token) => return Ok(token),
            }
        }
    }
}
";

const ANSWER: &str = "The loop had no bound and the error was *dropped*. Now:\n\n\
    - `login` tries **three** times at most\n- it returns the last error\n\n```rust\nfor attempt in 0..3 {\n```\n";

/// What the user asks of the agent in the small project of [`plan_of_a_task`].
pub const TASK: &str = "login never stops retrying. fix it";

/// A small project with an open file, which the agent will change, and answer.
pub fn plan_of_a_task() -> IdeSetup {
    let edits = json!([{"oldText": "        loop {\n", "newText": "        for attempt in 0..3 {\n"}]);
    let turns = [
        Turn::of(vec![
            Step::Thinking("A loop without a bound.".into()),
            Step::Text(vec!["I will look first.".into()]),
            Step::Call { id: "c1".into(), name: "read".into(), arguments: json!({"path": "src/login.rs"}) },
        ]),
        Turn::call("c2", "edit", json!({"path": "src/login.rs", "edits": edits})),
        Turn::call("c3", "bash", json!({"command": "cat Cargo.toml"})),
        Turn::text(ANSWER),
    ];
    let plan =
        IdeSetup::new().file("Cargo.toml", "[package]\nname = \"login\"\n").file("README.md", "# login\n");
    let plan =
        plan.file("tests/flow.rs", "").file("src/main.rs", "fn main() {}\n").with("src/login.rs", LOGIN);
    plan.turns(turns)
}

/// A workspace with a file open and a finished task of the agent.
async fn ide_with_finished_task(cols: u16, rows: u16) -> TestIde {
    let mut ide = plan_of_a_task().size(cols, rows).start().await;
    ide.prompt(TASK).await;
    ide
}

#[tokio::test]
async fn main_screen_matches_snapshots() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut ide = ide_with_finished_task(cols, rows).await;
        ide.snap("main_agent");
        ide.keys("Alt-2").await;
        ide.snap("main_editor");
    }
}

#[tokio::test]
async fn file_tree_matches_snapshots() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut ide = ide_with_finished_task(cols, rows).await;
        ide.keys("Alt-1 Home Right").await;
        ide.keys("End").await;
        ide.snap("main_files");
    }
}

#[tokio::test]
async fn empty_start_matches_snapshots() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut ide = IdeSetup::new().size(cols, rows).start().await;
        ide.snap("empty_start");
    }
}

#[tokio::test]
async fn pickers_match_snapshots() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut ide = ide_with_finished_task(cols, rows).await;
        ide.keys("Alt-2 Ctrl-p").await;
        ide.type_in("log").await;
        ide.snap("picker_files");
        ide.keys("Escape F1").await;
        ide.type_in("file").await;
        ide.snap("picker_commands");
        ide.keys("Escape Alt-m").await;
        ide.snap("picker_models");
        ide.keys("Escape Alt-t").await;
        ide.snap("picker_tools");
        ide.keys("Escape Alt-g").await;
        ide.snap("picker_tree");
    }
}

#[tokio::test]
async fn dialogs_match_snapshots() {
    for (cols, rows) in [(80, 24), (40, 12), (20, 5)] {
        let mut ide = ide_with_finished_task(cols, rows).await;
        ide.keys("Alt-2 Ctrl-f").await;
        ide.type_in("err").await;
        ide.snap("question_find");
        ide.keys("Enter Escape").await;
        ide.type_in("x").await;
        ide.keys("Ctrl-q").await;
        ide.snap("dialog_quit");
        ide.keys("n F2").await;
        ide.type_in("line").await;
        ide.snap("picker_keys");
    }
}

#[tokio::test]
async fn approval_dialog_matches_snapshots() {
    for (cols, rows) in [(80, 24), (40, 12), (20, 5)] {
        let command = "rm -rf target/debug && cargo build --release --workspace --all-targets";
        let turns = [Turn::call("c1", "bash", json!({"command": command}))];
        let mut ide = IdeSetup::new().turns(turns).size(cols, rows).start().await;
        ide.send_prompt("build").await;
        ide.wait_for("the question", |state| !state.slots[PERMISSION_REQUESTS].is_empty()).await;
        ide.snap("dialog_approval");
        ide.headless.press("Tab");
        ide.snap("approval_with_keys");
    }
}

#[tokio::test]
async fn working_screen_matches_snapshots() {
    let turn = Turn::of(vec![Step::Text(vec!["I will look at `login` first.".into()]), Step::Gate]);
    for (cols, rows) in [(120, 40), (80, 24), (40, 12)] {
        let mut ide =
            IdeSetup::new().with("src/login.rs", LOGIN).turns([turn.clone()]).size(cols, rows).start().await;
        ide.send_prompt("login never stops retrying. fix it").await;
        ide.wait_for_text("first.").await;
        ide.type_without_settling("also add a test for it");
        ide.headless.press("Alt-Enter");
        ide.wait_for("the queue", |state| !state.agent.follow_up.is_empty()).await;
        ide.snap("main_working");
    }
}

#[tokio::test]
async fn color_depth_none_matches_snapshot() {
    let mut ide = ide_with_colors(ColorDepth::None).await;
    let legend = legend(&ide.headless.app().screen);
    assert!(!legend.contains("Rgb") && !legend.contains('#'), "{legend}");
    super::support::snaps::check_screen("colors_none", (80, 24), &legend);
}

#[tokio::test]
async fn color_depth_limits_written_colors() {
    for (depth, last) in
        [(ColorDepth::None, None), (ColorDepth::Ansi16, Some(15)), (ColorDepth::Ansi256, Some(255))]
    {
        let mut ide = ide_with_colors(depth).await;
        ide.headless.press("F5");
        let app = ide.headless.app();
        app.screen.repaint();
        app.state.damage.add_all();
        let bytes = app.frame();
        let mut terminal = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
        terminal.process(&bytes);
        let mut colors = 0;
        for (row, col) in (0..24).flat_map(|row| (0..80).map(move |col| (row, col))) {
            let cell = terminal.screen().cell(row, col).unwrap();
            for color in [cell.fgcolor(), cell.bgcolor()] {
                match color {
                    vt100::Color::Default => {}
                    vt100::Color::Idx(n) => {
                        assert!(last.is_some_and(|last| n <= last), "{depth:?}: {n}");
                        colors += 1;
                    }
                    vt100::Color::Rgb(..) => panic!("{depth:?}: a true colour"),
                }
            }
        }
        assert_eq!(colors > 0, last.is_some());
        assert!(terminal.screen().contents().contains("An answer."));
    }
}

async fn ide_with_colors(colors: ColorDepth) -> TestIde {
    let turns = [Turn::text("An **answer**.")];
    let mut ide =
        IdeSetup::new().with("a.rs", "let a = 1;\nlet b = 2;\n").turns(turns).colors(colors).start().await;
    ide.prompt("hello").await;
    ide.keys("Alt-2 Shift-Down").await;
    ide
}

#[tokio::test]
async fn status_line_updates_with_every_field() {
    let mut ide = IdeSetup::new().with("a.txt", "a\n").size(200, 24).start().await;
    let mut look = |change: fn(&mut State), right: &str| {
        change(ide.state());
        ide.state().damage.add(Part::Status);
        let picture = ide.picture();
        let line = picture.lines().rev().nth(1).unwrap();
        assert!(line.ends_with(&format!("  {right}  F1 palette │")), "{right:?} in {line}");
    };
    look(|_| {}, "on-request  script · medium");
    look(|state| state.agent.thinking = Thinking::Off, "on-request  script");
    look(|state| state.agent.thinking = Thinking::High, "on-request  script · high");
    look(|state| state.agent.context_tokens = 1_000, "on-request  script · high  ░░░░░░░░ 1.0k/128k");
    look(|state| state.agent.usage.cost.total = 0.5, "on-request  script · high  ░░░░░░░░ 1.0k/128k  $0.500");
    look(
        |state| state.agent.working_since = Some(Duration::ZERO),
        "◐  on-request  script · high  ░░░░░░░░ 1.0k/128k  $0.500",
    );
    look(|state| state.agent.spinner_frame = 1, "◓  on-request  script · high  ░░░░░░░░ 1.0k/128k  $0.500");
    let summing = |state: &mut State| {
        state.agent.summarizing = Some(Summarizing { what: "summing", is_exclusive: false });
    };
    look(summing, "◓  summing  on-request  script · high  ░░░░░░░░ 1.0k/128k  $0.500");
    look(
        |state| state.agent.approval_mode = bowline::tools::Mode::Full,
        "◓  summing  ! full access  script · high  ░░░░░░░░ 1.0k/128k  $0.500",
    );
    let renamed = |state: &mut State| {
        let model = state.agent.model.as_mut().unwrap();
        Arc::make_mut(model).name = "other".to_string();
    };
    look(renamed, "◓  summing  ! full access  other · high  ░░░░░░░░ 1.0k/128k  $0.500");
}

#[tokio::test]
async fn key_hints_match_snapshots() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut ide = ide_with_finished_task(cols, rows).await;
        ide.keys("Alt-2 Alt-, e").await;
        ide.advance(std::time::Duration::from_millis(300));
        ide.snap("key_hints");
        ide.keys("Escape").await;
        ide.headless.resize(cols, rows);
    }
}

#[tokio::test]
async fn key_hints_in_low_windows_are_paged_with_all_keys() {
    for (cols, rows) in [(40, 12), (20, 5), (20, 3), (20, 2)] {
        let mut ide = IdeSetup::new().size(cols, rows).start().await;
        ide.keys("Alt-,").await;
        ide.advance(std::time::Duration::from_millis(300));
        let keys: Vec<String> = ide.state().hints.iter().map(|(key, _)| key.clone()).collect();
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..keys.len() {
            let picture = ide.picture();
            let shown = |key: &&String| {
                picture.lines().any(|row| row.trim_start_matches(['│', ' ']).starts_with(&format!("{key}  ")))
            };
            seen.extend(keys.iter().filter(shown).cloned());
            ide.headless.press("PageDown");
        }
        assert_eq!(seen.len(), keys.len(), "{cols}x{rows}: {seen:?} of {keys:?}\n{}", ide.picture());
        ide.keys("PageUp Escape").await;
        assert!(ide.state().hints.is_empty() && ide.state().pending.is_empty());
    }
}

#[tokio::test]
async fn start_screen_without_a_model_says_how_to_connect_one() {
    for (cols, rows) in [(120, 40), (80, 24), (40, 12)] {
        let mut ide = IdeSetup::new().requested_model("demo/guide").size(cols, rows).start().await;
        ide.keys("Alt-3").await;
        let picture = ide.picture();
        assert!(picture.contains("No model is connected.") || rows < 20, "{picture}");
        assert!(picture.contains("log in, or paste an API key"), "{picture}");
        ide.snap("start_without_model");
    }
}
