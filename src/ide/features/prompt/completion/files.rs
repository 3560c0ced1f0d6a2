//! Completions of files and folders of the workspace. Paths are matched off the loop, the shown rows stay
//! until the new ones are there.

use std::collections::BTreeSet;

use nucleo::pattern::{CaseMatching, Normalization, Pattern};
use nucleo::{Config, Matcher, Utf32Str};
use tokio_util::sync::CancellationToken;

use super::{hide, show, word_at_caret};
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::features::prompt::completion::Word;
use crate::ide::model::completion::{Completion, CompletionRow};
use crate::ide::model::file_list;
use crate::text::position::Byte;
use crate::workspace::walk;

/// Maximum number of rows.
const ROWS_MAX: usize = 50;
/// Paths matched between two looks at the cancellation.
const BATCH: usize = 4_096;
/// Score added to open files: they are what the user is working on.
const OPEN_BONUS: u32 = 60;

/// Requests the rows for a word.
pub fn request(cx: &mut Cx<'_>, start: Byte, query: &str) {
    let cancel = CancellationToken::new();
    let (guard, asked) = (cancel.clone().drop_guard(), Word::File(start, query.to_string()));
    let completion = &mut cx.state.prompt.completion;
    let shown = completion.open.take().filter(|open| open.start == start);
    let (rows, selected) = shown.map_or_else(Default::default, |shown| (shown.rows, shown.selected));
    completion.open = Some(Completion { start, rows, selected, is_filling: true, search: Some(guard) });
    let (known, walked) =
        (cx.state.files.file_list.fresh(cx.now), cx.state.files.file_list.begin_walk(cx.now));
    let root = cx.env.root().to_path_buf();
    let opened = open_files(cx.state);
    let query = query.to_string();
    let work = move || {
        let list = known.or_else(|| walk_files(&root, walked, &cancel))?;
        best(&list, &query, &opened, &cancel)
    };
    cx.tasks.spawn_blocking("completion.files", work, move |cx, found| {
        let found = answer_or_error(cx, "list files", found).flatten();
        // The text may have changed meanwhile; its own request is under way then.
        if word_at_caret(&cx.state.prompt).as_ref() != Some(&asked) {
            return;
        }
        match (found, cx.state.prompt.completion.open.take()) {
            (Some(rows), Some(open)) if open.start == asked.start() => {
                show(cx, open.start, rows, Some(open));
            }
            (None, Some(_)) => hide(cx),
            (_, open) => cx.state.prompt.completion.open = open,
        }
    });
}

/// Returns the paths of the open files below the workspace.
fn open_files(state: &State) -> Vec<String> {
    let paths = state.buffers.all().iter().filter_map(|buffer| buffer.path.as_deref());
    paths.filter_map(|path| Some(path.strip_prefix(&state.workspace).ok()?.to_str()?.to_string())).collect()
}

/// Walks the workspace; `None` if the walk was cancelled.
fn walk_files(
    root: &std::path::Path,
    mut walked: file_list::FileWalk,
    cancel: &CancellationToken,
) -> Option<std::sync::Arc<str>> {
    let mut all = String::new();
    let end = walk::walk(root, cancel, |paths| {
        for path in paths {
            walked.push(&path);
            all.push_str(&path);
            all.push('\0');
        }
    });
    if end.cancelled {
        return None;
    }
    walked.end();
    Some(all.into())
}

/// Returns the best matches of a query among paths and their folders; `None` if it was cancelled. The paths
/// of a list are sorted by folder.
fn best(
    list: &str,
    query: &str,
    opened: &[String],
    cancel: &CancellationToken,
) -> Option<Vec<CompletionRow>> {
    let mut search = Search::new(query, opened);
    let mut folder = "";
    for (n, path) in file_list::paths(list).enumerate() {
        if n % BATCH == 0 && cancel.is_cancelled() {
            return None;
        }
        let parent = path.rfind('/').map_or("", |at| &path[..=at]);
        if parent != folder {
            for (at, _) in parent.match_indices('/').filter(|(at, _)| !folder.starts_with(&parent[..=*at])) {
                search.add(&parent[..=at]);
            }
            folder = parent;
        }
        search.add(path);
    }
    Some(search.rows())
}

/// The best rows so far.
struct Search<'a> {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
    opened: &'a [String],
    /// Score, shortness and text: the worst one first.
    best: BTreeSet<(u32, std::cmp::Reverse<usize>, std::cmp::Reverse<String>)>,
}

impl<'a> Search<'a> {
    fn new(query: &str, opened: &'a [String]) -> Self {
        let pattern = Pattern::parse(query, CaseMatching::Smart, Normalization::Smart);
        let matcher = Matcher::new(Config::DEFAULT.match_paths());
        Self { pattern, matcher, buffer: Vec::new(), opened, best: BTreeSet::new() }
    }

    fn add(&mut self, path: &str) {
        let text = Utf32Str::new(path, &mut self.buffer);
        let Some(score) = self.pattern.score(text, &mut self.matcher) else { return };
        let is_open = self.opened.iter().any(|open| open == path);
        let score = if is_open { score + OPEN_BONUS } else { score };
        let worst = self.best.first().map_or(0, |(score, ..)| *score);
        if self.best.len() >= ROWS_MAX && score < worst {
            return;
        }
        self.best.insert((score, std::cmp::Reverse(path.len()), std::cmp::Reverse(path.to_string())));
        if self.best.len() > ROWS_MAX {
            self.best.pop_first();
        }
    }

    fn rows(mut self) -> Vec<CompletionRow> {
        let best = std::mem::take(&mut self.best);
        let row = |path: String| {
            let mut matched = Vec::new();
            let text = Utf32Str::new(&path, &mut self.buffer);
            self.pattern.indices(text, &mut self.matcher, &mut matched);
            matched.sort_unstable();
            matched.dedup();
            // After the sign.
            let matched = matched.iter().map(|at| at + 1).collect();
            let detail = if self.opened.contains(&path) { "open" } else { "" }.to_string();
            CompletionRow { text: format!("@{path}"), matched, detail, is_complete: false }
        };
        best.into_iter().rev().map(|(.., path)| path.0).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(list: &[&str], query: &str, opened: &[&str]) -> Vec<String> {
        let list = list.join("\0") + "\0";
        let opened: Vec<String> = opened.iter().map(ToString::to_string).collect();
        let rows = best(&list, query, &opened, &CancellationToken::new()).unwrap();
        rows.into_iter().map(|row| row.text).collect()
    }

    #[test]
    fn file_completion_has_folders_and_prefers_open_files() {
        let list = ["src/ide/app.rs", "src/ide/map.rs", "src/lib.rs", "README.md"];
        assert_eq!(texts(&list, "ide", &[])[0], "@src/ide/");
        assert_eq!(texts(&list, "rs", &[])[0], "@src/lib.rs", "the shortest of equals");
        assert_eq!(texts(&list, "rs", &["src/ide/map.rs"])[0], "@src/ide/map.rs");
        assert_eq!(texts(&list, "", &[]).len(), 6, "four files and two folders");
        assert!(texts(&list, "nothing", &[]).is_empty());
    }

    #[test]
    fn file_completion_keeps_best_of_many_and_can_be_cancelled() {
        let many: Vec<String> = (0..10_000).map(|n| format!("dir/file{n}.txt")).collect();
        let list: Vec<&str> = many.iter().map(String::as_str).collect();
        let found = texts(&list, "file77", &[]);
        assert_eq!((found.len(), found[0].as_str()), (ROWS_MAX, "@dir/file77.txt"));
        let cancel = CancellationToken::new();
        cancel.cancel();
        assert_eq!(best("a\0", "", &[], &cancel), None);
    }
}
