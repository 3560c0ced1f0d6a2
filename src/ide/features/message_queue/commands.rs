//! Commands on queued messages. Each names the message by its position and text, since the agent takes messages out
//! meanwhile, and changes the shown lists at once, so that the next key finds them changed. The session's next report
//! replaces them.

use crate::ide::core::condition::{self, Reason};
use crate::ide::core::context::{Command, Cx, answer_or_error, command};
use crate::ide::core::panes::Focus;
use crate::ide::core::state::State;
use crate::ide::editor::commands::panes;
use crate::ide::features::message_queue::layer::QueueView;
use crate::ide::features::message_queue::take_back;
use crate::ide::model::agent::Agent;
use crate::runtime::{Delivery, QueuedMessage};

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.dequeue", "Take queued messages back", &["dequeue", "unqueue"], take_back::take_back_all),
    command("agent.edit-queue", "Edit queued messages", &["reorder messages", "queue"], open)
        .when(has_message),
    command("queue.delete", "Delete queued message", &["remove message"], delete).when(has_list),
    command("queue.move-up", "Move queued message up", &["reorder"], |cx| shift(cx, true)).when(has_list),
    command("queue.move-down", "Move queued message down", &["reorder"], |cx| shift(cx, false))
        .when(has_list),
    command(
        "queue.toggle-delivery",
        "Toggle delivery of message",
        &["deliver after turn", "later", "steer"],
        |cx| {
            toggle_delivery(cx);
        },
    )
    .when(has_list),
];

/// A message is queued.
fn has_message(state: &State) -> Result<(), Reason> {
    let agent = &state.agent;
    let has_one = !agent.steering.is_empty() || !agent.follow_up.is_empty();
    condition::require(has_one, Reason::new("No queued messages"))
}

/// The list of queued messages is open.
fn has_list(state: &State) -> Result<(), Reason> {
    let closed = Reason::new("Queued messages are not shown").with_remedy("Show them", "agent.edit-queue");
    condition::layer::<QueueView>(state, closed)
}

/// What the task is doing, for its message.
const TAKE: &str = "take the queued message back";
/// The message if there is none to take back.
const DELIVERED: &str = "The message was already delivered";

fn open(cx: &mut Cx<'_>) {
    if cx.state.agent.steering.is_empty() && cx.state.agent.follow_up.is_empty() {
        return cx.state.set_status("No queued messages");
    }
    cx.state.push_layer(QueueView::default());
}

/// Moves the selection.
pub fn step(cx: &mut Cx<'_>, by: isize) {
    let count = cx.state.agent.steering.len() + cx.state.agent.follow_up.len();
    let Some(view) = cx.state.layers.top_mut::<QueueView>() else { return };
    view.selected = view.selected.saturating_add_signed(by).min(count.saturating_sub(1));
    cx.state.damage.add_all();
}

/// Puts the selected message into the prompt, and closes the list.
pub fn edit(cx: &mut Cx<'_>) {
    let Some(message) = selected(cx) else { return };
    cx.state.pop_layer();
    panes::focus(cx, Focus::Agent);
    remove(cx, message, |cx, taken| {
        if taken.is_empty() {
            return cx.state.set_status(DELIVERED);
        }
        take_back::restore_to_prompt(cx, taken);
    });
}

fn delete(cx: &mut Cx<'_>) {
    let Some(message) = selected(cx) else { return };
    remove(cx, message, |cx, removed| {
        if removed.is_empty() {
            return cx.state.set_status(DELIVERED);
        }
        let texts = removed.iter().map(|message| crate::llm::model::message::join_text(&message.content));
        // It can be recalled like a message that was sent.
        cx.state.prompt.history.extend(texts);
        cx.state.set_status("Deleted the queued message. Recall: Up in the prompt");
    });
}

fn remove(
    cx: &mut Cx<'_>,
    message: QueuedMessage,
    done: fn(&mut Cx<'_>, Vec<crate::llm::model::UserMessage>),
) {
    take_from_list(cx, &message);
    let Some(taken) = cx.session.map(|session| session.take_queued(message)) else { return };
    // A session that has ended has no queues.
    let taken = async move { taken.await.unwrap_or_default() };
    cx.tasks.spawn("queue.take", taken, move |cx, taken| {
        if let Some(taken) = answer_or_error(cx, TAKE, taken) {
            done(cx, taken);
        }
    });
}

/// Returns the shown list of a queue.
fn list(agent: &mut Agent, delivery: Delivery) -> &mut Vec<String> {
    match delivery {
        Delivery::Steer => &mut agent.steering,
        Delivery::FollowUp => &mut agent.follow_up,
    }
}

fn take_from_list(cx: &mut Cx<'_>, message: &QueuedMessage) {
    list(&mut cx.state.agent, message.delivery).remove(message.index);
    cx.state.damage.add_all();
}

/// Moves a message to an index of a queue, there and on the screen.
fn move_message(cx: &mut Cx<'_>, message: QueuedMessage, (to, index): (Delivery, usize)) {
    take_from_list(cx, &message);
    let list = list(&mut cx.state.agent, to);
    list.insert(index.min(list.len()), message.text.clone());
    if let Some(session) = cx.session {
        session.move_queued(message, to, index);
    }
}

/// Closes the list if no message is queued any more.
pub fn close_if_empty(cx: &mut Cx<'_>) {
    let agent = &cx.state.agent;
    if agent.steering.is_empty() && agent.follow_up.is_empty() && cx.state.layers.top::<QueueView>().is_some()
    {
        cx.state.pop_layer();
    }
}

/// Moves the selected message by one place; beyond the end of its queue into the other one.
fn shift(cx: &mut Cx<'_>, up: bool) {
    let Some(message) = selected(cx) else { return };
    let (steering, follow_up) = (cx.state.agent.steering.len(), cx.state.agent.follow_up.len());
    let to = match (message.delivery, up, message.index) {
        (Delivery::Steer, true, 0) => return,
        (Delivery::FollowUp, true, 0) => (Delivery::Steer, steering),
        (delivery, true, index) => (delivery, index - 1),
        (Delivery::Steer, false, index) if index + 1 == steering => (Delivery::FollowUp, 0),
        (Delivery::FollowUp, false, index) if index + 1 == follow_up => return,
        (delivery, false, index) => (delivery, index + 1),
    };
    // Between the queues the place in the list stays the same.
    let is_other_queue = to.0 != message.delivery;
    move_message(cx, message, to);
    if !is_other_queue {
        step(cx, if up { -1 } else { 1 });
    }
}

/// Delivers the selected message at the other point: as the last before, or as the first after.
fn toggle_delivery(cx: &mut Cx<'_>) {
    let Some(message) = selected(cx) else { return };
    let steering = cx.state.agent.steering.len();
    let (to, at) = match message.delivery {
        Delivery::Steer => (Delivery::FollowUp, 0),
        Delivery::FollowUp => (Delivery::Steer, steering),
    };
    let place = match to {
        Delivery::Steer => steering,
        Delivery::FollowUp => steering.saturating_sub(1),
    };
    move_message(cx, message, (to, at));
    if let Some(view) = cx.state.layers.top_mut::<QueueView>() {
        view.selected = place;
    }
}

/// Returns the selected message of the open list.
fn selected(cx: &mut Cx<'_>) -> Option<QueuedMessage> {
    let Some(view) = cx.state.layers.top::<QueueView>() else {
        let open = cx.state.how_to("agent.edit-queue");
        cx.state.set_status(format!("Open the list of queued messages first: {open}"));
        return None;
    };
    view.current(&cx.state.agent)
}
