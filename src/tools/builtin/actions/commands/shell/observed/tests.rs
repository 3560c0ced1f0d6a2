//! The tool against a real shell.

use super::*;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::gemini;
use crate::tools::running::tests::{Bench, goes_round};

fn tool(name: &str) -> &'static BuiltinTool {
    gemini::SET.get(name).unwrap()
}

#[tokio::test]
async fn run_shell_command_result_fields() {
    let bench = Bench::new();
    let run = async |args| bench.text(tool("run_shell_command"), args).await;
    assert_eq!(run(json!({"command": "echo a; echo b >&2"})).await, ("Output: a\nb".into(), false));
    assert_eq!(run(json!({"command": "true"})).await, ("Output: (empty)".into(), false));
    let (text, failed) = run(json!({"command": "echo oops; exit 7"})).await;
    assert!(failed && text.starts_with("Output: oops\nExit Code: 7\nProcess Group PGID: "), "{text}");
    let (text, _) = run(json!({"command": "sleep 600 & echo $!"})).await;
    let pid = text.lines().next().unwrap().trim_start_matches("Output: ").to_string();
    assert!(text.contains(&format!("\nBackground PIDs: {pid}\nProcess Group PGID: ")), "{text}");
    std::fs::create_dir(bench.folder.path().join("sub")).unwrap();
    assert_eq!(run(json!({"command": "basename $PWD", "dir_path": "sub"})).await.0, "Output: sub");
}

#[tokio::test]
async fn run_shell_command_timeout_and_interrupt_stop_it() {
    let bench = Bench::new();
    let args = json!({"command": "echo begun; exec sleep 60", "timeout_ms": 300});
    let (text, failed) = bench.text(tool("run_shell_command"), args).await;
    let words = "Output: begun\n[ERROR: Command timed out after 300ms. Partial output is shown above.\nYou can retry \
                 with a longer timeout by setting the timeout_ms parameter.]\nSignal: SIGTERM";
    assert!(failed && text.starts_with(words), "{text}");
    let (text, failed) =
        bench.text(tool("run_shell_command"), json!({"command": "echo stop me; exec sleep 60"})).await;
    assert!(failed && text.contains("Error: Command interrupted by the user."), "{text}");
}

#[tokio::test]
async fn run_shell_command_background_returns_after_delay() {
    let bench = Bench::new();
    let args = json!({"command": "echo up; exec sleep 600", "is_background": true, "delay_ms": 60_000 / 100});
    let (text, failed) = bench.text(tool("run_shell_command"), args).await;
    let job = bench.shared.jobs.get(1).unwrap();
    let wanted = format!("Command moved to background (PID: {}).\nOutput: up", job.live.id.unwrap());
    assert_eq!((text, failed), (wanted, false));
    let (text, _) = bench
        .text(
            tool("run_shell_command"),
            json!({"command": "echo gone", "is_background": true, "delay_ms": 60_000}),
        )
        .await;
    assert_eq!(text, "Output: gone");
}

#[test]
fn run_shell_command_calls_roundtrip() {
    let args = json!({"command": "ls", "dir_path": "/tmp", "timeout_ms": 500, "is_background": true});
    goes_round(tool("run_shell_command"), &args);
    goes_round(tool("run_shell_command"), &json!({"command": "ls"}));
}
