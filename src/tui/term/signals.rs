//! The signals that concern a full-screen program, as one stream.
//!
//! May not act on them: the loop restores, saves and ends.

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
    caught: mpsc::Receiver<Signal>,
    /// Those that came while one was waited for.
    queued: VecDeque<Signal>,
    /// Waits for them. A loop that asks each of six streams at every key would ask more than it draws.
    _watch: JoinSet<()>,
}

/// Signals that wait to be asked for; of more, the system keeps one of each kind.
const WAITING_MAX: usize = 8;

impl Signals {
    /// Begins to catch signals; their default actions no longer happen.
    pub fn catch() -> io::Result<Self> {
        let mut streams = Streams::open()?;
        let (send, caught) = mpsc::channel(WAITING_MAX);
        let mut watch = JoinSet::new();
        watch.spawn(async move { while send.send(streams.next().await).await.is_ok() {} });
        Ok(Self { caught, queued: VecDeque::new(), _watch: watch })
    }

    /// The next signal. Safe to drop and call again: none is lost.
    pub async fn next(&mut self) -> Signal {
        if let Some(signal) = self.queued.pop_front() {
            return signal;
        }
        match self.caught.recv().await {
            Some(signal) => signal,
            None => std::future::pending().await,
        }
    }

    /// A signal that has come already.
    pub fn try_next(&mut self) -> Option<Signal> {
        self.queued.pop_front().or_else(|| self.caught.try_recv().ok())
    }

    /// Stops this process and returns when it runs again; to be called with the terminal
    /// suspended. The signal stops the process as a whole, but not before this thread has run
    /// on for a while, so only SIGCONT tells that the stop is over.
    pub async fn stop_until_continued(&mut self) -> io::Result<()> {
        // A stream of its own: one that came earlier would end the wait before the stop begins.
        let mut continued = raw_signal(Number::CONT)?;
        kill_process(getpid(), Number::STOP)?;
        continued.recv().await;
        // The same one comes here, too, and is dealt with already.
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
