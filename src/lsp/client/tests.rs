//! A client against a server that is played by the test.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::edits::RequestedEdit;
use super::incoming::ServerEvent;
use super::*;
use crate::base::framed::{self, FrameReader};
use crate::lsp::document::{PlainText, Replacement};
use crate::lsp::table::Feature;
use crate::lsp::wire::connection::Incoming;

mod odd_messages;

/// The server's end.
struct Server {
    stream: DuplexStream,
    frames: FrameReader,
    waiting: VecDeque<Value>,
}

impl Server {
    async fn receive(&mut self) -> Value {
        self.try_receive().await.expect("the client has closed the connection")
    }

    /// Returns the next message; `None` once the client has closed the connection.
    async fn try_receive(&mut self) -> Option<Value> {
        let mut piece = [0; 4096];
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            let count = self.stream.read(&mut piece).await.unwrap();
            if count == 0 {
                return None;
            }
            let frames = self.frames.read(&piece[..count]);
            self.waiting
                .extend(frames.into_iter().map(|frame| serde_json::from_slice(&frame.unwrap()).unwrap()));
        }
    }

    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = "2.0".into();
        self.stream.write_all(&framed::frame(message.to_string().as_bytes())).await.unwrap();
    }

    async fn answer(&mut self, result: Value) -> Value {
        let request = self.receive().await;
        self.send(json!({ "id": request["id"], "result": result })).await;
        request
    }
}

/// Starts a client; returns what the handshake has sent, too.
async fn start(
    capabilities: Value,
    settings: Value,
) -> (Client, Server, tokio::sync::mpsc::Receiver<Incoming>, Vec<Value>) {
    start_with(json!({ "capabilities": capabilities }), settings).await
}

/// Starts a client, with an answer to the handshake.
async fn start_with(
    answer: Value,
    settings: Value,
) -> (Client, Server, tokio::sync::mpsc::Receiver<Incoming>, Vec<Value>) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(ours);
    let (connection, work, incoming) = Connection::new(input, output);
    tokio::spawn(work.run());
    let mut server = Server { stream: theirs, frames: FrameReader::new(1 << 20), waiting: VecDeque::new() };
    let options = StartOptions {
        process_id: None,
        root: PathBuf::from("/w"),
        initialization: json!({ "option": 1 }),
        settings,
        timeout: Duration::from_secs(5),
    };
    let started = Client::start(connection, options);
    let handshake = async {
        let initialize = server.answer(answer).await;
        (initialize, server.receive().await)
    };
    let (client, (initialize, initialized)) = futures::join!(started, handshake);
    (client.unwrap(), server, incoming, vec![initialize, initialized])
}

fn open(client: &Client, version: u64, text: &str) {
    let text = Arc::new(PlainText::new(text.to_string()));
    let path = PathBuf::from("/w/a.rs");
    client.open(OpenDocument { path, language_id: "rust".into(), version, text }).unwrap();
}

/// A change to a text.
struct To(&'static str);

impl DocumentChange for To {
    fn replacements(&self, _: Encoding) -> Vec<Replacement> {
        vec![Replacement { range: Some(crate::lsp::position::Range::default()), text: "x".into() }]
    }

    fn next(&self) -> Arc<dyn DocumentText> {
        Arc::new(PlainText::new(self.0.to_string()))
    }
}

fn range(from: u32, to: u32) -> Value {
    json!({ "start": { "line": 0, "character": from }, "end": { "line": 0, "character": to } })
}

fn published(version: &Value) -> Value {
    let diagnostics = json!([{ "range": range(2, 4), "message": "m" }]);
    let params = json!({ "uri": "file:///w/a.rs", "version": version, "diagnostics": diagnostics });
    json!({ "method": "textDocument/publishDiagnostics", "params": params })
}

/// Takes in the next message of the server.
async fn next(client: &Client, incoming: &mut tokio::sync::mpsc::Receiver<Incoming>) -> Option<ServerEvent> {
    client.handle(incoming.recv().await.unwrap()).unwrap()
}

/// Returns the version of the text, and start and end of what each is about.
fn ranges(event: Option<ServerEvent>) -> Option<(u64, Vec<(usize, usize)>)> {
    match event {
        Some(ServerEvent::Diagnostics(found)) => about(found.text),
        other => panic!("no diagnostics: {other:?}"),
    }
}

fn about(text: Option<(u64, Vec<Range<usize>>)>) -> Option<(u64, Vec<(usize, usize)>)> {
    text.map(|(version, ranges)| {
        (version, ranges.into_iter().map(|range| (range.start, range.end)).collect())
    })
}

#[tokio::test]
async fn client_handshake_sends_options_and_settings() {
    let (_, mut server, _, sent) = start(json!({}), json!({ "a": { "b": 2 } })).await;
    let params = &sent[0]["params"];
    assert_eq!((&sent[0]["method"], &params["rootUri"]), (&json!("initialize"), &json!("file:///w")));
    assert_eq!(params["initializationOptions"], json!({ "option": 1 }));
    assert_eq!(params["capabilities"]["general"]["positionEncodings"][0], "utf-8");
    assert_eq!(sent[1]["method"], "initialized");
    let settings = server.receive().await;
    assert_eq!(settings["params"]["settings"], json!({ "a": { "b": 2 } }));
}

#[tokio::test]
async fn client_changes_are_sent_as_the_server_wants_them() {
    for (change, sent) in
        [(json!(2), json!([{ "range": range(0, 0), "text": "x" }])), (json!(1), json!([{ "text": "ab" }]))]
    {
        let sync = json!({ "textDocumentSync": { "openClose": true, "change": change, "save": { "includeText": true } } });
        let (client, mut server, ..) = start(sync, Value::Null).await;
        open(&client, 7, "a");
        let opened = server.receive().await;
        assert_eq!(opened["params"]["textDocument"]["languageId"], "rust");
        client.change(Path::new("/w/a.rs"), 8, &To("ab")).unwrap();
        client.change(Path::new("/w/unknown.rs"), 8, &To("ab")).unwrap();
        client.save(Path::new("/w/a.rs")).unwrap();
        client.close(Path::new("/w/a.rs")).unwrap();
        let changed = server.receive().await;
        assert_eq!(
            (&changed["params"]["textDocument"]["version"], &changed["params"]["contentChanges"]),
            (&json!(2), &sent)
        );
        assert_eq!(server.receive().await["params"]["text"], "ab");
        assert_eq!(server.receive().await["method"], "textDocument/didClose");
    }
}

#[tokio::test]
async fn client_server_that_wants_no_texts_gets_none() {
    let (client, mut server, ..) = start(json!({ "hoverProvider": true }), Value::Null).await;
    open(&client, 7, "a");
    client.change(Path::new("/w/a.rs"), 8, &To("ab")).unwrap();
    client.save(Path::new("/w/a.rs")).unwrap();
    client.close(Path::new("/w/a.rs")).unwrap();
    let ended = async { server.receive().await["method"].clone() };
    let ((), first) = futures::join!(client.shut_down(), ended);
    assert_eq!(first, "shutdown", "nothing was sent before");
}

#[tokio::test]
async fn client_handshake_with_an_odd_answer_offers_nothing() {
    for answer in [json!(5), json!([]), Value::Null] {
        let (client, ..) = start_with(answer, Value::Null).await;
        assert!(client.methods().is_empty());
    }
}

#[tokio::test]
async fn client_diagnostics_are_about_the_version_that_they_name() {
    let capabilities = json!({ "textDocumentSync": 2, "positionEncoding": "utf-16" });
    let (client, mut server, mut incoming, _) = start(capabilities, Value::Null).await;
    open(&client, 7, "🐚abc");
    client.change(Path::new("/w/a.rs"), 8, &To("abcdef")).unwrap();
    server.send(published(&json!(1))).await;
    assert_eq!(ranges(next(&client, &mut incoming).await), Some((7, vec![(4, 6)])));
    server.send(published(&json!(2))).await;
    assert_eq!(ranges(next(&client, &mut incoming).await), Some((8, vec![(2, 4)])));
    server.send(published(&Value::Null)).await;
    assert_eq!(ranges(next(&client, &mut incoming).await), Some((8, vec![(2, 4)])), "none: the newest");
    server.send(published(&json!(99))).await;
    assert!(next(&client, &mut incoming).await.is_none(), "a version that never was");
    client.close(Path::new("/w/a.rs")).unwrap();
    server.send(published(&json!(2))).await;
    assert_eq!(ranges(next(&client, &mut incoming).await), None, "of a file that is not open");
}

#[tokio::test]
async fn client_answers_questions_of_the_server() {
    let settings = json!({ "a": { "b": [1] } });
    let (client, mut server, mut incoming, _) = start(json!({}), settings.clone()).await;
    server.receive().await;
    let items = json!({ "items": [{ "section": "a.b" }, {}, { "section": "x" }] });
    let registered = json!({ "registrations": [{ "id": "1", "method": "textDocument/diagnostic" }, 5] });
    let asked = [
        ("workspace/configuration", items, Ok(json!([[1], settings, null]))),
        ("workspace/workspaceFolders", Value::Null, Ok(json!([{ "uri": "file:///w", "name": "w" }]))),
        ("client/registerCapability", registered, Ok(Value::Null)),
        ("window/workDoneProgress/create", json!({ "token": 1 }), Ok(Value::Null)),
        ("unknown/method", json!({}), Err(json!(-32601))),
    ];
    for (method, params, expected) in asked {
        server.send(json!({ "id": method, "method": method, "params": params })).await;
        drop(next(&client, &mut incoming).await);
        let answer = server.receive().await;
        assert_eq!(answer["id"], method);
        match expected {
            Ok(result) => assert_eq!(answer["result"], result, "{method}"),
            Err(code) => assert_eq!(answer["error"]["code"], code, "{method}"),
        }
    }
    assert!(client.offers("textDocument/diagnostic"));
    let params = json!({ "unregisterations": [{ "id": "1", "method": "textDocument/diagnostic" }] });
    server.send(json!({ "id": 9, "method": "client/unregisterCapability", "params": params })).await;
    drop(next(&client, &mut incoming).await);
    assert!(!client.offers("textDocument/diagnostic"));
}

#[tokio::test]
async fn client_asks_only_for_what_is_offered_and_about_what_is_open() {
    let (client, mut server, ..) =
        start(json!({ "hoverProvider": true, "textDocumentSync": 2 }), Value::Null).await;
    let path = Path::new("/w/a.rs");
    let asked = client.locations(LocationKind::Definition, path, 0).await;
    assert_eq!(asked, Err(QuestionError::NotOffered));
    assert_eq!(client.hover(path, 0).await, Err(QuestionError::NotOpen));
    open(&client, 1, "🐚abc");
    server.receive().await;
    let answer = json!({ "contents": "text", "range": range(2, 3) });
    let (hover, request) = futures::join!(client.hover(path, 4), server.answer(answer));
    assert_eq!(request["params"]["position"], json!({ "line": 0, "character": 2 }));
    let (hover, about) = hover.unwrap().unwrap();
    assert_eq!((hover.markdown.as_str(), about), ("text", Some(4..5)));
    let (hover, _) = futures::join!(client.hover(path, 4), server.answer(json!({ "contents": 5 })));
    assert!(matches!(hover, Err(QuestionError::Answer(_))), "{hover:?}");
}

#[tokio::test]
async fn client_places_that_are_no_files_are_said_to_be_none() {
    let (client, mut server, ..) =
        start(json!({ "definitionProvider": true, "textDocumentSync": 2 }), Value::Null).await;
    open(&client, 1, "abc");
    server.receive().await;
    let places = |addresses: &[&str]| {
        addresses.iter().map(|uri| json!({ "uri": uri, "range": range(1, 2) })).collect::<Vec<_>>()
    };
    for (addresses, expected) in [
        (&["jdt://x", "file:///w/b.rs"][..], Ok(1)),
        (&["jdt://x"], Err(QuestionError::NoFile)),
        (&[], Ok(0)),
    ] {
        let asked = client.locations(LocationKind::Definition, Path::new("/w/a.rs"), 0);
        let (found, _) = futures::join!(asked, server.answer(places(addresses).into()));
        assert_eq!(found.map(|found| found.len()), expected, "{addresses:?}");
    }
}

#[tokio::test]
async fn client_pulls_diagnostics_once_for_each_result() {
    let capabilities = json!({ "textDocumentSync": 2, "diagnosticProvider": { "identifier": "i" } });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 3, "abcdef");
    server.receive().await;
    let items = json!([{ "range": range(1, 2), "message": "m" }]);
    let other = json!({ "file:///w/b.rs": { "kind": "full", "items": items }, "x:y": { "kind": "full", "items": [] } });
    let report = json!({ "kind": "full", "resultId": "r", "items": items, "relatedDocuments": other });
    let (found, request) = futures::join!(client.pull_diagnostics(path), server.answer(report));
    assert_eq!(request["params"]["identifier"], "i");
    let (found, unchanged) = found.unwrap();
    assert_eq!(unchanged, None);
    assert_eq!(about(found[0].text.clone()), Some((3, vec![(1, 2)])));
    assert_eq!((found[1].path.to_str(), &found[1].text, found.len()), (Some("/w/b.rs"), &None, 2));
    let same = json!({ "kind": "unchanged", "resultId": "r" });
    let (found, request) = futures::join!(client.pull_diagnostics(path), server.answer(same));
    assert_eq!(request["params"]["previousResultId"], "r");
    assert!(matches!(found.unwrap(), (found, Some(3)) if found.is_empty()));
}

#[tokio::test]
async fn client_pulls_diagnostics_of_all_files_in_parts_and_names_what_it_knows() {
    let provider = json!({ "identifier": "i", "workspaceDiagnostics": true });
    let capabilities = json!({ "textDocumentSync": 2, "diagnosticProvider": provider });
    let (client, mut server, mut incoming, _) = start(capabilities, Value::Null).await;
    let items = json!([{ "range": range(1, 2), "message": "m", "source": "s" }]);
    let report = |name: &str, id: Value| json!({ "kind": "full", "uri": format!("file:///w/{name}"), "resultId": id, "items": items });
    let paths = |reports: Vec<incoming::FileReport>| {
        reports.iter().map(|one| (one.path.display().to_string(), one.diagnostics.len())).collect::<Vec<_>>()
    };
    let asked = client.pull_project();
    let answered = async {
        let request = server.receive().await;
        let token = &request["params"]["partialResultToken"];
        let part = json!({ "token": token, "value": { "items": [report("a.rs", json!("1")), 5] } });
        server.send(json!({ "method": "$/progress", "params": part })).await;
        let rest = json!({ "items": [report("b.rs", Value::Null), { "kind": "full", "uri": "x:y" }] });
        server.send(json!({ "id": request["id"], "result": rest })).await;
        request
    };
    let (found, request) = futures::join!(asked, answered);
    assert_eq!(
        (&request["method"], &request["params"]["identifier"]),
        (&json!("workspace/diagnostic"), &json!("i"))
    );
    assert_eq!(paths(found.unwrap()), [("/w/b.rs".to_string(), 1)]);
    let Some(ServerEvent::ProjectDiagnostics(part)) = next(&client, &mut incoming).await else { panic!() };
    assert_eq!((&*part[0].diagnostics[0].message, &*part[0].diagnostics[0].origin), ("m", "s"));
    assert_eq!(paths(part), [("/w/a.rs".to_string(), 1)]);
    // What is no report costs itself, whatever it is.
    for value in [json!([5]), json!(5), json!({ "items": [{ "kind": "full" }, []] })] {
        let part = json!({ "token": "bowline/workspace-diagnostic", "value": value });
        server.send(json!({ "method": "$/progress", "params": part })).await;
        let Some(ServerEvent::ProjectDiagnostics(part)) = next(&client, &mut incoming).await else {
            panic!()
        };
        assert!(part.is_empty());
    }
    let same = json!({ "items": [{ "kind": "unchanged", "uri": "file:///w/a.rs", "resultId": "1" }] });
    let (found, request) = futures::join!(client.pull_project(), server.answer(same));
    assert_eq!(request["params"]["previousResultIds"], json!([{ "uri": "file:///w/a.rs", "value": "1" }]));
    assert_eq!(paths(found.unwrap()), []);
}

#[tokio::test]
async fn client_formats_typed_characters_and_finds_linked_ranges() {
    let capabilities = json!({ "textDocumentSync": 2, "linkedEditingRangeProvider": true,
        "documentOnTypeFormattingProvider": { "firstTriggerCharacter": "}", "moreTriggerCharacter": ["\n"] } });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 3, "🐚a}");
    server.receive().await;
    assert_eq!(client.triggers().format, ['}', '\n']);
    let options = edits::FormatOptions { tab_size: 4, insert_spaces: true };
    let edit = json!([{ "range": range(0, 1), "newText": "" }]);
    let (found, request) = futures::join!(client.format_typed(path, (6, '}'), options), server.answer(edit));
    assert_eq!(request["params"]["position"]["character"], 4);
    assert_eq!(
        (&request["params"]["ch"], &request["params"]["options"]["tabSize"]),
        (&json!("}"), &json!(4))
    );
    assert_eq!(found.unwrap().edits.len(), 1);
    let answer = json!({ "ranges": [range(0, 2), range(2, 3)] });
    let (found, _) = futures::join!(client.linked_ranges(path, 4), server.answer(answer));
    let (ranges, _) = found.unwrap().0.unwrap();
    assert_eq!(ranges, [0..4, 4..5]);
}

/// An edit of the known file, of a version.
fn workspace_edit(version: &Value) -> Value {
    let edits = json!([{ "range": range(0, 1), "newText": "x" }]);
    json!({ "documentChanges": [{ "textDocument": { "uri": "file:///w/a.rs", "version": version }, "edits": edits }] })
}

#[tokio::test]
async fn client_edits_are_about_the_version_that_they_name() {
    let capabilities = json!({ "textDocumentSync": 2, "renameProvider": true });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 7, "abc");
    client.change(path, 8, &To("abcd")).unwrap();
    server.receive().await;
    server.receive().await;
    for (version, expected) in
        [(json!(1), Ok(7)), (json!(2), Ok(8)), (Value::Null, Ok(8)), (json!(9), Err(()))]
    {
        let (answer, request) =
            futures::join!(client.rename(path, 1, "x"), server.answer(workspace_edit(&version)));
        assert_eq!(request["params"]["newName"], "x");
        match (answer, expected) {
            (Ok(Some(edit)), Ok(expected)) => assert_eq!(edit.versions[path], expected, "{version}"),
            (Err(QuestionError::Edit(EditError::Changed)), Err(())) => {}
            (answer, _) => panic!("{version}: {answer:?}"),
        }
    }
    let (answer, _) = futures::join!(client.rename(path, 1, "x"), server.answer(Value::Null));
    assert_eq!(answer, Ok(None));
    assert_eq!(client.prepare_rename(path, 1).await, Ok(edits::RenameTarget::Word), "it cannot be asked");
}

#[tokio::test]
async fn client_rename_target_is_read_in_every_form() {
    let capabilities = json!({ "textDocumentSync": 2, "renameProvider": { "prepareProvider": true } });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 7, "🐚bc");
    server.receive().await;
    let name = json!({ "range": range(2, 4), "placeholder": "n" });
    for (sent, expected) in [
        (Value::Null, edits::RenameTarget::Nothing),
        (range(2, 4), edits::RenameTarget::Range(4..6, None)),
        (name, edits::RenameTarget::Range(4..6, Some("n".to_string()))),
        (json!({ "defaultBehavior": true }), edits::RenameTarget::Word),
        (json!({ "defaultBehavior": false }), edits::RenameTarget::Nothing),
    ] {
        let (answer, _) = futures::join!(client.prepare_rename(path, 4), server.answer(sent));
        assert_eq!(answer, Ok(expected));
    }
    let (answer, _) = futures::join!(client.prepare_rename(path, 4), server.answer(json!(5)));
    assert!(matches!(answer, Err(QuestionError::Answer(_))), "{answer:?}");
}

#[tokio::test]
async fn client_edit_that_the_server_requests_is_answered_once() {
    let (client, mut server, mut incoming, _) = start(json!({ "textDocumentSync": 2 }), Value::Null).await;
    open(&client, 7, "abc");
    server.receive().await;
    for (result, expected) in [
        (Some(Ok(())), json!({ "applied": true })),
        (Some(Err("why")), json!({ "applied": false, "failureReason": "why" })),
        (None, json!({ "applied": false, "failureReason": "the user has refused it" })),
    ] {
        let params = json!({ "label": "l", "edit": workspace_edit(&json!(1)) });
        server.send(json!({ "id": "e", "method": "workspace/applyEdit", "params": params })).await;
        let Some(ServerEvent::ApplyEdit(RequestedEdit { label, edit, reply })) =
            next(&client, &mut incoming).await
        else {
            panic!("no edit");
        };
        assert_eq!((label.as_deref(), edit.unwrap().versions.len()), (Some("l"), 1));
        match result {
            Some(result) => reply.answer(result),
            None => drop(reply),
        }
        assert_eq!(server.receive().await["result"], expected);
    }
    server.send(json!({ "id": "e", "method": "workspace/applyEdit", "params": {} })).await;
    let event = next(&client, &mut incoming).await;
    assert!(
        matches!(event, Some(ServerEvent::ApplyEdit(RequestedEdit { edit: Err(EditError::Shape(_)), .. }))),
        "{event:?}"
    );
}

#[tokio::test]
async fn client_symbols_are_located_in_bytes_and_completed_where_offered() {
    let capabilities = json!({ "textDocumentSync": 2, "documentSymbolProvider": true,
        "workspaceSymbolProvider": { "resolveProvider": true } });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    assert_eq!(client.methods(), [symbols::FILE_SYMBOLS, symbols::PROJECT_SYMBOLS]);
    open(&client, 3, "🐚abc");
    server.receive().await;
    let answer = json!([{ "name": "abc", "kind": 12, "range": range(0, 5), "selectionRange": range(2, 5) }]);
    let (found, request) = futures::join!(client.file_symbols(path), server.answer(answer));
    assert_eq!(request["params"]["textDocument"]["uri"], "file:///w/a.rs");
    let (found, asked) = found.unwrap();
    assert_eq!((found[0].1, asked.version), (4, 3));
    let later = json!({ "name": "x", "kind": 5, "location": { "uri": "file:///w/b.rs" }, "data": 7 });
    let (found, request) = futures::join!(client.project_symbols("q"), server.answer(json!([later])));
    assert_eq!(request["params"], json!({ "query": "q" }));
    let mut symbol = found.unwrap().remove(0);
    let whole =
        json!({ "name": "x", "kind": 5, "location": { "uri": "file:///w/b.rs", "range": range(1, 2) } });
    let (found, request) = futures::join!(client.symbol_range(&symbol), server.answer(whole));
    assert_eq!(
        (&request["method"], &request["params"]["data"]),
        (&json!("workspaceSymbol/resolve"), &json!(7))
    );
    symbol.range = found.unwrap();
    assert_eq!(symbol.range.unwrap().start.character, 1);
    assert_eq!(client.symbol_range(&symbol).await, Ok(symbol.range), "it is not asked again");
}

#[tokio::test]
async fn client_ranges_of_a_text_are_in_bytes() {
    let capabilities = json!({ "textDocumentSync": 2, "documentHighlightProvider": true,
        "selectionRangeProvider": true });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 3, "🐚abc");
    server.receive().await;
    let answer = json!([{ "range": range(2, 3), "kind": 3 }]);
    let (found, request) = futures::join!(client.highlights(path, 4), server.answer(answer));
    assert_eq!(request["params"]["position"], json!({ "line": 0, "character": 2 }));
    assert_eq!(found.unwrap().0, [(4..5, true)]);
    let answer = json!([{ "range": range(2, 3), "parent": { "range": range(0, 5) } }, { "range": range(3, 4), "parent": { "range": range(0, 5) } }]);
    let (found, request) = futures::join!(client.selection_ranges(path, &[4, 5]), server.answer(answer));
    assert_eq!(request["params"]["positions"][1], json!({ "line": 0, "character": 3 }));
    assert_eq!(found.unwrap().0, [vec![4..5, 0..7], vec![5..6, 0..7]]);
}

#[tokio::test]
async fn client_hierarchies_are_asked_for_step_by_step() {
    let capabilities = json!({ "textDocumentSync": 2, "callHierarchyProvider": true,
        "typeHierarchyProvider": true });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 3, "abc");
    server.receive().await;
    let item = |name: &str| {
        json!({ "name": name, "kind": 12, "uri": "file:///w/a.rs", "range": range(0, 2),
            "selectionRange": range(0, 1), "data": name })
    };
    let call = |side: &str| {
        let mut call = json!({ "fromRanges": [range(1, 2)] });
        call[side] = item("b");
        json!([call])
    };
    for (relation, kind, method, answer, calls) in [
        (hierarchy::Relation::Caller, "Call", "callHierarchy/incomingCalls", call("from"), 1),
        (hierarchy::Relation::Callee, "Call", "callHierarchy/outgoingCalls", call("to"), 1),
        (hierarchy::Relation::Supertype, "Type", "typeHierarchy/supertypes", json!([item("b")]), 0),
        (hierarchy::Relation::Subtype, "Type", "typeHierarchy/subtypes", json!([item("b")]), 0),
    ] {
        let asked = client.hierarchy_items(relation, path, 1);
        let (found, request) = futures::join!(asked, server.answer(json!([item("a")])));
        assert_eq!(request["method"], format!("textDocument/prepare{kind}Hierarchy"));
        let found = found.unwrap().remove(0);
        let (found, request) = futures::join!(client.related_items(relation, &found), server.answer(answer));
        assert_eq!((&request["method"], &request["params"]["item"]["data"]), (&json!(method), &json!("a")));
        let found = found.unwrap();
        assert_eq!((found[0].item.name.as_str(), found[0].calls.len()), ("b", calls));
    }
}

/// The kinds and ranges of tokens.
fn kinds(answer: Result<annotations::TokensAnswer, QuestionError>) -> Vec<(u32, Range<usize>)> {
    let answer = answer.map_err(|error| error.to_string()).unwrap();
    answer.tokens().into_iter().map(|token| (token.kind, token.range)).collect()
}

#[tokio::test]
async fn client_tokens_are_asked_for_as_what_differs_and_anew_if_that_does_not_fit() {
    let provider =
        json!({ "full": { "delta": true }, "legend": { "tokenTypes": ["a"], "tokenModifiers": [] } });
    let capabilities = json!({ "textDocumentSync": 2, "semanticTokensProvider": provider });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 7, "🐚bc");
    server.receive().await;
    let full = |id: &str, len: u32| json!({ "resultId": id, "data": [0, 0, len, 0, 0] });
    let (found, request) =
        futures::join!(client.semantic_tokens(path, Vec::new()), server.answer(full("1", 2)));
    assert_eq!(request["method"], "textDocument/semanticTokens/full");
    assert_eq!(kinds(found), [(0, 0..4)]);
    let edits = json!([{ "start": 2, "deleteCount": 2, "data": [3, 5] }]);
    let delta = json!({ "resultId": "2", "edits": edits });
    let (found, request) = futures::join!(client.semantic_tokens(path, Vec::new()), server.answer(delta));
    assert_eq!(request["params"]["previousResultId"], "1");
    assert_eq!(kinds(found), [(5, 0..5)]);
    let wrong = json!({ "resultId": "3", "edits": [{ "start": 99, "deleteCount": 2 }] });
    let answers = async {
        server.answer(wrong).await;
        server.answer(full("4", 4)).await
    };
    let (found, request) = futures::join!(client.semantic_tokens(path, Vec::new()), answers);
    assert_eq!(request["method"], "textDocument/semanticTokens/full");
    assert_eq!(kinds(found), [(0, 0..6)]);
    let (found, request) =
        futures::join!(client.semantic_tokens(path, Vec::new()), server.answer(json!({ "data": [] })));
    assert_eq!(request["params"]["previousResultId"], "4");
    assert_eq!(kinds(found), []);
    // An answer without a name cannot be referred to, and one that is too long is not kept.
    let long = json!({ "resultId": "5", "data": vec![0; 5 * 200_000 + 1] });
    for answer in [Value::Null, long, json!({ "data": [] })] {
        let asked = client.semantic_tokens(path, Vec::new());
        let (found, request) = futures::join!(asked, server.answer(answer));
        assert_eq!(request["method"], "textDocument/semanticTokens/full");
        assert_eq!(kinds(found), []);
    }
}

#[tokio::test]
async fn client_tokens_of_parts_are_joined_without_overlaps() {
    let provider = json!({ "range": true, "legend": { "tokenTypes": ["a"], "tokenModifiers": [] } });
    let capabilities = json!({ "textDocumentSync": 2, "semanticTokensProvider": provider });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    open(&client, 7, "ab cd\nef\n");
    server.receive().await;
    let answers = async {
        let first = server.answer(json!({ "data": [0, 0, 2, 0, 0, 0, 3, 2, 1, 0] })).await;
        server.answer(json!({ "data": [0, 3, 2, 7, 0, 1, 0, 2, 2, 0] })).await;
        first
    };
    let asked = client.semantic_tokens(path, vec![0..3, 3..usize::MAX]);
    let (found, request) = futures::join!(asked, answers);
    assert_eq!(request["params"]["range"], range(0, 3));
    assert_eq!(kinds(found), [(0, 0..2), (1, 3..5), (2, 6..8)]);
    let none = json!({ "textDocumentSync": 2, "semanticTokensProvider": { "full": false } });
    let (client, ..) = start(none, Value::Null).await;
    open(&client, 7, "ab");
    let answer = client.semantic_tokens(path, Vec::new()).await;
    assert!(matches!(answer, Err(QuestionError::NotOffered)));
}

#[tokio::test]
async fn client_annotations_are_in_bytes_of_the_known_version() {
    let capabilities = json!({ "textDocumentSync": 2, "inlayHintProvider": true, "foldingRangeProvider": {},
        "colorProvider": true, "codeLensProvider": {}, "documentLinkProvider": { "resolveProvider": true } });
    let (client, mut server, ..) = start(capabilities, Value::Null).await;
    let path = Path::new("/w/a.rs");
    assert_eq!(client.inlay_hints(path, 0..1).await, Err(QuestionError::NotOpen));
    open(&client, 7, "🐚bc");
    server.receive().await;
    let hint = json!([{ "position": { "line": 0, "character": 2 }, "label": "x" }]);
    let (found, request) = futures::join!(client.inlay_hints(path, 4..usize::MAX), server.answer(hint));
    assert_eq!(request["params"]["range"], range(2, 4));
    let found = found.unwrap();
    assert_eq!((found.version, found.all[0].0.clone()), (7, 4..4));
    let color = json!([{ "range": range(2, 3), "color": { "red": 1, "green": 1, "blue": 1 } }]);
    let (found, _) = futures::join!(client.colors(path), server.answer(color));
    let (at, color) = found.unwrap().all.remove(0);
    assert_eq!(at, 4..5);
    let formats = json!([{ "label": "white" }]);
    let (found, request) = futures::join!(client.color_presentations(path, &color), server.answer(formats));
    assert_eq!((&request["params"]["range"], found.unwrap().len()), (&range(2, 3), 1));
    let folds = json!([{ "startLine": 0, "endLine": 1 }]);
    let (found, _) = futures::join!(client.folding_ranges(path), server.answer(folds));
    let (version, lines) = found.unwrap();
    assert_eq!((version, lines.len(), lines[0].clone()), (7, 1, 0..1));
    // What a server cannot complete stays as it is.
    let lens = json!([{ "range": range(0, 2) }]);
    let (found, _) = futures::join!(client.code_lenses(path), server.answer(lens));
    let (_, mut lens) = found.unwrap().all.remove(0);
    assert_eq!((client.resolve_lens(&mut lens).await, &lens.command), (Ok(()), &None));
    let (found, _) =
        futures::join!(client.links(path), server.answer(json!([{ "range": range(0, 2), "data": 1 }])));
    let (_, link) = found.unwrap().all.remove(0);
    let completed = json!({ "range": range(0, 2), "target": "x:y" });
    let (target, request) = futures::join!(client.resolve_link(link), server.answer(completed));
    assert_eq!((target, &request["params"]["data"]), (Ok(Some("x:y".to_string())), &json!(1)));
}

#[tokio::test]
async fn client_notifications_of_the_server_become_events() {
    let (client, mut server, mut incoming, _) = start(json!({}), Value::Null).await;
    let progress = |value: Value| ("$/progress", json!({ "token": 7, "value": value }));
    let long = "é".repeat(4 << 10);
    for ((method, params), expected) in [
        (
            progress(json!({ "kind": "begin", "title": "Indexing", "percentage": 10, "cancellable": true })),
            Some("Progress { token: \"7\", text: Some(\"Indexing 10 %\"), can_cancel: Some(true) }"),
        ),
        (progress(json!({ "kind": "end" })), Some("Progress { token: \"7\", text: None, can_cancel: None }")),
        (progress(json!({ "kind": "odd" })), None),
        (
            ("window/showMessage", json!({ "type": 1, "message": "broken" })),
            Some("Message { is_problem: true, text: \"broken\" }"),
        ),
        (("window/logMessage", json!({ "type": 3, "message": "said" })), Some("Log(\"said\")")),
        (("$/logTrace", json!({ "message": "x" })), None),
        (("window/showMessage", json!({ "type": 3, "message": long })), Some("Message { is_problem: false")),
    ] {
        server.send(json!({ "method": method, "params": params })).await;
        let event = next(&client, &mut incoming).await.map(|event| format!("{event:?}"));
        let is_it = match expected {
            Some(start) => event.as_ref().is_some_and(|event| event.starts_with(start)),
            None => event.is_none(),
        };
        assert!(is_it, "{method}: {event:?}");
        assert!(event.is_none_or(|event| event.len() < 5_000), "a long text is cut");
    }
    server.send(json!({ "id": 1, "method": "workspace/diagnostic/refresh" })).await;
    assert!(matches!(next(&client, &mut incoming).await, Some(ServerEvent::PullDiagnostics)));
}

#[tokio::test]
async fn client_refresh_requests_name_their_feature() {
    let (client, mut server, mut incoming, _) = start(json!({}), Value::Null).await;
    for (method, expected) in [
        ("workspace/inlayHint/refresh", Feature::InlayHints),
        ("workspace/semanticTokens/refresh", Feature::SemanticTokens),
        ("workspace/codeLens/refresh", Feature::CodeLens),
        ("workspace/foldingRange/refresh", Feature::Folding),
    ] {
        server.send(json!({ "id": method, "method": method })).await;
        let event = next(&client, &mut incoming).await;
        assert!(matches!(event, Some(ServerEvent::Refresh(feature)) if feature == expected), "{event:?}");
        assert_eq!(server.receive().await["result"], Value::Null);
    }
}

#[test]
fn client_error_that_passes_is_told_from_others() {
    let refused = |code| {
        let error = RpcError { code, message: String::new() };
        QuestionError::Request(RequestError::Refused(error)).is_passing()
    };
    let codes = [RpcError::CONTENT_MODIFIED, RpcError::SERVER_CANCELLED, RpcError::METHOD_NOT_FOUND];
    assert_eq!(codes.map(refused), [true, true, false]);
    assert!(!QuestionError::NotOffered.is_passing());
}

#[test]
fn client_reasons_for_the_user_are_without_the_method() {
    let method = "textDocument/rename".to_string();
    let unknown =
        RpcError { code: RpcError::METHOD_NOT_FOUND, message: format!("Unhandled method {method}") };
    let after = std::time::Duration::from_secs(2);
    for (error, reason) in [
        (RequestError::Refused(unknown), "the server cannot do this"),
        (RequestError::TimedOut { method: method.clone(), after }, "no answer within 2 s"),
        (RequestError::Invalid { method, reason: "a list".to_string() }, "the answer cannot be read: a list"),
    ] {
        let error = QuestionError::Request(error);
        assert_eq!(error.reason(), reason);
        assert!(error.to_string().contains("textDocument/rename"), "logs have it: {error}");
    }
}
