//! Determines what a call may change, for the before-change hook. Must not know any tool, nor the hook.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::tools::command;
use crate::tools::contract::context::Context;
use crate::tools::contract::tool::{Tool, ToolClass};
use crate::tools::files::paths;

/// Runs the hook for a call that may change files; `false` if it was interrupted before the hook finished.
pub(in crate::tools) async fn run_hook(
    tool: &dyn Tool,
    cx: &Context,
    args: &Value,
    cancel: &CancellationToken,
) -> bool {
    let Some(before_change_hook) = &cx.shared.before_change_hook else { return true };
    let Some(paths) = modified_files(tool, cx, args) else { return true };
    tokio::select! {
        biased;
        () = cancel.cancelled() => false,
        () = before_change_hook.before(Arc::clone(&cx.env), paths) => true,
    }
}

/// Returns the files that a call names and may change; `None` for a read-only call.
fn modified_files(tool: &dyn Tool, cx: &Context, args: &Value) -> Option<Vec<PathBuf>> {
    let targets = tool.targets(args);
    match tool.class() {
        ToolClass::Reads => None,
        ToolClass::Edits => Some(targets.iter().map(|target| paths::resolve(&*cx.env, target)).collect()),
        ToolClass::Runs => {
            let read_only = !targets.is_empty() && targets.iter().all(|line| command::is_read_only(line));
            (!read_only).then(Vec::new)
        }
    }
}
