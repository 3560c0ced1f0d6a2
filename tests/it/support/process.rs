//! Processes of commands, as the system sees them.

use std::path::Path;
use std::time::Duration;

/// How long a test waits for what must happen.
const DEADLINE: Duration = Duration::from_mins(1);

/// Whether a process runs: it is there, and it is more than an end that nobody has asked about.
pub fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.rsplit(") ").next().unwrap_or("Z").starts_with(['Z', 'X']))
}

/// Waits until a process is gone.
pub async fn wait_gone(pid: u32) {
    wait_until("a process is gone", || !is_running(pid)).await;
}

/// The number that a command has written into a file; waits for it.
pub async fn read_pid(file: &Path) -> u32 {
    let read = || std::fs::read_to_string(file).ok()?.strip_suffix('\n')?.parse().ok();
    wait_until("a command runs", || read().is_some()).await;
    read().unwrap()
}

/// Waits until something holds.
pub async fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let held = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(DEADLINE, held).await.unwrap_or_else(|_| panic!("in time: {what}"));
}
