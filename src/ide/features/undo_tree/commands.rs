//! Commands that move in the undo tree beyond single steps.

use crate::ide::core::command_line::{LineCommand, line_command};
use crate::ide::core::condition;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::layers::prompt::Prompt;
use crate::ide::features::undo_tree::view::UndoView;
use crate::ide::model::buffers::BufferId;
use crate::text::undo::history::{History, RevisionId};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("history.tree", "Show undo tree", &["undo history", "timeline"], tree).when(condition::has_file),
    command("history.earlier", "Restore earlier text", &["timeline", "undo by time"], earlier)
        .when(condition::has_file),
];

/// The feature's rows for command lines.
pub const LINES: &[LineCommand] =
    &[line_command("ea", "earlier", "restore text by steps or time", |cx, given| {
        go_earlier(cx, if given.rest.is_empty() { "1" } else { given.rest })
    })];

fn tree(cx: &mut Cx<'_>) {
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.current_mut() else { return cx.state.set_status("No file open") };
    buffer.area.document.seal();
    let view = UndoView::new(buffer.id, buffer.area.document.history(), now_ms);
    if view.rows.len() == 1 {
        return cx.state.set_status("No changes yet");
    }
    cx.state.push_layer(view);
}

/// Moves the selection of the open tree; the text follows.
pub fn step(cx: &mut Cx<'_>, by: isize) {
    let Some(view) = cx.state.layers.top_mut::<UndoView>() else { return };
    let Some(buffer) = cx.state.buffers.get_mut(view.buffer) else { return };
    if view.refresh(buffer.area.document.history(), cx.now_ms) {
        cx.state.damage.add_all();
    }
    let (buffer, revision) = (view.buffer, view.step(by));
    travel(cx, buffer, revision);
}

/// Returns to the revision before the tree was opened, unless the agent or another program has edited since.
pub fn cancel(cx: &mut Cx<'_>, view: &UndoView) {
    let unchanged = |history: &History| history.commits() == view.commits;
    if cx.state.buffers.get_mut(view.buffer).is_some_and(|b| unchanged(b.area.document.history())) {
        travel(cx, view.buffer, view.origin);
    }
}

fn travel(cx: &mut Cx<'_>, buffer: BufferId, revision: RevisionId) {
    if let Some(buffer) = cx.state.buffers.get_mut(buffer) {
        buffer.area.travel(revision);
    }
    cx.state.damage.add(Part::Editor);
    cx.state.damage.add(Part::Overlay);
}

fn earlier(cx: &mut Cx<'_>) {
    if cx.state.buffers.current().is_some() {
        Prompt::new("Go back by (5m, 2h, steps)", |_, _| {}).check(go_earlier).open(cx);
    } else {
        cx.state.set_status("No file open");
    }
}

/// Goes to an earlier text; the answer is a time such as `90s`, `5m`, `2h`, or a number of steps. Fails with
/// a message if it is invalid.
fn go_earlier(cx: &mut Cx<'_>, answer: &str) -> Result<(), String> {
    let answer = answer.trim();
    let digits = answer.find(|c: char| !c.is_ascii_digit()).unwrap_or(answer.len());
    let number: u64 =
        answer[..digits].parse().map_err(|_| "Enter 5m, 2h or a number of steps".to_string())?;
    let seconds = match answer[digits..].trim() {
        "" => None,
        "s" => Some(1),
        "m" | "min" => Some(60),
        "h" => Some(3_600),
        "d" => Some(86_400),
        unit => return Err(format!("Unknown unit {unit}: use s, m, h, d")),
    };
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.current_mut() else { return Ok(()) };
    let history = buffer.area.document.history();
    let target = if let Some(unit) = seconds {
        let ago_ms = number.saturating_mul(unit).saturating_mul(1_000);
        history.at_time(now_ms.saturating_sub(ago_ms))
    } else {
        let steps = usize::try_from(number).unwrap_or(usize::MAX);
        history.path().nth(steps).map_or(history.root(), |revision| revision.id)
    };
    let moved = buffer.area.travel(target);
    cx.state.damage.add(Part::Editor);
    cx.state.set_status(if moved { "Undone. Redo goes forward" } else { "Text was the same then" });
    Ok(())
}
