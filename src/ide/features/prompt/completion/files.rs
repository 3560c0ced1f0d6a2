//! Completions of files and folders of the workspace. Paths are matched off the loop, the shown rows stay
//! until the new ones are there.

use std::collections::BTreeSet;

use nucleo::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo::{Config, Matcher, Utf32Str};
use tokio_util::sync::CancellationToken;

use super::show;
use crate::base::names;
use crate::base::width::is_unsafe;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::model::completion::CompletionRow;
use crate::ide::model::file_list;
use crate::workspace::walk;

/// Maximum number of rows.
const ROWS_MAX: usize = 50;
/// Number of paths between two checks of the cancellation.
const BATCH: usize = 4_096;
/// Score added to open files: they are what the user is working on.
const OPEN_BONUS: u32 = 60;

/// Requests the rows of the open list. Without a recent list of the files they are walked first; until that
/// has ended, the paths of the last walk serve.
pub fn request(cx: &mut Cx<'_>, query: &str) {
    let fresh = cx.state.files.file_list.fresh(cx.now);
    if fresh.is_none() {
        start_walk(cx);
    }
    let completion = &mut cx.state.prompt.completion;
    completion.paths = fresh.or_else(|| completion.paths.take());
    search(cx, query);
}

/// Searches the known paths for the rows of the open list.
fn search(cx: &mut Cx<'_>, query: &str) {
    let completion = &mut cx.state.prompt.completion;
    let (Some(paths), Some(open)) = (completion.paths.clone(), &mut completion.open) else { return };
    let cancel = CancellationToken::new();
    open.search = Some(cancel.clone().drop_guard());
    let (number, query, opened) = (open.number, query.to_string(), open_files(cx.state));
    let work = move || best(&paths, &query, &opened, &cancel);
    cx.tasks.spawn_blocking("completion.files", work, move |cx, found| {
        let found = answer_or_error(cx, "complete files", found).flatten();
        let open = cx.state.prompt.completion.open.as_ref();
        if open.is_some_and(|open| open.number == number) {
            show(cx, found.unwrap_or_default());
        }
    });
}

/// Walks the files of the workspace, unless that is under way; then completes the word at the caret.
fn start_walk(cx: &mut Cx<'_>) {
    if std::mem::replace(&mut cx.state.prompt.completion.is_walking, true) {
        return;
    }
    let mut walked = cx.state.files.file_list.begin_walk(cx.now);
    let root = cx.env.root().to_path_buf();
    let work = move || {
        walk::walk(&root, &CancellationToken::new(), |paths| {
            for path in paths {
                walked.push(&path);
            }
        });
        walked.end()
    };
    cx.tasks.spawn_blocking("completion.walk", work, |cx, paths| {
        let completion = &mut cx.state.prompt.completion;
        completion.is_walking = false;
        let Some(paths) = answer_or_error(cx, "list files", paths) else { return };
        cx.state.prompt.completion.paths = Some(paths);
        let open = cx.state.prompt.completion.open.as_ref().filter(|open| !open.is_chosen);
        let query = open.and_then(|open| open.word.strip_prefix('@')).map(str::to_string);
        // Not a request: a list that cannot be kept, because it is too long or files change, would be walked
        // without end.
        if let Some(query) = query {
            search(cx, &query);
        }
    });
}

/// Returns the paths of the open files below the workspace.
fn open_files(state: &State) -> Vec<String> {
    let paths = state.buffers.all().iter().filter_map(|buffer| buffer.path.as_deref());
    let relative = paths.filter_map(|path| path.strip_prefix(&state.workspace).ok());
    relative.map(|path| names::display(path).into_owned()).collect()
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
    /// The query in lower case.
    query: String,
    opened: &'a [String],
    /// Score, shortness and text: the worst one first.
    best: BTreeSet<(u32, std::cmp::Reverse<usize>, std::cmp::Reverse<String>)>,
}

impl<'a> Search<'a> {
    fn new(query: &str, opened: &'a [String]) -> Self {
        let pattern = Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let matcher = Matcher::new(Config::DEFAULT.match_paths());
        let query = query.to_lowercase();
        Self { pattern, matcher, buffer: Vec::new(), query, opened, best: BTreeSet::new() }
    }

    fn add(&mut self, path: &str) {
        // Such a name would be another text in a message than on the screen.
        if path.chars().any(is_unsafe) {
            return;
        }
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
            let is_likely = !self.query.is_empty() && path.to_lowercase().contains(&self.query);
            // The quotes show where a path with spaces ends.
            let has_space = path.contains(char::is_whitespace);
            let text = if has_space { format!("@\"{path}\"") } else { format!("@{path}") };
            CompletionRow { text, matched, detail, is_likely, is_complete: false }
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
        assert!(texts(&list, "nothing", &[]).is_empty() && texts(&list, "rs$", &[]).is_empty());
        assert_eq!(texts(&["a b.txt", "c\nd.txt", "e\u{202e}.txt"], "txt", &[]), ["@\"a b.txt\""]);
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
