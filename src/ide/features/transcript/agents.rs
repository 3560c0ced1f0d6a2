//! Conversations of subagents: kept while they work and for some time after, and shown in the place of the main
//! one, read-only. Must not know how subagents are started.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::time::Duration;

use crate::agent::event::AgentEvent;
use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::damage::Part;
use crate::ide::core::panes::AgentPart;
use crate::ide::core::slots::{Slot, Slots};
use crate::ide::core::state::State;
use crate::ide::features::transcript::focus;
use crate::ide::features::transcript::items::subagents::AgentId;
use crate::ide::features::transcript::items::{Item, ItemKind, TRANSCRIPT, Transcript};
use crate::ide::features::transcript::view::{TRANSCRIPT_VIEW, TranscriptView};
use crate::tools::contract::registry::Registry;

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("transcript.open-subagent", "Open subagent conversation", &["show subagent"], |cx| {
        if !open_focused(cx) {
            cx.state.set_status("No conversation of a subagent is held here");
        }
    }),
    command("transcript.close-subagent", "Close subagent conversation", &["back to main agent"], |cx| {
        if !close(cx.state) {
            cx.state.set_status("No subagent is shown");
        }
    }),
];

/// Maximum number of conversations that are held.
const AGENTS_MAX: usize = 12;
/// Maximum number of items of a conversation; the first ones are dropped.
const ITEMS_MAX: usize = 300;
/// Maximum bytes of a conversation.
const BYTES_MAX: usize = 2 << 20;

/// Slot of the feature's state.
pub const AGENTS: Slot<Agents> = Slot::new();

/// The conversations of subagents.
#[derive(Default)]
pub struct Agents {
    /// The one that began last is the last.
    all: VecDeque<Conversation>,
    /// The one that is shown.
    shown: Option<AgentId>,
    /// How that is shown.
    view: RefCell<TranscriptView>,
}

struct Conversation {
    id: AgentId,
    transcript: Transcript,
    is_running: bool,
}

impl Agents {
    fn get(&self, id: &AgentId) -> Option<&Conversation> {
        self.all.iter().find(|one| one.id == *id)
    }

    fn shown_mut(&mut self) -> Option<&mut Conversation> {
        let id = self.shown.as_ref()?;
        self.all.iter_mut().find(|one| one.id == *id)
    }

    fn get_or_begin(&mut self, id: &AgentId) -> &mut Conversation {
        let at = self.all.iter().position(|one| one.id == *id).unwrap_or_else(|| {
            self.make_room();
            let transcript = Transcript::default();
            self.all.push_back(Conversation { id: id.clone(), transcript, is_running: true });
            self.all.len() - 1
        });
        &mut self.all[at]
    }

    /// Drops a conversation for another one: the oldest that has ended and is not shown.
    fn make_room(&mut self) {
        if self.all.len() < AGENTS_MAX {
            return;
        }
        let is_shown = |one: &Conversation| Some(&one.id) == self.shown.as_ref();
        let ended = self.all.iter().position(|one| !one.is_running && !is_shown(one));
        let oldest = ended.or_else(|| self.all.iter().position(|one| !is_shown(one)));
        self.all.remove(oldest.unwrap_or(0));
    }
}

/// Returns the conversation that is shown, and how.
pub fn shown(slots: &Slots) -> (&Transcript, &RefCell<TranscriptView>) {
    let agents = &slots[AGENTS];
    match agents.shown.as_ref().and_then(|id| agents.get(id)) {
        Some(one) => (&one.transcript, &agents.view),
        None => (&slots[TRANSCRIPT], &slots[TRANSCRIPT_VIEW]),
    }
}

/// Returns the subagents that are held, the last one first: name, task, and whether it works.
pub fn all(state: &State) -> impl Iterator<Item = (&str, &str, bool)> {
    state.slots[AGENTS].all.iter().rev().map(|one| {
        let task = state.slots[TRANSCRIPT].agent(&one.id).map_or("", |(title, _)| title);
        (one.id.agent.as_str(), task, one.is_running)
    })
}

/// Returns whether the conversation of a subagent is shown.
pub fn is_shown(slots: &Slots) -> bool {
    slots[AGENTS].shown.as_ref().is_some_and(|id| slots[AGENTS].get(id).is_some())
}

/// Returns the row above a subagent's conversation, if one is shown.
pub fn heading(state: &State) -> Option<String> {
    let id = state.slots[AGENTS].shown.as_ref()?;
    state.slots[AGENTS].get(id)?;
    let cards = state.slots[TRANSCRIPT].agent(id).map(|(title, _)| title);
    Some(format!("‹ {} · read-only · Escape: back", cards.unwrap_or(&id.agent)))
}

/// Handles an event of a subagent.
pub fn on_event(cx: &mut Cx<'_>, id: &AgentId, event: &AgentEvent) {
    let (now, state) = (cx.now, &mut *cx.state);
    let tools: &Registry = &state.tools;
    let is_shown = state.slots[AGENTS].shown.as_ref() == Some(id);
    let one = state.slots[AGENTS].get_or_begin(id);
    match event {
        AgentEvent::AgentStart => one.is_running = true,
        AgentEvent::AgentEnd { .. } => one.is_running = false,
        _ => {}
    }
    one.transcript.set_now(now);
    let mut is_changed = one.transcript.apply(event, tools) && is_shown;
    let dropped = match event {
        AgentEvent::MessageEnd(_) | AgentEvent::ToolEnd { .. } => one.transcript.limit(ITEMS_MAX, BYTES_MAX),
        _ => 0,
    };
    if dropped > 0 && is_shown {
        state.slots[AGENTS].view.get_mut().shift(0, dropped);
    }
    // The call may be one of another subagent.
    is_changed |= state.slots[TRANSCRIPT].apply_subagent(id, event, tools, now)
        || state.slots[AGENTS].all.iter_mut().any(|one| one.transcript.apply_subagent(id, event, tools, now));
    if is_changed {
        state.damage.add(Part::Transcript);
    }
}

/// Starts and stops the timers of calls in all conversations.
pub fn update_timers(state: &mut State, now: Duration, waits: impl Fn(&str) -> bool) {
    for one in &mut state.slots[AGENTS].all {
        one.transcript.update_timers(now, &waits);
    }
}

/// Updates the times in the conversation that is shown; returns whether one changed.
pub fn update_times(state: &mut State, now: Duration) -> bool {
    state.slots[AGENTS].shown_mut().is_some_and(|one| one.transcript.update_times(now))
}

/// Drops all conversations: another session is shown.
pub fn clear(state: &mut State) {
    state.slots[AGENTS] = Agents::default();
}

/// Shows the main conversation again; returns whether another one was shown.
pub fn close(state: &mut State) -> bool {
    let was_shown = is_shown(&state.slots);
    let agents = &mut state.slots[AGENTS];
    agents.shown = None;
    *agents.view.get_mut() = TranscriptView::default();
    if was_shown {
        state.damage.add(Part::Transcript);
    }
    was_shown
}

/// Opens the conversation of the subagent whose card has the keys; returns whether there is one.
pub fn open_focused(cx: &mut Cx<'_>) -> bool {
    let Some(at) = focus::focused(cx.state) else { return false };
    let id = shown(&cx.state.slots).0.items().get(at).and_then(agent_of);
    id.is_some_and(|id| open(cx, id))
}

/// Returns the subagent that a card is about.
pub fn agent_of(item: &Item) -> Option<AgentId> {
    match &item.kind {
        ItemKind::Tool(call) => call.agent.as_ref().map(|agent| agent.id.clone()),
        _ => None,
    }
}

/// Shows the conversation of a subagent, with the keys in it; returns whether it is still held.
pub fn open(cx: &mut Cx<'_>, id: AgentId) -> bool {
    let agents = &mut cx.state.slots[AGENTS];
    if agents.get(&id).is_none() {
        return false;
    }
    agents.shown = Some(id);
    *agents.view.get_mut() = TranscriptView::default();
    cx.state.damage.add(Part::Transcript);
    focus::focus(cx);
    // Also one that has said nothing yet.
    cx.state.panes.agent_part = AgentPart::Transcript;
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transcript_agents_are_bounded_and_running_ones_stay() {
        let id = |n: usize| AgentId { agent: format!("agent_{n}"), call_id: String::new() };
        let mut agents = Agents::default();
        for n in 0..100 {
            agents.get_or_begin(&id(n)).is_running = n == 3;
            if n == 5 {
                agents.shown = Some(id(5));
            }
            assert!(agents.all.len() <= AGENTS_MAX);
        }
        assert!([3, 5, 98, 99].iter().all(|n| agents.get(&id(*n)).is_some()));
        assert!(agents.get(&id(4)).is_none() && agents.shown_mut().is_some());
        for n in 100..200 {
            agents.get_or_begin(&id(n));
        }
        assert!(
            agents.all.len() == AGENTS_MAX && agents.get(&id(5)).is_some(),
            "what is shown stays even then"
        );
    }
}
