//! `bowline prompt --show`: prints the system prompt with its parts and their tokens.
//!
//! Must not know how the prompt is made. Needs no key and sends no requests.

use crate::base::error::Report;
use crate::runtime::{Options, new_session_prompt};

/// Returns the prompt as text or as JSON.
pub async fn show(options: &Options, json: bool) -> Result<String, Report> {
    let (shown, problems) = new_session_prompt(options).await?;
    problems.iter().for_each(crate::cli::process::print_error);
    Ok(if json { format!("{:#}", shown.json()) } else { shown.text() })
}
