//! A client against a server whose messages are wrong somewhere: whatever it answers or sends, nothing panics, every question
//! ends, and every place that is returned lies in the text.

use proptest::prelude::*;

use super::*;
use crate::lsp::client::hierarchy::Relation;
use crate::lsp::client::{completion, incoming};

const TEXT: &str = "🐚bc é\r\nxyz\n";

fn range() -> Value {
    json!({ "start": { "line": 0, "character": 2 }, "end": { "line": 1, "character": 1 } })
}

fn edit() -> Value {
    json!({ "range": range(), "newText": "new" })
}

fn location() -> Value {
    json!({ "uri": "file:///w/a.rs", "range": range() })
}

fn workspace_edit() -> Value {
    json!({ "changes": { "file:///w/a.rs": [edit()] }, "documentChanges": [
        { "textDocument": { "uri": "file:///w/a.rs", "version": 1 }, "edits": [edit()] },
        { "kind": "rename", "oldUri": "file:///w/b.rs", "newUri": "file:///w/c.rs", "options": { "overwrite": true } },
    ] })
}

/// What the server offers: everything.
fn capabilities() -> Value {
    let trigger = json!({ "triggerCharacters": ["."], "resolveProvider": true, "prepareProvider": true });
    let mut all = json!({ "textDocumentSync": 2, "executeCommandProvider": { "commands": ["x"] },
        "semanticTokensProvider": { "legend": { "tokenTypes": ["type"], "tokenModifiers": ["static"] }, "full": { "delta": true },
            "range": true } });
    for name in [
        "completion",
        "hover",
        "signatureHelp",
        "declaration",
        "definition",
        "typeDefinition",
        "implementation",
        "references",
        "documentHighlight",
        "documentSymbol",
        "codeAction",
        "codeLens",
        "documentLink",
        "color",
        "workspaceSymbol",
        "documentFormatting",
        "documentRangeFormatting",
        "rename",
        "foldingRange",
        "selectionRange",
        "callHierarchy",
        "typeHierarchy",
        "inlayHint",
        "diagnostic",
    ] {
        all[format!("{name}Provider")] = trigger.clone();
    }
    all
}

/// A right answer for each method.
fn answers() -> HashMap<&'static str, Value> {
    places().into_iter().chain(others()).collect()
}

/// Answers about places and names.
fn places() -> Vec<(&'static str, Value)> {
    let item = json!({ "name": "n", "kind": 12, "uri": "file:///w/a.rs", "range": range(), "selectionRange": range() });
    let symbol = json!({ "name": "n", "kind": 12, "range": range(), "selectionRange": range(),
        "children": [{ "name": "m", "kind": 6, "range": range(), "selectionRange": range() }] });
    vec![
        (
            "textDocument/hover",
            json!({ "contents": ["a", { "language": "rust", "value": "b" }], "range": range() }),
        ),
        (
            "textDocument/definition",
            json!([location(), { "targetUri": "file:///w/a.rs", "targetRange": range(),
            "targetSelectionRange": range() }]),
        ),
        ("textDocument/references", json!([location()])),
        ("textDocument/documentHighlight", json!([{ "range": range(), "kind": 3 }])),
        ("textDocument/selectionRange", json!([{ "range": range(), "parent": { "range": range() } }])),
        ("textDocument/documentSymbol", json!([symbol])),
        ("workspace/symbol", json!([{ "name": "n", "kind": 5, "location": location() }])),
        ("workspaceSymbol/resolve", json!({ "name": "n", "kind": 5, "location": location() })),
        ("textDocument/prepareCallHierarchy", json!([item])),
        ("textDocument/prepareTypeHierarchy", json!([item])),
        ("callHierarchy/incomingCalls", json!([{ "from": item, "fromRanges": [range()] }])),
        ("callHierarchy/outgoingCalls", json!([{ "to": item, "fromRanges": [range()] }])),
        ("typeHierarchy/supertypes", json!([item])),
        ("typeHierarchy/subtypes", json!([item])),
    ]
}

/// Answers about completions, edits and what is shown in the text.
fn others() -> Vec<(&'static str, Value)> {
    let completion = json!({ "label": "bcd", "kind": 3, "sortText": "a", "textEdit": edit(), "insertTextFormat": 2,
        "additionalTextEdits": [edit()], "documentation": { "kind": "markdown", "value": "*it*" } });
    let diagnostic = json!({ "range": range(), "severity": 1, "code": 5, "message": "m", "tags": [1],
        "relatedInformation": [{ "location": location(), "message": "r" }] });
    let action = json!({ "title": "Fix", "kind": "quickfix", "diagnostics": [diagnostic], "edit": workspace_edit(),
        "command": { "title": "c", "command": "x", "arguments": [1] } });
    let color = json!({ "range": range(), "color": { "red": 1, "green": 0.5, "blue": 0, "alpha": 1 } });
    vec![
        (
            "textDocument/completion",
            json!({ "isIncomplete": true, "items": [completion],
            "itemDefaults": { "editRange": range(), "commitCharacters": ["."] } }),
        ),
        ("completionItem/resolve", completion.clone()),
        (
            "textDocument/signatureHelp",
            json!({ "activeSignature": 0, "activeParameter": 1, "signatures": [
            { "label": "f(a, b)", "parameters": [{ "label": "a" }, { "label": [5, 6] }] }] }),
        ),
        ("textDocument/prepareRename", json!({ "range": range(), "placeholder": "n" })),
        ("textDocument/rename", workspace_edit()),
        ("textDocument/codeAction", json!([action, { "title": "c", "command": "x" }])),
        ("codeAction/resolve", action.clone()),
        ("textDocument/formatting", json!([edit()])),
        ("textDocument/rangeFormatting", json!([edit()])),
        (
            "textDocument/inlayHint",
            json!([{ "position": { "line": 0, "character": 3 }, "label": [{ "value": "h" }],
            "kind": 1, "paddingLeft": true }]),
        ),
        (
            "textDocument/semanticTokens/full",
            json!({ "resultId": "1", "data": [0, 0, 2, 0, 1, 1, 1, 2, 0, 0] }),
        ),
        (
            "textDocument/semanticTokens/full/delta",
            json!({ "resultId": "2", "edits": [
            { "start": 0, "deleteCount": 5, "data": [0, 2, 1, 0, 0] }] }),
        ),
        ("textDocument/semanticTokens/range", json!({ "data": [0, 0, 2, 0, 1] })),
        ("textDocument/codeLens", json!([{ "range": range(), "data": 1 }])),
        ("codeLens/resolve", json!({ "range": range(), "command": { "title": "run", "command": "x" } })),
        ("textDocument/documentLink", json!([{ "range": range(), "target": "file:///w/b.rs#L1" }])),
        ("documentLink/resolve", json!({ "range": range(), "target": "https://a" })),
        ("textDocument/documentColor", json!([color])),
        ("textDocument/colorPresentation", json!([{ "label": "#fff", "textEdit": edit() }])),
        ("textDocument/foldingRange", json!([{ "startLine": 0, "endLine": 1, "kind": "region" }])),
        (
            "textDocument/diagnostic",
            json!({ "kind": "full", "resultId": "r", "items": [diagnostic],
            "relatedDocuments": { "file:///w/b.rs": { "kind": "full", "items": [diagnostic] } } }),
        ),
    ]
}

/// What a server sends by itself: methods and parameters.
fn sent() -> Vec<(&'static str, Value)> {
    let diagnostic = json!({ "range": range(), "severity": 1, "code": 5, "message": "m", "tags": [1] });
    vec![
        (
            "textDocument/publishDiagnostics",
            json!({ "uri": "file:///w/a.rs", "version": 1, "diagnostics": [diagnostic] }),
        ),
        ("$/progress", json!({ "token": 7, "value": { "kind": "begin", "title": "t", "percentage": 5 } })),
        ("window/showMessage", json!({ "type": 1, "message": "m" })),
        ("window/logMessage", json!({ "type": 1, "message": "m" })),
        ("window/showMessageRequest", json!({ "type": 1, "message": "m", "actions": [{ "title": "a" }] })),
        ("window/showDocument", json!({ "uri": "file:///w/a.rs", "external": false, "selection": range() })),
        ("workspace/applyEdit", json!({ "label": "l", "edit": workspace_edit() })),
        ("workspace/configuration", json!({ "items": [{ "section": "a.b" }] })),
        (
            "client/registerCapability",
            json!({ "registrations": [{ "id": "1", "method": "textDocument/hover",
            "registerOptions": { "documentSelector": null } }] }),
        ),
        (
            "client/unregisterCapability",
            json!({ "unregisterations": [{ "id": "1", "method": "textDocument/hover" }] }),
        ),
        ("window/workDoneProgress/create", json!({ "token": "t" })),
    ]
}

/// A mistake: where in a message, counted in its values, and what is there in place of what should be.
type Mistake = (u16, usize);

/// What may be in the wrong place.
fn wrong_values() -> Vec<Value> {
    let deep = (0..60).fold(json!(1), |inner, _| json!([inner]));
    let many: Vec<Value> = (0..300).map(|n| json!({ "range": range(), "label": n })).collect();
    vec![
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(7),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(1.5e300),
        json!(""),
        json!("\u{1b}[31m\u{0}🐚"),
        json!("file:///w/\u{1}%00%ff"),
        json!("x".repeat(5000)),
        json!([]),
        json!({}),
        json!([0, 1, 2]),
        json!({ "start": { "line": 1, "character": 9 }, "end": { "line": 0, "character": 1 } }),
        json!({ "line": 4_000_000_000_u32, "character": 4_000_000_000_u32 }),
        deep,
        Value::Array(many),
    ]
}

/// Puts mistakes into a value.
fn spoil(value: &mut Value, mistakes: &[Mistake]) {
    let wrong = wrong_values();
    for (place, with) in mistakes {
        let count = count(value);
        let mut place = usize::from(*place) % count;
        replace(value, &mut place, &wrong[with % wrong.len()]);
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(count).sum(),
        _ => 0,
    }
}

/// Replaces the value at a place; returns whether that was found.
fn replace(value: &mut Value, place: &mut usize, with: &Value) -> bool {
    if *place == 0 {
        *value = with.clone();
        return true;
    }
    *place -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| replace(item, place, with)),
        Value::Object(fields) => fields.values_mut().any(|field| replace(field, place, with)),
        _ => false,
    }
}

/// Answers every request with what is wrong in the same way, until the client is gone.
async fn play(mut server: Server, mistakes: Vec<Mistake>) {
    let answers = answers();
    while let Some(request) = server.try_receive().await {
        let (Some(method), Some(id)) = (request["method"].as_str(), request.get("id")) else { continue };
        let mut answer = answers.get(method).cloned().unwrap_or_default();
        spoil(&mut answer, &mistakes);
        server.send(json!({ "id": id, "result": answer })).await;
    }
}

/// Asserts that ranges lie in the text, between its characters.
fn assert_in_text<'r>(what: &str, ranges: impl IntoIterator<Item = &'r Range<usize>>) {
    for range in ranges {
        let is_inside = TEXT.is_char_boundary(range.start) && TEXT.is_char_boundary(range.end);
        assert!(is_inside && range.start <= range.end, "{what}: {range:?}");
    }
}

/// Asks what is at a place.
async fn ask_at_place(client: &Client, path: &Path) {
    if let Ok(Some((_, Some(range)))) = client.hover(path, 4).await {
        assert_in_text("hover", [&range]);
    }
    for kind in [LocationKind::Definition, LocationKind::References] {
        drop(client.locations(kind, path, 4).await);
    }
    if let Ok((uses, _)) = client.highlights(path, 4).await {
        assert_in_text("highlight", uses.iter().map(|(range, _)| range));
    }
    if let Ok((ranges, _)) = client.selection_ranges(path, &[4, 5]).await {
        assert_in_text("selection", ranges.iter().flatten());
    }
    for relation in [Relation::Caller, Relation::Callee, Relation::Supertype, Relation::Subtype] {
        for item in client.hierarchy_items(relation, path, 4).await.unwrap_or_default() {
            drop(client.related_items(relation, &item).await);
        }
    }
    if let Ok((mut found, _)) = client.completions(path, 4, completion::Trigger::Invoked).await {
        for item in found.items.iter_mut().take(3) {
            drop(client.resolve_completion(item).await);
        }
    }
    drop(client.signatures(path, 4, Some('('), false).await);
    if let Ok(edits::RenameTarget::Range(range, _)) = client.prepare_rename(path, 4).await {
        assert_in_text("rename", [&range]);
    }
    drop(client.rename(path, 4, "x").await);
}

/// Asks about the whole text.
async fn ask_about_text(client: &Client, path: &Path) {
    if let Ok((symbols, _)) = client.file_symbols(path).await {
        assert!(symbols.iter().all(|(_, at)| TEXT.is_char_boundary(*at)));
    }
    for symbol in client.project_symbols("x").await.unwrap_or_default().iter().take(3) {
        drop(client.symbol_range(symbol).await);
    }
    if let Ok(found) = client.inlay_hints(path, 0..TEXT.len()).await {
        assert_in_text("hint", found.all.iter().map(|(range, _)| range));
    }
    for _ in 0..2 {
        if let Ok(answer) = client.semantic_tokens(path, Vec::new()).await {
            let tokens = answer.tokens();
            assert_in_text("token", tokens.iter().map(|token| &token.range));
        }
    }
    if let Ok(mut found) = client.code_lenses(path).await {
        assert_in_text("lens", found.all.iter().map(|(range, _)| range));
        for (_, lens) in found.all.iter_mut().take(3) {
            drop(client.resolve_lens(lens).await);
        }
    }
    if let Ok(found) = client.links(path).await {
        assert_in_text("link", found.all.iter().map(|(range, _)| range));
        for (_, link) in found.all.into_iter().take(3) {
            drop(client.resolve_link(link).await);
        }
    }
    if let Ok(found) = client.colors(path).await {
        assert_in_text("color", found.all.iter().map(|(range, _)| range));
        for (_, color) in found.all.iter().take(3) {
            drop(client.color_presentations(path, color).await);
        }
    }
    if let Ok((_, ranges)) = client.folding_ranges(path).await {
        // Lines, which may lie behind the end.
        assert!(ranges.iter().all(|lines| lines.start < lines.end), "{ranges:?}");
    }
    let options = edits::FormatOptions { tab_size: 4, insert_spaces: true };
    drop(client.format(path, None, options).await);
    drop(client.format(path, Some(0..6), options).await);
    if let Ok(found) = client.code_actions(path, 0..6, Vec::new()).await {
        for action in found.actions.into_iter().take(3) {
            drop(client.edit_of_action(action, found.versions.clone()).await);
        }
    }
    for file in client.pull_diagnostics(path).await.map(|(files, _)| files).unwrap_or_default() {
        if file.path == path {
            assert_in_text("diagnostic", file.text.iter().flat_map(|(_, ranges)| ranges));
        }
    }
}

async fn ask_everything(mistakes: Vec<Mistake>) {
    let (client, server, _incoming, _) = start(capabilities(), Value::Null).await;
    open(&client, 7, TEXT);
    let played = tokio::spawn(play(server, mistakes));
    let path = Path::new("/w/a.rs");
    ask_at_place(&client, path).await;
    ask_about_text(&client, path).await;
    played.abort();
}

async fn take_in_everything(mistakes: Vec<Mistake>) {
    let (client, mut server, mut incoming, _) = start(capabilities(), Value::Null).await;
    open(&client, 7, TEXT);
    for (n, (method, mut params)) in sent().into_iter().enumerate() {
        spoil(&mut params, &mistakes);
        server.send(json!({ "id": n, "method": method, "params": params })).await;
        server.send(json!({ "method": method, "params": params })).await;
        for _ in 0..2 {
            let event = client.handle(incoming.recv().await.expect("a message")).expect("a connection");
            if let Some(incoming::ServerEvent::Diagnostics(found)) = event
                && found.path == Path::new("/w/a.rs")
            {
                assert_in_text("published", found.text.iter().flat_map(|(_, ranges)| ranges));
            }
        }
    }
}

fn run(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(work);
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(96))]
    #[test]
    fn client_with_wrong_answers_returns_places_of_the_text(
        mistakes in prop::collection::vec((any::<u16>(), 0_usize..64), 0..4),
    ) {
        run(ask_everything(mistakes));
    }

    #[test]
    fn client_with_wrong_messages_goes_on(
        mistakes in prop::collection::vec((any::<u16>(), 0_usize..64), 0..4),
    ) {
        run(take_in_everything(mistakes));
    }
}
