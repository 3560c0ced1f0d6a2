//! The matrix of the agent loop's specification (9.12): fifteen tasks for each of the three families, over
//! their wires, with the real tools on real files; and its smoke test of seven steps (9.13).
//! `docs/agent-loop.md` names these tests.

use std::time::Duration;

use bowline::agent::AgentEvent;
use bowline::agent::config::Lifecycle;
use bowline::llm::model::Thinking;
use bowline::runtime::Options;
use bowline::runtime::events::observe::EventKind;
use bowline::tools::contract::config::ToolConfig as ToolsConfig;
use serde_json::json;

use crate::support::family::{FAMILIES, Family, FamilySession, of_kind, outputs, wait_for_agent};
use crate::support::server::Reply;
use crate::support::wires::AnswerPart;

/// Answers to one prompt: some calls at a time, then words.
fn replies_with_calls(family: Family, rounds: Vec<Vec<AnswerPart>>) -> Vec<Reply> {
    let calls = rounds.into_iter().map(|bits| family.parts_reply(bits));
    calls.chain([family.text_reply(&["done"])]).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn write_tool_creates_file() {
    for family in FAMILIES {
        let mut stage = FamilySession::new(
            family,
            replies_with_calls(family, vec![vec![family.create("c1", "hello.py", "print('Hello')\n")]]),
        )
        .await;
        let told = stage.run("make it").await;
        assert_eq!(stage.read_file("hello.py"), "print('Hello')\n", "{}", family.profile);
        assert!(outputs(&told).iter().all(|output| !output.starts_with('!')), "{:?}", outputs(&told));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edit_after_read_changes_file() {
    for family in FAMILIES {
        let rounds = vec![vec![family.read("c1", "a.txt")], vec![family.edit("c2", "a.txt", "two", "2")]];
        let mut stage = FamilySession::new(family, replies_with_calls(family, rounds)).await;
        stage.write_file("a.txt", "one\ntwo\nthree\n");
        let told = stage.run("change it").await;
        assert_eq!(stage.read_file("a.txt"), "one\n2\nthree\n", "{}: {:?}", family.profile, outputs(&told));
        assert!(outputs(&told)[0].contains("two"), "{:?}", outputs(&told));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edit_tool_changes_several_files_in_one_session() {
    for family in FAMILIES {
        let mut replies =
            replies_with_calls(family, vec![vec![family.read("c1", "a.txt"), family.read("c2", "b.txt")]]);
        let edits = vec![family.edit("c3", "a.txt", "a", "A"), family.edit("c4", "b.txt", "b", "B")];
        replies.extend(replies_with_calls(family, vec![edits]));
        let mut stage = FamilySession::new(family, replies).await;
        stage.write_file("a.txt", "a\n");
        stage.write_file("b.txt", "b\n");
        stage.run("look").await;
        stage.run("change both").await;
        assert_eq!(
            (stage.read_file("a.txt"), stage.read_file("b.txt")),
            ("A\n".into(), "B\n".into()),
            "{}",
            family.profile
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shell_tool_returns_stdout_stderr_and_exit_code() {
    for family in FAMILIES {
        let mut stage = FamilySession::new(
            family,
            replies_with_calls(family, vec![vec![family.shell("c1", "echo out; echo err >&2; exit 3")]]),
        )
        .await;
        let told = stage.run("run it").await;
        let output = &outputs(&told)[0];
        assert!(output.contains("out") && output.contains("err") && output.contains('3'), "{output}");
        assert!(stage.last_request().contains("out"), "{}", family.profile);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shell_tool_timeout_stops_command() {
    for family in FAMILIES {
        let command = "echo begun; sleep 60; echo never";
        let replies = replies_with_calls(family, vec![vec![family.shell_with_timeout("c1", command, 300)]]);
        let mut stage = FamilySession::new(family, replies).await;
        let told = stage.run("run it").await;
        let output = outputs(&told).concat();
        assert!(output.contains("begun") && !output.contains("never\n"), "{}: {output}", family.profile);
        assert!(output.contains("timed out after 300ms"), "{}: {output}", family.profile);
        let mut lifecycles = stage.handle.watch_lifecycle();
        let idle = lifecycles.wait_for(|lifecycle| *lifecycle == Lifecycle::Idle);
        tokio::time::timeout(Duration::from_secs(30), idle).await.expect("it comes to rest").unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn grep_and_glob_find_files() {
    for family in FAMILIES {
        let rounds = vec![vec![family.grep("c1", "needle"), family.glob("c2", "**/*.rs")]];
        let mut stage = FamilySession::new(family, replies_with_calls(family, rounds)).await;
        std::fs::create_dir(stage.work().join("src")).unwrap();
        stage.write_file("src/a.rs", "// a needle\n");
        stage.write_file("src/b.txt", "hay\n");
        let told = stage.run("find it").await;
        let sent = stage.last_request();
        assert!(
            outputs(&told).iter().all(|output| output.contains("a.rs") && !output.contains("b.txt")),
            "{told:?}"
        );
        assert!(sent.contains("a.rs"), "{}", family.profile);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_calls_in_several_turns_complete_task() {
    for family in FAMILIES {
        let rounds = vec![
            vec![family.grep("c1", "change me")],
            vec![family.read("c2", "a.txt")],
            vec![family.edit("c3", "a.txt", "change me", "done")],
            vec![family.shell("c4", "cat a.txt")],
        ];
        let mut stage = FamilySession::new(family, replies_with_calls(family, rounds)).await;
        stage.write_file("a.txt", "x\nchange me\n");
        let told = stage.run("do what is to be done").await;
        assert_eq!(stage.read_file("a.txt"), "x\ndone\n", "{}", family.profile);
        assert!(outputs(&told)[3].contains("x\ndone"), "{:?}", outputs(&told));
        assert_eq!(of_kind(&told, EventKind::AssistantTextEnd).last().unwrap().data["text"], "done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_output_truncated_for_model_complete_for_host() {
    for family in FAMILIES {
        let command = "head -c 100000 /dev/zero | tr '\\0' x";
        let mut stage =
            FamilySession::new(family, replies_with_calls(family, vec![vec![family.shell("c1", command)]]))
                .await;
        let told = stage.run("print much").await;
        let whole = outputs(&told)[0].matches('x').count();
        assert!(whole >= 100_000, "{}: {whole}", family.profile);
        let facts = family.parse_request(stage.server.requests().last().unwrap());
        let sent = facts.messages.last().unwrap().to_string();
        assert!(sent.len() < 60_000, "{}", sent.len());
        assert!(
            sent.contains("[WARNING: Tool output was truncated. "),
            "{}: {}",
            family.profile,
            &sent[sent.len() / 2 - 200..sent.len() / 2 + 400]
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_calls_of_one_reply_run_in_parallel() {
    for family in FAMILIES {
        // Each waits for the other: one after the other they would never end.
        let wait = |own: &str, other: &str| {
            format!("touch {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo {own} met {other}")
        };
        let calls = vec![family.shell("c1", &wait("p", "q")), family.shell("c2", &wait("q", "p"))];
        let mut stage = FamilySession::new(family, replies_with_calls(family, vec![calls])).await;
        let told = stage.run("both").await;
        let all = outputs(&told).concat();
        assert!(all.contains("p met q") && all.contains("q met p"), "{}: {all}", family.profile);
        // Results go back in the order of the calls.
        let facts = family.parse_request(stage.server.requests().last().unwrap());
        assert_eq!(facts.calls, facts.results, "{}", family.profile);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_edits_of_one_file_run_in_call_order() {
    for family in FAMILIES {
        // Each needs the text that the one before it writes; the paths differ as texts.
        let text = |n: usize| -> &'static str { format!("state {n} of the file").leak() };
        let path = |n: usize| if n.is_multiple_of(2) { "a.txt" } else { "./a.txt" };
        let edit = |n: usize| family.edit(format!("c{n}").leak(), path(n), text(n), text(n + 1));
        let calls = [vec![family.read("r", "a.txt")], (0..20).map(edit).collect()];
        let mut stage = FamilySession::new(family, replies_with_calls(family, calls.into())).await;
        stage.write_file("a.txt", "x\nstate 0 of the file\n");
        let told = stage.run("count").await;
        assert_eq!(stage.read_file("a.txt"), "x\nstate 20 of the file\n", "{}: {told:?}", family.profile);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steering_message_during_tool_call_reaches_next_request() {
    for family in FAMILIES {
        let wait = "while [ ! -e go ]; do sleep 0.01; done";
        let mut stage =
            FamilySession::new(family, replies_with_calls(family, vec![vec![family.shell("c1", wait)]]))
                .await;
        stage.send("begin");
        stage.wait_for_event(|event| matches!(event, AgentEvent::ToolStart { .. })).await;
        stage.send("zebra stripes");
        stage.wait_for_event(|event| matches!(event, AgentEvent::QueueUpdate { .. })).await;
        stage.write_file("go", "");
        let told = stage.wait_for_end().await;
        let steered = of_kind(&told, EventKind::SteeringInjected);
        assert_eq!(steered[0].data["content"], "zebra stripes", "{}", family.profile);
        assert_eq!(of_kind(&told, EventKind::UserInput).len(), 1, "{told:?}");
        let seen = stage.server.requests();
        assert!(!seen[0].text.contains("zebra") && seen[1].text.contains("zebra stripes"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reasoning_effort_change_applies_to_next_request() {
    for family in FAMILIES {
        let replies = vec![family.text_reply(&["one"]), family.text_reply(&["two"])];
        let mut stage = FamilySession::with_options(family, replies, vec![], |options| Options {
            thinking: Some(Thinking::Low),
            ..options
        })
        .await;
        stage.run("first").await;
        stage.handle.set_thinking(Thinking::High);
        stage.run("second").await;
        let effort = |n: usize| {
            let body = stage.server.requests()[n].body.clone();
            let key = match family.profile {
                "openai" => "reasoning",
                "anthropic" => "thinking",
                _ => "generationConfig",
            };
            (body[key].clone(), body["output_config"].clone())
        };
        assert_ne!(effort(0), effort(1), "{}", family.profile);
        assert_ne!(effort(0).0, json!(null), "{}", family.profile);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subagent_spawn_and_wait_returns_result() {
    for family in FAMILIES {
        let wait = wait_for_agent("c2", "agent_1");
        let replies = replies_with_calls(family, vec![vec![family.spawn("c1", "write b.txt")], vec![wait]]);
        let delegated = vec![
            family.parts_reply(vec![family.create("d1", "b.txt", "by the other\n")]),
            family.text_reply(&["b.txt is written"]),
        ];
        let mut stage = FamilySession::with_options(family, replies, delegated, |options| options).await;
        let told = stage.run("have it written").await;
        let outputs = outputs(&told);
        assert!(outputs[0].contains(r#""agent_id":"agent_1""#), "{}: {outputs:?}", family.profile);
        assert!(
            outputs[1].contains("success true, turns used 2") && outputs[1].contains("b.txt is written"),
            "{outputs:?}"
        );
        assert_eq!(stage.read_file("b.txt"), "by the other\n");
        // It has a conversation of its own, and cannot start agents itself.
        let theirs: Vec<_> = stage
            .server
            .requests()
            .into_iter()
            .filter(|seen| seen.text.contains("You are working for another"))
            .collect();
        assert_eq!(theirs.len(), 2);
        assert!(!theirs[0].text.contains("have it written"));
        let tools = family.parse_request(&theirs[0]).tools;
        assert!(!tools.iter().any(|tool| tool.contains("agent") || tool == "Agent"), "{tools:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loop_detection_warns_model_and_host() {
    for family in FAMILIES {
        let rounds = (0..10).map(|_| vec![family.shell("c", "true")]).collect();
        let mut stage = FamilySession::new(family, replies_with_calls(family, rounds)).await;
        let told = stage.run("go round").await;
        assert_eq!(of_kind(&told, EventKind::LoopDetection).len(), 1, "{}", family.profile);
        let seen = stage.server.requests();
        assert!(seen[10].text.contains("Loop detected: the last 10 tool calls follow a repeating pattern."));
        assert!(!seen[9].text.contains("Loop detected"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tool_errors_let_model_recover() {
    for family in FAMILIES {
        let rounds = vec![
            vec![family.read("c1", "nowhere.txt")],
            vec![AnswerPart::Call { id: "c2", name: "no_such_tool", args: vec!["{}".into()] }],
            vec![family.edit("c3", "a.txt", "not there", "x")],
            vec![family.read("c4", "a.txt")],
            vec![family.edit("c5", "a.txt", "one", "1")],
        ];
        let mut stage = FamilySession::new(family, replies_with_calls(family, rounds)).await;
        stage.write_file("a.txt", "one\n");
        let told = stage.run("change it").await;
        let outputs = outputs(&told);
        assert!(outputs[..3].iter().all(|output| output.starts_with('!')), "{}: {outputs:?}", family.profile);
        assert!(outputs[1].contains("no tool named \"no_such_tool\""), "{outputs:?}");
        assert_eq!(stage.read_file("a.txt"), "1\n", "{}: {outputs:?}", family.profile);
        assert_eq!(of_kind(&told, EventKind::AssistantTextEnd).last().unwrap().data["text"], "done");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edit_tool_is_native_to_model_family() {
    for family in FAMILIES {
        let rounds = vec![vec![family.read("c1", "a.txt")], vec![family.edit("c2", "a.txt", "old", "new")]];
        let mut stage = FamilySession::new(family, replies_with_calls(family, rounds)).await;
        stage.write_file("a.txt", "x\nold\n");
        let told = stage.run("change it").await;
        assert_eq!(stage.read_file("a.txt"), "x\nnew\n", "{:?}", outputs(&told));
        let offered = family.parse_request(&stage.server.requests()[0]).tools;
        let own = match family.profile {
            "openai" => "apply_patch",
            "anthropic" => "Edit",
            _ => "replace",
        };
        assert!(offered.contains(&own.to_string()), "{offered:?}");
        assert_eq!(offered.contains(&"apply_patch".to_string()), family.profile == "openai");
    }
}

/// What the model answers in the smoke test, prompt by prompt.
fn smoke_test_replies(family: Family) -> Vec<Reply> {
    let hello = "print('Hello World')\n";
    let both = "print('Hello World')\nprint('Goodbye')\n";
    let edit = family.edit("s3", "hello.py", hello.trim_end(), both.trim_end());
    let prompts = [
        vec![vec![family.create("s1", "hello.py", hello)]],
        vec![vec![family.read("s2", "hello.py")], vec![edit]],
        vec![vec![family.shell("s4", "cat hello.py")]],
        vec![vec![family.read("s5", "big.txt")]],
        vec![vec![family.shell("s6", "while [ ! -e go ]; do sleep 0.01; done")]],
        vec![vec![family.spawn("s7", "write tests")], vec![wait_for_agent("s8", "agent_1")]],
        vec![vec![family.shell("s9", "sleep 30")]],
    ];
    prompts.into_iter().flat_map(|rounds| replies_with_calls(family, rounds)).collect()
}

/// Creating, reading and editing, running, long outputs, steering, another agent, a time-out: one session.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agent_smoke_test_passes_seven_steps() {
    for family in FAMILIES {
        let delegated = vec![family.text_reply(&["tests are written"])];
        let mut stage =
            FamilySession::with_options(family, smoke_test_replies(family), delegated, |options| Options {
                // The default time of a command, shortened.
                tools_config: ToolsConfig {
                    command_timeout: Some(Duration::from_millis(400)),
                    ..options.tools_config.clone()
                },
                ..options
            })
            .await;
        stage.run("Create a file called hello.py that prints 'Hello World'").await;
        assert!(stage.read_file("hello.py").contains("Hello"));
        stage.run("Read hello.py and add a second print statement that says 'Goodbye'").await;
        assert!(
            stage.read_file("hello.py").contains("Hello") && stage.read_file("hello.py").contains("Goodbye"),
            "{}",
            family.profile
        );
        let told = stage.run("Run hello.py and show the output").await;
        assert_eq!(of_kind(&told, EventKind::ToolCallStart).len(), 1);
        // One line of a hundred thousand characters.
        stage.write_file("big.txt", &"y".repeat(100_000));
        let told = stage.run("Read big.txt").await;
        assert!(
            outputs(&told)[0].contains(&"y".repeat(100_000)),
            "{}: {}",
            family.profile,
            outputs(&told)[0].len()
        );
        let sent = stage.last_request();
        assert!(sent.contains("[WARNING: Tool output was truncated."), "{}", family.profile);
        let kept = sent.matches("yyyyyyyyyy").count() * 10;
        assert!((40_000..60_000).contains(&kept), "{}: {kept}", family.profile);
        stage.send("Create a Flask web application with multiple routes");
        stage.wait_for_event(|event| matches!(event, AgentEvent::ToolStart { .. })).await;
        stage.send("Actually, just create a single /health endpoint");
        stage.wait_for_event(|event| matches!(event, AgentEvent::QueueUpdate { .. })).await;
        stage.write_file("go", "");
        stage.wait_for_end().await;
        assert!(stage.last_request().contains("single /health endpoint"));
        let told = stage.run("Spawn a subagent to write tests for hello.py, then review its output").await;
        assert_eq!(of_kind(&told, EventKind::ToolCallEnd).len(), 2);
        assert!(outputs(&told)[1].contains("tests are written"));
        let told = stage.run("Run 'sleep 30' with the default timeout").await;
        let output = outputs(&told).concat();
        assert!(output.contains("timed out after 400ms"), "{}: {output}", family.profile);
        let rest = stage.close().await;
        assert_eq!(rest.last().unwrap().kind, EventKind::SessionEnd);
    }
}
