//! The errors that were reported to a model and are still there when its turn ends. Must not know turns.

use std::path::Path;
use std::time::Duration;

use futures::future::join_all;

use super::diagnostic_line;
use crate::base::plural::pluralize;
use crate::tools::contract::shared::AgentToolState;
use crate::tools::interaction::language_servers::Purpose;

/// How long servers may look at the files.
const WAIT: Duration = Duration::from_secs(1);
/// Maximum number of errors that are named.
const NAMED_MAX: usize = 10;

/// Errors that are left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorsLeft {
    /// How many there are.
    pub count: usize,
    /// The first of them, a line each: path, line, column and message.
    pub lines: Vec<String>,
}

impl ErrorsLeft {
    /// Returns what to say of them, in front of the list.
    pub fn headline(&self) -> String {
        format!("Language servers still find {}", pluralize(self.count, "new error", "new errors"))
    }
}

/// Returns those that were reported since the last call; `None` if none is left.
pub async fn take(tools: &AgentToolState, root: &Path) -> Option<ErrorsLeft> {
    let files = tools.reported_errors.take_files();
    let servers = tools.language_servers.as_ref().filter(|_| !files.is_empty())?;
    let looked = join_all(files.into_iter().map(async |path| {
        let found = servers.diagnostics(path.clone(), WAIT, Purpose::Edit).await;
        // What nobody has looked at again may be mended.
        (path, found.filter(|found| found.is_complete).unwrap_or_default().all)
    }));
    let (mut lines, mut count) = (Vec::new(), 0);
    for (path, found) in looked.await {
        let left = found.iter().filter(|error| tools.reported_errors.contains(&path, error));
        for error in left {
            count += 1;
            if lines.len() < NAMED_MAX {
                lines.push(diagnostic_line::line(root, &path, error));
            }
        }
    }
    (count > 0).then_some(ErrorsLeft { count, lines })
}
