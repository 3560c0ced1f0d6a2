//! Reads an image.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::Kind;
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::reading::show;

/// The action.
#[derive(Debug)]
pub struct ViewImage;

impl Action for ViewImage {
    fn kind(&self) -> Kind {
        Kind::ViewImage
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::text(args, "path").to_string()]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { show::picture(&call, args::text(&call.args, "path")).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::text(args, "path").to_string(), ..CallView::default() }
    }
}
