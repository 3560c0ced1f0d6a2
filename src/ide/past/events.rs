//! What was said before, on the loop: into the prompt's history, into the prompt, to a place of a conversation.
//!
//! Must not know where it is kept.

use std::path::Path;

use super::ask::{Happened, Work};
use crate::ide::commands::Cx;
use crate::ide::commands::view;
use crate::ide::effect::Effect;
use crate::ide::sessions::ask::Work as Ask;
use crate::ide::sessions::events as sessions;
use crate::ide::state::damage::Part;
use crate::ide::state::overlay::Overlay;
use crate::ide::state::panes::Focus;
use crate::runtime::Summary;
use crate::runtime::moving::{Change, Spot};

/// Something came of the work.
pub fn happened(cx: &mut Cx<'_>, happened: Happened) {
    match happened {
        Happened::Recalled(texts) => cx.state.prompt.remember_before(texts),
    }
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
    view::focus(cx, Focus::Agent);
    cx.state.damage.all();
}

/// Goes to an entry of a session, which becomes the one that is open.
pub fn open_at(cx: &mut Cx<'_>, session: &str, file: &Path, entry: &str) {
    let work = if cx.state.agent.session == session {
        Ask::Go(Spot::To(entry.to_string()), Summary::None)
    } else {
        Ask::Replace(Change::Open(file.to_path_buf(), Some(entry.to_string())))
    };
    sessions::begin(cx, work);
}
