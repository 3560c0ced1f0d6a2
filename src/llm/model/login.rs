//! What a login tells a user, and what it asks.

/// What a user is told. Nothing here is a secret of the user, but a code is for nobody else.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// A page to open.
    Page(String),
    /// A code to type into a page.
    Code {
        /// What to type.
        code: String,
        /// Where.
        page: String,
    },
    /// What happens now.
    Progress(String),
}

/// What a user is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Question {
    /// Something that must not be seen.
    Secret(String),
    /// A line; nothing is an answer, too.
    Line(String),
    /// The address that the browser ended at, for when the browser is on another machine.
    Pasted(String),
}
