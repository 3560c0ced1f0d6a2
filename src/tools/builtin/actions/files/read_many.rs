//! Reads several files at once.
//!
//! Must not know other tools.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::json::json;
use crate::exec::{FileKind, FindSpec, Selection};
use crate::llm::model::Part;
use crate::llm::model::message::join_text;
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::CallView;
use crate::tools::reading::show::{self, ShowRequest};
use crate::tools::reading::style::ReadStyle;
use crate::tools::search::gather;
use crate::tools::{contract::args, files::paths};
use std::collections::BTreeSet;

/// The action.
#[derive(Debug)]
pub struct ReadMany;

impl Action for ReadMany {
    fn kind(&self) -> Kind {
        Kind::ReadMany
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        args.get("include")?;
        Some(Intent::ReadMany { paths: args::texts(args, "include") })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::ReadMany { paths } = intent else { return None };
        Some(json!({"include": paths}))
    }

    fn prepare(&self, args: Value) -> Value {
        args::wrap_in_list(args::wrap_in_list(args, "include"), "exclude")
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        args::texts(args, "include")
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { read_many(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView { title: args::texts(args, "include").join(", "), ..CallView::default() }
    }
}

/// Files and folders that are excluded by default.
const EXCLUDED: [&str; 12] = [
    "node_modules",
    "bower_components",
    "target",
    "dist",
    "build",
    "coverage",
    "__pycache__",
    ".venv",
    "*.pyc",
    "*.class",
    "*.lock",
    "package-lock.json",
];
/// Bytes of text after which no further file is included.
const BYTES_MAX: usize = 1 << 20;

/// Returns the selected files: those named, and those that patterns match.
async fn matching_files(call: &Invocation) -> Result<(Vec<String>, Vec<String>), String> {
    let options = call.args.get("file_filtering_options").unwrap_or(&Value::Null);
    let yes = |value: &Value, name: &str| value.get(name).and_then(Value::as_bool).unwrap_or(true);
    let (mut globs, mut all) = (Vec::new(), BTreeSet::new());
    for include in args::texts(&call.args, "include") {
        let path = paths::resolve(&*call.env, &include);
        match call.env.stat(&path).await.map(|info| info.kind) {
            Ok(FileKind::File) => drop(all.insert(gather::shown_path(&*call.env, &path))),
            Ok(FileKind::Folder) => {
                let below = if yes(&call.args, "recursive") { "**" } else { "*" };
                globs.push(format!("/{}/{below}", include.trim_matches(['/', '.'])).replace("//", "/"));
            }
            _ => globs.push(include),
        }
    }
    let mut remarks = Vec::new();
    if !globs.is_empty() {
        let mut not = args::texts(&call.args, "exclude");
        if yes(&call.args, "useDefaultExcludes") {
            not.extend(EXCLUDED.iter().map(ToString::to_string));
        }
        globs.extend(not.into_iter().map(|glob| format!("!{glob}")));
        let rules = yes(options, "respect_gemini_ignore").then(|| ".geminiignore".to_string());
        let files = Selection {
            globs,
            hidden: true,
            ignored: !yes(options, "respect_git_ignore"),
            rule_files: rules.into_iter().collect(),
            ..Selection::default()
        };
        let spec = FindSpec { root: call.env.root().to_path_buf(), files, folders: false };
        let (found, done, late) = gather::paths(call, spec).await?;
        remarks = gather::remarks(&done, late);
        all.extend(found.into_iter().map(|one| one.name));
    }
    Ok((all.into_iter().collect(), remarks))
}

async fn read_many(call: &Invocation) -> Result<Outcome, String> {
    let (files, mut remarks) = matching_files(call).await?;
    let (mut text, mut others, mut failed) = (String::new(), Vec::new(), 0);
    let mut shown = 0;
    for path in &files {
        if text.len() > BYTES_MAX {
            break;
        }
        let request = ShowRequest {
            path: path.clone(),
            first: None,
            lines: None,
            pages: None,
            style: ReadStyle::NotesFirst,
            is_one_of_several: true,
        };
        let mut one = show::show(call, &request).await;
        if call.cancel.is_cancelled() {
            return Err("Interrupted.".to_string());
        }
        shown += 1;
        failed += usize::from(one.is_error);
        text.push_str(&format!("--- {path} ---\n\n{}\n\n", join_text(&one.content).trim_end_matches('\n')));
        others.extend(one.content.drain(..).filter(|part| part.as_text().is_none()));
    }
    if files.is_empty() {
        return Err("No file matches these paths and patterns.".to_string());
    }
    if shown < files.len() {
        remarks
            .push(format!("{shown} of {} files are shown; ask for the others by themselves.", files.len()));
    }
    text.push_str("--- End ---");
    let mut content = vec![Part::text(gather::with_remarks(text, &remarks))];
    content.append(&mut others);
    let details = json!({"files": files.len(), "shown": shown, "failed": failed});
    Ok(Outcome { content, is_error: failed == files.len(), ..Outcome::text("") }.details(details))
}
