//! The answer that a server waits for, sent later. One that is dropped is the refusal, so that no server
//! waits forever. Must not know what was asked.

use std::fmt;

use serde_json::Value;

use crate::lsp::wire::connection::Connection;
use crate::lsp::wire::message::{Id, RpcError};

/// An answer that is due.
pub(super) struct Reply {
    connection: Connection,
    id: Option<Id>,
    refusal: Value,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Reply {
    /// An answer to a request, which is `refusal` unless something else is sent.
    pub(super) fn new(connection: &Connection, id: &Id, refusal: Value) -> Self {
        Self { connection: connection.clone(), id: Some(id.clone()), refusal }
    }

    /// Sends it.
    pub(super) fn send(mut self, answer: Value) {
        self.send_once(answer);
    }

    fn send_once(&mut self, answer: Value) {
        let Some(id) = self.id.take() else { return };
        if let Err(error) = self.connection.answer(&id, Ok::<_, &RpcError>(answer)) {
            tracing::debug!(%error, "a language server does not get its answer");
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        let refusal = self.refusal.take();
        self.send_once(refusal);
    }
}
