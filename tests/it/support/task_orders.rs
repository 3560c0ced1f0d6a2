//! Seeds for the order in which answers of tasks reach the IDE.
//!
//! Every test has the order that its name gives. A test of a race is a property over several orders:
//! [`in_several_orders`]. `BOWLINE_SEEDS=random` tries new ones.

use std::cell::Cell;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::seeds;

/// Orders that a property is tried in.
const TASK_ORDERS: u64 = 8;

thread_local! {
    /// The number of the order that is tried now.
    static ORDER: Cell<u64> = const { Cell::new(0) };
}

/// The seed of the order that the test on this thread runs in.
pub fn seed() -> u64 {
    let random = if seeds::use_random_seeds() { fastrand::u64(..) } else { 0 };
    let mut hasher = DefaultHasher::new();
    std::thread::current().name().hash(&mut hasher);
    (hasher.finish() ^ random).wrapping_add(ORDER.get())
}

/// Runs a story once in each of several orders. It must run on one thread, as tests do unless they say otherwise.
pub async fn with_task_orders(story: impl AsyncFn()) {
    for order in 0..TASK_ORDERS {
        ORDER.set(order);
        story().await;
    }
}
