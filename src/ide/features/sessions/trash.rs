//! Moves deleted sessions to the system's trash, and restores them.

use std::path::PathBuf;

use crate::base::width::visible;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::core::layers::picker::Picker;
use crate::ide::features::sessions::picker::list;

/// Asks before a session is deleted.
pub fn ask_to_delete(cx: &mut Cx<'_>, path: PathBuf, title: &str) {
    let id = &cx.state.agent.session;
    if !id.is_empty() && path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with(id.as_str())) {
        let (new, resume) = (cx.state.how_to("session.new"), cx.state.how_to("session.resume"));
        return cx.state.set_status(format!("Session is open. First: {new} or {resume}"));
    }
    let mut lines = vec!["It goes to the system's trash.".to_string()];
    if !title.is_empty() {
        lines.insert(0, visible(title).into_owned());
    }
    let dialog = Dialog::ask("Delete this session?".to_string(), lines)
        .choice('y', "Delete", move |cx| delete(cx, path))
        .close('n', "Cancel");
    cx.state.push_layer(dialog);
}

/// Reloads the topmost picker of sessions, keeping its query.
fn refresh_picker(cx: &mut Cx<'_>) {
    let Some(picker) = cx.state.layers.top_mut::<Picker>() else { return };
    let anywhere = match picker.spec.id {
        "sessions" | "sessions-delete" => false,
        "sessions-anywhere" => true,
        _ => return,
    };
    let injector = picker.restart();
    picker.is_filling = true;
    let number = picker.number;
    cx.state.damage.add(Part::Overlay);
    list(cx, injector, number, anywhere);
}

/// Moves a session to the trash.
fn delete(cx: &mut Cx<'_>, file: PathBuf) {
    let Some(past) = cx.session.map(crate::runtime::Handle::history_search) else { return };
    cx.tasks.spawn_blocking(
        "sessions.delete",
        move || past.delete(&file),
        |cx, deleted| {
            if success_or_error(cx, "delete the session", deleted).is_some() {
                let restore = cx.state.how_to("session.undelete");
                cx.state.set_status(format!("Session moved to trash. Restore: {restore}"));
                refresh_picker(cx);
            }
        },
    );
}

/// Restores the session deleted last.
pub fn undelete(cx: &mut Cx<'_>) {
    let Some(past) = cx.session.map(crate::runtime::Handle::history_search) else { return };
    cx.tasks.spawn_blocking(
        "sessions.undelete",
        move || past.undelete(),
        |cx, restored| match success_or_error(cx, "bring the session back", restored) {
            Some(Some(_)) => {
                cx.state.set_status("Session restored");
                refresh_picker(cx);
            }
            Some(None) => cx.state.set_error("No sessions in the trash"),
            None => {}
        },
    );
}
