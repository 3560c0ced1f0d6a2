//! Starts the tasks of terminals and sends requests to them. Must not know their content.

use tokio::sync::{mpsc, oneshot};

use crate::base::panics::catch_async;
use crate::ide::core::context::{Cx, answer_or_error};
use crate::ide::features::terminal::events::handle_event;
use crate::ide::features::terminal::job::TerminalJob;
use crate::ide::features::terminal::messages::{TerminalEvent, TerminalId, TerminalRequest};
use crate::ide::features::terminal::state::TERMINALS;

/// Capacity of the queue of requests to a terminal.
const REQUESTS_MAX: usize = 1024;

/// Starts a shell, or shows a background command of the agent, with a window of this size in columns and rows.
pub fn open(cx: &mut Cx<'_>, id: TerminalId, size: (u16, u16)) {
    let Some(terminal) = cx.state.slots[TERMINALS].get_mut(id) else { return };
    let (sender, requests) = mpsc::channel(REQUESTS_MAX);
    terminal.requests = Some(sender);
    let watched = terminal.job.as_ref().map(|job| job.watched.clone());
    let job = TerminalJob::new((id, watched), size, cx.env.clone(), requests, cx.tasks.clone());
    let (tasks, fault) = (cx.tasks.clone(), cx.tasks.next_panic());
    let run = async move {
        let work = async move {
            fault.panic_if_planned();
            job.run().await;
        };
        if let Err(error) = Box::pin(catch_async(work)).await {
            let failed = TerminalEvent::Failed(id, error.to_string());
            tasks.post("terminal.failed", move |cx| handle_event(cx, failed)).await;
        }
    };
    cx.tasks.detach(cx.state.slots[TERMINALS].track(run));
}

/// Sends a request to a terminal.
pub fn send_request(cx: &mut Cx<'_>, id: TerminalId, ask: TerminalRequest) {
    let Some(requests) =
        cx.state.slots[TERMINALS].get_mut(id).and_then(|terminal| terminal.requests.as_ref())
    else {
        return;
    };
    if requests.try_send(ask).is_err() {
        handle_event(cx, TerminalEvent::InputFull(id));
    }
}

/// Finds out in which of these terminals a program runs in front of the shell, and hands over the programs' names.
pub fn find_programs(
    cx: &mut Cx<'_>,
    ids: &[TerminalId],
    done: impl FnOnce(&mut Cx<'_>, Vec<String>) + Send + 'static,
) {
    let senders: Vec<_> =
        ids.iter().filter_map(|id| cx.state.slots[TERMINALS].get_mut(*id)?.requests.clone()).collect();
    let work = async move {
        let mut programs = Vec::new();
        for senders in senders {
            let (reply, answer) = oneshot::channel();
            // A terminal that has ended in the meantime has no programs.
            if senders.send(TerminalRequest::ForegroundProgram(reply)).await.is_ok() {
                programs.extend(answer.await.ok().flatten());
            }
        }
        programs
    };
    cx.tasks.spawn("terminal.programs", work, |cx, answer| {
        if let Some(programs) = answer_or_error(cx, "ask the terminals", answer) {
            done(cx, programs);
        }
    });
}
