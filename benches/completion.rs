//! The prompt's completions in a large workspace.

use std::fmt::Write as _;
use std::time::Instant;

use bowline::ide::features::prompt::completion::files;
use tokio_util::sync::CancellationToken;

use crate::{Effort, percentile, report};

const WORDS: [&str; 12] = [
    "src", "core", "parser", "network", "graphics", "storage", "compiler", "frontend", "backend", "runtime",
    "helpers", "model",
];

/// Paths of files four folders deep, sorted by folder.
pub fn paths(count: usize) -> String {
    let word = |n: usize| WORDS[n % WORDS.len()];
    let mut list = String::new();
    for n in 0..count {
        let folder =
            format!("{}/{}_{}/{}_{}", word(n / 20_000), word(n / 2_000), n / 5_000, word(n / 200), n / 500);
        write!(list, "{folder}/{}_{}_{n}.rs\0", word(n), word(n / 12)).unwrap();
    }
    list
}

/// From a key after `@` to the rows.
pub fn files_of_workspace(effort: Effort) {
    let count = if effort.quick { 2_000 } else { 200_000 };
    let list = paths(count);
    let mut times = Vec::new();
    for _ in 0..effort.times(10) {
        for query in ["p", "pa", "par", "pars", "parse", "parser_m", "zzq"] {
            let begun = Instant::now();
            let rows = files::best(&list, query, &[], &CancellationToken::new()).unwrap();
            times.push(begun.elapsed().as_secs_f64() * 1_000.0);
            assert_eq!(rows.is_empty(), query == "zzq", "{query}");
        }
    }
    report("completion: a key over 200 k files", percentile(&mut times, 0.5), "ms", None, "<= 16 ms");
}
