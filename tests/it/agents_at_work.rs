//! Agents that an agent has started, while they work: the user's choice of tools reaches them, and what
//! runs for them ends with them.

use bowline::agent::AgentEvent;
use bowline::runtime::events::observe::EventKind;
use bowline::runtime::{Options, RuntimeEvent};
use serde_json::json;

use crate::support::family::{FAMILIES, Family, Stage, ask_agent, of, outputs, wait};
use crate::support::process::{gone, lives, pid, until};
use crate::support::server::Seen;
use crate::support::wires::Bit;

/// The family's tool for commands, and how it says that nobody waits for one.
fn shell_tool(family: Family) -> (&'static str, &'static str, serde_json::Value) {
    match family.profile {
        "openai" => ("exec_command", "cmd", json!({"yield_time_ms": 250})),
        "anthropic" => ("Bash", "command", json!({"run_in_background": true})),
        _ => ("run_shell_command", "command", json!({"is_background": true})),
    }
}

/// A command in the background.
fn background(family: Family, id: &'static str, command: &str) -> Bit {
    let (tool, field, mut args) = shell_tool(family);
    args[field] = json!(command);
    ask_agent(id, tool, &args)
}

fn close(id: &'static str) -> Bit {
    ask_agent(id, "close_agent", &json!({"agent_id": "agent_1"}))
}

/// A command that waits for a file.
fn until_there(name: &str) -> String {
    format!("while [ ! -e {name} ]; do sleep 0.01; done")
}

fn theirs(stage: &Stage) -> Vec<Seen> {
    let seen = stage.server.seen().into_iter();
    seen.filter(|seen| seen.text.contains("You are working for another")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn disabled_tool_is_disabled_for_running_subagents() {
    for family in FAMILIES {
        let rounds = vec![vec![family.spawn("c1", "work")], vec![wait("c2", "agent_1")]];
        let mut replies: Vec<_> = rounds.into_iter().map(|bits| family.reply(bits)).collect();
        replies.push(family.says(&["done"]));
        let first = format!("touch begun; {}", until_there("go"));
        let delegated = vec![
            family.reply(vec![family.shell("d1", &first)]),
            family.reply(vec![family.shell("d2", "touch never")]),
            family.says(&["so be it"]),
        ];
        let mut stage = Stage::with(family, replies, delegated, |options| options).await;
        let (snapshot, mut events) = stage.handle.subscribe().await.unwrap();
        stage.say("go");
        until("the agent works", || stage.work().join("begun").exists()).await;
        let (tool, ..) = shell_tool(family);
        let kept = snapshot.active_tools.available.iter().filter(|name| *name != tool);
        stage.handle.set_tools(kept.cloned().collect());
        while !matches!(events.recv().await.unwrap(), RuntimeEvent::ToolsChanged(_)) {}
        stage.write("go", "");
        let told = stage.end().await;
        assert!(outputs(&told).concat().contains("so be it"), "{}: {told:?}", family.profile);
        assert!(!stage.work().join("never").exists(), "{}", family.profile);
        let seen = theirs(&stage);
        let offers = |seen: &Seen| family.facts(seen).tools.iter().any(|name| name == tool);
        assert_eq!(seen.iter().map(offers).collect::<Vec<_>>(), [true, false, false], "{}", family.profile);
        let line = format!("- `{tool}`: ");
        let told = |seen: &Seen| family.facts(seen).system.contains(&line);
        assert_eq!(seen.iter().map(told).collect::<Vec<_>>(), [true, false, false], "{}", family.profile);
        assert!(seen[2].text.contains("There is no tool named"), "{}", seen[2].text);
    }
}

/// What says who it is and goes on when it is told to end.
const STUBBORN: &str = "trap 'touch told' TERM; echo $$ > theirs; while :; do sleep 0.05; done";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_close_kills_only_its_commands() {
    for family in FAMILIES {
        let own = background(family, "c1", "echo $$ > own; exec sleep 600");
        let rounds =
            vec![vec![own, family.spawn("c2", "work")], vec![wait("c3", "agent_1")], vec![close("c4")]];
        let mut replies: Vec<_> = rounds.into_iter().map(|bits| family.reply(bits)).collect();
        replies.push(family.says(&["done"]));
        let delegated = vec![
            family.reply(vec![background(family, "d1", STUBBORN)]),
            // One that ends, and leaves something behind.
            family.reply(vec![family.shell("d2", "sleep 600 > /dev/null 2>&1 & echo $! > left")]),
            family.reply(vec![family.shell("d3", &until_there("theirs"))]),
            family.says(&["all of it runs"]),
        ];
        let mut stage = Stage::with(family, replies, delegated, |options| options).await;
        let told = stage.run("go").await;
        let outputs = outputs(&told);
        assert!(outputs.last().unwrap().contains("closed"), "{}: {outputs:?}", family.profile);
        let at = |name: &str| stage.work().join(name);
        gone(pid(&at("theirs")).await).await;
        gone(pid(&at("left")).await).await;
        assert!(at("told").exists(), "{}: it was asked before it was made to", family.profile);
        let closing = of(&told, EventKind::ToolCallEnd).last().unwrap().data["duration_ms"].as_u64().unwrap();
        assert!(closing >= 2000, "{}: it had two seconds: {closing}", family.profile);
        let own = pid(&at("own")).await;
        assert!(lives(own), "{}", family.profile);
        stage.close().await;
        gone(own).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_abort_kills_only_its_commands() {
    for family in FAMILIES {
        let own = background(family, "c1", "echo $$ > own; exec sleep 600");
        let replies = vec![
            family.reply(vec![own, family.spawn("c2", "work")]),
            family.reply(vec![wait("c3", "agent_1")]),
        ];
        let delegated = vec![
            family.reply(vec![background(family, "d1", "echo $$ > theirs; exec sleep 600")]),
            family.reply(vec![family.shell("d2", "echo $$ > waits; exec sleep 600")]),
        ];
        let mut stage = Stage::with(family, replies, delegated, |options| options).await;
        stage.say("go");
        let at = |name: &str| stage.work().join(name);
        let (own, theirs, waits) = (pid(&at("own")).await, pid(&at("theirs")).await, pid(&at("waits")).await);
        stage.handle.abort();
        stage.end().await;
        gone(theirs).await;
        gone(waits).await;
        assert!(lives(own), "{}", family.profile);
        stage.close().await;
        gone(own).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_close_kills_nested_subagent_commands() {
    let family = FAMILIES[0];
    let rounds = vec![vec![family.spawn("c1", "work")], vec![wait("c2", "agent_1")], vec![close("c3")]];
    let mut replies: Vec<_> = rounds.into_iter().map(|bits| family.reply(bits)).collect();
    replies.push(family.says(&["done"]));
    let delegated = vec![
        // Waits for what the other does, so that the next answer is the other's.
        family.reply(vec![family.spawn("d1", "work for me"), family.shell("d2", &until_there("theirs"))]),
        family.reply(vec![background(family, "e1", "echo $$ > theirs; exec sleep 600")]),
        family.says(&["it runs"]),
        family.says(&["it runs"]),
    ];
    let deeper = |options| Options { agents_deep: 2, ..options };
    let mut stage = Stage::with(family, replies, delegated, deeper).await;
    let told = stage.run("go").await;
    assert!(outputs(&told).last().unwrap().contains("closed"), "{:?}", outputs(&told));
    let theirs = pid(&stage.work().join("theirs")).await;
    assert!(!lives(theirs), "it has ended when the call has");
}

/// A command that takes more than half a second to end when it is told to.
const ORDERLY: &str =
    "trap 'sleep 0.6; touch ended; exit' TERM; echo $$ > runs; while :; do sleep 0.05; done";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn session_close_lets_commands_exit_gracefully() {
    for family in FAMILIES {
        let replies = vec![family.reply(vec![background(family, "c1", ORDERLY)]), family.says(&["it runs"])];
        let mut stage = Stage::new(family, replies).await;
        stage.run("go").await;
        let at = stage.work();
        let runs = pid(&at.join("runs")).await;
        let folder = stage.close_but_keep().await;
        gone(runs).await;
        assert!(at.join("ended").exists(), "{}: it was killed while it ended", family.profile);
        drop(folder);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_unread_result_is_kept() {
    let family = FAMILIES[1];
    let ids: [&'static str; 20] = std::array::from_fn(|n| &*format!("s{n}").leak());
    let all: Vec<Bit> = ids.iter().map(|id| family.spawn(id, "work")).collect();
    let rounds = vec![
        vec![family.spawn("t1", "one more")],
        vec![wait("t2", "agent_7")],
        vec![family.spawn("t3", "one more")],
        vec![wait("t4", "agent_1")],
    ];
    let mut replies = vec![family.reply(all), family.says(&["they work"])];
    replies.extend(rounds.into_iter().map(|bits| family.reply(bits)));
    replies.push(family.says(&["done"]));
    let delegated = (0..21).map(|_| family.says(&["this is the answer"])).collect();
    let mut stage = Stage::with(family, replies, delegated, |options| options).await;
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
        let replies = vec![family.reply(vec![family.shell("c1", stubborn)]), family.says(&["I see"])];
        let mut stage = Stage::new(family, replies).await;
        stage.say("go");
        let shows = |event: &AgentEvent| match event {
            AgentEvent::ToolUpdate { text, .. } => text.contains("so far"),
            _ => false,
        };
        stage.until(shows).await;
        stage.handle.abort();
        let told = outputs(&stage.end().await);
        let output = told.last().expect("the call has ended");
        let begins = output.starts_with("!The user interrupted this call while it ran");
        assert!(begins && output.ends_with("so far"), "{}: {output}", family.profile);
        assert!(output.lines().count() < 300, "{}: it is cut as results are", family.profile);
        stage.run("what was that?").await;
        assert!(stage.last_request().contains("so far"), "{}", family.profile);
    }
}
