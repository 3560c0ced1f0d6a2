//! A tool as a table row: its definition for the models of a family, on top of a shared action.
//!
//! Must not know any family, nor any action.

use std::fmt::Debug;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::llm::model::{Grammar, ToolSpec};
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, PlannedCall, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::output::limits::Limits;

/// One tool of a family.
#[derive(Debug, Clone, Copy)]
pub struct BuiltinTool {
    /// Name for models.
    pub name: &'static str,
    /// Description for models.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub parameters: fn() -> Value,
    /// Known wrong names of arguments: (what models send, the correct name).
    pub arg_aliases: &'static [(&'static str, &'static str)],
    /// Limits on its text for the model; `None` if the action limits it itself.
    pub limits: Option<Limits>,
    /// One line for the tool list of the system prompt.
    pub snippet: &'static str,
    /// Whether it is available by default.
    pub by_default: bool,
    /// The action.
    pub action: &'static dyn Action,
}

impl BuiltinTool {
    /// Returns a row with defaults for an action; the table fills in the definition for models.
    pub const fn of(action: &'static dyn Action) -> Self {
        Self {
            name: "",
            description: "",
            parameters: || Value::Null,
            arg_aliases: &[],
            limits: None,
            snippet: "",
            by_default: true,
            action,
        }
    }
}

/// The implementation of tools with the same intent, in any family. A value of an action has the options of
/// one family: argument names, numbers, result format.
///
/// The methods are those of [`Tool`], except those that a row defines.
pub trait Action: Debug + Send + Sync {
    /// Returns the kind.
    fn kind(&self) -> Kind;

    /// Returns the permission class: that of its kind by default.
    fn class(&self) -> ToolClass {
        match self.kind() {
            Kind::Write | Kind::Edit | Kind::Patch => ToolClass::Edits,
            Kind::Bash | Kind::Job | Kind::Other => ToolClass::Runs,
            Kind::Read | Kind::ReadMany | Kind::ViewImage | Kind::Grep | Kind::Find | Kind::Ls => {
                ToolClass::Reads
            }
            Kind::AskUser | Kind::Plan | Kind::Agent | Kind::LanguageServers => ToolClass::Reads,
        }
    }

    /// Returns the grammar of the input, for providers that can enforce it.
    fn grammar(&self) -> Option<Grammar> {
        None
    }

    /// Whether a batch with a call of it must run sequentially.
    fn sequential(&self) -> bool {
        false
    }

    /// Whether a command starts in the folder where the agent's last one ended.
    fn keeps_folder(&self) -> bool {
        false
    }

    /// Fixes arguments beyond renaming.
    fn prepare(&self, args: Value) -> Value {
        args
    }

    /// Returns the intent of a call; `None` if no other tool could serve it.
    fn intent(&self, _args: &Value) -> Option<Intent> {
        None
    }

    /// Returns arguments for this intent; `None` if there are none.
    fn args_for(&self, _intent: &Intent) -> Option<Value> {
        None
    }

    /// Returns the targets of a call: paths, or commands.
    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args.to_string()]
    }

    /// Finds out what a call of the tool with that name would do; `None` if its arguments say it.
    fn plan(
        &'static self,
        _tool: &'static str,
        _call: &Invocation,
    ) -> Option<BoxFuture<'static, Result<PlannedCall, String>>> {
        None
    }

    /// Runs a call of the tool with that name.
    fn run(&'static self, tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome>;

    /// Returns the view of a call for front ends; its kind is that of the action.
    fn call_view(&self, args: &Value) -> CallView;

    /// Returns the view of a result for front ends.
    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Text(text.to_string())
    }
}

impl Tool for BuiltinTool {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.to_string(),
            description: self.description.to_string(),
            parameters: (self.parameters)(),
            grammar: self.action.grammar(),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        self.action.class()
    }

    fn kind(&self) -> Kind {
        self.action.kind()
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        self.action.intent(args)
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        self.action.args_for(intent)
    }

    fn limits(&self) -> Option<Limits> {
        self.limits
    }

    fn snippet(&self) -> &'static str {
        self.snippet
    }

    fn by_default(&self) -> bool {
        self.by_default
    }

    fn sequential(&self) -> bool {
        self.action.sequential()
    }

    fn keeps_folder(&self) -> bool {
        self.action.keeps_folder()
    }

    fn prepare(&self, args: Value) -> Value {
        self.action.prepare(args::rename_args(args, self.arg_aliases))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        self.action.targets(args)
    }

    fn plan(&self, call: &Invocation) -> Option<BoxFuture<'static, Result<PlannedCall, String>>> {
        self.action.plan(self.name, call)
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        self.action.run(self.name, call)
    }

    /// Arguments are normalized first, so that a renamed one is displayed, too.
    fn call_view(&self, args: &Value) -> CallView {
        let kind = self.action.kind().call_kind();
        CallView { kind, ..self.action.call_view(&self.prepare(args.clone())) }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        self.action.result_view(text, details)
    }
}
