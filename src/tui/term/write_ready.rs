//! Sends on what the terminal did not take at once, as soon as it has room.
//!
//! On the loop's own runtime, like the reader. May not know what is sent.

use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll, ready};

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::tui::term::guard;

/// Hears when the terminal takes bytes again.
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

    /// Returns once nothing waits any more. Safe to drop and call again: what was sent is noted.
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
