//! The conversation of a login with a user, as a port. Must not know how it is shown.

use futures::future::BoxFuture;

use crate::llm::model::{Notice, Question};

/// Talks with a user.
pub trait LoginUi: Send + Sync {
    /// Tells something.
    fn tell(&self, notice: Notice);

    /// Asks; `None` when the user gives up. May be dropped before it is answered.
    fn ask(&self, question: Question) -> BoxFuture<'_, Option<String>>;
}

/// Why a login did not succeed. Never holds a token.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// Nobody wants it any more.
    #[error("the login was given up")]
    GivenUp,
    /// The provider serves other programs only.
    #[error(
        "{name}: tokens are given only to programs that it has registered, and bowline is none of them \
         and pretends to be none; use a key instead ({keys}), or set {variable} to a client of your own"
    )]
    NoClient {
        /// The login.
        name: String,
        /// The variable that names a client.
        variable: String,
        /// Where keys are.
        keys: String,
    },
    /// The provider says no.
    #[error("the provider refused: {0}")]
    Refused(String),
    /// The code has ended before anybody used it.
    #[error("the time for it is over; begin again")]
    Expired,
    /// It took too long.
    #[error("no answer for {0} s")]
    Late(u64),
    /// The port that the page leads back to.
    #[error("port {port} of this machine cannot be used ({cause}); end what uses it, or paste the address")]
    Port {
        /// Which one.
        port: u16,
        /// What the system says.
        cause: std::io::Error,
    },
    /// The answer makes no sense.
    #[error("the answer made no sense: {0}")]
    Nonsense(&'static str),
    /// No connection.
    #[error(transparent)]
    Net(#[from] crate::net::error::NetError),
    /// What came cannot be kept.
    #[error(transparent)]
    Store(#[from] crate::llm::auth::store::StoreError),
    /// The work was ended from outside.
    #[error("the work was ended: {0}")]
    Ended(String),
}
