//! Asks a terminal what it can do without entering our screen, and leaves it as it was.
//!
//! Must not know what the answers are for. While it waits, the terminal neither echoes nor collects lines;
//! signal keys keep working. What the user types meanwhile is lost. Late replies must not become input of the
//! next program: those that are there when the wait ends are dropped.

use std::fs::File;
use std::io;
use std::time::Duration;

use rustix::process::getpgrp;
use rustix::termios::{
    LocalModes, OptionalActions, QueueSelector, SpecialCodeIndex, Termios, tcflush, tcgetattr, tcgetpgrp,
    tcsetattr,
};
use tokio::time::Instant;

use crate::tui::caps::{Caps, queries};
use crate::tui::input::{Decoder, Input};
use crate::tui::term::output::Output;
use crate::tui::term::reader::{Reader, TermInput};

/// How long a terminal has for its replies: enough for a slow connection, short for a user who waits.
pub const REPLY_TIMEOUT: Duration = Duration::from_millis(500);

/// Cancels an incomplete escape sequence: CAN of ECMA-48.
const CANCEL: &[u8] = b"\x18";

/// Why a terminal cannot be asked.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// Another job has the terminal; changing its modes would stop this process.
    #[error("this process runs in the background of its terminal")]
    Background,
    /// An I/O error.
    #[error("the terminal cannot be asked: {0}")]
    Io(#[from] io::Error),
    /// The terminal ended its input.
    #[error("the terminal is gone: {0}")]
    Closed(String),
}

/// What a terminal has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// What it can do; `caps.complete` says whether the last reply came in time.
    pub caps: Caps,
    /// Whether it was asked: a terminal whose name says that it would print the queries is not.
    pub is_asked: bool,
    /// How long the replies took, or the whole wait.
    pub took: Duration,
}

/// Sends the queries for a terminal of the name `term` and collects replies until the last one or until `limit`.
/// Needs a tokio runtime. When the future is dropped, the terminal is restored.
///
/// # Errors
/// Fails if this process is in the background, or if the terminal cannot be read, written or restored.
pub async fn ask(tty: File, term: Option<&str>, limit: Duration) -> Result<Answers, ProbeError> {
    let queries = queries(term);
    let mut caps = Caps::default();
    if queries.is_empty() {
        return Ok(Answers { caps, is_asked: false, took: Duration::ZERO });
    }
    let mut terminal = SilentTerminal::enter(tty)?;
    terminal.output.write(queries)?;
    let started = Instant::now();
    let answered = tokio::time::timeout(limit, collect(&mut terminal, &mut caps, started)).await;
    let took = started.elapsed();
    terminal.restore()?;
    // Without an answer in time, what has come until then counts.
    answered.unwrap_or(Ok(()))?;
    Ok(Answers { caps, is_asked: true, took })
}

/// Applies replies until the last one has come.
async fn collect(terminal: &mut SilentTerminal, caps: &mut Caps, started: Instant) -> Result<(), ProbeError> {
    let mut decoder = Decoder::new();
    let mut reader = Reader::start(terminal.output.tty())?;
    let mut inputs = Vec::new();
    while !caps.complete {
        match reader.next().await {
            TermInput::Bytes(bytes) => decoder.feed(&bytes, started.elapsed(), &mut inputs),
            TermInput::Flushed => {}
            TermInput::Closed(reason) => return Err(ProbeError::Closed(reason)),
        }
        for input in inputs.drain(..) {
            if let Input::Reply(reply) = input {
                // The actions are those of the full-screen program.
                caps.apply(&reply);
            }
        }
    }
    terminal.is_answered = true;
    Ok(())
}

/// A terminal that neither echoes nor collects lines, until it is restored or dropped.
struct SilentTerminal {
    output: Output,
    saved: Termios,
    is_answered: bool,
    is_restored: bool,
}

impl SilentTerminal {
    fn enter(tty: File) -> Result<Self, ProbeError> {
        // For a process in the background the next call means SIGTTOU, which stops it.
        if tcgetpgrp(&tty).is_ok_and(|foreground| foreground != getpgrp()) {
            return Err(ProbeError::Background);
        }
        let saved = tcgetattr(&tty).map_err(io::Error::from)?;
        let output = Output::new(tty)?;
        let mut silent = saved.clone();
        silent.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        // A read returns at once, even without data.
        silent.special_codes[SpecialCodeIndex::VMIN] = 0;
        silent.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(output.tty(), OptionalActions::Now, &silent).map_err(io::Error::from)?;
        Ok(Self { output, saved, is_answered: false, is_restored: false })
    }

    fn restore(mut self) -> io::Result<()> {
        self.undo()
    }

    /// Restores the terminal. Never waits for it: one that has stopped would not come to an end.
    fn undo(&mut self) -> io::Result<()> {
        if std::mem::replace(&mut self.is_restored, true) {
            return Ok(());
        }
        let dropped = if self.is_answered { Ok(()) } else { self.drop_exchange() };
        tcsetattr(self.output.tty(), OptionalActions::Now, &self.saved)?;
        dropped
    }

    /// Drops the replies that are there, and the queries that the system still holds back, so that the terminal
    /// answers none of them later.
    fn drop_exchange(&mut self) -> io::Result<()> {
        let was_cut = self.output.is_waiting();
        tcflush(self.output.tty(), QueueSelector::IOFlush)?;
        if was_cut {
            self.output.discard();
            self.output.write(CANCEL)?;
        }
        Ok(())
    }
}

impl Drop for SilentTerminal {
    fn drop(&mut self) {
        if let Err(error) = self.undo() {
            tracing::warn!("the terminal could not be restored: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portable_pty::{MasterPty, PtySize, native_pty_system};
    use rustix::fs::OFlags;
    use std::io::{Read as _, Write as _};
    use std::os::unix::fs::OpenOptionsExt as _;

    /// A pseudo terminal: the ends of the emulator and of the program.
    fn pair() -> (Box<dyn MasterPty>, File) {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let name = pair.master.tty_name().unwrap();
        // Not to become the controlling terminal of the tests.
        let flags = (OFlags::NOCTTY | OFlags::CLOEXEC).bits().cast_signed();
        let slave = File::options().read(true).write(true).custom_flags(flags).open(name).unwrap();
        (pair.master, slave)
    }

    fn is_cooked(tty: &File) -> bool {
        let modes = tcgetattr(tty).unwrap().local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ECHO)
    }

    #[tokio::test]
    async fn probe_applies_replies_and_restores_terminal() {
        let (master, slave) = pair();
        let seen = slave.try_clone().unwrap();
        let (mut reader, mut writer) = (master.try_clone_reader().unwrap(), master.take_writer().unwrap());
        let answering = std::thread::spawn(move || {
            let (mut asked, mut chunk) = (Vec::new(), [0; 512]);
            while !asked.ends_with(b"\x1b[c") {
                let count = reader.read(&mut chunk).unwrap();
                asked.extend_from_slice(&chunk[..count]);
            }
            writer.write_all(b"\x1b[?1u\x1b[?2026;2$y\x1bP>|foot(1.16)\x1b\\\x1b[?62;4c").unwrap();
            writer
        });
        let answers = ask(slave, Some("foot"), Duration::from_secs(20)).await.unwrap();
        let caps = &answers.caps;
        assert!(answers.is_asked && caps.complete && caps.kitty_keyboard && caps.sixel, "{caps:?}");
        assert_eq!((caps.synchronized, caps.name.as_deref()), (Some(true), Some("foot(1.16)")));
        assert!(is_cooked(&seen));
        drop(answering.join().unwrap());
    }

    #[tokio::test]
    async fn probe_without_answer_drops_replies_that_came() {
        let (master, slave) = pair();
        let mut seen = slave.try_clone().unwrap();
        let mut writer = master.take_writer().unwrap();
        // A reply that is cut in the middle.
        writer.write_all(b"\x1b[?62;").unwrap();
        let answers = ask(slave, Some("xterm"), Duration::from_millis(20)).await.unwrap();
        assert!(answers.is_asked && !answers.caps.complete && is_cooked(&seen));
        // The next program gets what is typed next, and nothing before it.
        writer.write_all(b"next\n").unwrap();
        let mut line = [0; 64];
        let count = seen.read(&mut line).unwrap();
        assert_eq!(&line[..count], b"next\n");
    }

    #[tokio::test]
    async fn probe_cancelled_restores_terminal() {
        let (_master, slave) = pair();
        let seen = slave.try_clone().unwrap();
        let asked = ask(slave, Some("xterm"), Duration::from_mins(1));
        let mut asked = Box::pin(asked);
        assert!(futures::poll!(&mut asked).is_pending());
        assert!(!is_cooked(&seen));
        drop(asked);
        assert!(is_cooked(&seen));
    }

    #[tokio::test]
    async fn probe_of_dumb_terminal_sends_nothing() {
        let (_master, slave) = pair();
        let answers = ask(slave, Some("dumb"), Duration::from_mins(1)).await.unwrap();
        assert!(!answers.is_asked && !answers.caps.complete);
    }
}
