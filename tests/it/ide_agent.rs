//! A user and the agent at one desk: talking, interrupting, steering, allowing, going back.

use std::time::Duration;

use bowline::ide::core::state::State;
use bowline::ide::features::transcript::items::TRANSCRIPT;
use bowline::llm::model::{Message, Request};
use bowline::llm::providers::scripted::{Step, Turn};
use serde_json::json;

use crate::support::desk::{Desk, Plan};

fn text(pieces: &[&str]) -> Step {
    Step::Text(pieces.iter().map(ToString::to_string).collect())
}

fn bash(id: &str, command: &str) -> Turn {
    Turn::call(id, "bash", json!({"command": command}))
}

/// What a request carries, in one text.
fn said(request: &Request) -> String {
    request.messages.iter().map(|message| serde_json::to_string(message).unwrap() + "\n").collect()
}

/// Lets the model go on over one gate.
fn open_gate(desk: &Desk) {
    desk.script.gate.add_permits(1);
}

#[tokio::test]
async fn an_answer_streams_in_while_the_person_types() {
    let turn = Turn::of(vec![text(&["The **first** part.\n\n"]), Step::Gate, text(&["- and the rest"])]);
    let mut desk = Plan::new().with("a.txt", "one\n").turns([turn]).start().await;
    desk.say("go on").await;
    desk.shows("The first part.").await;
    desk.ide.press("Alt-2");
    desk.type_now("typed meanwhile ");
    let between = desk.picture();
    assert!(between.contains("typed meanwhile one") && between.contains("› go on"), "{between}");
    assert!(!between.contains("the rest"), "{between}");
    assert!(desk.state().agent.working_since.is_some());
    open_gate(&desk);
    desk.ide.idle().await;
    assert!(desk.picture().contains("and the rest"), "{}", desk.picture());
    assert_eq!(desk.text(), "typed meanwhile one\n");
}

#[tokio::test]
async fn escape_interrupts_an_answer() {
    let turns = [Turn::of(vec![text(&["half an answer"]), Step::Stall])];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.say("talk").await;
    desk.shows("half an answer").await;
    desk.keys("Escape").await;
    let picture = desk.picture();
    assert!(
        picture.contains("half an answer") && picture.to_lowercase().contains("interrupted"),
        "{picture}"
    );
    let last = desk.session().pop().unwrap();
    assert_eq!(
        (&last["message"]["role"], &last["message"]["stopReason"]),
        (&json!("assistant"), &json!("aborted"))
    );
}

#[tokio::test]
async fn escape_ends_a_command_with_everything_that_it_started() {
    let turns = [bash("c1", "sleep 1000 & echo $! > pid; wait")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.say("run it").await;
    allow(&mut desk, "y").await;
    let path = desk.path("pid");
    desk.ide
        .until("the command", move |_| std::fs::read_to_string(&path).is_ok_and(|pid| pid.ends_with('\n')))
        .await;
    desk.keys("Escape").await;
    let pid: i32 = desk.disk("pid").trim().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    desk.ide.until("the end of the process", move |_| rustix::process::test_kill_process(pid).is_err()).await;
    desk.until("the end of the run", |state| state.agent.working_since.is_none()).await;
    let picture = desk.picture();
    assert!(picture.contains("interrupted") && !picture.contains("interrupting"), "{picture}");
    let roles: Vec<String> = desk.session().iter().map(|line| line["message"]["role"].to_string()).collect();
    assert!(roles.contains(&"\"toolResult\"".to_string()), "{roles:?}");
}

/// Waits for the question whether a tool may run, and answers it.
async fn allow(desk: &mut Desk, answer: &str) {
    desk.shows("wants to run").await;
    desk.wait(Duration::from_millis(400));
    desk.ide.press(answer);
}

#[tokio::test]
async fn enter_steers_and_alt_enter_waits_for_the_end() {
    let turns = [
        Turn::of(vec![text(&["working"]), Step::Gate, call("c1", "ls")]),
        Turn::text("steered"),
        Turn::text("followed"),
    ];
    let mut desk = Plan::new().turns(turns).size(120, 30).start().await;
    desk.say("begin").await;
    desk.shows("working").await;
    desk.type_now("later");
    desk.ide.press("Alt-Enter");
    desk.type_now("steer");
    desk.ide.press("Enter");
    desk.until("both queues", |state| {
        state.agent.steering == ["steer"] && state.agent.follow_up == ["later"]
    })
    .await;
    assert!(desk.picture().contains("later") && desk.picture().contains("steer"));
    open_gate(&desk);
    desk.ide.idle().await;
    let requests = desk.script.requests();
    assert_eq!(requests.len(), 3);
    let second = said(&requests[1]);
    assert!(second.contains("steer") && !second.contains("later"), "{second}");
    assert!(said(&requests[2]).contains("later"));
    assert!(desk.state().agent.steering.is_empty() && desk.state().agent.follow_up.is_empty());
}

fn call(id: &str, command: &str) -> Step {
    Step::Call { id: id.into(), name: "bash".into(), arguments: json!({"command": command}) }
}

#[tokio::test]
async fn queued_messages_come_back_into_the_prompt() {
    let turns = [Turn::of(vec![text(&["working"]), Step::Gate])];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.say("begin").await;
    desk.shows("working").await;
    desk.type_now("later");
    desk.ide.press("Alt-Enter");
    desk.until("the queue", |state| state.agent.follow_up == ["later"]).await;
    desk.type_now("draft");
    desk.ide.press("Alt-Up");
    desk.until("the texts", |state| state.prompt.area.text().to_string() == "later\n\ndraft").await;
    open_gate(&desk);
    desk.ide.idle().await;
    assert_eq!(desk.script.requests().len(), 1, "what was taken back is not said");
}

#[tokio::test]
async fn a_command_is_asked_about_and_the_answer_counts() {
    let turns =
        [bash("c1", "touch one"), bash("c2", "touch two"), bash("c3", "touch two"), Turn::text("done")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.say("touch").await;
    allow(&mut desk, "n").await;
    desk.shows("touch two").await;
    allow(&mut desk, "a").await;
    desk.ide.idle().await;
    assert!(!desk.path("one").exists() && desk.path("two").exists());
    assert_eq!(desk.script.requests().len(), 4, "the same command was not asked about again");
    assert!(said(&desk.script.requests()[1]).contains("the user said no"));
}

#[tokio::test]
async fn keys_meant_for_a_text_do_not_answer_a_question() {
    let turns = [bash("c1", "touch one"), Turn::text("done")];
    let mut desk = Plan::new().with("a.txt", "\n").turns(turns).start().await;
    desk.say("touch").await;
    desk.shows("wants to run").await;
    desk.ide.press("Alt-2");
    desk.type_now("yn");
    assert_eq!(desk.text(), "yn\n");
    assert!(desk.picture().contains("wants to run"));
    desk.wait(Duration::from_millis(399));
    desk.type_now("y");
    assert_eq!(desk.text(), "yny\n");
    // Only silence counts: whoever types on has not seen the question.
    desk.wait(Duration::from_millis(399));
    desk.type_now("a");
    assert_eq!(desk.text(), "ynya\n");
    desk.wait(Duration::from_millis(400));
    desk.type_now("y");
    desk.ide.idle().await;
    assert_eq!(desk.text(), "ynya\n");
    assert!(desk.path("one").exists());
}

#[tokio::test]
async fn an_interrupted_question_leaves_the_screen() {
    let mut desk = Plan::new().turns([bash("c1", "touch one")]).start().await;
    desk.say("touch").await;
    allow(&mut desk, "Escape").await;
    desk.until("the end", |state| state.layers.is_empty()).await;
    desk.ide.idle().await;
    assert!(!desk.path("one").exists());
}

#[tokio::test]
async fn edits_outside_the_workspace_are_asked_about() {
    let turns =
        [Turn::call("c1", "write", json!({"path": "../outside", "content": "x"})), Turn::text("done")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.say("write").await;
    desk.shows("file outside the workspace").await;
    allow(&mut desk, "n").await;
    desk.ide.idle().await;
    assert!(!desk.path("../outside").exists());
}

#[tokio::test]
async fn models_and_thinking_are_switched_by_keys() {
    let mut desk = Plan::new().model("other").turns([Turn::text("hi")]).start().await;
    desk.keys("Alt-3 Ctrl-p").await;
    desk.until("the other model", |state| {
        state.agent.model.as_ref().is_some_and(|model| model.id == "other")
    })
    .await;
    desk.keys("Alt-m").await;
    desk.type_in("script").await;
    desk.keys("Enter").await;
    desk.until("the first model", |state| {
        state.agent.model.as_ref().is_some_and(|model| model.id == "script")
    })
    .await;
    let before = desk.state().agent.thinking;
    desk.keys("Shift-Tab").await;
    desk.until("another level", move |state| state.agent.thinking != before).await;
    let level = desk.state().agent.thinking;
    desk.ask("hello").await;
    let request = &desk.script.requests()[0];
    assert_eq!((request.model.id.as_str(), request.thinking), ("script", level));
}

#[tokio::test]
async fn a_tool_that_is_switched_off_is_not_offered() {
    let mut desk = Plan::new().turns([Turn::text("a"), Turn::text("b")]).start().await;
    desk.ask("one").await;
    desk.keys("Alt-t").await;
    desk.type_in("bash").await;
    desk.keys("Tab Enter").await;
    desk.ask("two").await;
    let names =
        |n: usize| desk.script.requests()[n].tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    assert!(names(0).contains(&"bash".to_string()) && !names(1).contains(&"bash".to_string()));
    assert_eq!(names(1).len() + 1, names(0).len());
}

#[tokio::test]
async fn going_back_branches_and_loses_nothing() {
    let mut desk = Plan::new().turns(["a1", "a2", "b2"].map(Turn::text)).start().await;
    desk.ask("first").await;
    desk.ask("second").await;
    desk.keys("Alt-g").await;
    desk.keys("Tab").await;
    desk.shows("answers too").await;
    desk.keys("Home Down Enter").await;
    desk.until("the way back", |state| state.slots[TRANSCRIPT].items().len() == 2).await;
    desk.ask("other second").await;
    let third = said(&desk.script.requests()[2]);
    assert!(
        third.contains("first")
            && third.contains("a1")
            && !third.contains("\"second\"")
            && !third.contains("a2"),
        "{third}"
    );
    let file: String = desk.session().iter().map(ToString::to_string).collect();
    for message in ["first", "a1", "second", "a2", "other second", "b2"] {
        assert!(file.contains(&format!("\"{message}\"")), "{message}: {file}");
    }
    let mut desk = desk.again().continued().start().await;
    let picture = desk.picture();
    assert!(
        picture.contains("b2") && picture.contains("other second") && !picture.contains("a2"),
        "{picture}"
    );
}

#[tokio::test]
async fn escape_twice_shows_the_conversations_places() {
    let mut desk = Plan::new().turns([Turn::text("a1")]).start().await;
    desk.ask("first").await;
    desk.keys("Escape Escape").await;
    desk.shows("1 turn").await;
}

#[tokio::test]
async fn a_conversation_is_there_again() {
    let turns =
        [Turn::call("c1", "write", json!({"path": "new.txt", "content": "x\n"})), Turn::text("all done")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.ask("write it").await;
    assert_eq!(desk.disk("new.txt"), "x\n");
    let mut desk = desk.again().continued().turns([Turn::text("and more")]).start().await;
    let picture = desk.picture();
    assert!(
        picture.contains("› write it") && picture.contains("new.txt") && picture.contains("all done"),
        "{picture}"
    );
    desk.ask("go on").await;
    let request = &desk.script.requests()[0];
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
    desk.keys("Up Up").await;
    assert_eq!(
        desk.state().prompt.area.text().to_string(),
        "write it",
        "what was said before can be said again"
    );
}

#[tokio::test]
async fn a_failed_answer_says_why() {
    use bowline::llm::model::ErrorKind;
    let turns = [Turn::fail(ErrorKind::Authentication, "invalid x-api-key"), Turn::text("better")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.ask("hello").await;
    assert!(desk.picture().contains("invalid x-api-key"), "{}", desk.picture());
    desk.ask("again").await;
    assert!(desk.picture().contains("better"));
}

#[tokio::test]
async fn a_question_that_is_asked_while_quitting_waits_below() {
    let turns = [Turn::of(vec![text(&["working"]), Step::Gate, call("c1", "touch one")]), Turn::text("done")];
    let mut desk = Plan::new().turns(turns).start().await;
    desk.say("go").await;
    desk.shows("working").await;
    desk.ide.press("Ctrl-q");
    assert!(desk.picture().contains("The agent is working. Quitting interrupts it."));
    open_gate(&desk);
    desk.until("the question", |state| state.layers.len() == 2).await;
    assert!(desk.picture().contains("Quit?"), "the dialog that the user reads stays on top");
    desk.ide.press("n");
    allow(&mut desk, "y").await;
    desk.ide.idle().await;
    assert!(desk.path("one").exists() && !desk.state().quit);
}

#[tokio::test]
async fn what_one_reads_stays_where_it_is_while_more_comes() {
    let lines: Vec<String> = (1..=60).map(|n| format!("word {n}\n\n")).collect();
    let turn = Turn::of(vec![Step::Text(lines.clone()), Step::Gate, text(&["the end"])]);
    let mut desk = Plan::new().turns([turn]).start().await;
    desk.say("count").await;
    desk.shows("word 60").await;
    desk.ide.press("PageUp");
    let before = desk.picture();
    assert!(!before.contains("word 60"), "{before}");
    open_gate(&desk);
    desk.ide.idle().await;
    let top = |picture: &str| picture.lines().take(20).map(String::from).collect::<Vec<_>>();
    assert_eq!(top(&desk.picture()), top(&before));
    desk.keys("Ctrl-End").await;
    assert!(desk.picture().contains("the end"));
}

#[tokio::test]
async fn thinking_and_output_are_shown_on_demand() {
    let first = Turn::of(vec![Step::Thinking("let me see about it".into()), call("c1", "seq 100 120")]);
    let mut desk = Plan::new().turns([first, Turn::text("done")]).size(120, 40).start().await;
    desk.ask("count").await;
    let short = desk.picture();
    assert!(short.contains("thought (Ctrl-t)") && short.contains("120") && !short.contains("102"), "{short}");
    desk.keys("Ctrl-t Ctrl-o").await;
    let whole = desk.picture();
    assert!(whole.contains("let me see about it") && whole.contains("102"), "{whole}");
    desk.keys("Ctrl-t Ctrl-o").await;
    assert_eq!(desk.picture(), short);
}

#[tokio::test]
async fn a_count_of_tokens_that_makes_no_sense_is_shown_all_the_same() {
    let turn = Turn::of(vec![text(&["An answer."])]);
    let mut desk = Plan::new().with("a.txt", "one\n").turns([turn]).size(120, 24).start().await;
    desk.say("go on").await;
    desk.shows("An answer.").await;
    desk.state().agent.context_tokens = u64::MAX;
    desk.state().damage.all();
    assert!(desk.picture().contains('%'), "{}", desk.picture());
}

#[tokio::test]
async fn the_system_prompt_opens_as_a_text_that_cannot_be_edited() {
    let mut desk = Plan::new().file("AGENTS.md", "Use tabs.\n").turns([]).start().await;
    desk.until("the session", |state| state.agent.connected).await;
    desk.keys("F1").await;
    desk.type_in("system prompt").await;
    desk.keys("Enter").await;
    let is_prompt = |state: &State| state.buffers.current().is_some_and(|b| b.name() == "system prompt");
    desk.until("the prompt", is_prompt).await;
    let text = desk.text();
    assert!(text.contains("Use tabs.") && text.contains("profile pi\n"), "{text}");
    desk.type_in("x").await;
    assert_eq!((desk.text(), desk.message().contains("read-only")), (text, true));
}
