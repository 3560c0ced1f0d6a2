//! What a server sends by itself: diagnostics, messages, progress, and requests that it wants answered.

use std::ops::Range;
use std::path::PathBuf;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::edits::RequestedEdit;
use super::window::{Question, ShowDocument, is_problem, text_of};
use super::{AnsweredText, Client, answered};
use crate::base::json::json;
use crate::lsp::answers::diagnostics::{self, BriefDiagnostic, Diagnostic};
use crate::lsp::capabilities::Registration;
use crate::lsp::client::completion::TypedTriggers;
use crate::lsp::position::Encoding;
use crate::lsp::table::Feature;
use crate::lsp::uri;
use crate::lsp::wire::connection::{Incoming, RequestError};
use crate::lsp::wire::message::{Id, RpcError};

/// Names the question for the diagnostics of all files in the parts of its answer.
pub(super) const PARTIAL: &str = "bowline/workspace-diagnostic";

/// Something that its user may want to know. Texts may contain control characters.
#[derive(Debug)]
pub enum ServerEvent {
    /// The diagnostics of a file, which replace those before.
    Diagnostics(FileDiagnostics),
    /// The server works on something, or does not any more.
    Progress {
        /// Which work.
        token: String,
        /// What it is: title, message and percent in one; `None` at its end.
        text: Option<String>,
        /// Whether it can be cancelled, where this says so.
        can_cancel: Option<bool>,
    },
    /// A message for the user.
    Message {
        /// Whether it is an error or a warning.
        is_problem: bool,
        /// The message.
        text: String,
    },
    /// It asks the user something.
    Question(Question),
    /// It wants a file or a page to be shown.
    ShowDocument(ShowDocument),
    /// A line for its log.
    Log(String),
    /// It sent what cannot be understood.
    Problem(String),
    /// A part of the answer to the question for the diagnostics of all files.
    ProjectDiagnostics(Vec<FileReport>),
    /// Diagnostics of all open texts must be pulled again.
    PullDiagnostics,
    /// What it answered when it was asked for this feature does not hold any more.
    Refresh(Feature),
    /// It offers something else than before.
    OffersChanged {
        /// What it wants to hear of while the user types.
        triggers: TypedTriggers,
        /// The methods that it offers.
        methods: Vec<&'static str>,
        /// Whether diagnostics of all open texts must be pulled.
        pulls: bool,
    },
    /// It wants to change files.
    ApplyEdit(RequestedEdit),
}

/// What is kept of the diagnostics of a file that is not open. It replaces what was kept before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// The file.
    pub path: PathBuf,
    /// Its diagnostics.
    pub diagnostics: Vec<BriefDiagnostic>,
    /// The unit of their columns.
    pub encoding: Encoding,
}

/// The diagnostics of a file.
#[derive(Debug)]
pub struct FileDiagnostics {
    /// The file.
    pub path: PathBuf,
    /// The version of the open text that they are about, as its owner counts, and what each is about in bytes of it;
    /// `None` for a file that the server does not know as open.
    pub text: Option<(u64, Vec<Range<usize>>)>,
    /// The diagnostics, by position; none for a file that the server does not know as open.
    pub diagnostics: Vec<Diagnostic>,
    /// What is kept of them while the file is not open.
    pub brief: Vec<BriefDiagnostic>,
    /// The unit of the columns of these.
    pub encoding: Encoding,
    /// How many the server sent.
    pub total: usize,
    /// Whether the server was asked for them. What it was asked for and what it sends by itself are kept beside each other: some
    /// find one kind of problems in this way and another in that (rust-analyzer and the compiler).
    pub is_pulled: bool,
}

impl FileDiagnostics {
    /// Returns those that a server has sent of a file, about a text that it knows as open if it does.
    pub(super) fn new(
        path: PathBuf,
        known: Option<&AnsweredText>,
        (diagnostics, total): (Vec<Diagnostic>, usize),
        encoding: Encoding,
    ) -> Self {
        let text = known.map(|known| {
            let ranges = diagnostics.iter().map(|one| known.text.offsets(one.range, encoding)).collect();
            (known.version, ranges)
        });
        let brief = diagnostics.iter().map(BriefDiagnostic::from).collect();
        let diagnostics = if text.is_some() { diagnostics } else { Vec::new() };
        Self { path, text, diagnostics, brief, encoding, total, is_pulled: false }
    }
}

impl Client {
    /// Handles what the server sent: answers its requests, and returns what remains for its user.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn handle(&self, incoming: Incoming) -> Result<Option<ServerEvent>, RequestError> {
        match incoming {
            Incoming::Problem(text) => Ok(Some(ServerEvent::Problem(text))),
            Incoming::Notification { method, params } => Ok(self.notified(&method, params.as_deref())),
            Incoming::Request { id, method, params } => {
                self.requested(&id, &method, &value(params.as_deref()))
            }
        }
    }

    fn notified(&self, method: &str, params: Option<&RawValue>) -> Option<ServerEvent> {
        match method {
            "textDocument/publishDiagnostics" => self.published(params?),
            "$/progress" => self.progressed(params?),
            "window/showMessage" => Some(message(&value(params))),
            "window/logMessage" => Some(ServerEvent::Log(text_of(&value(params)["message"]))),
            "telemetry/event" | "$/logTrace" | "$/cancelRequest" => None,
            // Notifications that begin with `$/` may be left out; others may be extensions of this server.
            _ => {
                tracing::debug!(method, "a notification of a language server is not known");
                None
            }
        }
    }

    fn requested(&self, id: &Id, method: &str, params: &Value) -> Result<Option<ServerEvent>, RequestError> {
        let (result, event) = match method {
            "workspace/configuration" => (self.configuration(params), None),
            "workspace/workspaceFolders" => {
                let root = &self.options.root;
                let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
                (json!([{ "uri": uri::of_path(root), "name": name.unwrap_or_default() }]), None)
            }
            "client/registerCapability" => (Value::Null, Some(self.registered(&params["registrations"]))),
            // The misspelling is the protocol's.
            "client/unregisterCapability" => {
                (Value::Null, Some(self.unregistered(&params["unregisterations"])))
            }
            "window/workDoneProgress/create" => (Value::Null, None),
            "window/showMessageRequest" => {
                let asked = self.user_asked(id, params).map(ServerEvent::Question);
                return Ok(Some(asked.unwrap_or_else(|| message(params))));
            }
            "window/showDocument" => {
                return Ok(Some(ServerEvent::ShowDocument(self.document_requested(id, params))));
            }
            "workspace/diagnostic/refresh" => (Value::Null, Some(ServerEvent::PullDiagnostics)),
            "workspace/inlayHint/refresh" => (Value::Null, Some(ServerEvent::Refresh(Feature::InlayHints))),
            "workspace/semanticTokens/refresh" => {
                (Value::Null, Some(ServerEvent::Refresh(Feature::SemanticTokens)))
            }
            "workspace/codeLens/refresh" => (Value::Null, Some(ServerEvent::Refresh(Feature::CodeLens))),
            "workspace/foldingRange/refresh" => (Value::Null, Some(ServerEvent::Refresh(Feature::Folding))),
            "workspace/applyEdit" => {
                return Ok(Some(ServerEvent::ApplyEdit(self.edit_requested(id, params))));
            }
            _ => {
                let error = RpcError {
                    code: RpcError::METHOD_NOT_FOUND,
                    message: format!("bowline does not know {method}"),
                };
                self.connection.answer(id, Err::<Value, _>(&error))?;
                return Ok(None);
            }
        };
        self.connection.answer(id, Ok::<_, &RpcError>(result))?;
        Ok(event)
    }

    /// Returns the settings of each section that is asked for; all of them where no section is named.
    fn configuration(&self, params: &Value) -> Value {
        let items = params["items"].as_array().cloned().unwrap_or_default();
        let of_section = |item: &Value| {
            let section = item["section"].as_str().unwrap_or_default();
            let parts = section.split('.').filter(|part| !part.is_empty());
            parts.fold(&self.options.settings, |value, part| &value[part]).clone()
        };
        Value::Array(items.iter().map(of_section).collect())
    }

    fn registered(&self, registrations: &Value) -> ServerEvent {
        let list = registrations.as_array().cloned().unwrap_or_default();
        let mut pulls = false;
        let mut shared = self.shared.lock();
        for registration in crate::lsp::answers::list::items::<Registration>(list, "registration") {
            pulls |= registration.method == "textDocument/diagnostic";
            shared.capabilities.register(registration);
        }
        drop(shared);
        self.offers_changed(pulls)
    }

    fn unregistered(&self, list: &Value) -> ServerEvent {
        let ids = list.as_array().into_iter().flatten().filter_map(|item| item["id"].as_str());
        let mut shared = self.shared.lock();
        for id in ids {
            if !shared.capabilities.unregister(id) {
                tracing::debug!(id, "a language server takes back what it never offered");
            }
        }
        drop(shared);
        self.offers_changed(false)
    }

    /// Returns the event that says what it offers now. `pulls` says whether diagnostics must be pulled.
    pub fn offers_changed(&self, pulls: bool) -> ServerEvent {
        ServerEvent::OffersChanged { triggers: self.triggers(), methods: self.methods(), pulls }
    }

    fn progressed(&self, params: &RawValue) -> Option<ServerEvent> {
        let params: Progress = serde_json::from_str(params.get()).inspect_err(log_odd).ok()?;
        match params.token {
            Value::String(token) if token == PARTIAL => {
                Some(ServerEvent::ProjectDiagnostics(self.reports(params.value)))
            }
            token => progress(&token, &value(Some(params.value))),
        }
    }

    fn published(&self, params: &RawValue) -> Option<ServerEvent> {
        let params: Published = serde_json::from_str(params.get()).inspect_err(log_odd).ok()?;
        let path = uri::to_path(&params.uri)?;
        let (diagnostics, total) = params.diagnostics.map(diagnostics::decode).unwrap_or_default();
        let shared = self.shared.lock();
        let text = match shared.documents.get(&path) {
            // A version that is too old is followed by a newer one.
            Some(known) => Some(answered(known, params.version.as_i64())?),
            None => None,
        };
        let encoding = shared.capabilities.encoding();
        drop(shared);
        let found = FileDiagnostics::new(path, text.as_ref(), (diagnostics, total), encoding);
        Some(ServerEvent::Diagnostics(found))
    }
}

/// Parameters of diagnostics that a server sends, which may be very many.
#[derive(Deserialize)]
struct Published<'a> {
    uri: String,
    #[serde(default)]
    version: Value,
    #[serde(borrow)]
    diagnostics: Option<&'a RawValue>,
}

/// Parameters of what a server works on, or of a part of an answer, which may be long.
#[derive(Deserialize)]
struct Progress<'a> {
    token: Value,
    #[serde(borrow)]
    value: &'a RawValue,
}

fn log_odd(error: &serde_json::Error) {
    tracing::debug!(%error, "language server: an invalid notification is left out");
}

fn value(params: Option<&RawValue>) -> Value {
    let parsed = params.map(|params| serde_json::from_str(params.get()));
    parsed.and_then(Result::ok).unwrap_or_default()
}

fn message(params: &Value) -> ServerEvent {
    ServerEvent::Message { is_problem: is_problem(params), text: text_of(&params["message"]) }
}

fn progress(token: &Value, value: &Value) -> Option<ServerEvent> {
    // A token is a string or a number; as JSON, so that it can be named as the server has named it.
    let token = Some(token).filter(|token| token.is_string() || token.is_number())?.to_string();
    let text = match value["kind"].as_str()? {
        "begin" | "report" => {
            let percent = value["percentage"].as_u64().map(|percent| format!("{percent} %"));
            let parts = [&value["title"], &value["message"]].map(text_of);
            let parts = parts.into_iter().chain(percent).filter(|part| !part.is_empty());
            Some(parts.collect::<Vec<_>>().join(" "))
        }
        "end" => None,
        _ => return None,
    };
    Some(ServerEvent::Progress { token, text, can_cancel: value["cancellable"].as_bool() })
}
