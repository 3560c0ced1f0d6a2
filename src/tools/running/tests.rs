//! Calls of tools that run commands, for their tests.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::exec::LocalEnvironment;
use crate::llm::model::message::join_text;
use crate::tools::{AgentToolState, Invocation, Outcome, Tool};

/// A folder, and what a session keeps.
pub struct Bench {
    /// The workspace.
    pub folder: tempfile::TempDir,
    /// What the calls share.
    pub shared: Arc<AgentToolState>,
    /// Interrupts calls.
    pub cancel: CancellationToken,
}

impl Bench {
    /// A new session.
    #[expect(clippy::new_without_default, reason = "a test has no default")]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shared = Arc::new(AgentToolState::new(folder.path().join("artifacts")));
        Self { folder, shared, cancel: CancellationToken::new() }
    }

    /// Runs a call; cancelled as soon as it shows `stop me`.
    pub async fn run(&self, tool: &dyn Tool, args: Value) -> Outcome {
        let home = self.folder.path().join("home").into_os_string();
        let vars = [("PATH".into(), "/usr/bin:/bin".into()), ("HOME".into(), home)];
        let cancel = self.cancel.clone();
        let call = Invocation {
            folder: None,
            call_id: "call/1".into(),
            args: tool.prepare(args),
            env: Arc::new(LocalEnvironment::new(self.folder.path().canonicalize().unwrap(), vars)),
            cancel: self.cancel.clone(),
            progress: Arc::new(move |text: String| {
                if text.contains("stop me") {
                    cancel.cancel();
                }
            }),
            shared: Arc::clone(&self.shared),
        };
        tool.run(call).await
    }

    /// The text of a call's result, and whether it failed.
    pub async fn text(&self, tool: &dyn Tool, args: Value) -> (String, bool) {
        let outcome = self.run(tool, args).await;
        (join_text(&outcome.content), outcome.is_error)
    }
}

/// What a call says must come back from what it does.
pub fn goes_round(tool: &dyn Tool, args: &Value) {
    let intent = tool.intent(args).expect("the call can be said");
    assert_eq!(tool.args_for(&intent).as_ref(), Some(args));
}
