//! Cards of tool calls in the conversation.

use std::time::Duration;

use bowline::ide::core::panes::AgentPart;
use bowline::ide::features::questions::view::QuestionsView;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tools::Mode;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

const SECOND: Duration = Duration::from_secs(1);

fn call(tool: &str, args: serde_json::Value) -> Turn {
    Turn::call("c1", tool, args)
}

/// The row of the screen with a text.
fn row(ide: &mut TestIde, text: &str) -> String {
    let picture = ide.picture();
    let row = picture.lines().find(|row| row.contains(text));
    row.unwrap_or_else(|| panic!("no {text:?} in\n{picture}")).to_string()
}

#[tokio::test]
async fn card_of_command_counts_seconds_that_it_runs() {
    let command = "mkdir new; echo begun; until [ -e go ]; do sleep 0.01; done; exit 3";
    let turns = [call("bash", json!({"command": command})), Turn::text("done")];
    let mut ide = IdeSetup::new().turns(turns).size(100, 24).start().await;
    ide.send_prompt("go").await;
    ide.wait_for_text("wants to run").await;
    ide.advance(SECOND * 60);
    assert!(row(&mut ide, "▸ bash").contains('◦'), "{}", ide.picture());
    if !ide.state().panes.is_agent_focused(AgentPart::Approval) {
        ide.headless.press("Tab");
    }
    ide.headless.press("y");
    ide.wait_for_text("begun").await;
    ide.advance(SECOND);
    assert!(row(&mut ide, "▸ bash").contains("◦ 1 s"), "{}", ide.picture());
    ide.advance(SECOND * 2);
    assert!(row(&mut ide, "▸ bash").contains("◦ 3 s"), "{}", ide.picture());
    ide.write_file("go", "");
    ide.headless.idle().await;
    assert!(row(&mut ide, "▾ bash").contains("✗ exit 3"), "{}", ide.picture());
    assert_eq!(ide.state().slots[TRANSCRIPT].time_deadline(), None, "nothing is due while nothing runs");
}

#[tokio::test]
async fn card_fold_line_names_key_of_keymap() {
    let turns = [call("bash", json!({"command": "seq 1 400"})), Turn::text("done")];
    let keymap = "base = \"default\"\n[prompt]\n\"Ctrl-o\" = \"agent.toggle-thinking\"\n\"Alt-o\" = \"agent.toggle-output\"\n";
    let setup = IdeSetup::new().turns(turns).policy(Mode::Full).keymap(keymap);
    let mut ide = setup.start().await;
    ide.prompt("go").await;
    row(&mut ide, "… 395 more · Alt-o");
}

#[tokio::test]
async fn card_of_search_lists_hits_to_open() {
    let many = (1..=7).map(|n| format!("needle {n}\n")).collect::<Vec<_>>().concat();
    let turns = [call("grep", json!({"pattern": "needle", "path": "src"})), Turn::text("done")];
    let setup = IdeSetup::new().file("src/a.txt", many).file("src/b/c.txt", "x\nneedle\n");
    let mut ide = setup.tools(&["grep"]).turns(turns).size(100, 24).start().await;
    ide.prompt("go").await;
    assert!(row(&mut ide, "▾ grep").contains("8 hits ✓"), "{}", ide.picture());
    row(&mut ide, "  a.txt:1  needle 1");
    row(&mut ide, "… 3 more · Ctrl-o");
    ide.keys("Alt-3 Tab k o").await;
    assert!(ide.picture().contains("src/a.txt:7"), "{}", ide.picture());
    ide.type_in("c.txt").await;
    ide.keys("Enter").await;
    assert_eq!(ide.cursor(), (2, 1), "{}", ide.picture());
    assert_eq!(ide.current_file_name(), "c.txt");
}

#[tokio::test]
async fn card_of_read_and_write_count_lines() {
    let lines = |count: usize| (1..=count).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let read = |id: &str, args| Turn::call(id, "read", args);
    let turns = [
        read("c1", json!({"path": "long.txt"})),
        read("c2", json!({"path": "long.txt", "offset": 3, "limit": 4})),
        Turn::call("c3", "write", json!({"path": "new.rs", "content": lines(120)})),
        Turn::text("done"),
    ];
    let setup = IdeSetup::new().file("long.txt", lines(12)).turns(turns).size(100, 30);
    let mut ide = setup.start().await;
    ide.prompt("go").await;
    assert!(row(&mut ide, "read  long.txt  ").contains("12 lines ✓"), "{}", ide.picture());
    assert!(row(&mut ide, "read  long.txt 3-6").contains("3-6 of 12 ✓"), "{}", ide.picture());
    assert!(row(&mut ide, "▾ write  new.rs").contains("new file · 120 lines ✓"), "{}", ide.picture());
    row(&mut ide, " 10 + line 10");
    row(&mut ide, "… 110 more · Ctrl-o");
}

#[tokio::test]
async fn card_of_question_shows_answer() {
    let question = json!({"question": "Which color?", "options": ["red", "blue"]});
    let turns = [call("ask_user", question), Turn::text("done")];
    let mut ide = IdeSetup::new().tools(&["ask_user"]).turns(turns).size(100, 30).start().await;
    ide.send_prompt("go").await;
    ide.wait_for("the question", |state| state.layers.top::<QuestionsView>().is_some()).await;
    ide.advance(SECOND * 30);
    ide.keys("Down Enter").await;
    ide.headless.idle().await;
    let head = row(&mut ide, "▾ ask_user  Which color?");
    assert!(head.contains('✓') && !head.contains(" s"), "a question has no time: {head}");
    row(&mut ide, "   blue");
}

#[tokio::test]
async fn card_of_subagent_counts_and_opens_its_conversation() {
    let until = |file: &str| format!("until [ -e {file} ]; do sleep 0.01; done");
    let bash = |id: &str, command: String| Step::Call {
        id: id.into(),
        name: "bash".into(),
        arguments: json!({"command": command}),
    };
    let spawn = Step::Call {
        id: "c1".into(),
        name: "spawn_agent".into(),
        arguments: json!({"task": "look at tests"}),
    };
    let turns = [
        Turn::of(vec![spawn, bash("c2", until("go"))]),
        Turn::of(vec![bash("d1", format!("echo child-$((1+1)); {}", until("go1")))]),
        Turn::text("Looked at it."),
        Turn::text("all done"),
    ];
    let setup = IdeSetup::new().tools(&["spawn_agent", "bash"]).policy(Mode::Full).turns(turns);
    let mut ide = setup.size(120, 30).start().await;
    ide.send_prompt("go").await;
    ide.wait_for_text("· 1 call ·").await;
    ide.advance(SECOND * 3);
    let card = row(&mut ide, "▸ spawn_agent  look at tests · 1 call · ");
    assert!(card.contains(" · 3 s · echo child-") && card.contains('◦'), "{card}");
    ide.headless.press("Alt-3");
    ide.headless.press("Tab");
    while !row(&mut ide, "spawn_agent").contains('▎') {
        ide.headless.press("k");
    }
    ide.headless.press("Enter");
    ide.wait_for_text("child-2").await;
    row(&mut ide, "‹ look at tests · read-only");
    assert!(!ide.picture().contains("▸ spawn_agent"), "{}", ide.picture());
    ide.headless.press("b");
    assert!(ide.status_message().contains("read-only"));
    ide.write_file("go1", "");
    ide.wait_for_text("Looked at it.").await;
    ide.headless.press("Escape");
    let card = row(&mut ide, "spawn_agent  look at tests · 1 call");
    assert!(card.contains(" · 3 s · echo") && card.contains('✓'), "{card}");
    let (col, line) = ide.find("look at tests");
    ide.click(col, line);
    row(&mut ide, "‹ look at tests · read-only");
    ide.headless.press("q");
    ide.write_file("go", "");
    ide.wait_for_text("all done").await;
    ide.keys("Alt-3").await;
    ide.type_in("@look").await;
    assert!(ide.picture().contains("look at tests  subagent"), "{}", ide.picture());
}

#[tokio::test]
async fn plan_is_pinned_above_prompt_until_finished() {
    let plan = |id: &str, bound: &str, test: &str| {
        let steps = json!([{"step": "Read it", "status": "completed"},
            {"step": "Bound the loop", "status": bound}, {"step": "Test it", "status": test}]);
        Turn::call(id, "plan", json!({"steps": steps}))
    };
    let turns = [
        plan("p1", "in_progress", "pending"),
        Turn::text("so far"),
        plan("p2", "completed", "completed"),
        Turn::text("finished"),
    ];
    let mut ide = IdeSetup::new().tools(&["plan"]).turns(turns).size(100, 30).start().await;
    ide.prompt("go").await;
    let (_, line) = ide.find("1/3 · Bound the loop");
    let (_, prompt) = ide.find("Ask anything");
    assert_eq!(line + 1, prompt, "{}", ide.picture());
    ide.prompt("go on").await;
    assert!(!ide.picture().contains("/3 · "), "{}", ide.picture());
}

#[tokio::test]
async fn changed_model_is_one_quiet_line() {
    let mut ide = IdeSetup::new().model("other").turns([Turn::text("hi")]).size(100, 30).start().await;
    ide.prompt("go").await;
    ide.keys("Alt-Shift-m").await;
    ide.wait_for_text("· Model: other").await;
}
