//! Result format of pi: matches as `file:line: text`, context lines as `file-line- text`.
//!
//! Must not know the other formats.

use crate::base::json::json;
use crate::exec::SearchSpec;
use crate::tools::contract::args;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::output::limits;
use crate::tools::search::gather;

/// Default limit of matches, as in pi.
const LIMIT: usize = 100;

/// Searches and returns the lines.
pub(super) async fn grep(call: &Invocation, spec: SearchSpec) -> Result<Outcome, String> {
    let limit = args::positive(&call.args, "limit").unwrap_or(LIMIT);
    let context = args::number(&call.args, "context").unwrap_or(0);
    let spec = SearchSpec {
        literal: args::flag(&call.args, "literal"),
        ignore_case: args::flag(&call.args, "ignoreCase"),
        before: context,
        after: context,
        ..spec
    };
    let found = gather::lines(call, spec, limit).await?;
    let mut lines = Vec::new();
    let mut cuts = false;
    for file in &found.files {
        let name = gather::on_one_line(&file.name);
        for line in &file.lines {
            let (text, cut) = gather::cut_line(&line.text);
            cuts |= cut;
            let sign = if line.matches { ':' } else { '-' };
            lines.push(format!("{name}{sign}{}{sign} {text}", line.number));
        }
    }
    let text = lines.join("\n");
    let cut = limits::head(&text, usize::MAX, limits::BYTES_MAX);
    let mut remarks = gather::remarks(&found.done, found.timed_out);
    if found.has_more {
        remarks.push(format!("The first {limit} matches. Use a larger limit or a narrower pattern."));
    }
    if cut.limited_by.is_some() {
        remarks.push("Cut at 50 KB. Use a narrower pattern.".to_string());
    }
    if cuts {
        remarks.push("Lines of more than 500 characters are cut; read the file to see them.".to_string());
    }
    let text = if lines.is_empty() { "No matches found.".to_string() } else { cut.text.to_string() };
    let details = json!({"count": found.count, "matchLimitReached": found.has_more, "linesTruncated": cuts});
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(details))
}
