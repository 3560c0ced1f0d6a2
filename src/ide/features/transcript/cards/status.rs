//! The end of a card's head: whether the call runs, how it ended, and how long it ran. Must not know where it
//! is shown.

use std::time::Duration;

use crate::ide::features::transcript::cards::write;
use crate::ide::features::transcript::items::{Call, CallStatus};
use crate::ide::model::age::duration;
use crate::tools::contract::view::{CallKind, FileDiff, ResultView};

/// Shorter times are not shown.
pub const SHOWN_MIN: Duration = Duration::from_millis(100);

/// What stands for a state: running, its arguments streaming, done, failed.
struct Signs([&'static str; 4]);

const SIGNS: Signs = Signs(["◦", "…", "✓", "✗"]);
/// For screen readers.
const WORDS: Signs = Signs(["running", "starting", "done", "failed"]);

/// Returns the state of a call and its scope.
pub fn status(call: &Call, is_accessible: bool) -> (String, &'static str) {
    let Signs([running, starting, done, failed]) = if is_accessible { WORDS } else { SIGNS };
    let took =
        |time: Option<Duration>| time.filter(|time| *time >= SHOWN_MIN && is_timed(call)).map(duration);
    if call.agent.as_ref().is_some_and(|agent| agent.is_running) {
        return (running.to_string(), "agent");
    }
    match call.status {
        CallStatus::Streaming => (starting.to_string(), "ui.text.soft"),
        // Each new time would be spoken.
        CallStatus::Running if is_accessible => (running.to_string(), "agent"),
        CallStatus::Running => (joined(running, None, elapsed(call)), "agent"),
        CallStatus::Done(time) => {
            (format!("{}{}", changes(call), joined(done, exit(call), took(time))), "success")
        }
        CallStatus::Failed(time) => (joined(failed, exit(call), took(time)), "error"),
    }
}

fn joined(sign: &str, exit: Option<String>, time: Option<String>) -> String {
    let parts: Vec<String> = [exit, time].into_iter().flatten().collect();
    // A word is followed by a comma.
    let is_word = sign.is_ascii();
    match (parts.is_empty(), is_word) {
        (true, _) => sign.to_string(),
        (false, true) => format!("{sign}, {}", parts.join(", ")),
        (false, false) => format!("{sign} {}", parts.join(" · ")),
    }
}

/// Whether the time of a call says something: a question takes as long as the user does.
fn is_timed(call: &Call) -> bool {
    // A subagent's card has the time of the subagent.
    call.view.kind != CallKind::Question && call.agent.is_none()
}

/// Returns how long a running call has run, in whole seconds.
fn elapsed(call: &Call) -> Option<String> {
    let seconds = call.seconds.filter(|seconds| *seconds > 0 && is_timed(call))?;
    Some(duration(Duration::from_secs(seconds)))
}

/// Returns the exit code of a command that failed.
fn exit(call: &Call) -> Option<String> {
    call.exit_code.filter(|code| *code != 0).map(|code| format!("exit {code}"))
}

/// Returns the counts of lines or of hits, before the sign; empty for other results.
fn changes(call: &Call) -> String {
    match &call.result {
        Some(ResultView::Diff { lines, .. }) if write::is_new_file(call, lines) => {
            format!("new file · {} ", write::lines(lines.len()))
        }
        Some(ResultView::Diff { added, removed, .. }) => format!("+{added} −{removed} "),
        Some(ResultView::Diffs(files)) => {
            let sum = |count: fn(&FileDiff) -> usize| files.iter().map(count).sum::<usize>();
            format!("+{} −{} ", sum(|file| file.added), sum(|file| file.removed))
        }
        Some(ResultView::Excerpt { total, .. }) if *total == 0 => "empty ".to_string(),
        Some(ResultView::Excerpt { first: 1, last, total, .. }) if last == total => {
            format!("{} ", write::lines(*total))
        }
        Some(ResultView::Excerpt { first, last, total, .. }) => format!("{first}-{last} of {total} "),
        Some(ResultView::Hits { hits, .. }) if hits.len() == 1 => "1 hit ".to_string(),
        Some(ResultView::Hits { hits, .. }) => format!("{} hits ", hits.len()),
        _ => String::new(),
    }
}
