//! Commands that run on after their call: found by number, heard, fed, ended, and none of them
//! outlives the session.
//!
//! Must not know any tool's words.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::join_all;

use super::running::Live;

/// Most commands that run at a time; the number is codex's.
pub const LIVE_MAX: usize = 64;
/// Most commands that are remembered, those that have ended included.
const REMEMBERED: usize = 128;

/// The commands of one session that run on.
#[derive(Debug, Default)]
pub struct Jobs {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    jobs: BTreeMap<u64, Arc<Job>>,
    /// Whose shells have ended, and left something behind that still runs.
    left: Vec<Live>,
}

/// A command that runs on, or has ended and may still be heard.
#[derive(Debug)]
pub struct Job {
    /// Its number in the session, from 1.
    pub number: u64,
    /// What was asked for.
    pub command: String,
    /// The command itself.
    pub live: Live,
}

/// As many commands run as may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{LIVE_MAX} commands run already; end one of them first")]
pub struct TooMany;

impl Jobs {
    /// Takes a command in. It is ended at once where there is no room.
    pub fn add(&self, command: &str, live: Live) -> Result<Arc<Job>, TooMany> {
        let mut table = self.table();
        if table.jobs.values().filter(|job| job.live.end().is_none()).count() >= LIVE_MAX {
            return Err(TooMany);
        }
        while table.jobs.len() >= REMEMBERED {
            let ended = table.jobs.values().find(|job| job.live.end().is_some()).map(|job| job.number);
            let Some(number) = ended else { break };
            table.jobs.remove(&number);
        }
        table.last += 1;
        let number = table.last;
        let job = Arc::new(Job { number, command: command.to_string(), live });
        table.jobs.insert(number, Arc::clone(&job));
        Ok(job)
    }

    /// Keeps what a command left behind when it ended, so that it ends with the session.
    pub fn keep(&self, live: Live) {
        if live.left().is_empty() {
            return;
        }
        let mut table = self.table();
        table.left.retain(|live| !live.is_over());
        if table.left.len() >= LIVE_MAX {
            table.left.remove(0);
        }
        table.left.push(live);
    }

    /// The job of that number.
    pub fn get(&self, number: u64) -> Option<Arc<Job>> {
        self.table().jobs.get(&number).cloned()
    }

    /// Forgets a job whose end was told.
    pub fn forget(&self, number: u64) {
        let Some(job) = self.table().jobs.remove(&number) else { return };
        if let Some(job) = Arc::into_inner(job) {
            self.keep(job.live);
        }
    }

    /// All jobs, oldest first.
    pub fn list(&self) -> Vec<Arc<Job>> {
        self.table().jobs.values().cloned().collect()
    }

    /// Ends everything; whoever does not go within `grace` is killed.
    pub async fn end_all(&self, grace: Duration) {
        let (jobs, left) = {
            let mut table = self.table();
            (std::mem::take(&mut table.jobs), std::mem::take(&mut table.left))
        };
        let all = jobs.values().map(|job| &job.live).chain(&left);
        let ended = join_all(all.map(Live::stop_all));
        if tokio::time::timeout(grace, ended).await.is_err() {
            tracing::debug!("some commands had to be killed at the end of the session");
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
