//! The built binary with language servers attached: what they cost keys, memory and idleness, and a long rename.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use bowline::exec::storage::trust::Trust;
use bowline::runtime::agent_setup::trust_requests::TrustRequests;
use serde_json::{Value, json};

use crate::terminal::{Program, megabyte, run_on, to_ms, type_keys, watch_idle};
use crate::{Effort, percentile, report};

/// The server of the tests, which does what a script says.
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/language_server.py");
/// How long servers may take to start.
const START_MAX: Duration = Duration::from_secs(20);

fn script() -> Value {
    json!({ "capabilities": { "textDocumentSync": { "openClose": true, "change": 2 }, "hoverProvider": true } })
}

/// Writes what makes such servers serve Rust in a trusted folder. A `file` stands in the folder `work`.
fn configure(file: &Path, scripts: &[Value]) {
    let work = file.parent().unwrap();
    let folder = work.parent().unwrap();
    let (config, state) = (folder.join("home/config"), folder.join("home/state"));
    fs::create_dir_all(&config).unwrap();
    fs::create_dir_all(&state).unwrap();
    let mut table = String::new();
    for (n, script) in scripts.iter().enumerate() {
        let path = folder.join(format!("script-{n}.json"));
        fs::write(&path, script.to_string()).unwrap();
        let args = [SERVER, &path.display().to_string()];
        table += &format!("[language-server.toy-{n}]\ncommand = \"python3\"\nargs = {args:?}\n\n");
    }
    let names: Vec<String> = (0..scripts.len()).map(|n| format!("toy-{n}")).collect();
    table += &format!("[[language]]\nname = \"rust\"\nroots = []\nlanguage-servers = {names:?}\n");
    fs::write(config.join("servers.toml"), table).unwrap();
    let work = work.canonicalize().unwrap();
    let digest = TrustRequests::read(&work, folder).digest.unwrap();
    Trust::new(&state).answer(&work, &digest, true).unwrap();
}

/// The program with a file open and so many servers as there are scripts.
fn served(text: &str, scripts: &[Value], fill: impl FnOnce(&Path)) -> Program {
    let mut program = run_on(env!("CARGO_BIN_EXE_bowline"), &["text.rs"], &[], |file| {
        configure(file, scripts);
        fs::write(file, text).unwrap();
        fill(file.parent().unwrap());
    });
    program.wait_for("palette");
    let limit = Instant::now() + START_MAX;
    let is_open = |n: usize| {
        let log = program.folder.path().join(format!("script-{n}.json.log"));
        fs::read_to_string(log).is_ok_and(|log| log.contains("textDocument/didOpen"))
    };
    while !(0..scripts.len()).all(is_open) {
        assert!(Instant::now() < limit, "the servers get the file");
        std::thread::sleep(Duration::from_millis(10));
    }
    program
}

/// From the start of the process to the first frame, with and without servers for the file.
pub fn start(effort: Effort) {
    let paint = |scripts: &[Value]| {
        let mut times: Vec<f64> = (0..effort.times(20))
            .map(|_| {
                let mut program = run_on(env!("CARGO_BIN_EXE_bowline"), &["text.rs"], &[], |file| {
                    configure(file, scripts);
                    fs::write(file, "text\n").unwrap();
                });
                to_ms(program.wait_for("palette") - program.started)
            })
            .collect();
        percentile(&mut times, 0.5)
    };
    let without = paint(&[]);
    report("start with three servers", paint(&[script(), script(), script()]), "ms", Some(without), "1x");
}

/// Keys with three servers, and while one of them sends without a pause; the floor is the same without servers.
pub fn keys(effort: Effort) {
    let text = megabyte();
    let flood = json!([
        { "method": "window/logMessage", "params": { "type": 3, "message": "a line of a log" } },
        { "method": "textDocument/publishDiagnostics", "params": { "uri": "$ROOT/text.rs", "diagnostics": [
            { "range": { "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } },
              "message": "wrong" } ] } },
    ]);
    let mut flooding = script();
    flooding["flood"] = flood;
    let count = effort.times(300);
    let mut without = type_keys(&mut served(&text, &[], |_| ()), count);
    let floors = [0.5, 0.99].map(|share| percentile(&mut without.times, share));
    for (what, third) in [("three servers", script()), ("one of three floods", flooding)] {
        let mut program = served(&text, &[script(), script(), third], |_| ());
        let mut typed = type_keys(&mut program, count);
        for (share, name, floor) in [(0.5, "p50", floors[0]), (0.99, "p99", floors[1])] {
            let took = percentile(&mut typed.times, share);
            report(&format!("key to first byte, {what}, {name}"), took, "ms", Some(floor), "1x");
        }
        report(&format!("CPU per character, {what}"), typed.cpu, "ms", Some(without.cpu), "");
    }
}

/// Ten seconds of nothing with three servers.
pub fn idle(effort: Effort) {
    let mut program = served("text\n", &[script(), script(), script()], |_| ());
    let idle = watch_idle(&mut program, effort);
    report("idle 10 s with three servers: wake-ups", idle.wakeups as f64, "", None, "0");
    report("idle 10 s with three servers: bytes", idle.bytes as f64, "B", None, "0");
    report("idle 10 s with three servers: CPU", idle.cpu, "ms", None, "0");
}

/// What many diagnostics of an open file hold.
pub fn memory(effort: Effort) {
    let count = if effort.quick { 100 } else { 100_000 };
    let text = "fn function() { let text = 1; }\n".repeat(count);
    let mark = |line: usize| {
        let at = |character: usize| json!({ "line": line, "character": character });
        json!({ "range": { "start": at(3), "end": at(11) }, "severity": 1, "source": "toy",
            "message": format!("something is wrong in line {line}") })
    };
    let all: Vec<Value> = (0..count).map(mark).collect();
    let sent = json!([{ "method": "textDocument/publishDiagnostics",
        "params": { "uri": "$ROOT/text.rs", "diagnostics": all } }]);
    let held = |script: Value, shown: &str| {
        let mut program = served(&text, &[script], |_| ());
        program.wait_for(shown);
        program.read_until_quiet(Duration::from_secs(2));
        program.usage().1
    };
    let without = held(script(), "palette");
    let mut marking = script();
    marking["on"] = json!({ "textDocument/didOpen": sent });
    report(
        "100 000 diagnostics: memory",
        held(marking, "something is wrong") - without,
        "MB",
        None,
        "<= 40 MB",
    );
}

/// From Enter to the preview of a rename over many files.
pub fn rename(effort: Effort) {
    let count = if effort.quick { 10 } else { 1_000 };
    let path = |n: usize| format!("folder_{}/file_{n}.rs", n % 20);
    let edit = |line: usize| {
        let at = |character: usize| json!({ "line": line, "character": character });
        json!({ "range": { "start": at(3), "end": at(11) }, "newText": "renamed" })
    };
    let changes: serde_json::Map<String, Value> =
        (0..count).map(|n| (format!("$ROOT/{}", path(n)), json!([edit(0), edit(20), edit(40)]))).collect();
    let mut renaming = script();
    renaming["capabilities"]["renameProvider"] = json!(true);
    renaming["answers"] = json!({ "textDocument/rename": { "changes": changes } });
    let line = "fn function() { let text = 1; }\n";
    let mut program = served(line, &[renaming], |work| {
        for n in 0..count {
            let file = work.join(path(n));
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, line.repeat(50)).unwrap();
        }
    });
    program.read_until_quiet(Duration::from_millis(500));
    // The key of the command, on a name.
    program.writer.write_all(b"\x1b[C\x1b[C\x1b[C\x1b,kR").unwrap();
    program.wait_for("Rename");
    program.read_until_quiet(Duration::from_millis(300));
    program.writer.write_all(b"renamed").unwrap();
    program.read_until_quiet(Duration::from_millis(300));
    let start = Instant::now();
    program.writer.write_all(b"\r").unwrap();
    let shown = program.wait_for(&format!("in {count} files"));
    report("rename over 1 000 files: preview", to_ms(shown - start), "ms", None, "<= 1 s");
}
