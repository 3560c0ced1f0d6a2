//! The benchmarks still run: each once, on small input, without looking at the figures.

use std::process::Command;

#[test]
fn every_benchmark_runs() {
    let out = Command::new(env!("CARGO"))
        .args(["bench", "--bench", "budgets", "--profile", "dev", "--locked", "--", "--quick"])
        .current_dir(crate::source::root())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
    for row in [
        "key to frame",
        "bytes per typed",
        "start to first paint",
        "idle 10 s",
        "100 MB source: first text",
        "52 MB line: key",
    ] {
        assert!(text.contains(row), "{row} is missing:\n{text}");
    }
}
