//! What language servers show in and beside texts: inlay hints, colors of names, code lenses, links, color swatches, folds.
//! The server is a script that does what each test wants.

use bowline::ide::features::language_servers::state::LANGUAGE_SERVERS;
use bowline::text::position::Byte;
use serde_json::{Value, json};

use crate::support::language_server::{
    capabilities, methods, project, range, sent, settle, settle_until_sent, text_of, trusted, wait_for_method,
};
use crate::support::test_ide::{IdeSetup, TestIde};

/// A server with one more capability.
fn with_capability(name: &str, options: &Value) -> Value {
    let mut all = capabilities();
    all[name] = options.clone();
    all
}

fn script(capabilities: &Value, answers: &Value) -> Value {
    json!({ "capabilities": capabilities, "answers": answers })
}

/// How often the server was sent a method.
fn count(ide: &TestIde, method: &str) -> usize {
    methods(ide).iter().filter(|sent| *sent == method).count()
}

const HINT: &str = "textDocument/inlayHint";

/// A server with a hint behind the name in `let x` and one before the argument.
fn hinting() -> Value {
    let at = |column: u32| json!({ "line": 0, "character": column });
    let hints = json!([{ "position": at(5), "label": ": u8\u{1b}", "kind": 1 },
        { "position": at(10), "label": [{ "value": "n:" }], "kind": 2, "paddingRight": true }]);
    script(&with_capability("inlayHintProvider", &json!(true)), &json!({ HINT: hints }))
}

#[tokio::test]
async fn inlay_hints_are_shown_once_the_text_is_still_and_move_with_edits() {
    let mut ide = trusted(project("let x = f(1)\nnext\n", &hinting())).await;
    ide.headless.idle().await;
    assert_eq!(count(&ide, HINT), 0, "not before the text is still");
    settle(&mut ide).await;
    assert!(ide.picture().contains("let x: u8␛ = f(n: 1)"), "{}", ide.picture());
    assert_eq!(sent(&ide, HINT)["range"], range((0, 0), (2, 0)), "what is seen and around it");
    ide.type_in("é").await;
    assert!(ide.picture().contains("élet x: u8␛ = f(n: 1)"), "{}", ide.picture());
    assert_eq!((text_of(&mut ide).as_str(), count(&ide, HINT)), ("élet x = f(1)\nnext\n", 1));
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 2, "about the new text");
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 2, "once");
}

#[tokio::test]
async fn inlay_hints_are_asked_for_again_when_the_server_says_so() {
    let mut script = hinting();
    script["on"] = json!({ "textDocument/didSave": [{ "id": 7, "method": "workspace/inlayHint/refresh" }] });
    let mut ide = trusted(project("let x = f(1)\n", &script)).await;
    settle(&mut ide).await;
    ide.type_in("y").await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 2);
    ide.keys("Ctrl-s").await;
    settle_until_sent(&mut ide, HINT, 3).await;
}

#[tokio::test]
async fn inlay_hints_of_a_capability_that_comes_late_are_asked_for() {
    let mut script = hinting();
    script["capabilities"] = capabilities();
    let registration = json!({ "registrations": [{ "id": "h", "method": HINT, "registerOptions": {} }] });
    let request = json!({ "id": 7, "method": "client/registerCapability", "params": registration });
    script["on"] = json!({ "initialized": [request] });
    let mut ide = trusted(project("let x = f(1)\n", &script)).await;
    settle_until_sent(&mut ide, HINT, 1).await;
    assert!(ide.picture().contains("f(n: 1)"), "{}", ide.picture());
}

#[tokio::test]
async fn inlay_hints_are_toggled_and_not_drawn_for_screen_readers() {
    let mut ide = trusted(project("let x = f(1)\n", &hinting())).await;
    settle(&mut ide).await;
    ide.keys("Alt-, v i").await;
    assert_eq!(ide.status_message(), "Inlay hints: off");
    assert!(ide.picture().contains("let x = f(1)"), "{}", ide.picture());
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 1);
    ide.keys("Alt-, v i").await;
    settle(&mut ide).await;
    assert!(ide.picture().contains("f(n: 1)"), "{}", ide.picture());
    ide.keys("Ctrl-,").await;
    ide.type_in("screen reader").await;
    ide.keys("Enter Escape").await;
    settle(&mut ide).await;
    assert!(!ide.picture().contains("n: 1"), "those shown before go, too: {}", ide.picture());
    let mut ide = trusted(project("let x = f(1)\n", &hinting()).accessible(true)).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 0);
    let setting = project("let x = f(1)\n", &hinting()).config_file("settings.toml", "inlay-hints = false\n");
    let mut ide = trusted(setting).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 0);
}

#[tokio::test]
async fn inlay_hints_that_fail_are_asked_for_again_only_where_that_may_help() {
    // The log does not have those that were cancelled: that is no fault of the server.
    for (code, times, lines) in [(-32801, 4, 0), (-32800, 1, 0), (-32603, 1, 1)] {
        let answers = json!({ HINT: { "error": [code, "not now"] } });
        let script = script(&with_capability("inlayHintProvider", &json!(true)), &answers);
        let mut ide = trusted(project("let x\n", &script)).await;
        for _ in 0..8 {
            settle(&mut ide).await;
        }
        assert_eq!(count(&ide, HINT), times, "{code}");
        let log = &ide.state().slots[LANGUAGE_SERVERS].servers[0].log;
        let noted = log.iter().filter(|line| line.starts_with("inlay-hints: ")).count();
        assert_eq!(noted, lines, "{log:?}");
        assert_eq!(ide.status_message(), "Project is trusted", "nothing else is shown");
    }
}

#[tokio::test]
async fn inlay_hints_are_not_shown_in_a_very_long_line() {
    let text = format!("let x = f(1);{}\n", " ".repeat(20 << 10));
    let mut ide = trusted(project(&text, &hinting())).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, HINT), 1);
    assert_eq!(ide.state().buffers.current().unwrap().area.per_view.inlays.all(), []);
}

#[tokio::test]
async fn annotations_that_a_row_of_the_table_excludes_are_not_asked_for() {
    let mut all = hinting();
    for (name, options) in [
        ("codeLensProvider", json!({})),
        ("colorProvider", json!(true)),
        ("foldingRangeProvider", json!(true)),
        (
            "semanticTokensProvider",
            json!({ "legend": { "tokenTypes": [], "tokenModifiers": [] }, "full": true }),
        ),
        ("documentLinkProvider", json!({})),
    ] {
        all["capabilities"][name] = options;
    }
    let row = "[[language]]\nname = \"toy\"\nlanguage-servers = [{ name = \"toy\", only-features = [\"hover\"] }]\n";
    let setup = project("let x = f(1)\n", &all)
        .file(".bowline/servers.toml", row)
        .config_file("settings.toml", "code-lens = true\n");
    let mut ide = trusted(setup).await;
    // It runs before it has noted that.
    wait_for_method(&mut ide, "initialized").await;
    settle(&mut ide).await;
    let asked: Vec<_> =
        methods(&ide).into_iter().filter(|method| !method.starts_with("textDocument/did")).collect();
    assert_eq!(asked, ["initialize", "initialized"]);
    ide.keys("Alt-, k u").await;
    assert_eq!(ide.status_message(), "No link here", "links in the text need no server");
    for (keys, feature) in [("Alt-, k l", "code-lens"), ("Alt-, k C", "document-colors")] {
        ide.keys(keys).await;
        assert_eq!(ide.status_message(), format!("No language server of this file is asked for {feature}"));
    }
}

/// The scopes of the first bytes of the shown text.
fn scopes(ide: &mut TestIde, end: usize) -> Vec<(usize, usize, &'static str)> {
    let buffer = ide.state().buffers.current().unwrap();
    let found = buffer.scopes(&(Byte(0)..Byte(end)));
    found.into_iter().map(|span| (span.range.start.0, span.range.end.0, span.scope)).collect()
}

fn tokens(options: &Value) -> Value {
    let mut options = options.clone();
    options["legend"] =
        json!({ "tokenTypes": ["variable", "struct", "odd"], "tokenModifiers": ["x", "readonly"] });
    with_capability("semanticTokensProvider", &options)
}

#[tokio::test]
async fn semantic_tokens_color_names_and_only_what_differs_is_sent_later() {
    let answers = json!({
        "textDocument/semanticTokens/full": { "resultId": "1", "data": [0, 0, 3, 0, 2, 0, 4, 2, 1, 0, 0, 3, 1, 2, 0] },
        "textDocument/semanticTokens/full/delta": { "resultId": "2",
            "edits": [{ "start": 1, "deleteCount": 1, "data": [1] }, { "start": 8, "deleteCount": 1, "data": [0] }] },
    });
    let capabilities = tokens(&json!({ "full": { "delta": true }, "range": true }));
    let mut ide = trusted(project("MAX Ty z\n", &script(&capabilities, &answers))).await;
    settle(&mut ide).await;
    assert_eq!(scopes(&mut ide, 9), [(0, 3, "constant"), (4, 6, "type")]);
    ide.type_in(" ").await;
    assert_eq!(scopes(&mut ide, 9), [(1, 4, "constant"), (5, 7, "type")], "they move along");
    settle(&mut ide).await;
    assert_eq!(sent(&ide, "textDocument/semanticTokens/full/delta")["previousResultId"], "1");
    assert_eq!(scopes(&mut ide, 9), [(1, 4, "constant"), (5, 7, "variable")]);
    ide.type_in(" ").await;
    settle(&mut ide).await;
    assert_eq!(sent(&ide, "textDocument/semanticTokens/full/delta")["previousResultId"], "2");
    assert_eq!(count(&ide, "textDocument/semanticTokens/full"), 1);
    assert_eq!(count(&ide, "textDocument/semanticTokens/range"), 0);
}

#[tokio::test]
async fn semantic_tokens_of_a_server_that_only_knows_parts_are_those_of_what_is_seen() {
    let answers = json!({ "textDocument/semanticTokens/range": { "data": [0, 0, 3, 1, 0] } });
    let capabilities = tokens(&json!({ "range": true }));
    let text = "abc\n".repeat(5_000);
    let mut ide = trusted(project(&text, &script(&capabilities, &answers))).await;
    settle(&mut ide).await;
    assert_eq!(scopes(&mut ide, 9), [(0, 3, "type")]);
    let end = &sent(&ide, "textDocument/semanticTokens/range")["range"]["end"]["line"];
    assert!((100..2_000).contains(&end.as_u64().unwrap()), "{end}");
    ide.keys("Ctrl-End").await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, "textDocument/semanticTokens/range"), 2);
    let setting = project(&text, &script(&capabilities, &answers))
        .config_file("settings.toml", "semantic-tokens = false\n");
    let mut ide = trusted(setting).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, "textDocument/semanticTokens/range"), 0);
}

/// A server with a lens that is complete, one that is not, and one that runs nothing.
fn lenses() -> Value {
    let at = |line: u32| range((line, 0), (line, 1));
    let found = json!([
        { "range": at(2), "data": 5 },
        { "range": at(0), "command": { "title": "2 references", "command": "" } },
        { "range": at(2), "command": { "title": "Debug\u{1b}", "command": "toy.debug" } },
    ]);
    let answers = json!({
        "textDocument/codeLens": found,
        "codeLens/resolve": { "range": at(2), "command": { "title": "Run", "command": "toy.run", "arguments": [7] } },
        "workspace/executeCommand": null,
    });
    let mut capabilities = with_capability("codeLensProvider", &json!({ "resolveProvider": true }));
    capabilities["executeCommandProvider"] = json!({ "commands": ["toy.run"] });
    script(&capabilities, &answers)
}

#[tokio::test]
async fn code_lenses_are_listed_and_run_by_their_server() {
    let mut all = lenses();
    let edits = json!([{ "range": range((0, 0), (0, 0)), "newText": "ran " }]);
    all["edits"] = json!({ "workspace/executeCommand": { "changes": { "$ROOT/a.toy": edits } } });
    let mut ide = trusted(project("one\ntwo\nthree\n", &all)).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, "textDocument/codeLens"), 0, "they are shown behind lines only if wanted");
    ide.keys("Alt-, k l").await;
    ide.wait_for_text("Code lenses").await;
    ide.headless.idle().await;
    let shown = ide.picture();
    for row in ["2 references", "line 1  toy", "Run", "Debug␛", "line 3  toy"] {
        assert!(shown.contains(row), "{row}: {shown}");
    }
    assert_eq!(sent(&ide, "codeLens/resolve")["data"], 5);
    ide.type_in("Run").await;
    ide.keys("Enter").await;
    ide.wait_for("the edit", |state| state.status.message.starts_with("Changed 1 place")).await;
    ide.headless.idle().await;
    assert_eq!(sent(&ide, "workspace/executeCommand")["arguments"], json!([7]));
    assert_eq!(text_of(&mut ide), "ran one\ntwo\nthree\n");
    ide.keys("Alt-, k l").await;
    ide.wait_for_text("Code lenses").await;
    ide.type_in("references").await;
    ide.keys("Enter").await;
    assert_eq!(ide.status_message(), "This code lens runs nothing");
}

#[tokio::test]
async fn code_lenses_are_shown_behind_lines_without_a_diagnostic() {
    let setup = project("BAD\ntwo\nthree\n", &lenses()).config_file("settings.toml", "code-lens = true\n");
    let mut ide = trusted(setup).await;
    ide.wait_for("1 error", |state| {
        state.buffers.current().unwrap().servers.diagnostics.counts().errors == 1
    })
    .await;
    settle(&mut ide).await;
    let shown = ide.picture();
    assert!(shown.contains("three  Run | Debug␛"), "{shown}");
    assert!(shown.contains("BAD  ● BAD is not allowed") && !shown.contains("2 references"), "{shown}");
    ide.keys("Ctrl-Home Delete").await;
    ide.wait_for("no error", |state| {
        state.buffers.current().unwrap().servers.diagnostics.counts().errors == 0
    })
    .await;
    assert!(ide.picture().contains("AD  2 references"), "{}", ide.picture());
}

/// A server with a link to each target, one in each line; the last one has to be completed.
fn linking(targets: &[&str], resolved: &Value) -> Value {
    let link =
        |(line, target): (u32, &&str)| json!({ "range": range((line, 0), (line, 4)), "target": target });
    let mut links: Vec<Value> = (0..).zip(targets).map(link).collect();
    let last = u32::try_from(links.len()).unwrap();
    links.push(json!({ "range": range((last, 0), (last, 4)), "data": 9 }));
    let answers = json!({ "textDocument/documentLink": links, "documentLink/resolve": resolved });
    script(&with_capability("documentLinkProvider", &json!({ "resolveProvider": true })), &answers)
}

#[tokio::test]
async fn document_link_to_a_file_of_the_folder_is_opened_at_its_place() {
    let resolved = json!({ "range": range((1, 0), (1, 4)), "target": "$ROOT/lib/b.toy" });
    let all = linking(&["$ROOT/lib/b.toy#L2,3"], &resolved);
    let setup = project("link\nlink\nnone\n", &all).file("lib/b.toy", "first\nsecond\n");
    let mut ide = trusted(setup).await;
    ide.keys("Right Alt-, k u").await;
    ide.wait_for("b.toy is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (2, 3));
    ide.keys("Alt-' o Down Alt-, k u").await;
    wait_for_method(&mut ide, "documentLink/resolve").await;
    ide.wait_for("b.toy is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
    assert_eq!(sent(&ide, "documentLink/resolve")["data"], 9);
    ide.keys("Alt-' o Down Alt-, k u").await;
    ide.wait_for("a message", |state| state.status.message == "No link here").await;
}

#[tokio::test]
async fn document_link_that_leads_elsewhere_is_shown_and_not_started() {
    let all = linking(&["https://example.org/a", "file:///etc/hosts", "command:run\u{1b}"], &Value::Null);
    let mut ide = trusted(project("link\nlink\nlink\nlink\n", &all).size(100, 24).browser()).await;
    for (title, address) in [
        ("Open this page in the browser?", "https://example.org/a"),
        ("Open this file outside of the folder?", "/etc/hosts"),
        ("Link to something that is no file", "command:run␛"),
    ] {
        ide.keys("Alt-, k u").await;
        ide.wait_for_text(title).await;
        let shown = ide.picture();
        assert!(shown.contains(address) && shown.contains("Copy address"), "{shown}");
        // Keys that were typed before are no answer.
        ide.advance(std::time::Duration::from_secs(2));
        ide.keys("n Down").await;
        assert_eq!(ide.current_file_name(), "a.toy");
    }
    assert!(!ide.path("opened").exists());
    // The last one is never completed.
    ide.keys("Alt-, k u").await;
    ide.wait_for("a message", |state| state.status.message == "No link here").await;
    ide.keys("Ctrl-Home Alt-, k u").await;
    ide.wait_for_text("Open this page in the browser?").await;
    ide.advance(std::time::Duration::from_secs(2));
    ide.keys("c").await;
    assert_eq!(ide.status_message(), "Copied the address of the link");
}

#[tokio::test]
async fn document_link_that_is_written_in_a_text_needs_no_server() {
    let text = "see lib/b.txt:2:3 now\nhttps://example.org/x.\n../out.txt\nno/such.txt:7\nlib/\n";
    let setup = IdeSetup::new().with("a.txt", text).file("lib/b.txt", "first\nsecond\n").size(100, 24);
    let mut ide = setup.start().await;
    std::fs::write(ide.path("../out.txt"), "out\n").unwrap();
    ide.keys("Right Right Right Right Right Right Alt-, k u").await;
    ide.wait_for("b.txt is shown", |state| state.buffers.current().unwrap().name() == "b.txt").await;
    ide.headless.idle().await;
    assert_eq!(ide.cursor(), (2, 3));
    ide.keys("Alt-' o Down Alt-, k u").await;
    ide.wait_for_text("Open this page in the browser?").await;
    assert!(ide.picture().contains("https://example.org/x") && !ide.picture().contains("/x.│"));
    ide.advance(std::time::Duration::from_secs(2));
    ide.keys("n Down Alt-, k u").await;
    ide.wait_for_text("Open this file outside of the folder?").await;
    ide.advance(std::time::Duration::from_secs(2));
    ide.keys("n Down Alt-, k u").await;
    ide.wait_for("a message", |state| state.status.message == "No such file: no/such.txt").await;
    ide.keys("Down Alt-, k u").await;
    ide.wait_for("a message", |state| state.status.message == "Folder: lib/").await;
}

#[tokio::test]
async fn document_link_of_the_server_goes_before_what_is_written() {
    let all = linking(&["$ROOT/lib/b.toy"], &Value::Null);
    let setup = project("a.toy\n", &all).file("lib/b.toy", "first\n");
    let mut ide = trusted(setup).await;
    ide.keys("Alt-, k u").await;
    ide.wait_for("b.toy is shown", |state| state.buffers.current().unwrap().name() == "b.toy").await;
}

/// A server that knows the color in the first line.
fn coloring(presentations: &Value) -> Value {
    let color = json!({ "red": 1, "green": 0, "blue": 0, "alpha": 1 });
    let answers = json!({
        "textDocument/documentColor": [{ "range": range((0, 3), (0, 7)), "color": color }],
        "textDocument/colorPresentation": presentations,
    });
    script(&with_capability("colorProvider", &json!(true)), &answers)
}

#[tokio::test]
async fn document_colors_have_swatches_and_other_formats() {
    let formats = json!([{ "label": "red" }, { "label": "rgb(255 0 0)" }]);
    let setup = || project("c: #f00;\n", &coloring(&formats));
    let mut ide = trusted(setup()).await;
    settle(&mut ide).await;
    assert!(ide.picture().contains("c: ■ #f00;"), "{}", ide.picture());
    ide.keys("Alt-, k C").await;
    ide.wait_for("a message", |state| state.status.message == "No color here").await;
    ide.keys("Right Right Right Alt-, k C").await;
    ide.wait_for_text("Color formats").await;
    ide.type_in("rgb").await;
    ide.keys("Enter").await;
    ide.wait_for("the edit", |state| state.status.message.starts_with("Changed 1 place")).await;
    assert_eq!(text_of(&mut ide), "c: rgb(255 0 0);\n");
    assert_eq!(sent(&ide, "textDocument/colorPresentation")["color"]["red"], 1);
    let mut ide = trusted(setup().config_file("settings.toml", "color-swatches = false\n")).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, "textDocument/documentColor"), 0);
}

#[tokio::test]
async fn document_color_is_drawn_in_its_color() {
    let setup: IdeSetup = project("c: #f00;\n", &coloring(&Value::Null));
    let mut ide = trusted(setup).await;
    settle(&mut ide).await;
    let inlays = ide.state().buffers.current().unwrap().area.per_view.inlays.all().to_vec();
    assert_eq!((inlays.len(), inlays[0].color, inlays[0].at), (1, Some([255, 0, 0]), Byte(3)));
    let output = ide.headless.take_output();
    assert!(String::from_utf8_lossy(&output).contains("38;2;255;0;0"), "the terminal is sent the color");
}

#[tokio::test]
async fn folding_ranges_of_the_server_are_folded_where_there_is_no_grammar() {
    let answers = json!({ "textDocument/foldingRange": [{ "startLine": 0, "endLine": 2 }, { "startLine": 1, "endLine": 99 }] });
    let all = script(&with_capability("foldingRangeProvider", &json!(true)), &answers);
    let mut ide = trusted(project("one\ntwo\nthree\nfour\n", &all)).await;
    settle(&mut ide).await;
    assert_eq!(count(&ide, "textDocument/foldingRange"), 1);
    ide.keys("Alt-, z f").await;
    let shown = ide.picture();
    assert!(shown.contains("one ⋯ 2 lines") && shown.contains("four") && !shown.contains("three"), "{shown}");
}
