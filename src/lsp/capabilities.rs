//! What a server offers, and what we offer to it. Read leniently: one odd provider costs itself. Must not know requests.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use crate::base::json::json;
use crate::lsp::answers::folding;
use crate::lsp::capabilities::watched_files::Watchers;
use crate::lsp::position::Encoding;

mod file_operations;
pub mod watched_files;

/// Which field of `ServerCapabilities` (LSP 3.18) offers a method.
const PROVIDERS: [(&str, &str); 30] = [
    ("textDocument/completion", "completionProvider"),
    ("textDocument/hover", "hoverProvider"),
    ("textDocument/signatureHelp", "signatureHelpProvider"),
    ("textDocument/declaration", "declarationProvider"),
    ("textDocument/definition", "definitionProvider"),
    ("textDocument/typeDefinition", "typeDefinitionProvider"),
    ("textDocument/implementation", "implementationProvider"),
    ("textDocument/references", "referencesProvider"),
    ("textDocument/documentHighlight", "documentHighlightProvider"),
    ("textDocument/documentSymbol", "documentSymbolProvider"),
    ("textDocument/codeAction", "codeActionProvider"),
    ("textDocument/codeLens", "codeLensProvider"),
    ("textDocument/documentLink", "documentLinkProvider"),
    ("textDocument/documentColor", "colorProvider"),
    ("workspace/symbol", "workspaceSymbolProvider"),
    ("textDocument/formatting", "documentFormattingProvider"),
    ("textDocument/rangeFormatting", "documentRangeFormattingProvider"),
    ("textDocument/onTypeFormatting", "documentOnTypeFormattingProvider"),
    ("textDocument/rename", "renameProvider"),
    ("textDocument/foldingRange", "foldingRangeProvider"),
    ("textDocument/selectionRange", "selectionRangeProvider"),
    ("workspace/executeCommand", "executeCommandProvider"),
    ("textDocument/prepareCallHierarchy", "callHierarchyProvider"),
    ("textDocument/prepareTypeHierarchy", "typeHierarchyProvider"),
    ("textDocument/linkedEditingRange", "linkedEditingRangeProvider"),
    ("textDocument/semanticTokens", "semanticTokensProvider"),
    ("textDocument/inlayHint", "inlayHintProvider"),
    ("textDocument/diagnostic", "diagnosticProvider"),
    ("textDocument/moniker", "monikerProvider"),
    ("textDocument/inlineCompletion", "inlineCompletionProvider"),
];

/// The same for methods that are offered deeper inside, as pointers; the last one can only be registered.
const NESTED: [(&str, &str); 9] = [
    ("textDocument/willSave", "/textDocumentSync/willSave"),
    ("textDocument/willSaveWaitUntil", "/textDocumentSync/willSaveWaitUntil"),
    ("workspace/willCreateFiles", "/workspace/fileOperations/willCreate"),
    ("workspace/didCreateFiles", "/workspace/fileOperations/didCreate"),
    ("workspace/willRenameFiles", "/workspace/fileOperations/willRename"),
    ("workspace/didRenameFiles", "/workspace/fileOperations/didRename"),
    ("workspace/willDeleteFiles", "/workspace/fileOperations/willDelete"),
    ("workspace/didDeleteFiles", "/workspace/fileOperations/didDelete"),
    (watched_files::METHOD, ""),
];
/// The method that is an option of `textDocument/diagnostic`, and that option.
const OF_ALL_FILES: (&str, &str) = ("workspace/diagnostic", "workspaceDiagnostics");

/// How a server wants to hear of changes: the numbers of `TextDocumentSyncKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChangeSync {
    /// Not at all.
    #[default]
    None,
    /// As the whole text.
    Full,
    /// As what was replaced.
    Incremental,
}

/// What of a text's life a server wants to hear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TextSync {
    /// Whether it wants to know that a text is opened and closed.
    pub opens: bool,
    /// Changes.
    pub changes: ChangeSync,
    /// Whether it wants to know that a text was saved, and whether with the text.
    pub saves: Option<bool>,
}

/// A capability that a server offers after its start.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Registration {
    /// What the end of it names.
    pub id: String,
    /// The method.
    pub method: String,
    /// Its options.
    #[serde(default, rename = "registerOptions")]
    pub options: Value,
}

/// What a server offers now.
#[derive(Debug, Clone, Default)]
pub struct ServerCapabilities {
    initial: Value,
    registered: Vec<Registration>,
    /// Which files it wants to hear of when they change, read from the registrations.
    watchers: Arc<Watchers>,
}

impl ServerCapabilities {
    /// Takes them from the `capabilities` of the answer to `initialize`.
    pub fn new(initial: Value) -> Self {
        Self { initial, ..Self::default() }
    }

    /// Returns the unit of its columns.
    pub fn encoding(&self) -> Encoding {
        self.initial["positionEncoding"].as_str().and_then(Encoding::named).unwrap_or_default()
    }

    /// Returns how its texts are kept in sync.
    pub fn sync(&self) -> TextSync {
        let sync = &self.initial["textDocumentSync"];
        let kind = |value: &Value| match value.as_u64() {
            Some(1) => ChangeSync::Full,
            Some(2) => ChangeSync::Incremental,
            _ => ChangeSync::None,
        };
        if sync.is_u64() {
            let changes = kind(sync);
            // The short form comes from before there were options: the server knows opening, closing and saving.
            let is_wanted = changes != ChangeSync::None;
            return TextSync { opens: is_wanted, changes, saves: is_wanted.then_some(false) };
        }
        let saves = match &sync["save"] {
            Value::Bool(wanted) => wanted.then_some(false),
            Value::Object(options) => Some(options.get("includeText") == Some(&Value::Bool(true))),
            _ => None,
        };
        let saves = saves.or_else(|| {
            let late = self.registered.iter().find(|known| known.method == "textDocument/didSave")?;
            Some(late.options["includeText"] == Value::Bool(true))
        });
        TextSync { opens: sync["openClose"] == Value::Bool(true), changes: kind(&sync["change"]), saves }
    }

    /// Returns the options with which a method is offered; `None` if it is not.
    pub fn options(&self, method: &str) -> Option<&Value> {
        if method == OF_ALL_FILES.0 {
            let late = self.registered.iter().map(|known| (known.method.as_str(), &known.options));
            let initial = ("textDocument/diagnostic", &self.initial["diagnosticProvider"]);
            let offered = late.chain([initial]).filter(|(method, _)| *method == "textDocument/diagnostic");
            return offered.map(|(_, options)| options).find(|options| options[OF_ALL_FILES.1] == true);
        }
        if let Some(late) = self.registered.iter().find(|known| known.method == method) {
            return Some(&late.options);
        }
        let is_it = |(known, _): &&(&str, &str)| *known == method;
        let nested = || NESTED.iter().find(is_it).filter(|(_, pointer)| !pointer.is_empty());
        let value = match PROVIDERS.iter().find(is_it) {
            Some((_, field)) => &self.initial[field],
            None => self.initial.pointer(nested()?.1)?,
        };
        Some(value).filter(|value| !matches!(value, Value::Null | Value::Bool(false)))
    }

    /// Whether a method is offered.
    pub fn offers(&self, method: &str) -> bool {
        self.options(method).is_some()
    }

    /// Returns all of it, to be read by a person or a model.
    pub fn shown(&self) -> Value {
        let registered =
            self.registered.iter().map(|late| json!({ "method": late.method, "options": late.options }));
        let registered: Vec<Value> = registered.collect();
        if registered.is_empty() {
            return self.initial.clone();
        }
        json!({ "capabilities": self.initial, "registered": registered })
    }

    /// Whether a server wants to hear of a file or folder that is created, renamed or deleted. `operation` names it as
    /// `workspace.fileOperations` does, such as `willRename`.
    pub fn wants_file_operation(&self, operation: &str, path: &Path, is_folder: bool) -> bool {
        let method = format!("workspace/{operation}Files");
        let late = self.registered.iter().filter(|known| known.method == method).map(|known| &known.options);
        let options = late.chain([&self.initial["workspace"]["fileOperations"][operation]]);
        options.filter_map(|options| options["filters"].as_array()).flatten().any(|filter| {
            let is_file_scheme = filter["scheme"].as_str().is_none_or(|scheme| scheme == "file");
            is_file_scheme && file_operations::matches(&filter["pattern"], path, is_folder)
        })
    }

    /// Returns the methods that are offered.
    pub fn methods(&self) -> Vec<&'static str> {
        let all = PROVIDERS.iter().chain(&NESTED).map(|(method, _)| *method).chain([OF_ALL_FILES.0]);
        all.filter(|method| self.offers(method)).collect()
    }

    /// Adds what a server offers from now on.
    pub fn register(&mut self, registration: Registration) {
        self.registered.retain(|known| known.id != registration.id);
        self.registered.push(registration);
        self.read_watchers();
    }

    /// Returns which files it wants to hear of when they change.
    pub fn watchers(&self) -> Arc<Watchers> {
        self.watchers.clone()
    }

    fn read_watchers(&mut self) {
        let late = self.registered.iter().filter(|known| known.method == watched_files::METHOD);
        self.watchers = Arc::new(Watchers::read(late.map(|known| &known.options)));
    }

    /// Removes what it does not offer any more; returns whether it was offered.
    pub fn unregister(&mut self, id: &str) -> bool {
        let before = self.registered.len();
        self.registered.retain(|known| known.id != id);
        self.read_watchers();
        self.registered.len() < before
    }
}

/// Returns what this client can do, for `initialize`. Only what is built is offered: a server may leave out what it
/// does for clients with less.
pub fn of_client() -> Value {
    let encodings: Vec<&str> = Encoding::ALL.map(Encoding::name).to_vec();
    json!({
        "general": {
            "positionEncodings": encodings,
            "staleRequestSupport": { "cancel": true, "retryOnContentModified": [] },
        },
        "textDocument": text_document(),
        "window": {
            "workDoneProgress": true,
            "showMessage": { "messageActionItem": { "additionalPropertiesSupport": true } },
            "showDocument": { "support": true },
        },
        "workspace": workspace(),
    })
}

/// Returns what it can do with a text.
fn text_document() -> Value {
    let dynamic = json!({ "dynamicRegistration": true });
    let link = json!({ "dynamicRegistration": true, "linkSupport": true });
    json!({
        "synchronization": {
            "dynamicRegistration": true,
            "willSave": true,
            "willSaveWaitUntil": true,
            "didSave": true,
        },
        "publishDiagnostics": {
            "relatedInformation": true,
            "versionSupport": true,
            "codeDescriptionSupport": true,
            "tagSupport": { "valueSet": [1, 2] },
        },
        "diagnostic": { "dynamicRegistration": true, "relatedDocumentSupport": true },
        "completion": completion(),
        "signatureHelp": signature_help(),
        "hover": { "dynamicRegistration": true, "contentFormat": ["markdown", "plaintext"] },
        "declaration": link,
        "definition": link,
        "typeDefinition": link,
        "implementation": link,
        "references": dynamic,
        "documentHighlight": dynamic,
        "documentSymbol": document_symbol(),
        "callHierarchy": dynamic,
        "typeHierarchy": dynamic,
        "selectionRange": dynamic,
        "rename": {
            "dynamicRegistration": true,
            "prepareSupport": true,
            "prepareSupportDefaultBehavior": 1,
        },
        "codeAction": code_action(),
        "formatting": dynamic,
        "rangeFormatting": dynamic,
        "onTypeFormatting": dynamic,
        "linkedEditingRange": dynamic,
        "inlayHint": dynamic,
        "semanticTokens": semantic_tokens(),
        "codeLens": { "dynamicRegistration": true, "resolveSupport": { "properties": ["command"] } },
        "documentLink": dynamic,
        "colorProvider": dynamic,
        "foldingRange": { "dynamicRegistration": true, "lineFoldingOnly": true, "rangeLimit": folding::RANGES_MAX },
    })
}

/// Returns what it can do in all files.
fn workspace() -> Value {
    let refresh = json!({ "refreshSupport": true });
    json!({
        "configuration": true,
        "workspaceFolders": true,
        "didChangeConfiguration": { "dynamicRegistration": true },
        "diagnostics": refresh,
        "inlayHint": refresh,
        "semanticTokens": refresh,
        "codeLens": refresh,
        "foldingRange": refresh,
        "symbol": workspace_symbol(),
        "applyEdit": true,
        "executeCommand": { "dynamicRegistration": true },
        "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
        "fileOperations": {
            "dynamicRegistration": true,
            "willCreate": true,
            "didCreate": true,
            "willRename": true,
            "didRename": true,
            "willDelete": true,
            "didDelete": true,
        },
        "workspaceEdit": {
            "documentChanges": true,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "transactional",
            "normalizesLineEndings": true,
        },
    })
}

/// Returns what it can do with the kinds of names. The names are those of the protocol: a server whose legend has others
/// may use them.
fn semantic_tokens() -> Value {
    let kinds = [
        "namespace",
        "type",
        "class",
        "enum",
        "interface",
        "struct",
        "typeParameter",
        "parameter",
        "variable",
        "property",
        "enumMember",
        "event",
        "function",
        "method",
        "macro",
        "keyword",
        "modifier",
        "comment",
        "string",
        "number",
        "regexp",
        "operator",
        "decorator",
        "label",
    ];
    let modifiers = [
        "declaration",
        "definition",
        "readonly",
        "static",
        "deprecated",
        "abstract",
        "async",
        "modification",
        "documentation",
        "defaultLibrary",
    ];
    json!({
        "dynamicRegistration": true,
        "requests": { "range": true, "full": { "delta": true } },
        "tokenTypes": kinds,
        "tokenModifiers": modifiers,
        "formats": ["relative"],
        "overlappingTokenSupport": false,
        "multilineTokenSupport": false,
        "serverCancelSupport": true,
        "augmentsSyntaxTokens": true,
    })
}

/// Returns what it can do with completions.
fn completion() -> Value {
    json!({
        "dynamicRegistration": true,
        "contextSupport": true,
        "insertTextMode": 2,
        "completionItem": {
            "snippetSupport": true,
            "commitCharactersSupport": true,
            "documentationFormat": ["markdown", "plaintext"],
            "deprecatedSupport": true,
            "preselectSupport": true,
            "tagSupport": { "valueSet": [1] },
            "insertReplaceSupport": true,
            "resolveSupport": { "properties": ["documentation", "detail", "additionalTextEdits"] },
            "insertTextModeSupport": { "valueSet": [2] },
            "labelDetailsSupport": true,
        },
        "completionItemKind": { "valueSet": (1..=25).collect::<Vec<u8>>() },
        "completionList": {
            "itemDefaults": ["commitCharacters", "editRange", "insertTextFormat", "insertTextMode", "data"],
        },
    })
}

/// Returns what it can do with signatures.
fn signature_help() -> Value {
    json!({
        "dynamicRegistration": true,
        "contextSupport": true,
        "signatureInformation": {
            "documentationFormat": ["markdown", "plaintext"],
            "parameterInformation": { "labelOffsetSupport": true },
            "activeParameterSupport": true,
            "noActiveParameterSupport": true,
        },
    })
}

/// Returns what it can do with symbols of a file.
fn document_symbol() -> Value {
    json!({
        "dynamicRegistration": true,
        "hierarchicalDocumentSymbolSupport": true,
        "symbolKind": { "valueSet": symbol_kinds() },
    })
}

/// Returns what it can do with symbols of all files.
fn workspace_symbol() -> Value {
    json!({
        "dynamicRegistration": true,
        "symbolKind": { "valueSet": symbol_kinds() },
        "resolveSupport": { "properties": ["location.range"] },
    })
}

/// Returns the kinds of symbols (`SymbolKind`) that have a name here.
fn symbol_kinds() -> Vec<u8> {
    (1..=26).collect()
}

/// Returns what it can do with code actions.
fn code_action() -> Value {
    let kinds = [
        "quickfix",
        "refactor",
        "refactor.extract",
        "refactor.inline",
        "refactor.rewrite",
        "source",
        "source.organizeImports",
        "source.fixAll",
    ];
    json!({
        "dynamicRegistration": true,
        "codeActionLiteralSupport": { "codeActionKind": { "valueSet": kinds } },
        "isPreferredSupport": true,
        "disabledSupport": true,
        "dataSupport": true,
        "resolveSupport": { "properties": ["edit", "command"] },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered(capabilities: serde_json::Value) -> ServerCapabilities {
        ServerCapabilities::new(capabilities)
    }

    #[test]
    fn capabilities_of_another_shape_cost_themselves() {
        let server =
            offered(json!({ "hoverProvider": { "x": [] }, "definitionProvider": 3, "renameProvider": false,
            "referencesProvider": null, "positionEncoding": "utf-9", "textDocumentSync": "all" }));
        let has = |method: &str| server.offers(&format!("textDocument/{method}"));
        assert!(has("hover") && has("definition"));
        assert!(!has("rename") && !has("references") && !has("completion") && !has("unknown"));
        assert_eq!(server.encoding(), Encoding::Utf16);
        assert_eq!(server.sync(), TextSync::default());
    }

    #[test]
    fn capabilities_of_text_are_read_in_both_forms() {
        let short = offered(json!({ "textDocumentSync": 1 })).sync();
        assert_eq!(short, TextSync { opens: true, changes: ChangeSync::Full, saves: Some(false) });
        let options = json!({ "openClose": true, "change": 2, "save": { "includeText": true } });
        let long = offered(json!({ "textDocumentSync": options })).sync();
        assert_eq!(long, TextSync { opens: true, changes: ChangeSync::Incremental, saves: Some(true) });
    }

    #[test]
    fn capabilities_registered_late_are_offered_until_unregistered() {
        let mut server = offered(json!({}));
        let late = |id: &str, options: Value| {
            let of = json!({ "id": id, "method": "textDocument/diagnostic", "registerOptions": options });
            serde_json::from_value::<Registration>(of).unwrap()
        };
        server.register(late("1", json!({ "identifier": "a" })));
        server.register(late("1", json!({ "identifier": "b" })));
        assert_eq!(server.options("textDocument/diagnostic"), Some(&json!({ "identifier": "b" })));
        assert_eq!(server.methods(), ["textDocument/diagnostic"]);
        assert!(server.unregister("1") && !server.offers("textDocument/diagnostic"));
        assert!(!server.unregister("1"), "what was never offered");
    }

    #[test]
    fn capabilities_of_saves_and_file_operations_are_methods() {
        let filters = json!({ "filters": [{ "pattern": { "glob": "**/*.ts" } }] });
        let mut server = offered(json!({
            "textDocumentSync": { "willSave": true, "willSaveWaitUntil": false },
            "workspace": { "fileOperations": { "didCreate": filters } },
        }));
        assert_eq!(server.methods(), ["textDocument/willSave", "workspace/didCreateFiles"]);
        let watchers = json!({ "watchers": [{ "globPattern": "**/*.ts" }] });
        let late =
            json!({ "id": "w", "method": "workspace/didChangeWatchedFiles", "registerOptions": watchers });
        server.register(serde_json::from_value(late).unwrap());
        let wants = |server: &ServerCapabilities| {
            let (path, root) = (Path::new("/r/a.ts"), Path::new("/r"));
            server.watchers().want(path, root, watched_files::FileChange::Changed)
        };
        assert!(server.offers("workspace/didChangeWatchedFiles") && wants(&server));
        assert!(server.unregister("w") && !wants(&server));
    }

    #[test]
    fn capabilities_offer_diagnostics_of_all_files_by_their_option() {
        let options = |all: bool| json!({ "interFileDependencies": true, "workspaceDiagnostics": all });
        let method = "workspace/diagnostic";
        assert!(offered(json!({ "diagnosticProvider": options(true) })).offers(method));
        let mut server = offered(json!({ "diagnosticProvider": options(false) }));
        assert!(!server.offers(method) && !server.methods().contains(&method));
        let late =
            json!({ "id": "1", "method": "textDocument/diagnostic", "registerOptions": options(true) });
        server.register(serde_json::from_value(late).unwrap());
        assert!(server.methods().contains(&method));
    }

    #[test]
    fn capabilities_of_client_have_symbols_and_hierarchies_with_late_registration() {
        let client = of_client();
        for name in
            ["documentSymbol", "documentHighlight", "callHierarchy", "typeHierarchy", "selectionRange"]
        {
            assert_eq!(client["textDocument"][name]["dynamicRegistration"], true, "{name}");
        }
        assert_eq!(client["textDocument"]["documentSymbol"]["hierarchicalDocumentSymbolSupport"], true);
        let symbol = &client["workspace"]["symbol"];
        assert_eq!(symbol["resolveSupport"]["properties"], json!(["location.range"]));
        assert_eq!(
            (&symbol["dynamicRegistration"], &symbol["symbolKind"]["valueSet"][25]),
            (&json!(true), &json!(26))
        );
    }

    #[test]
    fn capabilities_of_client_offer_encodings_in_order_of_preference() {
        assert_eq!(of_client()["general"]["positionEncodings"], json!(["utf-8", "utf-32", "utf-16"]));
    }
}
