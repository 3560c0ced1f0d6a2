//! One server: the handshake, the texts that it knows, what it sends by itself, and questions to it.
//!
//! Must not know who started its process, nor who shows what it says.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;

use crate::base::json::json;
use crate::lsp::answers::edits::EditError;
use crate::lsp::answers::hover::{self, Hover};
use crate::lsp::answers::list::take_field;
use crate::lsp::answers::locations::{self, Location};
use crate::lsp::capabilities::{self, ChangeSync, ServerCapabilities, TextSync};
use crate::lsp::document::{DocumentChange, DocumentText};
use crate::lsp::position::Encoding;
use crate::lsp::uri;
use crate::lsp::wire::connection::{Connection, RequestError};
use crate::lsp::wire::message::RpcError;

pub mod annotations;
pub mod completion;
pub mod edits;
pub mod files;
pub mod hierarchy;
pub mod incoming;
pub mod pulled;
pub mod ranges;
mod reply;
mod saving;
pub mod symbols;
pub mod window;

/// How long a question may take, unless [`Client::with_timeout`] says otherwise.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(20);
/// How long a server may take to end after it was asked to.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// Earlier texts of a document to which answers may refer.
const TEXTS_MAX: usize = 16;

/// What a server is started with.
#[derive(Debug, Clone)]
pub struct StartOptions {
    /// Our process, at whose end it ends, too; `None` if it cannot see that one.
    pub process_id: Option<u32>,
    /// Its root, absolute.
    pub root: PathBuf,
    /// `initializationOptions`.
    pub initialization: Value,
    /// What it may ask for by `workspace/configuration`.
    pub settings: Value,
    /// How long it may take to answer.
    pub timeout: Duration,
}

/// A text to open.
pub struct OpenDocument {
    /// Its file, absolute.
    pub path: PathBuf,
    /// Id of its language in the protocol, such as `typescriptreact`.
    pub language_id: String,
    /// Its version, as its owner counts.
    pub version: u64,
    /// The text.
    pub text: Arc<dyn DocumentText>,
}

/// A text that the server knows.
struct Known {
    uri: String,
    /// As the server counts, from 1.
    version: i32,
    /// The last texts, the newest last: the server's version, the owner's, the text.
    texts: VecDeque<(i32, u64, Arc<dyn DocumentText>)>,
    /// Names the last pulled diagnostics.
    result_id: Option<String>,
    /// The last tokens that have a name.
    tokens: Option<annotations::KnownTokens>,
}

/// A text at the version that an answer is about.
#[derive(Clone)]
pub struct AnsweredText {
    /// Its version, as its owner counts.
    pub version: u64,
    /// The text.
    pub text: Arc<dyn DocumentText>,
}

/// A report about a file that has a name.
struct Reported {
    /// The address of the file, as the server writes it.
    uri: String,
    /// Its name, which the server gives it.
    result_id: String,
}

struct Shared {
    capabilities: ServerCapabilities,
    /// The last reports about files that were pulled with all others.
    reported: BTreeMap<PathBuf, Reported>,
    documents: HashMap<PathBuf, Known>,
    /// The last version that was sent, of any text: a text that is opened again goes on counting, so that late answers
    /// about it are known as such.
    last_version: i32,
}

impl Shared {
    fn next_version(&mut self) -> i32 {
        self.last_version = self.last_version.wrapping_add(1).max(1);
        self.last_version
    }
}

/// A server that has been started. Clones are the same.
#[derive(Clone)]
pub struct Client {
    connection: Connection,
    options: Arc<StartOptions>,
    shared: Arc<Mutex<Shared>>,
    /// How long a question may take.
    timeout: Duration,
}

/// Why a server does not answer a question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QuestionError {
    /// It does not offer that.
    #[error("not offered")]
    NotOffered,
    /// It does not know the file.
    #[error("the file is not open there")]
    NotOpen,
    /// The connection.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The answer is of another shape than the protocol promises.
    #[error("the answer cannot be read: {0}")]
    Answer(String),
    /// It names only places that are no files, such as those in a library that it has unpacked for itself.
    #[error("what it names is not a file that can be opened")]
    NoFile,
    /// The edit that it answers is refused.
    #[error(transparent)]
    Edit(#[from] EditError),
}

impl QuestionError {
    /// Returns why there is no answer in words for the user: without the method of the protocol, which is for logs.
    pub fn reason(&self) -> String {
        match self {
            Self::Request(RequestError::Refused(error)) if error.code == RpcError::METHOD_NOT_FOUND => {
                "the server cannot do this".to_string()
            }
            Self::Request(RequestError::TimedOut { after, .. }) => {
                format!("no answer within {} s", after.as_secs_f32())
            }
            Self::Request(RequestError::Invalid { reason, .. }) => {
                format!("the answer cannot be read: {reason}")
            }
            other => other.to_string(),
        }
    }

    /// Whether the same question may have an answer a moment later: the text has changed meanwhile, or the server gave up.
    pub fn is_passing(&self) -> bool {
        let Self::Request(RequestError::Refused(error)) = self else { return false };
        matches!(error.code, RpcError::CONTENT_MODIFIED | RpcError::SERVER_CANCELLED)
    }

    /// Whether there is no answer because the question was cancelled, by the client or by the server, or because the server has
    /// ended, which its state says: that is no fault.
    pub fn is_cancelled(&self) -> bool {
        match self {
            Self::Request(RequestError::Closed) => true,
            Self::Request(RequestError::Refused(error)) => {
                error.code == RpcError::REQUEST_CANCELLED || self.is_passing()
            }
            _ => false,
        }
    }
}

/// Which locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationKind {
    /// Where a name is declared.
    Declaration,
    /// Where it is defined.
    Definition,
    /// Where its type is defined.
    TypeDefinition,
    /// What implements it.
    Implementation,
    /// Where it is used, declaration included.
    References,
}

impl LocationKind {
    /// Returns its method.
    pub fn method(self) -> &'static str {
        match self {
            Self::Declaration => "textDocument/declaration",
            Self::Definition => "textDocument/definition",
            Self::TypeDefinition => "textDocument/typeDefinition",
            Self::Implementation => "textDocument/implementation",
            Self::References => "textDocument/references",
        }
    }
}

impl Client {
    /// Does the handshake.
    ///
    /// # Errors
    ///
    /// No answer in time, a refusal, or the end of the connection.
    pub async fn start(connection: Connection, options: StartOptions) -> Result<Self, RequestError> {
        let name = options.root.file_name().map(|name| name.to_string_lossy().into_owned());
        let root = uri::of_path(&options.root);
        let folder = json!({ "uri": root, "name": name.unwrap_or_default() });
        let mut params = json!({
            "processId": options.process_id,
            "clientInfo": { "name": "bowline", "version": env!("CARGO_PKG_VERSION") },
            "rootUri": root,
            "rootPath": options.root.display().to_string(),
            "capabilities": capabilities::of_client(),
            "workspaceFolders": [folder],
        });
        if !options.initialization.is_null() {
            params["initializationOptions"] = options.initialization.clone();
        }
        let mut answer: Value = connection.request("initialize", params, options.timeout).await?;
        connection.notify("initialized", json!({}))?;
        if !options.settings.is_null() {
            connection.notify("workspace/didChangeConfiguration", json!({ "settings": options.settings }))?;
        }
        let capabilities = ServerCapabilities::new(take_field(&mut answer, "capabilities"));
        let shared =
            Shared { capabilities, reported: BTreeMap::new(), documents: HashMap::new(), last_version: 0 };
        let (options, shared) = (Arc::new(options), Arc::new(Mutex::new(shared)));
        Ok(Self { connection, options, shared, timeout: QUESTION_TIMEOUT })
    }

    /// Returns the same server, with another time for questions.
    #[must_use]
    pub fn with_timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// Ends the server: asks it to, and closes its input when it has answered or does not.
    pub async fn shut_down(&self) {
        let answer = self.connection.request::<Value>("shutdown", Value::Null, SHUTDOWN_TIMEOUT).await;
        if let Err(error) = answer.and_then(|_| self.connection.notify("exit", Value::Null)) {
            tracing::debug!(%error, "a language server does not shut down by itself");
        }
        self.connection.close();
    }

    /// Whether it offers a method.
    pub fn offers(&self, method: &str) -> bool {
        self.shared.lock().capabilities.offers(method)
    }

    /// Returns what it offers: as it said at its start, and what it has registered since.
    pub fn capabilities(&self) -> Value {
        self.shared.lock().capabilities.shown()
    }

    /// Sends a request as it is, of any method.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, QuestionError> {
        Ok(self.connection.request(method, params, self.timeout).await?)
    }

    /// Returns the methods that it offers now.
    pub fn methods(&self) -> Vec<&'static str> {
        self.shared.lock().capabilities.methods()
    }

    /// Returns the unit of its columns.
    pub fn encoding(&self) -> Encoding {
        self.shared.lock().capabilities.encoding()
    }

    fn sync(&self) -> TextSync {
        self.shared.lock().capabilities.sync()
    }

    /// Opens a text; one that is open already is replaced.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn open(&self, document: OpenDocument) -> Result<(), RequestError> {
        let Some(uri) = uri::of_path(&document.path) else { return Ok(()) };
        self.close(&document.path)?;
        let version = {
            let mut shared = self.shared.lock();
            let version = shared.next_version();
            let known = Known {
                uri: uri.clone(),
                version,
                texts: VecDeque::from([(version, document.version, document.text.clone())]),
                result_id: None,
                tokens: None,
            };
            shared.documents.insert(document.path, known);
            version
        };
        if !self.sync().opens {
            return Ok(());
        }
        let item = json!({
            "uri": uri,
            "languageId": document.language_id,
            "version": version,
            "text": document.text.text(),
        });
        self.connection.notify("textDocument/didOpen", json!({ "textDocument": item }))
    }

    /// Changes a text that is open; `version` is that of the next text, as its owner counts.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn change(&self, path: &Path, version: u64, change: &dyn DocumentChange) -> Result<(), RequestError> {
        let (sync, encoding) = (self.sync().changes, self.encoding());
        let next = change.next();
        let identifier = {
            let mut shared = self.shared.lock();
            let number = shared.next_version();
            let Some(known) = shared.documents.get_mut(path) else { return Ok(()) };
            known.version = number;
            if known.texts.len() == TEXTS_MAX {
                known.texts.pop_front();
            }
            known.texts.push_back((known.version, version, next.clone()));
            json!({ "uri": known.uri, "version": known.version })
        };
        let changes = match sync {
            ChangeSync::None => return Ok(()),
            ChangeSync::Full => json!([{ "text": next.text() }]),
            ChangeSync::Incremental => json!(change.replacements(encoding)),
        };
        let params = json!({ "textDocument": identifier, "contentChanges": changes });
        self.connection.notify("textDocument/didChange", params)
    }

    /// A text that is open was saved.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn save(&self, path: &Path) -> Result<(), RequestError> {
        let Some(with_text) = self.sync().saves else { return Ok(()) };
        let params = {
            let shared = self.shared.lock();
            let Some(known) = shared.documents.get(path) else { return Ok(()) };
            let text = known.texts.back().filter(|_| with_text).map(|(.., text)| text.text());
            let mut params = json!({ "textDocument": { "uri": known.uri } });
            if let Some(text) = text {
                params["text"] = text.into();
            }
            params
        };
        self.connection.notify("textDocument/didSave", params)
    }

    /// Closes a text, if it is open.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn close(&self, path: &Path) -> Result<(), RequestError> {
        let Some(known) = self.shared.lock().documents.remove(path) else { return Ok(()) };
        if !self.sync().opens {
            return Ok(());
        }
        self.connection.notify("textDocument/didClose", json!({ "textDocument": { "uri": known.uri } }))
    }

    /// Returns the newest text that the server knows of a file.
    pub fn text(&self, path: &Path) -> Option<AnsweredText> {
        let shared = self.shared.lock();
        let (_, version, text) = shared.documents.get(path)?.texts.back()?;
        Some(AnsweredText { version: *version, text: text.clone() })
    }

    /// Returns the paths of the texts that the server knows.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.shared.lock().documents.keys().cloned().collect()
    }

    /// Asks what is at an offset of a text; the range of the answer is in bytes of the text that is returned.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn hover(
        &self,
        path: &Path,
        offset: usize,
    ) -> Result<Option<(Hover, Option<Range<usize>>)>, QuestionError> {
        let (answer, asked) = self.ask_at("textDocument/hover", path, offset, Value::Null).await?;
        let hover = hover::decode(answer).map_err(|error| QuestionError::Answer(error.to_string()))?;
        let encoding = self.encoding();
        Ok(hover.map(|hover| {
            let range = hover.range.map(|range| asked.text.offsets(range, encoding));
            (hover, range)
        }))
    }

    /// Asks for locations of what is at an offset of a text.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn locations(
        &self,
        kind: LocationKind,
        path: &Path,
        offset: usize,
    ) -> Result<Vec<Location>, QuestionError> {
        let context = match kind {
            LocationKind::References => json!({ "includeDeclaration": true }),
            _ => Value::Null,
        };
        let (answer, _) = self.ask_at(kind.method(), path, offset, context).await?;
        let (found, left_out) = locations::decode(answer);
        if left_out > 0 && found.is_empty() {
            return Err(QuestionError::NoFile);
        }
        if left_out > 0 {
            tracing::debug!(left_out, method = kind.method(), "locations that are no files are left out");
        }
        Ok(found)
    }

    /// Asks about an offset of a text as the server knows it.
    async fn ask_at(
        &self,
        method: &str,
        path: &Path,
        offset: usize,
        context: Value,
    ) -> Result<(Value, AnsweredText), QuestionError> {
        let encoding = self.encoding();
        let params = |asked: &AnsweredText| {
            let mut params = json!({ "position": asked.text.position(offset, encoding) });
            if !context.is_null() {
                params["context"] = context;
            }
            params
        };
        self.ask_text(method, path, params).await
    }

    /// Asks about a text as the server knows it, with what is said beside the text.
    async fn ask_text(
        &self,
        method: &str,
        path: &Path,
        params: impl FnOnce(&AnsweredText) -> Value,
    ) -> Result<(Value, AnsweredText), QuestionError> {
        if !self.offers(method) {
            return Err(QuestionError::NotOffered);
        }
        let asked = self.text(path).ok_or(QuestionError::NotOpen)?;
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        let mut params = params(&asked);
        params["textDocument"] = json!({ "uri": uri });
        let answer = self.connection.request(method, params, self.timeout).await?;
        Ok((answer, asked))
    }
}

/// Returns the version of a text that an answer names, as the server counts; the newest for none.
fn answered(known: &Known, version: Option<i64>) -> Option<AnsweredText> {
    let found = match version {
        Some(version) => known.texts.iter().find(|(known, ..)| i64::from(*known) == version),
        None => known.texts.back(),
    };
    found.map(|(_, version, text)| AnsweredText { version: *version, text: text.clone() })
}

#[cfg(test)]
mod tests;
