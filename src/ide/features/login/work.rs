//! What the loop asks for where logins and lists of models are concerned, and what comes of it. Plain
//! data.

use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::error::Report;
use crate::ide::core::overlay::PickRow;
use crate::runtime::login::Left;
use crate::runtime::refresh::Told;
use crate::runtime::talk::Said;

/// Outside work.
pub enum Work {
    /// Look whether somebody else has changed what opens providers.
    LookAgain,
    /// Ask providers for their lists of models.
    Refresh,
    /// Put providers into the picker of this number; only those that something is kept for.
    Providers(Injector<PickRow>, u64, bool),
    /// Log in: the provider's id, the number of the login, what ends it.
    Login(String, u64, CancellationToken),
    /// Forget what is kept for a provider: its id and name.
    Logout(String, String),
    /// Show a page in the person's browser.
    Open(String),
}

/// What comes of it.
pub enum Happened {
    /// A login says something.
    Said(u64, Said),
    /// A login has ended.
    Done(u64, String, Result<String, Report>),
    /// A logout at the provider of this name has ended.
    Out(String, Result<Left, Report>),
    /// The browser was asked to show the page.
    Opened,
    /// Lists of models came.
    Refreshed(Result<Vec<Told>, Report>),
}
