//! History search on the event loop: earlier messages are loaded into the prompt's history or the prompt, or
//! their conversation is opened.
//!
//! Must not know where they are stored.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;
use unicode_segmentation::UnicodeSegmentation;

use crate::base::error::Report;
use crate::base::width::visible;
use crate::ide::core::context::{Cx, answer_or_error, answer_or_report, success_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::picker::Pick;
use crate::ide::core::layers::picker::PickRow;
use crate::ide::core::layers::picker::Picker;
use crate::ide::core::layers::picker::push;
use crate::ide::core::panes::Focus;
use crate::ide::core::tasks::threads::on_thread;
use crate::ide::editor::commands::panes;
use crate::ide::features::history_search::conversations::EntryLocation;
use crate::ide::features::sessions::events as sessions;
use crate::llm::model::Message;
use crate::llm::model::message::join_text;
use crate::runtime::Handle;
use crate::runtime::history::search::{HistoryHit, HistorySearch};
use crate::session::format::message::{AgentMessage, PagePosition};

/// Maximum number of search results.
const RESULTS: usize = 200;
/// Maximum characters of a text in a row.
const SHOWN_MAX: usize = 300;

/// Remembers a prompt.
pub fn remember(cx: &Cx<'_>, text: String) {
    let Some(past) = cx.session.map(Handle::history_search) else { return };
    cx.tasks.detach(async move {
        // Nothing waits for it, and it fails only if nothing can be written at all.
        match tokio::task::spawn_blocking(move || past.remember(&text)).await {
            Ok(Ok(())) => {}
            Ok(Err(report)) => tracing::warn!("{report}"),
            Err(error) => tracing::error!("remembering what was said failed: {error}"),
        }
    });
}

/// Loads the prompts of the folder into the prompt's history, and after them the earlier messages of the
/// session.
pub fn load_history(cx: &Cx<'_>, earlier: Option<PagePosition>) {
    let Some(session) = cx.session.cloned() else { return };
    let recalled = async move {
        let messages = match earlier {
            Some(earlier) => session.earlier_user_messages(earlier).await,
            None => Ok(Vec::new()),
        };
        // The prompts of the folder are available anyway.
        let messages = messages.unwrap_or_else(|report| {
            tracing::warn!("what was said before cannot be read: {report}");
            Vec::new()
        });
        let past = session.history_search();
        on_thread(move || merge_history(&past, &messages)).await
    };
    cx.tasks.spawn("history_search.recall", recalled, |cx, texts| {
        if let Some(texts) = answer_or_error(cx, "recall prompts", texts) {
            cx.state.prompt.prepend_history(texts);
        }
    });
}

/// Returns the prompts of the folder, and after them the other messages.
fn merge_history(past: &HistorySearch, messages: &[Arc<AgentMessage>]) -> Vec<String> {
    let texts = messages.iter().filter_map(|message| match &**message {
        AgentMessage::Llm(Message::User(user)) => Some(join_text(&user.content)),
        _ => None,
    });
    let messages: Vec<String> = texts.collect();
    let known: HashSet<&String> = messages.iter().collect();
    let mut all = past.recall_here();
    all.retain(|text| !known.contains(text));
    all.extend(messages);
    all
}

/// Imports sessions of other programs, from a file or a folder.
pub fn import(cx: &mut Cx<'_>, from: PathBuf) {
    let Some(past) = cx.session.map(Handle::history_search) else { return };
    cx.tasks.spawn_blocking(
        "history_search.import",
        move || past.import(&from),
        |cx, imported| {
            if let Some(message) = success_or_error(cx, "import the session", imported) {
                cx.state.set_status(message);
            }
        },
    );
}

/// Searches for the query of the topmost picker, replacing its previous search.
pub fn start_search(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    let injector = picker.restart();
    let text = picker.query.text().to_string();
    let past = cx.session.map(Handle::history_search).filter(|_| !text.trim().is_empty());
    picker.is_filling = past.is_some();
    picker.search = None;
    cx.state.damage.add(Part::Overlay);
    let Some(past) = past else { return };
    let cancel = CancellationToken::new();
    picker.search = Some(cancel.clone().drop_guard());
    let (number, stop) = (picker.number, Arc::new(AtomicBool::new(false)));
    let stopped = stop.clone();
    let found = async move {
        let found = on_thread(move || find(&past, &text, &stop, |row| push(&injector, row)));
        let mut found = std::pin::pin!(found);
        tokio::select! {
            found = &mut found => found,
            () = cancel.cancelled() => {
                stopped.store(true, Ordering::Relaxed);
                found.await
            }
        }
    };
    cx.tasks.spawn("history_search.find", found, move |cx, found| {
        cx.state.finish_filling(number);
        match answer_or_report("Search sessions", found) {
            Ok(Some(problem)) => cx.state.set_status(problem),
            Ok(None) => {}
            Err(report) => cx.state.set_error(report.to_string()),
        }
    });
}

/// Adds the results; of results found again because the index was updated, only the new ones. Returns the
/// part of the query that was ignored.
fn find(
    past: &HistorySearch,
    text: &str,
    stop: &Arc<AtomicBool>,
    put: impl Fn(PickRow),
) -> Result<Option<String>, Report> {
    let mut seen = HashSet::new();
    past.search(text, RESULTS, stop, |results| {
        for found in results {
            if seen.insert((found.session.clone(), found.entry.clone(), found.text.clone())) {
                put(row(found));
            }
        }
    })
}

fn row(found: HistoryHit) -> PickRow {
    let HistoryHit { session, file, entry, text, marks, role, title, .. } = found;
    let detail = format!("{} · {}", role.name(), one_line(&title));
    let shown = one_line(&text);
    // Where letters are replaced by what makes them visible, the others are elsewhere.
    let letters = if shown == text { graphemes_in(&text, &marks) } else { Vec::new() };
    PickRow {
        text: shown,
        aliases: Vec::new(),
        group: None,
        detail,
        pick: Pick::new(EntryLocation { session, file, entry, letters }),
    }
}

/// Returns which graphemes of a text are in these ranges of bytes, sorted.
fn graphemes_in(text: &str, ranges: &[Range<usize>]) -> Vec<u32> {
    let graphemes = (0..).zip(text.grapheme_indices(true));
    let is_in = |at: usize| ranges.iter().any(|range| range.contains(&at));
    graphemes.filter(|(_, (at, _))| is_in(*at)).map(|(n, _)| n).collect()
}

/// Returns the beginning of a text as one line.
pub fn one_line(text: &str) -> String {
    let start: String = text.chars().take(SHOWN_MAX).collect();
    visible(&start.replace('\n', "⏎")).into_owned()
}

/// Replaces the text being typed in the prompt, which stays in its history.
pub fn put_into_prompt(cx: &mut Cx<'_>, text: &str) {
    cx.state.prompt.replace_text(text, cx.now_ms);
    panes::focus(cx, Focus::Agent);
    cx.state.damage.add_all();
}

/// Shows an entry in the tree of its session, which is opened if it is another one. Going there is another
/// key: a search must not move the conversation.
pub fn open_at(cx: &mut Cx<'_>, session: &str, file: &Path, entry: &str) {
    if cx.state.agent.session == session {
        sessions::open_at(cx, entry);
    } else {
        sessions::open_session_at(cx, file.to_path_buf(), entry.to_string());
    }
}
