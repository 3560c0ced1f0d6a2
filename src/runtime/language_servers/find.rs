//! Which programs exist in an environment.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::exec::commands::process::script::quote;
use crate::exec::{CommandSpec, EnvError, Environment};

/// How long the search may take.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Bytes of paths that are read.
const OUTPUT_MAX: usize = 64 << 10;

/// A program and what must succeed before it counts as installed: some programs only pass on to others, which may be
/// missing (rustup's `rust-analyzer`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// A name that is looked up, or an absolute path.
    pub program: String,
    /// A command line that must succeed; empty for none.
    pub check: Vec<String>,
}

/// Returns for each candidate how it is run, if it can be: by its name, or by its path where that is in the workspace, so that it
/// is known as a program of the project. All are looked up by one command of the environment, which leaves the
/// project first, so that nothing of the project runs. It begins in the root: a policy may allow commands nowhere else.
///
/// # Errors
///
/// The environment does not run the command.
pub async fn installed(
    env: &dyn Environment,
    candidates: &[Candidate],
    workspace: &Path,
) -> Result<Vec<Option<String>>, EnvError> {
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let mut script = format!("cd /\nworkspace={}\n", quote(&workspace.display().to_string()));
    for candidate in candidates {
        let words: Vec<String> = candidate.check.iter().map(|word| quote(word)).collect();
        let check =
            if words.is_empty() { "true".to_string() } else { format!("{} </dev/null", words.join(" ")) };
        // A program of the project that the search path leads to is not run, either.
        script.push_str(&format!(
            "path=$(command -v -- {} 2>/dev/null) && case $path in \"$workspace\"/*) true;; *) {check} >/dev/null 2>&1;; esac \\\n\
             && echo \"1$path\" || echo 0\n",
            quote(&candidate.program)
        ));
    }
    let spec =
        CommandSpec { script, cwd: env.root().to_path_buf(), timeout: Some(TIMEOUT), env: BTreeMap::new() };
    let output = Arc::new(Mutex::new(Vec::new()));
    let written = output.clone();
    let sink = Box::new(move |bytes: &[u8]| {
        let mut output = written.lock();
        let room = OUTPUT_MAX.saturating_sub(output.len());
        output.extend_from_slice(&bytes[..bytes.len().min(room)]);
    });
    env.run(spec, sink, CancellationToken::new()).await?;
    let output = String::from_utf8_lossy(&output.lock()).into_owned();
    let mut answers = output.lines().map(|line| line.strip_prefix('1'));
    let run_as = |candidate: &Candidate, path: &str| {
        let is_of_project = Path::new(path).starts_with(workspace);
        if is_of_project { path.to_string() } else { candidate.program.clone() }
    };
    let found = candidates.iter().map(|candidate| Some(run_as(candidate, answers.next().flatten()?)));
    Ok(found.collect())
}
