//! `NotebookEdit`: changes a cell of a notebook.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::notebook::{self, Change};
use crate::tools::output::limits::Limits;
use crate::tools::{contract::args, files::changes, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct NotebookEdit;

impl Tool for NotebookEdit {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "NotebookEdit".to_string(),
            description: "Replace, insert or delete one cell of a Jupyter notebook. Cells are named by the ids that Read shows. A \
                 new cell comes after the named one, or first. Read the notebook before."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "notebook_path": {"type": "string", "description": "Path of the notebook"},
                    "cell_id": {"type": "string", "description": "The cell"},
                    "new_source": {"type": "string", "description": "The new text of the cell"},
                    "cell_type": {"type": "string", "enum": ["code", "markdown"], "description": "What the cell is; needed to insert one"},
                    "edit_mode": {"type": "string", "enum": ["replace", "insert", "delete"], "description": "What to do (replace)"},
                },
                "required": ["notebook_path", "new_source"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Edits
    }

    fn kind(&self) -> Kind {
        Kind::Edit
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::EDIT)
    }

    fn snippet(&self) -> &'static str {
        "Change cells of notebooks"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("file_path", "notebook_path"), ("path", "notebook_path")])
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "notebook_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let change = Change {
                cell: args::some_text(&call.args, "cell_id"),
                source: args::text(&call.args, "new_source").to_string(),
                kind: args::some_text(&call.args, "cell_type"),
                mode: args::some_text(&call.args, "edit_mode").unwrap_or_else(|| "replace".to_string()),
            };
            notebook::run(&call, args::text(&call.args, "notebook_path"), &change).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView {
            title: args::text(args, "notebook_path").to_string(),
            body: args::some_text(args, "new_source"),
        }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view(details).unwrap_or_else(|| ResultView::Text(text.to_string()))
    }
}
