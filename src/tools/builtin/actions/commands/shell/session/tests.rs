//! The tool and its sessions against a real shell.

use super::*;
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::openai;
use crate::tools::running::tests::{Bench, goes_round};

fn tool(name: &str) -> &'static BuiltinTool {
    openai::SET.get(name).unwrap()
}

/// The result without what differs from run to run.
fn fields(text: &str) -> String {
    let lines =
        text.lines().filter(|line| !line.starts_with("Wall time: ") && !line.starts_with("Chunk ID: "));
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn exec_command_result_has_codex_fields() {
    let bench = Bench::new();
    let (text, failed) = bench.text(tool("exec_command"), json!({"cmd": "echo hi", "login": false})).await;
    assert!(text.starts_with("Chunk ID: ") && text.contains("\nWall time: 0."), "{text}");
    assert_eq!(fields(&text), "Process exited with code 0\nOriginal token count: 1\nOutput:\nhi");
    assert!(!failed);
    let (text, failed) = bench.text(tool("exec_command"), json!({"command": "echo oops >&2; exit 3"})).await;
    assert_eq!(fields(&text), "Process exited with code 3\nOriginal token count: 2\nOutput:\noops");
    assert!(failed);
    std::fs::create_dir(bench.folder.path().join("sub")).unwrap();
    let (text, _) = bench.text(tool("exec_command"), json!({"cmd": "basename $PWD", "workdir": "sub"})).await;
    assert!(text.ends_with("\nsub"), "{text}");
    let (text, failed) = bench.text(tool("exec_command"), json!({"cmd": "ls", "workdir": "gone"})).await;
    assert!(failed && text.contains("does not exist"), "{text}");
}

#[tokio::test]
async fn exec_command_profile_secrets_are_removed() {
    let bench = Bench::new();
    let home = bench.folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let profile = "export X_API_KEY=hidden MY_COLOR=blue\nexport my_token='hidden\nTEXT=a'\n\
                   set -eu\nexport GOOGLE_APPLICATION_CREDENTIALS=/a/file\n";
    std::fs::write(home.join(".profile"), profile).unwrap();
    let script = "env | grep -E 'KEY|oken|COLOR|GOOGLE'; echo \"<${X_API_KEY-none}>\"";
    for tty in [false, true] {
        let (text, failed) = bench.text(tool("exec_command"), json!({"cmd": script, "tty": tty})).await;
        assert!(!failed && !text.contains("hidden") && text.contains("<none>"), "{text}");
        assert!(text.contains("MY_COLOR=blue") && text.contains("CREDENTIALS=/a/file"), "{text}");
    }
    let (text, _) = bench.text(tool("exec_command"), json!({"cmd": "\n\n)"})).await;
    assert!(text.contains("line 3"), "the shell counts the command's lines: {text}");
}

#[tokio::test]
async fn exec_command_session_takes_stdin_until_exit() {
    let bench = Bench::new();
    // Without a terminal nothing can be typed, and who reads is not kept waiting.
    let (text, failed) = bench.text(tool("exec_command"), json!({"cmd": "cat"})).await;
    assert!(!failed && text.contains("exited with code 0"), "{text}");
    let script = "stty -echo; while read -r line; do echo \"<$line>\"; done; echo over; exit 2";
    let (text, failed) =
        bench.text(tool("exec_command"), json!({"cmd": script, "yield_time_ms": 1, "tty": true})).await;
    assert_eq!(fields(&text), "Process running with session ID 1\nOriginal token count: 0\nOutput:");
    assert!(!failed);
    let (text, _) = bench
        .text(tool("write_stdin"), json!({"session_id": 1, "chars": "one\n", "yield_time_ms": 2_000}))
        .await;
    assert!(text.contains("session ID 1") && text.contains("<one>"), "{text}");
    let (text, failed) = bench
        .text(tool("write_stdin"), json!({"session_id": 1, "chars": "\u{4}", "yield_time_ms": 20_000}))
        .await;
    assert!(failed && text.contains("exited with code 2") && text.contains("over"), "{text}");
    let (text, failed) = bench.text(tool("write_stdin"), json!({"session_id": 1})).await;
    assert!(failed && text == "There is no command 1; none runs on and none has news.", "{text}");
}

#[tokio::test]
async fn exec_command_tty_runs_interactive_program() {
    let bench = Bench::new();
    let script = "python3 -q 2>/dev/null || cat";
    let args = json!({"cmd": format!("tty; {script}"), "tty": true, "yield_time_ms": 2_000});
    let (text, _) = bench.text(tool("exec_command"), args).await;
    assert!(text.contains("/dev/"), "{text}");
    let (text, _) = bench
        .text(tool("write_stdin"), json!({"session_id": 1, "chars": "6 * 7\n", "yield_time_ms": 2_000}))
        .await;
    assert!(text.contains("42") || text.contains("6 * 7"), "{text}");
    let (text, _) = bench.text(tool("write_stdin"), json!({"session_id": 1, "chars": "\u{4}"})).await;
    assert!(text.contains("exited with code 0") || text.contains("session ID 1"), "{text}");
}

/// Types Ctrl-C into session 1.
async fn interrupted(bench: &Bench) -> String {
    bench.text(tool("write_stdin"), json!({"session_id": 1, "chars": "\u{3}"})).await.0
}

#[tokio::test]
async fn exec_command_ctrl_c_interrupts_foreground_program() {
    let bench = Bench::new();
    let args = json!({"cmd": "exec sleep 600", "tty": true, "yield_time_ms": 250});
    let (text, _) = bench.text(tool("exec_command"), args).await;
    assert!(text.contains("session ID 1"), "{text}");
    let id = bench.shared.jobs.get(1).unwrap().live.id.unwrap();
    // The shell is done with its start when the program stands in its place.
    while std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap() != "sleep\n" {
        tokio::task::yield_now().await;
    }
    let mut text = interrupted(&bench).await;
    // The end may be heard of later than a call listens; the session is gone then, with its last words.
    while text.contains("session ID 1") {
        text = bench.text(tool("write_stdin"), json!({"session_id": 1})).await.0;
    }
    assert!(text.contains("exited with code 130"), "{text}");
}

/// bash swallows a Ctrl-C that comes while it reads the start files, while it makes way for a program, or
/// just as a program ends (it takes that for the program's own business): the terminal has sent the signal
/// to whoever was in front, and that was bash. So it does anywhere. What we owe is that a result says that
/// the session runs on, so that a model types it again, and that it works as often as it is typed.
#[tokio::test]
async fn exec_command_swallowed_ctrl_c_can_be_repeated() {
    let bench = Bench::new();
    let script = "while :; do sleep 0.001; done";
    let (text, _) =
        bench.text(tool("exec_command"), json!({"cmd": script, "tty": true, "yield_time_ms": 250})).await;
    assert!(text.contains("session ID 1"), "{text}");
    for _ in 0..100 {
        let text = interrupted(&bench).await;
        if !text.contains("session ID 1") {
            assert!(text.contains("exited with code 130"), "{text}");
            return;
        }
    }
    panic!("no Ctrl-C of a hundred has interrupted it");
}

#[tokio::test]
async fn exec_command_timeout_and_interrupt_messages() {
    let bench = Bench::new();
    let args = json!({"cmd": "echo begun; exec sleep 60", "timeout_ms": 2000, "login": false});
    let outcome = bench.run(tool("exec_command"), args).await;
    let text = crate::llm::model::message::join_text(&outcome.content);
    let words = "begun\n\n[ERROR: Command timed out after 2000ms. Partial output is shown above.\nYou can retry with a \
                 longer timeout by setting the timeout_ms parameter.]";
    assert!(outcome.is_error && text.ends_with(words), "{text}");
    let (text, failed) =
        bench.text(tool("exec_command"), json!({"cmd": "echo stop me; exec sleep 60"})).await;
    assert!(failed && text.ends_with("stop me\n\nCommand interrupted by the user."), "{text}");
}

#[tokio::test]
async fn exec_command_long_output_is_truncated_by_tokens() {
    let bench = Bench::new();
    let outcome = bench
        .run(tool("exec_command"), json!({"cmd": "seq 1 100000 | tr '\\n' ' '", "max_output_tokens": 100}))
        .await;
    let text = crate::llm::model::message::join_text(&outcome.content);
    assert!(
        text.contains("characters were removed from the middle") && text.contains("artifact://1"),
        "{text}"
    );
    assert!(text.len() < 900 && text.contains("Original token count: 147224"), "{text}");
    assert_eq!(outcome.full_text.unwrap().len(), 588_895);
    let (text, _) = bench.text(tool("exec_command"), json!({"cmd": "seq 1 2000"})).await;
    assert!(text.contains("lines omitted ...]") && text.lines().count() <= 262, "{text}");
}

#[test]
fn exec_command_calls_roundtrip_and_have_targets() {
    goes_round(tool("exec_command"), &json!({"cmd": "ls", "workdir": "/tmp", "timeout_ms": 500}));
    goes_round(tool("exec_command"), &json!({"cmd": "ls"}));
    assert_eq!(tool("exec_command").targets(&json!({"cmd": "ls"})), ["ls"]);
    assert_eq!(tool("write_stdin").targets(&json!({"session_id": 4})), Vec::<String>::new());
    assert_eq!(
        tool("write_stdin").targets(&json!({"session_id": 4, "chars": "rm x\n"})),
        ["stdin of command 4:", "rm x\n"]
    );
}
