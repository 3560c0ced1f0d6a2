//! A tool as a row of a table: what models of one family see of it, over an action that families share.
//!
//! Must not know any family, nor what any action does.

use std::fmt::Debug;

use futures::future::BoxFuture;
use serde_json::Value;

use crate::llm::model::{Grammar, ToolSpec};
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::output::limits::Limits;

/// One tool of a family.
#[derive(Debug, Clone, Copy)]
pub struct ToolShape {
    /// The name by which models call it.
    pub name: &'static str,
    /// What models read about it.
    pub description: &'static str,
    /// The JSON Schema of its arguments.
    pub parameters: fn() -> Value,
    /// Arguments that models are known to send under another name: (what they send, what it is called).
    pub renamed: &'static [(&'static str, &'static str)],
    /// How much of its text a model gets; `None` where the action sees to that itself.
    pub limits: Option<Limits>,
    /// One line for the tool list of the system prompt.
    pub snippet: &'static str,
    /// Whether models are offered it before the user switches it on.
    pub by_default: bool,
    /// What it does.
    pub action: &'static dyn Action,
}

impl ToolShape {
    /// The part of a row that most tools have alike; the row fills in what its family's models see.
    pub const fn of(action: &'static dyn Action) -> Self {
        Self {
            name: "",
            description: "",
            parameters: || Value::Null,
            renamed: &[],
            limits: None,
            snippet: "",
            by_default: true,
            action,
        }
    }
}

/// What tools of one intent do, whichever family they belong to. A value of an action holds the choices of
/// one family: names of arguments, numbers, the form of the result.
///
/// The methods are those of [`Tool`], less what a row says.
pub trait Action: Debug + Send + Sync {
    /// What it is for.
    fn kind(&self) -> Kind;

    /// What it may do: what its kind may, unless it does less.
    fn class(&self) -> ToolClass {
        match self.kind() {
            Kind::Write | Kind::Edit | Kind::Patch => ToolClass::Edits,
            Kind::Bash | Kind::Job | Kind::Other => ToolClass::Runs,
            Kind::Read | Kind::ReadMany | Kind::ViewImage | Kind::Grep | Kind::Find | Kind::Ls => {
                ToolClass::Reads
            }
            Kind::AskUser | Kind::Plan | Kind::Agent => ToolClass::Reads,
        }
    }

    /// The form of the input for providers that can hold a model to one.
    fn grammar(&self) -> Option<Grammar> {
        None
    }

    /// Whether a batch that contains a call of it must run one call after the other.
    fn sequential(&self) -> bool {
        false
    }

    /// Whether a command begins where the agent's last one ended.
    fn keeps_folder(&self) -> bool {
        false
    }

    /// Mends what renaming arguments does not.
    fn prepare(&self, args: Value) -> Value {
        args
    }

    /// What a call wants done; `None` where no other tool could do it.
    fn intent(&self, _args: &Value) -> Option<Intent> {
        None
    }

    /// Arguments with which a call has this intent; `None` where none have.
    fn args_for(&self, _intent: &Intent) -> Option<Value> {
        None
    }

    /// What a call touches: paths, or commands.
    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args.to_string()]
    }

    /// Runs one call of the tool of that name.
    fn run(&'static self, tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome>;

    /// What a front end shows of a call.
    fn call_view(&self, args: &Value) -> CallView;

    /// What a front end shows of a result.
    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        ResultView::Text(text.to_string())
    }
}

impl Tool for ToolShape {
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
        self.action.prepare(args::renamed(args, self.renamed))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        self.action.targets(args)
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        self.action.run(self.name, call)
    }

    /// Arguments are shown as they will be taken, so that a renamed one is seen as well.
    fn call_view(&self, args: &Value) -> CallView {
        self.action.call_view(&self.prepare(args.clone()))
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        self.action.result_view(text, details)
    }
}
