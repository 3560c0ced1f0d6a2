//! Reads and keeps what was said before.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

use crate::base::panics::Panicked;
use crate::base::width::visible;
use crate::ide::core::event::Event;
use crate::ide::core::overlay::{Pick, PickRow, push};
use crate::ide::features::history_search::work::{Happened, Work};
use crate::ide::shell::worker::{Worker, failed, filled};
use crate::llm::model::Message;
use crate::llm::model::message::join_text;
use crate::runtime::past::{FoundSaid, Past};
use crate::session::message::{AgentMessage, Earlier};

/// Places that a search brings.
const PLACES: usize = 200;
/// Characters of a text that a row has at most.
const SHOWN_MAX: usize = 300;

impl Worker {
    /// Does it, if there is a session.
    pub(super) fn past(&mut self, work: Work) {
        let Some(past) = self.session.as_ref().map(crate::runtime::Handle::past) else { return };
        match work {
            Work::Keep(text) => self.tasks.detach(async move {
                // Nobody waits for it, and it fails only where nothing can be written at all.
                match tokio::task::spawn_blocking(move || past.remember(&text)).await {
                    Ok(Ok(())) => {}
                    Ok(Err(report)) => tracing::warn!("{report}"),
                    Err(error) => tracing::error!("remembering what was said failed: {error}"),
                }
            }),
            Work::Recall(earlier) => self.recall(past, earlier),
            Work::Import(place) => {
                self.blocking(failed("import the session"), move || match past.import(&place) {
                    Ok(said) => Event::Notice(said),
                    Err(report) => Event::Failed(report.to_string()),
                });
            }
            Work::Delete(file) => {
                self.blocking(failed("delete the session"), move || match past.delete(&file) {
                    Ok(_) => Event::Past(Happened::Stored(
                        "the session is in the trash; session.undelete brings it back".to_string(),
                    )),
                    Err(report) => Event::Failed(report.to_string()),
                });
            }
            Work::Undelete => {
                self.blocking(failed("bring the session back"), move || match past.undelete() {
                    Ok(Some(_)) => Event::Past(Happened::Stored("the session is back".to_string())),
                    Ok(None) => Event::Failed("no session of bowline is in the trash".to_string()),
                    Err(report) => Event::Failed(report.to_string()),
                });
            }
            Work::Prompts(injector, picker) => self.blocking(filled(picker), move || {
                for said in past.recall().into_iter().rev() {
                    let detail = if said.here { String::new() } else { visible(&said.cwd).into_owned() };
                    push(
                        &injector,
                        PickRow { text: line(&said.text), detail, pick: Pick::Prompt(said.text) },
                    );
                }
                Event::Filled(picker)
            }),
            Work::Find { injector, picker, text } => {
                self.walk.cancel();
                self.walk = CancellationToken::new();
                let (cancel, stop) = (self.walk.clone(), Arc::new(AtomicBool::new(false)));
                let asked = stop.clone();
                let found = move || find(&past, &text, &stop, |row| push(&injector, row));
                let task = tokio_task(found);
                let lost = move |why: Panicked| Event::Past(Happened::Looked(picker, Some(why.to_string())));
                self.task(lost, async move {
                    let mut task = std::pin::pin!(task);
                    let done = tokio::select! {
                        done = &mut task => done,
                        () = cancel.cancelled() => {
                            asked.store(true, Ordering::Relaxed);
                            task.await
                        }
                    };
                    done.map_or_else(Event::Failed, |problem| Event::Past(Happened::Looked(picker, problem)))
                });
            }
        }
    }
}

impl Worker {
    fn recall(&self, past: Past, earlier: Option<Earlier>) {
        let Some(session) = self.session.clone() else { return };
        self.task(failed("recall prompts"), async move {
            let said = match earlier {
                Some(earlier) => session.said_before(earlier).await,
                None => Ok(Vec::new()),
            };
            // The prompts of the folder are there all the same.
            let said = said.unwrap_or_else(|report| {
                tracing::warn!("what was said before cannot be read: {report}");
                Vec::new()
            });
            let recalled = tokio_task(move || Ok(recalled(&past, &said))).await;
            recalled.map_or_else(Event::Failed, |texts| Event::Past(Happened::Recalled(texts)))
        });
    }
}

/// The prompts of the folder, and behind them what else was said.
fn recalled(past: &Past, said: &[Arc<AgentMessage>]) -> Vec<String> {
    let texts = said.iter().filter_map(|message| match &**message {
        AgentMessage::Llm(Message::User(user)) => Some(join_text(&user.content)),
        _ => None,
    });
    let said: Vec<String> = texts.collect();
    let known: HashSet<&String> = said.iter().collect();
    let mut all = past.recall_here();
    all.retain(|text| !known.contains(text));
    all.extend(said);
    all
}

/// Runs it where it may block; the error is for the person.
async fn tokio_task<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(format!("a task of the program failed: {error}")))
}

/// Puts in what is found; of what is found twice, because the index was brought up to date, only the rest.
/// Tells what of the question says nothing.
fn find(
    past: &Past,
    text: &str,
    stop: &Arc<AtomicBool>,
    put: impl Fn(PickRow),
) -> Result<Option<String>, String> {
    let mut seen = HashSet::new();
    let found = past.search(text, PLACES, stop, |places| {
        for place in places {
            if seen.insert((place.session.clone(), place.entry.clone(), place.text.clone())) {
                put(row(place));
            }
        }
    });
    found.map_err(|report| report.to_string())
}

fn row(place: FoundSaid) -> PickRow {
    let FoundSaid { session, file, entry, text, role, title, .. } = place;
    let detail = format!("{} · {}", role.name(), line(&title));
    PickRow { text: line(&text), detail, pick: Pick::Said { session, file, entry } }
}

/// The beginning of a text in one line.
fn line(text: &str) -> String {
    let start: String = text.chars().take(SHOWN_MAX).collect();
    visible(&start.replace('\n', "⏎")).into_owned()
}
