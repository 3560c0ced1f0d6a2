//! The unsent message on the event loop: it is written half a second after a change, and exchanged when the
//! session is.
//!
//! Must not access the disk on the event loop: `ide::features::drafts::store` does so in tasks.

use std::io;
use std::time::Duration;

use crate::ide::core::context::{Cx, TaskError};
use crate::ide::core::state::State;
use crate::ide::features::drafts::state::{DRAFTS, Owner};
use crate::ide::features::message_queue::take_back;
use crate::ide::model::draft::Draft;
use crate::llm::model::UserMessage;

/// Changes within this time are written together.
const PAUSE: Duration = Duration::from_millis(500);

/// Handles a session that was connected, in place of the one before or as it is now: its message comes into the
/// prompt, that of the other one is kept for it.
pub fn on_session(cx: &mut Cx<'_>, session: &str, is_stored: bool) {
    let owner = Owner { session: session.to_string(), is_stored };
    let drafts = &mut cx.state.slots[DRAFTS];
    drafts.switches += 1;
    let before = drafts.owner.clone();
    if before.as_ref().is_some_and(|before| before.session == owner.session) {
        if owner.is_stored {
            on_stored(cx);
        }
        return show_arrived(cx);
    }
    let left = drafts.name();
    drafts.owner = Some(owner);
    if let Some(left) = left {
        let draft = cx.state.prompt.draft();
        // A message that is still being read is in the store.
        if !cx.state.slots[DRAFTS].is_loading || !draft.is_empty() {
            write(cx, left.clone(), draft.clone());
            cx.state.slots[DRAFTS].left.insert(left, draft);
        }
        cx.state.prompt.set_draft(Draft::default(), cx.now_ms);
    }
    load(cx);
    show_arrived(cx);
}

/// Loads the message of the current session.
fn load(cx: &mut Cx<'_>) {
    let drafts = &mut cx.state.slots[DRAFTS];
    (drafts.due, drafts.is_loading) = (None, false);
    let Some(name) = drafts.name() else { return };
    if let Some(draft) = drafts.left.remove(&name) {
        return show(cx, draft);
    }
    if !drafts.is_kept {
        return;
    }
    drafts.is_loading = true;
    let (store, wanted) = (drafts.store.clone(), name.clone());
    cx.tasks.spawn_blocking(
        "drafts.load",
        move || store.get(&wanted),
        move |cx, found| on_loaded(cx, &name, found),
    );
}

/// Handles the stored message. If the session was left meanwhile, it is still in the store.
fn on_loaded(cx: &mut Cx<'_>, name: &str, found: Result<io::Result<Option<Draft>>, TaskError>) {
    let drafts = &mut cx.state.slots[DRAFTS];
    let is_current = drafts.is_loading && drafts.name().as_deref() == Some(name);
    drafts.is_loading &= !is_current;
    match found {
        Ok(Ok(Some(draft))) if is_current => show(cx, draft),
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::warn!(%error, "an unsent message cannot be read");
            cx.state.set_error(format!("Cannot read the unsent message from before: {error}"));
        }
        Err(error) => tracing::error!("an unsent message could not be loaded: {error}"),
    }
}

/// Shows a message that was left. If another one was typed meanwhile, that stays, so that nothing is sent that
/// the user did not see: the older one becomes the last of the history.
pub fn show(cx: &mut Cx<'_>, draft: Draft) {
    if draft.is_empty() {
        return;
    }
    cx.state.damage.add_all();
    let prompt = &mut cx.state.prompt;
    if prompt.is_empty() {
        prompt.set_draft(draft, cx.now_ms);
        cx.state.slots[DRAFTS].seen = cx.state.prompt.revision();
        return;
    }
    prompt.push_history(draft.text.to_string());
    cx.state.set_status("Unsent message from before: Up in the first line");
}

/// Puts a message into the prompt that a switch to another session returned. The switch itself may arrive
/// later; `switches` is [`Drafts::switches`](crate::ide::features::drafts::state::Drafts::switches) before it.
pub fn restore_after_switch(cx: &mut Cx<'_>, message: UserMessage, switches: u64) {
    let drafts = &mut cx.state.slots[DRAFTS];
    drafts.arriving.push(message);
    if drafts.switches != switches {
        show_arrived(cx);
    }
}

fn show_arrived(cx: &mut Cx<'_>) {
    let arrived = std::mem::take(&mut cx.state.slots[DRAFTS].arriving);
    if !arrived.is_empty() {
        take_back::fill_prompt(cx, arrived);
    }
}

/// Handles the first message of a session: it has a file from now on, and its own unsent message.
pub fn on_stored(cx: &mut Cx<'_>) {
    let drafts = &mut cx.state.slots[DRAFTS];
    let before = drafts.name();
    let Some(owner) = drafts.owner.as_mut().filter(|owner| !owner.is_stored) else { return };
    owner.is_stored = true;
    drafts.due = Some(cx.now);
    if let Some(before) = before {
        write(cx, before, Draft::default());
    }
}

/// Detects changes of the message since the last write.
pub fn note_changes(cx: &mut Cx<'_>) {
    let now = cx.state.prompt.revision();
    let drafts = &mut cx.state.slots[DRAFTS];
    if drafts.owner.is_none() || drafts.is_loading || drafts.seen == now {
        return;
    }
    drafts.seen = now;
    if !cx.state.prompt.has_draft() {
        // A sent message must not come back, even after a crash.
        cx.state.slots[DRAFTS].due = None;
        return write_current(cx);
    }
    cx.state.slots[DRAFTS].due.get_or_insert(cx.now + PAUSE);
}

/// Writes the message when that is due.
pub fn tick(cx: &mut Cx<'_>) {
    let drafts = &mut cx.state.slots[DRAFTS];
    if drafts.due.is_some_and(|due| due <= cx.now) {
        drafts.due = None;
        write_current(cx);
    }
}

/// Writes the message as it is now.
pub fn write_current(cx: &mut Cx<'_>) {
    let draft = cx.state.prompt.draft();
    if let Some(name) = cx.state.slots[DRAFTS].name() {
        write(cx, name, draft);
    }
}

/// Writes the message of a session, or removes it if it is empty.
fn write(cx: &mut Cx<'_>, name: String, draft: Draft) {
    let drafts = &mut cx.state.slots[DRAFTS];
    if !drafts.is_kept {
        return;
    }
    let (store, number) = (drafts.store.clone(), drafts.next_number());
    cx.tasks.spawn_blocking(
        "drafts.keep",
        move || store.put(&name, draft, number),
        |cx, written| match written {
            Ok(Ok(())) => cx.state.slots[DRAFTS].is_reported = false,
            Ok(Err(error)) => {
                tracing::warn!(%error, "an unsent message could not be kept");
                if !std::mem::replace(&mut cx.state.slots[DRAFTS].is_reported, true) {
                    cx.state.set_error(format!("The unsent message is not kept for later: {error}"));
                }
            }
            Err(error) => tracing::error!("keeping an unsent message failed: {error}"),
        },
    );
}

/// Returns the final write on exit; blocking.
pub fn final_write(state: &mut State) -> impl FnOnce() + Send + 'static + use<> {
    let draft = state.prompt.draft();
    let drafts = &mut state.slots[DRAFTS];
    let is_known = !drafts.is_loading || !draft.is_empty();
    let name = drafts.name().filter(|_| drafts.is_kept && is_known);
    let (store, number) = (drafts.store.clone(), drafts.next_number());
    move || {
        let Some(name) = name else { return };
        if let Err(error) = store.put(&name, draft, number) {
            tracing::warn!(%error, "an unsent message could not be kept");
        }
    }
}
