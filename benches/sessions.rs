//! Stored sessions: what a list costs, and a search through all of them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use bowline::session::search::Query;
use bowline::session::store::listing;
use bowline::session::store::search::{Index, StopFlag};

use crate::{Effort, growth, percentile, report};

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

/// Milliseconds that the facts of every file cost, which no list can do without.
fn facts_floor(root: &Path) -> f64 {
    let start = Instant::now();
    for file in std::fs::read_dir(root.join("--w--")).unwrap() {
        assert!(std::fs::metadata(file.unwrap().path()).unwrap().is_file());
    }
    start.elapsed().as_secs_f64() * 1000.0
}

/// The bytes of all sessions, and the milliseconds that looking for a word in them takes.
fn scan_floor(root: &Path, word: &str) -> (u64, f64) {
    let start = Instant::now();
    let (mut bytes, mut found) = (0, 0);
    for file in std::fs::read_dir(root.join("--w--")).unwrap() {
        let text = std::fs::read(file.unwrap().path()).unwrap();
        bytes += text.len() as u64;
        found += memchr::memmem::find_iter(&text, word).count();
    }
    assert!(found > 0, "{word}");
    (bytes, start.elapsed().as_secs_f64() * 1000.0)
}

/// A list of sessions: the first one, and one where nothing is new.
pub fn list(effort: Effort) {
    let counts: &[usize] = if effort.quick { &[10, 20] } else { &[1_250, 10_000] };
    let mut again = Vec::new();
    for count in counts {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), *count, 10);
        let time = || {
            let start = Instant::now();
            assert_eq!(listing::list(root.path()).len(), *count);
            start.elapsed().as_secs_f64() * 1000.0
        };
        let (_, floor) = scan_floor(root.path(), "number");
        report(&format!("list of {count} sessions, first"), time(), "ms", Some(floor), "2 s/GB");
        let mut samples: Vec<f64> = (0..effort.times(9)).map(|_| time()).collect();
        let mut floors: Vec<f64> = (0..effort.times(9)).map(|_| facts_floor(root.path())).collect();
        let (figure, floor) = (percentile(&mut samples, 0.5), percentile(&mut floors, 0.5));
        report(&format!("list of {count} sessions, again"), figure, "ms", Some(floor), "<= 100 ms");
        again.push((*count, figure));
    }
    growth("list, again, over sessions", &again, "ms", "<= 1.05");
}

/// A search through all entries: making the index, a rare word, a common one, and a key of somebody who types.
/// Each opens the index, as a key of somebody who types does.
pub fn search(effort: Effort) {
    let sizes: &[usize] = if effort.quick { &[1_000] } else { &[1_000, 100_000, 1_000_000] };
    let mut figures: Vec<(&str, Vec<(usize, f64)>)> = Vec::new();
    for entries in sizes {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), entries / 500, 500);
        let stop = StopFlag::default();
        let start = Instant::now();
        let mut index = Index::open(root.path()).unwrap();
        assert_eq!(index.update(&stop).unwrap().entries, *entries);
        let what = format!("search, {entries} entries");
        let took = start.elapsed().as_secs_f64() * 1000.0;
        let rare = format!("number{}", entries / 3);
        let (bytes, scan) = scan_floor(root.path(), &rare);
        report(&format!("{what}, {} MB: index", bytes / 1_000_000), took, "ms", Some(scan), "-");
        let start = Instant::now();
        assert_eq!(index.update(&stop).unwrap().entries, 0);
        report(&format!("{what}: nothing new"), start.elapsed().as_secs_f64() * 1000.0, "ms", None, "-");
        drop(index);
        for (name, text) in [
            ("rare", rare.as_str()),
            ("common", "the"),
            ("two", "login parser"),
            ("phrase", "\"the file\""),
            ("begun", "te*"),
            // Nobody gives labels here: every place of the word is looked at in vain.
            ("in vain", "the role:label"),
        ] {
            let query = Query::parse(text, 0, false);
            let mut samples: Vec<f64> = (0..effort.times(9))
                .map(|_| {
                    let start = Instant::now();
                    let mut index = Index::open(root.path()).unwrap();
                    let found = index.find(&query, 50, &stop).unwrap();
                    assert_eq!(found.is_empty(), name == "in vain", "{text}");
                    start.elapsed().as_secs_f64() * 1000.0
                })
                .collect();
            let figure = percentile(&mut samples, 0.5);
            report(&format!("{what}: {name}"), figure, "ms", Some(scan), "<= 16 ms");
            match figures.iter_mut().find(|(known, _)| *known == name) {
                Some((_, all)) => all.push((*entries, figure)),
                None => figures.push((name, vec![(*entries, figure)])),
            }
        }
    }
    for (name, figures) in figures.iter().filter(|(_, figures)| figures.len() > 1) {
        growth(&format!("search, {name}, over entries"), figures, "ms", "<= 0.1");
    }
}
