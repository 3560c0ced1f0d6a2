//! Questions while the user types: completions, and the signature of the call.

use std::path::Path;

use serde_json::Value;

use super::edits::FORMAT_TYPED;
use super::{AnsweredText, Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::completion::{self, Completions, Item};
use crate::lsp::answers::list::as_list;
use crate::lsp::answers::signature::{self, Signatures};

/// Method for completions.
pub const COMPLETION: &str = "textDocument/completion";
/// Method for signatures.
pub const SIGNATURE: &str = "textDocument/signatureHelp";

/// Why completions are asked for: `CompletionTriggerKind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// A letter was typed, or the user asks.
    Invoked,
    /// A character that the server wants to hear of.
    Character(char),
    /// More was typed after an answer that was not complete.
    Incomplete,
}

/// The characters that a server wants to hear of while the user types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TypedTriggers {
    /// Those after which it has completions.
    pub completion: Vec<char>,
    /// Those that accept a completion and are typed behind it.
    pub commit: Vec<char>,
    /// Those after which it has signatures.
    pub signature: Vec<char>,
    /// Those after which it has another signature or parameter, where one is shown.
    pub signature_again: Vec<char>,
    /// Those after which it formats; a line feed is a line break.
    pub format: Vec<char>,
}

/// Returns the characters that options have in a field, a single one or a list.
fn of_options(options: Option<&Value>, field: &str) -> Vec<char> {
    let listed = options.map(|options| as_list(options[field].clone())).unwrap_or_default();
    listed.iter().filter_map(|text| text.as_str()?.chars().next()).collect()
}

impl Client {
    /// Returns the characters that it wants to hear of.
    pub fn triggers(&self) -> TypedTriggers {
        let shared = self.shared.lock();
        let of = |method: &str, field: &str| of_options(shared.capabilities.options(method), field);
        let first = of_options(shared.capabilities.options(FORMAT_TYPED), "firstTriggerCharacter");
        TypedTriggers {
            completion: of(COMPLETION, "triggerCharacters"),
            commit: of(COMPLETION, "allCommitCharacters"),
            signature: of(SIGNATURE, "triggerCharacters"),
            signature_again: of(SIGNATURE, "retriggerCharacters"),
            format: [first, of(FORMAT_TYPED, "moreTriggerCharacter")].concat(),
        }
    }

    /// Asks for the completions at an offset; their ranges are those of the text that is returned.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn completions(
        &self,
        path: &Path,
        offset: usize,
        trigger: Trigger,
    ) -> Result<(Completions, AnsweredText), QuestionError> {
        let context = match trigger {
            Trigger::Invoked => json!({ "triggerKind": 1 }),
            Trigger::Character(letter) => json!({ "triggerKind": 2, "triggerCharacter": letter.to_string() }),
            Trigger::Incomplete => json!({ "triggerKind": 3 }),
        };
        let (answer, asked) = self.ask_at(COMPLETION, path, offset, context).await?;
        Ok((completion::decode(answer), asked))
    }

    /// Whether it can say more about a completion than it sends in the list.
    pub fn resolves_completions(&self) -> bool {
        let shared = self.shared.lock();
        shared
            .capabilities
            .options(COMPLETION)
            .is_some_and(|options| options["resolveProvider"] == Value::Bool(true))
    }

    /// Asks for the rest of a completion; without any, nothing is added.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn resolve_completion(&self, item: &mut Item) -> Result<(), QuestionError> {
        if !self.resolves_completions() || item.raw.is_null() {
            return Ok(());
        }
        let answer =
            self.connection.request("completionItem/resolve", item.raw.clone(), self.timeout).await?;
        completion::resolve(item, answer);
        Ok(())
    }

    /// Asks for the signatures of the call around an offset. `typed` is the character that was typed before it.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn signatures(
        &self,
        path: &Path,
        offset: usize,
        typed: Option<char>,
        is_shown: bool,
    ) -> Result<Option<Signatures>, QuestionError> {
        let context = match typed {
            Some(letter) => {
                json!({ "triggerKind": 2, "triggerCharacter": letter.to_string(), "isRetrigger": is_shown })
            }
            None if is_shown => json!({ "triggerKind": 3, "isRetrigger": true }),
            None => json!({ "triggerKind": 1, "isRetrigger": false }),
        };
        let (answer, _) = self.ask_at(SIGNATURE, path, offset, context).await?;
        signature::decode(answer).map_err(|error| QuestionError::Answer(error.to_string()))
    }
}
