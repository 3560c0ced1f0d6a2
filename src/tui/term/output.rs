//! Bytes on their way to the terminal: what it does not take at once waits here, in order.
//!
//! Writing never blocks, so that a connection that stalls stops neither the loop nor signals nor the agent. A thread
//! that writes would give the same, but every key would wait until that thread is awake. May not know what the bytes
//! mean, nor how many may wait: the caller draws no frame while [`Output::is_waiting`].

use std::fs::File;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::termios::{QueueSelector, tcflush};

/// Ends an escape sequence that was cut off: CAN of ECMA-48.
const CANCEL: u8 = 0x18;

/// A terminal that is written to.
#[derive(Debug)]
pub(crate) struct Output {
    tty: File,
    waiting: Vec<u8>,
    /// How many of them the terminal has taken.
    written: usize,
}

impl Output {
    /// Lets reads and writes of an open terminal return at once. That belongs to what was opened and not to the
    /// terminal, so other programs on it notice nothing.
    pub(crate) fn new(tty: File) -> io::Result<Self> {
        fcntl_setfl(&tty, fcntl_getfl(&tty)? | OFlags::NONBLOCK)?;
        Ok(Self { tty, waiting: Vec::new(), written: 0 })
    }

    /// The terminal itself.
    pub(crate) fn tty(&self) -> &File {
        &self.tty
    }

    /// Whether the terminal has not taken everything yet.
    pub(crate) fn is_waiting(&self) -> bool {
        self.written < self.waiting.len()
    }

    /// Writes bytes behind those that wait.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_waiting() {
            self.waiting.extend_from_slice(bytes);
            return self.flush().map(drop);
        }
        let taken = send(&mut self.tty, bytes)?;
        // Most frames are taken whole and are not copied.
        self.waiting.extend_from_slice(&bytes[taken..]);
        Ok(())
    }

    /// Writes of what waits as much as the terminal takes now. Tells whether that was all.
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        self.written += send(&mut self.tty, &self.waiting[self.written..])?;
        let done = !self.is_waiting();
        if done {
            (self.waiting, self.written) = (Vec::new(), 0);
        }
        Ok(done)
    }

    /// Writes the last bytes, which undo all modes. Waits no longer than `patience`: of a terminal that takes nothing
    /// the frames on their way are dropped, so that it is right once it goes on. Tells whether all bytes were taken.
    pub(crate) fn finish(&mut self, last: &[u8], patience: Duration) -> io::Result<bool> {
        self.write(last)?;
        let end = Instant::now() + patience;
        while !self.flush()? {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                tcflush(&self.tty, QueueSelector::OFlush)?;
                (self.waiting, self.written) = ([&[CANCEL], last].concat(), 0);
                return self.flush();
            }
            let mut fds = [PollFd::new(&self.tty, PollFlags::OUT)];
            // An error of the wait alone, such as a signal's, must not keep the modes from being undone: the next write
            // reports what is wrong with the terminal, and `patience` ends the loop.
            let _ = poll(&mut fds, Timespec::try_from(left).ok().as_ref());
        }
        Ok(true)
    }
}

/// Writes until the terminal takes no more; how many bytes it took.
fn send(tty: &mut File, bytes: &[u8]) -> io::Result<usize> {
    let mut taken = 0;
    while taken < bytes.len() {
        match tty.write(&bytes[taken..]) {
            Ok(0) => break,
            Ok(count) => taken += count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(taken)
}
