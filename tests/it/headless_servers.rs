//! Language servers without a screen: what the agent learns of its edits in print mode and over RPC.

use bowline::exec::storage::trust::Trust;
use bowline::runtime::agent_setup::trust_requests::ProjectProgram;
use serde_json::{Value, json};

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
    assert!(out.contains("has not trusted this folder"), "{out}");
    assert!(!home.dir.path().join("script.json.log").exists(), "nothing was started");
    let trust = Trust::new(&home.dir.path().join("home/state"));
    let known = ProjectProgram::read(program.clone()).unwrap();
    trust.answer(&known.path, &known.digest, true).unwrap();
    let out = asked(&home);
    assert!(out.contains("ODD is not allowed here"), "{out}");
    std::fs::write(&program, "#!/bin/sh\nexit 1\n").unwrap();
    let out = asked(&home);
    assert!(out.contains("has not trusted this folder"), "{out}");
}
