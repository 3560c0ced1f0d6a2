//! Truncates a text to its limits and stores the full text.
//!
//! Must not know tools.

use std::io;

use super::artifacts::SavedOutput;
use super::limits::Limits;
use super::truncation::{self, Body};

/// Maximum bytes of a text for listeners; of longer ones they get the artifact's name.
pub const FULL_TEXT_MAX: usize = 1024 * 1024;

/// A truncated text.
#[derive(Debug)]
pub struct Truncated {
    /// For the model.
    pub text: String,
    /// The full text, if some is missing and it is within the listeners' limit.
    pub full_text: Option<String>,
    /// The artifact's name, if some is missing.
    pub artifact: Option<String>,
}

/// Truncates a text to its limits. `keep` stores the full text if it is truncated; `None` if that is not
/// needed.
pub fn truncate(
    body: Body,
    limits: Limits,
    keep: impl FnOnce(&Body) -> Option<io::Result<SavedOutput>>,
) -> Truncated {
    let Some(mut text) = truncation::truncate(&body, limits) else {
        let text = match body {
            Body::Whole(text) => text,
            Body::Ends { head, tail, .. } => head + &tail,
        };
        return Truncated { text, full_text: None, artifact: None };
    };
    let artifact = match keep(&body) {
        None => None,
        Some(Ok(kept)) => {
            // After truncation by characters the markers only count missing lines; this has them all.
            let chars = body.chars();
            let summary = if kept.is_complete {
                format!("All {chars} characters are kept")
            } else {
                format!("The beginning of {chars} characters is kept")
            };
            text.push_str(&format!("\n\n[{summary} as {} and can be read by lines.]", kept.name));
            Some(kept.name)
        }
        Some(Err(error)) => {
            text.push_str(&format!("\n\n[All of it could not be kept: {error}.]"));
            None
        }
    };
    let full_text = match body {
        Body::Whole(text) if text.len() <= FULL_TEXT_MAX => Some(text),
        _ => None,
    };
    Truncated { text, full_text, artifact }
}
