//! Reactions to frames and to the terminal's answers: encodes what was shown as a label.

use crate::exec::commands::tmux;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::core::state::State;
use crate::ide::features::images::cache::IMAGES;
use crate::tui::caps::Caps;
use crate::tui::images::protocol::{OuterTerminal, has_placeholders};

/// Runs after a frame: starts to encode an image that it did not have.
pub fn after_frame(cx: &mut Cx<'_>) {
    let Some(job) = cx.state.slots[IMAGES].get_mut().next_job() else { return };
    let ticket = job.ticket();
    cx.tasks.spawn_blocking(
        "images.encode",
        move || job.run(),
        move |cx, encoded| {
            // A decoder that panics has an image that cannot be shown.
            let encoded = encoded.unwrap_or_else(|error| Err(error.to_string()));
            let parts = cx.state.slots[IMAGES].get_mut().finish(ticket, encoded);
            for part in parts {
                cx.state.damage.add(part);
            }
            after_frame(cx);
        },
    );
}

/// Handles what the terminal has answered.
pub fn on_caps(cx: &mut Cx<'_>, caps: &Caps) {
    if cx.state.slots[IMAGES].get_mut().set_caps(caps) {
        on_changed(cx);
    }
}

/// Asks tmux, if it is there, which terminal is around it.
pub fn ask_outer_terminal(cx: &mut Cx<'_>, in_tmux: bool) {
    if !in_tmux || !cx.state.slots[IMAGES].get_mut().is_on() {
        return;
    }
    let is_forced = cx.state.slots[IMAGES].get_mut().is_kitty_chosen();
    let work = move || {
        let outer = tmux::outer_terminal()?;
        // Other terminals have no use for it.
        let passed = (is_forced || has_placeholders(&outer.name)).then(tmux::pass_through).flatten();
        Some((outer, passed))
    };
    cx.tasks.spawn_blocking("images.ask-tmux", work, |cx, outer| {
        let Some((outer, passed)) = answer_or_error(cx, "ask tmux", outer).flatten() else { return };
        let outer = OuterTerminal { name: outer.name, cell: outer.cell, is_reachable: passed.is_some() };
        let images = cx.state.slots[IMAGES].get_mut();
        images.changed_tmux = passed == Some(true);
        if images.set_outer(outer) {
            on_changed(cx);
        }
    });
}

/// Takes back what was changed in tmux for images.
pub async fn end(state: &mut State) {
    if std::mem::take(&mut state.slots[IMAGES].get_mut().changed_tmux) {
        tmux::end_pass_through().await;
    }
}

fn on_changed(cx: &mut Cx<'_>) {
    cx.state.text_options.image_cell = cx.state.slots[IMAGES].get_mut().cell();
    cx.state.damage.add_all();
}
