//! Figures from inside the process: the same application as on a terminal, without one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowline::agent::AgentEvent;
use bowline::exec::local::LocalEnvironment;
use bowline::ide::core::context::Tasks;
use bowline::ide::core::event::Event;
use bowline::ide::core::options::Options;
use bowline::ide::core::tasks::threads::Threads;
use bowline::ide::features::files::open::{OpenedFile, on_opened};
use bowline::ide::shell::app::App;
use bowline::ide::shell::catalog::read_keymap;
use bowline::llm::model::{Message, StreamEvent, UserMessage};
use bowline::runtime::RuntimeEvent;
use bowline::text::changes::ChangeSet;
use bowline::text::document::Document;
use bowline::text::position::Byte;
use bowline::text::search::{Needle, SearchOptions};
use bowline::text::transaction::Transaction;
use bowline::tui::input::{Input, Key};
use tokio::sync::{Notify, mpsc};

use crate::{Effort, percentile, report};

const SIZE: (u16, u16) = (120, 40);

/// An application with a text open, on a runtime that must outlive it.
struct AppFixture {
    app: App,
    _runtime: tokio::runtime::Runtime,
    _folder: tempfile::TempDir,
    _events: mpsc::Receiver<Event>,
}

fn app_with_text(text: &str) -> AppFixture {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let env = Arc::new(LocalEnvironment::new(folder.path().into(), []));
    let (sender, events) = mpsc::channel(64);
    let options = Options {
        keymap: read_keymap("default", include_str!("../keymaps/default.toml")).0,
        keep_drafts: true,
        keep_undo: true,
        ..Options::new(folder.path().into(), folder.path().into())
    };
    let tasks = Tasks::new(Threads::from_handle(runtime.handle().clone()), Arc::new(sender));
    let mut app = App::new(options, (tasks, env), SIZE, Arc::new(Notify::new()));
    // As xterm-256color promises.
    app.screen.set_erase_colored(true);
    let path = folder.path().join("text.rs");
    let result = Ok(Some((Document::from_bytes(text.as_bytes()), bowline::exec::Stamp::of(text.as_bytes()))));
    let read = OpenedFile { real: path.clone(), path, version: None, result, at: None, in_background: false };
    app.with_cx(|cx| on_opened(cx, read));
    let mut bench = AppFixture { app, _runtime: runtime, _folder: folder, _events: events };
    bench.press_key("Alt-2");
    bench
}

impl AppFixture {
    /// Presses a key and draws; the bytes of the frame and the time.
    fn press_key(&mut self, key: &str) -> (usize, Duration) {
        let key: Key = key.parse().unwrap();
        let start = Instant::now();
        self.app.handle(Event::Input(Input::Key(key)));
        let bytes = self.app.frame().len();
        (bytes, start.elapsed())
    }

    fn send_event(&mut self, event: AgentEvent) -> usize {
        self.app.handle(Event::Runtime(RuntimeEvent::Agent(event)));
        self.app.frame().len()
    }
}

/// A source file of about that many bytes.
fn source(bytes: usize) -> String {
    let line = "    let value = compute(&self.state, 42)?; // a line of source with é in it\n";
    line.repeat(bytes / line.len() + 1)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Typing in the middle of a file: time from the key to the frame's bytes.
pub fn key_to_frame(effort: Effort) {
    let mut bench = app_with_text(&source(1 << 20));
    for _ in 0..20 {
        bench.press_key("PageDown");
    }
    let mut samples: Vec<f64> = (0..effort.times(2_000)).map(|_| micros(bench.press_key("x").1)).collect();
    report("key to frame, 1 MB source, p50", percentile(&mut samples, 0.5), "us", None, "<= 300 us");
    report("key to frame, 1 MB source, p99", percentile(&mut samples, 0.99), "us", None, "");
}

/// Doubling file and transcript three times: the exponent of a key's cost.
pub fn growth(effort: Effort) {
    let base = if effort.quick { 1 << 12 } else { 1 << 22 };
    let cost = |bytes: usize| {
        let mut bench = app_with_text(&source(bytes));
        bench.press_key("Ctrl-End");
        bench.press_key("Ctrl-Home");
        let mut samples: Vec<f64> =
            (0..effort.times(1_000)).map(|_| micros(bench.press_key("x").1)).collect();
        percentile(&mut samples, 0.5)
    };
    exponent("key to frame over file size", cost(base), cost(base * 8));
    let entries = if effort.quick { 4 } else { 2_000 };
    let cost = |count: usize| {
        let mut bench = app_with_text("text\n");
        for n in 0..count {
            let message = Message::User(UserMessage::text(format!("message {n} with some words"), 0));
            bench
                .app
                .handle(Event::Runtime(RuntimeEvent::Agent(AgentEvent::MessageStart(Arc::new(message)))));
        }
        bench.press_key("Alt-3");
        let mut samples: Vec<f64> =
            (0..effort.times(1_000)).map(|_| micros(bench.press_key("x").1)).collect();
        percentile(&mut samples, 0.5)
    };
    exponent("key to frame over conversation length", cost(entries), cost(entries * 8));
}

fn exponent(what: &str, small: f64, large: f64) {
    let value = (large / small).log2() / 3.0;
    println!("{what:<44} {small:>9.1} us {large:>9.1} us {value:>8.3}  exponent <= 0.1");
}

/// Bytes that one typed character sends to the terminal.
pub fn bytes_per_key(effort: Effort) {
    let mut bench = app_with_text(&source(1 << 16));
    let keys = ["a", "b", "c", "d", "e"];
    let mut samples: Vec<f64> =
        (0..effort.times(400)).map(|n| bench.press_key(keys[n % 5]).0 as f64).collect();
    report("bytes per typed character, median", percentile(&mut samples, 0.5), "B", None, "<= 60 B");
    assert!(samples.iter().all(|bytes| *bytes > 0.0), "every key is seen");
}

/// Insert in the middle of a large file, and take it back.
pub fn insert_and_undo(effort: Effort) {
    let mut bench = app_with_text(&source(if effort.quick { 1 << 14 } else { 100 << 20 }));
    bench.press_key("Ctrl-g");
    for key in ["1", "0", "0", "0"] {
        bench.press_key(key);
    }
    bench.press_key("Enter");
    // The first edit also draws the mark of a modified file.
    bench.press_key("x");
    let (mut inserts, mut undos) = (Vec::new(), Vec::new());
    for _ in 0..effort.times(20) {
        inserts.push(micros(bench.press_key("x").1));
        undos.push(micros(bench.press_key("Ctrl-z").1));
    }
    let (insert, undo) = (percentile(&mut inserts, 0.5), percentile(&mut undos, 0.5));
    report("100 MB source: insert in the middle", insert, "us", None, "<= 1000 us");
    report("100 MB source: undo", undo, "us", None, "<= 1000 us");
}

/// An answer that streams in token by token, with a frame at every 16 ms of tokens as on a
/// terminal: our time, the bytes, and the exponent of doubling it.
pub fn streamed_answer(effort: Effort) {
    let run = |tokens: usize| {
        let mut bench = app_with_text("text\n");
        let tell =
            |bench: &mut AppFixture, event| bench.app.handle(Event::Runtime(RuntimeEvent::Agent(event)));
        let update = |event| AgentEvent::MessageUpdate(Arc::new(event));
        tell(&mut bench, update(StreamEvent::TextStart { index: 0 }));
        let start = Instant::now();
        let mut bytes = 0;
        for n in 0..tokens {
            let delta = if n % 40 == 39 { "word.\n\n".to_string() } else { "word ".to_string() };
            let event = update(StreamEvent::TextDelta { index: 0, delta });
            // At full speed some hundred tokens come within one frame.
            if n % 100 == 0 {
                bytes += bench.send_event(event);
            } else {
                tell(&mut bench, event);
            }
        }
        bytes += bench.app.frame().len();
        (start.elapsed().as_secs_f64() * 1e3, bytes)
    };
    let small = if effort.quick { 200 } else { 5_000 };
    let (few, _) = run(small);
    let (many, bytes) = run(small * 10);
    report("answer of 5 000 tokens, drawn: our time", few, "ms", None, "<= 40 ms CPU");
    report("answer of 50 000 tokens, drawn: our time", many, "ms", None, "<= 300 ms CPU");
    report("bytes to the terminal for it", bytes as f64 / 1e6, "MB", None, "<= 0.3 MB");
    println!(
        "{:<44} {:>12} {:>12} {:>8.3}  exponent <= 1.05",
        "cost over answer length",
        "",
        "",
        (many / few).log10()
    );
}

/// What the program is run with to tell what it holds of an answer that was streamed.
pub const STREAMED: &str = "--streamed";

/// Prints the bytes that this process holds for each byte of an answer of so many tokens.
pub fn streamed(tokens: &str) {
    let tokens: usize = tokens.parse().unwrap();
    let mut bench = app_with_text("text\n");
    let update = |event| AgentEvent::MessageUpdate(Arc::new(event));
    bench.send_event(update(StreamEvent::TextStart { index: 0 }));
    let before = crate::conversation::resident_kb();
    let mut bytes = 0;
    for n in 0..tokens {
        let delta = if n % 40 == 39 { "word.\n\n".to_string() } else { "word ".to_string() };
        bytes += delta.len();
        let event = update(StreamEvent::TextDelta { index: 0, delta });
        if n % 100 == 0 {
            bench.send_event(event);
        } else {
            bench.app.handle(Event::Runtime(RuntimeEvent::Agent(event)));
        }
    }
    println!("{}", (crate::conversation::resident_kb() - before) * 1024.0 / bytes as f64);
}

/// What a long answer holds in memory as it stands on screen, told by a process of its own.
pub fn streamed_memory(effort: Effort) {
    let tokens = if effort.quick { "20000" } else { "1000000" };
    let program = std::env::current_exe().unwrap();
    let out = std::process::Command::new(program).args([STREAMED, tokens]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let each: f64 = String::from_utf8(out.stdout).unwrap().trim().parse().unwrap();
    report(&format!("answer of {tokens} tokens: memory a byte"), each, "B", Some(1.0), "<= 3 B");
}

/// One character typed at ten thousand cursors, and taken back.
pub fn many_cursors(effort: Effort) {
    let lines = if effort.quick { 100 } else { 10_000 };
    let mut bench = app_with_text(&"let value = compute(1); // é\n".repeat(lines));
    for key in ["Alt-h", "Alt-s", "s", "Ctrl-e"] {
        bench.press_key(key);
    }
    let cursors = bench.app.state.buffers.current().unwrap().area.selection.ranges().len();
    assert!(cursors >= lines, "{cursors} cursors");
    let (mut typed, mut undone) = (Vec::new(), Vec::new());
    for _ in 0..effort.times(20) {
        typed.push(micros(bench.press_key("x").1) / 1e3);
        undone.push(micros(bench.press_key("Ctrl-z").1) / 1e3);
    }
    report("10 000 cursors: a typed character", percentile(&mut typed, 0.5), "ms", None, "");
    report("10 000 cursors: undo", percentile(&mut undone, 0.5), "ms", None, "");
}

/// A million matches found, replaced, and put back: what a task does and what the loop does.
pub fn replace_million(effort: Effort) {
    let matches = if effort.quick { 1_000 } else { 1_000_000 };
    let mut bench = app_with_text(&"old text, old\n".repeat(matches / 2));
    let needle = Needle::new("old", SearchOptions::default()).unwrap().unwrap();
    let text = bench.app.state.buffers.current().unwrap().area.text().clone();
    let start = Instant::now();
    let edits = needle.matches(&text, Byte(0)..text.end()).map(|place| (place, "newer".to_string()));
    let edit = Transaction::new(ChangeSet::replace(text.end().0, edits)).prepare(&text);
    report("1 000 000 replacements: found, in a task", micros(start.elapsed()) / 1e3, "ms", None, "");
    let start = Instant::now();
    let area = &mut bench.app.state.buffers.current_mut().unwrap().area;
    area.edit(0, |_, _| edit).unwrap();
    bench.app.state.damage.add_all();
    bench.app.frame();
    report("1 000 000 replacements: applied and drawn", micros(start.elapsed()) / 1e3, "ms", None, "");
    let end = |bench: &AppFixture| bench.app.state.buffers.current().unwrap().area.text().end().0;
    assert_eq!(end(&bench), matches / 2 * "newer text, newer\n".len());
    let undone = micros(bench.press_key("Ctrl-z").1) / 1e3;
    report("1 000 000 replacements: undone and drawn", undone, "ms", None, "");
    assert_eq!(end(&bench), text.end().0);
    let redone = micros(bench.press_key("Alt-z").1) / 1e3;
    report("1 000 000 replacements: redone and drawn", redone, "ms", None, "");
    assert!(end(&bench) > text.end().0);
}
