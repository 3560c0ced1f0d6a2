//! The tool against a real shell.

use super::*;
use crate::tools::Tool;
use crate::tools::builtin::builtin_tool::BuiltinTool;
use crate::tools::builtin::families::pi;
use crate::tools::running::tests::{Bench, goes_round};

fn tool(name: &str) -> &'static BuiltinTool {
    pi::SET.get(name).unwrap()
}

#[tokio::test]
async fn job_tool_start_input_list_and_kill() {
    let bench = Bench::new();
    let run = async |args| bench.text(tool("job"), args).await;
    assert_eq!(run(json!({"action": "list"})).await.0, "(no jobs)");
    let (text, failed) = run(json!({"action": "start", "command": "cat", "wait": 0})).await;
    assert_eq!((text.as_str(), failed), ("[job 1 runs: cat]", false));
    let (text, _) = run(json!({"action": "input", "job": 1, "text": "hello\n", "wait": 2})).await;
    assert_eq!(text, "hello\n[job 1 runs: cat]");
    assert_eq!(run(json!({"action": "list"})).await.0, "job 1 runs: cat");
    assert_eq!(run(json!({"action": "kill", "job": 1})).await.0, "[job 1 was ended: cat]");
    let (text, failed) = run(json!({"action": "poll", "job": 1})).await;
    assert!(failed && text.starts_with("There is no command 1"), "{text}");
    let (text, _) = run(json!({"action": "start", "command": "echo done; exit 4", "wait": 60})).await;
    assert_eq!(text, "done\n[job 2 has ended with code 4: echo done; exit 4]");
    assert!(run(json!({"action": "start"})).await.1);
}

#[test]
fn job_tool_targets_are_command_or_stdin() {
    let targets = |args| tool("job").targets(&args);
    assert_eq!(targets(json!({"action": "start", "command": "make"})), ["make"]);
    assert_eq!(targets(json!({"action": "input", "job": 2, "text": "y\n"})), ["stdin of command 2:", "y\n"]);
    assert!(targets(json!({"action": "kill", "job": 2})).is_empty());
    goes_round(tool("job"), &json!({"action": "start", "command": "make"}));
}
