//! What a server hears before a text is saved, and what it changes then. Must not know when texts are saved.

use std::path::Path;

use super::edits::TextAnswer;
use super::{Client, QuestionError};
use crate::base::json::json;
use crate::lsp::answers::edits;
use crate::lsp::wire::connection::RequestError;

const WILL_SAVE: &str = "textDocument/willSave";
const WAIT_UNTIL: &str = "textDocument/willSaveWaitUntil";

/// `TextDocumentSaveReason`: the user wants it.
const MANUAL: u8 = 1;

impl Client {
    /// A text that is open is about to be saved.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn will_save(&self, path: &Path) -> Result<(), RequestError> {
        if !self.offers(WILL_SAVE) {
            return Ok(());
        }
        let Some(uri) = self.shared.lock().documents.get(path).map(|known| known.uri.clone()) else {
            return Ok(());
        };
        self.connection.notify(WILL_SAVE, json!({ "textDocument": { "uri": uri }, "reason": MANUAL }))
    }

    /// Asks what is to be changed in a text before it is saved.
    ///
    /// # Errors
    ///
    /// See [`QuestionError`].
    pub async fn edits_before_save(&self, path: &Path) -> Result<TextAnswer, QuestionError> {
        let (text, encoding) = (self.known_text(path)?, self.encoding());
        let answer = self.ask_about(WAIT_UNTIL, path, json!({ "reason": MANUAL })).await?;
        Ok(TextAnswer { text, edits: edits::text_edits(answer)?, encoding })
    }
}
