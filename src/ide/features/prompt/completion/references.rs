//! Completions after `@` of other things than files: symbols of open files, which stand in a message as
//! `@src/lib.rs:12 parse_line`, sessions of the folder, which stand there as the path of their file, and subagents,
//! which stand there by the name that the agent knows them by. The agent can read the first two. They are collected in tasks when a word begins, and kept until something changes.

use std::sync::Arc;
use std::time::Duration;

use nucleo::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo::{Config, Matcher, Utf32Str};

use super::files;
use crate::base::names;
use crate::base::plural::pluralize;
use crate::base::width::{is_unsafe, visible};
use crate::ide::core::context::{Cx, answer_or_error, ask_session};
use crate::ide::core::state::State;
use crate::ide::features::symbols::job::SymbolsJob;
use crate::ide::features::transcript::agents;
use crate::ide::model::age::age;
use crate::ide::model::completion::{CompletionRow, Reference};

/// Minimum characters of a query for which other things than files are looked for.
const QUERY_MIN: usize = 2;
/// Maximum number of files listed before other things, of symbols and of sessions.
const FILES_SHOWN: usize = 5;
const SYMBOLS_SHOWN: usize = 20;
const SESSIONS_SHOWN: usize = 5;
/// Maximum number of subagents listed, and of those listed before anything is typed.
const AGENTS_SHOWN: usize = 5;
const AGENTS_SHOWN_FIRST: usize = 3;
/// Maximum number of symbols that are kept.
const SYMBOLS_MAX: usize = 50_000;
/// How long the list of sessions is kept.
const SESSIONS_AGE: Duration = Duration::from_secs(30);
/// Maximum number of sessions, and of characters of a title.
const SESSIONS_MAX: usize = 1_000;
const TITLE_MAX: usize = 80;

/// Collects symbols and sessions, unless those that are known are current.
pub fn refresh(cx: &mut Cx<'_>) {
    refresh_symbols(cx);
    refresh_sessions(cx);
}

fn refresh_symbols(cx: &mut Cx<'_>) {
    let jobs: Vec<(SymbolsJob, String)> = symbol_jobs(cx.state).collect();
    let sources: Vec<_> = jobs.iter().map(|(job, _)| job.source()).collect();
    let completion = &mut cx.state.prompt.completion;
    if completion.symbols_of == sources {
        return;
    }
    completion.symbols_of.clone_from(&sources);
    let work = move || {
        let found = jobs.iter().flat_map(|(job, path)| symbols_of(job, path));
        found.take(SYMBOLS_MAX).collect::<Arc<[Reference]>>()
    };
    cx.tasks.spawn_blocking("completion.symbols", work, move |cx, found| {
        let Some(found) = answer_or_error(cx, "complete symbols", found) else { return };
        let completion = &mut cx.state.prompt.completion;
        if completion.symbols_of == sources {
            completion.symbols = found;
            files::search_again(cx);
        }
    });
}

/// Returns the open files of the workspace with their paths in it.
fn symbol_jobs(state: &State) -> impl Iterator<Item = (SymbolsJob, String)> {
    state.buffers.all().iter().filter_map(|buffer| {
        let path = buffer.path.as_deref()?.strip_prefix(&state.workspace).ok()?;
        let path = names::display(path).into_owned();
        // Such a name would be another text in a message than on the screen.
        let is_safe = !path.chars().any(is_unsafe);
        Some((SymbolsJob::of(buffer).filter(|_| is_safe)?, path))
    })
}

fn symbols_of(job: &SymbolsJob, path: &str) -> Vec<Reference> {
    let reference = |(symbol, line): (crate::syntax::structure::symbols::Symbol, usize)| {
        let name = visible(&symbol.name).into_owned();
        let insert = format!("@{}:{line} {name}", quoted(path));
        Reference { insert, about: format!("{} · {path}:{line}", symbol.kind), name }
    };
    job.symbols().into_iter().map(reference).collect()
}

fn refresh_sessions(cx: &mut Cx<'_>) {
    let completion = &mut cx.state.prompt.completion;
    let is_current = completion.sessions_listed.is_some_and(|listed| cx.now < listed + SESSIONS_AGE);
    if is_current || cx.session.is_none() {
        return;
    }
    completion.sessions_listed = Some(cx.now);
    let (current, now_ms) = (cx.state.agent.session.clone(), cx.now_ms);
    let listed = move |session: crate::runtime::Handle| async move {
        let listed = session.sessions(false).await?;
        let others = listed.into_iter().filter(|listed| listed.summary.id != current);
        let reference = others.filter_map(|listed| {
            let path = listed.path.to_str().filter(|path| !path.chars().any(is_unsafe))?;
            let turns = pluralize(listed.summary.prompts, "turn", "turns");
            Some(Reference {
                name: one_line(listed.summary.title()),
                insert: format!("@{}", quoted(path)),
                about: format!("session · {turns} · {}", age(now_ms, listed.summary.active_ms)),
            })
        });
        Ok(reference.take(SESSIONS_MAX).collect::<Arc<[Reference]>>())
    };
    ask_session(cx, "completion.sessions", "list sessions", listed, |cx, sessions| {
        cx.state.prompt.completion.sessions = sessions;
        files::search_again(cx);
    });
}

/// Returns the subagents of the conversation.
pub fn agents(state: &State) -> Vec<Reference> {
    let reference = |(name, task, is_running): (&str, &str, bool)| {
        let (name, task) = (one_line(name), one_line(task));
        let about = if is_running { "subagent · working" } else { "subagent" };
        Reference {
            insert: format!("@{name}"),
            name: format!("{name} {task}").trim_end().to_string(),
            about: about.to_string(),
        }
    };
    agents::all(state).map(reference).collect()
}

/// Returns a path in quotes if it has spaces: they show where it ends.
fn quoted(path: &str) -> String {
    if path.contains(char::is_whitespace) { format!("\"{path}\"") } else { path.to_string() }
}

/// Returns the beginning of a title as one line that a terminal can show.
fn one_line(title: &str) -> String {
    let words: Vec<&str> = title.split_whitespace().take(TITLE_MAX / 2).collect();
    let line: String = words.join(" ").chars().take(TITLE_MAX).collect();
    visible(&line).into_owned()
}

/// The things that are not files.
pub struct References {
    /// Symbols of open files.
    pub symbols: Arc<[Reference]>,
    /// Sessions of the folder.
    pub sessions: Arc<[Reference]>,
    /// Subagents of the conversation.
    pub agents: Vec<Reference>,
}

/// Returns the rows of files, then of the other things whose names contain the query. Beside those only files that
/// contain it, too, are of interest. Before anything is typed, subagents stand where they are seen without scrolling.
pub fn beside(mut files: Vec<CompletionRow>, others: &References, query: &str) -> Vec<CompletionRow> {
    let References { symbols, sessions, agents } = others;
    if query.is_empty() {
        let at = files.len().min(FILES_SHOWN);
        files.splice(at..at, rows(agents, query, AGENTS_SHOWN_FIRST));
        return files;
    }
    if query.chars().count() < QUERY_MIN {
        return files;
    }
    let mut others = rows(agents, query, AGENTS_SHOWN);
    others.extend(rows(symbols, query, SYMBOLS_SHOWN));
    others.extend(rows(sessions, query, SESSIONS_SHOWN));
    if !others.is_empty() {
        files.retain(|row| row.is_likely);
        files.truncate(FILES_SHOWN);
        files.append(&mut others);
    }
    files
}

/// Returns rows for the things whose names contain the query, the best one first.
fn rows(all: &[Reference], query: &str, count: usize) -> Vec<CompletionRow> {
    let lower = query.to_lowercase();
    let pattern = Pattern::new(query, CaseMatching::Ignore, Normalization::Never, AtomKind::Substring);
    let mut matcher = Matcher::new(Config::DEFAULT);
    let mut buffer = Vec::new();
    let named = all.iter().filter(|reference| reference.name.to_lowercase().contains(&lower));
    let mut found: Vec<_> = named
        .filter_map(|reference| {
            let mut indices = Vec::new();
            let name = Utf32Str::new(&reference.name, &mut buffer);
            let score = pattern.indices(name, &mut matcher, &mut indices)?;
            indices.sort_unstable();
            Some((score, indices, reference))
        })
        .collect();
    // Of equal scores the shorter name; of equal names the first in the text, or the newest.
    found.sort_by(|(a, _, one), (b, _, other)| b.cmp(a).then(one.name.len().cmp(&other.name.len())));
    let row = |(_, matched, reference): (u32, Vec<u32>, &Reference)| CompletionRow {
        text: format!("@{}", reference.name),
        insert: Some(reference.insert.clone()),
        // After the sign.
        matched: matched.iter().map(|at| at + 1).collect(),
        detail: reference.about.clone(),
        is_likely: true,
        is_complete: false,
    };
    found.into_iter().take(count).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(name: &str) -> Reference {
        let insert = format!("@a.rs:1 {name}");
        Reference { name: name.into(), insert, about: "function · a.rs:1".into() }
    }

    fn file(path: &str, is_likely: bool) -> CompletionRow {
        CompletionRow {
            text: format!("@{path}"),
            insert: None,
            matched: Vec::new(),
            detail: String::new(),
            is_likely,
            is_complete: false,
        }
    }

    #[test]
    fn reference_rows_follow_likely_files() {
        let symbols = ["reparse_all", "parse", "Parser", "other"].map(reference);
        let others = References {
            symbols: symbols.clone().into(),
            sessions: [reference("why does the parser fail")].into(),
            agents: vec![reference("agent-1 look at the parser")],
        };
        let files = vec![file("src/parser.rs", true), file("p/a/r/s/e", false)];
        let texts: Vec<String> =
            beside(files.clone(), &others, "parse").into_iter().map(|row| row.text).collect();
        let wanted = [
            "@src/parser.rs",
            "@agent-1 look at the parser",
            "@parse",
            "@Parser",
            "@reparse_all",
            "@why does the parser fail",
        ];
        assert_eq!(texts, wanted);
        assert_eq!(beside(files.clone(), &others, "zzz"), files);
        assert_eq!(beside(files.clone(), &others, "p"), files, "one letter means little");
        let bare = beside(vec![file("a", false); 9], &others, "");
        let agents = bare.iter().position(|row| row.text.starts_with("@agent-1"));
        assert_eq!((agents, bare.len()), (Some(FILES_SHOWN), 10));
        let row = &rows(&symbols, "Parse", 1)[0];
        assert_eq!(
            (row.insert.as_deref(), row.matched.as_slice()),
            (Some("@a.rs:1 parse"), &[1, 2, 3, 4, 5][..])
        );
    }

    #[test]
    fn reference_names_are_one_visible_line_and_paths_have_an_end() {
        assert_eq!(one_line("a\n\u{1b}[31m b"), "a ␛[31m b");
        assert!(one_line(&"x".repeat(1 << 20)).chars().count() <= TITLE_MAX);
        assert_eq!((quoted("a/b"), quoted("a b")), ("a/b".to_string(), "\"a b\"".to_string()));
    }
}
