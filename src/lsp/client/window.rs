//! What a server wants of the user's window: the answer to a question, a file or page to be shown; and the end of its work,
//! which the user can ask for. Must not know how any of it is shown.

use serde_json::Value;

use super::Client;
use super::reply::Reply;
use crate::base::json::json;
use crate::lsp::position::{Encoding, Range};
use crate::lsp::wire::connection::RequestError;
use crate::lsp::wire::message::Id;

/// Answers that a question may have; further ones are left out.
pub const CHOICES_MAX: usize = 9;

/// A question to the user. Texts may contain control characters.
#[derive(Debug)]
pub struct Question {
    /// Whether it is about an error or a warning.
    pub is_problem: bool,
    /// The question.
    pub text: String,
    /// What can be answered, at most [`CHOICES_MAX`].
    pub choices: Vec<String>,
    /// How it is answered.
    pub reply: ChoiceReply,
}

/// The answer to a question. Dropping it says that the user has chosen nothing.
#[derive(Debug)]
pub struct ChoiceReply {
    reply: Reply,
    /// The choices as the server has named them, with what it has added to them.
    actions: Vec<Value>,
}

impl ChoiceReply {
    /// Answers with a choice, counted from 0.
    pub fn choose(mut self, choice: usize) {
        if let Some(action) = self.actions.get_mut(choice) {
            let action = action.take();
            self.reply.send(action);
        }
    }
}

/// Something to be shown to the user.
#[derive(Debug)]
pub struct ShowDocument {
    /// The address of a file or page.
    pub address: String,
    /// Whether another program is to show it, such as a browser.
    pub is_external: bool,
    /// What is to be selected in a file, in units of the server.
    pub selection: Option<Range>,
    /// The unit of its columns.
    pub encoding: Encoding,
    /// How it is answered.
    pub reply: ShownReply,
}

/// The answer about what is to be shown. Dropping it says that it was not shown.
#[derive(Debug)]
pub struct ShownReply(Reply);

impl ShownReply {
    /// Answers that it is shown.
    pub fn shown(self) {
        self.0.send(json!({ "success": true }));
    }
}

/// Bytes of a text of a server that are kept.
const TEXT_MAX: usize = 4 << 10;

/// Returns the text of a message, cut.
pub(super) fn text_of(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text[..text.floor_char_boundary(TEXT_MAX)].to_string()
}

/// Whether a message is an error (1) or a warning (2), as `MessageType` counts.
pub(super) fn is_problem(params: &Value) -> bool {
    matches!(params["type"].as_u64(), Some(1 | 2))
}

impl Client {
    /// Handles `window/showMessageRequest`; `None` for one without a choice, which is only a message.
    pub(super) fn user_asked(&self, id: &Id, params: &Value) -> Option<Question> {
        let reply = Reply::new(&self.connection, id, Value::Null);
        let actions = params["actions"].as_array().into_iter().flatten();
        let actions =
            actions.filter(|action| action["title"].as_str().is_some_and(|title| !title.is_empty()));
        let actions: Vec<Value> = actions.take(CHOICES_MAX).cloned().collect();
        if actions.is_empty() {
            return None;
        }
        let (is_problem, text) = (is_problem(params), text_of(&params["message"]));
        let choices = actions.iter().map(|action| text_of(&action["title"])).collect();
        Some(Question { is_problem, text, choices, reply: ChoiceReply { reply, actions } })
    }

    /// Handles `window/showDocument`.
    pub(super) fn document_requested(&self, id: &Id, params: &Value) -> ShowDocument {
        ShowDocument {
            address: text_of(&params["uri"]),
            is_external: params["external"] == Value::Bool(true),
            encoding: self.encoding(),
            selection: serde_json::from_value(params["selection"].clone()).ok(),
            reply: ShownReply(Reply::new(&self.connection, id, json!({ "success": false }))),
        }
    }

    /// Asks the server to end some of its work, by the token of a progress event. It may go on.
    ///
    /// # Errors
    ///
    /// The end of the connection.
    pub fn cancel_progress(&self, token: &str) -> Result<(), RequestError> {
        // Tokens are kept as JSON.
        let token: Value = serde_json::from_str(token).unwrap_or_default();
        self.connection.notify("window/workDoneProgress/cancel", json!({ "token": token }))
    }
}
