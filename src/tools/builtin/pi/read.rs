//! `read`: shows a file, whole or a range of lines, or an image.
//!
//! Must not know other tools. The work is `reading`'s.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::reading::show::{self, Request};
use crate::tools::reading::style::Style;
use crate::tools::{contract::args, output::limits};

/// The tool.
#[derive(Debug)]
pub struct Read;

impl Tool for Read {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "read".to_string(),
            description: format!(
                "Read a text file, the text of a PDF document page by page, or look at an image (png, jpg, gif, webp, \
                 bmp). Text is cut after {} lines or \
                 {} KB, whichever is first; use offset and limit to read on.",
                limits::LINES_MAX,
                limits::BYTES_MAX / 1024
            ),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path of the file, relative or absolute"},
                    "offset": {"type": "number", "description": "First line to show, counted from 1"},
                    "limit": {"type": "number", "description": "Lines to show at most"},
                },
                "required": ["path"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn snippet(&self) -> &'static str {
        "Read text files and images"
    }

    fn kind(&self) -> Kind {
        Kind::Read
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let path = args.get("path")?.as_str()?.to_string();
        let (first, lines) = (args::from_one(args, "offset"), args::from_one(args, "limit"));
        Some(Intent::Read { path, first, lines })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Read { path, first, lines } = intent else { return None };
        Some(args::object([("path", json!(path)), ("offset", json!(first)), ("limit", json!(lines))]))
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let request = Request {
                path: args::text(&call.args, "path").to_string(),
                first: args::from_one(&call.args, "offset"),
                lines: args::from_one(&call.args, "limit"),
                pages: None,
                style: Style::Plain,
                among: false,
            };
            show::show(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        show::view_of(args, "path", "offset", "limit")
    }
}

#[cfg(test)]
mod tests;
