//! A request of any method, as the protocol has it. One that may change something is judged like a command.

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::question::{Asked, Question, interrupted, open};
use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::lsp::client::Client;
use crate::lsp::uri;
use crate::tools::contract::tool::{Invocation, Outcome, PlannedCall, Tool, ToolClass};
use crate::tools::contract::view::CallView;

/// Methods that change nothing.
const READ_ONLY: [&str; 42] = [
    "callHierarchy/incomingCalls",
    "callHierarchy/outgoingCalls",
    "codeAction/resolve",
    "codeLens/resolve",
    "completionItem/resolve",
    "documentLink/resolve",
    "inlayHint/resolve",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/colorPresentation",
    "textDocument/completion",
    "textDocument/declaration",
    "textDocument/definition",
    "textDocument/diagnostic",
    "textDocument/documentColor",
    "textDocument/documentHighlight",
    "textDocument/documentLink",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/hover",
    "textDocument/implementation",
    "textDocument/inlayHint",
    "textDocument/inlineValue",
    "textDocument/linkedEditingRange",
    "textDocument/moniker",
    "textDocument/onTypeFormatting",
    "textDocument/prepareCallHierarchy",
    "textDocument/prepareRename",
    "textDocument/prepareTypeHierarchy",
    "textDocument/rangeFormatting",
    "textDocument/references",
    "textDocument/rename",
    "textDocument/selectionRange",
    "textDocument/semanticTokens/full",
    "textDocument/signatureHelp",
    "textDocument/typeDefinition",
    "typeHierarchy/subtypes",
    "typeHierarchy/supertypes",
    "workspace/diagnostic",
    "workspace/symbol",
    "workspaceSymbol/resolve",
];
/// Beginnings of methods by which client and server keep in step. Sent by hand they would get out of it.
const OWN: [&str; 9] = [
    "$/",
    "exit",
    "initialize",
    "initialized",
    "notebookDocument/",
    "shutdown",
    "textDocument/did",
    "textDocument/willSave",
    "workspace/did",
];

fn method(question: &Question) -> &str {
    question.query.as_deref().unwrap_or_default()
}

fn is_own(method: &str) -> bool {
    OWN.iter().any(|start| {
        if start.ends_with('/') || start.contains('/') { method.starts_with(start) } else { method == *start }
    })
}

/// Whether the request is known to change nothing, or will be refused.
pub fn is_read_only(question: &Question) -> bool {
    let method = method(question);
    method.is_empty() || is_own(method) || READ_ONLY.contains(&method)
}

/// Sends a request that changes nothing.
pub async fn answer(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let (_file, client, params) = prepare(call, question).await?;
    send(&client, method(question), params).await
}

/// Returns the call that sends a request.
pub async fn plan(tool: &'static str, call: Invocation, question: Question) -> Result<PlannedCall, String> {
    let (file, client, params) = prepare(&call, &question).await?;
    let method = method(&question).to_string();
    let spec = ToolSpec { name: tool.to_string(), ..ToolSpec::default() };
    let request = PlannedRequest { spec, method, params, client, file: Arc::new(file) };
    Ok(PlannedCall { tool: Arc::new(request), then: None })
}

async fn prepare(call: &Invocation, question: &Question) -> Result<(Asked, Client, Value), String> {
    let method = method(question);
    if method.is_empty() {
        return Err("request needs query, the method, such as textDocument/hover.".to_string());
    }
    if is_own(method) {
        return Err(format!("{method} is sent by the editor alone."));
    }
    let asked = open(call, question).await?;
    let available = asked.file.servers.iter().find(|server| server.client.offers(method));
    let Some(server) = available.or_else(|| asked.file.servers.first()) else {
        return Err("No server.".to_string());
    };
    let client = server.client.clone().with_timeout(question.timeout);
    let params = match &question.payload {
        Some(payload) => {
            let params = serde_json::from_str(payload)
                .map_err(|error| format!("payload is no valid JSON: {error}."))?;
            check_files(&params, &asked)?;
            params
        }
        None => params(&asked, &client)?,
    };
    Ok((asked, client, params))
}

/// Fails if parameters name another file than the one that was opened: only that one was judged.
fn check_files(params: &Value, asked: &Asked) -> Result<(), String> {
    let own = uri::of_path(&asked.file.path);
    let mut waiting = vec![params];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) if text.starts_with("file:") && Some(text) != own.as_ref() => {
                return Err(format!("payload names {text}; a request is about its file alone."));
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the parameters of a request about the place of the question.
fn params(asked: &Asked, client: &Client) -> Result<Value, String> {
    let mut params = json!({ "textDocument": { "uri": uri::of_path(&asked.file.path) } });
    if asked.question.place.line.is_some() || asked.question.place.symbol.is_some() {
        let (_, range) = asked.place(client)?;
        let known = client.text(&asked.file.path);
        params["position"] = json!(known.map(|known| known.text.position(range.start, client.encoding())));
    }
    Ok(params)
}

async fn send(client: &Client, method: &str, params: Value) -> Result<Outcome, String> {
    let answer = client.request(method, params).await;
    let answer = answer.map_err(|error| format!("{method}: {error}."))?;
    let text = serde_json::to_string_pretty(&answer);
    Ok(Outcome::text(text.unwrap_or_else(|error| error.to_string())))
}

/// A request that may change something.
struct PlannedRequest {
    spec: ToolSpec,
    method: String,
    params: Value,
    client: Client,
    /// Stays open at its servers until the answer.
    file: Arc<Asked>,
}

impl Tool for PlannedRequest {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn class(&self) -> ToolClass {
        ToolClass::Runs
    }

    fn snippet(&self) -> &'static str {
        ""
    }

    /// In the form of a command, so that rules for commands hold: no method is known to be read-only.
    fn targets(&self, _args: &Value) -> Vec<String> {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
        let params = self.params.to_string();
        vec![format!("{} request {} {}", self.spec.name, quoted(&self.method), quoted(&params))]
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        let (client, method, params) = (self.client.clone(), self.method.clone(), self.params.clone());
        let file = self.file.clone();
        async move {
            let sent = call.cancel.run_until_cancelled(send(&client, &method, params)).await;
            drop(file);
            sent.unwrap_or_else(|| Err(interrupted())).unwrap_or_else(Outcome::error)
        }
        .boxed()
    }

    fn call_view(&self, _args: &Value) -> CallView {
        CallView { title: format!("request {}", self.method), ..CallView::default() }
    }
}
