//! Picker of the branches: the current one is marked, and Enter switches to another one if no file has unsaved changes.

use std::sync::Arc;

use futures::future::BoxFuture;
use nucleo::Injector;

use crate::base::plural::pluralize;
use crate::base::width::visible;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::features::files::disk;
use crate::ide::features::git::branch;
use crate::ide::features::git::run::run;
use crate::ide::model::age::age;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "branches",
    title: "Switch branch",
    footer: "✓ current  Enter switch",
    preview: Some(|_, pick| {
        pick.get::<Branch>().map(|branch| PreviewTarget::made("", branch.reference.clone(), log))
    }),
    has_places: false,
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(branch) = pick.get::<Branch>() {
            switch(cx, branch.clone());
        }
    },
    ..PickerSpec::EMPTY
};

/// A branch.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Branch {
    /// Its full name, such as `refs/heads/main`.
    reference: String,
    /// Its name for the user.
    name: String,
    is_current: bool,
}

/// Lists the branches, the one with the newest commit first. Names have no control characters.
const LIST: &str = "safe_git for-each-ref --sort=-committerdate --count=5000 \
    --format='%(HEAD)%1f%(refname)%1f%(committerdate:unix)%1f%(subject)' refs/heads refs/remotes";
/// Shows the last commits of a branch.
const LOG: &str = r#"safe_git log -n 60 --format='%h %ad %an  %s' --date=short "$BOWLINE_NAME" --"#;
/// Switches to a branch; to one of a remote by a new local branch that follows it. A filter of the repository's settings is
/// a program that would run.
const SWITCH: &str = r#"
if names_programs; then echo "The repository's settings name programs: switch in a terminal"; exit 1; fi
case "$BOWLINE_NAME" in
  refs/heads/*) safe_git switch --quiet --no-guess "${BOWLINE_NAME#refs/heads/}" ;;
  *) safe_git switch --quiet --track "${BOWLINE_NAME#refs/remotes/}" ;;
esac
"#;
/// Maximum bytes of the list, and of the shown commits.
const LIST_MAX: usize = 2 << 20;
const LOG_MAX: usize = 64 << 10;

/// Returns the last commits of a branch.
fn log(env: Arc<dyn Environment>, reference: String) -> BoxFuture<'static, Result<String, String>> {
    Box::pin(async move { run(&*env, LOG, &reference, LOG_MAX).await })
}

/// Adds the branches to the picker of this number.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let (env, now_ms) = (cx.env.clone(), cx.now_ms);
    let work = async move {
        let listed = run(&*env, LIST, "", LIST_MAX).await?;
        let branches: Vec<_> = listed.lines().filter_map(|line| parse(line, now_ms)).collect();
        let current = branches.iter().find(|(branch, ..)| branch.is_current);
        let current = current.map(|(branch, ..)| Pick::new(branch.clone()));
        for (branch, age, subject) in without_copies(branches) {
            let text = visible(&branch.name).into_owned();
            // The age first: a long subject is cut.
            let detail = format!("{age}  {}", visible(&subject));
            push(
                &injector,
                PickRow { text, aliases: Vec::new(), group: None, detail, pick: Pick::new(branch) },
            );
        }
        Ok(current)
    };
    cx.tasks.spawn("git.branches", work, move |cx, listed: Result<Result<_, String>, _>| {
        match answer_or_error(cx, "list branches", listed) {
            Some(Ok(current)) => {
                let pickers = cx.state.layers.all_mut::<Picker>();
                for picker in pickers.filter(|picker| picker.number == number) {
                    picker.marked = current.iter().cloned().collect();
                }
            }
            Some(Err(problem)) => cx.state.set_error(problem),
            None => {}
        }
        cx.state.finish_filling(number);
    });
}

/// Returns a branch, its age and its last subject.
fn parse(line: &str, now_ms: u64) -> Option<(Branch, String, String)> {
    let mut fields = line.splitn(4, '\u{1f}');
    let (head, reference, seconds) = (fields.next()?, fields.next()?, fields.next()?);
    let subject = fields.next().unwrap_or_default().to_string();
    let name = reference.strip_prefix("refs/heads/").or_else(|| reference.strip_prefix("refs/remotes/"))?;
    // Git itself makes no such name, and would take it for an option.
    if name.starts_with('-') || reference.ends_with("/HEAD") {
        return None;
    }
    let then = seconds.parse::<u64>().unwrap_or(0).saturating_mul(1_000);
    let branch = Branch { reference: reference.to_string(), name: name.to_string(), is_current: head == "*" };
    Some((branch, age(now_ms, then), subject))
}

/// Leaves out the branches of remotes that have a local one of their name, which Enter would switch to.
fn without_copies(branches: Vec<(Branch, String, String)>) -> Vec<(Branch, String, String)> {
    let locals: std::collections::HashSet<String> = branches
        .iter()
        .filter(|(branch, ..)| branch.reference.starts_with("refs/heads/"))
        .map(|(branch, ..)| branch.name.clone())
        .collect();
    let is_copy = |branch: &Branch| {
        let remote = branch.reference.strip_prefix("refs/remotes/").and_then(|name| name.split_once('/'));
        remote.is_some_and(|(_, name)| locals.contains(name))
    };
    branches.into_iter().filter(|(branch, ..)| !is_copy(branch)).collect()
}

/// Switches to a branch, unless that could lose or mix what is not saved yet.
fn switch(cx: &mut Cx<'_>, branch: Branch) {
    let unsaved = cx.state.buffers.unsaved().count();
    if branch.is_current {
        return cx.state.set_status(format!("On branch {} already", visible(&branch.name)));
    }
    if unsaved > 0 {
        let files = pluralize(unsaved, "file is", "files are");
        return cx.state.set_error(format!("{files} not saved: save or close first"));
    }
    if cx.state.agent.working_since.is_some() {
        return cx.state.set_error("Agent is working: interrupt it first");
    }
    let env = cx.env.clone();
    let reference = branch.reference.clone();
    let work = async move { run(&*env, SWITCH, &reference, LOG_MAX).await };
    cx.tasks.spawn("git.switch", work, move |cx, switched| {
        match answer_or_error(cx, "switch the branch", switched) {
            Some(Ok(_)) => {
                cx.state.set_status(format!("Switched to {}", visible(&branch.name)));
                // Open files are read again, and compared with what git has of them now.
                disk::check_disk(cx);
                branch::invalidate(cx);
            }
            Some(Err(problem)) => cx.state.set_error(problem),
            None => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(line: &str) -> Option<(String, bool)> {
        parse(line, 0).map(|(branch, ..)| (branch.name, branch.is_current))
    }

    #[test]
    fn git_branches_are_read_from_lines() {
        assert_eq!(branch("*\u{1f}refs/heads/a/b\u{1f}12\u{1f}first"), Some(("a/b".to_string(), true)));
        assert_eq!(branch(" \u{1f}refs/remotes/o/x\u{1f}12\u{1f}"), Some(("o/x".to_string(), false)));
        for line in
            ["", " \u{1f}refs/heads/-f\u{1f}1\u{1f}", " \u{1f}refs/remotes/o/HEAD\u{1f}1\u{1f}", "x\u{1f}y"]
        {
            assert_eq!(branch(line), None, "{line:?}");
        }
    }

    #[test]
    fn git_branches_of_remotes_with_a_local_one_are_left_out() {
        let lines = ["refs/heads/main", "refs/remotes/o/main", "refs/remotes/o/other"];
        let branches =
            lines.iter().filter_map(|name| parse(&format!(" \u{1f}{name}\u{1f}1\u{1f}s"), 0)).collect();
        let names: Vec<String> =
            without_copies(branches).into_iter().map(|(branch, ..)| branch.name).collect();
        assert_eq!(names, ["main", "o/other"]);
    }
}
