//! Figures of files that other editors wait for: until their beginning is on screen, memory for
//! each of their bytes, and keys.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::terminal::{KEY_TIMEOUT, Program, bowline_on, to_ms};
use crate::{Effort, percentile, report};

/// One megabyte.
pub const MB: usize = 1 << 20;
/// A line of the files.
pub const LINE: &str = "    let value = compute(&self.state, 42)?; // a line of source with é in it\n";
/// A part of a line without an end.
const LINE_PART: &str = "{\"key\":\"a value with é\",\"numbers\":[1,2,3]},";

/// A file of about that many bytes.
pub fn fill(path: &Path, unit: &str, bytes: usize) {
    let mut file = BufWriter::with_capacity(MB, File::create(path).unwrap());
    for _ in 0..=bytes / unit.len() {
        file.write_all(unit.as_bytes()).unwrap();
    }
    file.flush().unwrap();
}

/// The program with such a file, once its beginning is on screen; and how long that took.
fn open_large_file(unit: &str, bytes: usize, seen: &str) -> (Program, f64) {
    let mut program = bowline_on(|path| fill(path, unit, bytes));
    let started = program.started;
    let took = to_ms(program.wait_for(seen) - started);
    (program, took)
}

/// Waits until the program has nothing to do; resident memory in MB then.
pub fn wait_until_idle(program: &mut Program) -> f64 {
    let (mut before, mut quiet) = (program.usage(), 0);
    while quiet < 3 {
        program.read_until_quiet(Duration::from_millis(100));
        let now = program.usage();
        quiet = if now.0 - before.0 < 1.0 { quiet + 1 } else { 0 };
        before = now;
    }
    before.1
}

/// From writing a key to the first byte of its frame.
pub fn key_latency(program: &mut Program, key: &[u8]) -> f64 {
    let start = Instant::now();
    program.writer.write_all(key).unwrap();
    let mut first = program.read_until_quiet(Duration::from_millis(15)).1;
    while first.is_none() && start.elapsed() < KEY_TIMEOUT {
        first = program.read_until_quiet(Duration::from_millis(15)).1;
    }
    to_ms(first.expect("every key is seen") - start)
}

/// Source of 1 MB, 100 MB and 1 GB.
pub fn files(effort: Effort) {
    let (small, _) = open_large_file(LINE, MB / 64, "compute");
    let empty = wait_until_idle(&mut { small });
    for (name, megabytes) in [("1 MB", 1), ("100 MB", 100), ("1 GB", 1 << 10)] {
        let bytes = if effort.quick { megabytes * MB / 256 } else { megabytes * MB };
        let mut samples: Vec<f64> =
            (0..effort.times(3)).map(|_| open_large_file(LINE, bytes, "compute").1).collect();
        let budget = if megabytes == 1 { "" } else { "<= 1.5x the start of a small file" };
        report(&format!("{name} source: first text"), percentile(&mut samples, 0.5), "ms", None, budget);
        let (mut program, _) = open_large_file(LINE, bytes, "compute");
        let memory = wait_until_idle(&mut program);
        let each = (memory - empty).max(0.0) * MB as f64 / bytes as f64;
        report(&format!("{name} source: memory for each byte"), each, "B", None, "<= 1.2 B");
        if megabytes == 100 {
            key_latency(&mut program, b"\x1b[1;5F");
            let mut times: Vec<f64> =
                (0..effort.times(300)).map(|_| key_latency(&mut program, b"x")).collect();
            report("100 MB source: key, p99", percentile(&mut times, 0.99), "ms", None, "as in 1 MB");
        }
    }
}

/// One line of 52 MB.
pub fn line(effort: Effort) {
    let bytes = if effort.quick { 52 * MB / 256 } else { 52 * MB };
    let (mut program, took) = open_large_file(LINE_PART, bytes, "numbers");
    report("52 MB line: first text", took, "ms", None, "<= 50 ms");
    wait_until_idle(&mut program);
    for (what, place) in [("at the start", &b"\x1b[H"[..]), ("at the end", &b"\x1b[F"[..])] {
        program.writer.write_all(place).unwrap();
        program.read_until_quiet(Duration::from_millis(50));
        let mut times: Vec<f64> = (0..effort.times(100)).map(|_| key_latency(&mut program, b"x")).collect();
        report(&format!("52 MB line: key {what}, p99"), percentile(&mut times, 0.99), "ms", None, "<= 5 ms");
    }
}
