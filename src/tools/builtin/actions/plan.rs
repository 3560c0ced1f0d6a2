//! Updates the task list.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, PlanStep, ResultView};
use crate::tools::interaction::plan;

/// The action.
#[derive(Debug)]
pub struct Plan {
    /// The argument with the list.
    pub list: &'static str,
    /// The field of an item with its text.
    pub step: &'static str,
}

impl Plan {
    fn items(&self, args: &Value) -> Vec<PlanStep> {
        plan::read(args.get(self.list), self.step)
    }
}

impl Action for Plan {
    fn kind(&self) -> Kind {
        Kind::Plan
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let items = self.items(&call.args);
            match plan::find_problem(&items) {
                Some(error) => Outcome::error(error),
                None => Outcome::text(plan::summary(&items)).details(plan::details(&items)),
            }
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: plan::summary(&self.items(args)), ..CallView::default() }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        plan::from_details(details).map_or_else(|| ResultView::Text(text.to_string()), ResultView::Plan)
    }
}
