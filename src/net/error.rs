//! Why a request got no answer, or not all of it. Must not know any provider.

use std::error::Error;
use std::time::Duration;

use crate::base::error::chain;

/// Why a request got no answer, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// Only this machine may be reached.
    #[error("{0} was not asked: bowline is offline")]
    Offline(String),
    /// Only what was recorded is played.
    #[error("{0} was not asked: what was recorded holds no more answers of it")]
    NotOnTape(String),
    /// Not something to connect to.
    #[error("`{0}` is not a URL that can be asked")]
    Url(String),
    /// A header that cannot be sent.
    #[error("the header `{0}` has characters that cannot be sent")]
    Header(String),
    /// The client could not be set up.
    #[error("no HTTP client: {0}")]
    Setup(String),
    /// No connection, or it broke.
    #[error("{host}: {cause}")]
    Connection {
        /// Whom we asked.
        host: String,
        /// The whole chain of causes.
        cause: String,
    },
    /// The server does not talk over a socket, or not with us.
    #[error("{host}: no WebSocket: HTTP {status}")]
    NoSocket {
        /// Whom we asked.
        host: String,
        /// The HTTP status of its answer.
        status: u16,
    },
    /// Nothing came for too long.
    #[error("{host}: no answer for {} s", after.as_secs())]
    Silence {
        /// Whom we asked.
        host: String,
        /// For how long.
        after: Duration,
    },
}

/// A connection that could not be made, or broke.
pub(super) fn broken(host: &str, error: reqwest::Error) -> NetError {
    let cause = error.without_url();
    // reqwest's own sentence says only that sending or reading failed; its cause says why.
    let cause = cause.source().map_or_else(|| chain(&cause), chain);
    NetError::Connection { host: host.to_string(), cause }
}
