//! `ls`: what a folder holds.
//!
//! Must not know other tools. Off until somebody switches it on: `bash` can do it too.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use crate::exec::{EnvError, FileKind};
use crate::llm::model::ToolSpec;
use crate::tools::paths;
use crate::tools::tool::{Invocation, Outcome, Tool, ToolClass};
use crate::tools::view::CallView;

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

    fn run(&self, call: Invocation) -> BoxFuture<'static, Outcome> {
        list(call).boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        let path = args.get("path").and_then(Value::as_str).unwrap_or(".");
        CallView { title: path.to_string(), body: None }
    }
}

async fn list(call: Invocation) -> Outcome {
    let shown = call.args.get("path").and_then(Value::as_str).unwrap_or(".");
    let limit = call.args.get("limit").and_then(Value::as_u64).map_or(LIMIT, |n| n as usize);
    let path = paths::resolve(&*call.env, shown);
    let entries = match call.env.list(&path).await {
        Ok(entries) => entries,
        Err(EnvError::NotFound(_)) => return Outcome::error(format!("Cannot list {shown}: no such folder.")),
        Err(error) => return Outcome::error(format!("Cannot list {error}")),
    };
    let mut names: Vec<String> = entries
        .into_iter()
        .map(|entry| if entry.kind == FileKind::Folder { format!("{}/", entry.name) } else { entry.name })
        .collect();
    names.sort_by_cached_key(|name| name.to_lowercase());
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
                call_id: "c".into(),
                args,
                env: Arc::new(LocalEnvironment::new(folder.into(), [])),
                cancel: CancellationToken::new(),
                progress: Arc::new(|_| {}),
                artifacts: folder.join("artifacts"),
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
