//! Outputs of megabytes: the host gets all of it, the model a part and the way to the rest.

use std::sync::Arc;

use bowline::agent::AgentEvent;
use bowline::exec::LocalEnvironment;
use bowline::llm::model::ToolCall;
use bowline::llm::model::message::join_text;
use bowline::runtime::events::observe::EventKind;
use bowline::tools::{
    self, AgentToolState, Approval, Ask, Context, Decision, Kind, Mode, Outcome, Registry, Rules,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::family::{FAMILIES, FamilySession, agent_tool_call, of_kind};
use crate::support::wires::AnswerPart;

/// What `seq` prints: more than 2 MiB.
const LINES: usize = 400_000;

fn numbered_lines() -> String {
    let lines: Vec<String> = (1..=LINES).map(|n| format!("{n}\n")).collect();
    lines.concat()
}

/// The call that a model is told to make for a part of what is kept, for other lines.
fn hinted_call(told: &str, first: usize) -> (String, Value) {
    let (_, call) = told.rsplit_once("[To see a part of it: ").unwrap_or_else(|| panic!("{told}"));
    let (name, args) = call.split_once(' ').unwrap();
    let (args, _) = args.split_once("}]").unwrap();
    let mut args: Value = serde_json::from_str(&format!("{args}}}")).unwrap();
    let fields = args.as_object_mut().unwrap();
    // From where, and how many lines or up to which.
    for (name, value) in fields.iter_mut().filter(|(_, value)| value.is_number()) {
        let by_end = name.contains("end");
        *value = match (name.contains("offset") || name.contains("start"), by_end) {
            (true, _) => json!(first),
            (_, true) => json!(first + 2),
            _ => json!(3),
        };
    }
    (name.to_string(), args)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn long_output_complete_for_host_and_readable_by_model() {
    for family in FAMILIES {
        let command = format!("seq 1 {LINES}");
        let (name, field) = match family.profile {
            "openai" => ("read_file", json!({"offset": 250_000, "limit": 3})),
            "anthropic" => ("Read", json!({"offset": 250_000, "limit": 3})),
            _ => ("read_file", json!({"start_line": 250_000, "end_line": 250_002})),
        };
        let mut args = field;
        args["file_path"] = json!("artifact://1");
        let read: AnswerPart = agent_tool_call("c2", name, &args);
        let replies = vec![
            family.parts_reply(vec![family.shell("c1", &command)]),
            family.parts_reply(vec![read]),
            family.text_reply(&["done"]),
        ];
        let mut stage = FamilySession::new(family, replies).await;
        stage.send("print much");
        stage.wait_for_event(|event| matches!(event, AgentEvent::AgentEnd { .. })).await;
        let server = stage.server.clone();
        let told = stage.close().await;
        let ended = of_kind(&told, EventKind::ToolCallEnd);
        let output = ended[0].data["output"].as_str().unwrap();
        assert!(output.len() > 2 << 20, "{}", output.len());
        let ends = (&output[..200], &output[output.len() - 200..]);
        assert!(
            output == numbered_lines().trim_end() || output == numbered_lines(),
            "{}: {ends:?}",
            family.profile
        );
        assert_eq!(ended[0].data["artifact"], "artifact://1", "{}", family.profile);
        // The model has a part, and is told how its own tool shows another.
        let sent = family.parse_request(&server.requests()[1]).messages.last().unwrap().to_string();
        assert!(sent.len() < 60_000 && sent.contains("kept as artifact://1"), "{}", sent.len());
        let escaped = sent.replace("\\\"", "\"").replace("\\\\\"", "\"");
        let (tool, wanted) = hinted_call(&escaped.replace("\\\"", "\""), 250_000);
        assert_eq!((tool.as_str(), wanted), (name, args), "{}", family.profile);
        let read = ended[1].data["output"].as_str().unwrap();
        for line in ["250000", "250001", "250002"] {
            assert!(read.contains(line), "{}: {read}", family.profile);
        }
        assert!(!read.contains("249999") && !read.contains("250004"), "{}: {read}", family.profile);
    }
}

struct NoUser;

impl Approval for NoUser {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        async move { Decision::Deny(ask.rule) }.boxed()
    }
}

async fn execute(registry: &Registry, context: &Context, name: &str, arguments: Value) -> Outcome {
    let call = ToolCall { id: "c".into(), name: name.into(), arguments, thought_signature: None };
    tools::execute(registry, context, &call, CancellationToken::new(), Arc::new(|_| {})).await
}

#[tokio::test]
async fn long_output_artifact_hint_names_own_read_tool() {
    for (set, tool, args) in [
        ("pi", "bash", json!({"command": format!("seq 1 {LINES}")})),
        ("openai", "exec_command", json!({"cmd": format!("seq 1 {LINES}"), "yield_time_ms": 30_000})),
        ("anthropic", "Bash", json!({"command": format!("seq 1 {LINES}")})),
        ("gemini", "run_shell_command", json!({"command": format!("seq 1 {LINES}"), "timeout_ms": 600_000})),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home").into_os_string();
        let vars = [("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), home)];
        let context = Context {
            env: Arc::new(LocalEnvironment::new(folder.path().to_path_buf(), vars)),
            approval: Arc::new(NoUser),
            mode: Mode::Full.into(),
            rules: Rules::default().into(),
            shared: Arc::new(AgentToolState::new(folder.path().join("outputs"))),
        };
        let mut registry = Registry::of(set);
        let outcome = execute(&registry, &context, tool, args.clone()).await;
        assert!(!outcome.is_error, "{set}: {outcome:?}");
        assert_eq!(outcome.artifact.as_deref(), Some("artifact://1"), "{set}");
        let kept = context.shared.artifacts.read_whole("artifact://1").await.unwrap();
        assert!(kept == numbered_lines() || kept == numbered_lines().trim_end(), "{set}");
        // The call that it is told to make works as it stands, and for other lines.
        for first in [1, 123_456, LINES - 2] {
            let (name, args) = hinted_call(&join_text(&outcome.content), first);
            let read = execute(&registry, &context, &name, args).await;
            let text = join_text(&read.content);
            assert!(!read.is_error && text.contains(&(first + 2).to_string()), "{set} {first}: {text}");
            assert!(!text.contains(&(first - 1).to_string()) || first == 1, "{set} {first}: {text}");
        }
        // Who may not read is not told to.
        let reads: Vec<String> = registry
            .entries()
            .iter()
            .filter(|row| row.tool.kind() == Kind::Read)
            .map(|row| row.spec.name.clone())
            .collect();
        registry.retain(|name| !reads.iter().any(|read| read == name));
        let outcome = execute(&registry, &context, tool, args).await;
        assert!(!join_text(&outcome.content).contains("To see a part"), "{set}");
    }
}
