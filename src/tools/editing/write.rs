//! Creates or overwrites a file.
//!
//! Must not know which tool requested it.

use crate::base::json::json;

use super::file::{self, ChangeTarget, FileContent};
use crate::patch::diff;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::files::state::ReadState;
use crate::tools::{files::changes, output::limits};

/// Writes a file.
pub async fn run(call: &Invocation, path: &str, content: &str, read_first: bool) -> Outcome {
    let target = ChangeTarget { shown: path.to_string(), verb: "write", read_first };
    let done = file::change(call, &target, |found| {
        if found.known == ReadState::Changed {
            return Err(format!(
                "{path} has changed since it was read; nothing was written. Read it again, so that nothing in \
                 it is lost."
            ));
        }
        // The old content is only for the diff: a binary file can still be overwritten.
        let (old, made) = match &found.before {
            FileContent::Missing => (String::new(), true),
            FileContent::Text(text) => (text.clone(), false),
            FileContent::Bytes(bytes) => (String::from_utf8_lossy(bytes).into_owned(), false),
        };
        Ok((content.as_bytes().to_vec(), (diff::lines(&old, content), made)))
    })
    .await;
    let (diff, made) = match done {
        Ok(done) => done,
        Err(error) => return Outcome::error(error),
    };
    let verb = if made { "Made" } else { "Replaced" };
    let text =
        format!("{verb} {path} ({} lines, {}).", limits::count_lines(content), limits::size(content.len()));
    let mut details = changes::details(&diff);
    details["created"] = json!(made);
    Outcome::text(text).details(details)
}
