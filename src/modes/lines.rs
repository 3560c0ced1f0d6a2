//! JSON lines to and from another program: one object each, split only at line feeds, in order, at any speed
//! of reader or writer.
//!
//! Must not know their content. Separate threads read and write, so that a full or silent pipe blocks only
//! them; queues are bounded.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, fstat};
use serde::Serialize;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Capacity of the queue for writing.
const OUT_QUEUE_MAX: usize = 256;
/// Capacity of the queue of lines read.
const IN_QUEUE_MAX: usize = 64;
/// Bytes per write when several lines are queued.
const WRITE_BYTES: usize = 64 << 10;
/// Bytes per read.
const READ_BYTES: usize = 64 << 10;
/// Maximum length of a line: a message with its images is shorter.
pub const LINE_MAX: usize = 64 << 20;

/// Sender of lines.
#[derive(Debug, Clone)]
pub struct LineWriter {
    sender: mpsc::Sender<String>,
    closed: CancellationToken,
    /// Number of writes so far.
    write_count: Arc<AtomicU64>,
}

/// The result of the writer thread.
#[derive(Debug)]
pub struct WriterThread(oneshot::Receiver<io::Result<()>>);

impl LineWriter {
    /// Starts the writer thread, which flushes after each line or after all queued lines.
    pub fn start(to: impl Write + Send + 'static) -> (Self, WriterThread) {
        let (sender, receiver) = mpsc::channel(OUT_QUEUE_MAX);
        let (done, written) = oneshot::channel();
        let closed = CancellationToken::new();
        let (reader_left, count) = (closed.clone(), Arc::new(AtomicU64::new(0)));
        let counted = Arc::clone(&count);
        std::thread::spawn(move || {
            let ended = write_all(receiver, to, &counted);
            reader_left.cancel();
            done.send(ended).ok()
        });
        (Self { sender, closed, write_count: count }, WriterThread(written))
    }

    /// Writes a value as a line. Returns `false` when the reader is gone.
    pub async fn send(&self, value: &impl Serialize) -> bool {
        match serde_json::to_string(value) {
            Ok(line) => self.line(line).await,
            Err(error) => {
                tracing::error!(%error, "a line cannot be written as JSON");
                true
            }
        }
    }

    /// Writes a line, which must not contain line feeds. Returns `false` when the reader is gone.
    pub async fn line(&self, line: String) -> bool {
        self.sender.send(line).await.is_ok()
    }

    /// Waits for room for one line. `None` when the reader is gone.
    pub async fn reserve(&self) -> Option<mpsc::Permit<'_, String>> {
        self.sender.reserve().await.ok()
    }

    /// Waits until lines were queued for this long without any being read.
    pub async fn wait_stalled(&self, timeout: Duration) {
        loop {
            let before = self.write_count.load(Ordering::Relaxed);
            tokio::time::sleep(timeout).await;
            if self.sender.capacity() == 0 && self.write_count.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }

    /// Waits until the reader is gone.
    pub async fn wait_closed(&self) {
        self.closed.cancelled().await;
    }
}

impl WriterThread {
    /// Waits until everything is written, once every [`Out`] is dropped, up to a timeout. Fails if a write
    /// failed: the disk is full, or the reader is gone.
    pub async fn finish(self, timeout: Duration) -> io::Result<()> {
        match tokio::time::timeout(timeout, self.0).await {
            Ok(ended) => ended.unwrap_or_else(|lost| Err(io::Error::other(lost))),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "the reader stalls")),
        }
    }
}

fn write_all(mut lines: mpsc::Receiver<String>, mut to: impl Write, count: &AtomicU64) -> io::Result<()> {
    let mut buffer = Vec::new();
    while let Some(line) = lines.blocking_recv() {
        append_line(&mut buffer, &line);
        while buffer.len() < WRITE_BYTES
            && let Ok(line) = lines.try_recv()
        {
            append_line(&mut buffer, &line);
        }
        to.write_all(&buffer)?;
        to.flush()?;
        count.fetch_add(1, Ordering::Relaxed);
        buffer.clear();
        buffer.shrink_to(WRITE_BYTES);
    }
    Ok(())
}

fn append_line(buffer: &mut Vec<u8>, line: &str) {
    buffer.extend_from_slice(line.as_bytes());
    buffer.push(b'\n');
}

/// A line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// Its text, without line feed and carriage return.
    Text(String),
    /// An invalid or overlong line, with the reason.
    Invalid(String),
}

/// Splits bytes into lines.
#[derive(Debug, Default)]
pub struct LineSplitter {
    partial: Vec<u8>,
    /// Whether the current line is too long; the rest of it is discarded.
    skipping: bool,
}

impl LineSplitter {
    /// Adds bytes; passes on each complete line. Empty lines are skipped.
    pub fn push(&mut self, mut bytes: &[u8], mut line: impl FnMut(Line)) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            self.add(&bytes[..end]);
            self.end(&mut line);
            bytes = &bytes[end + 1..];
        }
        self.add(bytes);
    }

    /// Passes on the text after the last line feed.
    pub fn finish(&mut self, mut line: impl FnMut(Line)) {
        self.end(&mut line);
    }

    fn add(&mut self, bytes: &[u8]) {
        self.skipping |= self.partial.len() + bytes.len() > LINE_MAX;
        if self.skipping {
            self.partial = Vec::new();
        } else {
            self.partial.extend_from_slice(bytes);
        }
    }

    fn end(&mut self, line: &mut impl FnMut(Line)) {
        let mut bytes = std::mem::take(&mut self.partial);
        if std::mem::take(&mut self.skipping) {
            return line(Line::Invalid(format!("the line is longer than {} MB", LINE_MAX >> 20)));
        }
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        match String::from_utf8(bytes) {
            Ok(text) if text.trim().is_empty() => {}
            Ok(text) => line(Line::Text(text)),
            Err(error) => line(Line::Invalid(format!("the line is not UTF-8: {error}"))),
        }
    }
}

/// Reads lines on a separate thread until the end, or until the receiver is dropped. Also returns a token
/// that is cancelled when the writer has closed its end, whether or not the earlier lines were consumed:
/// while the queue is full nothing is read, so the thread then polls whether the other end is closed.
pub fn read_to_end(
    from: impl Read + AsFd + Send + 'static,
) -> io::Result<(mpsc::Receiver<Line>, CancellationToken)> {
    let (sender, lines) = mpsc::channel(IN_QUEUE_MAX);
    let over = CancellationToken::new();
    let (ended, mut unwatched) = (over.clone(), Some(from.as_fd().try_clone_to_owned()?));
    std::thread::spawn(move || {
        split(from, |line| match sender.try_send(line) {
            Ok(()) => true,
            Err(TrySendError::Closed(_)) => false,
            Err(TrySendError::Full(line)) => {
                if let Some(end) = unwatched.take() {
                    let ended = ended.clone();
                    std::thread::spawn(move || wait_until_closed(&end, &ended));
                }
                sender.blocking_send(line).is_ok()
            }
        });
        ended.cancel();
    });
    Ok((lines, over))
}

/// A socket whose other end is shut down for writing reports no hang-up, but sends nothing more.
#[cfg(target_os = "linux")]
const CLOSED: PollFlags = PollFlags::RDHUP;
#[cfg(not(target_os = "linux"))]
const CLOSED: PollFlags = PollFlags::empty();

/// Waits until the other end of a pipe, socket or terminal is closed, without reading. A file counts as
/// closed immediately.
fn wait_until_closed(end: &OwnedFd, closed: &CancellationToken) {
    let is_file = |stat: rustix::fs::Stat| FileType::from_raw_mode(stat.st_mode).is_file();
    while !fstat(end).is_ok_and(is_file) {
        match poll(&mut [PollFd::new(end, CLOSED)], None) {
            Ok(_) => break,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => {
                tracing::warn!(%error, "the end of standard input is noticed when it is read");
                return;
            }
        }
    }
    closed.cancel();
}

/// Reads lines until the end, or until `give` returns that the receiver is gone.
pub fn split(mut from: impl Read, mut give: impl FnMut(Line) -> bool) {
    let mut splitter = LineSplitter::default();
    let mut piece = vec![0; READ_BYTES];
    let mut open = true;
    while open {
        match from.read(&mut piece) {
            Ok(0) => break,
            Ok(n) => splitter.push(&piece[..n], |line| open = open && give(line)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                tracing::warn!(%error, "standard input cannot be read any more");
                break;
            }
        }
    }
    splitter.finish(|line| open = open && give(line));
}

#[cfg(test)]
mod tests;
