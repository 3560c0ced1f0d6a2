//! The tool for language servers in the editor: the agent asks the servers of the user about the same unsaved text.

use std::time::Duration;

use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::llm::providers::scripted::Turn;
use bowline::runtime::language_servers::server::ServerState;
use bowline::tools::Mode;
use serde_json::{Value, json};

use crate::support::language_server::{
    capabilities, methods, project, text_of, trust, trusted, wait_for_end,
};
use crate::support::test_ide::TestIde;

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

fn script() -> Value {
    let mut offered = capabilities();
    offered["renameProvider"] = json!(true);
    let edit = |line, start| json!({ "range": range(line, start, start + 4), "newText": "word" });
    json!({ "capabilities": offered, "answers": {
        "textDocument/rename": { "changes": { "$ROOT/a.toy": [edit(0, 4)], "$ROOT/b.toy": [edit(1, 0)] } },
        "textDocument/definition": { "uri": "$ROOT/a.toy", "range": range(1, 0, 4) },
        "textDocument/hover": { "contents": "a **name**" },
    } })
}

/// A family: its profile, the tool's name in it, and a call that writes a new file.
struct Family {
    profile: &'static str,
    lsp: &'static str,
    write: fn(&str, &str) -> (&'static str, Value),
}

const FAMILIES: [Family; 4] = [
    Family {
        profile: "pi",
        lsp: "lsp",
        write: |path, text| ("write", json!({ "path": path, "content": text })),
    },
    Family {
        profile: "anthropic",
        lsp: "LSP",
        write: |path, text| ("Write", json!({ "file_path": path, "content": text })),
    },
    Family {
        profile: "openai",
        lsp: "lsp",
        write: |path, text| ("write_file", json!({ "path": path, "content": text })),
    },
    Family {
        profile: "gemini",
        lsp: "lsp",
        write: |path, text| ("write_file", json!({ "file_path": path, "content": text })),
    },
];

/// The result of a call, as the model got it.
fn result(ide: &TestIde, request: usize) -> String {
    let requests = ide.script.requests();
    serde_json::to_string(requests[request].messages.last().unwrap()).unwrap()
}

#[tokio::test]
async fn agent_renames_breaks_and_mends_in_every_family() {
    for family in FAMILIES {
        let write = |id: &str, text: &str| {
            let (name, args) = (family.write)("c.toy", text);
            Turn::call(id, name, args)
        };
        let rename =
            json!({ "action": "rename", "file": "a.toy", "line": 1, "symbol": "name", "new_name": "word" });
        let turns = [
            Turn::call("c1", family.lsp, rename),
            write("c2", "BAD\n"),
            write("c3", "fine\n"),
            Turn::text("all done"),
        ];
        let setup = project("let name = 1\n", &script()).file("b.toy", "first\nname name\n").turns(turns);
        let setup = setup.profile(family.profile).policy(Mode::Full);
        let setup = if family.profile == "pi" { setup.tools(&["lsp", "write"]) } else { setup };
        let mut ide = trusted(setup).await;
        ide.keys("ctrl-end").await;
        ide.type_in("unsaved").await;
        ide.send_prompt("rename").await;
        wait_for_end(&mut ide).await;
        let renamed = result(&ide, 1);
        assert!(
            renamed.contains("Renamed name to word (2 places in 2 files)"),
            "{}: {renamed}",
            family.profile
        );
        assert_eq!(text_of(&mut ide), "let word = 1\nunsaved", "{}", family.profile);
        let log = std::fs::read_to_string(ide.path("../script.json.log")).unwrap();
        assert!(log.contains("\"text\": \"word\""), "the server knows it: {}", family.profile);
        assert_eq!(std::fs::read_to_string(ide.path("b.toy")).unwrap(), "first\nword name\n");
        let broken = result(&ide, 2);
        assert!(broken.contains("c.toy:1:1: BAD is not allowed here"), "{}: {broken}", family.profile);
        assert!(!result(&ide, 3).contains("new error"), "{}", family.profile);
        assert!(!ide.picture().contains("still find"), "nothing is left: {}", family.profile);
        ide.keys("Alt-2 Ctrl-z").await;
        assert_eq!(text_of(&mut ide), "let name = 1\nunsaved", "one undo step: {}", family.profile);
    }
}

#[tokio::test]
async fn agent_question_about_a_closed_file_opens_it_at_the_server_for_that_time() {
    let ask = |action: &str| json!({ "action": action, "file": "b.toy", "line": 2, "symbol": "name" });
    let turns = [
        Turn::call("c1", "lsp", ask("definition")),
        Turn::call("c2", "lsp", ask("hover")),
        Turn::call("c3", "lsp", json!({ "action": "status" })),
        Turn::call("c4", "lsp", json!({ "action": "reload" })),
        Turn::text("all done"),
    ];
    let setup = project("let name = 1\nname\n", &script()).file("b.toy", "first\nname name\n").turns(turns);
    let mut ide = trusted(setup.tools(&["lsp"])).await;
    ide.send_prompt("ask").await;
    wait_for_end(&mut ide).await;
    assert!(result(&ide, 1).contains("a.toy:2:1: name"), "{}", result(&ide, 1));
    assert!(result(&ide, 2).contains("a **name**"), "{}", result(&ide, 2));
    assert!(result(&ide, 3).contains("toy (.): running"), "{}", result(&ide, 3));
    assert!(result(&ide, 4).contains("Started again: toy."), "{}", result(&ide, 4));
    ide.wait_for("the file is closed there", |state| state.slots[LANGUAGE_SERVERS].visits.is_empty()).await;
    let sent = methods(&ide);
    let count = |method: &str| sent.iter().filter(|sent| *sent == method).count();
    assert!(count("textDocument/didClose") >= 2, "{sent:?}");
}

#[tokio::test]
async fn agent_question_in_a_folder_that_is_not_trusted_starts_nothing() {
    let ask = json!({ "action": "hover", "file": "a.toy", "symbol": "name" });
    let turns = [Turn::call("c1", "lsp", ask), Turn::text("all done")];
    let mut ide = project("let name = 1\n", &script()).turns(turns).tools(&["lsp"]).start().await;
    ide.wait_for_text("Trust this project?").await;
    ide.advance(Duration::from_secs(2));
    ide.keys("n").await;
    ide.prompt("ask").await;
    ide.wait_for_text("all done").await;
    assert!(result(&ide, 1).contains("the user has not trusted this folder"), "{}", result(&ide, 1));
    assert!(methods(&ide).is_empty(), "nothing was started");
}

#[tokio::test]
async fn agent_question_without_a_running_server_says_why_and_what_to_do() {
    let ask = |file: &str| json!({ "action": "hover", "file": file, "symbol": "name" });
    let turns = [Turn::call("c1", "lsp", ask("a.toy")), Turn::text("all done")];
    let refusing = json!({ "answers": { "initialize": { "error": [-32002, "no license"] } } });
    let mut ide = project("name\n", &refusing).turns(turns).tools(&["lsp"]).start().await;
    trust(&mut ide).await;
    ide.wait_for("the refusal", |state| {
        let servers = &state.slots[LANGUAGE_SERVERS].servers;
        servers.iter().any(|server| matches!(server.state, ServerState::Waiting { .. }))
    })
    .await;
    ide.prompt("ask").await;
    ide.wait_for_text("all done").await;
    for part in ["toy does not run: ", "no license", "Its command is ", "language_server.py"] {
        assert!(result(&ide, 1).contains(part), "{part}: {}", result(&ide, 1));
    }
    let turns = [Turn::call("c1", "lsp", ask("b.none")), Turn::text("all done")];
    let table = "[language-server.none]\ncommand = \"no-such-server\"\n\n[[language]]\nname = \"none\"\n\
                 file-types = [\"none\"]\nroots = []\nlanguage-servers = [\"none\"]\n";
    let setup = project("name\n", &script()).file("b.none", "name\n").config_file("servers.toml", table);
    let mut ide = setup.turns(turns).tools(&["lsp"]).start().await;
    ide.prompt("ask").await;
    ide.wait_for_text("all done").await;
    let text = result(&ide, 1);
    assert!(text.contains("is installed. The user can install one of these"), "{text}");
    assert!(text.contains("none (no-such-server)"), "{text}");
}

#[tokio::test]
async fn turn_that_leaves_errors_lists_them_at_its_end() {
    let write =
        |id: &str, path: &str, text: &str| Turn::call(id, "write", json!({ "path": path, "content": text }));
    let turns = [
        write("c1", "b.toy", "BAD\n"),
        write("c2", "c.toy", "BAD\n"),
        write("c3", "c.toy", "fine\n"),
        Turn::text("all done"),
        Turn::text("nothing done"),
    ];
    let mut ide = trusted(project("fine\n", &script()).turns(turns).policy(Mode::Full)).await;
    ide.send_prompt("write").await;
    wait_for_end(&mut ide).await;
    ide.wait_for_text("Language servers still find").await;
    let picture = ide.picture();
    assert!(
        picture.contains("b.toy:1:1: BAD is not allowed") && !picture.contains("c.toy:1:1: BAD"),
        "{picture}"
    );
    ide.send_prompt("again").await;
    wait_for_end(&mut ide).await;
    ide.wait_for_text("nothing done").await;
    let count = ide.picture().matches("still find").count();
    assert!(count <= 1, "it is said once");
}
