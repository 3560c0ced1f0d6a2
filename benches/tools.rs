//! Figures of the agent's tools against what the system itself does.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use bowline::exec::LocalEnvironment;
use bowline::tools::output::artifacts::Artifacts;
use bowline::tools::running::{self, CommandEnd, LaunchRequest};

use crate::{Effort, report};

/// Size of the file that is printed again and again.
const PIECE: usize = 16 << 20;

/// Output of a command into the agent, against a loop that reads the same from a pipe and forgets it.
pub fn bash_output(effort: Effort) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text");
    let line = "a line of text as compilers and tests print it, numbers 0123456789 included\n";
    std::fs::write(&file, line.repeat(PIECE / line.len())).unwrap();
    let times = if effort.quick { 2 } else { 64 };
    let script = format!("for i in $(seq {times}); do cat {}; done", file.display());
    let bytes = (PIECE / line.len() * line.len() * times) as f64;
    let floor = bytes / time_plain_read(&script) / 1e6;
    let before = resident_mb();
    let (seconds, heard) = time_bash_tool(folder.path(), &script);
    assert_eq!(heard as u64, bytes as u64);
    report("bash output", bytes / seconds / 1e6, "MB/s", Some(floor), ">= 0.5 of cat into a pipe");
    report("bash output: memory", resident_mb() - before, "MB", None, "constant: <= 8 MB for any length");
}

/// Seconds for reading what the script prints.
fn time_plain_read(script: &str) -> f64 {
    let start = Instant::now();
    let mut child = Command::new("bash").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let mut buffer = vec![0; 64 << 10];
    while pipe.read(&mut buffer).unwrap() > 0 {}
    child.wait().unwrap();
    start.elapsed().as_secs_f64()
}

/// Seconds for the same in the agent's hands, and the bytes that it took.
fn time_bash_tool(folder: &Path, script: &str) -> (f64, usize) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
    let env = LocalEnvironment::new(folder.to_path_buf(), vars);
    let artifacts = Arc::new(Artifacts::new(folder.join("kept")));
    runtime.block_on(async {
        let start = Instant::now();
        let wanted = LaunchRequest {
            script: script.into(),
            folder: folder.into(),
            tool: "bash",
            ..LaunchRequest::default()
        };
        let live = running::start(&env, &artifacts, wanted).await.unwrap();
        assert_eq!(live.wait_for_end().await, CommandEnd::Code(0));
        let bytes = live.take_output().bytes;
        (start.elapsed().as_secs_f64(), bytes)
    })
}

/// Megabytes of this process in memory.
fn resident_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0.0);
    pages * 4096.0 / 1e6
}
