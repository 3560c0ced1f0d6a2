//! Finds files by name.
//!
//! Must not know other tools. The environment does the search.

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::base::clock::SystemClock;
use crate::base::json::json;
use crate::base::names::display;
use crate::exec::{Environment, FindSpec, FoundPath, Selection};
use crate::tools::builtin::builtin_tool::Action;
use crate::tools::contract::args;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::tool::{Invocation, Outcome};
use crate::tools::contract::view::{CallView, ResultView};
use crate::tools::files::paths;
use crate::tools::output::limits;
use crate::tools::search::{gather, hits, names};

/// The action.
#[derive(Debug)]
pub struct Find {
    /// The argument with the folder.
    pub path: &'static str,
    /// Where a pattern matches.
    pub matching: Matching,
    /// Whether folders are found as well.
    pub folders: bool,
    /// Which files are ignored.
    pub ignore_rules: IgnoreRules,
    /// The order of the paths.
    pub order: Order,
    /// Maximum number of paths; `None` leaves it to the tool's limits.
    pub limit: Option<LimitArgument>,
    /// Maximum bytes of paths, for a tool without limits.
    pub bytes_max: Option<usize>,
    /// The form of a path.
    pub paths: Paths,
    /// Whether the result starts with the number of matches.
    pub headline: bool,
}

/// Where a pattern matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// As globs of ignore files do: one without a slash matches at any depth.
    Glob,
    /// At any depth, even with slashes, unless it is anchored.
    Anywhere,
    /// From the folder on: one without a slash matches only in that folder. Case-sensitive with
    /// `case_sensitive`.
    FromFolder,
}

/// Which files are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IgnoreRules {
    /// Those that .gitignore ignores.
    Gitignore,
    /// None.
    Nothing,
    /// Those that .gitignore and .geminiignore ignore, unless `respect_git_ignore` and
    /// `respect_gemini_ignore` are off.
    ByArgument,
}

/// Order of the paths.
#[derive(Debug, Clone, Copy)]
pub enum Order {
    /// In the order of the search.
    AsFound,
    /// The last changed first.
    NewestFirst,
    /// Files changed in the last 24 hours first, the rest by name.
    RecentFirst,
}

/// Limit on the number of paths, and how the model learns of more.
#[derive(Debug)]
pub struct LimitArgument {
    /// The argument with the number.
    pub argument: Option<&'static str>,
    /// The default limit.
    pub default_limit: usize,
    /// The field of the details that reports whether there are more.
    pub detail: &'static str,
    /// The sentence for the model, from the displayed and the total number.
    pub remark: fn(usize, usize) -> String,
}

/// Form of a path.
#[derive(Debug, Clone, Copy)]
pub enum Paths {
    /// Relative to the folder; folders end with a slash.
    BelowFolder,
    /// Relative to the workspace if it is inside.
    BelowWorkspace,
    /// Whole.
    Absolute,
}

impl Paths {
    fn write(self, env: &dyn Environment, one: &FoundPath) -> String {
        match self {
            Self::BelowFolder => gather::on_one_line(&one.name) + if one.folder { "/" } else { "" },
            Self::BelowWorkspace => gather::shown_path(env, &one.path),
            Self::Absolute => gather::on_one_line(&display(&one.path)),
        }
    }
}

impl Action for Find {
    fn kind(&self) -> Kind {
        Kind::Find
    }

    fn intent(&self, args: &Value) -> Option<Intent> {
        let pattern = args.get("pattern")?.as_str()?.to_string();
        Some(Intent::Find { pattern, path: args::optional_text(args, self.path) })
    }

    fn args_for(&self, intent: &Intent) -> Option<Value> {
        let Intent::Find { pattern, path } = intent else { return None };
        Some(args::object([("pattern", json!(pattern)), (self.path, json!(path))]))
    }

    fn targets(&self, args: &Value) -> Vec<String> {
        vec![args::folder(args, self.path)]
    }

    fn run(&'static self, _tool: &'static str, call: Invocation) -> BoxFuture<'static, Outcome> {
        async move { self.find(&call).await.unwrap_or_else(Outcome::error) }.boxed()
    }

    fn call_view(&self, args: &Value) -> CallView {
        CallView {
            title: args::text(args, "pattern").to_string(),
            body: args::optional_text(args, self.path),
            ..CallView::default()
        }
    }

    fn result_view(&self, text: &str, _details: Option<&Value>) -> ResultView {
        hits::view(text, hits::path)
    }
}

impl Find {
    async fn find(&self, call: &Invocation) -> Result<Outcome, String> {
        let folder = args::folder(&call.args, self.path);
        let root = paths::resolve(&*call.env, &folder);
        let spec = FindSpec { root, files: self.selection(&call.args), folders: self.folders };
        let (mut found, done, late) = gather::paths(call, spec).await?;
        match self.order {
            Order::AsFound => {}
            Order::NewestFirst => names::newest_first(&mut found),
            Order::RecentFirst => names::recent_first(&mut found, SystemClock::shared().now_ms()),
        }
        let all = found.len();
        let mut remarks = gather::remarks(&done, late);
        let mut details = json!({"count": all});
        if let Some(most) = &self.limit {
            let requested_limit = most.argument.and_then(|name| args::positive(&call.args, name));
            let shown = requested_limit.unwrap_or(most.default_limit);
            found.truncate(shown);
            if all > shown {
                remarks.push((most.remark)(shown, all));
            }
            details[most.detail] = json!(all > shown);
        }
        let lines: Vec<String> = found.iter().map(|one| self.paths.write(&*call.env, one)).collect();
        let lines = lines.join("\n");
        let bytes_max = self.bytes_max.unwrap_or(usize::MAX);
        let cut = limits::head(&lines, usize::MAX, bytes_max);
        if cut.limited_by.is_some() {
            remarks.push(format!("Cut at {} KB. Use a narrower pattern.", bytes_max / 1024));
        }
        let text = if self.headline {
            headline(self.pattern(&call.args), &folder, all, &lines)
        } else if all == 0 {
            "No files found.".to_string()
        } else {
            cut.text.trim_end_matches('\n').to_string()
        };
        Ok(Outcome::text(gather::with_remarks(text, &remarks)).details(details))
    }

    fn pattern<'a>(&self, args: &'a Value) -> &'a str {
        let pattern = args::text(args, "pattern");
        if self.matching == Matching::FromFolder { pattern.trim_start_matches("./") } else { pattern }
    }

    fn selection(&self, args: &Value) -> Selection {
        let yes = |name: &str| args.get(name).and_then(Value::as_bool).unwrap_or(true);
        let pattern = self.pattern(args);
        let glob = match self.matching {
            Matching::Glob => pattern.to_string(),
            Matching::Anywhere => {
                let begins =
                    !pattern.contains('/') || pattern.starts_with(['/', '.']) || pattern.starts_with("**/");
                if begins { pattern.to_string() } else { format!("**/{pattern}") }
            }
            Matching::FromFolder => format!("/{}", pattern.trim_start_matches('/')),
        };
        let by_argument = self.ignore_rules == IgnoreRules::ByArgument;
        let rules = by_argument && yes("respect_gemini_ignore");
        Selection {
            globs: vec![glob],
            ignore_case: self.matching == Matching::FromFolder && !args::flag(args, "case_sensitive"),
            hidden: true,
            ignored: self.ignore_rules == IgnoreRules::Nothing || by_argument && !yes("respect_git_ignore"),
            rule_files: rules.then(|| ".geminiignore".to_string()).into_iter().collect(),
            ..Selection::default()
        }
    }
}

fn headline(pattern: &str, folder: &str, all: usize, lines: &str) -> String {
    match all {
        0 => format!("No files match {pattern:?} in {folder}."),
        1 => format!("1 file matches {pattern:?} in {folder}:\n{lines}"),
        _ => format!("{all} files match {pattern:?} in {folder}, the last changed first:\n{lines}"),
    }
}
