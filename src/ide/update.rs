//! What each event does to the state. One function per event; the outside work that follows
//! is asked for as effects.

use super::commands::command::Cx;
use super::commands::search;
use super::effect::Effect;
use super::event::{AfterSave, BufferRequest, BufferSnapshot, Opened};
use super::state::buffers::{Buffer, BufferId, Disk};
use super::state::damage::Part;
use super::state::overlay::{Answer, Dialog, Overlay};
use crate::agent::event::AgentEvent;
use crate::base::error::Report;
use crate::exec::{EnvError, Stamp};
use crate::llm::model::Message;
use crate::runtime::{RuntimeEvent, Snapshot};
use crate::text::diff;
use crate::text::transaction::{Author, Transaction};
use crate::tools::approval::{Ask, Decision};

/// A file was read.
pub fn opened(cx: &mut Cx<'_>, opened: Opened) {
    let shown = cx.state.shown(&opened.path);
    let tab_width = cx.state.show.tab_width;
    let (document, stamp) = match opened.result {
        Ok(Some((document, stamp))) => (document, Some(stamp)),
        Ok(None) if opened.reload.is_some() => return cx.state.fail(format!("{shown} is gone from disk")),
        Ok(None) => (crate::text::document::Document::default_file(), None),
        Err(EnvError::IsFolder(folder)) => {
            if cx.state.files.unfold(&folder) {
                cx.effects.push(Effect::List(folder.clone()));
            }
            cx.state.files.select(&folder);
            return cx.state.fail(format!("{shown} is a folder; its files are in the tree (Alt-1)"));
        }
        Err(error) => return cx.state.fail(format!("cannot open {shown}: {error}")),
    };
    if let Some(id) = opened.reload {
        return reloaded(cx, id, &document, stamp);
    }
    let open = cx.state.buffers.by_path(&opened.real).map(|buffer| buffer.id);
    let before = cx.state.buffers.current().filter(|_| opened.behind).map(|buffer| buffer.id);
    let id = match open {
        Some(id) => id,
        None => cx.state.buffers.open(Some(opened.path.clone()), document, stamp.clone()),
    };
    cx.state.buffers.show(id);
    if let Some(buffer) = cx.state.buffers.get_mut(id) {
        buffer.real = Some(opened.real);
        if let Some(at) = opened.at {
            search::place(buffer, at, tab_width);
        }
    }
    match before {
        Some(shown) => cx.state.buffers.show(shown),
        None => cx.state.files.select(&opened.path),
    }
    if stamp.is_none() && open.is_none() {
        cx.state.say(format!("{shown} is new; it will be made when you save"));
    }
    cx.state.damage.all();
}

/// A file was read again: its text becomes one undoable edit.
fn reloaded(cx: &mut Cx<'_>, id: BufferId, document: &crate::text::document::Document, stamp: Option<Stamp>) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    let changes = diff::change(&buffer.area.text().to_string(), &document.text().to_string());
    buffer.area.apply_foreign(Transaction::new(changes).by(Author::External), now_ms);
    buffer.area.document.mark_saved();
    buffer.stamp = stamp;
    buffer.disk = Disk::Same;
    let name = buffer.name();
    cx.state.say(format!("{name} read again; undo brings the old text back"));
    cx.state.damage.all();
}

/// A file was written, or could not be.
pub fn saved(
    cx: &mut Cx<'_>,
    id: BufferId,
    revision: usize,
    result: Result<Stamp, EnvError>,
    then: AfterSave,
) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    buffer.saving = false;
    let name = buffer.name();
    match result {
        Ok(stamp) => {
            buffer.stamp = Some(stamp);
            buffer.disk = Disk::Same;
            buffer.area.document.mark_saved_at(revision);
            cx.state.say(format!("saved {name}"));
            let folder = cx
                .state
                .buffers
                .get_mut(id)
                .and_then(|b| b.path.as_deref()?.parent().map(std::path::PathBuf::from));
            cx.effects.extend(
                folder.filter(|f| cx.state.files.open_folders().any(|open| open == f)).map(Effect::List),
            );
            match then {
                AfterSave::Stay => {}
                AfterSave::Close => cx.state.buffers.close(id),
                AfterSave::Quit => cx.state.quit = cx.state.buffers.unsaved().next().is_none(),
            }
        }
        Err(EnvError::Stale(_)) => {
            buffer.disk = Disk::Changed;
            let dialog = Dialog::ask(
                "changed on disk",
                vec![format!("{name} was changed by somebody else since it was read.")],
            )
            .choice('r', "read it again (undo keeps yours)", Answer::Reload(id))
            .choice('o', "overwrite it", Answer::Overwrite(id))
            .choice('n', "neither", Answer::Dismiss);
            cx.state.push_overlay(Overlay::Dialog(dialog));
        }
        Err(EnvError::Denied(path)) => {
            let shown = cx.state.shown(&path);
            cx.state.fail(format!(
                "not saved: {shown} may not be written; save under another name (file.save-as)"
            ));
        }
        Err(error) => cx.state.fail(format!("not saved: {error}")),
    }
    cx.state.damage.all();
}

/// How a file on disk stands.
pub fn disk(cx: &mut Cx<'_>, id: BufferId, disk: Disk) {
    let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
    if buffer.disk == disk {
        return;
    }
    buffer.disk = disk;
    let (name, modified, path) = (buffer.name(), buffer.area.document.is_modified(), buffer.path.clone());
    match (disk, path) {
        // Nothing of the person's is in the way: take the new text, undoably.
        (Disk::Changed, Some(path)) if !modified => {
            cx.effects.push(Effect::Open { path, at: None, reload: Some(id) })
        }
        (Disk::Changed, _) => {
            cx.state.fail(format!(
                "{name} was changed by somebody else; file.reload reads it, saving asks first"
            ));
        }
        (Disk::Gone, _) => {
            let buffer = buffer_mut(cx, id);
            buffer.area.document.mark_unsaved();
            buffer.stamp = None;
            cx.state.fail(format!("{name} is gone from disk; saving makes it again"));
        }
        (Disk::Same, _) => {}
    }
    cx.state.damage.all();
}

fn buffer_mut<'a>(cx: &'a mut Cx<'_>, id: BufferId) -> &'a mut Buffer {
    cx.state.buffers.get_mut(id).expect("the caller has looked the buffer up")
}

/// The agent's environment asks.
pub fn buffer(cx: &mut Cx<'_>, request: BufferRequest) {
    match request {
        BufferRequest::Snapshot { path, reply } => {
            let snapshot = cx.state.buffers.by_path(&path).map(|buffer| BufferSnapshot {
                id: buffer.id,
                text: buffer.area.text().clone(),
                format: buffer.area.document.format(),
                version: buffer.area.document.version(),
                read_only: buffer.read_only,
                stamp: buffer.stamp.clone(),
            });
            // Nobody waits any more when the call was interrupted.
            reply.send(snapshot).ok();
        }
        BufferRequest::Edit { id, version, changes, reply } => {
            let by = format!("run {} edit {}", cx.state.agent.run, version);
            let now_ms = cx.now_ms;
            let buffer = cx.state.buffers.get_mut(id).filter(|b| b.area.document.version() == version);
            let edited = buffer.map(|buffer| {
                buffer.area.apply_foreign(Transaction::new(changes).by(Author::Agent(by)), now_ms);
                buffer.area.document.version()
            });
            reply.send(edited).ok();
            cx.state.damage.all();
        }
        BufferRequest::Written { id, version, stamp } => {
            let Some(buffer) = cx.state.buffers.get_mut(id) else { return };
            let untouched = buffer.area.document.version() == version;
            match stamp {
                Some(stamp) => {
                    buffer.stamp = Some(stamp);
                    buffer.disk = Disk::Same;
                    if untouched {
                        buffer.area.document.mark_saved();
                    }
                }
                None if untouched => {
                    buffer.area.undo();
                }
                None => cx.state.fail("the agent's edit could not be written; it is in the text, unsaved"),
            }
            cx.state.damage.all();
        }
        BufferRequest::Touched(path) => {
            if let Some(folder) =
                path.parent().filter(|f| cx.state.files.open_folders().any(|open| open == *f))
            {
                cx.effects.push(Effect::List(folder.to_path_buf()));
            }
        }
    }
}

/// A tool call wants to run.
pub fn ask(cx: &mut Cx<'_>, ask: Ask, reply: tokio::sync::oneshot::Sender<Decision>) {
    let Some(id) = cx.state.asks.add(ask.clone(), reply) else { return };
    let lines = vec![ask.subject, String::new(), format!("asked by the rule: {}", ask.rule)];
    let dialog = Dialog::ask(format!("{} wants to run", ask.tool), lines)
        .choice('y', "once", Answer::Allow(id))
        .choice('a', "always this", Answer::AllowAlways(id))
        .choice('n', "no", Answer::Deny(id));
    // Below what the person is busy with: a key meant for that must not answer this.
    let busy =
        cx.state.overlays.iter().position(|overlay| !is_ask(overlay)).unwrap_or(cx.state.overlays.len());
    cx.state.overlays.insert(busy, Overlay::Dialog(dialog));
    cx.state.damage.all();
}

fn is_ask(overlay: &Overlay) -> bool {
    asked_id(overlay).is_some()
}

/// The tool call that an overlay asks about, if it asks about one.
pub fn asked_id(overlay: &Overlay) -> Option<u64> {
    let Overlay::Dialog(dialog) = overlay else { return None };
    dialog
        .choices
        .iter()
        .find_map(|choice| if let Answer::Allow(id) = choice.answer { Some(id) } else { None })
}

/// Questions that nobody waits for any more leave the screen.
fn drop_withdrawn(cx: &mut Cx<'_>) {
    let gone = cx.state.asks.withdrawn();
    if !gone.is_empty() {
        cx.state.overlays.retain(|overlay| asked_id(overlay).is_none_or(|id| !gone.contains(&id)));
        cx.state.damage.all();
    }
}

/// The session is there.
pub fn connected(
    cx: &mut Cx<'_>,
    snapshot: &Snapshot,
    models: Vec<std::sync::Arc<crate::llm::model::Model>>,
) {
    let state = &mut *cx.state;
    state.agent.connected = true;
    state.agent.models = models;
    state.transcript.load(&snapshot.messages, &state.tools);
    show_session(state, snapshot);
    for message in &snapshot.messages {
        if let crate::session::message::AgentMessage::Llm(Message::User(user)) = &**message {
            state.prompt.history.push(crate::llm::model::message::join_text(&user.content));
        }
    }
    state.damage.all();
}

fn show_session(state: &mut super::state::State, snapshot: &Snapshot) {
    state.agent.model.clone_from(&snapshot.model);
    state.agent.thinking = snapshot.thinking;
    state.agent.usage = snapshot.usage.clone();
    state.agent.context_tokens = snapshot.context_tokens;
}

/// The conversation is at another place now.
pub fn replaced(cx: &mut Cx<'_>, snapshot: &Snapshot) {
    let state = &mut *cx.state;
    state.transcript = super::state::transcript::Transcript::default();
    *state.transcript_view.borrow_mut() = super::state::transcript_view::TranscriptView::default();
    state.transcript.load(&snapshot.messages, &state.tools);
    show_session(state, snapshot);
    state.damage.all();
}

/// The session could not be started.
pub fn not_connected(cx: &mut Cx<'_>, report: &Report) {
    cx.state.transcript.notice(true, report.to_string());
    cx.state.fail(report.to_string());
    cx.state.damage.all();
}

/// Something happened in the session.
pub fn runtime(cx: &mut Cx<'_>, event: &RuntimeEvent) {
    match event {
        RuntimeEvent::Agent(event) => agent(cx, event),
        RuntimeEvent::ModelChanged(model) => {
            cx.state.agent.model = Some(model.clone());
            cx.state.say(format!("{} answers from now on", model.name));
        }
        RuntimeEvent::ThinkingChanged(level) => {
            cx.state.agent.thinking = *level;
            cx.state.say(format!("thinking: {}", level.name()));
        }
        RuntimeEvent::Failed(report) => {
            cx.state.transcript.notice(true, report.to_string());
            cx.state.damage.add(Part::Transcript);
        }
    }
}

fn agent(cx: &mut Cx<'_>, event: &AgentEvent) {
    let now = cx.now;
    let agent = &mut cx.state.agent;
    match event {
        AgentEvent::AgentStart => {
            agent.working_since = Some(now);
            agent.run += 1;
            cx.state.damage.add(Part::Status);
            cx.state.damage.add(Part::Prompt);
        }
        AgentEvent::AgentEnd { .. } => {
            agent.working_since = None;
            drop_withdrawn(cx);
            cx.state.damage.add(Part::Status);
            cx.state.damage.add(Part::Prompt);
            check_disk(cx);
        }
        AgentEvent::QueueUpdate { steering, follow_up } => {
            agent.steering.clone_from(steering);
            agent.follow_up.clone_from(follow_up);
            cx.state.damage.all();
        }
        AgentEvent::MessageEnd(message) => {
            if let Message::Assistant(answer) = &**message {
                agent.usage += &answer.usage;
                if answer.usage.total_tokens > 0 {
                    agent.context_tokens = answer.usage.total_tokens;
                }
                cx.state.damage.add(Part::Status);
            }
        }
        AgentEvent::ToolEnd { .. } => {
            drop_withdrawn(cx);
            check_disk(cx);
        }
        _ => {}
    }
    let state = &mut *cx.state;
    if state.transcript.apply(event, &state.tools) {
        state.damage.add(Part::Transcript);
    }
}

/// Looks whether open files changed on disk: after commands, and when the window gets the
/// focus.
pub fn check_disk(cx: &mut Cx<'_>) {
    let known = |b: &Buffer| Some((b.id, b.path.clone()?, b.stamp.clone()?));
    let files: Vec<_> = cx.state.buffers.all().iter().filter(|b| !b.saving).filter_map(known).collect();
    if !files.is_empty() {
        cx.effects.push(Effect::CheckDisk(files));
    }
}

/// What waited in the queues comes back into the prompt.
pub fn dequeued(cx: &mut Cx<'_>, texts: &[String]) {
    if texts.is_empty() {
        return cx.state.say("nothing waits");
    }
    let draft = cx.state.prompt.area.text().to_string();
    let parts: Vec<&str> =
        texts.iter().map(String::as_str).chain(Some(draft.as_str()).filter(|d| !d.is_empty())).collect();
    let now_ms = cx.now_ms;
    cx.state.prompt.area.set(&parts.join("\n\n"), now_ms);
    cx.state.damage.all();
}
