//! Background commands for those who only watch them: a value of its own for each, which keeps no command alive,
//! and the list of them, which outlives the table of jobs that they were started in.
//!
//! Must not know any tool, nor who watches.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::output_ring::OutputRing;

/// Maximum number of ended commands in the list.
pub const ENDED_MAX: usize = 8;
/// Maximum bytes of one read.
const READ_MAX: usize = 16 << 10;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandEnd {
    /// By itself, with this code (128 + signal number if a signal ended it).
    Code(i32),
    /// Stopped by us.
    Stopped,
}

/// A background command as others see it.
#[derive(Debug, Clone)]
pub struct WatchedJob {
    /// Its place in the list of all that were published, from 1: unique in a session, unlike the number.
    pub key: u64,
    /// Its number for the agent.
    pub number: u64,
    /// The command text.
    pub command: String,
    /// The folder where it was started.
    pub folder: PathBuf,
    pub(super) ring: Arc<OutputRing>,
    pub(super) ended: watch::Receiver<Option<CommandEnd>>,
    pub(super) stop: CancellationToken,
    pub(super) times: Arc<Times>,
}

/// When a command was started and when it ended.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) started: Instant,
    pub(super) ended: std::sync::OnceLock<Instant>,
}

impl WatchedJob {
    /// Returns how it ended; `None` while it runs.
    pub fn end(&self) -> Option<CommandEnd> {
        let end = *self.ended.borrow();
        // A command that is dropped is killed without a word.
        end.or_else(|| self.ended.has_changed().is_err().then_some(CommandEnd::Stopped))
    }

    /// Waits for its end.
    pub async fn wait_for_end(&self) -> CommandEnd {
        let mut ended = self.ended.clone();
        let end = ended.wait_for(Option::is_some).await.ok().and_then(|end| *end);
        end.unwrap_or(CommandEnd::Stopped)
    }

    /// Returns how long it has been running; of one that has ended, how long it was, if known.
    pub fn elapsed(&self) -> Option<Duration> {
        let until = match (self.times.ended.get(), self.end()) {
            (Some(at), _) => *at,
            (None, None) => Instant::now(),
            (None, Some(_)) => return None,
        };
        Some(until.saturating_duration_since(self.times.started))
    }

    /// Stops it as the agent can: its next look finds it stopped. Does not wait.
    pub fn stop(&self) {
        self.stop.cancel();
    }

    /// Returns a reader of its output, from the oldest that is in memory.
    pub fn output(&self) -> JobOutput {
        JobOutput { job: self.clone(), total: self.ring.total(), at: 0 }
    }
}

/// Reads the output of a watched command.
#[derive(Debug)]
pub struct JobOutput {
    job: WatchedJob,
    total: watch::Receiver<u64>,
    at: u64,
}

/// Output of a watched command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPart {
    /// Whether output before it is no longer in memory.
    pub is_cut: bool,
    /// The bytes, at least one.
    pub bytes: Vec<u8>,
}

impl JobOutput {
    /// Waits for the next output; `None` when the command has ended and all was read. Cancel-safe.
    pub async fn next(&mut self) -> Option<JobPart> {
        loop {
            // Looked at first, so that nothing printed before the end is lost.
            let has_ended = self.job.end().is_some();
            self.total.borrow_and_update();
            let part = self.job.ring.read(self.at, READ_MAX);
            if !part.bytes.is_empty() {
                self.at += part.missed + part.bytes.len() as u64;
                return Some(JobPart { is_cut: part.missed > 0, bytes: part.bytes });
            }
            if has_ended {
                return None;
            }
            tokio::select! {
                // The sender lives in the ring, which is held here.
                _ = self.total.changed() => {}
                _ = self.job.wait_for_end() => {}
            }
        }
    }
}

/// The list of the background commands of a session, for those who watch them. Handed on when the table of jobs
/// is replaced.
#[derive(Debug, Clone)]
pub struct PublishedJobs {
    list: watch::Sender<PublishedList>,
}

/// The published commands.
#[derive(Debug, Default)]
pub struct PublishedList {
    last_key: u64,
    /// The commands that run, and the last ones that have ended; in the order of their starts.
    pub jobs: Vec<WatchedJob>,
}

impl Default for PublishedJobs {
    fn default() -> Self {
        Self { list: watch::channel(PublishedList::default()).0 }
    }
}

impl PublishedJobs {
    /// Returns the list, which changes when a command is started; each says itself when it ends.
    pub fn watch(&self) -> watch::Receiver<PublishedList> {
        self.list.subscribe()
    }

    /// Adds a command, which gets its key here; the oldest of too many ended ones go.
    pub(super) fn add(&self, mut job: WatchedJob) {
        self.list.send_modify(|list| {
            list.last_key += 1;
            job.key = list.last_key;
            list.jobs.push(job);
            let ended = list.jobs.iter().filter(|job| job.end().is_some()).count();
            let mut surplus = ended.saturating_sub(ENDED_MAX);
            list.jobs.retain(|job| {
                let goes = surplus > 0 && job.end().is_some();
                surplus -= usize::from(goes);
                !goes
            });
        });
    }
}
