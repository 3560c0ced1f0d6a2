//! The benchmarks still run: each once, on small input, without looking at the figures.

use std::process::Command;

/// Some figure of each benchmark.
const ROWS: &[&str] = &[
    "key to frame",
    "bytes per typed",
    "start to first paint",
    "idle 10 s",
    "100 MB source: first text",
    "52 MB line: key",
    "open, again, over entries",
    "memory, 8000 entries, compacted: with its context",
    "append over entries",
    "context, compacted, over entries",
    "branch switch over entries",
    "HTML of 100 messages: size",
    "resume 100 messages: last words",
    "tree of 400 entries: key, p50",
    "5 000 tokens/s: key to first byte",
    "100 k messages: jump to start and end",
    "100 k messages: fold a card",
    "100 k messages: next hit of a search",
    "100 k messages: resize",
    "50 images scrolled: a step on the loop, max",
    "1 MB of x in one line",
    "8 images in one message",
    "1 M files: first matches of a key, p50",
    "1 M files: all matches of a key, p50",
    "file beside a list, max",
    "theme switch, max",
    "list, again, over sessions",
    "search, 1000 entries: phrase",
    "checkpoint: 10 k files, nothing changed",
    "bash output",
    "10 000 completions: answer to frame",
    "10 000 completions: a further key, max",
    "100 000 diagnostics: a step on the loop, max",
    "100 000 diagnostics of 10 000 files: taken in and drawn",
    "100 000 semantic tokens: swapped in and drawn",
    "100 000 semantic tokens: a step on the loop, max",
    "a message to a server: on the loop, p50",
    "start with three servers",
    "key to first byte, one of three floods, p99",
    "idle 10 s with three servers: wake-ups",
    "100 000 diagnostics: memory",
    "rename over 1 000 files: preview",
    "rpc: start to ready",
    "rpc: get_state, pipelined",
    "rpc: events, fast reader",
    "rpc: events, slow reader: memory",
    "openai-responses: a token",
    "anthropic-messages: 1 MB of arguments",
    "mistral-conversations: 200 k tokens to a request",
    "last byte of a delta to its event, p99",
    "an answer of 1 M tokens: memory",
];

#[test]
fn benchmarks_all_run_in_quick_mode() {
    let out = Command::new(env!("CARGO"))
        .args(["bench", "--bench", "budgets", "--profile", "dev", "--locked", "--", "--quick"])
        .current_dir(crate::source::root())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
    for row in ROWS {
        assert!(text.contains(row), "{row} is missing:\n{text}");
    }
}
