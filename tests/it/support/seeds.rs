//! How often a property is tried, and from which seed. The unit tests include this file, too, as `base::seeds`.
//!
//! `cargo test` must do the same on every run, so the seed is fixed. `BOWLINE_SEEDS=random cargo test` hunts: random
//! seeds, ten times as many cases. What a hunt finds is stored under `proptest-regressions/` and tried first from
//! then on.

use proptest::test_runner::{Config, RngSeed};

/// Any number: the same one on every run is what counts.
const SEED: u64 = 0x0062_6f77_6c69_6e65;

/// How many more cases a hunt tries.
const RANDOM_FACTOR: u32 = 10;

/// Whether this run hunts with random seeds.
pub(crate) fn use_random_seeds() -> bool {
    std::env::var_os("BOWLINE_SEEDS").is_some_and(|value| value == "random")
}

/// The configuration of a property that is tried `cases` times.
pub(crate) fn cases(cases: u32) -> Config {
    let (cases, rng_seed) = if use_random_seeds() {
        (cases * RANDOM_FACTOR, RngSeed::Random)
    } else {
        (cases, RngSeed::Fixed(SEED))
    };
    Config { cases, rng_seed, ..Config::default() }
}
