//! The terminal as a source of bytes for the runtime of the event loop.
//!
//! Must not decode. The loop's runtime waits on the terminal itself, so that a key costs one wake-up and an
//! idle program none. Reading never blocks: in our modes a read without data returns at once (`VMIN` and
//! `VTIME` are zero, see `guard`).

use std::fs::File;
use std::future::poll_fn;
use std::io::{self, Read as _};
use std::task::{Context, Poll, ready};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Maximum number of bytes of one read.
const CHUNK: usize = 64 << 10;

/// Input from the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermInput {
    /// Bytes as they came.
    Bytes(Vec<u8>),
    /// The terminal has accepted everything written to it.
    Flushed,
    /// The terminal is gone: hang-up, end of file or an error, as a message.
    Closed(String),
}

/// Reads a terminal that is in our modes. Dropping it leaves unread input to other readers.
#[derive(Debug)]
pub(crate) struct Reader {
    tty: AsyncFd<File>,
    chunk: Vec<u8>,
}

impl Reader {
    /// Watches the terminal. Needs a tokio runtime.
    #[expect(
        deprecated,
        reason = "the successor is unsafe for types whose descriptor may change; a File's does not"
    )]
    pub(crate) fn start(tty: &File) -> io::Result<Self> {
        let tty = AsyncFd::with_interest(tty.try_clone()?, Interest::READABLE)?;
        Ok(Self { tty, chunk: vec![0; CHUNK] })
    }

    /// Returns the next input. Cancel safe: nothing is read before it is returned.
    pub(crate) async fn next(&mut self) -> TermInput {
        self.wait().await.map_or_else(|error| TermInput::Closed(error.to_string()), TermInput::Bytes)
    }

    async fn wait(&mut self) -> io::Result<Vec<u8>> {
        // This is the only waiter: without a list of waiters, a key has less to go through.
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Vec<u8>>> {
        loop {
            let mut ready = ready!(self.tty.poll_read_ready(cx))?;
            match ready.get_inner().read(&mut self.chunk) {
                Ok(0) if ready.ready().is_read_closed() => {
                    return Poll::Ready(Err(io::Error::other("the terminal ended its input")));
                }
                Ok(0) => ready.clear_ready(),
                Ok(count) => return Poll::Ready(Ok(self.chunk[..count].to_vec())),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}
