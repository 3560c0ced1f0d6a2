//! The errors that an edit introduces, as language servers see them, at the end of its result. Must not know servers.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::base::plural::pluralize;
use crate::llm::model::Part;
use crate::lsp::answers::diagnostics::Severity;
use crate::lsp::capabilities::watched_files::FileChange;
use crate::tools::contract::context::Context;
use crate::tools::contract::tool::{Outcome, Tool, ToolClass};
use crate::tools::files::paths;
use crate::tools::interaction::language_servers::{
    FileDiagnostic, FoundDiagnostics, LanguageServers, Purpose,
};
use crate::tools::language_servers::diagnostic_line;

/// How long servers may look at the files before the edit, and after it.
const WAIT_BEFORE: Duration = Duration::from_secs(1);
const WAIT_AFTER: Duration = Duration::from_secs(3);
/// Maximum number of files that are looked at.
const FILES_MAX: usize = 20;
/// Maximum number of errors that are named.
const ERRORS_MAX: usize = 20;

/// Maximum number of changed files of which servers hear.
const CHANGES_MAX: usize = 1_000;

/// What was wrong in the files before an edit.
pub(in crate::tools) struct Baseline {
    servers: Arc<dyn LanguageServers>,
    /// The files that it names, and whether they were there.
    targets: Vec<(PathBuf, bool)>,
    /// What was wrong in those where it is known.
    files: Vec<(PathBuf, Vec<FileDiagnostic>)>,
}

/// Looks at the files that a call names before it changes them; `None` if it names none, it was interrupted, or there are no
/// servers.
pub(in crate::tools) async fn before(
    tool: &dyn Tool,
    cx: &Context,
    args: &Value,
    cancel: &CancellationToken,
) -> Option<Baseline> {
    let servers = cx.shared.language_servers.clone().filter(|_| tool.class() == ToolClass::Edits)?;
    let targets = tool.targets(args);
    let paths = targets.iter().take(FILES_MAX).map(|target| paths::resolve(&*cx.env, target));
    let looked = join_all(paths.map(|path| {
        let servers = &servers;
        async move {
            let found = servers.diagnostics(path.clone(), WAIT_BEFORE, Purpose::Edit).await;
            let known = match found {
                Some(found) if found.is_complete => Some(errors(found)),
                // What was wrong before is not known: then nothing can be said about what is new.
                _ if cx.env.exists(&path).await.unwrap_or(true) => None,
                _ => Some(Vec::new()),
            };
            known.map(|errors| (path, errors))
        }
    }));
    let files = cancel.run_until_cancelled(looked).await?;
    let files: Vec<_> = files.into_iter().flatten().collect();
    let mut known = Vec::new();
    for target in targets.iter().take(CHANGES_MAX) {
        let path = paths::resolve(&*cx.env, target);
        let is_there = cx.env.exists(&path).await.unwrap_or(true);
        known.push((path, is_there));
    }
    (!known.is_empty()).then_some(Baseline { servers, targets: known, files })
}

/// Adds to a result the errors that are new since a baseline.
pub(in crate::tools) async fn report(
    outcome: &mut Outcome,
    baseline: Option<Baseline>,
    cx: &Context,
    cancel: &CancellationToken,
) {
    if let Some(baseline) = baseline.filter(|_| !outcome.is_error) {
        let hear = baseline.servers.files_changed(baseline.changes(cx).await);
        // Servers hear of a change that was made even if the rest is cancelled.
        hear.await;
        let words = cancel.run_until_cancelled(baseline.words(cx)).await.flatten();
        outcome.content.extend(words.map(Part::text));
    }
}

impl Baseline {
    /// Returns what has become of the files.
    async fn changes(&self, cx: &Context) -> Vec<(PathBuf, FileChange)> {
        let mut changes = Vec::new();
        for (path, was_there) in &self.targets {
            let change = match (was_there, cx.env.exists(path).await.unwrap_or(true)) {
                (false, true) => FileChange::Created,
                (true, true) => FileChange::Changed,
                (true, false) => FileChange::Deleted,
                (false, false) => continue,
            };
            changes.push((path.clone(), change));
        }
        changes
    }

    /// Returns what was wrong in the files that are not there any more: it may have moved with their content.
    async fn errors_of_gone_files(&self, cx: &Context) -> Vec<FileDiagnostic> {
        let mut moved = Vec::new();
        for (path, before) in &self.files {
            if !before.is_empty() && !cx.env.exists(path).await.unwrap_or(true) {
                moved.extend(before.iter().cloned());
            }
        }
        moved
    }

    /// Returns what the result says about errors that are new since then, if there are any. An error that was
    /// reported is not repeated while it stays.
    async fn words(self, cx: &Context) -> Option<String> {
        let after = join_all(
            self.files
                .iter()
                .map(|(path, _)| self.servers.diagnostics(path.clone(), WAIT_AFTER, Purpose::Edit)),
        );
        let moved = self.errors_of_gone_files(cx).await;
        let (mut lines, mut count) = (Vec::new(), 0);
        for ((path, before), after) in self.files.iter().zip(after.await) {
            let Some(after) = after.map(errors) else { continue };
            let before: Vec<FileDiagnostic> = before.iter().chain(&moved).cloned().collect();
            let new = new_errors(&before, &after);
            let fresh = cx.shared.reported_errors.fresh(path, &after, new);
            count += fresh.len();
            let named = &fresh[..fresh.len().min(ERRORS_MAX - lines.len())];
            cx.shared.reported_errors.note(path, named);
            lines.extend(named.iter().map(|error| diagnostic_line::line(cx.env.root(), path, error)));
        }
        let head = format!("Language servers find {} in it:", pluralize(count, "new error", "new errors"));
        if count > lines.len() {
            lines.push(format!("… and {} more", count - lines.len()));
        }
        (count > 0).then(|| format!("{head}\n{}", lines.join("\n")))
    }
}

fn errors(found: FoundDiagnostics) -> Vec<FileDiagnostic> {
    found.all.into_iter().filter(|found| found.severity == Severity::Error).collect()
}

/// Returns the errors that there were not before. An error that has moved is the same.
fn new_errors<'a>(before: &[FileDiagnostic], after: &'a [FileDiagnostic]) -> Vec<&'a FileDiagnostic> {
    let mut known: Vec<(&str, &str)> =
        before.iter().map(|error| (error.message.as_str(), error.origin.as_str())).collect();
    let is_new = |error: &&FileDiagnostic| {
        let same = (error.message.as_str(), error.origin.as_str());
        let at = known.iter().position(|known| *known == same);
        at.map(|at| known.swap_remove(at)).is_none()
    };
    after.iter().filter(is_new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(line: usize, message: &str) -> FileDiagnostic {
        FileDiagnostic::error(line, message)
    }

    fn messages(errors: &[&FileDiagnostic]) -> Vec<(usize, String)> {
        errors.iter().map(|error| (error.line, error.message.clone())).collect()
    }

    #[test]
    fn new_errors_are_those_that_were_not_there_wherever_they_stand() {
        let before = [error(1, "a"), error(2, "a"), error(3, "b")];
        let after = [error(11, "a"), error(12, "a"), error(13, "a"), error(14, "c")];
        assert_eq!(messages(&new_errors(&before, &after)), [(13, "a".into()), (14, "c".into())]);
        assert_eq!(new_errors(&after, &after).len(), 0);
    }
}
