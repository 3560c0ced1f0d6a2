//! One long session: open, memory, append, branches, the context of a request, the page that is exported.

use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bowline::base::clock::SystemClock;
use bowline::base::ids::RandomIds;
use bowline::llm::model::{Message, UserMessage};
use bowline::session::derived::export::{Format, document};
use bowline::session::{AgentMessage, EntryBody, Session};

use crate::terminal::{KEY_TIMEOUT, run_on, to_ms};
use crate::{Effort, growth, percentile, report};

/// Entries behind the compaction.
const KEPT_ENTRIES: usize = 200;
/// Texts as short as they are in a chat.
const SHORT: usize = 6;
/// Texts as long as files and outputs of commands are.
const LONG: usize = 100;
/// What the program is run with to tell what it holds of a session.
pub const MEMORY_FLAG: &str = "--held";

/// The sizes of issue and budgets; the largest is a file of half a gigabyte.
fn sizes(effort: Effort) -> &'static [usize] {
    if effort.quick { &[1_000, 8_000] } else { &[1_000, 100_000, 1_000_000] }
}

/// An entry of a conversation as it is led: the user, the model that calls, the tool that answers.
fn line(n: usize, parent: &str, wide: usize) -> String {
    let mut line = format!(
        r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"2025-11-20T10:00:00.000Z","message":"#
    );
    let words = "the retry loop of the parser in the session store ".repeat(wide);
    let rest = match n % 4 {
        0 => format!(
            r#"{{"role":"user","content":[{{"type":"text","text":"number{n} {words}"}}],"timestamp":1763632800000}}"#
        ),
        1 | 3 => format!(
            r#"{{"role":"assistant","content":[{{"type":"text","text":"{}"}},{{"type":"toolCall","id":"c{n}","name":"bash","arguments":{{"command":"cargo test {n}"}}}}],"api":"anthropic-messages","provider":"anthropic","model":"m","usage":{{"input":900,"output":80,"cacheRead":4000,"cacheWrite":20,"totalTokens":5000,"cost":{{"input":0.1,"output":0.2,"cacheRead":0.1,"cacheWrite":0,"total":0.4}}}},"stopReason":"toolUse","timestamp":1763632800000}}"#,
            &words[..40]
        ),
        _ => format!(
            r#"{{"role":"toolResult","toolCallId":"c{}","toolName":"bash","content":[{{"type":"text","text":"{words}"}}],"isError":false,"timestamp":1763632800000}}"#,
            n - 1
        ),
    };
    line.push_str(&rest);
    line.push_str("}\n");
    line
}

/// A session file with so many entries on one branch, the last but [`KEPT`] a compaction if `compacted`.
fn write(folder: &Path, entries: usize, compacted: bool) -> PathBuf {
    write_wide(folder, entries, compacted, SHORT)
}

/// A session file with so many messages.
pub fn write_session(folder: &Path, messages: usize) -> PathBuf {
    write(folder, messages, false)
}

/// The same with what people and tools say so many times a few words long.
fn write_wide(folder: &Path, entries: usize, compacted: bool, wide: usize) -> PathBuf {
    let path = folder.join(format!("{entries}-{compacted}-{wide}.jsonl"));
    let mut file = BufWriter::with_capacity(1 << 20, File::create(&path).unwrap());
    file.write_all(
        br#"{"type":"session","version":3,"id":"019a0000-0000-7000-8000-000000000000","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/w"}"#,
    )
    .unwrap();
    file.write_all(b"\n").unwrap();
    let mut parent = "null".to_string();
    for n in 0..entries {
        let line = if compacted && n + KEPT_ENTRIES == entries {
            format!(
                r#"{{"type":"compaction","id":"{n:08x}","parentId":{parent},"timestamp":"2025-11-20T10:00:00.000Z","summary":"what was done","firstKeptEntryId":"{:08x}","tokensBefore":100000}}"#,
                n - 20
            ) + "\n"
        } else {
            line(n, &parent, wide)
        };
        file.write_all(line.as_bytes()).unwrap();
        parent.clear();
        write!(parent, "\"{n:08x}\"").unwrap();
    }
    file.flush().unwrap();
    path
}

fn open(path: &Path) -> Session {
    Session::open(path, SystemClock::shared(), RandomIds::shared()).unwrap()
}

fn time_ms<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let made = work();
    (start.elapsed().as_secs_f64() * 1e3, made)
}

/// The middle of so many milliseconds.
fn median(times: usize, mut work: impl FnMut() -> f64) -> f64 {
    percentile(&mut (0..times).map(|_| work()).collect::<Vec<_>>(), 0.5)
}

/// Milliseconds of a loop that does nothing but count the lines of a file.
fn lines_floor(path: &Path) -> f64 {
    let count = || {
        let (mut file, mut piece, mut lines) = (File::open(path).unwrap(), vec![0; 1 << 20], 0);
        loop {
            match file.read(&mut piece).unwrap() {
                0 => break lines,
                n => lines += memchr::memchr_iter(b'\n', &piece[..n]).count(),
            }
        }
    };
    median(3, || time_ms(|| assert!(count() > 0)).0)
}

/// Opening without an index and with one.
pub fn open_session(effort: Effort) {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for entries in sizes(effort) {
        let (without, with) = time_open(effort, *entries, SHORT);
        first.push((*entries, without));
        again.push((*entries, with));
    }
    // As large as the largest of these, with lines of the length that files and outputs have.
    time_open(effort, if effort.quick { 1_000 } else { 200_000 }, LONG);
    growth("open, first, over entries", &first, "ms", "<= 1.05");
    growth("open, again, over entries", &again, "ms", "<= 0.1");
}

/// Milliseconds that opening takes, the first time and again.
fn time_open(effort: Effort, entries: usize, wide: usize) -> (f64, f64) {
    let folder = tempfile::tempdir().unwrap();
    let path = write_wide(folder.path(), entries, true, wide);
    let index = path.with_extension("jsonl.index");
    let megabytes = fs::metadata(&path).unwrap().len() as f64 / 1e6;
    let floor = lines_floor(&path);
    let open_it = || time_ms(|| assert_eq!(open(&path).entries().len(), entries)).0;
    let first = median(effort.times(3), || {
        if index.exists() {
            fs::remove_file(&index).unwrap();
        }
        open_it()
    });
    let what = format!("open {entries} entries ({megabytes:.0} MB)");
    report(&format!("{what}, first"), first, "ms", Some(floor), "<= 2 s/GB");
    let floor = index.exists().then(|| time_ms(|| fs::read(&index).unwrap()).0);
    let again = median(effort.times(9), open_it);
    report(&format!("{what}, again"), again, "ms", floor, "<= 100 ms");
    (first, again)
}

/// Kilobytes of this process that are in memory.
pub fn resident_kb() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()).and_then(|kb| kb.parse().ok()).unwrap_or(0.0)
}

/// Prints the kilobytes that this process holds: of a session that was opened, and of one whose context was
/// built. What is let go later stays with the allocator, so that it could not be told here.
pub fn print_held_memory(path: &Path) {
    let before = resident_kb();
    let session = open(path);
    let opened = resident_kb();
    assert!(!session.context().messages.is_empty());
    println!("{} {}", opened - before, resident_kb() - before);
}

/// What a session holds in memory, told by a process of its own.
pub fn memory(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    for (entries, compacted) in sizes(effort).iter().skip(1).flat_map(|n| [(*n, true), (*n, false)]) {
        let path = write(folder.path(), entries, compacted);
        drop(open(&path));
        let out =
            Command::new(std::env::current_exe().unwrap()).arg(MEMORY_FLAG).arg(&path).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        let told = String::from_utf8(out.stdout).unwrap();
        let each: Vec<f64> =
            told.split_whitespace().map(|kb| kb.parse::<f64>().unwrap() * 1024.0 / entries as f64).collect();
        let line = fs::metadata(&path).unwrap().len() as f64 / entries as f64;
        let how = if compacted { "compacted" } else { "whole" };
        let what = format!("memory, {entries} entries, {how}");
        report(&format!("{what}: open"), each[0], "B", Some(line), "<= 300 B an entry");
        let budget = if compacted { "<= 300 B an entry" } else { "the messages" };
        report(&format!("{what}: with its context"), each[1], "B", Some(line), budget);
        fs::remove_file(path).unwrap();
    }
}

fn user_entry(n: usize) -> EntryBody {
    let text = format!("number{n} {}", "the retry loop of the parser ".repeat(10));
    EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 0))) }
}

/// Appending to sessions of every size, and waiting for the disk.
pub fn append(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let mut raw = OpenOptions::new().create(true).append(true).open(folder.path().join("raw.jsonl")).unwrap();
    let bytes = line(0, "null", SHORT).into_bytes();
    let times = effort.times(300);
    let micros = |work: &mut dyn FnMut()| time_ms(work).0 * 1e3;
    let mut plain = Vec::new();
    for entries in sizes(effort) {
        let mut session = open(&write(folder.path(), *entries, true));
        let (mut figures, mut synced, mut floor, mut synced_floor) = (vec![], vec![], vec![], vec![]);
        for n in 0..times {
            let body = user_entry(n);
            let mut body = Some(body);
            figures.push(micros(&mut || drop(session.append(body.take().unwrap()).unwrap())));
            floor.push(micros(&mut || raw.write_all(&bytes).unwrap()));
            if n % 6 == 0 {
                session.append(user_entry(n)).unwrap();
                synced.push(micros(&mut || session.sync().unwrap()));
                raw.write_all(&bytes).unwrap();
                synced_floor.push(micros(&mut || raw.sync_data().unwrap()));
            }
        }
        let half = |mut samples: Vec<f64>| percentile(&mut samples, 0.5);
        let what = format!("append to {entries} entries");
        let figure = half(figures);
        report(&what, figure, "us", Some(half(floor)), "constant");
        report(
            &format!("{what}: wait for the disk"),
            half(synced),
            "us",
            Some(half(synced_floor)),
            "constant",
        );
        plain.push((*entries, figure));
    }
    growth("append over entries", &plain, "us", "<= 0.1");
}

/// The context of a request: behind a compaction, however long what was before; and of a whole conversation.
pub fn build_context(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let mut built = Vec::new();
    for entries in sizes(effort) {
        let path = write(folder.path(), *entries, true);
        drop(open(&path));
        let figure = median(effort.times(5), || {
            let session = open(&path);
            time_ms(|| assert_eq!(session.context().messages.len(), KEPT_ENTRIES + 20)).0
        });
        let what = format!("context of {entries} entries, compacted");
        report(&what, figure, "ms", None, "constant");
        built.push((*entries, figure));
    }
    growth("context, compacted, over entries", &built, "ms", "<= 0.1");
    let whole = if effort.quick { 500 } else { 10_000 };
    let path = write(folder.path(), whole, false);
    let figure = median(effort.times(5), || {
        let session = open(&path);
        time_ms(|| assert_eq!(session.context().messages.len(), whole)).0
    });
    report(&format!("context of {whole} messages"), figure, "ms", Some(lines_floor(&path)), "<= 100 ms");
}

/// Going to another branch, there and back, with the context that is told there.
pub fn switch_branches(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let mut moved = Vec::new();
    for entries in sizes(effort) {
        let mut session = open(&write(folder.path(), *entries, true));
        let leaf = session.leaf().unwrap().to_string();
        let fork = session.entries().get(entries - KEPT_ENTRIES / 2).unwrap().id().to_string();
        session.context();
        let figure = median(effort.times(9), || {
            time_ms(|| {
                for place in [&fork, &leaf] {
                    session.branch(Some(place)).unwrap();
                    assert!(!session.context().messages.is_empty());
                }
            })
            .0 / 2.0
        });
        report(&format!("branch switch in {entries} entries"), figure, "ms", None, "constant");
        moved.push((*entries, figure));
    }
    growth("branch switch over entries", &moved, "ms", "<= 0.1");
}

/// A page of ten thousand messages.
pub fn page(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let messages = if effort.quick { 100 } else { 10_000 };
    let path = write(folder.path(), messages, false);
    let mut bytes = 0;
    let figure = median(effort.times(5), || {
        let session = open(&path);
        let (took, page) = time_ms(|| document(&session, Format::Html).unwrap());
        bytes = page.len();
        took
    });
    let what = format!("HTML of {messages} messages");
    report(&what, figure, "ms", Some(lines_floor(&path)), "no budget");
    let own = fs::metadata(&path).unwrap().len() as f64 / 1e6;
    report(&format!("{what}: size"), bytes as f64 / 1e6, "MB", Some(own), "no budget");
}

/// From the start of the program with a session of so many messages, of which there is an index, to its last words
/// on the screen, and the memory that it holds then, beside a start with nothing.
pub fn resume_session(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let mut empty = 0.0;
    let floor = median(effort.times(9), || {
        let mut program = run_on(env!("CARGO_BIN_EXE_bowline"), &[], &[], |_| {});
        let seen = to_ms(program.wait_for("palette") - program.started);
        empty = program.usage().1;
        seen
    });
    let (mut shown, mut held) = (Vec::new(), Vec::new());
    let counts: &[usize] = if effort.quick { &[100, 400] } else { &[1_000, 10_000, 100_000] };
    for messages in counts {
        let path = write(folder.path(), *messages, false);
        let mut session = open(&path);
        session.append(user_entry(*messages)).unwrap();
        drop(session);
        let seen = format!("number{messages}");
        let mut memory = Vec::new();
        let figure = median(effort.times(9), || {
            let args = ["--session", path.to_str().unwrap()];
            let mut program = run_on(env!("CARGO_BIN_EXE_bowline"), &args, &[], |_| {});
            let seen = to_ms(program.wait_for(&seen) - program.started);
            // With what it does beside the first frames.
            program.read_until_quiet(Duration::from_millis(300));
            memory.push(program.usage().1);
            seen
        });
        let memory = percentile(&mut memory, 0.5);
        let what = format!("resume {messages} messages");
        report(&format!("{what}: last words"), figure, "ms", Some(floor), "<= 100 ms");
        report(&format!("{what}: memory"), memory, "MB", Some(empty), "<= 60 MB");
        shown.push((*messages, figure));
        held.push((*messages, memory));
    }
    growth("resume over messages", &shown, "ms", "<= 0.1");
    growth("resume over messages: memory", &held, "MB", "<= 0.1");
}

/// The tree of a session of so many entries on the screen: from `Alt-g` to its rows, and from an arrow key to the
/// first byte of the next frame.
pub fn session_tree(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let counts: &[usize] = if effort.quick { &[400] } else { &[1_000, 10_000, 100_000] };
    let mut opened = Vec::new();
    for entries in counts {
        let path = write(folder.path(), *entries, false);
        let mut session = open(&path);
        session.append(user_entry(*entries)).unwrap();
        drop(session);
        let args = ["--session", path.to_str().unwrap()];
        let mut program = run_on(env!("CARGO_BIN_EXE_bowline"), &args, &[], |_| {});
        program.wait_for(&format!("number{entries}"));
        let open_tree = || {
            program.read_until_quiet(Duration::from_millis(300));
            let start = Instant::now();
            program.writer.write_all(b"\x1bg").unwrap();
            let took = to_ms(program.wait_for("you are after it") - start);
            program.read_until_quiet(Duration::from_millis(100));
            program.writer.write_all(b"\x1b").unwrap();
            took
        };
        let open_ms = median(effort.times(9), open_tree);
        program.read_until_quiet(Duration::from_millis(300));
        program.writer.write_all(b"\x1bg").unwrap();
        program.wait_for("you are after it");
        let mut keys: Vec<f64> = (0..effort.times(200))
            .map(|_| {
                program.read_until_quiet(Duration::from_millis(15));
                let start = Instant::now();
                program.writer.write_all(b"\x1b[A").unwrap();
                let mut first = None;
                while first.is_none() && start.elapsed() < KEY_TIMEOUT {
                    first = program.read_until_quiet(Duration::from_millis(15)).1;
                }
                to_ms(first.expect("every key moves the selection") - start)
            })
            .collect();
        let what = format!("tree of {entries} entries");
        report(&format!("{what}: open"), open_ms, "ms", None, "<= 50 ms");
        report(&format!("{what}: key, p50"), percentile(&mut keys, 0.5), "ms", None, "<= 1 ms");
        opened.push((*entries, open_ms));
    }
    growth("tree, open, over entries", &opened, "ms", "<= 1.05");
}
