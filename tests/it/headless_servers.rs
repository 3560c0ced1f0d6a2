//! Language servers without a screen: what the agent learns of its edits in print mode and over RPC.

use bowline::exec::storage::trust::Trust;
use bowline::runtime::agent_setup::trust_requests::TrustRequests;
use serde_json::{Value, json};

use crate::support::anthropic as wire;
use crate::support::client_process::TestHome;
use crate::support::language_server::methods_of;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/language_server.py");

/// A model that asks about a file, which starts a server, and writes one with an error; in a trusted folder.
fn home() -> TestHome {
    let home = TestHome::new(vec![
        wire::tool_call_reply("t1", "LSP", &json!({ "action": "diagnostics", "file": "a.toy" })),
        wire::tool_call_reply("t2", "Write", &json!({ "file_path": "b.toy", "content": "fine\nBAD\n" })),
        wire::text_reply("Written."),
    ]);
    std::fs::write(home.work().join("a.toy"), "ODD\n").unwrap();
    let script = home.dir.path().join("script.json").display().to_string();
    std::fs::write(&script, json!({ "capabilities": { "textDocumentSync": 2 } }).to_string()).unwrap();
    home.write_config(
        "servers.toml",
        &format!(
            "[language-server.toy]\ncommand = \"python3\"\nargs = [{SERVER:?}, {script:?}]\n\n[[language]]\n\
             name = \"toy\"\nlanguage-id = \"toy\"\nfile-types = [\"toy\"]\nroots = []\nlanguage-servers = [\"toy\"]\n"
        ),
    );
    let work = home.work().canonicalize().unwrap();
    let digest = TrustRequests::read(&work, home.dir.path()).digest.unwrap();
    Trust::new(&home.dir.path().join("home/state")).answer(&work, &digest, true).unwrap();
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
