//! `bowline sessions diff`, `restore`, `revert` and `prune` as a user types them.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;

use bowline::base::clock::SystemClock;
use bowline::base::ids::RandomIds;
use bowline::base::paths::Home;
use bowline::cli::commands::sessions::restore::{self, StateCommand};
use bowline::exec::LocalEnvironment;
use bowline::llm::model::{Message, UserMessage};
use bowline::runtime::Options;
use bowline::session::restore::checkpoints::{Checkpoint, When};
use bowline::session::{AgentMessage, EntryBody, Session};
use bowline::tools::{Approval, Ask, Decision};
use bowline::workspace::checkpoint::{Checkpointer, Limits};
use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

struct DenyAll;

impl Approval for DenyAll {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        Box::pin(std::future::ready(Decision::Deny(ask.rule)))
    }
}

struct RestoreFixture {
    dir: tempfile::TempDir,
    id: String,
    prompt: String,
}

impl RestoreFixture {
    /// A session in which an agent changed `a.txt` and made `new.txt`.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (work, data) = (dir.path().join("work"), dir.path().join("home/data"));
        std::fs::create_dir(&work).unwrap();
        std::fs::write(work.join("a.txt"), "1\n2\n3\n").unwrap();
        let keeper = Checkpointer::open(&data.join("checkpoints"), &work, &[], Limits::default()).unwrap();
        let mut session =
            Session::create(&data.join("sessions"), &work, SystemClock::shared(), RandomIds::shared());
        let said = Message::User(UserMessage::text("change it", 1));
        let prompt = session.append(EntryBody::Message { message: AgentMessage::Llm(said) }).unwrap();
        let mut take = |at| {
            let taken = keeper.record(&[], &[], &CancellationToken::new()).unwrap();
            let root = keeper.root().to_string_lossy().into_owned();
            let (tree, skipped) = (taken.id.to_string(), Vec::new());
            let files = taken.files.len();
            let (skipped_count, more, busy, undo) = (0, false, false, None);
            let state = Checkpoint { at, tree, root, files, skipped, skipped_count, more, busy, undo };
            session.append(state.body()).unwrap();
        };
        take(When::Before);
        std::fs::write(work.join("a.txt"), "one\n2\n3\n").unwrap();
        std::fs::write(work.join("new.txt"), "new\n").unwrap();
        take(When::After);
        let id = session.id().to_string();
        Self { dir, id, prompt }
    }

    fn run(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_bowline"))
            .args(words)
            .current_dir(self.dir.path().join("work"))
            .env_clear()
            .env("BOWLINE_HOME", self.dir.path().join("home"))
            .env("HOME", self.dir.path().join("home"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .output()
            .unwrap()
    }

    fn run_ok(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }

    fn read_file(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join("work").join(name)).unwrap_or_else(|_| "-".to_string())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join("work").join(name)
    }

    fn write_file(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// The folder with the store's objects, and whether any are left in it.
    fn has_packs(&self) -> bool {
        let packs = files_below(&self.dir.path().join("home/data/checkpoints"));
        packs.iter().any(|path| path.extension().is_some_and(|ending| ending == "pack"))
    }

    /// Makes everything in the store old enough to be pruned.
    fn make_prunable(&self) {
        for entry in files_below(&self.dir.path().join("home/data/checkpoints")) {
            let file = std::fs::File::options().write(true).open(entry).unwrap();
            file.set_modified(std::time::UNIX_EPOCH).unwrap();
        }
    }

    fn sessions(&self) -> std::path::PathBuf {
        self.dir.path().join("home/data/sessions")
    }
}

#[test]
fn sessions_diff_and_restore_commands_work() {
    let stage = RestoreFixture::new();
    let shown = stage.run_ok(&["sessions", "diff", &stage.id, &stage.prompt]);
    assert_eq!(shown, "M a.txt  +1 -1\n    -one\n    +1\n     2\n     3\nD new.txt  +0 -1\n    -new\n");
    let tried = stage.run_ok(&["sessions", "restore", &stage.id, &stage.prompt[..4], "--dry-run"]);
    assert_eq!(tried, shown, "an id may be shortened");
    assert_eq!(stage.read_file("a.txt"), "one\n2\n3\n");
    let done = stage.run_ok(&["sessions", "restore", &stage.id, &stage.prompt]);
    assert_eq!(done, "M a.txt  +1 -1\nD new.txt  +0 -1\n");
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), ("1\n2\n3\n".into(), "-".into()));
    assert_eq!(stage.run_ok(&["sessions", "diff", &stage.id, &stage.prompt]), "Nothing to restore.\n");
    let unknown = stage.run(&["sessions", "diff", &stage.id, "nobody"]);
    assert!(
        !unknown.status.success() && String::from_utf8_lossy(&unknown.stderr).contains("no entry nobody")
    );
}

#[test]
fn sessions_diff_restore_and_revert_without_a_session_use_the_latest_of_the_folder() {
    let stage = RestoreFixture::new();
    let with_id = stage.run_ok(&["sessions", "diff", &stage.id, &stage.prompt]);
    assert_eq!(stage.run_ok(&["sessions", "diff", &stage.prompt]), with_id);
    assert_eq!(stage.run_ok(&["sessions", "diff"]), "Nothing to restore.\n", "the session was left there");
    assert_eq!(stage.run_ok(&["sessions", "restore", &stage.prompt, "--dry-run"]), with_id);
    let unknown = stage.run(&["sessions", "restore", "nobody"]);
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no such session in the trash: nobody"));
    let before = (stage.read_file("a.txt"), stage.read_file("new.txt"));
    for words in [&["restore", ""][..], &["revert", " "], &["diff", ""], &["restore", &stage.id, ""]] {
        let out = stage.run(&[&["sessions"], words].concat());
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            !out.status.success() && said.contains("an empty word names no session"),
            "{words:?}: {said}"
        );
    }
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), before, "a variable that was not set");
    stage.run_ok(&["sessions", "restore", &stage.prompt]);
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), ("1\n2\n3\n".into(), "-".into()));
    let stage = RestoreFixture::new();
    assert_eq!(stage.run_ok(&["sessions", "revert", "--dry-run"]), with_id);
    stage.run_ok(&["sessions", "revert"]);
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), ("1\n2\n3\n".into(), "-".into()));
    let help = stage.run_ok(&["sessions", "diff", "--help"]);
    assert!(help.contains("Without SESSION the latest session of this folder is used"), "{help}");
    std::fs::remove_dir_all(stage.sessions()).unwrap();
    let none = stage.run(&["sessions", "revert"]);
    assert!(String::from_utf8_lossy(&none.stderr).contains("no session in this folder"));
}

#[test]
fn sessions_diff_restore_and_revert_take_one_word_for_a_session() {
    let stage = RestoreFixture::new();
    let latest = stage.run_ok(&["sessions", "diff", &stage.prompt]);
    let undone = stage.run_ok(&["sessions", "revert", "--dry-run"]);
    let old = stage.id.clone();
    // The latest session of the folder is another one.
    let mut other =
        Session::create(&stage.sessions(), &stage.path(""), SystemClock::shared(), RandomIds::shared());
    let said = Message::User(UserMessage::text("something else", 1));
    other.append(EntryBody::Message { message: AgentMessage::Llm(said) }).unwrap();
    assert_eq!(stage.run_ok(&["sessions", "diff", &old, &stage.prompt]), latest);
    stage.write_file("a.txt", "changed\n");
    let shown = stage.run_ok(&["sessions", "diff", &old]);
    assert_eq!(shown, stage.run_ok(&["sessions", "restore", &old, "--dry-run"]));
    stage.write_file("a.txt", "one\n2\n3\n");
    assert_eq!(stage.run_ok(&["sessions", "revert", &old, "--dry-run"]), undone);
    let end = &old[old.len() - 8..];
    assert_eq!(stage.run_ok(&["sessions", "revert", end, "--dry-run"]), undone, "how the id ends");
    let kept = stage.run(&["sessions", "restore", &old]);
    let said = String::from_utf8_lossy(&kept.stderr).into_owned();
    assert!(!kept.status.success() && said.contains("is not deleted"), "{said}");
    assert_eq!(stage.read_file("new.txt"), "new\n", "the same command twice changes no files");
    for command in ["diff", "revert"] {
        let unknown = stage.run(&["sessions", command, "nobody"]);
        let said = String::from_utf8_lossy(&unknown.stderr).into_owned();
        assert!(
            !unknown.status.success()
                && said.contains("nobody is no entry of the latest session here, and no session"),
            "{said}"
        );
    }
    stage.run_ok(&["sessions", "revert", &old]);
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), ("1\n2\n3\n".into(), "-".into()));
}

#[test]
fn sessions_revert_resolves_conflicts_with_take_option() {
    let stage = RestoreFixture::new();
    stage.write_file("a.txt", "mine\n2\n3\n");
    let told: Value = serde_json::from_str(&stage.run_ok(&[
        "sessions",
        "revert",
        &stage.id,
        &stage.prompt,
        "--dry-run",
        "--json",
    ]))
    .unwrap();
    assert_eq!(told["files"][0]["status"], "U");
    assert_eq!(told["files"][0]["conflict"], "changed on both sides");
    let done = stage.run_ok(&["sessions", "revert", &stage.id, &stage.prompt]);
    assert!(done.contains("to change: --take theirs"), "{done}");
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), ("mine\n2\n3\n".into(), "-".into()));
    let done = stage.run_ok(&["sessions", "revert", &stage.id, &stage.prompt, "--take", "theirs"]);
    assert_eq!(done, "U a.txt  +1 -1  changed on both sides: taken\n");
    assert_eq!(stage.read_file("a.txt"), "1\n2\n3\n");
}

#[test]
fn sessions_revert_reports_files_kept() {
    let stage = RestoreFixture::new();
    stage.write_file("a.txt", "mine\n2\n3\n");
    let revert = ["sessions", "revert", &stage.id, &stage.prompt];
    let done = stage.run_ok(&[&revert[..], &["--take", "beside"]].concat());
    assert_eq!(
        done,
        "U a.txt  +1 -1  changed on both sides: beside it\nA a.txt.restored  +3 -0\nD new.txt  +0 -1\n"
    );
    assert_eq!(
        (stage.read_file("a.txt"), stage.read_file("a.txt.restored")),
        ("mine\n2\n3\n".into(), "1\n2\n3\n".into())
    );
    // Something that cannot be recorded, so that it is not written over, whatever is asked for.
    std::fs::remove_file(stage.path("a.txt")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, stage.path("a.txt"), rustix::fs::Mode::RWXU).unwrap();
    let done = stage.run(&[&revert[..], &["--take", "theirs"]].concat());
    let told = String::from_utf8(done.stdout).unwrap();
    assert!(told.contains("U a.txt") && told.contains("what is there was not recorded: beside it"), "{told}");
    assert!(!done.status.success(), "not all was done that was asked for");
    assert_eq!(stage.read_file("a.txt.restored-2"), "1\n2\n3\n", "{told}");
}

#[test]
fn sessions_restore_canceled_changes_no_files() {
    let stage = RestoreFixture::new();
    let home = stage.dir.path().join("home").display().to_string();
    let home = Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| home.clone())).unwrap();
    let work = stage.dir.path().join("work");
    let env = Arc::new(LocalEnvironment::new(work.clone(), []));
    let options = Options::new(home, work, env, Arc::new(DenyAll));
    let wanted = StateCommand::Restore {
        session: Some(stage.id.clone()),
        entry: Some(stage.prompt.clone()),
        dry_run: false,
        with_conversation: false,
        take: None,
    };
    let cancel = CancellationToken::new();
    cancel.cancel();
    let told = restore::answer(&options, &wanted, false, &cancel).unwrap_err();
    assert!(told.to_string().contains("canceled; nothing changed"), "{told}");
    assert_eq!(
        (stage.read_file("a.txt"), stage.read_file("new.txt")),
        ("one\n2\n3\n".into(), "new\n".into())
    );
    let (_, whole) = restore::answer(&options, &wanted, false, &CancellationToken::new()).unwrap();
    assert!(whole);
    assert_eq!((stage.read_file("a.txt"), stage.read_file("new.txt")), ("1\n2\n3\n".into(), "-".into()));
}

#[test]
fn sessions_prune_deletes_unreferenced_objects_only() {
    let stage = RestoreFixture::new();
    stage.make_prunable();
    let told = stage.run_ok(&["sessions", "prune"]);
    assert!(told.contains(": 0 objects of 0 bytes"), "{told}");
    std::fs::remove_dir_all(stage.dir.path().join("home/data/sessions")).unwrap();
    let counted = stage.run_ok(&["sessions", "prune", "--dry-run"]);
    assert!(!counted.contains(": 0 objects") && counted.contains(", 0 stay"), "{counted}");
    assert_eq!(stage.run_ok(&["sessions", "prune"]), counted);
    assert!(stage.run_ok(&["sessions", "prune"]).contains(": 0 objects of 0 bytes, 0 stay"));
}

#[test]
fn sessions_prune_keeps_objects_of_sessions_elsewhere() {
    let stage = RestoreFixture::new();
    stage.make_prunable();
    let (sessions, other) = (stage.sessions(), stage.dir.path().join("other"));
    let prune = |words: &[&str]| {
        let told = stage.run(&[&["sessions", "prune"][..], words].concat());
        assert!(stage.has_packs(), "{}", String::from_utf8_lossy(&told.stdout));
        told
    };
    // Another folder is given: the usual one counts all the same.
    std::fs::create_dir(&other).unwrap();
    prune(&["--session-dir", other.to_str().unwrap()]);
    // Behind a link, which leads in a circle, too.
    let moved = stage.dir.path().join("moved");
    std::fs::rename(&sessions, &moved).unwrap();
    std::fs::create_dir(&sessions).unwrap();
    std::os::unix::fs::symlink(&moved, sessions.join("link")).unwrap();
    std::os::unix::fs::symlink(&sessions, moved.join("round")).unwrap();
    prune(&[]);
    std::fs::remove_file(sessions.join("link")).unwrap();
    std::fs::remove_file(moved.join("round")).unwrap();
    std::fs::remove_dir(&sessions).unwrap();
    std::fs::rename(&moved, &sessions).unwrap();
    // In the trash.
    stage.run_ok(&["sessions", "delete", &stage.id]);
    assert!(
        files_below(&sessions).iter().all(|path| path.extension().is_none_or(|ending| ending != "jsonl"))
    );
    prune(&[]);
    stage.run_ok(&["sessions", "restore", &stage.id]);
    // A line that nobody can read.
    let file = files_below(&sessions)
        .into_iter()
        .find(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .unwrap();
    let text = std::fs::read_to_string(&file).unwrap().replace("\"tree\":", "\"tree:");
    std::fs::write(&file, text).unwrap();
    let told = prune(&[]);
    assert!(!told.status.success() && String::from_utf8_lossy(&told.stderr).contains("nothing is removed"));
}

#[test]
fn sessions_prune_skips_store_without_workspace() {
    let stage = RestoreFixture::new();
    stage.make_prunable();
    let stores = stage.dir.path().join("home/data/checkpoints");
    let note = files_below(&stores).into_iter().find(|path| path.ends_with("workspace")).unwrap();
    let whose = std::fs::read(&note).unwrap();
    for broken in ["", "/w"] {
        std::fs::write(&note, broken).unwrap();
        let told = stage.run_ok(&["sessions", "prune"]);
        assert!(told.contains("skipped") && stage.has_packs(), "{told}");
    }
    // The next work there says it again.
    Checkpointer::open(&stores, &stage.dir.path().join("work"), &[], Limits::default()).unwrap();
    assert_eq!(std::fs::read(&note).unwrap(), whose);
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files_below(&path)) } else { found.push(path) }
    }
    found
}
