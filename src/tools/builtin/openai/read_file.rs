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
            description: "Show a text file with line numbers, each line as `number | text`, the text of a PDF document, or a picture. At most 2000 lines are \
                 shown; go on with offset and limit."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "Path of the file, best an absolute one"},
                    "offset": {"type": "integer", "description": "First line to show, counted from 1"},
                    "limit": {"type": "integer", "description": "Lines to show at most (2000)"},
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
        let (first, lines) = (args::from_one(args, "offset"), args::from_one(args, "limit"));
        Some(Intent::Read { path, first, lines })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Read { path, first, lines } = intent else { return None };
        Some(args::object([("file_path", json!(path)), ("offset", json!(first)), ("limit", json!(lines))]))
    }

    fn limits(&self) -> Option<Limits> {
        Some(defaults::READ)
    }

    fn snippet(&self) -> &'static str {
        "Show files and pictures"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("path", "file_path"), ("filePath", "file_path"), ("filename", "file_path")])
    }

    fn target(&self, args: &Value) -> String {
        args::text(args, "file_path").to_string()
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let request = Request {
                path: args::text(&call.args, "file_path").to_string(),
                first: args::from_one(&call.args, "offset"),
                lines: args::from_one(&call.args, "limit"),
                pages: None,
                style: Style::Bars,
                among: false,
            };
            show::show(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        show::view_of(args, "file_path", "offset", "limit")
    }
}
