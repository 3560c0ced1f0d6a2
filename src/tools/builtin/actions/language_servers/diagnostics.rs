//! What servers find wrong in files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::question::{Question, open_path, servers};
use crate::exec::{FindSpec, Selection};
use crate::lsp::answers::diagnostics::Severity;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::files::paths;
use crate::tools::interaction::language_servers::{FileDiagnostic, Purpose};
use crate::tools::language_servers::diagnostic_line;
use crate::tools::search::gather;

/// Maximum number of files that a glob names.
const FILES_MAX: usize = 20;
/// Maximum number of diagnostics in a result.
const SHOWN_MAX: usize = 50;
/// How long servers may look at one file, and at each of several.
const WAIT_ONE: Duration = Duration::from_secs(3);
const WAIT_SEVERAL: Duration = Duration::from_millis(400);

/// Returns the diagnostics of a file, or of those that a glob names.
pub async fn answer(call: &Invocation, question: &Question) -> Result<Outcome, String> {
    let Some(file) = &question.file else {
        return Err("diagnostics needs a file or a glob.".to_string());
    };
    // Some frameworks have brackets in names.
    let is_file = call.env.exists(&paths::resolve(&*call.env, file)).await.unwrap_or_default();
    let is_glob = file.contains(['*', '?', '[', '{']) && !is_file;
    let (files, count) = if is_glob {
        matching(call, file).await?
    } else {
        (vec![paths::resolve_readable(&*call.env, file).await], 1)
    };
    let wait = if is_glob { WAIT_SEVERAL } else { WAIT_ONE };
    let (mut lines, mut remarks, mut looked) = (Vec::new(), Vec::new(), 0);
    for path in &files {
        // Held until the answer is there.
        let open = match open_path(call, question, path).await {
            Ok(open) => open,
            Err(refusal) if is_glob && !call.cancel.is_cancelled() => {
                remarks.push(refusal);
                continue;
            }
            Err(refusal) => return Err(refusal),
        };
        looked += 1;
        let found = servers(call)?.diagnostics(open.path.clone(), wait, Purpose::Question).await;
        let shown = gather::shown_path(&*call.env, path);
        match found {
            None => remarks.push(format!("{shown}: no answer within {} s; ask again.", wait.as_secs_f32())),
            Some(found) => {
                lines.extend(found.all.iter().map(|one| (one.severity, line(call, &open.path, one))));
                if !found.is_complete {
                    remarks.push(format!("{shown}: a server is still at work; ask again for the rest."));
                }
            }
        }
    }
    if looked == 0 {
        return Err(remarks.join("\n"));
    }
    if count > files.len() {
        remarks.push(format!("Only the first {} of {count} files were looked at.", files.len()));
    }
    Ok(Outcome::text(text(lines, &remarks)))
}

fn line(call: &Invocation, path: &Path, found: &FileDiagnostic) -> String {
    format!("{}: {}", found.severity.name(), diagnostic_line::line(call.env.root(), path, found))
}

/// Returns the result: the worst first.
fn text(mut lines: Vec<(Severity, String)>, remarks: &[String]) -> String {
    lines.sort_by_key(|(severity, _)| std::cmp::Reverse(*severity));
    let count = lines.len();
    let mut shown: Vec<String> = lines.into_iter().take(SHOWN_MAX).map(|(_, line)| line).collect();
    if count > SHOWN_MAX {
        shown.push(format!("[The worst {SHOWN_MAX} of {count}.]"));
    }
    if count == 0 && remarks.is_empty() {
        shown.push("OK: nothing was found.".to_string());
    }
    shown.extend(remarks.iter().map(|remark| format!("[{}]", remark.trim_end_matches('.'))));
    shown.join("\n")
}

/// Returns the first files that a glob means, by path, and how many there are.
async fn matching(call: &Invocation, glob: &str) -> Result<(Vec<PathBuf>, usize), String> {
    let root = call.env.root().to_path_buf();
    let files = Selection { globs: vec![glob.to_string()], ..Selection::default() };
    let spec = FindSpec { root, files, folders: false };
    let (mut found, _, _) = gather::paths(call, spec).await?;
    if found.is_empty() {
        return Err(format!("No file matches {glob}."));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    let count = found.len();
    Ok((found.into_iter().take(FILES_MAX).map(|one| one.path).collect(), count))
}
