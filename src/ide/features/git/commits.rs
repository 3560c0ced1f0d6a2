//! Picker of the commits of the current branch, newest first, with the changes of the selected one beside the list.

use std::sync::Arc;

use futures::future::BoxFuture;
use nucleo::Injector;
use tokio_util::sync::CancellationToken;

use crate::base::width::visible;
use crate::exec::Environment;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::layers::picker::{Pick, PickRow, Picker, PickerSpec, RowSource, push};
use crate::ide::core::layers::preview::PreviewTarget;
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::git::run::{run, run_lines};
use crate::ide::model::age::age;

/// The table's row.
pub const PICKER: PickerSpec = PickerSpec {
    id: "commits",
    title: "Commits",
    footer: "Enter show",
    preview: Some(|_, pick| {
        pick.get::<CommitId>().map(|CommitId(id)| PreviewTarget::made("commit.diff", id.clone(), show))
    }),
    has_places: false,
    load: |_| RowSource::Task(list),
    accept: |cx, pick, _| {
        if let Some(CommitId(id)) = pick.get::<CommitId>() {
            open(cx, id.clone());
        }
    },
    ..PickerSpec::EMPTY
};

/// The full id of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CommitId(String);

/// Lists the commits.
const LIST: &str = "safe_git log -n 50000 --format=%H%x1f%h%x1f%at%x1f%an%x1f%s";
/// Shows a commit with its changes. Neither the external comparison nor the converter of a driver runs.
const SHOW: &str =
    r#"safe_git show --no-ext-diff --no-textconv --format=medium --stat --patch "$BOWLINE_NAME" --"#;
/// Maximum bytes shown of a commit.
const SHOWN_MAX: usize = 1 << 20;

/// Returns a commit with its changes.
fn show(env: Arc<dyn Environment>, id: String) -> BoxFuture<'static, Result<String, String>> {
    Box::pin(async move { run(&*env, SHOW, &id, SHOWN_MAX).await })
}

/// Adds the commits to the picker of this number while git lists them. It ends with the picker.
fn list(cx: &mut Cx<'_>, injector: Injector<PickRow>, number: u64) {
    let cancel = CancellationToken::new();
    if let Some(picker) = cx.state.layers.top_mut::<Picker>() {
        picker.search = Some(cancel.clone().drop_guard());
    }
    let (env, now_ms) = (cx.env.clone(), cx.now_ms);
    let work = async move {
        let on_line = move |line: &str| {
            if let Some(row) = row(line, now_ms) {
                push(&injector, row);
            }
        };
        run_lines(&*env, LIST, cancel, on_line).await
    };
    cx.tasks.spawn("git.commits", work, move |cx, listed| {
        cx.state.finish_filling(number);
        if let Some(Err(problem)) = answer_or_error(cx, "list commits", listed) {
            cx.state.set_error(problem);
        }
    });
}

/// Returns the row of a commit: id, subject and age. The author, who is beside the list, is searched only: a name would take
/// the room of most subjects.
fn row(line: &str, now_ms: u64) -> Option<PickRow> {
    let fields: Vec<&str> = line.splitn(5, '\u{1f}').collect();
    let [id, short, seconds, author, subject] = fields[..] else { return None };
    let then = seconds.parse::<u64>().unwrap_or(0).saturating_mul(1_000);
    Some(PickRow {
        text: visible(&format!("{short} {subject}")).into_owned(),
        aliases: vec![id.to_string(), author.to_string()],
        group: None,
        detail: age(now_ms, then),
        pick: Pick::new(CommitId(id.to_string())),
    })
}

/// Shows a commit in the editor.
fn open(cx: &mut Cx<'_>, id: String) {
    let work = show(cx.env.clone(), id);
    cx.tasks.spawn("git.show", work, move |cx, shown| match answer_or_error(cx, "show the commit", shown) {
        Some(Ok(text)) => {
            cx.state.note_jump();
            cx.state.buffers.open_builtin("commit.diff", "This text is read-only", &text);
            panes::focus(cx, Focus::Editor);
            cx.state.damage.add_all();
        }
        Some(Err(problem)) => cx.state.set_error(problem),
        None => {}
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_commits_are_read_from_lines() {
        let row = row("abcdef\u{1f}abc\u{1f}60\u{1f}A B\u{1b}\u{1f}fix: it\u{1f}all", 120_000).unwrap();
        assert_eq!((row.text.as_str(), row.detail.as_str()), ("abc fix: it␟all", "1 min"));
        assert_eq!(row.pick.get::<CommitId>(), Some(&CommitId("abcdef".to_string())));
        assert!(super::row("fatal: not a repository", 0).is_none());
    }
}
