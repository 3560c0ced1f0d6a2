//! The last sessions of the folder, which an empty conversation proposes to go on with.

use std::path::PathBuf;

use crate::base::error::Report;
use crate::base::width::visible;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::ide::features::drafts::state::DRAFTS;
use crate::ide::features::sessions::events as sessions;
use crate::ide::model::age::age;
use crate::runtime::Handle;
use crate::runtime::history::navigation::SessionSwitch;

/// Slot of the proposed sessions, the one that was active last before the others; `None` while they are unknown.
pub const RECENT_SESSIONS: Slot<Option<Vec<RecentSession>>> = Slot::new();

/// The commands that resume them, in their order.
pub const RECENT_KEYS: [&str; 5] = [
    "session.resume-first",
    "session.resume-second",
    "session.resume-third",
    "session.resume-fourth",
    "session.resume-fifth",
];

/// What failed, for the message when a task has no result.
const LIST: &str = "list sessions";
/// Maximum characters of a title.
const TITLE_MAX: usize = 60;

/// A session to go on with.
#[derive(Debug)]
pub struct RecentSession {
    /// Its title, one line.
    pub title: String,
    /// How long ago it was active.
    pub age: String,
    path: PathBuf,
    active_ms: u64,
}

/// Looks for the sessions that were active last in the folder, to propose them in a session without messages.
pub fn find(cx: &mut Cx<'_>) {
    ask_session(
        cx,
        "sessions.last",
        LIST,
        |session| newest(session, None, RECENT_KEYS.len()),
        move |cx, newest| {
            let is_new = cx.state.slots[DRAFTS].owner.as_ref().is_some_and(|owner| !owner.is_stored);
            if !is_new {
                return;
            }
            let now_ms = cx.now_ms;
            let recent = newest.into_iter().map(|Newest { path, title, active_ms }| {
                let title: String = title.chars().take(TITLE_MAX).collect();
                let title = visible(&title.replace('\n', " ")).into_owned();
                RecentSession { title, age: age(now_ms, active_ms), path, active_ms }
            });
            cx.state.slots[RECENT_SESSIONS] = Some(recent.collect());
            cx.state.damage.add(Part::Transcript);
        },
    );
}

/// A session of the folder.
struct Newest {
    path: PathBuf,
    title: String,
    active_ms: u64,
}

/// Returns up to `count` sessions that were active last, of those with another id than `current`.
async fn newest(session: Handle, current: Option<String>, count: usize) -> Result<Vec<Newest>, Report> {
    let sessions = session.sessions(false).await?.into_iter();
    let others = sessions.filter(|listed| current.as_ref() != Some(&listed.summary.id));
    let newest = others.take(count).map(|listed| Newest {
        title: listed.summary.title().to_string(),
        active_ms: listed.summary.active_ms,
        path: listed.path,
    });
    Ok(newest.collect())
}

/// Brings the ages up to date when something else happens: an idle program does not wake for it.
pub fn update_ages(cx: &mut Cx<'_>) {
    let now_ms = cx.now_ms;
    let mut has_changed = false;
    for session in cx.state.slots[RECENT_SESSIONS].iter_mut().flatten() {
        let now = age(now_ms, session.active_ms);
        has_changed |= session.age != now;
        session.age = now;
    }
    if has_changed {
        cx.state.damage.add(Part::Transcript);
    }
}

/// Goes on with the session of the folder that was active last, except the current one.
pub fn resume(cx: &mut Cx<'_>) {
    resume_recent(cx, 0);
}

/// Goes on with one of the last sessions, counted from 0: as they are shown, else as they are now.
pub fn resume_recent(cx: &mut Cx<'_>, index: usize) {
    if !sessions::is_connected(cx) {
        return;
    }
    if let Some(shown) = cx.state.slots[RECENT_SESSIONS].iter().flatten().nth(index) {
        let path = shown.path.clone();
        return sessions::replace(cx, SessionSwitch::Open(path, None));
    }
    let owner = cx.state.slots[DRAFTS].owner.as_ref().filter(|owner| owner.is_stored);
    let current = owner.map(|owner| owner.session.clone());
    ask_session(
        cx,
        "sessions.last",
        LIST,
        move |session| newest(session, current, index + 1),
        move |cx, newest| {
            if let Some(Newest { path, .. }) = newest.into_iter().nth(index) {
                return sessions::replace(cx, SessionSwitch::Open(path, None));
            }
            let all = cx.state.how_to("session.resume-anywhere");
            cx.state.set_status(format!("No other session in this folder. In all folders: {all}"));
        },
    );
}
