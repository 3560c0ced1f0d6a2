//! `Read`: shows a file, whole or a range of lines.
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
pub struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "Read".to_string(),
            description: "Show a file with line numbers as `cat -n` prints them, a picture, a notebook with its cells and \
                 outputs, or the text of a PDF document. At most 2000 lines are shown unless offset and limit ask for \
                 others. Of a PDF document of more than 10 pages name those to show with pages, at most 20 at a time. \
                 Read a file before you change it."
                .to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "file_path": {"type": "string", "description": "Path of the file, best an absolute one"},
                    "offset": {"type": "integer", "description": "First line to show, counted from 1"},
                    "limit": {"type": "integer", "description": "Lines to show at most (2000)"},
                    "pages": {"type": "string", "description": "Pages of a PDF document, such as 3 or 1-5; at most 20"},
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
        // No other family's tool can be asked for pages: such a call is told in words.
        if pages(args).is_some() {
            return None;
        }
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
                pages: pages(&call.args),
                style: Style::Tabs,
                among: false,
            };
            show::show(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let view = show::view_of(args, "file_path", "offset", "limit");
        match pages(args) {
            Some(pages) => CallView { title: format!("{} pages {pages}", view.title), ..view },
            None => view,
        }
    }
}

/// The pages that are asked for, if any.
fn pages(args: &Value) -> Option<String> {
    args::some_text(args, "pages").filter(|pages| !pages.trim().is_empty())
}
