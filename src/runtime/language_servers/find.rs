//! Which programs exist in an environment.

use std::collections::BTreeMap;
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

/// Returns for each candidate whether it can be run. All are looked up by one command of the environment, which leaves the
/// project first, so that nothing of the project runs. It begins in the root: a policy may allow commands nowhere else.
///
/// # Errors
///
/// The environment does not run the command.
pub async fn installed(env: &dyn Environment, candidates: &[Candidate]) -> Result<Vec<bool>, EnvError> {
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let mut script = String::from("cd /\n");
    for candidate in candidates {
        let mut test = format!("command -v -- {} >/dev/null 2>&1", quote(&candidate.program));
        if !candidate.check.is_empty() {
            let words: Vec<String> = candidate.check.iter().map(|word| quote(word)).collect();
            test = format!("{test} && {} >/dev/null 2>&1 </dev/null", words.join(" "));
        }
        script.push_str(&format!("if {test}; then echo 1; else echo 0; fi\n"));
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
    let mut answers = output.lines().map(|line| line == "1");
    Ok(candidates.iter().map(|_| answers.next().unwrap_or(false)).collect())
}
