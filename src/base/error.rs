//! Error report for the user: what failed, on what, and what to do.
//!
//! Modules have typed errors; at the boundaries those become a [`Report`]. Must not know how a report is
//! displayed.

use std::error::Error;
use std::fmt;

/// An error in the user's terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What failed and on what, one sentence without a full stop.
    pub message: String,
    /// Advice, if any.
    pub hint: Option<String>,
}

impl Report {
    /// A report without advice.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), hint: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Returns `what: cause: cause's cause`, the whole chain of an error after a description.
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

/// Joins an error and its causes with colons, each once even if a cause repeats it.
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
