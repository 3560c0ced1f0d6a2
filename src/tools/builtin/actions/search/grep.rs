//! Searches text in files.
//!
//! The search is the same for every family; each result format has its own file. Must not know other tools.

mod blocks;
mod files;
mod matches;
mod modes;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{SearchSpec, Selection};
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::paths;
use crate::tools::search::hits;

/// The action.
#[derive(Debug)]
pub struct Grep {
    /// The argument with the folder or file.
    pub path: &'static str,
    /// The argument that selects files.
    pub files: &'static str,
    /// The result format.
    pub form: Matches,
}

/// Result format with its arguments.
#[derive(Debug, Clone, Copy)]
pub enum Matches {
    /// Lines as `file:line: text`.
    Lines,
    /// Paths of files, the last changed first.
    Files,
    /// Paths, lines or counts as ripgrep prints them, selected by `output_mode`.
    Modes,
    /// A block of lines for each file, with more around few matches.
    Blocks,
}

impl Action for Grep {
    fn kind(&self) -> Kind {
        Kind::Grep
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let pattern = args.get("pattern")?.as_str()?.to_string();
        let (path, glob) = (args::optional_text(args, self.path), args::optional_text(args, self.files));
        Some(Intent::Grep { pattern, path, glob })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Grep { pattern, path, glob } = intent else { return None };
        Some(args::object([("pattern", json!(pattern)), (self.path, json!(path)), (self.files, json!(glob))]))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::folder(args, self.path)]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let spec = self.spec(&call);
            let outcome = match self.form {
                Matches::Lines => matches::grep(&call, spec).await,
                Matches::Files => files::grep(&call, spec).await,
                Matches::Modes => modes::grep(&call, spec).await,
                Matches::Blocks => blocks::grep(&call, spec).await,
            };
            outcome.unwrap_or_else(Outcome::error)
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView {
            title: args::text(args, "pattern").to_string(),
            body: args::optional_text(args, self.path),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        match self.form {
            Matches::Files => hits::view(text, hits::path),
            Matches::Blocks => hits::view(text, hits::blocks()),
            // Paths below a headline.
            Matches::Modes if text.lines().next().is_some_and(|row| row.ends_with(" files:")) => {
                hits::view(text, hits::path)
            }
            Matches::Lines | Matches::Modes => hits::view(text, hits::line),
        }
    }
}

impl Grep {
    /// Returns the search with the arguments that all families share.
    fn spec(&self, call: &Invocation) -> SearchSpec {
        let globs = args::optional_text(&call.args, self.files).into_iter().collect();
        SearchSpec {
            root: paths::resolve(&*call.env, &args::folder(&call.args, self.path)),
            pattern: args::text(&call.args, "pattern").to_string(),
            files: Selection { globs, hidden: true, ..Selection::default() },
            ..SearchSpec::default()
        }
    }
}
