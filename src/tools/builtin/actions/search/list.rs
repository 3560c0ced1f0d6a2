//! Lists a folder.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FileKind, FindSpec, Selection};
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::files::paths;
use crate::tools::search::gather;
use crate::tools::search::listing::{self, Entry};

/// The action.
#[derive(Debug)]
pub struct List {
    /// The argument with the folder.
    pub path: &'static str,
    /// Whether the folder is a required argument; the default is the working folder.
    pub required: bool,
    /// The result format.
    pub form: Entries,
}

/// Result format with its arguments.
#[derive(Debug, Clone, Copy)]
pub enum Entries {
    /// Names, folders with a slash, up to `limit`.
    Names,
    /// `depth` levels, indented, by pages of `offset` and `limit`.
    Tree,
    /// Names, folders first and marked, without those that ignore files and `ignore` exclude.
    Marked,
}

impl Action for List {
    fn kind(&self) -> Kind {
        Kind::Ls
    }

    fn prepare(&self, args: Value) -> Value {
        if matches!(self.form, Entries::Marked) { args::wrap_in_list(args, "ignore") } else { args }
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let path = args::optional_text(args, self.path);
        (path.is_some() || !self.required).then_some(Intent::Ls { path })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Ls { path } = intent else { return None };
        let path = path.as_deref().or(self.required.then_some("."));
        Some(args::object([(self.path, json!(path))]))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::folder(args, self.path)]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { self.list(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::folder(args, self.path), ..CallView::default() }
    }
}

impl List {
    async fn list(&self, call: &Invocation) -> Result<Outcome, String> {
        let folder = args::folder(&call.args, self.path);
        match self.form {
            Entries::Names => names(call, &folder).await,
            Entries::Tree => tree(call, &folder).await,
            Entries::Marked => marked(call, &folder).await,
        }
    }
}

/// The entries of a folder down to a depth.
async fn entries(call: &Invocation, folder: &str, depth: usize) -> Result<Vec<Entry>, String> {
    let root = paths::resolve(&*call.env, folder);
    let entries = listing::list_deep(&*call.env, &root, depth).await;
    let entries = entries.map_err(|error| listing::list_error(folder, &error))?;
    if call.cancel.is_cancelled() { Err("Interrupted.".to_string()) } else { Ok(entries) }
}

fn with_slash(entry: &Entry) -> String {
    gather::on_one_line(&entry.name) + if entry.kind == FileKind::Folder { "/" } else { "" }
}

/// Default limit of entries, as in pi.
const NAMES_LIMIT: usize = 500;

async fn names(call: &Invocation, folder: &str) -> Result<Outcome, String> {
    let limit = args::positive(&call.args, "limit").unwrap_or(NAMES_LIMIT);
    let mut names: Vec<String> = entries(call, folder, 1).await?.iter().map(with_slash).collect();
    if names.is_empty() {
        return Ok(Outcome::text("(empty folder)"));
    }
    let total = names.len();
    names.truncate(limit);
    let mut remarks = Vec::new();
    if total > limit {
        remarks.push(format!("{limit} of {total} entries; call again with a larger limit to see more"));
    }
    let details = json!({"entries": total, "entryLimitReached": total > limit});
    Ok(Outcome::text(gather::with_remarks(names.join("\n"), &remarks)).details(details))
}

/// Default limits of entries and of depth, as in codex.
const PAGE: usize = 25;
const DEPTH: usize = 2;

async fn tree(call: &Invocation, folder: &str) -> Result<Outcome, String> {
    let number = |name: &str, usual: usize| args::positive(&call.args, name).unwrap_or(usual);
    let (first, limit, depth) = (number("offset", 1), number("limit", PAGE), number("depth", DEPTH));
    let entries = entries(call, folder, depth).await?;
    if first > entries.len().max(1) {
        let count = entries.len();
        return Err(format!("Offset {first} is beyond the end of {folder}, which has {count} entries."));
    }
    let line = |entry: &Entry| format!("{}{}", "  ".repeat(entry.depth), with_slash(entry));
    let root = paths::resolve(&*call.env, folder);
    let mut lines = vec![format!("Absolute path: {}", root.display())];
    lines.extend(entries.iter().skip(first - 1).take(limit).map(line));
    let last = entries.len().min(first - 1 + limit);
    let mut remarks = Vec::new();
    if last < entries.len() {
        remarks.push(format!("Entries {first}-{last} of {}. Go on with offset={}.", entries.len(), last + 1));
    }
    let details = json!({"entries": entries.len(), "entryLimitReached": last < entries.len()});
    Ok(Outcome::text(gather::with_remarks(lines.join("\n"), &remarks)).details(details))
}

async fn marked(call: &Invocation, folder: &str) -> Result<Outcome, String> {
    let mut entries = entries(call, folder, 1).await?;
    let options = call.args.get("file_filtering_options").unwrap_or(&Value::Null);
    let yes = |name: &str| options.get(name).and_then(Value::as_bool).unwrap_or(true);
    // Everything on this level that is not ignored, folders too.
    let globs = std::iter::once("/*".to_string())
        .chain(args::texts(&call.args, "ignore").into_iter().map(|glob| format!("!{glob}")))
        .collect();
    let rule_files = yes("respect_gemini_ignore").then(|| ".geminiignore".to_string()).into_iter().collect();
    let ignored = !yes("respect_git_ignore");
    let files = Selection { globs, hidden: true, ignored, rule_files, ..Selection::default() };
    let spec = FindSpec { root: paths::resolve(&*call.env, folder), files, folders: true };
    let (kept, done, late) = gather::paths(call, spec).await?;
    let total = entries.len();
    entries.retain(|entry| entry.kind == FileKind::Other || kept.iter().any(|one| one.name == entry.name));
    entries.sort_by_key(|entry| entry.kind != FileKind::Folder);
    let line = |entry: &Entry| {
        let mark = if entry.kind == FileKind::Folder { "[DIR] " } else { "" };
        format!("{mark}{}", gather::on_one_line(&entry.name))
    };
    let lines: Vec<String> = entries.iter().map(line).collect();
    let text = if lines.is_empty() {
        format!("The folder {folder} is empty.")
    } else {
        format!("What is in {folder}:\n{}", lines.join("\n"))
    };
    let left_out = total - lines.len();
    let mut remarks = gather::remarks(&done, late);
    if left_out > 0 {
        remarks.push(format!("{left_out} ignored entries are left out."));
    }
    let details = json!({"entries": lines.len(), "ignored": left_out});
    Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(details))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::exec::LocalEnvironment;
    use crate::llm::model::message::join_text;
    use crate::tools::Tool;
    use crate::tools::builtin::families::pi;

    async fn run(folder: &std::path::Path, args: Value) -> (String, bool) {
        let outcome = pi::SET
            .get("ls")
            .unwrap()
            .run(Invocation {
                folder: None,
                call_id: "c".into(),
                args,
                env: Arc::new(LocalEnvironment::new(folder.into(), [])),
                cancel: CancellationToken::new(),
                progress: Arc::new(|_| {}),
                shared: std::sync::Arc::new(crate::tools::AgentToolState::new(folder.join("artifacts"))),
            })
            .await;
        (join_text(&outcome.content), outcome.is_error)
    }

    #[test]
    fn ls_tool_without_path_targets_workspace() {
        let ls = pi::SET.get("ls").unwrap();
        assert_eq!(ls.targets(&json!({})), ["."]);
        assert_eq!(ls.targets(&json!({"path": "src"})), ["src"]);
    }

    #[tokio::test]
    async fn ls_tool_sorts_entries_and_honors_limit() {
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
