//! Notices and questions of a login.

/// A notice for the user. Contains no secret of the user, but a code is meant for this user only.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A page to open.
    Page(String),
    /// A code to type into a page.
    Code {
        /// The code.
        code: String,
        /// The page.
        page: String,
    },
    /// Progress message.
    Progress(String),
}

/// A question for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Secret input, without echo.
    Secret(String),
    /// A line of input, which may be empty.
    Line(String),
    /// The URL at which the browser ended, for a browser on another machine.
    Pasted(String),
}
