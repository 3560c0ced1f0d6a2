//! Who writes a file, files of earlier formats, and long files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{look, open, parts, texts, user};
use crate::base::clock::ManualClock;
use crate::base::ids::RandomIds;
use crate::session::format::entry::LineSource;
use crate::session::restore::checkpoints::{self, Checkpoint, When};
use crate::session::{Entry, EntryBody, Header, Session, SessionError};

#[test]
fn session_file_is_locked_by_one_process() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut first = Session::create(root.path(), Path::new("/w"), clock, ids);
    first.append(user("one")).unwrap();
    let path = first.file().unwrap().to_path_buf();
    let busy = Session::open(&path, ManualClock::new(0), RandomIds::shared());
    assert!(matches!(&busy, Err(SessionError::Busy(busy)) if *busy == path), "{busy:?}");
    let mut looked = look(&path);
    assert_eq!(texts(&looked), texts(&first));
    assert!(matches!(looked.append(user("no")), Err(SessionError::ReadOnly(_))));
    first.append(user("two")).unwrap();
    drop(first);
    let mut second = open(&path);
    second.append(user("three")).unwrap();
    assert_eq!(texts(&second).len(), 3);
}

#[test]
fn session_old_format_is_upgraded_on_first_append() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let old = concat!(
        r#"{"type":"session","id":"old","timestamp":"2025-11-20T23:30:11.042Z","cwd":"/w","provider":"p","modelId":"m","thinkingLevel":"off"}"#,
        "\n",
        r#"{"type":"message","timestamp":"2025-11-20T23:30:11.042Z","message":{"role":"user","content":"one","timestamp":1}}"#,
        "\n",
        r#"{"type":"compaction","timestamp":"2025-11-20T23:30:11.042Z","summary":"S","firstKeptEntryIndex":1,"tokensBefore":1}"#,
        "\n"
    );
    fs::write(&path, old).unwrap();
    let mut session = open(&path);
    assert_eq!((session.id(), session.entries().len(), session.leaf()), ("old", 2, Some("00000002")));
    session.sync().unwrap();
    let before = texts(&session);
    assert_eq!((before.len(), fs::read_to_string(&path).unwrap().as_str()), (2, old));
    session.append(user("two")).unwrap();
    session.append(user("three")).unwrap();
    assert_eq!(fs::read_to_string(folder.path().join("s.jsonl.v1")).unwrap(), old);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(r#""thinkingLevel":"off","version":3}"#), "{text}");
    assert!(matches!(
        Session::open(&path, ManualClock::new(0), RandomIds::shared()),
        Err(SessionError::Busy(_))
    ));
    let again = look(&path);
    assert_eq!((texts(&again), again.entries().len()), (texts(&session), 4));
    assert_eq!(texts(&again)[..2], before);
    assert_eq!(
        again.entries().get(0).unwrap().line().unwrap(),
        session.entries().get(0).unwrap().line().unwrap()
    );
}

#[test]
fn session_entry_spans_match_file() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/w"), clock, ids);
    session.append(EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() }).unwrap();
    for n in 0..5 {
        session.append(user(&format!("é{n}"))).unwrap();
    }
    let text = fs::read_to_string(session.file().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    for (entry, line) in session.entries().zip(lines) {
        let (from, length) = entry.span().unwrap();
        assert_eq!(&text[from as usize..from as usize + length as usize], line);
        assert_eq!(entry.line().unwrap(), line);
    }
}

/// A session long enough to have an index; its path.
fn long(folder: &Path, entries: usize) -> PathBuf {
    let path = folder.join("long.jsonl");
    let mut text = Header::new("s".into(), 0, "/w".into()).line + "\n{broken\n";
    let words = "word ".repeat(1000);
    for n in 0..entries {
        let parent = if n == 0 { "null".to_string() } else { format!("\"{:08x}\"", n - 1) };
        text += &format!(
            r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"t","message":{{"role":"user","content":"{n} {words}","timestamp":1}}}}"#
        );
        text.push('\n');
    }
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn session_long_file_opens_by_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = long(folder.path(), 1000);
    let index = folder.path().join("long.jsonl.index");
    let first = look(&path);
    assert!(index.exists());
    // Nothing of what the index covers is read: a line that means nothing now is not noticed.
    let bytes = fs::read(&path).unwrap();
    let (from, length) = first.entries().get(10).unwrap().span().unwrap();
    let mut other = bytes.clone();
    other[from as usize..from as usize + length as usize].fill(b'x');
    fs::write(&path, &other).unwrap();
    let by_index = look(&path);
    assert_eq!((by_index.entries().len(), by_index.problems()), (1000, first.problems()));
    assert_eq!(by_index.entries().get(10).unwrap().body(), EntryBody::Unknown(serde_json::Value::Null));
    fs::write(&path, &bytes).unwrap();
    // It goes on behind what the index knows.
    let mut session = open(&path);
    assert_eq!((session.leaf(), session.problems().len()), (Some("000003e7"), 1));
    session.append(user("after")).unwrap();
    let again = look(&path);
    assert_eq!((again.leaf(), again.entries().len()), (session.leaf(), 1001));
    assert_eq!(texts(&again), texts(&session));
}

#[test]
fn session_index_mismatch_or_damage_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = long(folder.path(), 1000);
    let index = folder.path().join("long.jsonl.index");
    let entries = |path: &Path| look(path).entries().map(|e| e.id().to_string()).collect::<Vec<_>>();
    let wanted = entries(&path);
    let good = fs::read(&index).unwrap();
    for cut in [0, 3, 4, good.len() / 2, good.len() - 1] {
        fs::write(&index, &good[..cut]).unwrap();
        assert_eq!(entries(&path), wanted);
        assert_eq!(fs::read(&index).unwrap(), good, "made anew after {cut} bytes");
    }
    // The same index beside a file with something in front.
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("{broken", "{broken in more words", 1)).unwrap();
    assert_eq!(entries(&path), wanted);
    let shorter: String = text.split_inclusive('\n').take(900).collect();
    fs::write(&path, shorter).unwrap();
    assert_eq!(entries(&path), wanted[..898]);
}

#[test]
fn session_index_broken_page_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let path = long(folder.path(), 1000);
    let index = folder.path().join("long.jsonl.index");
    let whole = look(&path);
    let told = |session: &Session| -> Vec<String> {
        let line = |entry: &Entry| format!("{entry:?} {}", entry.line().unwrap());
        session.entries().map(line).chain(texts(session)).collect()
    };
    let wanted = told(&whole);
    let mut good = fs::read(&index).unwrap();
    for from_end in [10, 40_000, good.len() - 1000] {
        let at = good.len() - from_end;
        good[at] ^= 1;
        fs::write(&index, &good).unwrap();
        let mut session = open(&path);
        assert_eq!(session.entries().len(), 1000);
        assert!(session.tree().contains("00000007") && !session.tree().contains("1"));
        assert_eq!(told(&session), wanted, "{from_end}");
        assert!(!index.exists(), "the next one is made anew");
        // What comes later is no part of what is made again.
        let last = session.append(user("after")).unwrap();
        assert_eq!(session.tree().get(&last).unwrap().parent_id(), Some("000003e7"));
        drop(session);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..=text.trim_end().rfind('\n').unwrap()]).unwrap();
        good[at] ^= 1;
    }
}

#[test]
fn session_usage_totals_come_from_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.jsonl");
    let mut text = Header::new("s".into(), 0, "/w".into()).line + "\n";
    let words = "word ".repeat(1000);
    for n in 0..1000 {
        let parent = if n == 0 { "null".to_string() } else { format!("\"{:08x}\"", n - 1) };
        text += &format!(
            r#"{{"type":"message","id":"{n:08x}","parentId":{parent},"timestamp":"t","message":{{"role":"assistant","content":"{words}","api":"a","provider":"p","model":"m","stopReason":"stop","usage":{{"input":{n},"reasoning":1,"cost":{{"total":0.5}}}}}}}}"#
        );
        text.push('\n');
    }
    fs::write(&path, &text).unwrap();
    let mut first = look(&path);
    let all = first.usage();
    assert_eq!((all.input, all.reasoning, all.cost.total), (499_500, Some(1000), 500.0));
    // Of lines that the index covers nothing is read: some that mean nothing now are not noticed.
    let [from, to] = [5, 50].map(|at| first.entries().get(at).unwrap().span().unwrap().0 as usize);
    let mut bytes = text.into_bytes();
    bytes[from..to].fill(b'x');
    fs::write(&path, &bytes).unwrap();
    assert_eq!(look(&path).usage(), all);
}

/// Counts what is read.
struct Counting(AtomicUsize, PathBuf);

impl LineSource for Counting {
    fn read(&self, from: u64, length: u32) -> io::Result<String> {
        self.0.fetch_add(1, Ordering::Relaxed);
        let text = fs::read_to_string(&self.1)?;
        Ok(text[from as usize..from as usize + length as usize].to_string())
    }
}

/// A session with so many states of the workspace, one of them brought back where that is said; its path.
fn with_states(folder: &Path, count: usize, restored: Option<usize>) -> PathBuf {
    let path = folder.join("states.jsonl");
    let mut text = Header::new("s".into(), 0, "/w".into()).line + "\n";
    for n in 0..count {
        let parent = if n == 0 { "null".to_string() } else { format!("\"{:08x}\"", n - 1) };
        let at = match restored {
            Some(at) if at == n => r#""restored","undo":"its undo""#,
            _ => r#""before""#,
        };
        let pad = "x".repeat(5_000_000 / count);
        text += &format!(
            r#"{{"type":"custom","id":"{n:08x}","parentId":{parent},"timestamp":"t","customType":"bowline.checkpoint","data":{{"at":{at},"tree":"{n}","root":"/w","leftOut":["{pad}"]}}}}"#
        );
        text.push('\n');
    }
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn session_last_restore_is_known_without_scan() {
    let mut counts = Vec::new();
    for count in [100, 10_000] {
        for restored in [None, Some(3)] {
            let folder = tempfile::tempdir().unwrap();
            let path = with_states(folder.path(), count, restored);
            let wanted = restored.map(|_| "its undo".to_string());
            assert_eq!(look(&path).undo_entry(), wanted);
            assert!(path.with_extension("jsonl.index").exists());
            let mut session = open(&path);
            let reads = Arc::new(Counting(AtomicUsize::new(0), path.clone()));
            session.tree.set_line_source(reads.clone());
            assert_eq!(session.undo_entry(), wanted);
            counts.push(reads.0.load(Ordering::Relaxed));
            let state = checkpoints::from_entry(session.tree().entry(3)).unwrap();
            for (at, undo) in [(When::Restored, "later"), (When::Left, "not this")] {
                let state = Checkpoint { at, undo: Some(undo.into()), ..state.clone() };
                session.append(state.body()).unwrap();
            }
            assert_eq!(session.undo_entry().as_deref(), Some("later"));
            drop(session);
            assert_eq!(look(&path).undo_entry().as_deref(), Some("later"));
        }
    }
    assert_eq!(counts, [0, 1, 0, 1]);
}

#[test]
fn session_unsent_messages_are_not_in_memory() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/w"), clock, ids);
    let said: Vec<String> = (0..4).map(|n| session.append(user(&format!("{n}"))).unwrap()).collect();
    let decoded =
        |session: &Session| -> Vec<bool> { session.entries().take(4).map(Entry::is_decoded).collect() };
    assert_eq!(decoded(&session), [false; 4], "nobody has asked");
    session.context();
    assert_eq!(decoded(&session), [true; 4]);
    session.branch(Some(&said[1])).unwrap();
    session.context();
    assert_eq!(decoded(&session), [true, true, false, false], "of the branch that was left");
    session.branch(Some(&said[3])).unwrap();
    session.context();
    session
        .append(EntryBody::Compaction {
            summary: "S".into(),
            first_kept_entry_id: said[3].clone(),
            tokens_before: 9,
            usage: None,
            details: None,
            from_hook: None,
            system_message: None,
        })
        .unwrap();
    session.context();
    assert_eq!(decoded(&session), [false, false, false, true], "of what was summed up");
}
