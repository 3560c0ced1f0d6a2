//! A session and its file.

mod beside;
mod files;
mod forks;

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
use crate::session::format::message::AgentMessage;
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
    Session::open_read_only(path, ManualClock::new(0), RandomIds::shared()).unwrap()
}

fn texts(session: &Session) -> Vec<String> {
    session.context().messages.iter().map(|message| serde_json::to_string(&**message).unwrap()).collect()
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sessions/pi-v3.jsonl")
}

#[test]
fn session_file_is_created_with_first_user_message() {
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
fn session_reopened_file_has_same_entries() {
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
        again.entries().next_back().unwrap().body(),
        EntryBody::SessionInfo { name: Some("a name".into()) }
    );
    assert_eq!(texts(&again).len(), 2);
    assert!(matches!(session.branch(Some("nobody")), Err(SessionError::NoSuchEntry(_))));
}

#[test]
fn session_in_memory_has_no_file() {
    let (clock, ids) = parts();
    let mut session = Session::in_memory(Path::new("/w"), clock, ids);
    session.append(user("one")).unwrap();
    session.sync().unwrap();
    assert_eq!((session.file(), session.context().messages.len()), (None, 1));
}

#[test]
fn session_fixture_entries_are_kept_byte_for_byte() {
    let text = fs::read_to_string(fixture()).unwrap();
    let session = look(&fixture());
    assert_eq!(session.problems(), []);
    let header = Cow::Borrowed(session.header().line.as_str());
    let entries = session.entries().map(|entry| entry.line().unwrap());
    let lines: Vec<Cow<str>> = std::iter::once(header).chain(entries).collect();
    assert_eq!(lines.join("\n") + "\n", text);
    let unknown: Vec<&str> = session
        .entries()
        .filter(|entry| matches!(entry.body(), EntryBody::Unknown(_)))
        .map(Entry::kind)
        .collect();
    assert_eq!(unknown, ["hologram"]);
    for entry in session.entries().filter(|entry| entry.kind() == "message") {
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
fn session_append_keeps_existing_bytes() {
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
fn session_broken_lines_are_skipped_and_reported() {
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
fn session_missing_final_newline_is_added() {
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
fn session_other_files_are_refused_untouched() {
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
fn session_empty_file_becomes_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, "").unwrap();
    let mut session = open(&path);
    session.append(user("one")).unwrap();
    assert_eq!(look(&path).id(), session.id());
}

#[test]
fn session_existing_file_is_never_overwritten() {
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
fn session_deleted_file_is_rewritten() {
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
fn session_full_disk_keeps_memory_and_file_equal() {
    let Ok(full) = fs::File::options().append(true).open("/dev/full") else { return };
    let (clock, ids) = parts();
    let mut session = Session::in_memory(Path::new("/w"), clock, ids);
    session.file = Backing::Open(Store::from_file("/dev/full".into(), full));
    let error = session.append(user("one")).unwrap_err();
    assert!(matches!(error, SessionError::Io { .. }), "{error}");
    assert_eq!((session.entries().len(), session.leaf()), (0, None));
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("s.jsonl");
    session.file = Backing::Open(Store::from_file(path.clone(), fs::File::create_new(&path).unwrap()));
    session.append(user("two")).unwrap();
    assert_eq!((session.entries().len(), fs::read_to_string(&path).unwrap().lines().count()), (1, 1));
}

#[test]
fn session_entry_ids_are_unique_with_repeating_source() {
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
fn session_latest_of_folder_is_found() {
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

proptest! {
    #![proptest_config(crate::base::seeds::cases(3))]

    /// Whatever byte a crash cut the file at: what was whole is there, the rest is kept aside,
    /// and the conversation goes on.
    #[test]
    fn session_torn_tail_loses_no_complete_entry(texts in prop::collection::vec("[a-zé\"\\\\\n]{0,12}", 1..4)) {
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
