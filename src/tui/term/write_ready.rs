//! Writes the waiting output as soon as the terminal is writable.
//!
//! Runs on the loop's own runtime, like the reader. Must not know what is written.

use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::tui::term::guard;

/// Waits until the terminal is writable.
#[derive(Debug)]
pub(crate) struct WriteReady(AsyncFd<File>);

impl WriteReady {
    /// Watches a terminal. Needs a tokio runtime.
    #[expect(
        deprecated,
        reason = "the successor is unsafe for types whose descriptor may change; a File's does not"
    )]
    pub(crate) fn watch(tty: &File) -> io::Result<Self> {
        AsyncFd::with_interest(tty.try_clone()?, Interest::WRITABLE).map(Self)
    }

    /// Returns once no output is waiting. Cancel safe: progress is recorded.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            if guard::flush()? {
                return Poll::Ready(Ok(()));
            }
            ready.clear_ready();
        }
    }
}
