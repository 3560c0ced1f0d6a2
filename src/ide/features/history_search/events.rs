//! What was said before, on the loop: into the prompt's history, into the prompt, to a place of a conversation.
//!
//! Must not know where it is kept.

use std::path::{Path, PathBuf};

use crate::base::width::visible;
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::effect::Effect;
use crate::ide::core::overlay::{Answer, Dialog, Overlay};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::history_search::work::{Happened, Work};
use crate::ide::features::sessions::events as sessions;
use crate::ide::features::sessions::picker::list;
use crate::runtime::Summary;
use crate::runtime::moving::{Change, Spot};

/// Something came of the work.
pub fn happened(cx: &mut Cx<'_>, happened: Happened) {
    match happened {
        Happened::Recalled(texts) => cx.state.prompt.remember_before(texts),
        Happened::Looked(picker, problem) => {
            cx.state.filled(picker);
            if let Some(problem) = problem {
                cx.state.say(problem);
            }
        }
        Happened::Stored(said) => {
            cx.state.say(said);
            list_again(cx);
        }
    }
}

/// The question before a session is deleted.
pub fn ask_to_delete(cx: &mut Cx<'_>, path: PathBuf, title: &str) {
    let id = &cx.state.agent.session;
    if !id.is_empty() && path.file_stem().is_some_and(|name| name.to_string_lossy().ends_with(id.as_str())) {
        return cx.state.say("this session is open here; session.new or session.resume leaves it first");
    }
    let mut lines = vec!["It is kept in the trash of the system.".to_string()];
    if !title.is_empty() {
        lines.insert(0, visible(title).into_owned());
    }
    let dialog = Dialog::ask("delete this session?".to_string(), lines)
        .choice('y', "delete", Answer::DeleteSession(path))
        .choice('n', "leave it", Answer::Dismiss);
    cx.state.push_overlay(Overlay::Dialog(dialog));
}

/// Lists the sessions of the picker on top anew, with what was typed there.
fn list_again(cx: &mut Cx<'_>) {
    let Some(Overlay::Picker(picker)) = cx.state.overlays.last_mut() else { return };
    let anywhere = match picker.id {
        "sessions" | "sessions-delete" => false,
        "sessions-anywhere" => true,
        _ => return,
    };
    let injector = picker.renew();
    picker.filling = true;
    let number = picker.number;
    cx.state.damage.add(Part::Overlay);
    list(cx, injector, number, anywhere);
}

/// Searches for what stands in the picker on top.
pub fn look(cx: &mut Cx<'_>) {
    let Some(Overlay::Picker(picker)) = cx.state.overlays.last_mut() else { return };
    let injector = picker.renew();
    let text = picker.query.text().to_string();
    picker.filling = !text.trim().is_empty();
    let (filling, picker) = (picker.filling, picker.number);
    cx.state.damage.add(Part::Overlay);
    cx.effects.push(if filling {
        Effect::Past(Work::Find { injector, picker, text })
    } else {
        Effect::EndWalk
    });
}

/// Puts a text into the prompt, in place of what is being typed; that stays in its history.
pub fn put(cx: &mut Cx<'_>, text: &str) {
    cx.state.prompt.put(text, cx.now_ms);
    panes::focus(cx, Focus::Agent);
    cx.state.damage.all();
}

/// Goes to an entry of a session, which becomes the one that is open.
pub fn open_at(cx: &mut Cx<'_>, session: &str, file: &Path, entry: &str) {
    if cx.state.agent.session == session {
        sessions::go(cx, Spot::To(entry.to_string()), Summary::None);
    } else {
        sessions::replace(cx, Change::Open(file.to_path_buf(), Some(entry.to_string())));
    }
}
