//! Random answers of a model: text of every form, thinking, calls that run, fail or must be allowed, questions, images,
//! agents and errors, with gates between their steps.

use std::io::Cursor;
use std::time::Duration;

use bowline::llm::model::{ErrorKind, LlmError};
use bowline::llm::providers::scripted::{Step, Turn};
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The tools that are called.
pub const TOOLS: &[&str] = &["read", "write", "edit", "bash", "grep", "ls", "ask_user", "spawn_agent"];
/// A file that the agent edits.
pub const CHANGED: &str = "c.rs";
/// Its text.
pub const CHANGED_TEXT: &str = "one\ntwo\nthree\n漢字 four\nfive\n";
/// An image.
pub const IMAGE: &str = "shot.png";

const TEXTS: [&str; 9] = [
    "| a | b |\n|---|---|\n| 漢字 | `code` |\n\n1. one\n   - two\n",
    "```rust\nfn main() { let x = 1; }\n```\n\nSee `a.rs:2` and [a link](https://example.com).",
    "# Title\n\nA long line that has to be wrapped at every width, with **bold** and *italic* words in it.\n\n> quoted\n",
    "```mermaid\ngraph TD; A-->B; B-->C;\n```\n",
    "$x^2 + \\alpha$ and e\u{301} 👩\u{200d}👩\u{200d}👧 \u{202e}turned\n",
    "- [ ] open\n- [x] done\n\n***\n\n| wide | table | with | many | columns |\n|-|-|-|-|-|\n| one two three | four five six | seven | eight | nine ten |\n",
    "short",
    "\u{1b}[31mno color\u{1b}[0m\ttab\r\nline\n\n\n\nend",
    "word word word word word word word word word word word word word word word word word word word word\n",
];

/// The bytes of an image.
pub fn image() -> Vec<u8> {
    let mut bytes = Vec::new();
    let image = RgbaImage::from_fn(64, 48, |x, y| Rgba([x as u8 * 3, y as u8 * 5, 90, 255]));
    DynamicImage::ImageRgba8(image).write_to(&mut Cursor::new(&mut bytes), ImageFormat::Png).unwrap();
    bytes
}

/// What a model answers, turn by turn.
pub fn turns() -> impl Strategy<Value = Vec<Turn>> {
    prop::collection::vec(turn(), 4..16)
}

fn turn() -> impl Strategy<Value = Turn> {
    let failed = prop_oneof![
        2 => (0..3_000_u64).prop_map(overloaded),
        1 => Just(Step::Fail(LlmError::new(ErrorKind::InvalidRequest, "scripted", "no such thing"))),
    ];
    let end = prop_oneof![8 => Just(None), 1 => failed.prop_map(Some)];
    (any::<u32>(), prop::collection::vec(steps(), 1..5), end).prop_map(|(turn, steps, end)| {
        let steps = steps.into_iter().enumerate().flat_map(|(n, steps)| numbered(turn, n, steps));
        Turn::of(steps.chain(end).collect())
    })
}

/// Each call has an id of its own.
fn numbered(turn: u32, n: usize, mut steps: Vec<Step>) -> Vec<Step> {
    for step in &mut steps {
        if let Step::Call { id, .. } | Step::RawCall { id, .. } = step {
            *id = format!("c{turn}-{n}");
        }
    }
    steps
}

fn overloaded(milliseconds: u64) -> Step {
    let mut error = LlmError::new(ErrorKind::Server, "scripted", "scripted answered 529: Overloaded");
    error.retry_after = Some(Duration::from_millis(milliseconds));
    Step::Fail(error)
}

fn call(name: &str, arguments: Value) -> Step {
    Step::Call { id: String::new(), name: name.to_string(), arguments }
}

/// A part of an answer, mostly with a gate before it.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = prop::sample::select(&TEXTS[..]);
    let part = prop_oneof![
        4 => (text, 1..9_usize).prop_map(|(text, size)| Step::Text(deltas(text, size))),
        2 => Just(Step::Thinking("What might it be?\nSomething **else**.".to_string())),
        6 => prop::sample::select(calls()),
        1 => Just(Step::RawCall {
            id: String::new(),
            name: "bash".to_string(),
            arguments: "{\"command\": \"ec".to_string(),
        }),
    ];
    (prop::bool::weighted(0.7), part).prop_map(|(waits, part)| {
        let gate = waits.then_some(Step::Gate);
        gate.into_iter().chain([part]).collect()
    })
}

/// A text in pieces of so many characters.
fn deltas(text: &str, size: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(size * 4).map(|piece| piece.iter().collect()).collect()
}

fn calls() -> Vec<Step> {
    let edit = |old: &str, new: &str| {
        call("edit", json!({"path": CHANGED, "edits": [{"oldText": old, "newText": new}]}))
    };
    let bash = |command: &str| call("bash", json!({"command": command}));
    vec![
        call("read", json!({"path": IMAGE})),
        call("read", json!({"path": IMAGE})),
        call("read", json!({"path": "a.rs"})),
        call("read", json!({"path": "missing.rs"})),
        edit("two\n", "2\nand a half\n"),
        edit("2\nand a half\n", "two\n"),
        edit("five", "5 \u{1b}[2J"),
        call("write", json!({"path": "d.txt", "content": "new\nfile\n"})),
        call("write", json!({"path": "d.txt", "content": "changed\n"})),
        call("grep", json!({"pattern": "e", "path": "."})),
        call("ls", json!({"path": "."})),
        call("ask_user", json!({"question": "Which one?", "options": ["red", "green", "blue"]})),
        call("ask_user", json!({"question": "Which?", "options": ["one", "two"], "multiple": true})),
        call("ask_user", json!({"question": "Well?"})),
        call("spawn_agent", json!({"task": "look at a.rs"})),
        call("nothing", json!({"a": 1})),
        bash("mkdir -p made && echo made"),
        bash("seq 40"),
        bash("printf '\\033[31mred\\033[0m\\n'; exit 3"),
        bash("rm -f d.txt && echo https://example.com | cat"),
    ]
}
