//! The thread that reads the terminal, and stops at once when told to.
//!
//! May not decode. It sleeps in `poll` without a time-out, so an idle program never wakes.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::OwnedFd;
use std::thread::{self, JoinHandle};

use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::mpsc;

/// Chunks that may wait for the loop; a full queue stops reading, never loses.
const QUEUE: usize = 64;
/// Most bytes of one read.
const CHUNK: usize = 64 << 10;

/// What comes from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermInput {
    /// Bytes as they came.
    Bytes(Vec<u8>),
    /// The terminal is gone: hang-up, end of file or an error, in words.
    Closed(String),
}

/// The running thread.
#[derive(Debug)]
pub(crate) struct Reader {
    queue: mpsc::Receiver<TermInput>,
    /// Closing it wakes the thread and ends it.
    wake: Option<OwnedFd>,
    thread: Option<JoinHandle<()>>,
}

impl Reader {
    /// Starts to read.
    pub(crate) fn start(tty: &File) -> io::Result<Self> {
        let tty = tty.try_clone()?;
        let (woken, wake) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let (send, queue) = mpsc::channel(QUEUE);
        let thread = thread::Builder::new().name("tty".into()).spawn(move || run(tty, &woken, &send))?;
        Ok(Self { queue, wake: Some(wake), thread: Some(thread) })
    }

    /// The next input; `None` after the reader stopped and everything was taken.
    pub(crate) async fn next(&mut self) -> Option<TermInput> {
        self.queue.recv().await
    }

    /// An input that is there already.
    pub(crate) fn ready(&mut self) -> Option<TermInput> {
        self.queue.try_recv().ok()
    }

    /// Ends the thread; afterwards nothing of ours reads the terminal. What was read stays.
    pub(crate) fn stop(&mut self) {
        // A thread that waits for room in the queue is freed by closing the queue.
        self.queue.close();
        self.wake = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the thread that reads the terminal panicked");
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(mut tty: File, woken: &OwnedFd, send: &mpsc::Sender<TermInput>) {
    let mut chunk = vec![0; CHUNK];
    loop {
        let message = match read(&mut tty, woken, &mut chunk) {
            Ok(Some(bytes)) => TermInput::Bytes(bytes),
            Ok(None) => return,
            Err(error) => TermInput::Closed(error.to_string()),
        };
        let closed = matches!(message, TermInput::Closed(_));
        if send.blocking_send(message).is_err() || closed {
            return;
        }
    }
}

/// Waits for bytes; `None` when told to stop.
fn read(tty: &mut File, woken: &OwnedFd, chunk: &mut [u8]) -> io::Result<Option<Vec<u8>>> {
    loop {
        let mut polled =
            [PollFd::new(&*tty, PollFlags::IN), PollFd::new(woken, PollFlags::IN | PollFlags::HUP)];
        match poll(&mut polled, None) {
            Err(rustix::io::Errno::INTR) => continue,
            other => other?,
        };
        let [input, wake] = polled.map(|fd| fd.revents());
        if !wake.is_empty() {
            return Ok(None);
        }
        if !input.intersects(PollFlags::IN) {
            return Err(io::Error::other("the terminal hung up"));
        }
        match tty.read(chunk) {
            Ok(0) => return Err(io::Error::other("the terminal ended its input")),
            Ok(count) => return Ok(Some(chunk[..count].to_vec())),
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_waits_for_room_can_be_stopped() {
        for _ in 0..20 {
            // A device that is always ready and never ends fills the queue.
            let mut reader = Reader::start(&File::open("/dev/zero").unwrap()).unwrap();
            assert!(matches!(reader.queue.blocking_recv(), Some(TermInput::Bytes(_))));
            reader.stop();
            let left = std::iter::from_fn(|| reader.ready()).count();
            assert!(left <= QUEUE);
        }
    }

    #[test]
    fn an_end_of_input_is_told_once() {
        let mut reader = Reader::start(&File::open("/dev/null").unwrap()).unwrap();
        assert!(matches!(reader.queue.blocking_recv(), Some(TermInput::Closed(_))));
        assert_eq!(reader.queue.blocking_recv(), None);
    }
}
