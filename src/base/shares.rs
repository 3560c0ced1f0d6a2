//! Work on many things at once, shared between a few threads of its own.
//!
//! Must not know what the work is. For work that somebody waits for; what goes on beside that is a task.

use std::num::NonZeroUsize;
use std::sync::mpsc;

/// Most threads that work at once.
const THREADS_MAX: usize = 4;
/// Things that a thread may have made before they are taken.
const WAITING: usize = 2;

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

/// Makes so many things on threads of their own and takes them here, in order, while the next are made; those that
/// wait are few. What a thread uses time after time it keeps, and a thing that was taken is made into another one:
/// memory that is given back and asked for again costs more than much of what is done in it. Ends with the first
/// failure of `take`.
pub fn in_order<S: Default, R: Default + Send, E>(
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
            let ((send, ready), (back, used)) = (mpsc::sync_channel(WAITING), mpsc::channel::<R>());
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
            // Where it panicked, this one does so, too, at the end of the scope.
            let Ok(mut thing) = ready.recv() else { break };
            take(&mut thing)?;
            // It may have made the last of its things.
            drop(back.send(thing));
        }
        Ok(())
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

    #[test]
    fn what_is_made_is_taken_in_order_until_that_fails() {
        for count in [0, 1, 2, 100] {
            let mut taken = Vec::new();
            let make = |n: usize, made: &mut usize, thing: &mut Vec<usize>| {
                *made += 1;
                thing.push(n);
                assert!(*made <= n + 1, "each thread counts its own");
            };
            let done: Result<(), ()> = in_order(count, make, |thing| {
                taken.append(thing);
                Ok(())
            });
            assert_eq!((done, taken), (Ok(()), (0..count).collect::<Vec<_>>()));
        }
        let make = |n: usize, (): &mut (), thing: &mut usize| *thing = n;
        let failed = in_order(1000, make, |n| if *n == 7 { Err(*n) } else { Ok(()) });
        assert_eq!(failed, Err(7));
        let panic = std::panic::catch_unwind(|| {
            let make = |n: usize, (): &mut (), (): &mut ()| assert_ne!(n, 5, "on purpose");
            in_order(10, make, |()| Ok::<_, ()>(()))
        });
        assert!(panic.is_err());
    }
}
