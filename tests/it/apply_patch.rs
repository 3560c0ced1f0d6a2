//! The outcomes of many patches, good and bad, are those of codex's own binary.
//!
//! The fixture holds what the binary did. `BOWLINE_CODEX=path cargo test --test it apply_patch --
//! --ignored` asks a binary again: cases made by hand keep their patch and files, the others are
//! made anew.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use bowline::exec::LocalEnvironment;
use bowline::tools::{Invocation, Registry};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::patches;

/// Names of cases that were written by a user.
const HANDWRITTEN: &str = "by hand: ";
/// Cases that are made.
const GENERATED_CASES: u64 = 300;

/// Files by their paths; a folder's path ends with a slash.
pub type Files = BTreeMap<String, String>;

#[derive(Debug, Serialize, Deserialize)]
struct Case {
    name: String,
    patch: String,
    before: Files,
    after: Files,
    success: bool,
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/apply_patch.json")
}

fn cases() -> Vec<Case> {
    serde_json::from_str(&fs::read_to_string(fixture()).unwrap()).unwrap()
}

fn write_files(folder: &Path, files: &Files) {
    for (name, content) in files {
        let path = folder.join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }
}

/// All files below a folder; folders do not count.
fn collect_files(root: &Path, folder: &Path, files: &mut Files) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect_files(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            files.insert(name, fs::read_to_string(&path).unwrap());
        }
    }
}

/// The two cases in which we differ on purpose: codex loses a file that is moved onto itself.
const MOVES_ONTO_ITSELF: [&str; 2] = ["by hand: move self", "by hand: move to self dot"];

#[tokio::test]
async fn apply_patch_outcomes_match_codex_fixture() {
    let registry = Registry::of("openai");
    let tool = registry.get("apply_patch").unwrap();
    let cases = cases();
    let good = cases.iter().filter(|case| case.success).count();
    assert!(cases.len() >= 400 && good >= 150 && cases.len() - good >= 150, "{} {good}", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path(), &case.before);
        let env = Arc::new(LocalEnvironment::new(folder.path().to_path_buf(), []));
        let shared = Arc::new(bowline::tools::AgentToolState::new(folder.path().join("artifacts")));
        let outcome = tool.run(Invocation::new(json!({"input": case.patch}), env, shared)).await;
        let mut after = Files::new();
        collect_files(folder.path(), folder.path(), &mut after);
        if MOVES_ONTO_ITSELF.contains(&&*case.name) {
            assert!(!outcome.is_error && case.after.is_empty(), "{outcome:?}");
            assert_eq!(after.keys().collect::<Vec<_>>(), case.before.keys().collect::<Vec<_>>(), "it stays");
            continue;
        }
        if outcome.is_error == case.success || after != case.after {
            wrong.push(format!("{case:#?}\nbut ours: {outcome:#?}\n{after:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ, such as\n{}", wrong.len(), wrong[0]);
}

/// What the binary makes of a case.
fn run_codex(codex: &Path, name: String, patch: String, before: Files) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("work");
    fs::create_dir(&root).unwrap();
    write_files(&root, &before);
    let mut command = Command::new(codex);
    command.arg0("apply_patch").arg(&patch).current_dir(&root).env_clear();
    command.env("HOME", folder.path());
    let success = command.output().unwrap().status.success();
    let mut after = Files::new();
    collect_files(&root, &root, &mut after);
    Case { name, patch, before, after, success }
}

#[test]
#[ignore = "asks the codex binary that BOWLINE_CODEX names, and writes the fixture"]
fn apply_patch_fixture_is_regenerated_by_codex() {
    let codex = PathBuf::from(std::env::var_os("BOWLINE_CODEX").unwrap());
    let by_hand = cases().into_iter().filter(|case| case.name.starts_with(HANDWRITTEN));
    let mut asked: Vec<Case> =
        by_hand.map(|case| run_codex(&codex, case.name, case.patch, case.before)).collect();
    for seed in 0..GENERATED_CASES {
        let (patch, before) = patches::generate(seed);
        asked.push(run_codex(&codex, format!("made: {seed}"), patch, before));
    }
    fs::write(fixture(), serde_json::to_string_pretty(&asked).unwrap() + "\n").unwrap();
}
