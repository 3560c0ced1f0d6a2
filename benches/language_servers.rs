//! Long answers of language servers: what they cost the event loop.

use std::collections::{BTreeMap, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowline::ide::core::damage::Part;
use bowline::ide::features::completion::request::{Answer, Place, request, take_in};
use bowline::ide::features::completion::state::{COMPLETIONS, Origin, Row, Source};
use bowline::ide::features::language_servers::state::{LANGUAGE_SERVERS, RunningServer, ServedText, Serving};
use bowline::ide::features::language_servers::updates::show_diagnostics;
use bowline::ide::features::language_servers::{project_diagnostics, sync};
use bowline::lsp::answers::diagnostics::{BriefDiagnostic, Severity};
use bowline::lsp::answers::{completion as items, diagnostics as marks};
use bowline::lsp::client::StartOptions;
use bowline::lsp::client::completion::{Trigger, TypedTriggers};
use bowline::lsp::client::incoming::{FileDiagnostics, FileReport};
use bowline::lsp::position::{Encoding, Position, Range};
use bowline::lsp::table::Features;
use bowline::runtime::agent_setup::trust_requests::ProgramTrust;
use bowline::runtime::language_servers::process::ServerSpec;
use bowline::runtime::language_servers::server::{ServerCommand, ServerState};
use bowline::syntax::{HighlightedRange, Span};
use bowline::text::changes::ChangeSet;
use bowline::text::position::Byte;
use bowline::text::transaction::Transaction;
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Sender};

use crate::conversation::write_session;
use crate::open_session::OpenSession;
use crate::{Effort, percentile, report};

/// Number of the server that answers.
const SERVER: u32 = 1;

/// A session with a file open that has so many lines.
fn with_file(lines: usize) -> OpenSession {
    let mut session = OpenSession::new(|folder| {
        fs::write(folder.join("work/a.rs"), "fn function() { let text = 1; }\n".repeat(lines)).unwrap();
        write_session(folder, 10)
    });
    for key in ["Ctrl-p", "a", "Enter"] {
        session.longest_of(key);
    }
    session
}

fn answer(count: usize) -> Answer {
    let list: Vec<_> = (0..count)
        .map(|n| {
            let (name, kind) = (["parse", "print", "read_to", "write_all"][n % 4], 3 + n % 5);
            json!({ "label": format!("{name}_{n}"), "kind": kind, "sortText": format!("{:05}", count - n),
                "labelDetails": { "detail": "(text: &str)" }, "data": { "number": n } })
        })
        .collect();
    let rows = items::decode(list.into()).items.into_iter();
    let row = |item| Row { item, back: 0, after: 0, is_resolved: false };
    let source = Source {
        origin: Origin::Server(SERVER),
        text: None,
        is_incomplete: false,
        is_stale: false,
        commit: Vec::new(),
        resolves: false,
    };
    Answer { source, rows: rows.map(row).collect(), is_late: false }
}

/// From the answer with many completions to the frame, and each further key.
pub fn completion(effort: Effort) {
    let count = if effort.quick { 100 } else { 10_000 };
    let mut session = with_file(100);
    let (mut shown, mut keys) = (0.0_f64, 0.0_f64);
    for _ in 0..effort.times(5) {
        let answer = answer(count);
        session.source.app.with_cx(|cx| {
            let place = Place::of(cx.state).unwrap();
            request(cx, &place, Trigger::Invoked, true);
        });
        // The words of the file are there, so that only the answer below is measured.
        session.longest_step();
        let begun = Instant::now();
        session.source.app.with_cx(|cx| {
            let number = cx.state.slots[COMPLETIONS].last;
            take_in(cx, number, Some(answer));
        });
        session.source.app.frame();
        shown = shown.max(begun.elapsed().as_secs_f64() * 1e3);
        for key in ["p", "r", "i", "n", "t"] {
            keys = keys.max(session.press(key));
        }
        assert!(session.source.app.state.shows_editor_completions, "the list is open");
        session.longest_of("Escape");
        session.longest_of("Space");
    }
    report("10 000 completions: answer to frame", shown, "ms", None, "<= 3 ms");
    report("10 000 completions: a further key, max", keys, "ms", None, "<= 1 ms");
}

/// A server that takes what is sent to it.
fn server(number: u32, commands: Sender<ServerCommand>) -> RunningServer {
    let options = StartOptions {
        process_id: None,
        root: PathBuf::from("/"),
        initialization: Value::Null,
        settings: Value::Null,
        timeout: Duration::ZERO,
    };
    let spec = ServerSpec {
        name: format!("toy-{number}"),
        command: Vec::new(),
        env: BTreeMap::new(),
        memory_max: Arc::default(),
        trust: ProgramTrust::new(PathBuf::from("/"), Path::new("/")),
        options,
    };
    RunningServer {
        number,
        spec,
        state: ServerState::Starting,
        since: 0,
        wanted: None,
        usage: None,
        progress: BTreeMap::new(),
        log: VecDeque::new(),
        pulls: false,
        project_pull: None,
        triggers: TypedTriggers::default(),
        waits_for_trust: false,
        methods: Vec::new(),
        commands,
    }
}

/// What it costs the loop to send what a key has changed in a file of a megabyte to three servers.
pub fn message(effort: Effort) {
    const SERVERS: u32 = 3;
    let mut session = with_file(if effort.quick { 100 } else { 1 << 15 });
    let state = &mut session.source.app.state;
    let buffer = state.buffers.current_mut().unwrap();
    buffer.servers.follow(&mut buffer.area.document);
    let (sender, mut commands) = mpsc::channel(64);
    let servers = (0..SERVERS).map(|server| Serving { server, features: Features::ALL }).collect();
    let served = ServedText {
        path: PathBuf::from("/a.rs"),
        language_id: "rust".to_string(),
        sent_version: buffer.area.document.version(),
        is_behind: false,
        servers,
    };
    let known = &mut state.slots[LANGUAGE_SERVERS];
    known.texts.insert(buffer.id, served);
    known.servers = (0..SERVERS).map(|number| server(number, sender.clone())).collect();
    let mut times: Vec<f64> = (0..effort.times(300))
        .map(|n| {
            let state = &mut session.source.app.state;
            let area = &mut state.buffers.current_mut().unwrap().area;
            area.edit(n as u64, |text, _| {
                let changes = ChangeSet::replace(text.end().0, [(Byte(n)..Byte(n), "x".to_string())]);
                Transaction::new(changes)
            });
            let begun = Instant::now();
            assert!(sync::flush(state));
            let took = begun.elapsed().as_secs_f64() * 1e6 / f64::from(SERVERS);
            assert_eq!(std::iter::from_fn(|| commands.try_recv().ok()).count(), SERVERS as usize);
            took
        })
        .collect();
    for (share, name) in [(0.5, "p50"), (0.99, "p99")] {
        let took = percentile(&mut times, share);
        report(&format!("a message to a server: on the loop, {name}"), took, "µs", None, "<= 20 µs");
    }
}

/// Many diagnostics of an open file, taken in and drawn, then a key.
pub fn diagnostics(effort: Effort) {
    let count = if effort.quick { 100 } else { 100_000 };
    let mut session = with_file(count);
    let buffer = session.source.app.state.buffers.current_mut().unwrap();
    buffer.servers.follow(&mut buffer.area.document);
    let (id, version) = (buffer.id, buffer.area.document.version());
    let path = PathBuf::from("/a.rs");
    let served = ServedText {
        path: path.clone(),
        language_id: "rust".to_string(),
        sent_version: version,
        is_behind: false,
        servers: vec![Serving { server: SERVER, features: Features::ALL }],
    };
    session.source.app.state.slots[LANGUAGE_SERVERS].texts.insert(id, served);
    let list: Vec<_> = (0..count)
        .map(|line| {
            let at = |character: usize| json!({ "line": line, "character": character });
            json!({ "range": { "start": at(3), "end": at(11) }, "severity": 1 + line % 4, "source": "toy",
                "message": format!("something is wrong in line {line}") })
        })
        .collect();
    let (found, total) = marks::decode(&serde_json::value::to_raw_value(&list).unwrap());
    let ranges = (0..found.len()).map(|line| line * 32 + 3..line * 32 + 11).collect();
    let found = FileDiagnostics {
        path,
        text: Some((version, ranges)),
        diagnostics: found,
        brief: Vec::new(),
        encoding: Encoding::Utf8,
        total,
        is_pulled: false,
    };
    let begun = Instant::now();
    session.source.app.with_cx(|cx| show_diagnostics(cx, SERVER, found));
    session.source.app.frame();
    let mut longest = begun.elapsed().as_secs_f64() * 1e3;
    report("100 000 diagnostics: taken in and drawn", longest, "ms", None, "<= 10 ms");
    for key in ["x", "y", "Enter"] {
        longest = longest.max(session.longest_of(key));
    }
    report("100 000 diagnostics: a step on the loop, max", longest, "ms", None, "<= 10 ms");
    project(&mut session, count / 10);
}

/// Ten diagnostics in each of many files that are not open, in one report.
fn project(session: &mut OpenSession, files: usize) {
    let workspace = session.source.app.state.workspace.clone();
    let brief = |line: u32| BriefDiagnostic {
        range: Range { start: Position::new(line, 0), end: Position::new(line, 3) },
        severity: Severity::Warning,
        message: "something is wrong".into(),
        origin: "toy".into(),
    };
    let of_file = |n: usize| FileReport {
        path: workspace.join(format!("folder_{}/file_{n}.rs", n / 50)),
        diagnostics: (0..10).map(brief).collect(),
        encoding: Encoding::Utf8,
    };
    let reports = (0..files).map(of_file).collect();
    let begun = Instant::now();
    session.source.app.with_cx(|cx| project_diagnostics::take_in(cx, SERVER, true, reports));
    session.source.app.frame();
    let took = begun.elapsed().as_secs_f64() * 1e3;
    report("100 000 diagnostics of 10 000 files: taken in and drawn", took, "ms", None, "<= 10 ms");
}

/// The scopes of many names of an open file, swapped in and drawn, then a key at the start of the file.
pub fn tokens(effort: Effort) {
    let count = if effort.quick { 100 } else { 100_000 };
    let mut session = with_file(count);
    let state = &mut session.source.app.state;
    let buffer = state.buffers.current_mut().unwrap();
    buffer.servers.follow(&mut buffer.area.document);
    let (version, end) = (buffer.area.document.version(), buffer.area.text().end());
    let span = |line: usize| Span { range: Byte(line * 32 + 3)..Byte(line * 32 + 11), scope: "type" };
    let found = HighlightedRange::new(Byte(0)..end, (0..count).map(span).collect());
    let begun = Instant::now();
    assert!(buffer.servers.show_tokens(version, found));
    state.damage.add(Part::Editor);
    session.source.app.frame();
    let taken_in = begun.elapsed().as_secs_f64() * 1e3;
    report("100 000 semantic tokens: swapped in and drawn", taken_in, "ms", None, "<= 10 ms");
    let keys = ["x", "y", "Enter"].map(|key| session.longest_of(key));
    let longest = keys.into_iter().fold(0.0, f64::max);
    report("100 000 semantic tokens: a step on the loop, max", longest, "ms", None, "<= 10 ms");
}
