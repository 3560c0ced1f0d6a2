//! What a host sees of the loop beyond its tasks: agents that an agent starts, limits, failures, the end.

use bowline::agent::AgentEvent;
use bowline::agent::config::Lifecycle;
use bowline::runtime::Options;
use bowline::runtime::events::observe::EventKind;
use bowline::runtime::events::wire::Wire;
use serde_json::json;

use crate::support::family::{FAMILIES, FamilySession, agent_tool_call, of_kind, outputs, wait_for_agent};
use crate::support::server::Reply;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_accepts_input_wait_and_close() {
    for family in FAMILIES {
        let rounds = vec![
            vec![family.spawn("c1", "look at a.txt")],
            vec![wait_for_agent("c2", "agent_1")],
            vec![agent_tool_call(
                "c3",
                "send_input",
                &json!({"agent_id": "agent_1", "message": "and b.txt?"}),
            )],
            vec![wait_for_agent("c4", "agent_1")],
            vec![agent_tool_call("c5", "close_agent", &json!({"agent_id": "agent_1"}))],
            vec![wait_for_agent("c6", "agent_1")],
        ];
        let mut replies: Vec<Reply> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
        replies.push(family.text_reply(&["done"]));
        let delegated = vec![family.text_reply(&["a is empty"]), family.text_reply(&["b is full"])];
        let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
        let told = stage.run("have it looked at").await;
        let outputs = outputs(&told);
        assert!(outputs[1].contains("a is empty"), "{}: {outputs:?}", family.profile);
        assert!(outputs[2].contains("running"), "{outputs:?}");
        assert!(outputs[3].contains("b is full") && outputs[3].contains("turns used 2"), "{outputs:?}");
        assert!(outputs[4].contains("closed"), "{outputs:?}");
        assert!(outputs[5].starts_with("!There is no agent \"agent_1\""), "{outputs:?}");
        // It goes on with its own conversation.
        let seen = stage.server.requests();
        let theirs = seen.iter().rfind(|seen| seen.text.contains("You are working for another")).unwrap();
        assert!(theirs.text.contains("a is empty") && theirs.text.contains("and b.txt?"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_limit_counts_closed_agents() {
    for family in FAMILIES {
        let rounds = vec![
            vec![family.spawn("c1", "look at a.txt")],
            vec![wait_for_agent("c2", "agent_1")],
            vec![agent_tool_call("c3", "close_agent", &json!({"agent_id": "agent_1"}))],
            vec![family.spawn("c4", "look at b.txt")],
            vec![wait_for_agent("c5", "agent_2")],
            vec![family.spawn("c6", "look at c.txt")],
        ];
        let mut replies: Vec<Reply> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
        replies.push(family.text_reply(&["done"]));
        let delegated = vec![family.text_reply(&["a is empty"]), family.text_reply(&["b is full"])];
        let limit = |options| Options { agents_max: 2, ..options };
        let mut stage = FamilySession::with_options(family, replies, delegated, limit).await;
        let outputs = outputs(&stage.run("have it looked at").await);
        assert!(outputs[4].contains("b is full"), "{outputs:?}");
        assert!(outputs[5].starts_with("!No more agents can be started"), "{outputs:?}");
        assert!(outputs[5].contains("may start 2 in all"), "{outputs:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_limit_counts_nested_agents() {
    for family in FAMILIES {
        let rounds = vec![vec![family.spawn("c1", "look at a.txt")], vec![wait_for_agent("c2", "agent_1")]];
        let mut replies: Vec<Reply> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
        replies.push(family.text_reply(&["done"]));
        let delegated = vec![
            family.parts_reply(vec![family.spawn("d1", "look at b.txt")]),
            family.text_reply(&["it is empty"]),
        ];
        let limit = |options: Options| {
            assert_eq!(options.agents_max, 100, "the default");
            Options { agents_deep: 2, agents_max: 1, ..options }
        };
        let mut stage = FamilySession::with_options(family, replies, delegated, limit).await;
        let outputs = outputs(&stage.run("have it looked at").await);
        assert!(outputs[1].contains("it is empty"), "{}: {outputs:?}", family.profile);
        let seen = stage.server.requests();
        let theirs = seen.iter().rfind(|seen| seen.text.contains("You are working for another")).unwrap();
        assert!(theirs.text.contains("this session may start 1 in all"), "{}", theirs.text);
    }
}

/// More events than tokio gives a task at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agent_events_all_delivered_in_long_run() {
    for family in FAMILIES {
        let mut stage = FamilySession::new(family, vec![family.text_reply(&["word "; 300])]).await;
        let told = stage.run("say much").await;
        let last = of_kind(&told, EventKind::AssistantTextEnd);
        assert_eq!(last[0].data["text"], "word ".repeat(300), "{}", family.profile);
        assert_eq!(of_kind(&told, EventKind::AssistantTextDelta).len(), 300, "{}", family.profile);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agent_reports_turn_limit_context_usage_and_errors() {
    let family = FAMILIES[1];
    let refusal = Reply::Status {
        code: 400,
        headers: Vec::new(),
        body: r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#.into(),
    };
    let replies = vec![family.text_reply(&["one"]), refusal, family.text_reply(&["three"])];
    let limited = |options: Options| Options { turns_max: 3, ..options };
    let mut stage = FamilySession::with_options(family, replies, vec![], limited).await;
    // Four fifths of the window of a hundred thousand tokens.
    let told = stage.run(&"word ".repeat(70_000)).await;
    let warned = of_kind(&told, EventKind::Warning);
    assert!(warned[0].data["message"].as_str().unwrap().starts_with("Context usage at ~"), "{warned:?}");
    let told = stage.run("again").await;
    assert!(of_kind(&told, EventKind::Error)[0].data["message"].as_str().unwrap().contains("no"), "{told:?}");
    stage.run("and again").await;
    let told = stage.run("once more").await;
    assert_eq!(of_kind(&told, EventKind::TurnLimit).len(), 1, "{told:?}");
    assert_eq!(stage.server.requests().len(), 3, "nobody is asked beyond the limit");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn auth_failure_closes_session_if_configured() {
    for (close_on_failure, lifecycle) in [(true, Lifecycle::Closed), (false, Lifecycle::Idle)] {
        let family = FAMILIES[0];
        let refusal = Reply::Status {
            code: 401,
            headers: Vec::new(),
            body:
                r#"{"error":{"message":"bad key","type":"invalid_request_error","code":"invalid_api_key"}}"#
                    .into(),
        };
        let mut stage = FamilySession::with_options(family, vec![refusal], vec![], |options| Options {
            close_on_failure,
            ..options
        })
        .await;
        let told = stage.run("go").await;
        assert!(!of_kind(&told, EventKind::Error).is_empty(), "{told:?}");
        assert_eq!(stage.server.requests().len(), 1, "it is not tried again");
        let mut lifecycles = stage.handle.watch_lifecycle();
        let stands = lifecycles.wait_for(|now| *now == lifecycle);
        tokio::time::timeout(std::time::Duration::from_secs(30), stands).await.expect("in time").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shutdown_kills_commands_and_ends_with_session_end() {
    let family = FAMILIES[0];
    let replies = vec![family.parts_reply(vec![
        family.spawn("c1", "wait for ever"),
        family.shell("c2", "echo $$ > own; sleep 600"),
    ])];
    let delegated = vec![family.parts_reply(vec![family.shell("d1", "echo $$ > theirs; sleep 600")])];
    let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
    stage.send("go");
    let pid = |name: &str| std::fs::read_to_string(stage.work().join(name)).ok()?.trim().parse::<u32>().ok();
    let both = async {
        while pid("own").is_none() || pid("theirs").is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(30), both).await.expect("both commands run");
    let pids = [pid("own").unwrap(), pid("theirs").unwrap()];
    stage.wait_for_event(|event| matches!(event, AgentEvent::ToolStart { .. })).await;
    let handle = stage.handle.clone();
    let told = stage.close().await;
    // What was interrupted is told before the end, and the end is the last that is heard.
    let kinds: Vec<EventKind> = told.iter().map(|event| event.kind).collect();
    assert_eq!(kinds.last(), Some(&EventKind::SessionEnd), "{kinds:?}");
    assert!(kinds.contains(&EventKind::ToolCallEnd), "{kinds:?}");
    assert_eq!(handle.lifecycle(), Lifecycle::Closed);
    for pid in pids {
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{pid} lives on");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn run_events_match_pi_event_sequence() {
    let family = FAMILIES[1];
    let replies =
        vec![family.parts_reply(vec![family.shell("c1", "echo hi")]), family.text_reply(&["do", "ne"])];
    let stage = FamilySession::new(family, replies).await;
    let (_, mut events) = stage.handle.subscribe().await.unwrap();
    stage.send("go");
    let (mut wire, mut told) = (Wire::default(), Vec::new());
    while told.last().is_none_or(|last: &serde_json::Value| last["type"] != "agent_settled") {
        let event = tokio::time::timeout(std::time::Duration::from_secs(30), events.recv()).await;
        told.extend(wire.events(&event.expect("in time").expect("a living session")));
    }
    let mut kinds: Vec<&str> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    kinds.dedup();
    kinds.retain(|kind| *kind != "tool_execution_update");
    let turn = ["message_start", "message_end"];
    let expected = [
        &["agent_start", "turn_start"][..],
        &turn,
        &["message_start", "message_update", "message_end", "tool_execution_start", "tool_execution_end"],
        &turn,
        &[
            "turn_end",
            "turn_start",
            "message_start",
            "message_update",
            "message_end",
            "turn_end",
            "agent_end",
            "agent_settled",
        ],
    ];
    assert_eq!(kinds, expected.concat());
    let end = told.iter().find(|event| event["type"] == "agent_end").unwrap();
    let roles: Vec<&str> =
        end["messages"].as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "toolResult", "assistant"]);
    let texts: Vec<&serde_json::Value> = told
        .iter()
        .map(|event| &event["assistantMessageEvent"])
        .filter(|event| event["type"] == "text_end")
        .collect();
    assert_eq!(texts[0]["content"], "done");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_working_dir_outside_or_protected_is_rejected() {
    let family = FAMILIES[0];
    let spawn = |id, folder: &str| {
        agent_tool_call(id, "spawn_agent", &json!({"task": "write", "working_dir": folder}))
    };
    let rounds = vec![
        vec![spawn("c1", ".git/hooks"), spawn("c2", ".."), spawn("c3", "nowhere"), spawn("c4", "sub")],
        vec![wait_for_agent("c5", "agent_1")],
    ];
    let mut replies: Vec<Reply> = rounds.into_iter().map(|bits| family.parts_reply(bits)).collect();
    replies.push(family.text_reply(&["done"]));
    let delegated =
        vec![family.parts_reply(vec![family.create("d1", "a.txt", "x\n")]), family.text_reply(&["written"])];
    let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
    for folder in [".git/hooks", "sub"] {
        std::fs::create_dir_all(stage.work().join(folder)).unwrap();
    }
    let told = stage.run("go").await;
    let mut outputs = outputs(&told);
    let last = outputs.pop().unwrap();
    assert!(last.contains("written"), "{last}");
    let refused = outputs.iter().filter(|output| output.starts_with("!The agent cannot work in")).count();
    assert_eq!(refused, 3, "{outputs:?}");
    assert_eq!(stage.read_file("sub/a.txt"), "x\n");
}
