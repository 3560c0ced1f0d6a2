//! Commands that run on after their call: found by number, heard, fed, ended, and none of them
//! outlives the agent who started it, nor the session.
//!
//! Must not know any tool's words.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::Live;

/// Most commands that run at a time; the number is codex's.
pub const LIVE_MAX: usize = 64;
/// Most commands that are remembered, those that have ended included.
const REMEMBERED: usize = 128;

/// The commands of one session that run on, as one of its agents has them: it sees all of them, and those
/// that it started are its own.
#[derive(Debug, Default)]
pub struct Jobs {
    table: Arc<Mutex<Table>>,
    /// The agent: 0 for the session's own.
    owner: u64,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    /// The latest agent that was given a number.
    last_owner: u64,
    jobs: BTreeMap<u64, Arc<Job>>,
    /// Whose shells have ended, and left something behind that still runs; each with its owner.
    left: Vec<(u64, Live)>,
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
    owner: u64,
}

/// Why a command may not run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotKept {
    /// As many run as may.
    #[error("{LIVE_MAX} commands run already; end one of them first")]
    TooMany,
    /// It is not wanted any more.
    #[error("the call was interrupted")]
    Interrupted,
}

impl Jobs {
    /// The same commands for another agent, which has none of its own yet.
    #[must_use]
    pub fn for_subagent(&self) -> Self {
        let mut table = self.table();
        table.last_owner += 1;
        Self { owner: table.last_owner, table: Arc::clone(&self.table) }
    }

    /// Takes a command in. It is ended at once where there is no room, and where the call that started it
    /// was interrupted: a caller that interrupts an agent first and then ends its commands has them all.
    pub fn add(&self, command: &str, live: Live, cancel: &CancellationToken) -> Result<Arc<Job>, NotKept> {
        let mut table = self.table();
        if cancel.is_cancelled() {
            return Err(NotKept::Interrupted);
        }
        if table.jobs.values().filter(|job| job.live.end().is_none()).count() >= LIVE_MAX {
            return Err(NotKept::TooMany);
        }
        while table.jobs.len() >= REMEMBERED {
            let ended = table.jobs.values().find(|job| job.live.end().is_some()).map(|job| job.number);
            let Some(number) = ended else { break };
            table.jobs.remove(&number);
        }
        table.last += 1;
        let number = table.last;
        let job = Arc::new(Job { number, command: command.to_string(), live, owner: self.owner });
        table.jobs.insert(number, Arc::clone(&job));
        Ok(job)
    }

    /// Keeps what a command left behind when it ended, so that it ends with the agent.
    pub fn keep(&self, live: Live) {
        self.keep_for(self.owner, live);
    }

    fn keep_for(&self, owner: u64, live: Live) {
        if live.left().is_empty() {
            return;
        }
        let mut table = self.table();
        table.left.retain(|(_, live)| !live.is_over());
        if table.left.len() >= LIVE_MAX {
            table.left.remove(0);
        }
        table.left.push((owner, live));
    }

    /// The job of that number.
    pub fn get(&self, number: u64) -> Option<Arc<Job>> {
        self.table().jobs.get(&number).cloned()
    }

    /// Forgets a job whose end was reported.
    pub fn forget(&self, number: u64) {
        let Some(job) = self.table().jobs.remove(&number) else { return };
        if let Some(job) = Arc::into_inner(job) {
            self.keep_for(job.owner, job.live);
        }
    }

    /// All jobs, oldest first.
    pub fn list(&self) -> Vec<Arc<Job>> {
        self.table().jobs.values().cloned().collect()
    }

    /// Ends everything, whichever agent started it: SIGTERM, and who does not go within `grace` is killed.
    pub async fn end_all(&self, grace: Duration) {
        let (jobs, left) = {
            let mut table = self.table();
            (std::mem::take(&mut table.jobs), std::mem::take(&mut table.left))
        };
        end(jobs.into_values().collect(), left, grace).await;
    }

    /// Ends the agent's own commands in the same way. Those of now, whenever the future is waited for.
    pub fn end_own(&self, grace: Duration) -> impl Future<Output = ()> + Send + use<> {
        let mut table = self.table();
        let jobs = table.jobs.extract_if(.., |_, job| job.owner == self.owner).map(|(_, job)| job).collect();
        let left = table.left.extract_if(.., |(owner, _)| *owner == self.owner).collect();
        end(jobs, left, grace)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

async fn end(jobs: Vec<Arc<Job>>, left: Vec<(u64, Live)>, grace: Duration) {
    let all = jobs.iter().map(|job| &job.live).chain(left.iter().map(|(_, live)| live));
    let ended = join_all(all.map(Live::stop_all));
    if tokio::time::timeout(grace, ended).await.is_err() {
        tracing::debug!("some commands had to be killed");
    }
}

#[cfg(test)]
mod tests;
