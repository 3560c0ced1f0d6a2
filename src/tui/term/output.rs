//! Output queue of the terminal: bytes that it does not accept at once wait here, in order.
//!
//! Writing never blocks, so a stalled connection stops neither the event loop nor signals nor the agent. A
//! writing thread would do the same, but every key would wait for it to wake up. Must not know what the bytes
//! mean, nor limit how many wait: the caller draws no frame while [`Output::is_waiting`].

use std::fs::File;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::termios::{QueueSelector, tcflush};

/// Cancels an incomplete escape sequence: CAN of ECMA-48.
const CANCEL: u8 = 0x18;

/// A terminal that is written to.
#[derive(Debug)]
pub(crate) struct Output {
    tty: File,
    waiting: Vec<u8>,
    /// How many of the waiting bytes the terminal has accepted.
    written: usize,
}

impl Output {
    /// Makes reads and writes of an open terminal non-blocking. The flag belongs to this open file
    /// description, not to the terminal, so other programs are not affected.
    pub(crate) fn new(tty: File) -> io::Result<Self> {
        fcntl_setfl(&tty, fcntl_getfl(&tty)? | OFlags::NONBLOCK)?;
        Ok(Self { tty, waiting: Vec::new(), written: 0 })
    }

    /// The terminal itself.
    pub(crate) fn tty(&self) -> &File {
        &self.tty
    }

    /// Returns whether bytes are still waiting.
    pub(crate) fn is_waiting(&self) -> bool {
        self.written < self.waiting.len()
    }

    /// Writes bytes after those that wait.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.is_waiting() {
            self.waiting.extend_from_slice(bytes);
            return self.flush().map(drop);
        }
        let taken = send(&mut self.tty, bytes)?;
        // Most frames are accepted whole and are not copied.
        self.waiting.extend_from_slice(&bytes[taken..]);
        Ok(())
    }

    /// Writes as many of the waiting bytes as the terminal accepts now. Returns whether that was all.
    pub(crate) fn flush(&mut self) -> io::Result<bool> {
        self.written += send(&mut self.tty, &self.waiting[self.written..])?;
        let done = !self.is_waiting();
        if done {
            (self.waiting, self.written) = (Vec::new(), 0);
        }
        Ok(done)
    }

    /// Forgets the bytes that the terminal has not accepted.
    pub(crate) fn discard(&mut self) {
        (self.waiting, self.written) = (Vec::new(), 0);
    }

    /// Writes the last bytes, which undo all modes. Waits at most `patience`. If the terminal accepts
    /// nothing, waiting frames are dropped, so that its state is right once it continues. Returns whether all
    /// bytes were accepted.
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
            // A failed wait, such as one interrupted by a signal, must not prevent undoing the modes: the
            // next write reports a problem of the terminal, and `patience` ends the loop.
            let _ = poll(&mut fds, Timespec::try_from(left).ok().as_ref());
        }
        Ok(true)
    }
}

/// Writes until the terminal accepts no more; returns how many bytes it accepted.
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
