//! Shell commands that the user runs from the prompt: `!COMMAND` shares its output with the model, `!!COMMAND`
//! keeps it private. The command runs beside the agent; the transcript shows its output.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::ide::core::context::{Cx, Tasks, answer_or_report};
use crate::ide::core::damage::Part;
use crate::ide::core::feature::{self, FeatureEvent};
use crate::ide::core::panes::Focus;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::features::history_search;
use crate::ide::features::transcript;
use crate::ide::features::transcript::items::TRANSCRIPT;
use crate::ide::features::transcript::view::TRANSCRIPT_VIEW;

/// Slot of the running commands.
pub const SHELL_COMMANDS: Slot<ShellCommands> = Slot::new();

/// Chunks of output that wait for the screen; more are skipped, since the result has the end of the output.
const CHUNKS_MAX: usize = 64;

/// The running commands.
#[derive(Debug, Default)]
pub struct ShellCommands {
    /// Number of the last one.
    last: u64,
    /// Oldest first.
    running: Vec<Running>,
    /// Their tasks, which the end of the program waits for.
    tasks: TaskTracker,
}

/// A running command.
#[derive(Debug)]
struct Running {
    number: u64,
    command: String,
    is_private: bool,
    cancel: CancellationToken,
}

impl ShellCommands {
    /// Stops all commands; the future completes once they are gone and recorded.
    pub fn end(&self) -> impl Future<Output = ()> + use<> {
        self.running.iter().for_each(|running| running.cancel.cancel());
        self.tasks.close();
        let tasks = self.tasks.clone();
        async move { tasks.wait().await }
    }
}

/// A shell command as typed.
#[derive(Debug, PartialEq, Eq)]
struct Typed<'a> {
    command: &'a str,
    is_private: bool,
}

/// Returns the shell command that a text is, if it is one.
fn parse(text: &str) -> Option<Typed<'_>> {
    let rest = text.strip_prefix('!')?;
    let (rest, is_private) = rest.strip_prefix('!').map_or((rest, false), |rest| (rest, true));
    Some(Typed { command: rest.trim(), is_private })
}

/// Runs the prompt's shell command, if it is one; returns whether it was.
pub fn run_typed(cx: &mut Cx<'_>) -> bool {
    let text = cx.state.prompt.area.text().to_string();
    let Some(Typed { command, is_private }) = parse(&text) else { return false };
    if command.is_empty() {
        cx.state.set_error("No command after `!`. Start with a space to send it as text");
        return true;
    }
    let Some(session) = cx.session.cloned() else { return true };
    cx.state.prompt.take();
    if !is_private {
        history_search::events::remember(cx, text.clone());
    }
    let cancel = CancellationToken::new();
    let commands = &mut cx.state.slots[SHELL_COMMANDS];
    commands.last += 1;
    let (number, tracker) = (commands.last, commands.tasks.clone());
    let running = Running { number, command: command.to_string(), is_private, cancel: cancel.clone() };
    commands.running.push(running);
    // It is shown in the main conversation.
    transcript::agents::close(cx.state);
    cx.state.slots[TRANSCRIPT].begin_user_command(number, command, is_private);
    cx.state.slots[TRANSCRIPT_VIEW].borrow_mut().to_tail();
    cx.state.damage.add_all();
    let (sender, chunks) = mpsc::channel(CHUNKS_MAX);
    let (tasks, command) = (cx.tasks.clone(), command.to_string());
    let work = tracker.track_future(async move {
        let on_output = move |text: String| {
            if sender.try_send(text).is_err() {
                tracing::debug!("a command prints faster than it is shown; a chunk was skipped");
            }
        };
        let running = session.run_command(&command, !is_private, on_output, &cancel);
        tokio::join!(running, show_output(tasks, number, chunks)).0
    });
    cx.tasks.spawn("prompt.shell", work, move |cx, ran| {
        cx.state.slots[SHELL_COMMANDS].running.retain(|running| running.number != number);
        let ran = answer_or_report("run the command", ran).map_err(|report| report.to_string());
        cx.state.slots[TRANSCRIPT].end_user_command(number, ran, cx.now);
        feature::notify(cx, FeatureEvent::FilesMayHaveChanged);
        cx.state.damage.add(Part::Transcript);
    });
    true
}

/// Shows chunks of output until there are no more.
async fn show_output(tasks: Tasks, number: u64, mut chunks: mpsc::Receiver<String>) {
    while let Some(text) = chunks.recv().await {
        let show = move |cx: &mut Cx<'_>| {
            cx.state.slots[TRANSCRIPT].add_user_command_output(number, &text);
            cx.state.damage.add(Part::Transcript);
        };
        tasks.post("prompt.shell-output", show).await;
    }
}

/// Stops the command started last, if the prompt has the focus; returns whether one was running. A working
/// agent is interrupted first.
pub fn stop(cx: &mut Cx<'_>) -> bool {
    if cx.state.panes.focus != Focus::Agent || cx.state.agent.working_since.is_some() {
        return false;
    }
    let running = cx.state.slots[SHELL_COMMANDS].running.iter().rev();
    let Some(last) = running.into_iter().find(|running| !running.cancel.is_cancelled()) else { return false };
    last.cancel.cancel();
    true
}

/// Adds the running commands to a transcript that was loaded anew.
pub fn show_running(state: &mut State) {
    let running = state.slots[SHELL_COMMANDS].running.iter();
    let running: Vec<_> = running.map(|one| (one.number, one.command.clone(), one.is_private)).collect();
    for (number, command, is_private) in running {
        state.slots[TRANSCRIPT].begin_user_command(number, &command, is_private);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_command_one_mark_shares_two_keep_private() {
        assert_eq!(parse("!ls -l "), Some(Typed { command: "ls -l", is_private: false }));
        assert_eq!(parse("!!make\nls"), Some(Typed { command: "make\nls", is_private: true }));
        assert_eq!(parse("!"), Some(Typed { command: "", is_private: false }));
        assert_eq!((parse(" !ls"), parse("ls")), (None, None));
    }
}
