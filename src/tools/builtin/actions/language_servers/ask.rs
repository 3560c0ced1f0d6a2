//! The action: questions to language servers, and the changes that they work out.

use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use super::question::{Question, interrupted};
use super::{code_actions, diagnostics, locations, rename, request, server, symbols};
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, PlannedCall};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::changes;
use crate::tools::search::hits;

/// What can be asked for.
pub const ACTIONS: [&str; 15] = [
    "diagnostics",
    "definition",
    "type_definition",
    "implementation",
    "references",
    "hover",
    "symbols",
    "calls",
    "rename",
    "rename_file",
    "code_actions",
    "status",
    "reload",
    "capabilities",
    "request",
];

/// The action.
#[derive(Debug)]
pub struct AskServers;

impl Action for AskServers {
    fn kind(&self) -> Kind {
        Kind::LanguageServers
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        Some(Intent::AskServers { question: args.clone() })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::AskServers { question } = intent else { return None };
        Some(question.clone())
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        args::optional_text(args, "file").into_iter().collect()
    }

    fn plan(
        &'static self,
        tool: &'static str,
        call: &Invocation,
    ) -> Option<BoxFuture<'static, Result<PlannedCall, String>>> {
        let question = Question::of(&call.args);
        let (call, timeout) = (call.clone(), question.timeout);
        let planned = match question.action.as_str() {
            "rename" if question.changes_files() => rename::plan(tool, call, question).boxed(),
            "rename_file" if question.changes_files() => rename::plan_file(tool, call, question).boxed(),
            "code_actions" if question.changes_files() => code_actions::plan(tool, call, question).boxed(),
            "request" if !request::is_read_only(&question) => request::plan(tool, call, question).boxed(),
            _ => return None,
        };
        Some(within(timeout, planned).boxed())
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move {
            let (cancel, timeout) = (call.cancel.clone(), Question::of(&call.args).timeout);
            let answered = cancel.run_until_cancelled(within(timeout, answer(call))).await;
            answered.unwrap_or_else(|| Err(interrupted())).unwrap_or_else(Outcome::error)
        }
        .boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let question = Question::of(args);
        let line = question.place.line.map(|line| format!(":{line}")).unwrap_or_default();
        let file = question.file.map(|file| format!("{file}{line}"));
        let to = question.new_name.map(|name| format!("→ {name}"));
        let words = [Some(question.action), file, question.place.symbol, question.query, to];
        let title = words.into_iter().flatten().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        CallView { title, body: question.payload, ..CallView::default() }
    }

    fn result_view(&self, text: &str, details: Option<&Value>) -> ResultView {
        changes::files_view(details).unwrap_or_else(|| hits::view(text, hits::line))
    }
}

/// Gives up what takes longer than the call may.
async fn within<T>(timeout: Duration, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    let timed_out =
        |_| Err(format!("No answer within {} s. Ask again with a longer timeout.", timeout.as_secs()));
    tokio::time::timeout(timeout, work).await.unwrap_or_else(timed_out)
}

async fn answer(call: Invocation) -> Result<Outcome, String> {
    let question = Question::of(&call.args);
    match question.action.as_str() {
        "diagnostics" => diagnostics::answer(&call, &question).await,
        "definition" | "type_definition" | "implementation" | "references" => {
            locations::answer(&call, &question).await
        }
        "hover" => locations::hover(&call, &question).await,
        "symbols" => symbols::answer(&call, &question).await,
        "calls" => symbols::calls(&call, &question).await,
        "rename" => rename::preview(&call, &question).await,
        "rename_file" => rename::preview_file(&call, &question).await,
        "code_actions" => code_actions::list(&call, &question).await,
        "status" => server::status(&call, &question).await,
        "reload" => server::reload(&call, &question).await,
        "capabilities" => server::capabilities(&call, &question).await,
        "request" => request::answer(&call, &question).await,
        other => Err(format!("There is no action {other:?}.")),
    }
}
