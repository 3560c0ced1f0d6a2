//! Login dialog with the user, as a port. Must not know how it is displayed.

use futures::future::BoxFuture;

use crate::llm::model::{Notice, Question};

/// The dialog.
pub trait LoginUi: Send + Sync {
    /// Displays a notice.
    fn notify(&self, notice: Notice);

    /// Asks a question; `None` when the user cancels. The future may be dropped before the answer.
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<String>>;
}

/// Why a login failed. Never contains a token.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// Cancelled.
    #[error("login canceled")]
    Canceled,
    /// The provider accepts registered clients only.
    #[error(
        "{name} is not supported in third-party programs. Use an API key: {keys}. With a client \
         registered by you, set {variable}"
    )]
    NoClient {
        /// The name of the login.
        name: String,
        /// The variable that sets a client id.
        variable: String,
        /// Where keys are available.
        keys: String,
    },
    /// The provider refused.
    #[error("the provider refused: {0}")]
    Refused(String),
    /// The code expired before it was used.
    #[error("the time for it is over; begin again")]
    Expired,
    /// Timed out.
    #[error("no answer for {0} s")]
    TimedOut(u64),
    /// The redirect port is not available.
    #[error("port {port} of this machine cannot be used ({cause}); end what uses it, or paste the address")]
    Port {
        /// The port.
        port: u16,
        /// The system's error.
        cause: std::io::Error,
    },
    /// An unexpected response.
    #[error("invalid response: {0}")]
    InvalidAnswer(&'static str),
    /// A network error.
    #[error(transparent)]
    Net(#[from] crate::net::error::NetError),
    /// The credential cannot be stored.
    #[error(transparent)]
    Store(#[from] crate::llm::auth::store::StoreError),
    /// The task was ended from outside.
    #[error("the work was ended: {0}")]
    Interrupted(String),
}
