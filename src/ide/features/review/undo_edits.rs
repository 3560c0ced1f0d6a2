//! Undoes what the agent has written into open texts: its last edit of the shown one, or its last turn. Must not know how
//! checkpoints are stored.

use std::collections::BTreeSet;

use crate::base::plural::pluralize;
use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::state::State;
use crate::ide::features::restore;
use crate::ide::features::review::file::ReviewedFile;
use crate::ide::features::review::state::REVIEW;
use crate::ide::model::buffers::{Buffer, BufferId};
use crate::runtime::restore::changes::ChangeScope;
use crate::text::transaction::{turn_name, turn_number};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("history.undo-agent", "Undo agent's last edit", &["reject change", "revert"], undo_agent)
        .when(condition::has_file),
    command("history.undo-agent-turn", "Undo agent's last turn", &["reject changes", "revert"], undo_turn),
];

fn undo_agent(cx: &mut Cx<'_>) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.current_mut() else { return cx.state.set_status("No file open") };
    let id = buffer.id;
    let edits: Vec<String> = buffer.area.document.agent_edits().map(str::to_string).collect();
    // If nothing of an edit is left in the text, the previous one is meant.
    let undone = edits.iter().find_map(|by| Some((by, undo_edits_by(buffer, by, now_ms)?)));
    match undone {
        None => say_nothing_to_undo(cx.state),
        Some((by, Ok(()))) => {
            let unsaved = restore::last_turn::unsaved_note(cx.state);
            let others = match other_files(cx.state, id, by) {
                0 => String::new(),
                count => {
                    let files = pluralize(count, "other file", "other files");
                    format!(". {files} of that turn: {}", cx.state.how_to("history.undo-agent-turn"))
                }
            };
            cx.state.set_status(format!("Undid the agent's edit{unsaved}{others}"));
        }
        Some((_, Err(error))) => cx.state.set_error(format!("Cannot undo: {error}")),
    }
    cx.state.damage.add(Part::Editor);
}

/// Returns in how many files besides a text something is left of the turn of an edit, if it is the last turn: open ones, and
/// those that the review lists.
fn other_files(state: &State, shown: BufferId, edit: &str) -> usize {
    if turn_number(edit) != state.agent.run {
        return 0;
    }
    let has_edits = |buffer: &&Buffer| {
        let mut edits = buffer.area.document.agent_edits();
        buffer.id != shown && edits.any(|other| turn_name(other) == turn_name(edit))
    };
    let open = state.buffers.all().iter().filter(has_edits).count();
    let review = &state.slots[REVIEW];
    if !matches!(review.found, Some(ChangeScope::LastMessage | ChangeScope::Turn)) {
        return open;
    }
    let is_closed = |file: &&ReviewedFile| state.buffers.by_path(&file.path).is_none();
    open + review.files.iter().filter(is_closed).count()
}

fn say_nothing_to_undo(state: &mut State) {
    let unsaved = restore::last_turn::unsaved_note(state);
    state.set_status(format!("No agent edit to undo{unsaved}"));
}

/// Undoes what the agent's last turn changed: in all files, if that was recorded.
fn undo_turn(cx: &mut Cx<'_>) {
    restore::last_turn::undo(cx, undo_turn_of_open_files);
}

/// Undoes the agent's edits of its newest turn, in every open file as one step. Files in which that is
/// impossible are reported and stay unchanged.
fn undo_turn_of_open_files(cx: &mut Cx<'_>) {
    let now_ms = cx.now_ms;
    let edits = |buffer: &Buffer| buffer.area.document.agent_edits().map(str::to_string).collect::<Vec<_>>();
    let turn = |edit: String| (turn_number(&edit), turn_name(&edit).to_string());
    let turns: BTreeSet<_> = cx.state.buffers.all().iter().flat_map(edits).map(turn).collect();
    let (mut done, mut refused) = (Vec::new(), Vec::new());
    for (_, turn) in turns.iter().rev() {
        for buffer in cx.state.buffers.all_mut() {
            match undo_edits_by(buffer, turn, now_ms) {
                None => {}
                Some(Ok(())) => done.push(buffer.name()),
                Some(Err(error)) => refused.push(format!("{}: {error}", buffer.name())),
            }
        }
        // If nothing of a turn is left in any text, the previous one is meant.
        if !done.is_empty() || !refused.is_empty() {
            break;
        }
    }
    cx.state.damage.add_all();
    let taken = format!("Undid the agent's last turn in {} (open files, not saved)", done.join(", "));
    match (done.is_empty(), refused.is_empty()) {
        (true, true) => say_nothing_to_undo(cx.state),
        (false, true) => cx.state.set_status(taken),
        (true, _) => cx.state.set_error(format!("Cannot undo in {}", refused.join("; in "))),
        (false, false) => cx.state.set_error(format!("{taken}; not in {}", refused.join("; in "))),
    }
}

/// Undoes an edit or a turn of the agent in one file, if anything of it is left. Fails with a message.
fn undo_edits_by(buffer: &mut Buffer, by: &str, now_ms: u64) -> Option<Result<(), String>> {
    let edit = buffer.area.document.revert_agent_edits(by)?;
    if let Some(reason) = buffer.read_only() {
        return Some(Err(reason.to_string()));
    }
    Some(match edit {
        Err(overlap) => {
            let line = buffer.area.text().line_of(overlap.at.start).0 + 1;
            Err(format!("what the agent wrote was changed again in line {line}; undo that first"))
        }
        Ok(edit) => {
            buffer.area.apply_external(edit, now_ms);
            Ok(())
        }
    })
}
