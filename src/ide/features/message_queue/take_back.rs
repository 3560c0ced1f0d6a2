//! Queued messages return to the prompt when they are taken back, as does a message at a position that the
//! conversation left.

use crate::ide::core::context::{Cx, answer_or_error};
use crate::llm::model::UserMessage;

/// Takes back the messages in the session's queues.
pub fn take_back_all(cx: &mut Cx<'_>) {
    let Some(queue) = cx.session.map(crate::runtime::Handle::take_queue) else { return };
    // A session that has ended has no queues.
    let taken = async move { queue.await.unwrap_or_default() };
    cx.tasks.spawn("agent.dequeue", taken, |cx, taken| {
        if let Some(messages) = answer_or_error(cx, "take queued messages back", taken) {
            restore_to_prompt(cx, messages);
        }
    });
}

/// Puts undelivered messages into the prompt.
pub fn restore_to_prompt(cx: &mut Cx<'_>, messages: Vec<UserMessage>) {
    if messages.is_empty() {
        return cx.state.set_status("No queued messages");
    }
    let now_ms = cx.now_ms;
    let attached = cx.state.prompt.restore_messages(messages, now_ms);
    report_attached(cx, attached);
}

/// Puts the message of the place to which the conversation has moved into the prompt, in place of that of the place
/// before; without one only the latter is removed.
pub fn fill_prompt(cx: &mut Cx<'_>, messages: Vec<UserMessage>) {
    let (now_ms, has_message) = (cx.now_ms, !messages.is_empty());
    let attached = cx.state.prompt.fill(messages, now_ms);
    report_attached(cx, if has_message { attached } else { 0 });
}

fn report_attached(cx: &mut Cx<'_>, attached: usize) {
    if attached > 0 {
        let goes = if attached == 1 { "attachment goes" } else { "attachments go" };
        cx.state.set_status(format!("{attached} {goes} with your next message"));
    }
    cx.state.damage.add_all();
}
