//! Work on many things at once, shared between a few threads of its own.
//!
//! Must not know what the work is. For work that somebody waits for; what goes on beside that is a task.

use std::num::NonZeroUsize;

/// Most threads that work at once.
const THREADS_MAX: usize = 4;

/// How many threads are worth starting here.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(THREADS_MAX)
}

/// Works on shares of so many items each, every one on a thread, the first on this one. Gives what comes of each
/// share, in order.
pub fn each<'a, T: Sync, R: Send>(
    items: &'a [T],
    share: usize,
    work: impl Fn(&'a [T]) -> R + Sync,
) -> Vec<R> {
    let work = &work;
    let mut shares = items.chunks(share.max(1));
    let Some(first) = shares.next() else { return Vec::new() };
    std::thread::scope(|scope| {
        let others: Vec<_> = shares
            .map(|share| (share, std::thread::Builder::new().spawn_scoped(scope, move || work(share))))
            .collect();
        let mut done = vec![work(first)];
        done.extend(others.into_iter().map(|(share, thread)| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                tracing::warn!("no thread for a share of the work: {error}");
                work(share)
            }
        }));
        done
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_of_shares_is_in_their_order() {
        let items: Vec<u32> = (0..10).collect();
        assert_eq!(each(&items, 3, |share| share.iter().sum::<u32>()), [3, 12, 21, 9]);
        assert_eq!(each(&items, 0, <[u32]>::len), [1; 10]);
        assert!(each(&[] as &[u32], 3, <[u32]>::len).is_empty());
        assert!(threads() >= 1);
    }
}
