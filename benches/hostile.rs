//! What hostile or broken programs send, in every card of the conversation: no step of the event loop is long.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bowline::agent::AgentEvent;
use bowline::ide::core::event::Event;
use bowline::llm::model::{KnownPart, Message, Part, StreamEvent, ToolResultMessage, UserMessage};
use bowline::runtime::RuntimeEvent;
use bowline::tui::input::{Input, MouseKind};
use serde_json::{Map, Value, json};

use crate::conversation::write_session;
use crate::open_session::{OpenSession, streamed};
use crate::transcript::png;
use crate::{Effort, report};

const BUDGET: &str = "<= 5 ms";
/// Messages before the hostile ones.
const MESSAGES: usize = 100;
/// Images of one message.
const IMAGES: u32 = 8;

/// The longest step of all, and which it was.
#[derive(Default)]
struct Longest {
    milliseconds: f64,
    step: String,
}

impl Longest {
    fn add(&mut self, step: &str, milliseconds: f64) {
        if milliseconds > self.milliseconds {
            *self = Self { milliseconds, step: step.to_string() };
        }
    }

    fn report(&self, what: &str) {
        report(&format!("{what}: {}", self.step), self.milliseconds, "ms", None, BUDGET);
    }
}

fn agent(event: AgentEvent) -> Event {
    Event::Runtime(RuntimeEvent::Agent(event))
}

fn text_part(text: &str) -> Part {
    Part::Known(KnownPart::Text { text: text.to_string(), text_signature: None })
}

fn user_message(content: Vec<Part>) -> Event {
    let message = Message::User(UserMessage { content, timestamp: 0, extra: Map::new() });
    agent(AgentEvent::MessageStart(Arc::new(message)))
}

fn tool_end(call_id: &str, tool: &str, content: Vec<Part>, details: Option<Value>) -> Event {
    let result = ToolResultMessage {
        tool_call_id: call_id.to_string(),
        tool_name: tool.to_string(),
        content,
        details,
        is_error: false,
        timestamp: 0,
        extra: Map::new(),
    };
    agent(AgentEvent::ToolEnd {
        call_id: call_id.to_string(),
        tool: tool.to_string(),
        result: Arc::new(result),
        full_text: None,
        took: Duration::from_secs(1),
    })
}

/// Arguments of each tool that has a card of its own, all of them hostile.
fn calls(text: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("bash", json!({ "command": text })),
        ("read", json!({ "path": text })),
        ("edit", json!({ "path": text, "edits": [{ "oldText": text, "newText": text }] })),
        ("write", json!({ "path": text, "content": text })),
        ("grep", json!({ "pattern": text, "path": text })),
        ("todo", json!({ "items": [{ "text": text, "status": "pending" }] })),
        ("unknown", json!({ "text": text, text: 1 })),
    ]
}

/// A line of a diff that was changed, as results have it; they have a limited number of rows.
fn details(text: &str) -> Value {
    let text = text.replace('\n', "⏎");
    json!({ "diff": format!("-1 {text}\n+1 {text}!\n"), "patch": text })
}

/// Shows a step and what follows from it: unfolded, folded, scrolled over.
fn look_around(session: &mut OpenSession, longest: &mut Longest, step: &str) {
    longest.add(step, session.longest_step());
    for key in ["Ctrl-o", "Ctrl-o"] {
        longest.add(&format!("{step}, unfolded"), session.longest_of(key));
    }
    for kind in [MouseKind::ScrollUp, MouseKind::ScrollUp, MouseKind::ScrollDown, MouseKind::ScrollDown] {
        longest.add(&format!("{step}, scrolled"), session.wheel(kind).into_iter().fold(0.0, f64::max));
    }
}

fn play(session: &mut OpenSession, longest: &mut Longest, text: &str) {
    let mut handle = |session: &mut OpenSession, step: &str, event: Event| {
        longest.add(step, session.handle(event));
        look_around(session, longest, step);
    };
    handle(session, "message", user_message(vec![text_part(text)]));
    session.handle(streamed(StreamEvent::TextStart { index: 0 }));
    handle(session, "answer", streamed(StreamEvent::TextDelta { index: 0, delta: text.to_string() }));
    session.handle(streamed(StreamEvent::ThinkingStart { index: 1 }));
    handle(session, "thinking", streamed(StreamEvent::ThinkingDelta { index: 1, delta: text.to_string() }));
    for (n, (tool, args)) in calls(text).into_iter().enumerate() {
        let (call_id, tool_name) = (format!("hostile{n}"), tool.to_string());
        handle(
            session,
            tool,
            agent(AgentEvent::ToolStart { call_id: call_id.clone(), tool: tool_name, args }),
        );
        let live = AgentEvent::ToolUpdate { call_id: call_id.clone(), text: text.to_string() };
        handle(session, &format!("{tool}, running"), agent(live));
        let end = tool_end(&call_id, tool, vec![text_part(text)], Some(details(text)));
        handle(session, &format!("{tool}, ended"), end);
    }
    let notice = AgentEvent::LimitReached(text.to_string());
    handle(session, "notice", agent(notice));
}

/// Pastes a text into the prompt, edits it and undoes that.
fn paste(session: &mut OpenSession, longest: &mut Longest, text: &str) {
    longest.add("paste", session.handle(Event::Input(Input::Paste(text.to_string()))));
    longest.add("paste", session.longest_step());
    for key in ["a", "Left", "Backspace", "Ctrl-z"] {
        longest.add(&format!("paste, {key}"), session.longest_of(key));
    }
}

/// A megabyte of each kind of text, in every field that a card shows.
pub fn texts(effort: Effort) {
    let size = if effort.quick { 1_000 } else { 1_000_000 };
    let kinds = [
        ("x in one line", "x"),
        ("words in one line", "the retry loop of the parser "),
        ("marks without width", "\u{200b}\u{301}"),
        ("escapes and bidi", "\u{1b}[31m\u{1b}]0;x\u{7}\u{202e}\u{2066}\u{9b}\t"),
        ("Markdown in one line", "**a** `b` [c](d) $x^2$ <i> | "),
        ("brackets", "[(*_"),
        ("short lines", "a\n"),
        ("list items", "- *a*\n"),
        ("rows of a table", "| a | b |\n|---|---|\n"),
    ];
    for (name, piece) in kinds {
        let text = piece.repeat(size / piece.len());
        let mut session = OpenSession::new(|folder| write_session(folder, MESSAGES));
        session.press("Alt-3");
        let mut longest = Longest::default();
        play(&mut session, &mut longest, &text);
        longest.report(&format!("1 MB of {name}"));
        let mut longest = Longest::default();
        paste(&mut session, &mut longest, &text);
        longest.report(&format!("1 MB of {name} in the prompt"));
    }
}

/// A PNG whose header tells of a size that its data does not have.
fn lying(mut png: Vec<u8>, side: u32) -> Vec<u8> {
    // Width and height follow the signature and the length and name of the first chunk.
    for at in [16, 20] {
        png[at..at + 4].copy_from_slice(&side.to_be_bytes());
    }
    png
}

/// Many images of one message that come within one frame: good ones of a megapixel, broken ones, lying ones.
pub fn images(effort: Effort) {
    let side = if effort.quick { 64 } else { 1_000 };
    let image = |n: u32| {
        let good = png(side, n);
        let bytes = match n % 4 {
            0 | 1 => good,
            2 => good[..good.len() / 2].to_vec(),
            _ => lying(good, 100_000),
        };
        let data = STANDARD.encode(bytes);
        Part::Known(KnownPart::Image { data, mime_type: "image/png".to_string() })
    };
    let images: Vec<Part> = (0..IMAGES).map(image).collect();
    let mut session = OpenSession::new(|folder| write_session(folder, MESSAGES));
    session.press("Alt-3");
    let mut longest = Longest::default();
    longest.add("message", session.handle(user_message(images.clone())));
    look_around(&mut session, &mut longest, "message");
    let start = AgentEvent::ToolStart {
        call_id: "images".to_string(),
        tool: "read".to_string(),
        args: json!({ "path": "a.png" }),
    };
    session.handle(agent(start));
    longest.add("result", session.handle(tool_end("images", "read", images, None)));
    look_around(&mut session, &mut longest, "result");
    for kind in [MouseKind::ScrollUp, MouseKind::ScrollDown] {
        for _ in 0..effort.times(100) {
            longest.add("scrolled", session.wheel(kind).into_iter().fold(0.0, f64::max));
        }
    }
    longest.report("8 images in one message");
}
