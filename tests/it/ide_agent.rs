//! A user and the agent at one ide: talking, interrupting, steering, allowing, going back.

use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::ide::features::permissions::requests::PERMISSION_REQUESTS;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::model::{Message, Request};
use bowline::llm::providers::scripted::{Step, Turn};
use bowline::tui::input::Input;
use serde_json::json;

use crate::support::test_ide::{IdeSetup, TestIde};

fn text_step(pieces: &[&str]) -> Step {
    Step::Text(pieces.iter().map(ToString::to_string).collect())
}

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

/// What a request carries, in one text.
fn request_text(request: &Request) -> String {
    request.messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

/// Lets the model go on over one gate.
fn open_gate(ide: &TestIde) {
    ide.script.gate.add_permits(1);
}

#[tokio::test]
async fn agent_reply_streams_while_user_edits() {
    let turn =
        Turn::of(vec![text_step(&["The **first** part.\n\n"]), Step::Gate, text_step(&["- and the rest"])]);
    let mut ide = IdeSetup::new().with("a.txt", "one\n").turns([turn]).start().await;
    ide.send_prompt("go on").await;
    ide.wait_for_text("The first part.").await;
    ide.headless.press("Alt-2");
    ide.type_without_settling("typed meanwhile ");
    let between = ide.picture();
    assert!(between.contains("typed meanwhile one") && between.contains("› go on"), "{between}");
    assert!(!between.contains("the rest"), "{between}");
    assert!(ide.state().agent.working_since.is_some());
    open_gate(&ide);
    ide.headless.idle().await;
    assert!(ide.picture().contains("and the rest"), "{}", ide.picture());
    assert_eq!(ide.text(), "typed meanwhile one\n");
}

#[tokio::test]
async fn agent_escape_aborts_reply() {
    let turns = [Turn::of(vec![text_step(&["half an answer"]), Step::Stall])];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("talk").await;
    ide.wait_for_text("half an answer").await;
    ide.keys("Escape").await;
    let picture = ide.picture();
    assert!(
        picture.contains("half an answer") && picture.to_lowercase().contains("interrupted"),
        "{picture}"
    );
    let last = ide.session().pop().unwrap();
    assert_eq!(
        (&last["message"]["role"], &last["message"]["stopReason"]),
        (&json!("assistant"), &json!("aborted"))
    );
}

#[tokio::test]
async fn agent_escape_kills_command_process_tree() {
    let turns = [bash("c1", "sleep 1000 & echo $! > pid; wait")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("run it").await;
    allow(&mut ide, "y").await;
    let path = ide.path("pid");
    ide.headless
        .until("the command", move |_| std::fs::read_to_string(&path).is_ok_and(|pid| pid.ends_with('\n')))
        .await;
    ide.keys("Escape").await;
    let pid: i32 = ide.file_text("pid").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    ide.headless
        .until("the end of the process", move |_| rustix::process::test_kill_process(pid).is_err())
        .await;
    ide.wait_for("the end of the run", |state| state.agent.working_since.is_none()).await;
    let picture = ide.picture();
    assert!(picture.contains("interrupted") && !picture.contains("Interrupting"), "{picture}");
    let roles: Vec<String> = ide.session().iter().map(|line| line["message"]["role"].to_string()).collect();
    assert!(roles.contains(&"\"toolResult\"".to_string()), "{roles:?}");
}

/// Waits for the question whether a tool may run, and answers it with a letter in the empty prompt.
async fn allow(ide: &mut TestIde, answer: &str) {
    ide.wait_for_text("wants to run").await;
    ide.advance(Duration::from_millis(400));
    ide.headless.press(answer);
    ide.advance(Duration::from_millis(650));
}

#[tokio::test]
async fn agent_enter_steers_and_alt_enter_queues() {
    let turns = [
        Turn::of(vec![text_step(&["working"]), Step::Gate, bash_call("c1", "ls")]),
        Turn::text("steered"),
        Turn::text("followed"),
    ];
    let mut ide = IdeSetup::new().turns(turns).size(120, 30).start().await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    ide.type_without_settling("later");
    ide.headless.press("Alt-Enter");
    ide.type_without_settling("steer");
    ide.headless.press("Enter");
    ide.wait_for("both queues", |state| {
        state.agent.steering == ["steer"] && state.agent.follow_up == ["later"]
    })
    .await;
    assert!(ide.picture().contains("later") && ide.picture().contains("steer"));
    open_gate(&ide);
    ide.headless.idle().await;
    let requests = ide.script.requests();
    assert_eq!(requests.len(), 3);
    let second = request_text(&requests[1]);
    assert!(second.contains("steer") && !second.contains("later"), "{second}");
    assert!(request_text(&requests[2]).contains("later"));
    assert!(ide.state().agent.steering.is_empty() && ide.state().agent.follow_up.is_empty());
}

fn bash_call(id: &str, command: &str) -> Step {
    Step::Call { id: id.into(), name: "bash".into(), arguments: json!({"command": command}) }
}

#[tokio::test]
async fn queue_recall_moves_messages_into_prompt() {
    let turns = [Turn::of(vec![text_step(&["working"]), Step::Gate])];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("begin").await;
    ide.wait_for_text("working").await;
    ide.type_without_settling("later");
    ide.headless.press("Alt-Enter");
    ide.wait_for("the queue", |state| state.agent.follow_up == ["later"]).await;
    ide.type_without_settling("draft");
    ide.headless.press("Alt-Up");
    ide.wait_for("the texts", |state| state.prompt.area.text().to_string() == "later\n\ndraft").await;
    open_gate(&ide);
    ide.headless.idle().await;
    assert_eq!(ide.script.requests().len(), 1, "what was taken back is not said");
}

#[tokio::test]
async fn approval_letter_in_empty_prompt_denies_or_allows_for_session() {
    let turns =
        [bash("c1", "touch one"), bash("c2", "touch two"), bash("c3", "touch two"), Turn::text("done")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("touch").await;
    allow(&mut ide, "n").await;
    ide.wait_for_text("touch two").await;
    ide.wait_for("the question", |state| !state.slots[PERMISSION_REQUESTS].is_empty()).await;
    ide.headless.press("Tab a");
    ide.headless.idle().await;
    assert!(!ide.path("one").exists() && ide.path("two").exists());
    assert_eq!(ide.script.requests().len(), 4, "the same command was not asked about again");
    assert!(request_text(&ide.script.requests()[1]).contains("denied by user"));
}

#[tokio::test]
async fn approval_ignores_keys_typed_into_a_file() {
    let turns = [bash("c1", "touch one"), Turn::text("done")];
    let mut ide = IdeSetup::new().with("a.txt", "\n").turns(turns).start().await;
    ide.send_prompt("touch").await;
    ide.wait_for_text("wants to run").await;
    ide.headless.press("Alt-2");
    ide.type_without_settling("yn");
    assert_eq!(ide.text(), "yn\n");
    assert!(ide.picture().contains("wants to run"));
    // Silence does not make them an answer either: the file has the keys.
    ide.advance(Duration::from_secs(2));
    ide.type_without_settling("y");
    ide.advance(Duration::from_secs(2));
    assert_eq!(ide.text(), "yny\n");
    ide.headless.press("Alt-3");
    allow(&mut ide, "y").await;
    ide.headless.idle().await;
    assert_eq!(ide.text(), "yny\n");
    assert!(ide.path("one").exists());
}

#[tokio::test]
async fn approval_with_keys_is_denied_by_escape() {
    let turns = [bash("c1", "touch one"), Turn::text("done")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("touch").await;
    ide.wait_for_text("wants to run").await;
    ide.keys("Tab Escape").await;
    assert!(!ide.path("one").exists() && ide.picture().contains("done"), "{}", ide.picture());
}

#[tokio::test]
async fn approval_required_for_write_outside_workspace() {
    let turns =
        [Turn::call("c1", "write", json!({"path": "../outside", "content": "x"})), Turn::text("done")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("write").await;
    ide.wait_for_text("file outside the workspace").await;
    allow(&mut ide, "n").await;
    ide.headless.idle().await;
    assert!(!ide.path("../outside").exists());
}

#[tokio::test]
async fn model_and_reasoning_level_switch_by_keys() {
    let mut ide = IdeSetup::new().model("other").turns([Turn::text("hi")]).start().await;
    ide.keys("Alt-3 Alt-Shift-m").await;
    ide.wait_for("the other model", |state| {
        state.agent.model.as_ref().is_some_and(|model| model.id == "other")
    })
    .await;
    ide.keys("Alt-m").await;
    ide.type_in("script").await;
    ide.keys("Enter").await;
    ide.wait_for("the first model", |state| {
        state.agent.model.as_ref().is_some_and(|model| model.id == "script")
    })
    .await;
    let before = ide.state().agent.thinking;
    ide.keys("Shift-Tab").await;
    ide.wait_for("another level", move |state| state.agent.thinking != before).await;
    let level = ide.state().agent.thinking;
    ide.prompt("hello").await;
    let request = &ide.script.requests()[0];
    assert_eq!((request.model.id.as_str(), request.thinking), ("script", level));
}

#[tokio::test]
async fn tool_disabled_in_picker_is_not_sent() {
    let mut ide = IdeSetup::new().turns([Turn::text("a"), Turn::text("b")]).start().await;
    ide.prompt("one").await;
    ide.keys("Alt-t").await;
    ide.type_in("bash").await;
    ide.keys("Tab Enter").await;
    ide.prompt("two").await;
    let names =
        |n: usize| ide.script.requests()[n].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    assert!(names(0).contains(&"bash".to_string()) && !names(1).contains(&"bash".to_string()));
    assert_eq!(names(1).len() + 1, names(0).len());
}

#[tokio::test]
async fn navigation_to_earlier_message_branches_session() {
    let mut ide = IdeSetup::new().turns(["a1", "a2", "b2"].map(Turn::text)).start().await;
    ide.prompt("first").await;
    ide.prompt("second").await;
    ide.keys("Alt-g").await;
    ide.keys("Tab").await;
    ide.wait_for_text("filter: answers").await;
    ide.keys("Home Down Enter").await;
    ide.wait_for("the way back", |state| state.slots[TRANSCRIPT].items().len() == 2).await;
    ide.prompt("other second").await;
    let third = request_text(&ide.script.requests()[2]);
    assert!(
        third.contains("first")
            && third.contains("a1")
            && !third.contains("\"second\"")
            && !third.contains("a2"),
        "{third}"
    );
    let file: String = ide.session().iter().map(ToString::to_string).collect();
    for message in ["first", "a1", "second", "a2", "other second", "b2"] {
        assert!(file.contains(&format!("\"{message}\"")), "{message}: {file}");
    }
    let mut ide = ide.restart().continue_session().start().await;
    let picture = ide.picture();
    assert!(
        picture.contains("b2") && picture.contains("other second") && !picture.contains("a2"),
        "{picture}"
    );
}

#[tokio::test]
async fn escape_twice_opens_session_tree() {
    let mut ide = IdeSetup::new().turns([Turn::text("a1")]).start().await;
    ide.prompt("first").await;
    ide.keys("Escape Escape").await;
    ide.wait_for_text("1 turn").await;
}

#[tokio::test]
async fn session_continue_restores_transcript_and_history() {
    let turns =
        [Turn::call("c1", "write", json!({"path": "new.txt", "content": "x\n"})), Turn::text("all done")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("write it").await;
    assert_eq!(ide.file_text("new.txt"), "x\n");
    let mut ide = ide.restart().continue_session().turns([Turn::text("and more")]).start().await;
    let picture = ide.picture();
    assert!(
        picture.contains("› write it") && picture.contains("new.txt") && picture.contains("all done"),
        "{picture}"
    );
    ide.prompt("go on").await;
    let request = &ide.script.requests()[0];
    let roles: Vec<&str> = request
        .messages
        .iter()
        .map(|message| match message {
            Message::User(_) => "user",
            Message::Assistant(_) => "assistant",
            Message::ToolResult(_) => "result",
        })
        .collect();
    assert_eq!(roles, ["user", "assistant", "result", "assistant", "user"]);
    ide.keys("Up Up").await;
    assert_eq!(
        ide.state().prompt.area.text().to_string(),
        "write it",
        "what was said before can be said again"
    );
}

#[tokio::test]
async fn agent_error_message_is_shown() {
    use bowline::llm::model::ErrorKind;
    let turns = [Turn::fail(ErrorKind::Authentication, "invalid x-api-key"), Turn::text("better")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("hello").await;
    assert!(ide.picture().contains("invalid x-api-key"), "{}", ide.picture());
    ide.prompt("again").await;
    assert!(ide.picture().contains("better"));
}

#[tokio::test]
async fn approval_arrives_while_quit_dialog_has_the_keys() {
    let turns = [
        Turn::of(vec![text_step(&["working"]), Step::Gate, bash_call("c1", "touch one")]),
        Turn::text("done"),
    ];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.send_prompt("go").await;
    ide.wait_for_text("working").await;
    ide.headless.press("Ctrl-q");
    assert!(ide.picture().contains("The agent is working. Quitting interrupts it."));
    open_gate(&ide);
    ide.wait_for_text("wants to run").await;
    assert!(ide.picture().contains("Quit?"), "the dialog that the user reads stays on top");
    ide.headless.press("n");
    allow(&mut ide, "y").await;
    ide.headless.idle().await;
    assert!(ide.path("one").exists() && !ide.state().quit);
}

#[tokio::test]
async fn transcript_scroll_position_stays_while_streaming() {
    let lines: Vec<String> = (1..=60).map(|n| format!("word {n}\n\n")).collect();
    let turn = Turn::of(vec![Step::Text(lines.clone()), Step::Gate, text_step(&["the end"])]);
    let mut ide = IdeSetup::new().turns([turn]).start().await;
    ide.send_prompt("count").await;
    ide.wait_for_text("word 60").await;
    ide.headless.press("PageUp");
    let before = ide.picture();
    assert!(!before.contains("word 60"), "{before}");
    open_gate(&ide);
    ide.headless.idle().await;
    let top = |picture: &str| picture.lines().skip(2).take(18).map(String::from).collect::<Vec<_>>();
    assert_eq!(top(&ide.picture()), top(&before));
    ide.keys("Ctrl-End").await;
    assert!(ide.picture().contains("the end"));
}

#[tokio::test]
async fn transcript_expands_reasoning_and_tool_output() {
    let first = Turn::of(vec![Step::Thinking("let me see about it".into()), bash_call("c1", "seq 100 120")]);
    let mut ide = IdeSetup::new().turns([first, Turn::text("done")]).size(120, 40).start().await;
    ide.prompt("count").await;
    let short = ide.picture();
    assert!(
        short.contains("∴ thought · let me see about it") && short.contains("120") && !short.contains("102"),
        "{short}"
    );
    ide.keys("Ctrl-t Ctrl-o").await;
    let whole = ide.picture();
    assert!(whole.contains("let me see about it") && whole.contains("102"), "{whole}");
    ide.keys("Ctrl-t Ctrl-o").await;
    assert_eq!(ide.picture(), short);
}

#[tokio::test]
async fn status_line_shows_percent_for_huge_token_count() {
    let turn = Turn::of(vec![text_step(&["An answer."])]);
    let mut ide = IdeSetup::new().with("a.txt", "one\n").turns([turn]).size(120, 24).start().await;
    ide.send_prompt("go on").await;
    ide.wait_for_text("An answer.").await;
    ide.state().agent.context_tokens = u64::MAX;
    ide.state().damage.add_all();
    assert!(ide.picture().contains('%'), "{}", ide.picture());
}

#[tokio::test]
async fn system_prompt_opens_read_only() {
    let mut ide = IdeSetup::new().file("AGENTS.md", "Use tabs.\n").turns([]).start().await;
    ide.wait_for("the session", |state| state.agent.connected).await;
    ide.keys("F1").await;
    ide.type_in("system prompt").await;
    ide.keys("Enter").await;
    let is_prompt = |state: &State| state.buffers.current().is_some_and(|b| b.name() == "system prompt");
    ide.wait_for("the prompt", is_prompt).await;
    let text = ide.text();
    assert!(text.contains("Use tabs.") && text.contains("profile pi\n"), "{text}");
    ide.type_in("x").await;
    assert_eq!((ide.text(), ide.status_message().contains("read-only")), (text, true));
}

/// The notification that the terminal would get, once.
fn notification(ide: &mut TestIde) -> Option<String> {
    ide.headless.app().ui.notification.take().map(|sent| sent.text)
}

#[tokio::test]
async fn notification_only_while_window_has_no_focus() {
    let turns = [Turn::text("one"), bash("c1", "touch one"), Turn::text("two")];
    let mut ide = IdeSetup::new().turns(turns).start().await;
    ide.prompt("a").await;
    assert_eq!(notification(&mut ide), None, "the user looks");
    ide.headless.input(Input::Focus(false));
    ide.send_prompt("b").await;
    ide.wait_for_text("wants to run").await;
    assert_eq!(notification(&mut ide).as_deref(), Some("The agent asks"));
    ide.keys("Tab n").await;
    assert_eq!(notification(&mut ide).as_deref(), Some("The agent is done"));
    ide.send_prompt("c").await;
    ide.headless.idle().await;
    assert_eq!(notification(&mut ide).as_deref(), Some("The agent failed"), "the script has no more turns");
    ide.headless.input(Input::Focus(true));
    assert_eq!(notification(&mut ide), None);
}
