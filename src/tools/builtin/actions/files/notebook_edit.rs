//! Edits a cell of a notebook.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::notebook::{self, Change};
use crate::tools::{contract::args, files::changes};

/// The action.
#[derive(Debug)]
pub struct NotebookEdit;

impl Action for NotebookEdit {
    fn kind(&self) -> Kind {
        Kind::Edit
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::text(args, "notebook_path").to_string()]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let change = Change {
                cell: args::optional_text(&call.args, "cell_id"),
                source: args::text(&call.args, "new_source").to_string(),
                kind: args::optional_text(&call.args, "cell_type"),
                mode: args::optional_text(&call.args, "edit_mode").unwrap_or_else(|| "replace".to_string()),
            };
            notebook::run(&call, args::text(&call.args, "notebook_path"), &change).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView {
            title: args::text(args, "notebook_path").to_string(),
            body: args::optional_text(args, "new_source"),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view_or(text, details)
    }
}
