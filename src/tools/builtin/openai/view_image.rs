//! `view_image`: shows a picture.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::llm::model::ToolSpec;
use crate::tools::contract::args;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::reading::show;

/// The tool.
#[derive(Debug)]
pub struct ViewImage;

impl Tool for ViewImage {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "view_image".to_string(),
            description: "Look at a picture in a file (png, jpg, gif, webp, bmp).".to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "Path of the file"},
                },
                "required": ["path"],
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn kind(&self) -> Kind {
        Kind::ViewImage
    }

    fn snippet(&self) -> &'static str {
        "Look at pictures"
    }

    fn prepare(&self, args: Value) -> Value {
        args::renamed(args, &[("file_path", "path"), ("image_path", "path")])
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { show::picture(&call, args::text(&call.args, "path")).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "path").to_string(), body: None }
    }
}
