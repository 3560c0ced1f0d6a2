//! The port through which somebody hears of calls before they change anything. Must not know any tool, nor
//! why somebody listens.

use std::path::PathBuf;
use std::sync::Arc;

use futures::future::BoxFuture;
use serde_json::Value;

use super::command;
use super::context::Context;
use super::paths;
use super::tool::{Tool, ToolClass};
use crate::exec::Environment;

/// Hears of calls that may change files, before they run.
pub trait Witness: Send + Sync {
    /// A call is about to run, and waits for this. `paths` are the files that it names, absolute.
    fn before(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) -> BoxFuture<'_, ()>;
}

/// The files that a call names which may change some; `None` for one that only looks.
pub(super) fn changed(tool: &dyn Tool, cx: &Context, args: &Value) -> Option<Vec<PathBuf>> {
    let subjects = tool.subjects(args);
    match tool.class() {
        ToolClass::Reads => None,
        ToolClass::Edits => Some(subjects.iter().map(|subject| paths::resolve(&*cx.env, subject)).collect()),
        ToolClass::Runs => {
            let looks = !subjects.is_empty() && subjects.iter().all(|line| command::is_read_only(line));
            (!looks).then(Vec::new)
        }
    }
}
