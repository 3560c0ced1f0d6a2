//! A session survives what happens to programs and disks: what was finished is there, and what was done
//! about the rest is told.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bowline::base::clock::{ManualClock, SystemClock};
use bowline::base::ids::{CountingIds, RandomIds};
use bowline::llm::model::{Message, UserMessage};
use bowline::session::store::listing;
use bowline::session::{AgentMessage, EntryBody, Session, SessionError};

/// Names the file that [`session_writer_process_appends_until_failure`] writes.
const FILE: &str = "BOWLINE_TEST_SESSION";
/// How often the writer is killed.
const KILLS: usize = 200;

fn user(text: &str) -> EntryBody {
    EntryBody::Message { message: AgentMessage::Llm(Message::User(UserMessage::text(text, 1))) }
}

/// What the entry of a number says: mostly little, now and then much.
fn entry_text(number: usize) -> String {
    let length = if number.is_multiple_of(7) { 100_000 } else { 10 + number % 300 };
    format!("{number}:{}", "x".repeat(length))
}

fn open_read_only(path: &Path) -> Session {
    Session::open_read_only(path, SystemClock::shared(), RandomIds::shared()).unwrap()
}

fn open(path: &Path) -> Result<Session, SessionError> {
    Session::open(path, SystemClock::shared(), RandomIds::shared())
}

/// A session that has a file, which says nothing yet but one thing.
fn new_session_file(folder: &Path) -> PathBuf {
    let mut session = Session::create(folder, Path::new("/w"), SystemClock::shared(), RandomIds::shared());
    session.append(user("begin")).unwrap();
    session.file().unwrap().to_path_buf()
}

/// Not a test of its own: appends to a session for as long as that goes well, and says after each entry
/// that it is there.
#[test]
#[ignore = "the other tests start it as a process"]
#[expect(clippy::print_stdout, reason = "who has started it reads that")]
fn session_writer_process_appends_until_failure() {
    let Some(path) = std::env::var_os(FILE) else { return };
    let mut session = open(Path::new(&path)).unwrap();
    println!("open");
    loop {
        let number = session.entries().len();
        match session.append(user(&entry_text(number))) {
            Ok(id) => println!("kept {number} {id}"),
            Err(error) => {
                println!("failed {error}");
                return;
            }
        }
    }
}

/// Starts the writer, by `shell` if there is one.
fn start_writer(path: &Path, shell: Option<&str>) -> Child {
    let own = std::env::current_exe().unwrap();
    let mut command = match shell {
        Some(before) => {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("{before}; exec \"$0\" \"$@\"")]).arg(own);
            command
        }
        None => Command::new(own),
    };
    command.args([
        "session_crashes::session_writer_process_appends_until_failure",
        "--exact",
        "--ignored",
        "--nocapture",
    ]);
    command.env(FILE, path).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

/// The number and the id of what the writer has kept, from its lines.
fn acknowledged_entries<'a>(lines: impl IntoIterator<Item = &'a String>) -> Vec<(usize, String)> {
    let kept = lines.into_iter().filter_map(|line| {
        let (number, id) = line.split_once("kept ")?.1.split_once(' ')?;
        Some((number.parse().unwrap(), id.trim_end().to_string()))
    });
    kept.collect()
}

fn user_text(session: &Session, id: &str) -> String {
    let entry = session.tree().get(id).unwrap_or_else(|| panic!("{id} is lost"));
    match entry.body() {
        EntryBody::Message { message: AgentMessage::Llm(Message::User(user)) } => {
            bowline::llm::model::message::join_text(&user.content)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn session_killed_at_any_time_keeps_finished_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = new_session_file(folder.path());
    let mut all = Vec::new();
    let mut chance = 12_345_u64;
    for _ in 0..KILLS {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = start_writer(&path, None);
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut lines = Vec::new();
        // The kill comes at some moment behind this line, while the writer writes on.
        let until = (chance >> 33) as usize % 12;
        let mut line = String::new();
        while output.read_line(&mut line).unwrap() > 0 {
            let opened = line.contains("open") || !lines.is_empty();
            if opened {
                lines.push(std::mem::take(&mut line));
            }
            line.clear();
            if lines.len() > until {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        lines.extend(rest.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(String::from));
        let new = acknowledged_entries(&lines);
        let session = open_read_only(&path);
        for (number, id) in &new {
            assert_eq!(user_text(&session, id), entry_text(*number));
        }
        all.extend(new);
    }
    let session = open(&path).unwrap();
    for (number, id) in &all {
        assert_eq!(user_text(&session, id), entry_text(*number));
    }
    let path_length = session.tree().path().len();
    assert_eq!(path_length, session.entries().len(), "one entry follows the other");
    assert!(all.len() >= KILLS, "{} entries", all.len());
}

#[test]
fn session_file_cut_anywhere_can_be_continued() {
    let folder = tempfile::tempdir().unwrap();
    let path = new_session_file(folder.path());
    let mut session = open(&path).unwrap();
    for words in ["naïve — 漢字", "two", "three"] {
        session.append(user(words)).unwrap();
    }
    drop(session);
    let whole = std::fs::read(&path).unwrap();
    let header = whole.iter().position(|byte| *byte == b'\n').unwrap();
    for cut in header..whole.len() {
        let path = folder.path().join(format!("cut-{cut}.jsonl"));
        std::fs::write(&path, &whole[..cut]).unwrap();
        let mut session = open(&path).unwrap();
        let ends = whole[..cut].split(|byte| *byte == b'\n').count() - 1;
        let lines = (whole[..=cut].split(|byte| *byte == b'\n').count() - 1).saturating_sub(1);
        let found = session.entries().len();
        assert!(found == lines || found + 1 == ends, "{found} entries of {cut} bytes");
        let torn = whole[cut - 1] != b'\n' && whole[cut] != b'\n';
        assert_eq!(session.problems().len(), usize::from(torn), "{cut}: {:?}", session.problems());
        if torn {
            let told = &session.problems()[0].message;
            assert!(told.contains("torn last line cut off; kept in"), "{told}");
        }
        session.append(user("and on")).unwrap();
        drop(session);
        let again = open(&path).unwrap();
        assert_eq!((again.entries().len(), again.problems().len()), (found + 1, 0), "cut at {cut}");
    }
}

#[test]
fn session_full_disk_keeps_written_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = new_session_file(folder.path());
    // Writing beyond that many blocks fails as on a full disk, in the middle of a line.
    for blocks in [40, 300, 301] {
        let mut child = start_writer(&path, Some(&format!("trap '' XFSZ; ulimit -f {blocks}")));
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        child.wait().unwrap();
        let lines: Vec<String> = output.lines().map(String::from).collect();
        let failed = lines.iter().find_map(|line| line.split_once("failed ")).expect("the disk was full").1;
        assert!(failed.contains(&path.display().to_string()), "{failed}");
        let mut session = open(&path).unwrap();
        assert_eq!(session.problems(), [], "half a line was taken back");
        for (number, id) in acknowledged_entries(&lines) {
            assert_eq!(user_text(&session, &id), entry_text(number));
        }
        let before = session.entries().len();
        session.append(user("there is room again")).unwrap();
        drop(session);
        assert_eq!(open_read_only(&path).entries().len(), before + 1);
    }
}

#[test]
fn session_file_is_locked_by_one_writer() {
    let folder = tempfile::tempdir().unwrap();
    let path = new_session_file(folder.path());
    let mut child = start_writer(&path, None);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.contains("open") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the writer ended");
    }
    assert!(matches!(open(&path), Err(SessionError::Busy(busy)) if busy == path));
    assert!(!open_read_only(&path).entries().is_empty(), "it can be looked at");
    let copy = open_read_only(&path).copy(folder.path()).unwrap();
    assert!(copy.file().is_some_and(|file| file != path));
    child.kill().unwrap();
    child.wait().unwrap();
    open(&path).unwrap().append(user("mine now")).unwrap();
}

#[test]
fn session_append_unwritable_path_is_error() {
    // Not even the superuser can make a folder there.
    let nowhere = Path::new("/proc/self/sessions");
    let mut session = Session::create(nowhere, Path::new("/w"), SystemClock::shared(), RandomIds::shared());
    let error = session.append(user("hello")).unwrap_err();
    assert!(matches!(&error, SessionError::Io { path, .. } if path.starts_with(nowhere)), "{error}");
    assert!(error.to_string().contains("/proc/self/sessions"), "{error}");
    assert!(session.entries().is_empty() && session.file().is_none());
}

#[test]
fn session_order_ignores_backward_clock() {
    let folder = tempfile::tempdir().unwrap();
    let times = [1_763_681_400_000_u64, 1_000, 1_763_681_300_000];
    let mut path: Option<PathBuf> = None;
    for (n, time) in times.into_iter().enumerate() {
        let (clock, ids) = (ManualClock::new(time), RandomIds::shared());
        let mut session = match &path {
            None => Session::create(folder.path(), Path::new("/w"), clock, ids),
            Some(path) => Session::open(path, clock, ids).unwrap(),
        };
        session.append(user(&format!("word {n}"))).unwrap();
        path = session.file().map(Path::to_path_buf);
    }
    let path = path.unwrap();
    let session = Session::open_read_only(&path, ManualClock::new(0), CountingIds::shared()).unwrap();
    let order: Vec<String> =
        session.tree().path().iter().map(|entry| user_text(&session, entry.id())).collect();
    assert_eq!(order, ["word 0", "word 1", "word 2"]);
    assert_eq!(session.leaf(), session.entries().next_back().map(bowline::session::Entry::id));
    let listed = listing::list(folder.path());
    assert_eq!(listed[0].summary.active_ms, times[0], "the latest time that it has had");
    assert_eq!(listing::latest(folder.path(), Path::new("/w")), Some(path));
}
