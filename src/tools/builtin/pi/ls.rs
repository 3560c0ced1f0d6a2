//! `ls`: what a folder holds.
//!
//! Must not know other tools. Off until somebody switches it on: `bash` can do it too.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::FileKind;
use crate::llm::model::ToolSpec;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::contract::view::CallView;
use crate::tools::search::gather;
use crate::tools::search::listing::{self, Entry};
use crate::tools::{contract::args, files::paths};

/// Entries that one call gives unless it asks for more, as in pi.
const LIMIT: usize = 500;

/// The tool.
#[derive(Debug)]
pub struct Ls;

impl Tool for Ls {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "ls".to_string(),
            description: "List a folder, hidden entries included. Folders end with a slash.".to_string(),
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "The folder; the working folder when left out"},
                    "limit": {"type": "integer", "minimum": 1, "description": "Entries at most (500)"},
                },
            }),
            ..ToolSpec::default()
        }
    }

    fn class(&self) -> ToolClass {
        ToolClass::Reads
    }

    fn by_default(&self) -> bool {
        false
    }

    fn snippet(&self) -> &'static str {
        "List folders"
    }

    fn kind(&self) -> Kind {
        Kind::Ls
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        Some(Intent::Ls { path: args::some_text(args, "path") })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Ls { path } = intent else { return None };
        Some(args::object([("path", json!(path))]))
    }

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        list(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let path = args.get("path").and_then(Value::as_str).unwrap_or(".");
        CallView { title: path.to_string(), body: None }
    }
}

async fn list(call: Invocation) -> Outcome {
    let shown = args::some_text(&call.args, "path").unwrap_or_else(|| ".".to_string());
    let limit = args::from_one(&call.args, "limit").unwrap_or(LIMIT);
    let path = paths::resolve(&*call.env, &shown);
    let entries = match listing::deep(&*call.env, &path, 1).await {
        Ok(entries) => entries,
        Err(error) => return Outcome::error(listing::cannot(&shown, &error)),
    };
    if call.cancel.is_cancelled() {
        return Outcome::error("Interrupted.");
    }
    let slash = |entry: &Entry| if entry.kind == FileKind::Folder { "/" } else { "" };
    let name = |entry: &Entry| format!("{}{}", gather::on_one_line(&entry.name), slash(entry));
    let mut names: Vec<String> = entries.iter().map(name).collect();
    if names.is_empty() {
        return Outcome::text("(empty folder)");
    }
    let total = names.len();
    names.truncate(limit);
    let mut text = names.join("\n");
    if total > limit {
        text.push_str(&format!(
            "\n\n[{limit} of {total} entries; call again with a larger limit to see more]"
        ));
    }
    Outcome::text(text).details(json!({"entries": total, "entryLimitReached": total > limit}))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::llm::model::message::join_text;

    async fn run(folder: &std::path::Path, args: Value) -> (String, bool) {
        let outcome = Ls
            .run(Invocation {
                folder: None,
                call_id: "c".into(),
                args,
                env: Arc::new(LocalEnvironment::new(folder.into(), [])),
                cancel: CancellationToken::new(),
                progress: Arc::new(|_| {}),
                shared: std::sync::Arc::new(crate::tools::Shared::new(folder.join("artifacts"))),
            })
            .await;
        (join_text(&outcome.content), outcome.is_error)
    }

    #[tokio::test]
    async fn a_folder_is_listed_and_cut_at_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert_eq!(run(path, json!({})).await, ("(empty folder)".into(), false));
        std::fs::create_dir(path.join("Src")).unwrap();
        for name in ["b", ".hidden", "A"] {
            std::fs::write(path.join(name), "").unwrap();
        }
        assert_eq!(run(path, json!({"path": "."})).await.0, ".hidden\nA\nb\nSrc/");
        let (text, _) = run(path, json!({"limit": 2})).await;
        assert_eq!(text, ".hidden\nA\n\n[2 of 4 entries; call again with a larger limit to see more]");
        assert_eq!(
            run(path, json!({"path": "none"})).await,
            ("Cannot list none: no such folder.".into(), true)
        );
        assert!(run(path, json!({"path": "b"})).await.1);
    }
}
