//! The session is asked about its tree, and for other sessions.

use std::collections::HashSet;

use nucleo::Injector;

use crate::base::clock::SystemClock;
use crate::base::counted::counted;
use crate::ide::core::event::Event;
use crate::ide::core::overlay::{Pick, PickRow, push};
use crate::ide::features::sessions::work::{Told, Work};
use crate::ide::features::undo_tree::view::age;
use crate::ide::shell::worker::{Worker, failed, filled};
use crate::runtime::Handle;
use crate::runtime::moving::{Change, Spot};

/// Entries whose words are asked for at once, so that the session is not held up.
const WORDS_AT_ONCE: usize = 500;

impl Worker {
    /// Starts one piece of work.
    pub(super) fn ask_session(&self, work: Work) {
        let Some(session) = self.session.clone() else {
            if let Work::List(_, picker, _) = work {
                self.task(filled(picker), async move { Event::Filled(picker) });
            }
            return;
        };
        if let Work::List(injector, picker, anywhere) = work {
            return self.list_sessions(session, injector, picker, anywhere);
        }
        self.task(failed("ask the session"), async move {
            match ask(&session, work).await {
                Ok(told) => Event::Session(Box::new(told)),
                Err(report) => Event::Failed(report.to_string()),
            }
        });
    }

    fn list_sessions(&self, session: Handle, injector: Injector<PickRow>, picker: u64, anywhere: bool) {
        self.task(filled(picker), async move {
            match session.sessions(anywhere).await {
                Ok(found) => {
                    let now_ms = SystemClock::shared().now_ms();
                    for listed in found {
                        let summary = &listed.summary;
                        let count = counted(summary.prompts, "turn", "turns");
                        let mut detail = vec![count, age(now_ms, summary.active_ms)];
                        if anywhere {
                            detail.insert(0, summary.cwd.clone());
                        }
                        let text = summary.title().to_string();
                        push(
                            &injector,
                            PickRow { text, detail: detail.join("  "), pick: Pick::Session(listed.path) },
                        );
                    }
                    Event::Filled(picker)
                }
                Err(report) => Event::Failed(report.to_string()),
            }
        });
    }
}

async fn ask(session: &Handle, work: Work) -> Result<Told, crate::base::error::Report> {
    Ok(match work {
        Work::Outline(number, filter) => Told::Outline(number, Box::new(session.outline(filter).await?)),
        Work::Words(number, ids) => Told::Words(number, session.words(ids).await?),
        Work::Turn(number, id) => {
            let turn = session.turn(id.clone()).await?;
            Told::Turn(number, id, turn.map(Box::new))
        }
        Work::Search(number, text, filter) => {
            let rows = session.outline(filter).await?.rows;
            let ids: Vec<String> = rows.into_iter().map(|row| row.id.into()).collect();
            let found = search(session, &text, &ids).await?;
            Told::Found(number, text, found)
        }
        Work::Label(number, id, label) => {
            session.label(id, label).await?;
            Told::Labelled(number)
        }
        Work::Name(name) => {
            session.name(name.clone()).await?;
            Told::Named(name)
        }
        Work::Summary(text) => {
            Told::Moved(session.edit_summary(&text).await.map(|()| None), "this summary counts from now on")
        }
        Work::Go(spot, summary) => {
            let words = match spot {
                Spot::Root => "the conversation begins anew; what was said stays in the session tree",
                _ => "the conversation goes on from here; what was said stays in the session tree",
            };
            Told::Moved(session.go_with(spot, summary).await, words)
        }
        Work::Replace(change) => {
            let words = match change {
                Change::New(_) => "this is a new session; session.resume goes back to the one before",
                Change::Open(..) => "this is the session as it was left",
                Change::Fork(_) => "this is a session of its own; the one it came from is as it was",
                Change::Copy => "this is a copy; the session that it came from is as it was",
            };
            Told::Moved(session.replace(change).await, words)
        }
        // Filled in on its way.
        Work::List(..) => Told::Words(0, Vec::new()),
    })
}

/// Which entries say a text; small letters stand for capitals, too.
async fn search(
    session: &Handle,
    text: &str,
    ids: &[String],
) -> Result<HashSet<String>, crate::base::error::Report> {
    let exact = text.chars().any(char::is_uppercase);
    let mut found = HashSet::new();
    for some in ids.chunks(WORDS_AT_ONCE) {
        for (id, words) in session.words(some.to_vec()).await? {
            let says = if exact { words.contains(text) } else { words.to_lowercase().contains(text) };
            if says {
                found.insert(id);
            }
        }
    }
    Ok(found)
}
