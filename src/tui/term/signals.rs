//! The signals that concern a full-screen program, as one stream.
//!
//! Must not act on them: the event loop restores, saves and ends.

use std::collections::VecDeque;
use std::io;

use rustix::process::{Signal as Number, getpid, kill_process};
use tokio::signal::unix::{Signal as Stream, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

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
    /// The process continues (SIGCONT): set the terminal up again and repaint.
    Continue,
}

impl Signal {
    /// Returns the exit code that shells use for a program ended by this signal.
    pub fn exit_code(self) -> i32 {
        match self {
            Self::Terminate => 143,
            Self::HangUp => 129,
            _ => 130,
        }
    }
}

/// All these signals, caught from creation on. Needs a tokio runtime.
#[derive(Debug)]
pub struct Signals {
    caught: mpsc::Receiver<Signal>,
    /// Signals that arrived while waiting for SIGCONT.
    queued: VecDeque<Signal>,
    /// The tasks that wait for the signals. Polling six streams at every key would cost more than drawing.
    _watch: JoinSet<()>,
}

/// Capacity of the queue of signals. Beyond it the system keeps one of each kind.
const WAITING_MAX: usize = 8;

impl Signals {
    /// Starts to catch signals. Their default actions no longer happen.
    pub fn catch() -> io::Result<Self> {
        let mut streams = Streams::open()?;
        let (send, caught) = mpsc::channel(WAITING_MAX);
        let mut watch = JoinSet::new();
        watch.spawn(async move { while send.send(streams.next().await).await.is_ok() {} });
        Ok(Self { caught, queued: VecDeque::new(), _watch: watch })
    }

    /// Returns the next signal. Cancel safe: none is lost.
    pub async fn next(&mut self) -> Signal {
        if let Some(signal) = self.queued.pop_front() {
            return signal;
        }
        match self.caught.recv().await {
            Some(signal) => signal,
            None => std::future::pending().await,
        }
    }

    /// Returns a signal that has already arrived.
    pub fn try_next(&mut self) -> Option<Signal> {
        self.queued.pop_front().or_else(|| self.caught.try_recv().ok())
    }

    /// Stops this process and returns when it continues. Must be called with the terminal suspended. The
    /// signal stops the whole process, but only after this thread has run on for a while, so only SIGCONT
    /// marks the end of the stop.
    pub async fn stop_until_continued(&mut self) -> io::Result<()> {
        // A separate stream: a SIGCONT that came earlier would end the wait before the stop begins.
        let mut continued = raw_signal(Number::CONT)?;
        kill_process(getpid(), Number::STOP)?;
        continued.recv().await;
        // The same signal also arrives here and is already handled.
        while let Some(signal) = self.caught.recv().await {
            if signal == Signal::Continue {
                break;
            }
            self.queued.push_back(signal);
        }
        Ok(())
    }
}

fn raw_signal(number: Number) -> io::Result<Stream> {
    signal(SignalKind::from_raw(number.as_raw()))
}

struct Streams {
    resize: Stream,
    terminate: Stream,
    hang_up: Stream,
    interrupt: Stream,
    stop: Stream,
    continued: Stream,
}

impl Streams {
    fn open() -> io::Result<Self> {
        Ok(Self {
            resize: signal(SignalKind::window_change())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            stop: raw_signal(Number::TSTP)?,
            continued: raw_signal(Number::CONT)?,
        })
    }

    async fn next(&mut self) -> Signal {
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
}
