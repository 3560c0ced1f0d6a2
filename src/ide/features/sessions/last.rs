//! The session of the folder that was active before, which an empty conversation proposes to go on with.

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

/// Slot of the proposed session.
pub const LAST_SESSION: Slot<Option<LastSession>> = Slot::new();

/// What failed, for the message when a task has no result.
const LIST: &str = "list sessions";
/// Maximum characters of a title.
const TITLE_MAX: usize = 60;

/// A session to go on with.
#[derive(Debug)]
pub struct LastSession {
    /// Its title, one line.
    pub title: String,
    /// How long ago it was active.
    pub age: String,
    active_ms: u64,
}

/// Looks for the session that was active last in the folder, to propose it in a session without messages.
pub fn find(cx: &mut Cx<'_>) {
    ask_session(
        cx,
        "sessions.last",
        LIST,
        |session| newest(session, None),
        move |cx, newest| {
            let is_new = cx.state.slots[DRAFTS].owner.as_ref().is_some_and(|owner| !owner.is_stored);
            let Some(Newest { title, active_ms, .. }) = newest.filter(|_| is_new) else { return };
            let title: String = title.chars().take(TITLE_MAX).collect();
            let title = visible(&title.replace('\n', " ")).into_owned();
            let age = age(cx.now_ms, active_ms);
            cx.state.slots[LAST_SESSION] = Some(LastSession { title, age, active_ms });
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

/// Returns the session that was active last, of those with another id than `current`.
async fn newest(session: Handle, current: Option<String>) -> Result<Option<Newest>, Report> {
    let mut sessions = session.sessions(false).await?.into_iter();
    let newest = sessions.find(|listed| current.as_ref() != Some(&listed.summary.id));
    Ok(newest.map(|listed| Newest {
        title: listed.summary.title().to_string(),
        active_ms: listed.summary.active_ms,
        path: listed.path,
    }))
}

/// Brings the age up to date when something else happens: an idle program does not wake for it.
pub fn update_age(cx: &mut Cx<'_>) {
    let now_ms = cx.now_ms;
    let Some(last) = &mut cx.state.slots[LAST_SESSION] else { return };
    let now = age(now_ms, last.active_ms);
    if last.age != now {
        last.age = now;
        cx.state.damage.add(Part::Transcript);
    }
}

/// Goes on with the session of the folder that was active last, except the current one.
pub fn resume(cx: &mut Cx<'_>) {
    let owner = cx.state.slots[DRAFTS].owner.as_ref().filter(|owner| owner.is_stored);
    let current = owner.map(|owner| owner.session.clone());
    if !sessions::is_connected(cx) {
        return;
    }
    ask_session(
        cx,
        "sessions.last",
        LIST,
        |session| newest(session, current),
        |cx, newest| match newest {
            Some(Newest { path, .. }) => sessions::replace(cx, SessionSwitch::Open(path, None)),
            None => cx
                .state
                .set_status("No other session in this folder. In all folders: session.resume-anywhere"),
        },
    );
}
