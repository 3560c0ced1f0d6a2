//! Waits for a command: for its end, a timeout, silence, or an interruption.
//!
//! Must not know any tool's texts.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::running_command::RunningCommand;
use super::watched_job::CommandEnd;
use crate::tools::contract::tool::Progress;

/// Minimum interval between two updates for the user.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What else ends the wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitLimits {
    /// A timeout.
    pub time: Option<Duration>,
    /// A maximum time without output.
    pub silence: Option<Duration>,
}

/// Reason why the wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// The command's end.
    Ended(CommandEnd),
    /// Timed out; it keeps running.
    Time,
    /// Silent for too long; it keeps running.
    Silence,
    /// Interrupted by the user; it keeps running.
    Interrupted,
}

/// Waits, and updates the user's view of the output soon after some arrived, at most every 100 ms; a silent
/// command wakes no task.
pub async fn wait(
    live: &RunningCommand,
    until: WaitLimits,
    cancel: &CancellationToken,
    progress: &Progress,
) -> WaitEnd {
    // A deadline beyond the clock's range is never reached.
    let deadline = until.time.and_then(|time| Instant::now().checked_add(time));
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            // Possibly the last update.
            progress(live.tail());
            WaitEnd::Interrupted
        }
        end = live.wait_for_end() => WaitEnd::Ended(end),
        () = sleep_until_deadline(deadline) => WaitEnd::Time,
        () = silence(live, until.silence) => WaitEnd::Silence,
        () = show_progress(live, progress) => WaitEnd::Ended(live.wait_for_end().await),
    }
}

async fn sleep_until_deadline(deadline: Option<Instant>) {
    match deadline {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn silence(live: &RunningCommand, most: Option<Duration>) {
    let Some(most) = most else { return std::future::pending().await };
    loop {
        let silent = live.silent_for();
        let Some(rest) = most.checked_sub(silent).filter(|rest| !rest.is_zero()) else { return };
        sleep(rest).await;
    }
}

async fn show_progress(live: &RunningCommand, progress: &Progress) {
    loop {
        live.wait_for_output().await;
        if live.end().is_some() {
            return;
        }
        progress(live.tail());
        sleep(PROGRESS_EVERY).await;
    }
}
