//! `read_file`: shows a file, whole or a range of lines.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::output::limits::Limits;
use crate::tools::reading::show::{self, Request};
use crate::tools::reading::style::Style;
use crate::tools::{contract::args, output::defaults};

/// The tool.
#[derive(Debug)]
pub struct ReadFile;

impl Tool for ReadFile {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read_file".to_string(),
            description: "Show a file, a picture, or the text of a PDF document with its pages. At most 2000 lines are shown, lines of more than 2000 characters are cut; a note \
                 at the beginning says how to go on. Use start_line and end_line for a part of a long file."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "Path of the file"},
                    "start_line": {"type": "integer", "description": "First line to show, counted from 1", "minimum": 1},
                    "end_line": {"type": "integer", "description": "Last line to show, itself included", "minimum": 1},
                },
                "required": ["file_path"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::Read
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let path = args.get("file_path")?.as_str()?.to_string();
        let (first, lines) = range(args);
        Some(Intent::Read { path, first, lines })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Read { path, first, lines } = intent else { return None };
        let end = lines.map(|lines| first.unwrap_or(1) + lines - 1);
        Some(args::object([
            ("file_path", json!(path)),
            ("start_line", json!(first)),
            ("end_line", json!(end)),
        ]))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::READ)
    }

    fn snippet(&self) -> &'static str {
        "Show files and pictures"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(
            args,
            &[("path", "file_path"), ("absolute_path", "file_path"), ("offset", "start_line")],
        )
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "file_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let (first, lines) = range(&call.args);
            let path = args::text(&call.args, "file_path").to_string();
            let request = Request { path, first, lines, pages: None, style: Style::NotesFirst, among: false };
            show::show(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let (first, lines) = range(args);
        show::view(args::text(args, "file_path"), first, lines)
    }
}

/// The first line and how many.
fn range(args: &Value) -> (Option<usize>, Option<usize>) {
    let first = args::from_one(args, "start_line");
    let last = args::from_one(args, "end_line");
    (first, last.map(|last| (last + 1).saturating_sub(first.unwrap_or(1)).max(1)))
}
