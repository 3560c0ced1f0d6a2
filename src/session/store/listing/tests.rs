//! Lists of sessions.

use super::*;
use crate::base::clock::ManualClock;
use crate::base::ids::RandomIds;
use crate::llm::model::{Message, UserMessage};
use crate::session::{AgentMessage, EntryBody, Session};

fn user(text: &str) -> EntryBody {
    EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 5))) }
}

fn session(root: &Path, cwd: &str, at_ms: u64) -> Session {
    let mut session = Session::create(root, Path::new(cwd), ManualClock::new(at_ms), RandomIds::shared());
    session.append(user(&format!("asked at {at_ms}"))).unwrap();
    session
}

fn titles(root: &Path) -> Vec<String> {
    list(root).iter().map(|found| found.summary.title().to_string()).collect()
}

#[test]
fn session_list_is_newest_first_and_skips_others() {
    let root = tempfile::tempdir().unwrap();
    assert_eq!(list(root.path()), []);
    let [one, _two, _three] =
        [("/a", 2_000), ("/b", 9_000), ("/a", 5_000)].map(|(cwd, at)| session(root.path(), cwd, at));
    let folder = one.file().unwrap().parent().unwrap().to_path_buf();
    fs::write(folder.join("junk.jsonl"), "junk\n").unwrap();
    fs::write(folder.join("notes.txt"), "{}").unwrap();
    fs::create_dir(folder.join("folder.jsonl")).unwrap();
    assert_eq!(titles(root.path()), ["asked at 9000", "asked at 5000", "asked at 2000"]);
    let found = &list(root.path())[2];
    assert_eq!((Some(found.path.as_path()), found.summary.cwd.as_str()), (one.file(), "/a"));
    assert_eq!(found.size, fs::metadata(&found.path).unwrap().len());
}

#[test]
fn session_list_rereads_only_changed_files() {
    let root = tempfile::tempdir().unwrap();
    let mut one = session(root.path(), "/a", 2_000);
    let path = one.file().unwrap().to_path_buf();
    assert_eq!(list(root.path())[0].summary.entries, 1);
    // Nobody looks at what is known: other bytes of the same length are not noticed.
    let bytes = fs::read(&path).unwrap();
    let same_length = String::from_utf8(bytes.clone()).unwrap().replace("asked", "taken");
    fs::write(&path, &same_length).unwrap();
    assert_eq!(titles(root.path()), ["asked at 2000"]);
    fs::write(&path, &bytes).unwrap();
    one.append(EntryBody::SessionInfo { name: Some("named".into()) }).unwrap();
    assert_eq!((titles(root.path())[0].as_str(), list(root.path())[0].summary.entries), ("named", 2));
    // A file that is another one now is read anew, whether it is longer or shorter.
    fs::write(&path, same_length.clone() + &same_length.lines().nth(1).unwrap().replace("taken", "later"))
        .unwrap();
    assert_eq!((titles(root.path())[0].as_str(), list(root.path())[0].summary.entries), ("taken at 2000", 1));
    fs::remove_file(&path).unwrap();
    assert_eq!(list(root.path()), []);
}

#[test]
fn session_list_damaged_cache_is_rebuilt() {
    let root = tempfile::tempdir().unwrap();
    let _one = session(root.path(), "/a", 2_000);
    let wanted = list(root.path());
    let file = root.path().join(CACHE_NAME);
    let good = fs::read(&file).unwrap();
    for bytes in [&b""[..], b"abc", &good[..good.len() - 5], b"something else entirely"] {
        fs::write(&file, bytes).unwrap();
        assert_eq!(list(root.path()), wanted);
        assert_eq!(fs::read(&file).unwrap(), good);
    }
}

#[test]
fn session_list_finds_by_id_prefix() {
    let root = tempfile::tempdir().unwrap();
    let (one, two) = (session(root.path(), "/a", 2_000), session(root.path(), "/b", 3_000));
    assert_eq!(find(root.path(), one.id()), [one.file().unwrap()]);
    let shared: String =
        one.id().chars().zip(two.id().chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    assert_eq!(find(root.path(), &shared).len(), 2);
    assert_eq!(find(root.path(), "nothing"), [] as [PathBuf; 0]);
}

#[test]
fn session_list_unchanged_cache_is_not_rewritten() {
    let root = tempfile::tempdir().unwrap();
    let one = session(root.path(), "/a", 2_000);
    // Not everything with that ending is a session.
    fs::write(one.file().unwrap().with_file_name("other.jsonl"), "{}\n").unwrap();
    assert_eq!(list(root.path()).len(), 1);
    let inode = || fs::metadata(root.path().join(CACHE_NAME)).unwrap().ino();
    let before = inode();
    assert_eq!((list(root.path()).len(), inode()), (1, before));
    let _two = session(root.path(), "/b", 3_000);
    assert_eq!(list(root.path()).len(), 2);
    assert_ne!(inode(), before);
}
