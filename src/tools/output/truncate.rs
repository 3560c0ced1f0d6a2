//! Brings a text that is too long for a model down to its limits, and keeps all of it.
//!
//! Must not know tools.

use std::io;

use super::artifacts::Kept;
use super::limits::Limits;
use super::truncation::{self, Body};

/// Longest text that listeners get, in bytes; of longer ones they get the name.
pub const LISTENERS: usize = 1024 * 1024;

/// What became of a text.
#[derive(Debug)]
pub struct Truncated {
    /// For the model.
    pub text: String,
    /// All of it, when something is missing and it is not too long for listeners.
    pub full_text: Option<String>,
    /// The name of all of it, when something is missing.
    pub artifact: Option<String>,
}

/// Truncates a text to its limits. `keep` keeps all of it when something has to go; `None` where that needs
/// no keeping.
pub fn truncate(
    body: Body,
    limits: Limits,
    keep: impl FnOnce(&Body) -> Option<io::Result<Kept>>,
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
            // Of lines that were left out after characters the markers tell only the number; here is all.
            let chars = body.chars();
            let what = if kept.whole {
                format!("All {chars} characters are kept")
            } else {
                format!("The beginning of {chars} characters is kept")
            };
            text.push_str(&format!("\n\n[{what} as {} and can be read by lines.]", kept.name));
            Some(kept.name)
        }
        Some(Err(error)) => {
            text.push_str(&format!("\n\n[All of it could not be kept: {error}.]"));
            None
        }
    };
    let full_text = match body {
        Body::Whole(text) if text.len() <= LISTENERS => Some(text),
        _ => None,
    };
    Truncated { text, full_text, artifact }
}
