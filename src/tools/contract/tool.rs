//! The tool contract: what every tool is, gets and gives.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::intent::{Intent, Kind};
use super::shared::Shared;
use super::view::{CallView, ResultView};
use crate::exec::Environment;
use crate::llm::model::{Part, ToolSpec};
use crate::tools::output::limits::Limits;

/// What a tool may do to the world; approval policies decide by it.
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

/// Something that a model can call.
pub trait Tool: Send + Sync {
    /// Name, description and parameters, as the model sees them. Stable to the byte.
    fn spec(&self) -> ToolSpec;

    /// What it may do.
    fn class(&self) -> ToolClass;

    /// What it is for.
    fn kind(&self) -> Kind {
        Kind::Other
    }

    /// What a call wants done; `None` where only this tool can say it.
    #[doc(hidden)]
    fn intent(&self, _args: &Value) -> Option<Intent> {
        None
    }

    /// Arguments with which this tool does it; `None` where it cannot.
    #[doc(hidden)]
    fn args_for(&self, _act: &Intent) -> Option<Value> {
        None
    }

    /// How much of its text a model gets; `None` when the tool sees to that itself.
    fn limits(&self) -> Option<Limits> {
        None
    }

    /// One line for the tool list of the system prompt.
    fn snippet(&self) -> &'static str;

    /// Whether it is on offer before anybody asks for it. A short list keeps the prompt short;
    /// the others are switched on by the user.
    fn by_default(&self) -> bool {
        true
    }

    /// Whether a batch that contains this tool must run one call after the other.
    fn sequential(&self) -> bool {
        false
    }

    /// Whether a command begins where the agent's last one ended, in so far as that is in the workspace.
    fn keeps_folder(&self) -> bool {
        false
    }

    /// Brings arguments that models are known to get slightly wrong into the schema's shape,
    /// before they are checked.
    fn prepare(&self, args: Value) -> Value {
        args
    }

    /// What a call touches, as policies judge it and the user is asked about it: the path of a tool that reads
    /// or edits, the command of one that runs. Each is judged by itself, and the strictest verdict counts.
    fn targets(&self, args: &Value) -> Vec<String> {
        let name = if self.class() == ToolClass::Runs { "command" } else { "path" };
        vec![args.get(name).and_then(Value::as_str).map_or_else(|| args.to_string(), str::to_string)]
    }

    /// Runs one call whose arguments have passed the schema. Never panics on bad input: a
    /// failure is an outcome with `is_error`, in words on which a model can act.
    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome>;

    /// What a front end shows of a call; `args` may still be incomplete while it streams in.
    fn call_view(&self, args: &Value) -> CallView;

    /// What a front end shows of a result, from its text for the model and its details.
    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Text(text.to_string())
    }
}

/// Live output of a running call, for the user: all of it so far, cut at the front when long.
pub type Progress = Arc<dyn Fn(String) + Send + Sync>;

/// Everything that one call gets.
#[derive(Clone)]
#[non_exhaustive]
pub struct Invocation {
    /// The provider's id of the call.
    pub call_id: String,
    /// The arguments, valid against the tool's schema.
    pub args: Value,
    /// Where files and commands are.
    pub env: Arc<dyn Environment>,
    /// Ends the call.
    pub cancel: CancellationToken,
    /// Live output.
    pub progress: Progress,
    /// What the calls of a session share.
    #[doc(hidden)]
    pub shared: Arc<Shared>,
    /// Where its command begins: the call was judged by it. `None` unless [`Tool::keeps_folder`].
    pub folder: Option<PathBuf>,
}

impl Invocation {
    /// A call without a listener, as tests make one.
    #[doc(hidden)]
    pub fn new(args: Value, env: Arc<dyn Environment>, shared: Arc<Shared>) -> Self {
        let (cancel, progress) = (CancellationToken::new(), Arc::new(|_| {}));
        Self { call_id: "c".into(), args, env, cancel, progress, shared, folder: None }
    }
}

/// What one call gave.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// For the model, truncated to the tool's limits.
    pub content: Vec<Part>,
    /// The whole text, for listeners, where it is longer than `content` and no longer than 1 MiB.
    pub full_text: Option<String>,
    /// The name of the kept whole text (`artifact://ID`), where it is longer than `content`.
    pub artifact: Option<String>,
    /// For front ends; never sent to a model.
    pub details: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Whether the run may end with it; it does when every call of the answer says so.
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

    /// A failure, in words on which a model can act.
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
