//! Questions whose answers change files: rename, code actions, formatting; and changes that a server requests by itself.
//! Must not know who applies them.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::reply::Reply;
use super::{AnsweredText, Client, QuestionError, answered};
use crate::base::json::json;
use crate::lsp::answers::code_actions::{self, CodeAction, ServerAction};
use crate::lsp::answers::edits::{self, EditError, EditStep, TextEdit, WorkspaceEdit};
use crate::lsp::position::Encoding;
use crate::lsp::uri;
use crate::lsp::wire::message::Id;

/// Method for formatting after a typed character.
pub const FORMAT_TYPED: &str = "textDocument/onTypeFormatting";

const RENAME: &str = "textDocument/rename";
/// Method for what can be done at a range.
pub const CODE_ACTION: &str = "textDocument/codeAction";

/// How long a command may run: the user may be asked about its edits meanwhile.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);

/// Versions of the texts that a server knows, as their owner counts, at one moment.
pub type Versions = HashMap<PathBuf, u64>;

/// A change of files that a server wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerEdit {
    /// The change.
    pub edit: WorkspaceEdit,
    /// The versions of the texts that it is about, of all that the server knows.
    pub versions: Versions,
    /// The unit of its columns.
    pub encoding: Encoding,
}

/// What can be renamed at a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenameTarget {
    /// Nothing.
    Nothing,
    /// The word there.
    Word,
    /// A range in bytes, with the name to begin with, if it is not the text of the range.
    Range(Range<usize>, Option<String>),
}

/// The code actions at a range, and the versions of the texts that they are about.
#[derive(Debug, Clone)]
pub struct CodeActions {
    /// The actions, the preferred ones first.
    pub actions: Vec<CodeAction>,
    /// Versions for [`Client::edit_of_action`].
    pub versions: Arc<Versions>,
}

/// Edits of one text.
pub struct TextAnswer {
    /// The text that they are about.
    pub text: AnsweredText,
    /// The edits.
    pub edits: Vec<TextEdit>,
    /// The unit of their columns.
    pub encoding: Encoding,
}

/// How text is indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FormatOptions {
    /// Columns of a step.
    pub tab_size: usize,
    /// Whether steps are spaces.
    pub insert_spaces: bool,
}

impl FormatOptions {
    fn sent(self) -> Value {
        json!({ "tabSize": self.tab_size, "insertSpaces": self.insert_spaces })
    }
}

/// A change of files that a server requests.
#[derive(Debug)]
pub struct RequestedEdit {
    /// What the change is for, as the server calls it.
    pub label: Option<String>,
    /// The change, or why it is refused.
    pub edit: Result<ServerEdit, EditError>,
    /// How it is answered.
    pub reply: EditReply,
}

/// The answer that a server waits for after it has requested a change. Dropping it answers that nothing was changed.
#[derive(Debug)]
pub struct EditReply(Reply);

impl EditReply {
    /// Answers that the change was made, or why not.
    pub fn answer(self, result: Result<(), &str>) {
        self.0.send(match result {
            Ok(()) => json!({ "applied": true }),
            Err(reason) => refusal(reason),
        });
    }
}

fn refusal(reason: &str) -> Value {
    json!({ "applied": false, "failureReason": reason })
}

impl Client {
    /// Returns the versions of all texts that the server knows.
    pub(super) fn versions(&self) -> Versions {
        let shared = self.shared.lock();
        let newest = |(path, known): (&PathBuf, &super::Known)| {
            let (_, version, _) = known.texts.back()?;
            Some((path.clone(), *version))
        };
        shared.documents.iter().filter_map(newest).collect()
    }

    /// Decodes an edit of files; `None` for null. Files without a version in it are about the texts of `asked`.
    pub(super) fn server_edit(
        &self,
        answer: Value,
        asked: &Versions,
    ) -> Result<Option<ServerEdit>, EditError> {
        let Some(edit) = edits::decode(answer)? else { return Ok(None) };
        let mut versions = asked.clone();
        let shared = self.shared.lock();
        for step in &edit.steps {
            let EditStep::Text(file) = step else { continue };
            // The content on the disk has no version.
            let Some((known, version)) = shared.documents.get(&file.path).zip(file.version) else { continue };
            let named = answered(known, Some(version)).ok_or(EditError::Changed)?;
            versions.insert(file.path.clone(), named.version);
        }
        let encoding = shared.capabilities.encoding();
        drop(shared);
        Ok(Some(ServerEdit { edit, versions, encoding }))
    }

    /// Asks a question about a text as the server knows it; `params` gets the text.
    pub(super) async fn ask_about(
        &self,
        method: &str,
        path: &Path,
        mut params: Value,
    ) -> Result<Value, QuestionError> {
        if !self.offers(method) {
            return Err(QuestionError::NotOffered);
        }
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        params["textDocument"] = json!({ "uri": uri });
        Ok(self.connection.request(method, params, self.timeout).await?)
    }

    pub(super) fn known_text(&self, path: &Path) -> Result<AnsweredText, QuestionError> {
        self.text(path).ok_or(QuestionError::NotOpen)
    }

    /// Asks what can be renamed at an offset of a text. A server that does not answer that renames the word there.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn prepare_rename(&self, path: &Path, offset: usize) -> Result<RenameTarget, QuestionError> {
        let prepares = {
            let shared = self.shared.lock();
            let options = shared.capabilities.options(RENAME).ok_or(QuestionError::NotOffered)?;
            options["prepareProvider"] == Value::Bool(true)
        };
        if !prepares {
            return Ok(RenameTarget::Word);
        }
        let asked = self.known_text(path)?;
        let uri = uri::of_path(path).ok_or(QuestionError::NotOpen)?;
        let position = asked.text.position(offset, self.encoding());
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let method = "textDocument/prepareRename";
        let answer: Value = self.connection.request(method, params, self.timeout).await?;
        if answer.is_null() {
            return Ok(RenameTarget::Nothing);
        }
        if let Some(is_word) = answer["defaultBehavior"].as_bool() {
            return Ok(if is_word { RenameTarget::Word } else { RenameTarget::Nothing });
        }
        let placeholder = answer["placeholder"].as_str().map(String::from);
        let range = if answer["range"].is_object() { &answer["range"] } else { &answer };
        let range = serde_json::from_value(range.clone())
            .map_err(|error| QuestionError::Answer(error.to_string()))?;
        Ok(RenameTarget::Range(asked.text.offsets(range, self.encoding()), placeholder))
    }

    /// Asks what changes if what is at an offset of a text gets another name; `None` if nothing can be renamed there.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn rename(
        &self,
        path: &Path,
        offset: usize,
        name: &str,
    ) -> Result<Option<ServerEdit>, QuestionError> {
        let versions = self.versions();
        let position = self.known_text(path)?.text.position(offset, self.encoding());
        let params = json!({ "position": position, "newName": name });
        let answer = self.ask_about(RENAME, path, params).await?;
        Ok(self.server_edit(answer, &versions)?)
    }

    /// Asks for actions at a range of a text; `diagnostics` are those there, each with its range and as it was sent.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn code_actions(
        &self,
        path: &Path,
        range: Range<usize>,
        diagnostics: Vec<(Range<usize>, Arc<str>)>,
    ) -> Result<CodeActions, QuestionError> {
        let context = json!({ "triggerKind": 1 });
        self.ask_for_actions(path, range, diagnostics, context).await
    }

    /// Asks for actions of a kind and of those below it, such as `source.organizeImports`, without the user having asked by
    /// hand. A server may answer others as well.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn code_actions_of_kind(
        &self,
        path: &Path,
        range: Range<usize>,
        diagnostics: Vec<(Range<usize>, Arc<str>)>,
        kind: &str,
    ) -> Result<CodeActions, QuestionError> {
        let context = json!({ "triggerKind": 2, "only": [kind] });
        self.ask_for_actions(path, range, diagnostics, context).await
    }

    async fn ask_for_actions(
        &self,
        path: &Path,
        range: Range<usize>,
        diagnostics: Vec<(Range<usize>, Arc<str>)>,
        mut context: Value,
    ) -> Result<CodeActions, QuestionError> {
        let versions = Arc::new(self.versions());
        let (text, encoding) = (self.known_text(path)?.text, self.encoding());
        let sent = diagnostics.into_iter().filter_map(|(range, sent)| {
            let mut sent: serde_json::Map<String, Value> = serde_json::from_str(&sent).ok()?;
            sent.insert("range".to_string(), json!(text.range(range, encoding)));
            Some(sent)
        });
        context["diagnostics"] = sent.collect::<Vec<_>>().into();
        let params = json!({ "range": text.range(range, encoding), "context": context });
        let answer = self.ask_about(CODE_ACTION, path, params).await?;
        Ok(CodeActions { actions: code_actions::decode(answer), versions })
    }

    /// Returns what an action changes, and its command; asks the server to complete the action where it has no edit.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn edit_of_action(
        &self,
        action: CodeAction,
        versions: Arc<Versions>,
    ) -> Result<(Option<ServerEdit>, Option<ServerAction>), QuestionError> {
        let is_resolving = {
            let shared = self.shared.lock();
            let options = shared.capabilities.options(CODE_ACTION);
            options.is_some_and(|options| options["resolveProvider"] == Value::Bool(true))
        };
        let sent = action.sent.clone().filter(|_| action.edit.is_none() && is_resolving);
        let (action, versions) = match sent {
            None => (action, versions),
            Some(sent) => {
                let versions = Arc::new(self.versions());
                let answer: Value = self.connection.request("codeAction/resolve", sent, self.timeout).await?;
                let completed = code_actions::one(answer)
                    .ok_or_else(|| QuestionError::Answer("it is no code action".to_string()))?;
                (completed, versions)
            }
        };
        let edit = self.server_edit(action.edit.unwrap_or_default(), &versions)?;
        Ok((edit, action.command))
    }

    /// Asks how a text, or a range of it, is formatted.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn format(
        &self,
        path: &Path,
        range: Option<Range<usize>>,
        options: FormatOptions,
    ) -> Result<TextAnswer, QuestionError> {
        let (text, encoding) = (self.known_text(path)?, self.encoding());
        let options = options.sent();
        let answer = match range {
            None => self.ask_about("textDocument/formatting", path, json!({ "options": options })).await?,
            Some(range) => {
                let params = json!({ "range": text.text.range(range, encoding), "options": options });
                self.ask_about("textDocument/rangeFormatting", path, params).await?
            }
        };
        Ok(TextAnswer { text, edits: edits::text_edits(answer)?, encoding })
    }

    /// Asks what is formatted after a character was typed before an offset; `typed` is a line feed for a line break.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn format_typed(
        &self,
        path: &Path,
        (offset, typed): (usize, char),
        options: FormatOptions,
    ) -> Result<TextAnswer, QuestionError> {
        let (text, encoding) = (self.known_text(path)?, self.encoding());
        let params = json!({
            "position": text.text.position(offset, encoding),
            "ch": typed.to_string(),
            "options": options.sent(),
        });
        let answer = self.ask_about(FORMAT_TYPED, path, params).await?;
        Ok(TextAnswer { text, edits: edits::text_edits(answer)?, encoding })
    }

    /// Runs a command of the server.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn execute_command(&self, command: &ServerAction) -> Result<(), QuestionError> {
        let method = "workspace/executeCommand";
        if !self.offers(method) {
            return Err(QuestionError::NotOffered);
        }
        let mut params = json!({ "command": command.command });
        if !command.arguments.is_null() {
            params["arguments"] = command.arguments.clone();
        }
        let _: Value = self.connection.request(method, params, COMMAND_TIMEOUT).await?;
        Ok(())
    }

    /// Handles the request of a server to change files.
    pub(super) fn edit_requested(&self, id: &Id, params: &Value) -> RequestedEdit {
        let reply = EditReply(Reply::new(&self.connection, id, refusal("the user has refused it")));
        let edit = self.server_edit(params["edit"].clone(), &self.versions());
        let edit = edit.and_then(|edit| edit.ok_or_else(|| EditError::Shape("it is null".to_string())));
        RequestedEdit { label: params["label"].as_str().map(String::from), edit, reply }
    }
}
