//! Stored sessions: what a list costs, and a search through all of them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use bowline::session::search::Query;
use bowline::session::store::listing;
use bowline::session::store::search::{Index, Stop};

use crate::{Effort, percentile, report};

/// Words that entries are made of; the first ones are in nearly every entry.
const WORDS: [&str; 12] = [
    "the", "of", "file", "test", "loop", "login", "session", "branch", "retry", "parser", "budget",
    "terminal",
];

/// Writes so many sessions with so many entries each.
fn write(root: &Path, sessions: usize, entries: usize) {
    let folder = root.join("--w--");
    std::fs::create_dir_all(&folder).unwrap();
    for session in 0..sessions {
        let id = format!("{session:032x}");
        let mut text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"timestamp\":\"2025-11-20T10:00:00.000Z\",\"cwd\":\"/w\"}}\n"
        );
        for entry in 0..entries {
            let role = if entry % 2 == 0 { "user" } else { "toolResult" };
            let n = session * entries + entry;
            let words: Vec<&str> =
                (0..40).map(|word| WORDS[(n * 7 + word * word) % (1 + word % 12)]).collect();
            let parent = if entry == 0 { "null".to_string() } else { format!("\"{:08x}\"", entry - 1) };
            writeln!(
                text,
                "{{\"type\":\"message\",\"id\":\"{entry:08x}\",\"parentId\":{parent},\"timestamp\":\"2025-11-20T10:00:00.000Z\",\"message\":{{\"role\":\"{role}\",\"toolCallId\":\"c\",\"toolName\":\"bash\",\"content\":\"{} number{n}\"}}}}",
                words.join(" ")
            )
            .unwrap();
        }
        std::fs::write(folder.join(format!("2025-11-20T10-00-00-000Z_{id}.jsonl")), text).unwrap();
    }
}

/// A list of sessions: the first one, and one where nothing is new.
pub fn list(effort: Effort) {
    let count = if effort.quick { 20 } else { 10_000 };
    let root = tempfile::tempdir().unwrap();
    write(root.path(), count, 10);
    let time = || {
        let start = Instant::now();
        assert_eq!(listing::list(root.path()).len(), count);
        start.elapsed().as_secs_f64() * 1000.0
    };
    report(&format!("list of {count} sessions, first"), time(), "ms", None, "2 s/GB");
    let mut samples: Vec<f64> = (0..effort.times(5)).map(|_| time()).collect();
    report(&format!("list of {count} sessions, again"), percentile(&mut samples, 0.5), "ms", None, "-");
}

/// A search through all entries: making the index, a rare word, a common one, and a key of somebody who types.
pub fn search(effort: Effort) {
    let sizes: &[usize] = if effort.quick { &[1_000] } else { &[1_000, 100_000, 1_000_000] };
    for entries in sizes {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), entries / 500, 500);
        let stop = Stop::default();
        let start = Instant::now();
        let mut index = Index::open(root.path()).unwrap();
        assert_eq!(index.update(&stop).unwrap().entries, *entries);
        let what = format!("search, {entries} entries");
        report(&format!("{what}: index"), start.elapsed().as_secs_f64() * 1000.0, "ms", None, "-");
        let start = Instant::now();
        assert_eq!(index.update(&stop).unwrap().entries, 0);
        report(&format!("{what}: nothing new"), start.elapsed().as_secs_f64() * 1000.0, "ms", None, "-");
        let rare = format!("number{}", entries / 3);
        for (name, text) in
            [("rare", rare.as_str()), ("common", "the"), ("two", "login parser"), ("begun", "te*")]
        {
            let query = Query::parse(text, 0, false);
            let mut samples: Vec<f64> = (0..effort.times(9))
                .map(|_| {
                    let start = Instant::now();
                    assert!(!index.find(&query, 50, &stop).unwrap().is_empty(), "{text}");
                    start.elapsed().as_secs_f64() * 1000.0
                })
                .collect();
            report(&format!("{what}: {name}"), percentile(&mut samples, 0.5), "ms", None, "16 ms");
        }
    }
}
