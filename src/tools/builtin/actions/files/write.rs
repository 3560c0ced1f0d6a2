//! Creates or overwrites a file.
//!
//! Must not know other tools. The work is in `editing`.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::editing::write;
use crate::tools::files::changes;

/// The action.
#[derive(Debug)]
pub struct Write {
    /// The argument with the path.
    pub path: &'static str,
    /// Whether an existing file must have been read before.
    pub read_first: bool,
}

impl Action for Write {
    fn kind(&self) -> Kind {
        Kind::Write
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let text = |name: &str| args.get(name)?.as_str().map(String::from);
        Some(Intent::Write { path: text(self.path)?, content: text("content")? })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Write { path, content } = intent else { return None };
        Some(args::object([(self.path, json!(path)), ("content", json!(content))]))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::text(args, self.path).to_string()]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let (path, content) = (args::text(&call.args, self.path), args::text(&call.args, "content"));
            write::run(&call, path, content, self.read_first).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView {
            title: args::text(args, self.path).to_string(),
            body: args::optional_text(args, "content"),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::view_or(text, details)
    }
}

#[cfg(test)]
mod tests;
