//! Completions of files and folders of the workspace. Paths are matched off the loop, the shown rows stay
//! until the new ones are there.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use nucleo::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo::{Config, Matcher, Utf32Str};
use tokio_util::sync::CancellationToken;

use super::references::References;
use super::{references, show};
use crate::base::names;
use crate::base::parallel;
use crate::base::width::is_unsafe;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::model::completion::CompletionRow;
use crate::ide::model::file_list;
use crate::workspace::walk;

/// Maximum number of rows.
const ROWS_MAX: usize = 50;
/// Maximum number of matches of a part of the list that are scored finally.
const SCORED_MAX: usize = 300;
/// Bytes of paths from which a further thread is worth its start.
const PART_BYTES: usize = 256 << 10;
/// Number of paths between two checks of the cancellation.
const BATCH: usize = 4_096;
/// Score added to open files: they are what the user is working on.
const OPEN_BONUS: u32 = 60;

/// Requests the rows of the open list. Without a recent list of the files they are walked first; until that
/// has ended, the paths of the last walk serve.
pub fn request(cx: &mut Cx<'_>, query: &str) {
    let fresh = cx.state.files.file_list.fresh(false, cx.now);
    if fresh.is_none() {
        start_walk(cx);
    }
    let completion = &mut cx.state.prompt.completion;
    completion.paths = fresh.or_else(|| completion.paths.take());
    search(cx, query);
}

/// Searches the known paths for the rows of the open list.
fn search(cx: &mut Cx<'_>, query: &str) {
    let (opened, agents) = (open_files(cx.state), references::agents(cx.state));
    let completion = &mut cx.state.prompt.completion;
    let (Some(paths), Some(open)) = (completion.paths.clone(), &mut completion.open) else { return };
    let cancel = CancellationToken::new();
    open.search = Some(cancel.clone().drop_guard());
    // An earlier search of the same list must not replace what this one finds.
    completion.last += 1;
    open.number = completion.last;
    let (number, query) = (open.number, query.to_string());
    let (symbols, sessions) = (Arc::clone(&completion.symbols), Arc::clone(&completion.sessions));
    let others = References { symbols, sessions, agents };
    let work = move || {
        let files = best(&paths, &query, &opened, &cancel)?;
        Some(references::beside(files, &others, &query))
    };
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
    let mut walked = cx.state.files.file_list.begin_walk(false, cx.now);
    let root = cx.env.root().to_path_buf();
    let work = move || {
        walk::walk(&*root, &CancellationToken::new(), |paths| {
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
        // Not a request: a list that cannot be kept, because it is too long or files change, would be walked
        // without end.
        search_again(cx);
    });
}

/// How often an empty list begins again: once for each source that comes late.
const RETRIES_MAX: u8 = 3;

/// Searches again for the rows of the open list, because more can be found. A row that the user has selected
/// stays where it is; a list that was closed for lack of rows begins again.
pub fn search_again(cx: &mut Cx<'_>) {
    let completion = &mut cx.state.prompt.completion;
    if completion.open.is_none() && completion.emptied == completion.seen {
        if completion.retried.0 != completion.seen {
            completion.retried = (completion.seen, 0);
        }
        // Beginning again may list the files again, which ends here.
        if completion.retried.1 < RETRIES_MAX {
            completion.retried.1 += 1;
            (completion.seen, completion.emptied) = (None, None);
        }
        return;
    }
    let open = cx.state.prompt.completion.open.as_ref().filter(|open| !open.is_chosen);
    let query = open.and_then(|open| open.word.strip_prefix('@')).map(str::to_string);
    if let Some(query) = query {
        search(cx, &query);
    }
}

/// Returns the paths of the open files below the workspace.
fn open_files(state: &State) -> Vec<String> {
    let paths = state.buffers.all().iter().filter_map(|buffer| buffer.path.as_deref());
    let relative = paths.filter_map(|path| path.strip_prefix(&state.workspace).ok());
    relative.map(|path| names::display(path).into_owned()).collect()
}

/// Returns the best matches of a query among paths and their folders; `None` if it was cancelled. The paths
/// of a list are sorted by folder.
pub fn best(
    list: &str,
    query: &str,
    opened: &[String],
    cancel: &CancellationToken,
) -> Option<Vec<CompletionRow>> {
    let count = (list.len() / PART_BYTES + 1).min(parallel::threads());
    let parts = file_list::parts(list, count);
    let found = parallel::map_chunks(&parts, 1, |part| {
        part.iter().map(|list| best_of_part(list, query, opened, cancel)).collect::<Option<Vec<_>>>()
    });
    let mut all = BTreeSet::new();
    for part in found {
        all.extend(part?.into_iter().flatten());
    }
    Some(Search::new(query, opened).rows(all))
}

/// A match with its preliminary score and its shortness: the worst one is the first of a set.
type Match<'a> = (u32, Reverse<usize>, Reverse<&'a str>);

/// Returns the likely best matches in a part of a list; more than are shown, since they are not scored finally.
fn best_of_part<'a>(
    list: &'a str,
    query: &str,
    opened: &[String],
    cancel: &CancellationToken,
) -> Option<BTreeSet<Match<'a>>> {
    let mut search = Search::new(query, opened);
    let mut best = BTreeSet::new();
    let mut folder = "";
    for (n, path) in file_list::paths(list).enumerate() {
        if n % BATCH == 0 && cancel.is_cancelled() {
            return None;
        }
        let parent = path.rfind('/').map_or("", |at| &path[..=at]);
        if parent != folder {
            for (at, _) in parent.match_indices('/').filter(|(at, _)| !folder.starts_with(&parent[..=*at])) {
                search.add(&parent[..=at], &mut best);
            }
            folder = parent;
        }
        search.add(path, &mut best);
    }
    Some(best)
}

/// Scores paths for a query.
struct Search<'a> {
    pattern: Pattern,
    matcher: Matcher,
    buffer: Vec<char>,
    needle: Vec<char>,
    /// The query.
    query: &'a str,
    opened: &'a [String],
}

impl<'a> Search<'a> {
    fn new(query: &'a str, opened: &'a [String]) -> Self {
        let pattern = Pattern::new(query, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy);
        let mut config = Config::DEFAULT.match_paths();
        // As the pattern does.
        config.ignore_case = !query.chars().any(char::is_uppercase);
        config.normalize = query.is_ascii();
        let matcher = Matcher::new(config);
        Self { pattern, matcher, buffer: Vec::new(), needle: Vec::new(), query, opened }
    }

    /// Adds a path to the best ones if it matches. The score is preliminary, from the first place where the
    /// query matches: the best one of each path would take several times as long.
    fn add<'p>(&mut self, path: &'p str, best: &mut BTreeSet<Match<'p>>) {
        let needle = Utf32Str::new(self.query, &mut self.needle);
        let text = Utf32Str::new(path, &mut self.buffer);
        let Some(score) = self.matcher.fuzzy_match_greedy(text, needle) else { return };
        let found = (u32::from(score) + self.bonus(path), Reverse(path.len()), Reverse(path));
        let is_full = best.len() >= SCORED_MAX;
        // The name of an unsafe one would be another text in a message than on the screen.
        if (is_full && best.first().is_some_and(|worst| found <= *worst)) || path.chars().any(is_unsafe) {
            return;
        }
        best.insert(found);
        if is_full {
            best.pop_first();
        }
    }

    fn bonus(&self, path: &str) -> u32 {
        if self.opened.iter().any(|open| open == path) { OPEN_BONUS } else { 0 }
    }

    /// Returns the rows of the best paths, in the order of their final scores.
    fn rows(mut self, found: BTreeSet<Match<'_>>) -> Vec<CompletionRow> {
        let mut scored: Vec<_> = found
            .into_iter()
            .filter_map(|(_, length, path)| {
                let text = Utf32Str::new(path.0, &mut self.buffer);
                let score = self.pattern.score(text, &mut self.matcher)?;
                Some((score + self.bonus(path.0), length, path))
            })
            .collect();
        scored.sort_unstable_by(|a, b| b.cmp(a));
        scored.truncate(ROWS_MAX);
        let query = self.query.to_lowercase();
        scored.into_iter().map(|(.., path)| self.row(path.0, &query)).collect()
    }

    fn row(&mut self, path: &str, query: &str) -> CompletionRow {
        let mut matched = Vec::new();
        let haystack = Utf32Str::new(path, &mut self.buffer);
        self.pattern.indices(haystack, &mut self.matcher, &mut matched);
        matched.sort_unstable();
        matched.dedup();
        // The quotes show where a path with spaces ends.
        let has_space = path.contains(char::is_whitespace);
        let text = if has_space { format!("@\"{path}\"") } else { format!("@{path}") };
        CompletionRow {
            text,
            insert: None,
            // After the sign.
            matched: matched.iter().map(|at| at + 1).collect(),
            detail: if self.bonus(path) > 0 { "open" } else { "" }.to_string(),
            is_likely: !query.is_empty() && path.to_lowercase().contains(query),
            is_complete: false,
        }
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
