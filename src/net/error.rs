//! Network errors: why a request got no response, or an incomplete one. Must not know any provider.

use std::error::Error;
use std::time::Duration;

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
        /// The innermost cause.
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
    let error = error.without_url();
    NetError::Connection { host: host.to_string(), cause: root_cause(&error) }
}

/// Returns the message of the innermost source, without the number of the system's error: the layers above
/// say only that connecting, sending or reading failed.
fn root_cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let message = innermost.to_string();
    match message.split_once(" (os error ") {
        Some((text, _)) => text.to_string(),
        None => message,
    }
}
