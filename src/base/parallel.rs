//! Parallel processing of many items on a few threads.
//!
//! Must not know the work. For work that a caller waits for; background work belongs in a task.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::Scope;

/// Maximum number of threads.
const THREADS_MAX: usize = 4;
/// Maximum number of results per thread that wait to be consumed.
const QUEUE_MAX: usize = 2;

/// Returns the useful number of threads on this machine.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(THREADS_MAX)
}

/// Processes the items in shares of this size, each on a thread, the first on this one. Returns the results
/// of the shares in order.
pub fn map_chunks<'a, T: Sync, R: Send>(
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

/// Produces items on threads and consumes them here, in order, while the next are produced; few of them wait.
/// A thread reuses its state and consumed items: allocating memory again costs more than much of the work.
/// Ends with the first error of `take`.
pub fn produce_ordered<S: Default, R: Default + Send, E>(
    count: usize,
    make: impl Fn(usize, &mut S, &mut R) + Sync,
    mut take: impl FnMut(&mut R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = threads().min(count);
    let (mut own, mut thing) = (S::default(), R::default());
    let mut make_here = |n, take: &mut dyn FnMut(&mut R) -> Result<(), E>| {
        make(n, &mut own, &mut thing);
        take(&mut thing)
    };
    if threads < 2 {
        return (0..count).try_for_each(|n| make_here(n, &mut take));
    }
    let make = &make;
    std::thread::scope(|scope| {
        let begin = |first: usize| {
            let ((send, ready), (back, used)) = (mpsc::sync_channel(QUEUE_MAX), mpsc::channel::<R>());
            let work = move || {
                let mut own = S::default();
                for n in (first..count).step_by(threads) {
                    let mut thing = used.try_recv().unwrap_or_default();
                    make(n, &mut own, &mut thing);
                    if send.send(thing).is_err() {
                        break;
                    }
                }
            };
            let thread = std::thread::Builder::new().spawn_scoped(scope, work);
            thread.inspect_err(|error| tracing::warn!("no thread for a share of the work: {error}"))?;
            Ok::<_, std::io::Error>((ready, back))
        };
        let others: Vec<_> = (0..threads).map(begin).collect();
        for n in 0..count {
            let Ok((ready, back)) = &others[n % threads] else {
                make_here(n, &mut take)?;
                continue;
            };
            // If the thread panicked, this one panics, too, at the end of the scope.
            let Ok(mut thing) = ready.recv() else { break };
            take(&mut thing)?;
            // The thread may have produced its last item.
            drop(back.send(thing));
        }
        Ok(())
    })
}

/// Processes items on `threads` threads as they arrive, and consumes the results here, in order. `worker`
/// creates a thread's state. Items are fetched on this thread, only a few ahead of the results, and no more
/// once `take` breaks; work in progress is then dropped. A panic of `work` is propagated.
pub fn map_ordered<T: Send, W: Send, R: Send>(
    threads: usize,
    items: impl IntoIterator<Item = T>,
    mut worker: impl FnMut() -> W,
    work: impl Fn(&mut W, T) -> R + Sync,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    let work = &work;
    let mut items = items.into_iter();
    std::thread::scope(|scope| {
        let started: std::io::Result<Vec<_>> =
            (0..threads).map(|_| Worker::start(scope, worker(), work)).collect();
        let lanes = match started {
            Ok(lanes) if !lanes.is_empty() => lanes,
            Ok(_) => return map_inline(items, worker(), work, take),
            Err(error) => {
                tracing::warn!("no thread for a share of the work: {error}");
                return map_inline(items, worker(), work, take);
            }
        };
        let (mut sent, mut taken) = (0, 0);
        loop {
            // Ready results are taken at once; others are awaited only with enough work begun.
            while taken < sent {
                let full = sent - taken == lanes.len() * QUEUE_MAX;
                let Some(done) = lanes[taken % lanes.len()].next(full) else { break };
                taken += 1;
                if take(done).is_break() {
                    return;
                }
            }
            if sent - taken == lanes.len() * QUEUE_MAX {
                // A thread panicked, and so does this one at the end of the scope.
                return;
            }
            let Some(item) = items.next() else { break };
            if lanes[sent % lanes.len()].items.send(item).is_err() {
                return;
            }
            sent += 1;
        }
        for n in taken..sent {
            let Some(done) = lanes[n % lanes.len()].next(true) else { return };
            if take(done).is_break() {
                return;
            }
        }
    });
}

/// The same on this thread alone.
fn map_inline<T, W, R>(
    items: impl Iterator<Item = T>,
    mut worker: W,
    work: impl Fn(&mut W, T) -> R,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) {
    for item in items {
        if take(work(&mut worker, item)).is_break() {
            return;
        }
    }
}

/// A thread with the items sent to it and their results.
struct Worker<T, R> {
    items: SyncSender<T>,
    done: Receiver<R>,
}

impl<T: Send, R: Send> Worker<T, R> {
    fn start<'scope, W: Send + 'scope>(
        scope: &'scope Scope<'scope, '_>,
        mut worker: W,
        work: &'scope (impl Fn(&mut W, T) -> R + Sync),
    ) -> std::io::Result<Self>
    where
        T: 'scope,
        R: 'scope,
    {
        let ((items, requests), (give, done)) =
            (mpsc::sync_channel(QUEUE_MAX), mpsc::sync_channel(QUEUE_MAX));
        std::thread::Builder::new().spawn_scoped(scope, move || {
            for item in requests {
                if give.send(work(&mut worker, item)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { items, done })
    }

    /// Returns the next result: if it is ready, or after waiting. `None` also if the thread panicked.
    fn next(&self, wait: bool) -> Option<R> {
        match self.done.try_recv() {
            Ok(done) => Some(done),
            Err(TryRecvError::Empty) if wait => self.done.recv().ok(),
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_each_keeps_order() {
        let items: Vec<u32> = (0..10).collect();
        assert_eq!(map_chunks(&items, 3, |share| share.iter().sum::<u32>()), [3, 12, 21, 9]);
        assert_eq!(map_chunks(&items, 0, <[u32]>::len), [1; 10]);
        assert!(map_chunks(&[] as &[u32], 3, <[u32]>::len).is_empty());
        assert!(threads() >= 1);
    }

    #[test]
    fn parallel_in_order_stops_on_error() {
        for count in [0, 1, 2, 100] {
            let mut taken = Vec::new();
            let make = |n: usize, made: &mut usize, thing: &mut Vec<usize>| {
                *made += 1;
                thing.push(n);
                assert!(*made <= n + 1, "each thread counts its own");
            };
            let done: Result<(), ()> = produce_ordered(count, make, |thing| {
                taken.append(thing);
                Ok(())
            });
            assert_eq!((done, taken), (Ok(()), (0..count).collect::<Vec<_>>()));
        }
        let make = |n: usize, (): &mut (), thing: &mut usize| *thing = n;
        let failed = produce_ordered(1000, make, |n| if *n == 7 { Err(*n) } else { Ok(()) });
        assert_eq!(failed, Err(7));
        let panic = std::panic::catch_unwind(|| {
            let make = |n: usize, (): &mut (), (): &mut ()| assert_ne!(n, 5, "on purpose");
            produce_ordered(10, make, |()| Ok::<_, ()>(()))
        });
        assert!(panic.is_err());
    }

    #[test]
    fn parallel_work_ahead_is_bounded() {
        for threads in [0, 1, 3] {
            let asked = std::cell::Cell::new(0);
            let items = (0..1000).inspect(|_| asked.set(asked.get() + 1));
            let mut taken = Vec::new();
            map_ordered(
                threads,
                items,
                || 0,
                |seen, n| {
                    *seen += 1;
                    assert!(*seen <= n + 1, "each thread counts its own");
                    n * 2
                },
                |twice| {
                    taken.push(twice);
                    if twice == 100 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                },
            );
            assert_eq!(taken, (0..=50).map(|n| n * 2).collect::<Vec<_>>(), "{threads} threads");
            assert!(asked.get() <= 51 + threads * QUEUE_MAX, "{} asked for", asked.get());
        }
    }

    #[test]
    fn parallel_worker_panic_reaches_caller() {
        for threads in [0, 2] {
            let panic = std::panic::catch_unwind(|| {
                let work = |(): &mut (), n: usize| assert_ne!(n, 5, "on purpose");
                map_ordered(threads, 0..100, || (), work, |()| ControlFlow::Continue(()));
            });
            assert!(panic.is_err(), "{threads} threads");
        }
    }
}
