//! Tools of any family on real files, without a session.

use std::fs;
use std::sync::Arc;

use bowline::exec::LocalEnvironment;
use bowline::llm::model::message::join_text;
use bowline::tools::files::state::ReadFirst;
use bowline::tools::{AgentToolState, Invocation, Outcome, Registry};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A workspace and what a session keeps: tools run in it as a session would run them.
pub struct ToolFixture {
    pub folder: tempfile::TempDir,
    pub shared: Arc<AgentToolState>,
}

impl ToolFixture {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let desk = Self { shared: Arc::new(AgentToolState::new(folder.path().join("outputs"))), folder };
        for (name, text) in files {
            desk.write_file(name, text);
        }
        desk
    }

    pub fn read_first(mut self, rule: ReadFirst) -> Self {
        self.shared = Arc::new(AgentToolState::new(self.folder.path().join("outputs")).with_read_first(rule));
        self
    }

    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    pub fn write_file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read_file(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub async fn execute(&self, set: &str, name: &str, args: Value, cancel: CancellationToken) -> Outcome {
        let registry = Registry::of(set);
        let tool = registry.get(name).unwrap_or_else(|| panic!("{set} has no {name}"));
        let schema = bowline::base::schema::Schema::new(&tool.spec().parameters);
        let args = schema.check(tool.prepare(args)).unwrap();
        let env = Arc::new(LocalEnvironment::new(self.folder.path().to_path_buf(), []));
        let mut call = Invocation::new(args, env, Arc::clone(&self.shared));
        call.cancel = cancel;
        tool.run(call).await
    }

    pub async fn outcome(&self, set: &str, name: &str, args: Value) -> Outcome {
        self.execute(set, name, args, CancellationToken::new()).await
    }

    pub async fn ok(&self, set: &str, name: &str, args: Value) -> String {
        let outcome = self.outcome(set, name, args).await;
        assert!(!outcome.is_error, "{outcome:?}");
        join_text(&outcome.content)
    }

    pub async fn error(&self, set: &str, name: &str, args: Value) -> String {
        let outcome = self.outcome(set, name, args).await;
        assert!(outcome.is_error, "{outcome:?}");
        join_text(&outcome.content)
    }
}
