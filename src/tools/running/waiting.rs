//! Waiting for a command: for its end, for a time, for silence, for an interrupt.
//!
//! Must not know any tool's words.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use super::live::{End, Live};
use crate::tools::contract::tool::Progress;

/// Between two updates for the user.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// What else ends the wait.
#[derive(Debug, Clone, Copy, Default)]
pub struct Until {
    /// After so long.
    pub time: Option<Duration>,
    /// When nothing was printed for so long.
    pub silence: Option<Duration>,
}

/// What ended the wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// The command's end.
    Ended(End),
    /// The time is over; it runs on.
    Time,
    /// It was silent for too long; it runs on.
    Silence,
    /// The user interrupted; it runs on.
    Interrupted,
}

/// Waits, and shows the user the end of the output soon after some came, at most every 100 ms; a silent
/// command wakes no task.
pub async fn wait(live: &Live, until: Until, cancel: &CancellationToken, progress: &Progress) -> Waited {
    // A time that no clock can tell never comes.
    let deadline = until.time.and_then(|time| Instant::now().checked_add(time));
    tokio::select! {
        biased;
        () = cancel.cancelled() => {
            // Perhaps the last that is heard of it.
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
