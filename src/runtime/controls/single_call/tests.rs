//! One call on real files, without anything around it.

use std::path::Path;

use futures::FutureExt;
use futures::future::{self, BoxFuture};

use super::*;
use crate::base::json::json;
use crate::base::paths::Home;
use crate::exec::local::LocalEnvironment;
use crate::llm::model::message::join_text;
use crate::tools::{Approval, Ask, Decision, Mode};

struct Nobody;

impl Approval for Nobody {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        future::ready(Decision::Deny(ask.rule)).boxed()
    }
}

fn options(folder: &Path, profile: &str) -> Options {
    let home = folder.join("home").display().to_string();
    let home = Home::find(|name| ["BOWLINE_HOME", "HOME"].contains(&name).then(|| home.clone())).unwrap();
    let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
    let env = Arc::new(LocalEnvironment::new(folder.to_path_buf(), vars));
    let options = Options::new(home, folder.to_path_buf(), env, Arc::new(Nobody));
    Options { approval_mode: Mode::AutoEdit, profile: Some(profile.to_string()), ..options }
}

async fn run(options: &Options, name: &str, args: Value) -> (String, bool) {
    let all = tools(options).unwrap().0.all;
    let ran = call(options.clone(), all, name.to_string(), args, CancellationToken::new()).await;
    assert_eq!(ran.problems, []);
    (join_text(&ran.outcome.content), ran.outcome.is_error)
}

#[test]
fn single_call_unknown_tool_suggests_names() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str| {
        let (equipment, _) = tools(&options(folder.path(), "anthropic")).unwrap();
        check_name(&equipment, name, &json!({})).err().map(|report| report.to_string())
    };
    assert_eq!((refused("Read"), refused("read")), (None, None), "a model may say it so, too");
    let told = refused("Gerp").unwrap();
    assert!(
        told.starts_with("no such tool in profile anthropic: Gerp (did you mean `Grep`? there are Read, "),
        "{told}"
    );
    let told = refused("zzz").unwrap();
    assert!(told.starts_with("no such tool in profile anthropic: zzz (there are Read, "), "{told}");
    let told = refused("apply_patch").unwrap();
    assert!(told.contains("(--profile openai has it; there are Read, "), "{told}");
}

#[tokio::test]
async fn single_call_edit_needs_no_prior_read() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let args = json!({"file_path": folder.path().join("a.txt"), "old_string": "one", "new_string": "two"});
    let (told, failed) = run(&options(folder.path(), "anthropic"), "Edit", args).await;
    assert!(!failed, "{told}");
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).unwrap(), "two\n");
}

#[tokio::test]
async fn single_call_ends_background_processes() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { approval_mode: Mode::Full, ..options(folder.path(), "anthropic") };
    let script = "sleep 600 > /dev/null 2>&1 & echo $! > pid";
    let (told, failed) = run(&options, "Bash", json!({"command": script})).await;
    assert!(!failed, "{told}");
    let pid = std::fs::read_to_string(folder.path().join("pid")).unwrap();
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "it runs on: {state}");
}
