//! Figures of the layer that talks to models: streams of every dialect, over bytes in memory and over
//! a socket, beside a bare loop over the same bytes.

use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use bowline::base::clock::ManualClock;
use bowline::llm::access::{Access, ApiKey, FixedAccess, Variables};
use bowline::llm::model::{
    Message, Model, Part, Request, StreamEvent, ToolResultMessage, ToolSpec, UserMessage,
};
use bowline::llm::provider::Provider;
use bowline::llm::providers::{DIALECTS, Setup};
use bowline::net::cassette::{Cassette, Exchange, Piece};
use bowline::net::http::{Http, Limits};
use bowline::net::sse;
use futures::StreamExt;
use parking_lot::Mutex;
use serde_json::json;

use crate::support::wires::{Answer, AnswerPart, Feature, WIRES, Wire};
use crate::{Effort, percentile, report};

/// One of each reader; the others are the same under another name.
const APIS: [&str; 6] = [
    "anthropic-messages",
    "openai-responses",
    "openai-completions",
    "google-generative-ai",
    "bedrock-converse-stream",
    "mistral-conversations",
];

fn wires() -> impl Iterator<Item = &'static dyn Wire> {
    APIS.iter().map(|api| *WIRES.iter().find(|wire| wire.api() == *api).unwrap())
}

fn adapter(wire: &dyn Wire, url: &str, tape: Option<Cassette>) -> Arc<dyn Provider> {
    let row = DIALECTS.iter().find(|row| row.id == wire.api()).unwrap();
    let account = wire.account().into_iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let key = Some(ApiKey("key".into()));
    let access = Access { base_url: url.into(), key, account, ..Access::default() };
    (row.build)(Setup {
        provider: "acme".into(),
        keys: Arc::new(FixedAccess(access)),
        variables: Variables::default(),
        idle_timeout: None,
        http: Arc::new(Http::new(Limits::default(), true).with_cassette(tape)),
        clock: ManualClock::new(0),
    })
}

fn request(wire: &dyn Wire) -> Request {
    let mut model = Model::unknown("acme", "m", wire.api(), "");
    wire.model(&mut model);
    Request { model, messages: vec![Message::User(UserMessage::text("hi", 0))], ..Request::default() }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// A tape with one answer in pieces of 16 KiB, for whatever is asked.
fn cassette(bytes: &[u8]) -> Cassette {
    let pieces = bytes.chunks(16 << 10).map(Piece::from_bytes).collect();
    let (method, url) = ("POST".to_string(), "*".to_string());
    let exchange = Exchange { method, url, status: 200, pieces, ..Exchange::default() };
    Cassette::Replay(Arc::new(Mutex::new([exchange].into())))
}

/// Reads an answer to its end; how long it took.
fn read(wire: &dyn Wire, bytes: &[u8]) -> Duration {
    let adapter = adapter(wire, "http://127.0.0.1:9", Some(cassette(bytes)));
    runtime().block_on(async {
        let mut events = adapter.stream(request(wire));
        let start = Instant::now();
        let mut last = None;
        while let Some(event) = events.next().await {
            last = Some(event);
        }
        assert!(matches!(last, Some(StreamEvent::Done { .. })), "{}: {last:?}", wire.api());
        start.elapsed()
    })
}

fn text_of(tokens: usize) -> Answer {
    let words: &'static [&'static str] = Vec::leak(vec!["word "; tokens]);
    Answer::new(vec![AnswerPart::Text(words)])
}

fn min_seconds(times: usize, run: impl FnMut(usize) -> Duration) -> f64 {
    (0..times).map(run).min().unwrap().as_secs_f64()
}

/// Every line of the bytes as a text of its own: what any reader of such a stream begins with.
fn split_lines(bytes: &[u8]) -> Duration {
    let start = Instant::now();
    for line in bytes.split(|byte| *byte == b'\n') {
        black_box(String::from_utf8_lossy(line).into_owned());
    }
    start.elapsed()
}

fn decode(bytes: &[u8]) -> Duration {
    let start = Instant::now();
    let (mut decoder, mut out) = (sse::Decoder::default(), Vec::new());
    for piece in bytes.chunks(16 << 10) {
        decoder.push(piece, &mut out).unwrap();
        black_box(out.drain(..).count());
    }
    start.elapsed()
}

/// CPU for each token and each megabyte of a stream.
pub fn streams(effort: Effort) {
    let tokens = if effort.quick { 50 } else { 50_000 };
    let times = effort.times(5);
    for wire in wires() {
        let bytes = wire.encode_events(&text_of(tokens)).concat();
        let mb = bytes.len() as f64 / 1e6;
        let (name, whole) = (wire.api(), min_seconds(times, |_| read(wire, &bytes)));
        if wire.supports(Feature::InvalidJsonEvents) {
            let floor = min_seconds(times, |_| split_lines(&bytes)) / mb * 1e3;
            let events = min_seconds(times, |_| decode(&bytes)) / mb * 1e3;
            report(&format!("{name}: 1 MB to SSE events"), events, "ms", Some(floor), "<= 3x lines");
        }
        report(&format!("{name}: 1 MB to our events"), whole / mb * 1e3, "ms", None, "");
        report(&format!("{name}: a token"), whole / tokens as f64 * 1e6, "us", None, "");
    }
}

/// A tool call whose arguments come four bytes at a time: the cost of a megabyte, and how it grows.
pub fn arguments(effort: Effort) {
    let bytes = |size: usize, wire: &dyn Wire| {
        let text = json!({"path": "a", "content": "line of text\n".repeat(size / 14)}).to_string();
        let args = text.as_bytes().chunks(4).map(|piece| String::from_utf8(piece.to_vec()).unwrap());
        let call = AnswerPart::Call { id: "call_1", name: "write", args: args.collect() };
        wire.encode_events(&Answer::new(vec![call])).concat()
    };
    let size = if effort.quick { 1 << 10 } else { 1 << 20 };
    for wire in wires().filter(|wire| wire.supports(Feature::SplitArguments)) {
        let cost = |size| {
            let bytes = bytes(size, wire);
            min_seconds(effort.times(3), |_| read(wire, &bytes)) * 1e3
        };
        let (small, large) = (cost(size / 8), cost(size));
        report(&format!("{}: 1 MB of arguments", wire.api()), large, "ms", None, "");
        let exponent = (large / small).log2() / 3.0;
        println!("{:<44} {:>12} {:>12} {exponent:>8.3}  exponent <= 1.05", "  over three doublings", "", "");
    }
}

/// A conversation of about so many tokens, calls and results among it.
fn conversation(wire: &dyn Wire, tokens: usize) -> Request {
    let call = AnswerPart::Call { id: "call_1", name: "read", args: vec![r#"{"path": "a.rs"}"#.into()] };
    let answer =
        wire.encode_events(&Answer::new(vec![AnswerPart::Text(&["Let me look at it."]), call])).concat();
    let adapter = adapter(wire, "http://127.0.0.1:9", Some(cassette(&answer)));
    let events = runtime().block_on(adapter.stream(request(wire)).collect::<Vec<_>>());
    let Some(StreamEvent::Done { message }) = events.last() else { panic!("{events:?}") };
    let id = message.tool_calls().next().unwrap().id.clone();
    let result = ToolResultMessage {
        tool_call_id: id,
        tool_name: "read".into(),
        content: vec![Part::text("    let value = compute(&self.state)?; // \"quoted\" é\n".repeat(60))],
        details: None,
        is_error: false,
        timestamp: 0,
        extra: serde_json::Map::new(),
    };
    let round = [
        Message::User(UserMessage::text("Go on with the next one, please.", 0)),
        Message::Assistant((**message).clone()),
        Message::ToolResult(result),
    ];
    // Three and a half bytes a token, 3.3 kB a round.
    let messages = round.iter().cloned().cycle().take(tokens / 940 * 3).collect();
    let parameters = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    let tool =
        |n| ToolSpec { name: format!("tool_{n}"), parameters: parameters.clone(), ..ToolSpec::default() };
    let model = Model { context_window: 1_000_000, ..request(wire).model };
    Request { model, messages, tools: (0..20).map(tool).collect(), ..request(wire) }
}

/// From a request of 200 000 tokens to its bytes.
pub fn requests(effort: Effort) {
    for wire in wires() {
        let wish = conversation(wire, if effort.quick { 3_000 } else { 200_000 });
        let answer = wire.encode_events(&text_of(1)).concat();
        let runtime = runtime();
        let built = min_seconds(effort.times(9), |_| {
            let adapter = adapter(wire, "http://127.0.0.1:9", Some(cassette(&answer)));
            let wish = wish.clone();
            runtime.block_on(async {
                let start = Instant::now();
                let mut events = adapter.stream(wish);
                assert!(events.next().await.is_some());
                start.elapsed()
            })
        });
        let what = format!("{}: 200 k tokens to a request", wire.api());
        report(&what, built * 1e3, "ms", None, "<= 20 ms");
    }
}

/// A server that writes what it is given, one chunk each, and tells when it began to.
fn server() -> (String, Sender<Vec<u8>>, Receiver<Instant>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (chunks, incoming) = channel::<Vec<u8>>();
    let (times, written) = channel();
    std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        socket.set_nodelay(true).unwrap();
        let mut asked = Vec::new();
        while !asked.windows(4).any(|at| at == b"\r\n\r\n") {
            let mut piece = [0; 4096];
            let n = socket.read(&mut piece).unwrap();
            asked.extend_from_slice(&piece[..n]);
        }
        let head =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        socket.write_all(head).unwrap();
        for bytes in incoming {
            let chunk = [format!("{:x}\r\n", bytes.len()).as_bytes(), &bytes, b"\r\n"].concat();
            let start = Instant::now();
            // Whoever reads has what it wanted and may go before the end.
            if socket.write_all(&chunk).is_err() || times.send(start).is_err() {
                return;
            }
        }
    });
    (url, chunks, written)
}

/// From the last byte of a delta to its event, beside a socket that is only read.
pub fn latency(effort: Effort) {
    let count = effort.times(2_000);
    let wire = wires().next().unwrap();
    let events = wire.encode_events(&text_of(count));
    let deltas = 3..3 + count;
    let (url, chunks, written) = server();
    let mut samples: Vec<f64> = runtime().block_on(async {
        let mut stream = adapter(wire, &url, None).stream(request(wire));
        events[..deltas.start].iter().for_each(|event| chunks.send(event.clone()).unwrap());
        while !matches!(stream.next().await, Some(StreamEvent::TextStart { .. })) {}
        assert_eq!(written.iter().take(deltas.start).count(), deltas.start);
        let mut samples = Vec::new();
        for event in &events[deltas] {
            chunks.send(event.clone()).unwrap();
            let delta = stream.next().await;
            let now = Instant::now();
            assert!(matches!(delta, Some(StreamEvent::TextDelta { .. })), "{delta:?}");
            samples.push((now - written.recv().unwrap()).as_secs_f64() * 1e6);
        }
        samples
    });
    let (url, chunks, written) = server();
    let mut socket = TcpStream::connect(url.trim_start_matches("http://")).unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut buffer = vec![0; 4096];
    assert!(socket.read(&mut buffer).unwrap() > 0);
    let floor: Vec<f64> = (0..count)
        .map(|_| {
            chunks.send(events[3].clone()).unwrap();
            assert!(socket.read(&mut buffer).unwrap() > 0);
            let now = Instant::now();
            (now - written.recv().unwrap()).as_secs_f64() * 1e6
        })
        .collect();
    let floor = |share| Some(percentile(&mut floor.clone(), share));
    report("last byte of a delta to its event, p50", percentile(&mut samples, 0.5), "us", floor(0.5), "");
    report("last byte of a delta to its event, p99", percentile(&mut samples, 0.99), "us", floor(0.99), "");
}

/// Kilobytes of this process that are in memory.
fn resident_kb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()).and_then(|kb| kb.parse().ok()).unwrap_or(0.0)
}

/// What an answer of a million tokens takes of memory beside its own text.
pub fn memory(effort: Effort) {
    let tokens = if effort.quick { 1_000 } else { 1_000_000 };
    let wire = wires().next().unwrap();
    let events = wire.encode_events(&text_of(1));
    let (url, chunks, written) = server();
    let writer = std::thread::spawn(move || {
        let block = events[3].repeat(100);
        events[..3].iter().for_each(|event| chunks.send(event.clone()).unwrap());
        for _ in 0..tokens / 100 {
            chunks.send(block.clone()).unwrap();
            // No more than what is being written lies in the queue.
            written.recv().unwrap();
        }
        events[4..].iter().for_each(|event| chunks.send(event.clone()).unwrap());
        // The server's thread ends with the channel, and the connection with it.
        drop(chunks);
        while written.recv().is_ok() {}
    });
    let before = resident_kb();
    let mut most = before;
    let text = runtime().block_on(async {
        let mut stream = adapter(wire, &url, None).stream(request(wire));
        let (mut seen, mut last) = (0usize, None);
        while let Some(event) = stream.next().await {
            seen += 1;
            if seen.is_multiple_of(10_000) {
                most = most.max(resident_kb());
            }
            last = Some(event);
        }
        let Some(StreamEvent::Done { message }) = last else { panic!("{last:?}") };
        message.text().len()
    });
    most = most.max(resident_kb());
    writer.join().unwrap();
    assert_eq!(text, tokens / 100 * 100 * 5);
    let (grown, own) = ((most - before) / 1e3, text as f64 / 1e6);
    report("an answer of 1 M tokens: memory", grown, "MB", Some(own), "<= 4x its text");
}
