//! Agents that an agent has started, while they work: the user's choice of tools reaches them, and what
//! runs for them ends with them.

use bowline::agent::AgentEvent;
use bowline::runtime::events::observe::EventKind;
use bowline::runtime::{Options, RuntimeEvent};
use serde_json::json;

use crate::support::family::{
    FAMILIES, Family, FamilySession, agent_tool_call, of_kind, outputs, wait_for_agent,
};
use crate::support::process::{is_running, read_pid, wait_gone, wait_until};
use crate::support::server::ReceivedRequest;
use crate::support::wires::AnswerPart;

/// The family's tool for commands, and how it says that nobody waits for one.
fn shell_tool(family: Family) -> (&'static str, &'static str, serde_json::Value) {
    match family.profile {
        "openai" => ("exec_command", "cmd", json!({"yield_time_ms": 250})),
        "anthropic" => ("Bash", "command", json!({"run_in_background": true})),
        _ => ("run_shell_command", "command", json!({"is_background": true})),
    }
}

/// A command in the background.
fn background_call(family: Family, id: &'static str, command: &str) -> AnswerPart {
    let (tool, field, mut args) = shell_tool(family);
    args[field] = json!(command);
    agent_tool_call(id, tool, &args)
}

fn close_agent(id: &'static str) -> AnswerPart {
    agent_tool_call(id, "close_agent", &json!({"agent_id": "agent_1"}))
}

/// A command that waits for a file.
fn wait_for_file_command(name: &str) -> String {
    format!("while [ ! -e {name} ]; do sleep 0.01; done")
}

fn subagent_requests(stage: &FamilySession) -> Vec<ReceivedRequest> {
    let seen = stage.server.requests().into_iter();
    seen.filter(|seen| seen.text.contains("You are working for another")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disabled_tool_is_disabled_for_running_subagents() {
    for family in FAMILIES {
        let rounds = vec![vec![family.spawn("c1", "work")], vec![wait_for_agent("c2", "agent_1")]];
        let mut replies: Vec<_> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
        replies.push(family.text_reply(&["done"]));
        let first = format!("touch begun; {}", wait_for_file_command("go"));
        let delegated = vec![
            family.parts_reply(vec![family.shell("d1", &first)]),
            family.parts_reply(vec![family.shell("d2", "touch never")]),
            family.text_reply(&["so be it"]),
        ];
        let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
        let (snapshot, mut events) = stage.handle.subscribe().await.unwrap();
        stage.send("go");
        wait_until("the agent works", || stage.work().join("begun").exists()).await;
        let (tool, ..) = shell_tool(family);
        let kept = snapshot.active_tools.available.iter().filter(|name| *name != tool);
        stage.handle.set_tools(kept.cloned().collect());
        while !matches!(events.recv().await.unwrap(), RuntimeEvent::ToolsChanged(_)) {}
        stage.write_file("go", "");
        let told = stage.wait_for_end().await;
        assert!(outputs(&told).concat().contains("so be it"), "{}: {told:?}", family.profile);
        assert!(!stage.work().join("never").exists(), "{}", family.profile);
        let seen = subagent_requests(&stage);
        let offers =
            |seen: &ReceivedRequest| family.parse_request(seen).tools.iter().any(|name| name == tool);
        assert_eq!(seen.iter().map(offers).collect::<Vec<_>>(), [true, false, false], "{}", family.profile);
        let line = format!("- `{tool}`: ");
        let told = |seen: &ReceivedRequest| family.parse_request(seen).system.contains(&line);
        assert_eq!(seen.iter().map(told).collect::<Vec<_>>(), [true, false, false], "{}", family.profile);
        assert!(seen[2].text.contains("There is no tool named"), "{}", seen[2].text);
    }
}

/// What says who it is and goes on when it is told to end.
const IGNORES_TERM: &str = "trap 'touch told' TERM; echo $$ > theirs; while :; do sleep 0.05; done";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_close_kills_only_its_commands() {
    for family in FAMILIES {
        let own = background_call(family, "c1", "echo $$ > own; exec sleep 600");
        let rounds = vec![
            vec![own, family.spawn("c2", "work")],
            vec![wait_for_agent("c3", "agent_1")],
            vec![close_agent("c4")],
        ];
        let mut replies: Vec<_> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
        replies.push(family.text_reply(&["done"]));
        let delegated = vec![
            family.parts_reply(vec![background_call(family, "d1", IGNORES_TERM)]),
            // One that ends, and leaves something behind.
            family.parts_reply(vec![family.shell("d2", "sleep 600 > /dev/null 2>&1 & echo $! > left")]),
            family.parts_reply(vec![family.shell("d3", &wait_for_file_command("theirs"))]),
            family.text_reply(&["all of it runs"]),
        ];
        let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
        let told = stage.run("go").await;
        let outputs = outputs(&told);
        assert!(outputs.last().unwrap().contains("closed"), "{}: {outputs:?}", family.profile);
        let at = |name: &str| stage.work().join(name);
        wait_gone(read_pid(&at("theirs")).await).await;
        wait_gone(read_pid(&at("left")).await).await;
        assert!(at("told").exists(), "{}: it was asked before it was made to", family.profile);
        let closing =
            of_kind(&told, EventKind::ToolCallEnd).last().unwrap().data["duration_ms"].as_u64().unwrap();
        assert!(closing >= 2000, "{}: it had two seconds: {closing}", family.profile);
        let own = read_pid(&at("own")).await;
        assert!(is_running(own), "{}", family.profile);
        stage.close().await;
        wait_gone(own).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_abort_kills_only_its_commands() {
    for family in FAMILIES {
        let own = background_call(family, "c1", "echo $$ > own; exec sleep 600");
        let replies = vec![
            family.parts_reply(vec![own, family.spawn("c2", "work")]),
            family.parts_reply(vec![wait_for_agent("c3", "agent_1")]),
        ];
        let delegated = vec![
            family.parts_reply(vec![background_call(family, "d1", "echo $$ > theirs; exec sleep 600")]),
            family.parts_reply(vec![family.shell("d2", "echo $$ > waits; exec sleep 600")]),
        ];
        let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
        stage.send("go");
        let at = |name: &str| stage.work().join(name);
        let (own, theirs, waits) =
            (read_pid(&at("own")).await, read_pid(&at("theirs")).await, read_pid(&at("waits")).await);
        stage.handle.abort();
        stage.wait_for_end().await;
        wait_gone(theirs).await;
        wait_gone(waits).await;
        assert!(is_running(own), "{}", family.profile);
        stage.close().await;
        wait_gone(own).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_close_kills_nested_subagent_commands() {
    let family = FAMILIES[0];
    let rounds = vec![
        vec![family.spawn("c1", "work")],
        vec![wait_for_agent("c2", "agent_1")],
        vec![close_agent("c3")],
    ];
    let mut replies: Vec<_> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
    replies.push(family.text_reply(&["done"]));
    let delegated = vec![
        // Waits for what the other does, so that the next answer is the other's.
        family.parts_reply(vec![
            family.spawn("d1", "work for me"),
            family.shell("d2", &wait_for_file_command("theirs")),
        ]),
        family.parts_reply(vec![background_call(family, "e1", "echo $$ > theirs; exec sleep 600")]),
        family.text_reply(&["it runs"]),
        family.text_reply(&["it runs"]),
    ];
    let deeper = |options| Options { agents_deep: 2, ..options };
    let mut stage = FamilySession::with_options(family, replies, delegated, deeper).await;
    let told = stage.run("go").await;
    assert!(outputs(&told).last().unwrap().contains("closed"), "{:?}", outputs(&told));
    let theirs = read_pid(&stage.work().join("theirs")).await;
    assert!(!is_running(theirs), "it has ended when the call has");
}

/// A command that takes more than half a second to end when it is told to.
const SLOW_TO_END: &str =
    "trap 'sleep 0.6; touch ended; exit' TERM; echo $$ > runs; while :; do sleep 0.05; done";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn session_close_lets_commands_exit_gracefully() {
    for family in FAMILIES {
        let replies = vec![
            family.parts_reply(vec![background_call(family, "c1", SLOW_TO_END)]),
            family.text_reply(&["it runs"]),
        ];
        let mut stage = FamilySession::new(family, replies).await;
        stage.run("go").await;
        let at = stage.work();
        let runs = read_pid(&at.join("runs")).await;
        let folder = stage.close_keeping_files().await;
        wait_gone(runs).await;
        assert!(at.join("ended").exists(), "{}: it was killed while it ended", family.profile);
        drop(folder);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_unread_result_is_kept() {
    let family = FAMILIES[1];
    let ids: [&'static str; 20] = std::array::from_fn(|n| &*format!("s{n}").leak());
    let all: Vec<AnswerPart> = ids.iter().map(|id| family.spawn(id, "work")).collect();
    let rounds = vec![
        vec![family.spawn("t1", "one more")],
        vec![wait_for_agent("t2", "agent_7")],
        vec![family.spawn("t3", "one more")],
        vec![wait_for_agent("t4", "agent_1")],
    ];
    let mut replies = vec![family.parts_reply(all), family.text_reply(&["they work"])];
    replies.extend(rounds.into_iter().map(|bits| family.parts_reply(bits)));
    replies.push(family.text_reply(&["done"]));
    let delegated = (0..21).map(|_| family.text_reply(&["this is the answer"])).collect();
    let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
    let (_, mut events) = stage.handle.subscribe().await.unwrap();
    stage.run("have it done").await;
    let mut working = 20;
    while working > 0 {
        let event = events.recv().await.unwrap();
        let ends = matches!(&event, RuntimeEvent::Subagent { event: AgentEvent::AgentEnd { .. }, .. });
        working -= usize::from(ends);
    }
    let outputs = outputs(&stage.run("one more").await);
    assert!(outputs[0].starts_with("!20 agents are there already"), "{outputs:?}");
    assert!(outputs[1].contains("this is the answer"), "{outputs:?}");
    assert!(outputs[2].contains("agent_"), "{outputs:?}");
    assert!(outputs[3].contains("this is the answer"), "{outputs:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shell_tool_abort_returns_partial_output() {
    for family in FAMILIES {
        let stubborn = "trap '' TERM; seq 9000; echo so far; while :; do sleep 0.05; done";
        let replies =
            vec![family.parts_reply(vec![family.shell("c1", stubborn)]), family.text_reply(&["I see"])];
        let mut stage = FamilySession::new(family, replies).await;
        stage.send("go");
        let shows = |event: &AgentEvent| match event {
            AgentEvent::ToolUpdate { text, .. } => text.contains("so far"),
            _ => false,
        };
        stage.wait_for_event(shows).await;
        stage.handle.abort();
        let told = outputs(&stage.wait_for_end().await);
        let output = told.last().expect("the call has ended");
        let begins = output.starts_with("!The user interrupted this call while it ran");
        assert!(begins && output.ends_with("so far"), "{}: {output}", family.profile);
        assert!(output.lines().count() < 300, "{}: it is cut as results are", family.profile);
        stage.run("what was that?").await;
        assert!(stage.last_request().contains("so far"), "{}", family.profile);
    }
}
