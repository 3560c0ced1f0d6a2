//! Kept outputs are read again by the tools of every family.

use std::sync::Arc;

use serde_json::Value;

use tokio_util::sync::CancellationToken;

use super::{Bench, Decision, Mode, Registry, ToolCall, execute, join_text};
use crate::base::json::json;

#[tokio::test]
async fn artifact_is_read_by_every_family_tool() {
    let bench = Bench::new(Decision::Allow);
    let context = bench.context(Mode::OnRequest);
    let lines: Vec<String> = (1..=9).map(|n| format!("line {n}")).collect();
    let kept = context.shared.artifacts.save("bash", &lines.join("\n"));
    kept.expect("the folder can be written");
    for (set, name, args) in [
        ("pi", "read", json!({"path": "artifact://1", "offset": 4, "limit": 2})),
        ("openai", "read_file", json!({"file_path": "artifact://1", "offset": 4, "limit": 2})),
        ("anthropic", "Read", json!({"file_path": "artifact://1", "offset": 4, "limit": 2})),
        ("gemini", "read_file", json!({"file_path": "artifact://1", "start_line": 4, "end_line": 5})),
    ] {
        let run = async |arguments| {
            let call = ToolCall { id: "c".into(), name: name.into(), arguments, thought_signature: None };
            let cancel = CancellationToken::new();
            execute(&Registry::of(set), &context, &call, cancel, Arc::new(|_| {})).await
        };
        let outcome = run(args.clone()).await;
        let text = join_text(&outcome.content);
        assert!(!outcome.is_error && text.contains("line 4") && text.contains("line 5"), "{set}: {text}");
        assert!(!text.contains("line 6"), "{set}: {text}");
        let missing: Value = serde_json::from_str(&args.to_string().replace("artifact://1", "artifact://7"))
            .expect("it is still JSON");
        let outcome = run(missing).await;
        let text = join_text(&outcome.content);
        assert!(
            outcome.is_error && text == "There is no artifact://7. Kept are: artifact://1.",
            "{set}: {text}"
        );
    }
}

#[tokio::test]
async fn artifact_long_line_is_truncated_for_model_only() {
    let bench = Bench::new(Decision::Allow);
    let context = bench.context(Mode::OnRequest);
    let kept = context.shared.artifacts.save("bash", &"x".repeat(200_000));
    kept.expect("the folder can be written");
    for (set, name, field) in [
        ("openai", "read_file", "file_path"),
        ("anthropic", "Read", "file_path"),
        ("gemini", "read_file", "file_path"),
    ] {
        let arguments = json!({field: "artifact://1"});
        let call = ToolCall { id: "c".into(), name: name.into(), arguments, thought_signature: None };
        let cancel = CancellationToken::new();
        let outcome = execute(&Registry::of(set), &context, &call, cancel, Arc::new(|_| {})).await;
        let text = join_text(&outcome.content);
        assert!(text.contains("characters were removed from the middle"), "{set}: {text}");
        assert!(text.contains("Line 1 has 195.3KB. See a part of it with a shell command: sed -n '1p' "));
        let count = |text: &str| text.matches("xxxxxxxxxx").count() * 10;
        assert!((49_000..51_000).contains(&count(&text)), "{set}: {}", count(&text));
        assert_eq!(outcome.full_text.map(|text| count(&text)), Some(200_000), "{set}");
    }
}
