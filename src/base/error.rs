//! What a user is told when something fails: what failed, on what, and what to do.
//!
//! Modules have typed errors of their own; at the edges those become a [`Report`].
//! Must not know how a report is shown.

use std::error::Error;
use std::fmt;

/// A failure in the words of the user who sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What failed and on what, one sentence without a full stop.
    pub message: String,
    /// What to do about it, when we know.
    pub hint: Option<String>,
}

impl Report {
    /// A report without advice.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// `what: cause: cause's cause`, the whole chain of an error under one heading.
    pub fn caused(what: impl fmt::Display, cause: &dyn Error) -> Self {
        Self::new(format!("{what}: {}", chain(cause)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.hint.as_ref().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl Error for Report {}

/// An error and its causes, joined by colons, each said once even where a cause repeats it.
#[doc(hidden)]
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_reads_as_one_sentence() {
        let io = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        let report = Report::caused("cannot open a.txt", &io).hint("check the path");
        assert_eq!(report.to_string(), "cannot open a.txt: no such file (check the path)");
    }
}
