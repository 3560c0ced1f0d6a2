//! The tool contract: interface, input and output of every tool.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::intent::{Intent, Kind};
use super::shared::AgentToolState;
use super::view::{CallView, ResultView};
use crate::exec::Environment;
use crate::llm::model::{Part, ToolSpec};
use crate::tools::output::limits::Limits;

/// Possible effects of a tool; approval policies depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolClass {
    /// Read-only.
    Reads,
    /// Changes files.
    Edits,
    /// Runs commands.
    Runs,
}

/// A tool that a model can call.
pub trait Tool: Send + Sync {
    /// Returns name, description and parameters for models. Stable byte for byte.
    fn spec(&self) -> ToolSpec;

    /// Returns its permission class.
    fn class(&self) -> ToolClass;

    /// Returns its kind.
    fn kind(&self) -> Kind {
        Kind::Other
    }

    /// Returns the intent of a call; `None` if only this tool can serve it.
    #[doc(hidden)]
    fn intent(&self, _args: &Value) -> Option<Intent> {
        None
    }

    /// Returns arguments with which this tool serves an intent; `None` if it cannot.
    #[doc(hidden)]
    fn args_for(&self, _act: &Intent) -> Option<Value> {
        None
    }

    /// Returns the limits on its text for the model; `None` if it limits the text itself.
    fn limits(&self) -> Option<Limits> {
        None
    }

    /// Returns one line for the tool list of the system prompt.
    fn snippet(&self) -> &'static str;

    /// Whether it is available by default. A short list keeps the prompt short; the user can enable the
    /// others.
    fn by_default(&self) -> bool {
        true
    }

    /// Whether a batch with this tool must run sequentially.
    fn sequential(&self) -> bool {
        false
    }

    /// Whether a command starts in the folder where the agent's last one ended, if that is in the workspace.
    fn keeps_folder(&self) -> bool {
        false
    }

    /// Fixes known deviations of models before arguments are validated.
    fn prepare(&self, args: Value) -> Value {
        args
    }

    /// Returns the targets of a call for policies and approvals: the path that a tool reads or edits, or the
    /// command that it runs. Each is checked separately, and the strictest verdict applies.
    fn targets(&self, args: &Value) -> Vec<String> {
        let name = if self.class() == ToolClass::Runs { "command" } else { "path" };
        vec![args.get(name).and_then(Value::as_str).map_or_else(|| args.to_string(), str::to_string)]
    }

    /// Finds out what a call would do, without changing anything; `None` if its arguments say it, so that this tool runs it.
    /// The error is for the model.
    #[doc(hidden)]
    fn plan(&self, _call: &Invocation) -> Option<BoxFuture<'static, Result<PlannedCall, String>>> {
        None
    }

    /// Runs one call whose arguments match the schema. Never panics on bad input: an error is an outcome with
    /// `is_error`, with a text that a model can act on.
    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome>;

    /// Returns the view of a call for front ends; `args` may be incomplete while they stream in.
    fn call_view(&self, args: &Value) -> CallView;

    /// Returns the view of a result for front ends, from its text and details.
    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Text(text.to_string())
    }
}

/// Receives the live output of a running call, for the user: all of it so far, truncated at the front.
pub type Progress = Arc<dyn Fn(String) + Send + Sync>;

/// What a call does, as far as that is known only after asking others, such as language servers.
#[doc(hidden)]
pub struct PlannedCall {
    /// Does it: its class and its targets are judged, and its change is shown to the user. Gets the same arguments.
    pub tool: Arc<dyn Tool>,
    /// What follows once it has succeeded.
    pub then: Option<Box<dyn FnOnce() + Send>>,
}

/// Input of one call.
#[derive(Clone)]
#[non_exhaustive]
pub struct Invocation {
    /// The provider's id of the call.
    pub call_id: String,
    /// The arguments, valid against the tool's schema.
    pub args: Value,
    /// The environment for files and commands.
    pub env: Arc<dyn Environment>,
    /// Ends the call.
    pub cancel: CancellationToken,
    /// Live output.
    pub progress: Progress,
    /// The shared state of the session's calls.
    #[doc(hidden)]
    pub shared: Arc<AgentToolState>,
    /// The start folder of its command, with which it was approved. `None` unless [`Tool::keeps_folder`].
    pub folder: Option<PathBuf>,
}

impl Invocation {
    /// Creates a call without a listener that cannot be ended.
    #[doc(hidden)]
    pub fn new(args: Value, env: Arc<dyn Environment>, shared: Arc<AgentToolState>) -> Self {
        let (cancel, progress) = (CancellationToken::new(), Arc::new(|_| {}));
        Self { call_id: "c".into(), args, env, cancel, progress, shared, folder: None }
    }
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// For the model, truncated to the tool's limits.
    pub content: Vec<Part>,
    /// The full text for listeners, if it is longer than `content` and at most 1 MiB.
    pub full_text: Option<String>,
    /// The name of the stored full text (`artifact://ID`), if it is longer than `content`.
    pub artifact: Option<String>,
    /// For front ends; never sent to a model.
    pub details: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Whether the run may end after it; it does if every call of the answer says so.
    pub terminate: bool,
}

impl Outcome {
    /// A success of text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            content: vec![Part::text(text)],
            full_text: None,
            artifact: None,
            details: None,
            is_error: false,
            terminate: false,
        }
    }

    /// Creates an error, with a text that a model can act on.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// Adds data for front ends.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }
}
