//! Filters text through shell commands: selections are replaced by a command's output, or its output is
//! inserted. This is the event loop's part: a task runs the commands.

use std::ops::Range;

use tokio_util::sync::CancellationToken;

use crate::base::width::{truncate, visible};
use crate::ide::core::context::Cx;
use crate::ide::core::damage::Part;
use crate::ide::core::layers::dialog::Dialog;
use crate::ide::features::pipe::command;
use crate::ide::features::pipe::job::{ShellJob, ShellProblem, ShellResult, ShellUse};
use crate::ide::features::pipe::state::PIPE;
use crate::text::changes::ChangeSet;
use crate::text::file_format::format::{LineEnding, without_carriers};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::{self, Selection};
use crate::text::transaction::Transaction;

/// Runs a command for every selection, or for the whole text if nothing is selected. With `reads` it reads
/// what its output replaces, otherwise its output is inserted before.
pub fn start(cx: &mut Cx<'_>, script: String, reads: bool) {
    let Some(buffer) = cx.state.buffers.current() else { return cx.state.set_status("No file open") };
    let (end, selection) = (buffer.area.text().end(), &buffer.area.selection);
    let spans = selection.ranges().iter().map(selection::Range::span);
    let ranges = match (reads, selection.is_empty()) {
        (true, true) => vec![Byte(0)..end],
        (true, false) => spans.filter(|span| !span.is_empty()).collect(),
        (false, _) => spans.map(|span| span.start..span.start).collect(),
    };
    let purpose = if reads { ShellUse::Replace } else { ShellUse::Insert };
    if let Err(problem) = begin(cx, script, ranges, purpose) {
        cx.state.set_error(problem);
    }
}

/// Runs a command for ranges of the shown text. Fails with a message.
pub fn begin(
    cx: &mut Cx<'_>,
    script: String,
    ranges: Vec<Range<Byte>>,
    purpose: ShellUse,
) -> Result<(), String> {
    let buffer = cx.state.buffers.current().ok_or("No file open")?;
    if let Some(reason) = buffer.read_only().filter(|_| purpose != ShellUse::Show) {
        return Err(reason.to_string());
    }
    if cx.state.slots[PIPE].cancel.is_some() {
        return Err("A command is running already. Escape ends it".to_string());
    }
    let cancel = CancellationToken::new();
    let job = ShellJob {
        buffer: buffer.id,
        version: buffer.area.document.version(),
        text: buffer.area.text().clone(),
        format: buffer.area.document.format(),
        script,
        // Output that is only shown needs no range.
        ranges: if purpose == ShellUse::Show { vec![Byte(0)..Byte(0)] } else { ranges },
        purpose,
        cancel: cancel.clone(),
    };
    cx.state.slots[PIPE].cancel = Some(cancel);
    cx.state.set_status("Running … Escape ends it");
    let env = cx.env.clone();
    let (buffer, version, purpose, script) = (job.buffer, job.version, job.purpose, job.script.clone());
    let work = async move {
        let result = command::run(&*env, &job).await;
        // Freeing a large text takes time.
        drop(job);
        result
    };
    cx.tasks.spawn("pipe.run", work, move |cx, result| {
        let result = result.unwrap_or_else(|error| Err(ShellProblem::NotRun(error.to_string())));
        on_done(cx, ShellResult { buffer, version, script, purpose, result });
    });
    Ok(())
}

/// Stops the running command; returns whether there was one.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    let Some(cancel) = &cx.state.slots[PIPE].cancel else { return false };
    cancel.cancel();
    cx.state.set_status("Ending command …");
    true
}

/// The commands are done.
fn on_done(cx: &mut Cx<'_>, done: ShellResult) {
    cx.state.slots[PIPE].cancel = None;
    let edits = match done.result {
        Ok(edits) => edits,
        Err(ShellProblem::Cancelled) => return cx.state.set_status(ShellProblem::Cancelled.to_string()),
        Err(problem) => return cx.state.set_error(problem.to_string()),
    };
    if done.purpose == ShellUse::Show {
        return show(cx, &done.script, &edits);
    }
    let now_ms = cx.now_ms;
    let Some(buffer) = cx.state.buffers.get_mut(done.buffer) else {
        return cx.state.set_error("File closed before the command finished");
    };
    if buffer.area.document.version() != done.version {
        return cx.state.set_error("Text changed meanwhile: output not inserted");
    }
    let whole = buffer.area.selection.is_empty() && edits.len() == 1;
    let as_lines = matches!(done.purpose, ShellUse::Filter | ShellUse::Lines);
    let edits =
        if done.purpose == ShellUse::Lines { fix_final_newline(buffer.area.text(), edits) } else { edits };
    let (edits, after) = prepare_edits(edits, buffer.area.document.format().ending);
    let first = edits.first().map(|(range, _)| range.start);
    buffer.area.document.seal();
    buffer.area.edit(now_ms, |text, _| {
        let edit = Transaction::new(ChangeSet::replace(text.end().0, edits));
        if whole { edit } else { edit.select(after) }
    });
    if let Some(first) = first.filter(|_| as_lines) {
        let page = ModalText::new(buffer.area.text(), 1);
        // Text after a last line without line ending begins with one.
        let line = page.line(first);
        let is_behind = page.start(line) < first;
        let line = if is_behind { Line(line.0 + 1) } else { line };
        buffer.area.go_to(page.first_non_blank(line.min(page.last_line())));
    }
    cx.state.set_status("");
    cx.state.damage.add(Part::Editor);
}

/// Adapts lines inserted after a last line without line ending: they get one before and none at their end.
fn fix_final_newline(text: &Text, edits: Vec<(Range<Byte>, String)>) -> Vec<(Range<Byte>, String)> {
    let is_open = text.line_start(text.last_line()) < text.end();
    let moved = |(range, output): (Range<Byte>, String)| match output.strip_suffix('\n') {
        Some(lines) if is_open && range.start == text.end() => (range, format!("\n{lines}")),
        _ => (range, output),
    };
    edits.into_iter().map(moved).collect()
}

/// Shows the output of a command.
fn show(cx: &mut Cx<'_>, script: &str, outputs: &[(Range<Byte>, String)]) {
    let mut lines: Vec<String> =
        outputs.iter().flat_map(|(_, output)| output.lines().take(SHOWN_MAX + 1)).map(String::from).collect();
    if lines.len() > SHOWN_MAX {
        lines.truncate(SHOWN_MAX);
        lines.push("… more".to_string());
    }
    if lines.is_empty() {
        return cx.state.set_status("No output");
    }
    cx.state.set_status("");
    cx.state.push_layer(Dialog::message(truncate(&visible(script), TITLE_MAX), lines));
}

/// Maximum lines shown of an output.
const SHOWN_MAX: usize = 500;
/// Maximum cells shown of a command above its output.
const TITLE_MAX: usize = 60;

/// Returns outputs as edits with the file's line endings, and the selection afterwards.
fn prepare_edits(
    edits: Vec<(Range<Byte>, String)>,
    ending: LineEnding,
) -> (Vec<(Range<Byte>, String)>, Selection) {
    let (mut made, mut ranges) = (Vec::new(), Vec::new());
    let (mut added, mut removed) = (0, 0);
    for (range, output) in edits {
        let output = output.replace("\r\n", "\n");
        let output = without_carriers(&output).replace('\n', ending.text());
        let start = Byte(range.start.0 + added - removed);
        ranges.push(selection::Range::new(start, start + output.len()));
        added += output.len();
        removed += range.end - range.start;
        made.push((range, output));
    }
    let last = ranges.len().saturating_sub(1);
    (made, Selection::new(ranges, last))
}
