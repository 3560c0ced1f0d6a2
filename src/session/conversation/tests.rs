//! A session and its file.

use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::{CountingIds, RandomIds};
use crate::llm::model::{Message, UserMessage};
use crate::session::message::AgentMessage;
use crate::session::store::listing;

fn parts() -> (SharedClock, SharedIds) {
    (ManualClock::new(1_763_681_411_042), CountingIds::shared())
}

fn user(text: &str) -> EntryBody {
    EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 5))) }
}

fn open(path: &Path) -> Session {
    Session::open(path, ManualClock::new(0), RandomIds::shared()).unwrap()
}

/// A session that may be open elsewhere.
fn look(path: &Path) -> Session {
    Session::look_at(path, ManualClock::new(0), RandomIds::shared()).unwrap()
}

fn texts(session: &Session) -> Vec<String> {
    session.context().messages.iter().map(|message| serde_json::to_string(&**message).unwrap()).collect()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions/pi-v3.jsonl")
}

#[test]
fn nothing_is_on_disk_before_the_first_user_message() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/home/me/a:b"), clock, ids);
    session.append(EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() }).unwrap();
    assert_eq!((session.file(), fs::read_dir(root.path()).unwrap().count()), (None, 0));
    session.append(user("hello")).unwrap();
    session.sync().unwrap();
    let path = session.file().unwrap().to_path_buf();
    let wanted = "--home-me-a-b--/2025-11-20T23-30-11-042Z_00000000-0000-7000-8000-000000000001.jsonl";
    assert_eq!(path, root.path().join(wanted));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        concat!(
            r#"{"type":"session","version":3,"id":"00000000-0000-7000-8000-000000000001","timestamp":"2025-11-20T23:30:11.042Z","cwd":"/home/me/a:b"}"#,
            "\n",
            r#"{"type":"model_change","id":"00000002","parentId":null,"timestamp":"2025-11-20T23:30:11.042Z","provider":"p","modelId":"m"}"#,
            "\n",
            r#"{"type":"message","id":"00000003","parentId":"00000002","timestamp":"2025-11-20T23:30:11.042Z","message":{"role":"user","content":[{"type":"text","text":"hello"}],"timestamp":5}}"#,
            "\n"
        )
    );
}

#[test]
fn what_was_appended_is_read_again() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/w"), clock, ids);
    let first = session.append(user("one")).unwrap();
    session.append(user("left")).unwrap();
    session.branch(Some(&first)).unwrap();
    session.append(user("two")).unwrap();
    session.append(EntryBody::SessionInfo { name: Some("a\r\nname".into()) }).unwrap();
    let again = look(session.file().unwrap());
    assert_eq!(again.context(), session.context());
    assert_eq!((again.leaf(), again.id()), (session.leaf(), session.id()));
    assert_eq!(
        again.entries().last().unwrap().body(),
        EntryBody::SessionInfo { name: Some("a name".into()) }
    );
    assert_eq!(texts(&again).len(), 2);
    assert!(matches!(session.branch(Some("nobody")), Err(SessionError::NoSuchEntry(_))));
}

#[test]
fn a_session_in_memory_has_no_file() {
    let (clock, ids) = parts();
    let mut session = Session::in_memory(Path::new("/w"), clock, ids);
    session.append(user("one")).unwrap();
    session.sync().unwrap();
    assert_eq!((session.file(), session.context().messages.len()), (None, 1));
}

#[test]
fn every_entry_of_the_fixture_is_known_and_kept_byte_for_byte() {
    let text = fs::read_to_string(fixture()).unwrap();
    let session = look(&fixture());
    assert_eq!(session.problems(), []);
    let header = Cow::Borrowed(session.header().line.as_str());
    let entries = session.entries().iter().map(|entry| entry.line().unwrap());
    let lines: Vec<Cow<str>> = std::iter::once(header).chain(entries).collect();
    assert_eq!(lines.join("\n") + "\n", text);
    let unknown: Vec<&str> = session
        .entries()
        .iter()
        .filter(|entry| matches!(entry.body(), EntryBody::Unknown(_)))
        .map(Entry::kind)
        .collect();
    assert_eq!(unknown, ["hologram"]);
    for entry in session.entries().iter().filter(|entry| entry.kind() == "message") {
        let EntryBody::Message { message } = entry.body() else { panic!("{entry:?}") };
        assert_eq!(entry.message(), Some(message));
    }
    let context = session.context();
    let roles: Vec<&str> = context.messages.iter().map(|message| message.role()).collect();
    assert_eq!(
        roles,
        [
            "compactionSummary",
            "user",
            "assistant",
            "toolResult",
            "bashExecution",
            "branchSummary",
            "custom",
            "user"
        ]
    );
    assert_eq!(context.model, Some(("openai".into(), "gpt-test".into())));
    assert_eq!(context.thinking, Some(crate::llm::model::Thinking::High));
}

#[test]
fn a_continued_file_keeps_its_old_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let before = fs::read(fixture()).unwrap();
    fs::write(&path, &before).unwrap();
    let mut session = open(&path);
    session.append(user("more")).unwrap();
    let after = fs::read(&path).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
    assert_eq!(look(&path).context().messages.len(), session.context().messages.len());
}

#[test]
fn broken_lines_are_skipped_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let mut bytes = b"\xef\xbb\xbf".to_vec();
    let entry = r#"{"type":"custom","id":"a","parentId":null,"timestamp":"t","customType":"x"}"#;
    let header = Header::new("s".into(), 0, "/w".into()).line;
    bytes.extend(format!("{header}\r\n\n{{broken\n{entry}\n{entry}\n").bytes());
    bytes.extend(b"\xff\xfe\n");
    fs::write(&path, &bytes).unwrap();
    let session = open(&path);
    let lines: Vec<usize> = session.problems().iter().map(|problem| problem.line).collect();
    assert_eq!((lines, session.entries().len(), session.id()), (vec![3, 5, 6], 1, "s"));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_missing_line_feed_is_added_with_the_next_entry() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let header = Header::new("s".into(), 0, "/w".into()).line;
    fs::write(&path, &header).unwrap();
    let mut session = open(&path);
    session.append(user("one")).unwrap();
    let session = look(&path);
    assert_eq!((session.entries().len(), session.problems().len()), (1, 0));
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    for text in
        ["my notes\nline\n", "notes without a line feed", "\n\n", "{\"type\":\"message\",\"id\":\"a\"}\n"]
    {
        fs::write(&path, text).unwrap();
        let error = Session::open(&path, ManualClock::new(0), RandomIds::shared()).unwrap_err();
        assert!(matches!(error, SessionError::NotASession(_)), "{text:?}: {error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, "{\"type\":\"session\",\"version\":9,\"id\":\"a\",\"timestamp\":\"t\",\"cwd\":\"/\"}\n")
        .unwrap();
    let error = Session::open(&path, ManualClock::new(0), RandomIds::shared()).unwrap_err();
    assert!(error.to_string().contains("format 9"), "{error}");
    let missing = Session::open(&folder.path().join("none"), ManualClock::new(0), RandomIds::shared());
    assert!(matches!(missing, Err(SessionError::Io { .. })));
}

#[test]
fn an_empty_file_becomes_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, "").unwrap();
    let mut session = open(&path);
    session.append(user("one")).unwrap();
    assert_eq!(look(&path).id(), session.id());
}

#[test]
fn an_existing_file_is_never_overwritten() {
    let root = tempfile::tempdir().unwrap();
    let make = || {
        let (clock, ids) = parts();
        Session::create(root.path(), Path::new("/w"), clock, ids)
    };
    let (mut first, mut second) = (make(), make());
    first.append(user("one")).unwrap();
    let error = second.append(user("two")).unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }));
    assert_eq!((second.entries().len(), second.file()), (0, None));
    assert_eq!(texts(&look(first.file().unwrap())).len(), 1);
}

#[test]
fn a_deleted_file_comes_back_whole() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/w"), clock, ids);
    session.append(user("one")).unwrap();
    let path = session.file().unwrap().to_path_buf();
    fs::remove_file(&path).unwrap();
    session.append(user("two")).unwrap();
    session.append(user("three")).unwrap();
    assert_eq!(texts(&look(&path)), texts(&session));
    fs::remove_file(&path).unwrap();
    fs::write(&path, "somebody else's").unwrap();
    assert!(session.append(user("four")).is_err());
    assert_eq!(
        (fs::read_to_string(&path).unwrap().as_str(), session.entries().len()),
        ("somebody else's", 3)
    );
}

#[test]
fn a_full_disk_leaves_memory_and_file_equal() {
    let Ok(full) = fs::File::options().append(true).open("/dev/full") else { return };
    let (clock, ids) = parts();
    let mut session = Session::in_memory(Path::new("/w"), clock, ids);
    session.file = Backing::Open(Store::over("/dev/full".into(), full));
    let error = session.append(user("one")).unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }), "{error}");
    assert_eq!((session.entries().len(), session.leaf()), (0, None));
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("s.jsonl");
    session.file = Backing::Open(Store::over(path.clone(), fs::File::create_new(&path).unwrap()));
    session.append(user("two")).unwrap();
    assert_eq!((session.entries().len(), fs::read_to_string(&path).unwrap().lines().count()), (1, 1));
}

#[test]
fn ids_are_unique_even_when_the_source_repeats() {
    #[derive(Debug)]
    struct Stuck;
    impl crate::base::ids::Ids for Stuck {
        fn session(&self, now_ms: u64) -> String {
            RandomIds.session(now_ms)
        }
        fn entry(&self) -> String {
            "aaaaaaaa".into()
        }
    }
    let mut session = Session::in_memory(Path::new("/w"), ManualClock::new(0), Arc::new(Stuck));
    let (one, two) = (session.append(user("1")).unwrap(), session.append(user("2")).unwrap());
    assert_eq!((one.as_str(), two.len()), ("aaaaaaaa", 36));
}

#[test]
fn the_latest_session_of_a_folder_is_found() {
    let root = tempfile::tempdir().unwrap();
    let make = |cwd: &str, age: u64| {
        let mut session =
            Session::create(root.path(), Path::new(cwd), ManualClock::new(1000), RandomIds::shared());
        session.append(user("hi")).unwrap();
        let path = session.file().unwrap().to_path_buf();
        let changed = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 - age);
        fs::File::options().append(true).open(&path).unwrap().set_modified(changed).unwrap();
        path
    };
    let _old = make("/a/b", 300);
    let wanted = make("/a/b", 200);
    // Same folder name, other working folder.
    let _other = make("/a-b", 100);
    fs::write(store::folder(root.path(), Path::new("/a/b")).join("junk.jsonl"), "junk").unwrap();
    assert_eq!(listing::latest(root.path(), Path::new("/a/b")), Some(wanted));
    assert_eq!(listing::latest(root.path(), Path::new("/nowhere")), None);
}

#[test]
fn two_programs_do_not_write_one_session() {
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
fn a_session_of_an_earlier_format_is_not_touched_before_something_is_added() {
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
    assert_eq!(again.entries()[0].line().unwrap(), session.entries()[0].line().unwrap());
}

#[test]
fn entries_are_read_again_from_where_they_were_written() {
    let root = tempfile::tempdir().unwrap();
    let (clock, ids) = parts();
    let mut session = Session::create(root.path(), Path::new("/w"), clock, ids);
    session.append(EntryBody::ModelChange { provider: "p".into(), model_id: "m".into() }).unwrap();
    for n in 0..5 {
        session.append(user(&format!("é{n}"))).unwrap();
    }
    let text = fs::read_to_string(session.file().unwrap()).unwrap();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    for (entry, line) in session.entries().iter().zip(lines) {
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
fn a_long_session_is_opened_by_its_index() {
    let folder = tempfile::tempdir().unwrap();
    let path = long(folder.path(), 1000);
    let index = folder.path().join("long.jsonl.index");
    let first = look(&path);
    assert!(index.exists());
    // Nothing of what the index covers is read: a line that means nothing now is not noticed.
    let bytes = fs::read(&path).unwrap();
    let (from, length) = first.entries()[10].span().unwrap();
    let mut other = bytes.clone();
    other[from as usize..from as usize + length as usize].fill(b'x');
    fs::write(&path, &other).unwrap();
    let by_index = look(&path);
    assert_eq!((by_index.entries().len(), by_index.problems()), (1000, first.problems()));
    assert_eq!(by_index.entries()[10].body(), EntryBody::Unknown(serde_json::Value::Null));
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
fn an_index_of_another_file_or_a_broken_one_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = long(folder.path(), 1000);
    let index = folder.path().join("long.jsonl.index");
    let entries = |path: &Path| look(path).entries().iter().map(|e| e.id().to_string()).collect::<Vec<_>>();
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

/// `root - left - label(root)`, `root - kept - label(left) - named`; the session and its folder.
fn branched(root: &Path) -> (Session, [String; 3]) {
    let (clock, ids) = parts();
    let mut session = Session::create(root, Path::new("/w"), clock, ids);
    let first = session.append(user("root")).unwrap();
    let left = session.append(user("left")).unwrap();
    session.label(&first, Some("start")).unwrap();
    session.branch(Some(&first)).unwrap();
    let kept = session.append(user("kept")).unwrap();
    session.label(&left, Some("elsewhere")).unwrap();
    session.append(EntryBody::SessionInfo { name: Some("named".into()) }).unwrap();
    (session, [first, left, kept])
}

#[test]
fn labels_and_names_are_the_latest() {
    let root = tempfile::tempdir().unwrap();
    let (mut session, [first, left, _]) = branched(root.path());
    let named = |session: &Session, id: &str| session.labels().get(id).cloned();
    assert_eq!((session.name(), named(&session, &first)), (Some("named".into()), Some("start".into())));
    session.label(&first, Some("again")).unwrap();
    session.label(&left, None).unwrap();
    assert_eq!((named(&session, &first), named(&session, &left)), (Some("again".into()), None));
    assert!(matches!(session.label("nobody", Some("x")), Err(SessionError::NoSuchEntry(_))));
}

#[test]
fn a_fork_has_the_branch_with_its_labels() {
    let root = tempfile::tempdir().unwrap();
    let (session, [first, _, kept]) = branched(root.path());
    let fork = session.fork(root.path(), Path::new("/v"), session.leaf()).unwrap();
    assert_eq!(fork.header().parent_session.as_deref(), session.file().unwrap().to_str());
    assert_eq!((fork.header().cwd.as_str(), fork.name()), ("/v", Some("named".into())));
    assert_ne!(fork.id(), session.id());
    let written = look(fork.file().unwrap());
    assert_eq!((texts(&written), written.problems().len()), (texts(&session), 0));
    let labels: Vec<(String, String)> = written.labels().into_iter().collect();
    assert_eq!(labels, [(first.clone(), "start".to_string())]);
    // The label between them is gone, and what followed it follows what was before.
    let info = written.entries().iter().find(|entry| entry.kind() == "session_info").unwrap();
    assert_eq!(info.parent_id(), Some(kept.as_str()));
    let kinds: Vec<&str> = written.entries().iter().map(Entry::kind).collect();
    assert_eq!(kinds, ["message", "message", "session_info", "label"]);
    let original = session.tree().get(&first).unwrap().line().unwrap();
    assert_eq!(written.tree().get(&first).unwrap().line().unwrap(), original);
    let early = session.fork(root.path(), Path::new("/v"), Some(&first)).unwrap();
    assert_eq!((texts(&early).len(), early.labels().len()), (1, 1));
    assert!(session.fork(root.path(), Path::new("/v"), Some("nobody")).is_err());
}

#[test]
fn a_copy_has_every_branch() {
    let root = tempfile::tempdir().unwrap();
    let (session, _) = branched(root.path());
    let mut copy = session.copy(root.path()).unwrap();
    let lines = |session: &Session| -> Vec<String> {
        session.entries().iter().map(|entry| entry.line().unwrap().into_owned()).collect()
    };
    assert_eq!((lines(&copy), texts(&copy)), (lines(&session), texts(&session)));
    assert_eq!(copy.header().parent_session.as_deref(), session.file().unwrap().to_str());
    copy.append(user("more")).unwrap();
    assert_eq!(look(copy.file().unwrap()).entries().len(), session.entries().len() + 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    /// Whatever byte a crash cut the file at: what was whole is there, the rest is kept aside,
    /// and the conversation goes on.
    #[test]
    fn a_tail_torn_at_any_byte_loses_nothing_whole(texts in prop::collection::vec("[a-zé\"\\\\\n]{0,12}", 1..4)) {
        let folder = tempfile::tempdir().unwrap();
        let (clock, ids) = parts();
        let mut session = Session::create(folder.path(), Path::new("/w"), clock, ids);
        for text in &texts {
            session.append(user(text)).unwrap();
        }
        let bytes = fs::read(session.file().unwrap()).unwrap();
        let header = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        let path = folder.path().join("torn.jsonl");
        let aside = folder.path().join("torn.jsonl.torn");
        for cut in header..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            if aside.exists() {
                fs::remove_file(&aside).unwrap();
            }
            let mut torn = open(&path);
            let feeds = memchr::memchr_iter(b'\n', &bytes[..cut]).count().saturating_sub(1);
            let ends_whole = bytes[cut] == b'\n' && cut > header;
            prop_assert_eq!(torn.entries().len(), feeds + usize::from(ends_whole));
            let mut kept = fs::read(&path).unwrap();
            if let Ok(rest) = fs::read(&aside) {
                kept.extend(&rest[..rest.len() - 1]);
            }
            prop_assert_eq!(&kept[..], &bytes[..cut]);
            torn.append(user("after")).unwrap();
            let again = look(&path);
            prop_assert_eq!(again.problems(), &[]);
            prop_assert_eq!(again.entries().len(), torn.entries().len());
        }
    }
}
