//! Restoring files: a preview, decisions about conflicts, the restore itself.
//!
//! Must not know how checkpoints are stored. Other views of the session open the preview with [`open`].

use crate::base::plural::pluralize;
use crate::ide::core::context::{Cx, answer_or_report};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::message_queue::take_back;
use crate::ide::features::restore::apply::{TASK, apply};
use crate::ide::features::restore::view::RestoreView;
use crate::ide::features::sessions::view::SessionView;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::runtime::restore::target::{Preview, RestoreScope, RestoreTarget, Restored};
use crate::tui::input::{Key, KeyCode};
use crate::workspace::checkpoint::{Decision, Decisions};

/// Rows that a page of a diff moves.
const PAGE: isize = 10;

/// Shows what a restore would do, and runs it if the user agrees.
pub fn open(cx: &mut Cx<'_>, target: RestoreTarget) {
    let Some(session) = cx.session.cloned() else {
        return cx.state.set_status("Session is starting; try again in a moment");
    };
    if matches!(target, RestoreTarget::To(_, RestoreScope::Conversation)) {
        return start(cx, target, Decisions::new());
    }
    cx.state.set_status("Comparing files…");
    let preview = async move { session.preview_restore(target, Decisions::new()).await };
    cx.tasks.spawn("restore.preview", preview, |cx, preview| {
        match answer_or_report(TASK, preview) {
            Ok(preview) => show_preview(cx, preview),
            Err(report) => cx.state.set_error(report.to_string()),
        }
        cx.state.damage.add_all();
    });
}

/// Makes the session restore the files.
fn start(cx: &mut Cx<'_>, target: RestoreTarget, decisions: Decisions) {
    apply(cx, ("restore.apply", target, decisions), |cx, restored| match restored {
        Ok(restored) => on_restored(cx, restored),
        Err(report) => cx.state.set_error(report.to_string()),
    });
}

/// Shows what a restore would do, if anything.
pub fn show_preview(cx: &mut Cx<'_>, preview: Preview) {
    cx.state.set_status("");
    let with_conversation = matches!(preview.target, RestoreTarget::To(_, RestoreScope::Both));
    if preview.files.is_empty() && with_conversation {
        return start(cx, preview.target, Decisions::new());
    }
    if preview.files.is_empty() {
        return cx.state.set_status(match preview.skipped.len() {
            0 => "No file has to be restored: all are as recorded there".to_string(),
            skipped => format!("No file has to be restored ({skipped} not recorded)"),
        });
    }
    cx.state.layers.close::<RestoreView>();
    cx.state.push_layer(RestoreView::new(preview));
}

/// Returns whether a restore undoes the last one.
pub fn is_undo(state: &State, target: &RestoreTarget) -> bool {
    matches!(target, RestoreTarget::To(entry, _) if state.agent.undo_restore_entry.as_ref() == Some(entry))
}

/// Handles the end of a restore, and reports it.
pub fn on_restored(cx: &mut Cx<'_>, restored: Restored) {
    let Restored { target, applied, conflicts, merged, undo, message } = restored;
    if !matches!(target, RestoreTarget::To(_, RestoreScope::Code) | RestoreTarget::RevertTurn(_)) {
        // The conversation has moved: its tree is closed.
        cx.state.layers.close::<SessionView>();
        take_back::fill_prompt(cx, message.into_iter().collect());
    }
    if undo.is_none() {
        return cx.state.set_status("Conversation continues from here");
    }
    let further = |count: usize, what: &str| match count {
        0 => String::new(),
        count => format!(", {count} {what}"),
    };
    let is_unchanged = applied.done == 0 && applied.failed.is_empty() && merged.is_empty();
    let stayed = conflicts.iter().filter(|conflict| conflict.decision != Decision::Theirs).count();
    let undo_key = cx.state.how_to("session.undo-restore");
    let paths = pluralize(applied.done, "path", "paths");
    let changed = match is_unchanged {
        true => "No file had to be restored".to_string(),
        false if is_undo(cx.state, &target) => format!("Undid the last restore: {paths}"),
        false => format!("Restored {paths}"),
    };
    let undo_hint = if is_unchanged { String::new() } else { format!(". Undo: {undo_key}") };
    let text = format!("{changed}{}{}{undo_hint}", further(merged.len(), "merged"), further(stayed, "kept"));
    if !cx.state.slots[TRANSCRIPT].items().is_empty() {
        cx.state.slots[TRANSCRIPT].notice(false, text.clone());
        cx.state.damage.add(Part::Transcript);
    }
    match applied.failed.first() {
        Some((name, error)) => {
            cx.state.set_error(format!("{text} ({} failed: {name}: {error})", applied.failed.len()));
        }
        None => cx.state.set_status(text),
    }
    let has_moved = matches!(target, RestoreTarget::To(_, RestoreScope::Both));
    cx.state.agent.moved_with_restore = undo.clone().filter(|_| has_moved);
    cx.state.agent.undo_restore_entry = undo;
}

/// Handles a key while the preview is open; returns whether it was handled.
pub fn key(cx: &mut Cx<'_>, key: Key) -> bool {
    let Some(view) = cx.state.layers.top_mut::<RestoreView>() else { return false };
    let decided = match key.code {
        KeyCode::Up => {
            view.step(-1);
            Ok(())
        }
        KeyCode::Down => {
            view.step(1);
            Ok(())
        }
        KeyCode::PageUp => {
            view.scroll(-PAGE);
            Ok(())
        }
        KeyCode::PageDown => {
            view.scroll(PAGE);
            Ok(())
        }
        KeyCode::Enter => {
            if let Some(view) = cx.state.layers.pop_as::<RestoreView>() {
                cx.state.set_status("Restoring files…");
                start(cx, view.preview.target, view.decisions);
            }
            Ok(())
        }
        KeyCode::Escape => {
            cx.state.pop_layer();
            cx.state.set_status("Nothing changed");
            Ok(())
        }
        _ => match key.typed() {
            Some('k') => {
                view.step(-1);
                Ok(())
            }
            Some('j') => {
                view.step(1);
                Ok(())
            }
            Some('m') => view.decide(Decision::Ours),
            Some('t') => view.decide(Decision::Theirs),
            Some('b') => view.decide(Decision::KeepBoth),
            // Keys of the whole program, such as the one that quits.
            _ => return false,
        },
    };
    if let Err(error) = decided {
        cx.state.set_status(error);
    }
    cx.state.damage.add_all();
    true
}
