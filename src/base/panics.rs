//! Catches panics of background work and returns them as errors to the caller that waits for the result.
//!
//! Must not know the work. The process's panic hook calls [`is_caught`] to determine whether a panic ends the
//! program or only the work.

use std::any::Any;
use std::cell::Cell;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

thread_local! {
    /// Whether a panic on this thread is caught here.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Background work panicked. The location is in the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {0}")]
pub struct Panicked(String);

impl Panicked {
    /// Returns the panic message, if it is text.
    pub fn from_payload(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(ToString::to_string);
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self(text.unwrap_or_else(|| "a panic without a message".to_string()))
    }
}

/// Whether a panic on this thread, now, is caught by [`catch`] or [`catch_async`].
pub fn is_caught() -> bool {
    CAUGHT.get()
}

/// Runs `work`; a panic becomes an error. Shared data must stay usable if the work stops midway, as with any
/// panic of a thread.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    let before = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    done.map_err(|payload| Panicked::from_payload(&*payload))
}

/// The same for asynchronous work. It is not polled again after a panic.
pub async fn catch_async<T>(work: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut work = pin!(work);
    poll_fn(|cx| match catch(|| work.as_mut().poll(cx)) {
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Ok(Poll::Pending) => Poll::Pending,
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_caught_is_error_with_message() {
        assert_eq!(catch(|| 1), Ok(1));
        let number = 7;
        let caught = catch(|| -> () { panic!("number {number}") }).unwrap_err();
        assert_eq!(caught.to_string(), "internal error: number 7");
        assert!(!is_caught());
    }

    #[tokio::test]
    async fn panic_after_an_await_is_an_error() {
        let work = async {
            assert!(is_caught());
            tokio::task::yield_now().await;
            panic!("late");
        };
        let caught: Result<(), Panicked> = catch_async(work).await;
        assert_eq!(caught.unwrap_err().to_string(), "internal error: late");
        assert!(!is_caught());
    }
}
