//! Text through commands of the shell: selections are replaced by what a command makes of them, or
//! its output is put in. The loop's part: a task runs the commands.

use std::ops::Range;

use tokio_util::sync::CancellationToken;

use super::commands::Cx;
use super::effect::Effect;
use super::state::damage::Part;
use super::state::shell::{ShellDone, ShellJob, ShellProblem};
use crate::text::changes::ChangeSet;
use crate::text::format::{LineEnding, without_carriers};
use crate::text::position::Byte;
use crate::text::selection::{self, Selection};
use crate::text::transaction::Transaction;

/// Runs a command for every selection, for the whole text where nothing is selected; with `reads`
/// it reads what its output replaces, else its output goes before.
pub fn start(cx: &mut Cx<'_>, script: String, reads: bool) {
    let Some(buffer) = cx.state.buffers.current() else { return cx.state.say("no file is open") };
    if let Some(reason) = buffer.read_only() {
        return cx.state.fail(reason);
    }
    if cx.state.shell.is_some() {
        return cx.state.say("a command is running already; Escape ends it");
    }
    let (text, selection) = (buffer.area.text().clone(), &buffer.area.selection);
    let spans = selection.ranges().iter().map(selection::Range::span);
    let places = match (reads, selection.is_empty()) {
        (true, true) => vec![Byte(0)..text.end()],
        (true, false) => spans.filter(|span| !span.is_empty()).collect(),
        (false, _) => spans.map(|span| span.start..span.start).collect(),
    };
    let cancel = CancellationToken::new();
    let job = ShellJob {
        buffer: buffer.id,
        version: buffer.area.document.version(),
        text,
        format: buffer.area.document.format(),
        script,
        places,
        reads,
        cancel: cancel.clone(),
    };
    cx.state.shell = Some(cancel);
    cx.state.say("running … Escape ends it");
    cx.effects.push(Effect::Shell(Box::new(job)));
}

/// Ends the command that runs; tells whether there was one.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    let Some(cancel) = &cx.state.shell else { return false };
    cancel.cancel();
    cx.state.say("ending the command …");
    true
}

/// The commands are done.
pub fn done(cx: &mut Cx<'_>, done: ShellDone) {
    cx.state.shell = None;
    let edits = match done.result {
        Ok(edits) => edits,
        Err(ShellProblem::Cancelled) => return cx.state.say(ShellProblem::Cancelled.to_string()),
        Err(problem) => return cx.state.fail(problem.to_string()),
    };
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(done.buffer) else {
        return cx.state.fail("the file was closed before the command was done");
    };
    if buffer.area.document.version() != done.version {
        return cx.state.fail("the text was edited while the command ran: its output is not put in");
    }
    let whole = buffer.area.selection.is_empty() && edits.len() == 1;
    let (edits, after) = placed(edits, buffer.area.document.format().ending);
    buffer.area.document.seal();
    buffer.area.edit(now_ms, |text, _| {
        let edit = Transaction::new(ChangeSet::replace(text.end().0, edits));
        if whole { edit } else { edit.select(after) }
    });
    cx.state.say("");
    cx.state.damage.add(Part::Editor);
}

/// Outputs as edits whose lines end as the file's do, and what they select afterwards.
fn placed(edits: Vec<(Range<Byte>, String)>, ending: LineEnding) -> (Vec<(Range<Byte>, String)>, Selection) {
    let (mut made, mut ranges) = (Vec::new(), Vec::new());
    let (mut added, mut gone) = (0, 0);
    for (place, output) in edits {
        let output = output.replace("\r\n", "\n");
        let output = without_carriers(&output).replace('\n', ending.text());
        let start = Byte(place.start.0 + added - gone);
        ranges.push(selection::Range::new(start, start + output.len()));
        added += output.len();
        gone += place.end - place.start;
        made.push((place, output));
    }
    let last = ranges.len().saturating_sub(1);
    (made, Selection::new(ranges, last))
}
