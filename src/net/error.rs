//! Network errors: why a request got no response, or an incomplete one. Must not know any provider.

use std::error::Error;
use std::time::Duration;

use crate::base::error::chain;

/// Why a request got no response, or an incomplete one.
#[derive(Debug, thiserror::Error)]
pub enum NetError {
    /// Offline mode: only this machine may be contacted.
    #[error("{0} was not asked: bowline is offline")]
    Offline(String),
    /// Replay mode: the request is not in the cassette.
    #[error("{0} was not asked: what was recorded holds no more answers of it")]
    NotRecorded(String),
    /// An invalid URL.
    #[error("`{0}` is not a URL that can be asked")]
    Url(String),
    /// An invalid header.
    #[error("the header `{0}` has characters that cannot be sent")]
    Header(String),
    /// The client could not be set up.
    #[error("no HTTP client: {0}")]
    Setup(String),
    /// The connection failed or broke.
    #[error("{host}: {cause}")]
    Connection {
        /// Whom we asked.
        host: String,
        /// The whole chain of causes.
        cause: String,
    },
    /// The server does not accept a `WebSocket` from us.
    #[error("{host}: no WebSocket: HTTP {status}")]
    SocketRefused {
        /// Whom we asked.
        host: String,
        /// The HTTP status of its answer.
        status: u16,
    },
    /// Nothing arrived for too long.
    #[error("{host}: no answer for {} s", after.as_secs())]
    IdleTimeout {
        /// Whom we asked.
        host: String,
        /// The timeout.
        after: Duration,
    },
}

/// Returns the error for a connection that failed or broke.
pub(super) fn connection_error(host: &str, error: reqwest::Error) -> NetError {
    let cause = error.without_url();
    // reqwest's own message says only that sending or reading failed; its source has the cause.
    let cause = cause.source().map_or_else(|| chain(&cause), chain);
    NetError::Connection { host: host.to_string(), cause }
}
