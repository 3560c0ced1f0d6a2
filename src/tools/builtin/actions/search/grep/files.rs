//! Result format of codex: the paths of files with matches, most recently changed first.
//!
//! Must not know the other formats.

use crate::base::json::json;
use crate::exec::{SearchSpec, Selection, Want};
use crate::tools::contract::args;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::search::gather;

/// Default and maximum limit of paths, as in codex.
const LIMIT: usize = 100;
const LIMIT_MAX: usize = 2000;

/// Searches and returns the paths.
pub(super) async fn grep(call: &Invocation, spec: SearchSpec) -> Result<Outcome, String> {
    let limit = args::positive(&call.args, "limit").unwrap_or(LIMIT).min(LIMIT_MAX);
    let files = Selection { hidden: false, ..spec.files };
    let spec = SearchSpec { files, want: Want::Files, ..spec };
    // The most recently changed ones are known only when all are found.
    let mut found = gather::lines(call, spec, usize::MAX).await?;
    found.newest_first();
    let paths: Vec<String> =
        found.files.iter().take(limit).map(|file| gather::shown_path(&*call.env, &file.path)).collect();
    let text = if paths.is_empty() { "No matches found.".to_string() } else { paths.join("\n") };
    let mut remarks = gather::remarks(&found.done, found.timed_out);
    if found.files.len() > limit {
        remarks.push(format!("The first {limit} of {} files.", found.files.len()));
    }
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(json!({"count": found.files.len()})))
}
