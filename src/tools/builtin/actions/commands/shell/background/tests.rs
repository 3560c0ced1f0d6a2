//! The tool and what follows its commands into the background, against a real shell.

use super::*;
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::anthropic;
use crate::tools::running::tests::{Bench, goes_round};

fn tool(name: &str) -> &'static BuiltinTool {
    anthropic::SET.get(name).unwrap()
}

#[tokio::test]
async fn bash_tool_output_exit_code_and_interrupt() {
    let bench = Bench::new();
    let run = async |args| bench.text(tool("Bash"), args).await;
    assert_eq!(run(json!({"command": "echo a; echo b >&2"})).await, ("a\nb".into(), false));
    assert_eq!(run(json!({"command": "true"})).await, ("(no output)".into(), false));
    assert_eq!(run(json!({"command": "echo oops; exit 7"})).await, ("Exit code 7\noops".into(), true));
    let (text, failed) = run(json!({"command": "echo stop me; exec sleep 60"})).await;
    assert!(failed && text == "stop me\n\nCommand interrupted by the user.", "{text}");
}

#[tokio::test]
async fn bash_tool_background_command_is_polled_and_killed() {
    let bench = Bench::new();
    // The output begins after the answer to the call, which takes what was printed before it.
    let script = "until [ -e go ]; do sleep 0.02; done; echo one; echo two; while :; do sleep 0.1; done";
    let (text, failed) =
        bench.text(tool("Bash"), json!({"command": script, "run_in_background": true})).await;
    assert!(!failed && text.contains("as bash_1."), "{text}");
    std::fs::write(bench.folder.path().join("go"), "").unwrap();
    let job = bench.shared.jobs.get(1).unwrap();
    while !job.live.tail().contains("two") {
        job.live.wait_for_output().await;
    }
    let (text, _) = bench.text(tool("BashOutput"), json!({"bash_id": "bash_1", "filter": "^t"})).await;
    assert_eq!(text, "<status>running</status>\n<stdout>\ntwo\n</stdout>");
    assert_eq!(
        bench.text(tool("BashOutput"), json!({"bash_id": "bash_1"})).await.0,
        "<status>running</status>\n"
    );
    assert!(bench.text(tool("BashOutput"), json!({"bash_id": "bash_1", "filter": "("})).await.1);
    let (text, failed) = bench.text(tool("KillShell"), json!({"shell_id": "bash_1"})).await;
    assert!(!failed && text.starts_with("bash_1 was ended: until"), "{text}");
    assert!(bench.text(tool("KillShell"), json!({"shell_id": "bash_1"})).await.0.contains("ended already"));
    assert_eq!(
        bench.text(tool("BashOutput"), json!({"bash_id": "bash_1"})).await.0,
        "<status>killed</status>\n"
    );
    let (text, failed) = bench.text(tool("BashOutput"), json!({"bash_id": "bash_7"})).await;
    assert!(failed && text.starts_with("There is no command bash_7"), "{text}");
}

#[tokio::test]
async fn bash_tool_timeout_moves_to_background_or_stops() {
    let bench = Bench::new();
    let args = json!({"command": "echo begun; read -r x < /dev/zero; cat", "timeout_ms": 2000});
    let spins = json!({"command": "echo begun; while :; do :; done", "timeout": 2000});
    let (text, failed) = bench.text(tool("Bash"), spins).await;
    assert!(
        !failed && text.starts_with("begun\n\nThe command has not ended after 2000 ms and runs on"),
        "{text}"
    );
    assert!(bench.shared.jobs.get(1).unwrap().live.end().is_none());
    assert_eq!(tool("Bash").prepare(args)["timeout"], json!(2000));
    let (text, failed) =
        bench.text(tool("Bash"), json!({"command": "echo begun; sleep 60", "timeout": 2000})).await;
    let words = "begun\n\n[ERROR: Command timed out after 2000ms. Partial output is shown above.\nYou can retry with a \
                 longer timeout by setting the timeout_ms parameter.]";
    assert!(failed && text == words, "{text}");
    assert_eq!(bench.shared.jobs.list().len(), 1);
}

#[test]
fn bash_tool_only_parsed_commands_continue_after_timeout() {
    for (script, on) in [
        ("make", true),
        ("sleep 5", false),
        ("make && /bin/sleep 5", false),
        ("git fetch", false),
        ("$X", false),
        ("echo 'open", false),
    ] {
        assert_eq!(may_run_on(script), on, "{script}");
    }
}

#[tokio::test]
async fn bash_tool_long_output_is_truncated_and_kept() {
    let bench = Bench::new();
    let outcome = bench.run(tool("Bash"), json!({"command": "yes 0123456789 | head -c 3000000"})).await;
    let text = crate::llm::model::message::join_text(&outcome.content);
    assert!(
        text.contains("lines omitted") && text.contains("All 3000000 characters are kept as artifact://1")
    );
    assert!(outcome.full_text.is_none(), "it is too long for listeners");
    assert_eq!(bench.shared.artifacts.list().unwrap()[0].bytes, 3_000_000);
}

#[tokio::test]
async fn bash_output_filter_reports_unseen_middle() {
    let bench = Bench::new();
    // The output begins after the answer to the call, which takes what was printed before it.
    let script = "until [ -e go ]; do sleep 0.02; done; echo error one; yes fill | head -c 2000000; echo error two; yes fill | head -c 2000000; \
                  echo error three";
    bench.text(tool("Bash"), json!({"command": script, "run_in_background": true})).await;
    std::fs::write(bench.folder.path().join("go"), "").unwrap();
    let job = bench.shared.jobs.get(1).unwrap();
    job.live.wait_for_end().await;
    drop(job);
    let outcome = bench.run(tool("BashOutput"), json!({"bash_id": "bash_1", "filter": "error"})).await;
    let text = crate::llm::model::message::join_text(&outcome.content);
    let wanted = "<stdout>\nerror one\nerror three\n</stdout>\n[Only the first 512.0KB and the last 512.0KB were \
                  filtered; all of it is in artifact://1.]";
    assert!(text.ends_with(wanted), "{text}");
    assert_eq!(outcome.artifact.as_deref(), Some("artifact://1"));
    let kept = &bench.shared.artifacts.list().unwrap()[0];
    assert!(std::fs::read_to_string(&kept.path).unwrap().contains("error two"));
}

#[test]
fn bash_tool_calls_roundtrip() {
    goes_round(tool("Bash"), &json!({"command": "ls", "timeout": 500, "run_in_background": true}));
    goes_round(tool("Bash"), &json!({"command": "ls"}));
}
