//! Reads a file, whole or a range of lines, or an image.
//!
//! Must not know other tools. The work is in `reading`.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::reading::show::{self, ShowRequest};
use crate::tools::reading::style::ReadStyle;

/// The action.
#[derive(Debug)]
pub struct Read {
    /// The argument with the path.
    pub path: &'static str,
    /// The arguments with the range.
    pub lines: Lines,
    /// Whether `pages` names pages of a document.
    pub pages: bool,
    /// The display style of the text.
    pub style: ReadStyle,
}

/// The arguments for the line range.
#[derive(Debug, Clone, Copy)]
pub enum Lines {
    /// `offset` and `limit`.
    OffsetAndLimit,
    /// `start_line` and `end_line`, itself included.
    StartAndEnd,
}

impl Lines {
    /// Returns the first line and the number of lines.
    fn of(self, args: &Value) -> (Option<usize>, Option<usize>) {
        match self {
            Self::OffsetAndLimit => (args::positive(args, "offset"), args::positive(args, "limit")),
            Self::StartAndEnd => {
                let first = args::positive(args, "start_line");
                let last = args::positive(args, "end_line");
                (first, last.map(|last| (last + 1).saturating_sub(first.unwrap_or(1)).max(1)))
            }
        }
    }

    /// The arguments for a range.
    fn args(self, first: Option<usize>, lines: Option<usize>) -> [(&'static str, Value); 2] {
        match self {
            Self::OffsetAndLimit => [("offset", json!(first)), ("limit", json!(lines))],
            Self::StartAndEnd => {
                let last = lines.map(|lines| first.unwrap_or(1) + lines - 1);
                [("start_line", json!(first)), ("end_line", json!(last))]
            }
        }
    }
}

impl Read {
    fn pages(&self, args: &Value) -> Option<String> {
        args::optional_text(args, "pages").filter(|pages| self.pages && !pages.trim().is_empty())
    }
}

impl Action for Read {
    fn kind(&self) -> Kind {
        Kind::Read
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        // No other family's tool supports pages.
        if self.pages(args).is_some() {
            return None;
        }
        let (first, lines) = self.lines.of(args);
        Some(Intent::Read { path: args.get(self.path)?.as_str()?.to_string(), first, lines })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Read { path, first, lines } = intent else { return None };
        let [first, lines] = self.lines.args(*first, *lines);
        Some(args::object([(self.path, json!(path)), first, lines]))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::text(args, self.path).to_string()]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let (first, lines) = self.lines.of(&call.args);
            let request = ShowRequest {
                path: args::text(&call.args, self.path).to_string(),
                first,
                lines,
                pages: self.pages(&call.args),
                style: self.style,
                is_one_of_several: false,
            };
            show::show(&call, &request).await
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let (first, lines) = self.lines.of(args);
        let view = show::view(args::text(args, self.path), first, lines);
        match self.pages(args) {
            Some(pages) => CallView { title: format!("{} pages {pages}", view.title), ..view },
            None => view,
        }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        show::result_view(text, details)
    }
}

#[cfg(test)]
mod tests;
