//! `bowline sessions diff`, `restore`, `revert` and `prune` as a person types them.

use std::path::Path;
use std::process::{Command, Output};

use bowline::base::clock::SystemClock;
use bowline::base::ids::RandomIds;
use bowline::llm::model::{Message, UserMessage};
use bowline::session::checkpoints::{Checkpoint, When};
use bowline::session::{AgentMessage, EntryBody, Session};
use bowline::workspace::checkpoint::{Keeper, Limits};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

struct Stage {
    dir: tempfile::TempDir,
    id: String,
    prompt: String,
}

impl Stage {
    /// A session in which an agent changed `a.txt` and made `new.txt`.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let (work, data) = (dir.path().join("work"), dir.path().join("home/data"));
        std::fs::create_dir(&work).unwrap();
        std::fs::write(work.join("a.txt"), "1\n2\n3\n").unwrap();
        let keeper = Keeper::open(&data.join("checkpoints"), &work, &[], Limits::default()).unwrap();
        let mut session =
            Session::create(&data.join("sessions"), &work, SystemClock::shared(), RandomIds::shared());
        let said = Message::User(UserMessage::text("change it", 1));
        let prompt = session.append(EntryBody::Message { message: AgentMessage::Llm(said) }).unwrap();
        let mut take = |at| {
            let taken = keeper.take(&[], &[], &CancellationToken::new()).unwrap();
            let root = keeper.root().to_string_lossy().into_owned();
            let (tree, left_out) = (taken.id.to_string(), Vec::new());
            let state = Checkpoint { at, tree, root, files: taken.files.len(), left_out, left_out_count: 0 };
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

    fn says(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
        String::from_utf8(ran.stdout).unwrap()
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.dir.path().join("work").join(name)).unwrap_or_else(|_| "-".to_string())
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join("work").join(name), text).unwrap();
    }
}

#[test]
fn files_are_compared_and_brought_back() {
    let stage = Stage::new();
    let shown = stage.says(&["sessions", "diff", &stage.id, &stage.prompt]);
    assert_eq!(shown, "M a.txt  +1 -1\n    -one\n    +1\n     2\n     3\nD new.txt  +0 -1\n    -new\n");
    let tried = stage.says(&["sessions", "restore", &stage.id, &stage.prompt[..4], "--dry-run"]);
    assert_eq!(tried, shown, "an id may be shortened");
    assert_eq!(stage.text("a.txt"), "one\n2\n3\n");
    let done = stage.says(&["sessions", "restore", &stage.id, &stage.prompt]);
    assert_eq!(done, "M a.txt  +1 -1\nD new.txt  +0 -1\n");
    assert_eq!((stage.text("a.txt"), stage.text("new.txt")), ("1\n2\n3\n".into(), "-".into()));
    assert_eq!(stage.says(&["sessions", "diff", &stage.id, &stage.prompt]), "The files are so already.\n");
    let unknown = stage.run(&["sessions", "diff", &stage.id, "nobody"]);
    assert!(
        !unknown.status.success() && String::from_utf8_lossy(&unknown.stderr).contains("no entry nobody")
    );
}

#[test]
fn what_both_sides_changed_is_taken_as_asked() {
    let stage = Stage::new();
    stage.put("a.txt", "mine\n2\n3\n");
    let told: Value = serde_json::from_str(&stage.says(&[
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
    let done = stage.says(&["sessions", "revert", &stage.id, &stage.prompt]);
    assert!(done.contains("stays; --take theirs"), "{done}");
    assert_eq!((stage.text("a.txt"), stage.text("new.txt")), ("mine\n2\n3\n".into(), "-".into()));
    stage.says(&["sessions", "revert", &stage.id, &stage.prompt, "--take", "theirs"]);
    assert_eq!(stage.text("a.txt"), "1\n2\n3\n");
}

#[test]
fn only_what_no_session_names_is_pruned() {
    let stage = Stage::new();
    let packs = stage.dir.path().join("home/data/checkpoints");
    for entry in walk(&packs) {
        let file = std::fs::File::options().write(true).open(entry).unwrap();
        file.set_modified(std::time::UNIX_EPOCH).unwrap();
    }
    let told = stage.says(&["sessions", "prune"]);
    assert!(told.contains(": 0 objects of 0 bytes"), "{told}");
    std::fs::remove_dir_all(stage.dir.path().join("home/data/sessions")).unwrap();
    let counted = stage.says(&["sessions", "prune", "--dry-run"]);
    assert!(!counted.contains(": 0 objects") && counted.contains(", 0 stay"), "{counted}");
    assert_eq!(stage.says(&["sessions", "prune"]), counted);
    assert!(stage.says(&["sessions", "prune"]).contains(": 0 objects of 0 bytes, 0 stay"));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(walk(&path)) } else { found.push(path) }
    }
    found
}
