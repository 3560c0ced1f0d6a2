//! Language servers without a screen: what the agent learns of its edits in print mode and over RPC.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bowline::base::paths::Home;
use bowline::exec::LocalEnvironment;
use bowline::exec::storage::trust::Trust;
use bowline::exec::wrap::{Policy, Wrapped};
use bowline::llm::providers::scripted::Scripted;
use bowline::runtime::Options;
use bowline::runtime::agent_setup::trust_requests::ProjectProgram;
use bowline::runtime::controls::single_call;
use bowline::runtime::language_servers::session::{SessionOptions, SessionServers};
use bowline::tools::{Approval, Ask, Decision, Mode};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::support::anthropic as wire;
use crate::support::client_process::TestHome;
use crate::support::language_server::{OWN_SERVER, configure, configure_own, methods_of, trust_folder};

/// A model that asks about a file, which starts a server, and writes one with an error; in a trusted folder.
fn home() -> TestHome {
    let home = TestHome::new(vec![
        wire::tool_call_reply("t1", "LSP", &json!({ "action": "diagnostics", "file": "a.toy" })),
        wire::tool_call_reply("t2", "Write", &json!({ "file_path": "b.toy", "content": "fine\nBAD\n" })),
        wire::text_reply("Written."),
    ]);
    std::fs::write(home.work().join("a.toy"), "ODD\n").unwrap();
    let script = home.dir.path().join("script.json");
    std::fs::write(&script, json!({ "capabilities": { "textDocumentSync": 2 } }).to_string()).unwrap();
    configure(&home.dir.path().join("home"), &script);
    trust_folder(&home.dir.path().join("home"), &home.work().canonicalize().unwrap());
    home
}

/// Asserts what the model was told of both calls.
fn assert_told(home: &TestHome) {
    let requests = home.server.requests();
    let told = |request: usize| {
        let last = requests[request].body["messages"].as_array().unwrap().last().cloned();
        last.map(|message: Value| message.to_string()).unwrap()
    };
    assert!(told(1).contains("a.toy:1:1: ODD is not allowed here"), "{}", told(1));
    assert!(told(2).contains("b.toy:2:1: BAD is not allowed here"), "{}", told(2));
}

#[test]
fn errors_of_an_edit_reach_the_model_and_standard_error_in_print_mode() {
    let home = home();
    let mut process = home.start(&["-p", "--approval", "full", "write it"]);
    drop(process.stdin.take());
    let (code, errors) = process.wait_exit();
    assert_eq!(code, 0, "{errors}");
    assert_told(&home);
    assert!(errors.contains("Language servers still find 1 new error"), "{errors}");
    let methods = methods_of(&home.dir.path().join("script.json.log"));
    assert!(methods.ends_with(&["exit".to_string()]), "the server ends with the program: {methods:?}");
}

#[test]
fn errors_of_an_edit_reach_the_model_over_rpc() {
    let home = home();
    let mut process = home.start(&["--mode", "rpc", "--approval", "full"]);
    process.request(json!({ "type": "prompt", "message": "write it" }));
    process.next_event("agent_end");
    assert_told(&home);
    process.finish();
    let methods = methods_of(&home.dir.path().join("script.json.log"));
    assert!(methods.ends_with(&["exit".to_string()]), "the server ends with the program: {methods:?}");
}

#[test]
fn language_server_of_the_project_runs_without_a_screen_only_once_it_is_trusted_as_it_is() {
    let home = home();
    let work = home.work().canonicalize().unwrap();
    let (program, script) = (work.join(OWN_SERVER), home.dir.path().join("script.json"));
    configure_own(&home.dir.path().join("home"), &work, &script);
    let asked = |home: &TestHome| {
        let args = ["tool", "lsp", r#"{"action":"diagnostics","file":"a.toy"}"#];
        let output = home.command(env!("CARGO_BIN_EXE_bowline"), &args).output().unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    };
    let out = asked(&home);
    assert!(out.contains("it is not trusted as it is now"), "{out}");
    assert!(!home.dir.path().join("script.json.log").exists(), "nothing was started");
    let trust = Trust::new(&home.dir.path().join("home/state"));
    let known = ProjectProgram::read(program.clone()).unwrap();
    trust.answer(&known.path, &known.digest, true).unwrap();
    let out = asked(&home);
    assert!(out.contains("ODD is not allowed here"), "{out}");
    std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    let out = asked(&home);
    assert!(out.contains("it is not trusted as it is now"), "{out}");
}

/// Allows nothing: every call is within its rules.
struct Refuse;

impl Approval for Refuse {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        Box::pin(std::future::ready(Decision::Deny(ask.rule)))
    }
}

/// Asks the tool in an environment with a policy: reads only in the workspace, writes only in its folder `own`.
async fn ask_under_policy(folder: &std::path::Path, question: &Value) -> (bool, String) {
    let at = |name: &str| folder.join(name);
    let work = at("work");
    let path = std::env::vars_os().filter(|(name, _)| name == "PATH");
    let local = Arc::new(LocalEnvironment::new(work.clone(), path));
    let policy = Policy { read: vec![work.clone()], write: vec![work.join("own")], ..Policy::default() };
    let env: Arc<Wrapped<Policy>> = Arc::new(Wrapped::new(local, policy));
    let servers = SessionServers::new(SessionOptions {
        env: env.clone(),
        workspace: work.clone(),
        config: at("home/config"),
        state: at("home/state"),
        home: folder.to_path_buf(),
        is_on: true,
        reports_edits: true,
        memory_max: Arc::new(AtomicU64::new(u64::MAX)),
    });
    let root = at("home").display().to_string();
    let home = Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| root.clone())).unwrap();
    let options = Options {
        language_servers: Some(Arc::new(servers)),
        approval_mode: Mode::Full,
        providers: vec![Scripted::injected(Vec::new()).1],
        profile: Some("anthropic".to_string()),
        ..Options::new(home, work, env, Arc::new(Refuse))
    };
    let (tools, _) = single_call::tools(&options).unwrap();
    let cancel = CancellationToken::new();
    let ran = single_call::call(options, tools.all, "LSP".to_string(), question.clone(), cancel).await;
    let text = serde_json::to_string(&ran.outcome.content).unwrap();
    (!ran.outcome.is_error, text)
}

/// A workspace whose server knows of files outside of it, in a trusted folder.
fn place_with_hidden_files() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().canonicalize().unwrap();
    for (name, text) in
        [("work/seen.toy", "name\n"), ("work/own/a.toy", "name\n"), ("hidden.toy", "name secret\n")]
    {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 4 } });
    let at = |path: &str| json!({ "uri": format!("$ROOT/{path}"), "range": range });
    let edit = json!([{ "range": range, "newText": "word" }]);
    let script = json!({
        "capabilities": { "textDocumentSync": 2, "hoverProvider": true, "referencesProvider": true,
            "renameProvider": true },
        "answers": {
            "textDocument/hover": { "contents": "secret words" },
            "textDocument/references": [at("own/a.toy"), at("../hidden.toy")],
            "textDocument/rename": { "changes": { "$ROOT/own/a.toy": edit, "$ROOT/seen.toy": edit } },
        },
    });
    std::fs::write(folder.join("script.json"), script.to_string()).unwrap();
    configure(&folder.join("home"), &folder.join("script.json"));
    trust_folder(&folder.join("home"), &folder.join("work"));
    (place, folder)
}

#[tokio::test]
async fn lsp_tool_under_a_policy_reads_and_writes_what_that_allows() {
    let (_place, folder) = place_with_hidden_files();
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let ask = |question: Value| {
        let folder = folder.clone();
        async move { ask_under_policy(&folder, &question).await }
    };
    let (is_ok, found) = ask(json!({ "action": "references", "file": "own/a.toy", "symbol": "name" })).await;
    assert!(is_ok && found.contains("own/a.toy:1:1: name"), "{found}");
    assert!(found.contains("1 place in files that rules hide") && !found.contains("hidden.toy"), "{found}");
    let (is_ok, found) = ask(json!({ "action": "hover", "file": "../hidden.toy", "symbol": "name" })).await;
    assert!(!is_ok && !found.contains("secret") && found.contains("is not allowed"), "{found}");
    let rename = json!({ "action": "rename", "file": "own/a.toy", "symbol": "name", "new_name": "word" });
    let (is_ok, found) = ask(rename).await;
    assert!(!is_ok && found.contains("Nothing was changed"), "{found}");
    assert_eq!((text("work/own/a.toy").as_str(), text("work/seen.toy").as_str()), ("name\n", "name\n"));
    let moved = json!({ "action": "rename_file", "file": "seen.toy", "new_name": "own/seen.toy" });
    let (is_ok, found) = ask(moved).await;
    assert!(!is_ok && folder.join("work/seen.toy").exists(), "{found}");
    let own = json!({ "action": "rename_file", "file": "own/a.toy", "new_name": "own/b.toy" });
    let (is_ok, found) = ask(own).await;
    assert!(is_ok && folder.join("work/own/b.toy").exists(), "{found}");
}
