//! The signals that concern a full-screen program, as one stream.
//!
//! May not act on them: the loop restores, saves and ends.

use std::io;

use futures::FutureExt as _;
use rustix::process::{Signal as Number, getpid, kill_process};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};

/// A signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The window has a new size (SIGWINCH).
    Resize,
    /// End now (SIGTERM).
    Terminate,
    /// The terminal is gone (SIGHUP).
    HangUp,
    /// Interrupted from outside (SIGINT); the keyboard sends a byte instead.
    Interrupt,
    /// Stop (SIGTSTP): suspend the terminal, then [`Signals::stop_until_continued`], then resume
    /// and repaint.
    Stop,
    /// Running again (SIGCONT): set the terminal up again and repaint.
    Continue,
}

impl Signal {
    /// The exit code by which shells tell that this signal ended a program.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Terminate => 143,
            Self::HangUp => 129,
            _ => 130,
        }
    }
}

/// All of them, caught from now on. Needs a tokio runtime.
#[derive(Debug)]
pub struct Signals {
    resize: Stream,
    terminate: Stream,
    hang_up: Stream,
    interrupt: Stream,
    stop: Stream,
    continued: Stream,
}

impl Signals {
    /// Begins to catch signals; their default actions no longer happen.
    pub fn catch() -> io::Result<Self> {
        let raw = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self {
            resize: signal(SignalKind::window_change())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: raw(Number::TSTP)?,
            continued: raw(Number::CONT)?,
        })
    }

    /// The next signal. Safe to drop and call again: none is lost.
    pub async fn next(&mut self) -> Signal {
        tokio::select! {
            biased;
            Some(()) = self.terminate.recv() => Signal::Terminate,
            Some(()) = self.hang_up.recv() => Signal::HangUp,
            Some(()) = self.interrupt.recv() => Signal::Interrupt,
            Some(()) = self.stop.recv() => Signal::Stop,
            Some(()) = self.continued.recv() => Signal::Continue,
            Some(()) = self.resize.recv() => Signal::Resize,
            else => std::future::pending().await,
        }
    }

    /// Stops this process and returns when it runs again; to be called with the terminal
    /// suspended. The signal stops the process as a whole, but not before this thread has run
    /// on for a while, so only SIGCONT tells that the stop is over.
    pub async fn stop_until_continued(&mut self) -> io::Result<()> {
        // One that came earlier would end the wait before the stop begins.
        while self.continued.recv().now_or_never().flatten().is_some() {}
        kill_process(getpid(), Number::STOP)?;
        self.continued.recv().await;
        Ok(())
    }
}
