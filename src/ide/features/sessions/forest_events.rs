//! Other sessions in the session tree, on the event loop: reading their list and their trees on other threads, and
//! continuing one. Must not know how they are drawn.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::base::error::Report;
use crate::ide::core::context::{Command, Cx, TaskError, answer_or_report, command};
use crate::ide::features::sessions::events::{self, damage, with_numbered};
use crate::ide::features::sessions::forest::{Forest, Root, Scope};
use crate::ide::features::sessions::view::SessionView;
use crate::runtime::BranchSummaryChoice;
use crate::runtime::Handle;
use crate::runtime::history::navigation::{NavigationTarget, SessionSwitch};
use crate::runtime::history::session_trees::{StoredOutline, StoredTree};

/// What failed, for the message when a task has no result.
const READ: &str = "read the session";

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command(
        "session.toggle-folder-sessions",
        "Toggle sessions of folder",
        &["all sessions", "session tree of project", "show other sessions"],
        |cx| toggle(cx, Scope::Folder),
    ),
    command(
        "session.toggle-all-sessions",
        "Toggle sessions of projects",
        &["all sessions", "sessions of other folders"],
        |cx| toggle(cx, Scope::Everywhere),
    ),
];

/// Shows the sessions of a scope in the tree, or the session that is open again.
fn toggle(cx: &mut Cx<'_>, scope: Scope) {
    if events::view_of(cx.state).is_none() {
        events::open(cx);
    }
    let (now_ms, session) = (cx.now_ms, cx.session.map(Handle::history_search));
    let (Some(view), Some(history)) = (events::view_of(cx.state), session) else { return };
    let number = view.number;
    let is_shown = view.forest.as_ref().is_some_and(|forest| forest.scope == scope);
    view.forest = (!is_shown).then(|| Forest::new(scope, (view.filter, now_ms)));
    damage(cx.state);
    if is_shown {
        return;
    }
    let listed = move || history.session_files(scope == Scope::Everywhere);
    cx.tasks.spawn_blocking("sessions.list-roots", listed, move |cx, files| {
        let current = cx.state.agent.session.clone();
        let error = files.as_ref().err().map(|error| format!("Cannot list sessions: {error}"));
        with_numbered(cx, number, |view| {
            if let Some(forest) = view.forest.as_mut().filter(|forest| forest.scope == scope) {
                forest.set_files(files.unwrap_or_default(), &current);
            }
        });
        if let Some(error) = error {
            cx.state.set_error(error);
        }
    });
}

/// Returns whether the tree that has the keys shows other sessions; if it does, says that their entries cannot be changed.
pub fn refuses(cx: &mut Cx<'_>) -> bool {
    let is_forest = events::is_forest(cx.state);
    if is_forest {
        cx.state.set_status("Entries of listed sessions: Enter resumes there first");
    }
    is_forest
}

/// Folds or unfolds the selected line.
pub fn fold(cx: &mut Cx<'_>, closes: bool) {
    let Some(view) = events::view_of(cx.state) else { return };
    let number = view.number;
    let Some(forest) = &mut view.forest else { return };
    let due = forest.fold(closes);
    damage(cx.state);
    if let Some(file) = due {
        read(cx, number, &file);
    }
}

/// Applies the filter of a tree to its other sessions.
pub fn apply_filter(cx: &mut Cx<'_>, number: u64) {
    let Some(view) = events::view_numbered(cx.state, number) else { return };
    let filter = view.filter;
    let due = view.forest.as_mut().map(|forest| forest.set_filter(filter));
    for file in due.into_iter().flatten() {
        read(cx, number, &file);
    }
}

/// Opens the selected session, closes it, or resumes it at the selected entry.
pub fn accept(cx: &mut Cx<'_>) {
    let Some(forest) = events::view_of(cx.state).and_then(|view| view.forest.as_ref()) else { return };
    let Some(root) = forest.selected_root() else { return cx.state.set_status("Nothing to choose") };
    if let Some(error) = &root.file.error {
        let error = format!("Cannot read {}: {error}", root.file.title);
        return cx.state.set_error(error);
    }
    let (is_current, is_open) = (forest.is_current(root), root.body.is_some());
    match (forest.selected_entry(), forest.at.1) {
        (Some((_, entry)), _) if is_current => {
            events::go_to_entry(cx, NavigationTarget::To(entry), BranchSummaryChoice::None);
        }
        (Some((file, entry)), _) => events::replace(cx, SessionSwitch::Open(file, Some(entry))),
        (None, None) => fold(cx, is_open),
        (None, Some(_)) => {}
    }
}

/// Resumes the selected session where it was left.
pub fn resume(cx: &mut Cx<'_>) {
    let Some(forest) = events::view_of(cx.state).and_then(|view| view.forest.as_ref()) else { return };
    match forest.selected_root() {
        Some(root) if forest.is_current(root) => cx.state.set_status("This session is open"),
        Some(root) if root.file.error.is_none() => {
            let file = root.file.path.clone();
            events::replace(cx, SessionSwitch::Open(file, None));
        }
        Some(_) => accept(cx),
        None => cx.state.set_status("Nothing to choose"),
    }
}

/// Changes a session of the tree with this number, if both are still there.
fn with_root(cx: &mut Cx<'_>, number: u64, file: &Path, change: impl FnOnce(&mut Root, bool)) {
    with_numbered(cx, number, |view| {
        let Some(forest) = &mut view.forest else { return };
        let current = forest.current.clone();
        if let Some(root) = forest.root_mut(file) {
            let is_current = !current.is_empty() && root.file.id == current;
            change(root, is_current);
        }
    });
}

/// Reads the rows of a session.
fn read(cx: &mut Cx<'_>, number: u64, file: &Path) {
    let Some(history) = cx.session.map(Handle::history_search) else { return };
    let Some(forest) = events::view_numbered(cx.state, number).and_then(|view| view.forest.as_mut()) else {
        return;
    };
    let filter = forest.filter;
    let Some(root) = forest.root_mut(file) else { return };
    let Some(body) = &root.body else { return };
    let (known, file) = (root.tree.clone(), file.to_path_buf());
    let path = file.clone();
    let work = move || -> Result<(StoredTree, StoredOutline), Report> {
        let tree = known.map_or_else(|| history.stored_tree(&path), Ok)?;
        let found = tree.outline(filter)?;
        Ok((tree, found))
    };
    let done = body.outlines.begin(move |cx: &mut Cx<'_>, found: Result<Result<_, Report>, TaskError>| {
        let found = answer_or_report(READ, found);
        with_root(cx, number, &file, |root, is_current| set_rows(root, found, is_current));
    });
    cx.tasks.spawn_blocking("sessions.read-tree", work, done);
}

fn set_rows(root: &mut Root, found: Result<(StoredTree, StoredOutline), Report>, is_current: bool) {
    match found {
        Ok((tree, mut found)) => {
            if !is_current {
                // The conversation is elsewhere.
                found.outline.leaf_row = None;
            }
            root.tree = Some(tree);
            root.problem = (found.problems > 0).then(|| format!("{} broken", found.problems));
            if let Some(body) = &mut root.body {
                body.is_elsewhere = !is_current;
                body.set_hidden(found.hidden);
                body.set_outline(found.outline);
            }
        }
        Err(report) => root.problem = Some(report.to_string()),
    }
}

/// Requests the texts that are missing on a page of other sessions.
pub fn request_texts(cx: &mut Cx<'_>, number: u64, page: Range<usize>) {
    let Some(forest) = events::view_numbered(cx.state, number).and_then(|view| view.forest.as_mut()) else {
        return;
    };
    let on_page = forest.rows_on(page);
    let roots = forest.roots.as_deref_mut().unwrap_or_default();
    let mut due: Vec<(PathBuf, StoredTree, Vec<String>)> = Vec::new();
    for (at, rows) in on_page {
        let root = &mut roots[at];
        let (Some(tree), Some(body)) = (&root.tree, &mut root.body) else { continue };
        let entries = body.missing_texts(rows);
        if !entries.is_empty() {
            due.push((root.file.path.clone(), tree.clone(), entries));
        }
    }
    for (file, tree, entries) in due {
        let work = move || tree.entry_lines(entries);
        cx.tasks.spawn_blocking("sessions.read-texts", work, move |cx, lines| {
            let lines = answer_or_report(READ, lines.map(Ok));
            with_root(cx, number, &file, |root, _| match (lines, &mut root.body) {
                (Ok(lines), Some(body)) => body.set_texts(lines),
                (Ok(_), None) => {}
                (Err(report), _) => root.problem = Some(report.to_string()),
            });
        });
    }
}

/// Shows the sessions whose titles contain a text; `false` if the tree shows no other sessions.
pub fn search(view: &mut SessionView, text: &str) -> bool {
    let Some(forest) = &mut view.forest else { return false };
    forest.set_query(Some(text.trim().to_string()));
    true
}
