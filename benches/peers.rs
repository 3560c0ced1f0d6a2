//! The same figures for other editors of the terminal, in the same run: whatever of them is
//! installed opens, types, replaces and takes back what the program does. All of them are driven
//! as their people drive them; what is measured is the terminal's side.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::large::{LINE, MB, fill, key_latency, wait_until_idle};
use crate::terminal::{Program, run_on, to_ms};
use crate::{Effort, percentile, report};

/// An editor and how it is told what to do.
struct Peer {
    name: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    /// To the end of the file, and into a mode that types.
    append: &'static str,
    /// Replaces every `old` by `newer`, up to the last key, which is an Enter or the Escape.
    replace: (&'static str, &'static str),
}

const PEERS: &[Peer] = &[
    Peer {
        name: "bowline",
        program: env!("CARGO_BIN_EXE_bowline"),
        args: &["--keymap", "vim", "text.rs"],
        append: "GA",
        replace: (":%s/old/newer/g", "\r"),
    },
    Peer {
        name: "Neovim",
        program: "nvim",
        // The preview would do the work before it is measured.
        args: &["--clean", "--cmd", "set inccommand=", "text.rs"],
        append: "GA",
        replace: (":%s/old/newer/g", "\r"),
    },
    Peer {
        name: "Helix",
        program: "hx",
        args: &["text.rs"],
        append: "geA",
        replace: ("%sold\rcnewer", "\x1b"),
    },
];

fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    Path::new(program).is_absolute()
        || std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

impl Peer {
    /// The editor with a file of its own, once its beginning is on screen; and how long that took.
    fn open_file(&self, unit: &str, bytes: usize, seen: &str) -> (Program, f64) {
        let mut program = run_on(self.program, self.args, &[], |path| fill(path, unit, bytes));
        let started = program.started;
        let took = to_ms(program.wait_for(seen) - started);
        (program, took)
    }

    fn report(&self, what: &str, figure: f64, unit: &str) {
        report(&format!("{}: {what}", self.name), figure, unit, None, "");
    }

    fn file(&self, effort: Effort, (name, megabytes): (&str, usize)) {
        let bytes = if effort.quick { megabytes * MB / 256 } else { megabytes * MB };
        let mut samples: Vec<f64> =
            (0..effort.times(3)).map(|_| self.open_file(LINE, bytes, "compute").1).collect();
        self.report(&format!("{name}: first text"), percentile(&mut samples, 0.5), "ms");
        let (mut program, _) = self.open_file(LINE, bytes, "compute");
        self.report(&format!("{name}: memory"), wait_until_idle(&mut program), "MB");
        if megabytes > 100 {
            return;
        }
        type_in(&mut program, self.append);
        wait_until_idle(&mut program);
        let mut times: Vec<f64> = (0..effort.times(100)).map(|_| key_latency(&mut program, b"x")).collect();
        self.report(&format!("{name}: key, p50"), percentile(&mut times, 0.5), "ms");
        self.report(&format!("{name}: key, p99"), percentile(&mut times, 0.99), "ms");
    }

    fn replacement(&self, effort: Effort) {
        let matches = if effort.quick { 1_000 } else { 1_000_000 };
        let line = "old text, ".repeat(10) + "\n";
        let (mut program, _) = self.open_file(&line, matches / 10 * line.len(), "old");
        wait_until_idle(&mut program);
        type_in(&mut program, self.replace.0);
        let took = until(&mut program, self.replace.1, "newer");
        self.report("1 000 000 replacements", took, "ms");
        wait_until_idle(&mut program);
        let took = until(&mut program, "u", "old");
        self.report("undo of them", took, "ms");
    }
}

fn type_in(program: &mut Program, keys: &str) {
    program.writer.write_all(keys.as_bytes()).unwrap();
    program.read_until_quiet(Duration::from_millis(300));
}

/// From a key until something of its effect is on the screen.
fn until(program: &mut Program, key: &str, seen: &str) -> f64 {
    let start = Instant::now();
    program.writer.write_all(key.as_bytes()).unwrap();
    to_ms(program.wait_for(seen) - start)
}

/// All of it, editor by editor; those that are not installed are named.
pub fn peers(effort: Effort) {
    for peer in PEERS {
        if !is_installed(peer.program) {
            println!("{:<44} {:>12}", peer.name, "not installed");
            continue;
        }
        for file in [("1 MB", 1), ("100 MB", 100), ("1 GB", 1 << 10)] {
            peer.file(effort, file);
        }
        peer.replacement(effort);
    }
}
