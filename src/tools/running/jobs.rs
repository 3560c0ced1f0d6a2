//! Background commands: listed by number, read, written to, ended. None of them outlives the agent that
//! started it, nor the session.
//!
//! Must not know any tool's texts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use super::{PublishedJobs, RunningCommand};

/// Maximum number of running commands, as in codex.
pub const LIVE_MAX: usize = 64;
/// Maximum number of stored commands, including those that have ended.
const JOBS_MAX: usize = 128;

/// The background commands of one session, as seen by one of its agents: it sees all of them, and owns those
/// that it started.
#[derive(Debug, Default)]
pub struct Jobs {
    table: Arc<Mutex<Table>>,
    /// Where those who watch learn of them.
    published: PublishedJobs,
    /// The agent: 0 for the session's own.
    owner: u64,
}

#[derive(Debug, Default)]
struct Table {
    last: u64,
    /// The last owner id assigned.
    last_owner: u64,
    jobs: BTreeMap<u64, Arc<Job>>,
    /// Commands whose shell has ended but left processes running; each with its owner.
    leftovers: Vec<(u64, RunningCommand)>,
}

/// A command that is running, or has ended with unread output.
#[derive(Debug)]
pub struct Job {
    /// Its number in the session, from 1.
    pub number: u64,
    /// The command text.
    pub command: String,
    /// The command itself.
    pub live: RunningCommand,
    owner: u64,
}

/// Why a command may not run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JobRefused {
    /// As many run as may.
    #[error("{LIVE_MAX} commands run already; end one of them first")]
    TooMany,
    /// The call was interrupted.
    #[error("the call was interrupted")]
    Interrupted,
}

impl Jobs {
    /// Returns an empty table whose commands are published in this list.
    pub fn published_in(published: PublishedJobs) -> Self {
        Self { published, ..Self::default() }
    }

    /// Returns the list in which its commands are published.
    pub fn published(&self) -> &PublishedJobs {
        &self.published
    }

    /// Returns the same commands for another agent, which owns none yet.
    #[must_use]
    pub fn for_subagent(&self) -> Self {
        let mut table = self.table();
        table.last_owner += 1;
        Self { owner: table.last_owner, table: Arc::clone(&self.table), published: self.published.clone() }
    }

    /// Adds a command. It is ended immediately if there is no room, or if the call that started it was
    /// interrupted: a caller that interrupts an agent first and then ends its commands reaches all of them.
    pub fn add(
        &self,
        command: &str,
        live: RunningCommand,
        cancel: &CancellationToken,
    ) -> Result<Arc<Job>, JobRefused> {
        let mut table = self.table();
        if cancel.is_cancelled() {
            return Err(JobRefused::Interrupted);
        }
        if table.jobs.values().filter(|job| job.live.end().is_none()).count() >= LIVE_MAX {
            return Err(JobRefused::TooMany);
        }
        while table.jobs.len() >= JOBS_MAX {
            let ended = table.jobs.values().find(|job| job.live.end().is_some()).map(|job| job.number);
            let Some(number) = ended else { break };
            table.jobs.remove(&number);
        }
        table.last += 1;
        let number = table.last;
        self.published.add(live.watched(number, command));
        let job = Arc::new(Job { number, command: command.to_string(), live, owner: self.owner });
        table.jobs.insert(number, Arc::clone(&job));
        Ok(job)
    }

    /// Stores a command that left processes running, so that they end with the agent.
    pub fn keep_leftovers(&self, live: RunningCommand) {
        self.keep_leftovers_for(self.owner, live);
    }

    fn keep_leftovers_for(&self, owner: u64, live: RunningCommand) {
        if live.leftovers().is_empty() {
            return;
        }
        let mut table = self.table();
        table.leftovers.retain(|(_, live)| !live.is_finished());
        if table.leftovers.len() >= LIVE_MAX {
            table.leftovers.remove(0);
        }
        table.leftovers.push((owner, live));
    }

    /// The job of that number.
    pub fn get(&self, number: u64) -> Option<Arc<Job>> {
        self.table().jobs.get(&number).cloned()
    }

    /// Removes a job whose end was reported.
    pub fn forget(&self, number: u64) {
        let Some(job) = self.table().jobs.remove(&number) else { return };
        if let Some(job) = Arc::into_inner(job) {
            self.keep_leftovers_for(job.owner, job.live);
        }
    }

    /// All jobs, oldest first.
    pub fn list(&self) -> Vec<Arc<Job>> {
        self.table().jobs.values().cloned().collect()
    }

    /// Ends all commands of all agents: SIGTERM, then SIGKILL after `grace`.
    pub async fn end_all(&self, grace: Duration) {
        let (jobs, leftovers) = {
            let mut table = self.table();
            (std::mem::take(&mut table.jobs), std::mem::take(&mut table.leftovers))
        };
        end(jobs.into_values().collect(), leftovers, grace).await;
    }

    /// Ends the agent's own commands in the same way: those at the time of the call, whenever the future is
    /// polled.
    pub fn end_own(&self, grace: Duration) -> impl Future<Output = ()> + Send + use<> {
        let mut table = self.table();
        let jobs = table.jobs.extract_if(.., |_, job| job.owner == self.owner).map(|(_, job)| job).collect();
        let leftovers = table.leftovers.extract_if(.., |(owner, _)| *owner == self.owner).collect();
        end(jobs, leftovers, grace)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock()
    }
}

async fn end(jobs: Vec<Arc<Job>>, leftovers: Vec<(u64, RunningCommand)>, grace: Duration) {
    let all = jobs.iter().map(|job| &job.live).chain(leftovers.iter().map(|(_, live)| live));
    let ended = join_all(all.map(RunningCommand::stop_all));
    if tokio::time::timeout(grace, ended).await.is_err() {
        tracing::debug!("some commands had to be killed");
    }
}

#[cfg(test)]
mod tests;
