//! The index over session files that grow, change, go, and over damage of the index itself.

use std::path::Path;

use super::*;
use crate::base::clock::{self, ManualClock};
use crate::base::ids::{CountingIds, SharedIds};
use crate::llm::model::{Message, UserMessage};
use crate::session::search::hit::Role;
use crate::session::{AgentMessage, EntryBody, Session};

/// 2025-11-20T23:30:11.042Z.
const NOW: u64 = 1_763_681_411_042;

fn user(text: &str) -> EntryBody {
    EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 5))) }
}

fn session(root: &Path, cwd: &str, ids: &SharedIds, texts: &[&str]) -> Session {
    let mut session = Session::create(root, Path::new(cwd), ManualClock::new(NOW), ids.clone());
    for text in texts {
        session.append(user(text)).unwrap();
    }
    session
}

fn ask(root: &Path, text: &str) -> Vec<Hit> {
    search(root, &Query::parse(text, NOW, false), 10, &StopFlag::default()).unwrap()
}

fn texts(root: &Path, text: &str) -> Vec<String> {
    let mut found: Vec<String> = ask(root, text).into_iter().map(|hit| hit.snippet.text).collect();
    found.sort();
    found
}

#[test]
fn session_search_finds_text_with_location() {
    let root = tempfile::tempdir().unwrap();
    let ids = CountingIds::shared();
    let one = session(root.path(), "/w/one", &ids, &["fix the login loop", "and add a test"]);
    let mut two = session(root.path(), "/w/two", &ids, &["a loop of Straßen"]);
    let target = two.leaf().unwrap().to_string();
    two.set_label(&target, Some("landmark")).unwrap();
    let found = ask(root.path(), "login");
    assert_eq!(found.len(), 1);
    let hit = &found[0];
    assert_eq!((hit.path.as_path(), hit.session.as_str()), (one.file().unwrap(), one.id()));
    assert_eq!((hit.entry.as_str(), hit.cwd.as_str()), (one.entries().get(0).unwrap().id(), "/w/one"));
    assert_eq!((hit.title.as_str(), hit.role, hit.at_ms), ("fix the login loop", Role::User, NOW));
    assert_eq!(&hit.snippet.text[hit.snippet.marks[0].clone()], "login");
    assert_eq!(ask(root.path(), "loop").len(), 2);
    assert_eq!(texts(root.path(), "loop project:two"), ["a loop of Straßen"]);
    assert_eq!(texts(root.path(), "loop -login"), ["a loop of Straßen"]);
    assert_eq!(texts(root.path(), "\"login loop\""), ["fix the login loop"]);
    assert!(ask(root.path(), "\"loop login\"").is_empty());
    assert_eq!(texts(root.path(), "STRASS* OR").len(), 0);
    assert_eq!(texts(root.path(), "straß*"), ["a loop of Straßen"]);
    assert_eq!(ask(root.path(), "landmark")[0].entry, target);
    assert_eq!(ask(root.path(), "role:user since:2025-11-20").len(), 3);
    assert!(ask(root.path(), "loop before:2025-11-20").is_empty());
    assert!(ask(root.path(), "").is_empty());
}

#[test]
fn session_search_finds_commands_and_files() {
    let root = tempfile::tempdir().unwrap();
    let mut all = session(root.path(), "/w", &CountingIds::shared(), &["go"]);
    let answer = crate::base::json::json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "perhaps quicksort"},
        {"type": "toolCall", "id": "1", "name": "bash", "arguments": {"command": "cargo test --lib"}},
        {"type": "toolCall", "id": "2", "name": "read", "arguments": {"path": "src/login.rs"}}],
        "api": "a", "provider": "p", "model": "m", "stopReason": "toolUse"});
    let message: AgentMessage = serde_json::from_value(answer).unwrap();
    let id = all.append(EntryBody::Message { message }).unwrap();
    for (text, count) in [
        ("command:\"cargo test\"", 1),
        ("file:login.rs", 1),
        ("file:cargo", 0),
        ("command:login", 0),
        ("login", 1),
        ("quicksort", 0),
        ("thinking:quicksort", 1),
    ] {
        let found = ask(root.path(), text);
        assert_eq!(found.len(), count, "{text}");
        assert!(found.iter().all(|hit| hit.entry == id && !hit.snippet.marks.is_empty()), "{found:?}");
    }
}

#[test]
fn session_search_index_updates_incrementally() {
    let root = tempfile::tempdir().unwrap();
    let ids = CountingIds::shared();
    let mut one = session(root.path(), "/w", &ids, &["first"]);
    let two = session(root.path(), "/w", &ids, &["second"]);
    let mut index = Index::open(root.path()).unwrap();
    let stop = StopFlag::default();
    let updated = |index: &mut Index| {
        let IndexUpdate { files, entries, removed: gone } = index.update(&stop).unwrap();
        (files, entries, gone)
    };
    assert_eq!(updated(&mut index), (2, 2, 0));
    assert_eq!(updated(&mut index), (0, 0, 0));
    one.append(user("third")).unwrap();
    one.append(EntryBody::SessionInfo { name: Some("a name".into()) }).unwrap();
    assert_eq!(updated(&mut index), (1, 2, 0));
    assert_eq!(ask(root.path(), "first")[0].title, "a name");
    // A line without an end is not there yet.
    let path = two.file().unwrap().to_path_buf();
    drop(two);
    let whole = fs::read(&path).unwrap();
    let line = whole.split_inclusive(|byte| *byte == b'\n').nth(1).unwrap();
    let next = String::from_utf8(line.to_vec()).unwrap().replace("second", "fourth");
    fs::write(&path, [&whole[..], &next.as_bytes()[..next.len() - 9]].concat()).unwrap();
    assert_eq!((updated(&mut index), texts(root.path(), "fourth").len()), ((0, 0, 0), 0));
    fs::write(&path, [&whole[..], next.as_bytes()].concat()).unwrap();
    assert_eq!((updated(&mut index).1, texts(root.path(), "fourth").len()), (1, 1));
    // Another text in its place, of any length, counts alone.
    let changed = String::from_utf8(whole).unwrap().replace("second", "fifths");
    fs::write(&path, changed).unwrap();
    assert_eq!(updated(&mut index), (1, 1, 0));
    assert_eq!((texts(root.path(), "second").len(), texts(root.path(), "fifths").len()), (0, 1));
    fs::remove_file(&path).unwrap();
    assert_eq!(updated(&mut index), (0, 0, 1));
    assert!(ask(root.path(), "fifths").is_empty());
}

#[test]
fn session_search_common_word_shows_newest() {
    let root = tempfile::tempdir().unwrap();
    let texts: Vec<String> = (0..2_050).map(|n| format!("common n{n}x")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let _session = session(root.path(), "/w", &CountingIds::shared(), &texts);
    let found: Vec<String> = ask(root.path(), "common").into_iter().map(|hit| hit.snippet.text).collect();
    assert_eq!((found.len(), found[0].as_str(), found[9].as_str()), (10, "common n2049x", "common n2040x"));
    assert_eq!(self::texts(root.path(), "common n7x"), ["common n7x"]);
    // Of few places those where the word makes up more of the text come first.
    let _other = session(root.path(), "/x", &CountingIds::shared(), &["rare and much beside it", "rare"]);
    assert_eq!(ask(root.path(), "rare").first().unwrap().snippet.text, "rare");
}

#[test]
fn session_search_role_and_project_filters_use_index() {
    let root = tempfile::tempdir().unwrap();
    let ids = CountingIds::shared();
    let mut labelled = session(root.path(), "/harbour", &ids, &["common one", "r1 f1"]);
    let first = labelled.entries().get(0).unwrap().id().to_string();
    labelled.set_label(&first, Some("common label")).unwrap();
    let _other = session(root.path(), "/quay", &ids, &["common two"]);
    let texts = |text: &str| texts(root.path(), text);
    assert_eq!(texts("common role:label"), ["common label"]);
    assert_eq!(texts("role:label"), ["common label"]);
    assert_eq!(texts("common project:quay"), ["common two"]);
    assert_eq!(texts("common project:quay role:label"), [] as [&str; 0]);
    assert_eq!(texts("common project:elsewhere"), [] as [&str; 0]);
    assert_eq!(texts("project:HARB role:user").len(), 2);
    assert_eq!(texts("common role:user role:label").len(), 3);
    // The words for that are no words that somebody has said.
    assert_eq!(texts("f1"), ["r1 f1"]);
    let mut index = Index::open(root.path()).unwrap();
    let plan = "EXPLAIN QUERY PLAN SELECT rowid FROM words WHERE words MATCH ?1 ORDER BY rowid DESC LIMIT 9";
    let how: String = index
        .database
        .query_row(plan, ["({said} : \"common\") AND (place : (r5))"], |row| row.get(3))
        .unwrap();
    assert!(how.contains("VIRTUAL TABLE INDEX") && !how.contains("TEMP B-TREE"), "{how}");
    index.update(&StopFlag::default()).unwrap();
}

#[test]
fn session_search_forked_entries_are_shown_once() {
    let root = tempfile::tempdir().unwrap();
    let one = session(root.path(), "/w", &CountingIds::shared(), &["the only one"]);
    let fork = one.fork(root.path(), Path::new("/w"), one.leaf()).unwrap();
    assert!(fork.file().is_some());
    assert_eq!(ask(root.path(), "only").len(), 1);
}

#[test]
fn session_search_damaged_index_is_rebuilt() {
    let root = tempfile::tempdir().unwrap();
    let _session = session(root.path(), "/w", &CountingIds::shared(), &["loop"]);
    assert_eq!(ask(root.path(), "loop").len(), 1);
    let path = root.path().join(NAME);
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&path.metadata().unwrap()) & 0o777, 0o600);
    remove(&path).unwrap();
    assert_eq!(ask(root.path(), "loop").len(), 1);
    fs::write(
        &path,
        "this is no database at all, but quite long text that nobody can read as one".repeat(99),
    )
    .unwrap();
    assert_eq!(ask(root.path(), "loop").len(), 1);
    // Damage in the middle, below an index that is open.
    let mut index = Index::open(root.path()).unwrap();
    index.database.execute_batch("DROP TABLE files; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    index.update(&StopFlag::default()).unwrap();
    assert_eq!(index.find(&Query::parse("loop", NOW, false), 9, &StopFlag::default()).unwrap().len(), 1);
    // Of another version.
    index.database.pragma_update(None, "user_version", 99).unwrap();
    index.database.execute_batch("DROP TABLE words").unwrap();
    drop(index);
    assert_eq!(ask(root.path(), "loop").len(), 1);
}

#[test]
fn session_search_works_in_read_only_folder() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let _session = session(root.path(), "/w", &CountingIds::shared(), &["loop"]);
    // The index cannot be a file where a folder has its name, whoever asks.
    fs::create_dir(root.path().join(NAME)).unwrap();
    assert_eq!(ask(root.path(), "loop").len(), 1);
    fs::remove_dir(root.path().join(NAME)).unwrap();
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o555)).unwrap();
    assert_eq!(ask(root.path(), "loop").len(), 1);
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn session_search_index_is_shared_and_abortable() {
    let root = tempfile::tempdir().unwrap();
    let _session = session(root.path(), "/w", &CountingIds::shared(), &["loop"]);
    let mut one = Index::open(root.path()).unwrap();
    let mut two = Index::open(root.path()).unwrap();
    two.database.busy_timeout(Duration::ZERO).unwrap();
    one.database.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(two.update(&StopFlag::default()).unwrap(), IndexUpdate::default());
    one.database.execute_batch("COMMIT").unwrap();
    assert_eq!(one.update(&StopFlag::default()).unwrap().entries, 1);
    let query = Query::parse("loop", NOW, false);
    assert_eq!(two.find(&query, 9, &StopFlag::default()).unwrap().len(), 1);
    let stop = StopFlag::default();
    stop.store(true, Ordering::Relaxed);
    fs::write(root.path().join("--w--/x.jsonl"), "").unwrap();
    assert!(matches!(two.update(&stop), Err(SearchError::Cancelled)));
}

#[test]
fn session_search_old_format_ids_match_opened_session() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("--w--");
    fs::create_dir(&folder).unwrap();
    let path = folder.join("2025-01-01T00-00-00-000Z_old.jsonl");
    fs::write(
        &path,
        "{\"type\":\"session\",\"id\":\"old\",\"timestamp\":\"2025-01-01T00:00:00.000Z\",\"cwd\":\"/w\"}\n\
         {broken\n\
         {\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\",\"content\":\"one\"}}\n\
         {\"type\":\"thinking_level_change\",\"timestamp\":\"t\",\"thinkingLevel\":\"off\"}\n\
         {\"type\":\"message\",\"timestamp\":\"t\",\"message\":{\"role\":\"user\",\"content\":\"two\"}}\n",
    )
    .unwrap();
    let opened = Session::open_read_only(&path, clock::SystemClock::shared(), CountingIds::shared()).unwrap();
    let found = ask(root.path(), "two");
    assert_eq!(found[0].entry, opened.entries().get(2).unwrap().id());
    assert_eq!(found[0].snippet.text, "two");
}
