//! Review of what an agent changed: from the key to the compared files.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bowline::base::paths::Home;
use bowline::exec::Environment;
use bowline::exec::local::LocalEnvironment;
use bowline::ide::features::review::compute::compare_closed;
use bowline::llm::model::Model;
use bowline::llm::provider::Injected;
use bowline::llm::providers::scripted::{Scripted, Turn};
use bowline::runtime::restore::changes::ChangeScope;
use bowline::runtime::{self, Delivery, Handle, Options, RuntimeEvent};
use bowline::tools::{Ask, Decision, Mode};
use serde_json::json;

use crate::{Effort, percentile, report};

/// Hunks of each file.
const HUNKS: usize = 10;

/// Files of a hundred lines.
fn write_files(work: &Path, files: usize) {
    let mut text = String::new();
    (1..=100).for_each(|n| writeln!(text, "    let value{n} = compute(&self.state, {n})?;").unwrap());
    for n in 0..files {
        let path = work.join(format!("part{}/file{n}.rs", n % 20));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, &text).unwrap();
    }
}

/// A session whose agent has changed ten lines of each file by one command.
async fn changed(root: &Path, work: &Path, env: Arc<dyn Environment>) -> Handle {
    let command = r"find . -name '*.rs' -exec sed -i 's/value\([0-9]*0\) = /renamed\1 = /' {} +";
    let turns = vec![Turn::call("c1", "bash", json!({"command": command})), Turn::text("done")];
    let provider = Arc::new(Scripted::new("scripted", turns));
    let models = vec![Arc::new(Model::unknown("scripted", "script", "scripted", ""))];
    let home = root.join("home").display().to_string();
    let home = Home::find(|name| (name == "BOWLINE_HOME" || name == "HOME").then(|| home.clone())).unwrap();
    let options = Options {
        approval_mode: Mode::Full,
        providers: vec![Injected { provider, models }],
        checkpoints: true,
        ..Options::new(
            home,
            work.to_path_buf(),
            env,
            Arc::new(|ask: Ask| async move { Decision::Deny(ask.rule) }),
        )
    };
    let handle = runtime::start(options).await.unwrap();
    let (_, mut events) = handle.subscribe().await.unwrap();
    handle.prompt("rename them".to_string(), Vec::new(), Delivery::Steer);
    while !matches!(events.recv().await.unwrap(), RuntimeEvent::Settled) {}
    handle
}

/// A thousand files with ten thousand hunks.
pub fn review(effort: Effort) {
    let files = if effort.quick { 50 } else { 1_000 };
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    write_files(&work, files);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let vars = std::env::vars_os().filter(|(name, _)| name == "PATH");
        let env: Arc<dyn Environment> = Arc::new(LocalEnvironment::new(work.clone(), vars));
        let handle = changed(folder.path(), &work, Arc::clone(&env)).await;
        let mut times = Vec::new();
        for _ in 0..effort.times(10) {
            let begun = Instant::now();
            let changes = handle.changes(ChangeScope::LastMessage).await.unwrap();
            let compared = compare_closed(&changes, &env).await;
            times.push(begun.elapsed().as_secs_f64() * 1000.0);
            assert_eq!(compared.iter().map(|file| file.keys.len()).sum::<usize>(), files * HUNKS);
        }
        let name = "review: 1 k files, 10 k hunks compared";
        report(name, percentile(&mut times, 0.5), "ms", None, "<= 200 ms");
        handle.shutdown().await;
    });
}
