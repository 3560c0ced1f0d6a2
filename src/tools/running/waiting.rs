//! Waits for a command: for its end, a timeout, silence, or an interruption.
//!
//! Must not know any tool's texts.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::live::{End, Live};
use crate::tools::contract::tool::Progress;

/// Minimum interval between two updates for the user.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What else ends the wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct Until {
    /// A timeout.
    pub time: Option<Duration>,
    /// A maximum time without output.
    pub silence: Option<Duration>,
}

/// What ended the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The command's end.
    Ended(End),
    /// Timed out; it keeps running.
    Time,
    /// Silent for too long; it keeps running.
    Silence,
    /// Interrupted by the user; it keeps running.
    Interrupted,
}

/// Waits, and updates the user's view of the output soon after some arrived, at most every 100 ms; a silent
/// command wakes no task.
pub async fn wait(live: &Live, until: Until, cancel: &CancellationToken, progress: &Progress) -> Waited {
    // A deadline beyond the clock's range is never reached.
    let deadline = until.time.and_then(|time| Instant::now().checked_add(time));
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            // Possibly the last update.
            progress(live.tail());
            Waited::Interrupted
        }
        end = live.ended() => Waited::Ended(end),
        () = at(deadline) => Waited::Time,
        () = silence(live, until.silence) => Waited::Silence,
        () = show(live, progress) => Waited::Ended(live.ended().await),
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn silence(live: &Live, most: Option<Duration>) {
    let Some(most) = most else { return std::future::pending().await };
    loop {
        let silent = live.silent();
        let Some(rest) = most.checked_sub(silent).filter(|rest| !rest.is_zero()) else { return };
        sleep(rest).await;
    }
}

async fn show(live: &Live, progress: &Progress) {
    loop {
        live.arrived().await;
        if live.end().is_some() {
            return;
        }
        progress(live.tail());
        sleep(PROGRESS_EVERY).await;
    }
}
