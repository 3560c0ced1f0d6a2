//! A mock of the providers' servers that is not ours: a Python program. `BOWLINE_MOCKLLM` is its
//! path; without it, it is looked for beside the repository. Where there is none, or no Python,
//! tests say that they are skipped.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::source::root;

/// A running mock; it ends with this value.
pub struct Mock {
    child: Child,
    /// Root of every API that it speaks.
    pub url: String,
    _dir: tempfile::TempDir,
}

/// The program, where there is one.
fn script() -> Option<PathBuf> {
    let named = std::env::var_os("BOWLINE_MOCKLLM").map(PathBuf::from);
    let found = named.unwrap_or_else(|| root().join("../shared/tools/mockllm.py"));
    if found.is_file() { Some(found) } else { skip(&format!("there is no {}", found.display())) }
}

/// The scenarios that lie beside the program, and the two within it.
pub fn scenarios() -> Vec<String> {
    let Some(script) = script() else { return Vec::new() };
    let entries = std::fs::read_dir(script.with_file_name("scenarios")).unwrap();
    let files = entries.map(|entry| entry.unwrap().path().display().to_string());
    let mut all: Vec<String> = files.chain(["code-task", "stress"].map(String::from)).collect();
    all.sort();
    all
}

impl Mock {
    /// One that plays this; `None` where there is no mock, or no Python to run it.
    pub fn start(scenario: &Value) -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("scenario.json");
        std::fs::write(&file, scenario.to_string()).unwrap();
        Self::run(&file.display().to_string(), dir)
    }

    /// One that plays a scenario by its name or path.
    pub fn for_scenario(scenario: &str) -> Option<Self> {
        Self::run(scenario, tempfile::tempdir().unwrap())
    }

    fn run(scenario: &str, dir: tempfile::TempDir) -> Option<Self> {
        let mut command = Command::new("python3");
        command.arg(script()?).args(["--scenario", scenario, "--tokens", "20000"]);
        command.current_dir(dir.path()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut child) = command.spawn() else { return skip("there is no python3") };
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        Some(Self { url: told["url"].as_str().unwrap().to_string(), child, _dir: dir })
    }
}

/// The last part of a scenario's path, without its ending.
pub fn scenario_name(scenario: &str) -> &str {
    Path::new(scenario).file_stem().and_then(|stem| stem.to_str()).unwrap()
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn skip<T>(why: &str) -> Option<T> {
    eprintln!("skipped: {why}");
    None
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}
