//! What the cards of calls show of the subagents that they started, and the limits of a subagent's
//! conversation. Must not know who shows that conversation.

use std::time::Duration;

use crate::agent::event::AgentEvent;
use crate::ide::features::transcript::items::timing::CallTimer;
use crate::ide::features::transcript::items::{Call, Item, ItemKind, Transcript};
use crate::llm::model::Message;
use crate::tools::contract::registry::Registry;
use crate::tools::contract::view::{CallKind, ResultView};

/// Maximum bytes of the last call that are kept.
const CALL_BYTES: usize = 400;

/// A subagent: names are used again once one has ended, and by subagents of subagents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentId {
    /// Its name.
    pub agent: String,
    /// The call that started it.
    pub call_id: String,
}

/// What a card shows of a subagent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentProgress {
    /// Which.
    pub id: AgentId,
    /// Number of its calls.
    pub calls: usize,
    /// Tokens in its conversation.
    pub tokens: u64,
    /// Its last call.
    pub last_call: String,
    /// Whether it works.
    pub is_running: bool,
    /// The time that it has worked.
    pub timer: CallTimer,
    /// The whole seconds of it that are shown.
    pub seconds: u64,
}

impl AgentProgress {
    fn new(id: &AgentId) -> Self {
        let (last_call, timer) = (String::new(), CallTimer::default());
        Self { id: id.clone(), calls: 0, tokens: 0, last_call, is_running: false, timer, seconds: 0 }
    }

    /// Handles an event; returns whether anything visible changed.
    fn apply(&mut self, event: &AgentEvent, tools: &Registry, now: Duration) -> bool {
        match event {
            AgentEvent::AgentStart => self.set_running(true, now),
            AgentEvent::AgentEnd { .. } => self.set_running(false, now),
            AgentEvent::ToolStart { tool, args, .. } => {
                self.calls += 1;
                let view =
                    tools.find_for_display(tool).map(|known| known.call_view(args)).unwrap_or_default();
                let title = view.title.lines().next().unwrap_or_default();
                let title = &title[..title.floor_char_boundary(CALL_BYTES)];
                self.last_call = match view.kind {
                    CallKind::Command => title.to_string(),
                    _ => format!("{tool} {title}"),
                };
            }
            AgentEvent::MessageEnd(message) => match &**message {
                Message::Assistant(answer) if answer.usage.total_tokens > 0 => {
                    self.tokens = answer.usage.total_tokens;
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    fn set_running(&mut self, is_running: bool, now: Duration) {
        self.is_running = is_running;
        self.timer.set_running(is_running, now);
        self.seconds = self.timer.elapsed(now).as_secs();
    }
}

impl Transcript {
    /// Handles an event of a subagent if a call here started it; returns whether anything visible changed.
    pub fn apply_subagent(
        &mut self,
        id: &AgentId,
        event: &AgentEvent,
        tools: &Registry,
        now: Duration,
    ) -> bool {
        // The others are many, and say nothing that the card shows.
        let is_counted = matches!(
            event,
            AgentEvent::AgentStart
                | AgentEvent::AgentEnd { .. }
                | AgentEvent::ToolStart { .. }
                | AgentEvent::MessageEnd(_)
        );
        if !is_counted {
            return false;
        }
        let started = |item: &&mut Item| starter(item).is_some_and(|call| is_of(call, id));
        let Some(item) = self.items.iter_mut().rev().find(started) else { return false };
        let ItemKind::Tool(call) = &mut item.kind else { return false };
        let agent = call.agent.get_or_insert_with(|| Box::new(AgentProgress::new(id)));
        if !agent.apply(event, tools, now) {
            return false;
        }
        let (is_running, item_id) = (agent.is_running, item.id);
        item.version += 1;
        if is_running && !self.running.contains(&item_id) {
            self.running.push(item_id);
        }
        true
    }

    /// Returns the title of a subagent's task, and what is known of it.
    pub fn agent(&self, id: &AgentId) -> Option<(&str, &AgentProgress)> {
        let call = self.items.iter().rev().filter_map(starter).find(|call| is_of(call, id))?;
        Some((call.view.title.lines().next().unwrap_or_default(), call.agent.as_deref()?))
    }

    /// Drops the first items beyond these limits; returns how many.
    pub fn limit(&mut self, items: usize, bytes: usize) -> usize {
        let (mut kept, mut sum) = (0, 0);
        for item in self.items.iter().rev() {
            sum += size(item);
            if kept == items || sum > bytes && kept > 0 {
                break;
            }
            kept += 1;
        }
        let dropped = self.items.len() - kept;
        self.items.drain(..dropped);
        self.streaming.retain_mut(|(_, at)| at.checked_sub(dropped).map(|new| *at = new).is_some());
        dropped
    }
}

/// Returns the call of an item that may have started a subagent.
fn starter(item: &Item) -> Option<&Call> {
    match &item.kind {
        ItemKind::Tool(call) if call.view.kind == CallKind::Agent => Some(call),
        _ => None,
    }
}

/// Whether a call started this subagent: an id may be used again by a later call, which then has its own.
fn is_of(call: &Call, id: &AgentId) -> bool {
    call.call_id == id.call_id && call.agent.as_ref().is_none_or(|agent| agent.id == *id)
}

/// Returns about how many bytes an item holds.
fn size(item: &Item) -> usize {
    match &item.kind {
        ItemKind::User(text)
        | ItemKind::Answer(text)
        | ItemKind::Thinking(text)
        | ItemKind::Notice { text, .. }
        | ItemKind::Summary { text, .. } => text.len(),
        ItemKind::Image(image) => image.size(),
        ItemKind::Tool(call) => {
            let images: usize = call.images.iter().map(|image| image.size()).sum();
            let result = match &call.result {
                Some(
                    ResultView::Text(text) | ResultView::Output(text) | ResultView::Excerpt { text, .. },
                ) => text.len(),
                Some(ResultView::Hits { text, .. }) => text.len() * 2,
                Some(ResultView::Diff { lines, .. }) => {
                    lines.iter().flatten().map(|line| line.text.len() + 64).sum()
                }
                Some(ResultView::Diffs(files)) => files
                    .iter()
                    .flat_map(|file| file.lines.iter().flatten())
                    .map(|line| line.text.len() + 64)
                    .sum(),
                Some(ResultView::Plan(_)) | None => 0,
            };
            result
                + images
                + call.live_output.len()
                + call.view.title.len()
                + call.view.body.as_ref().map_or(0, String::len)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ide::features::transcript::items::CallStatus;
    use crate::llm::model::StreamEvent;
    use crate::tools::contract::view::CallView;

    const SECOND: Duration = Duration::from_secs(1);

    fn started_by(call_id: &str) -> ItemKind {
        let view = CallView { kind: CallKind::Agent, title: "look".to_string(), ..CallView::default() };
        ItemKind::Tool(Box::new(Call::new(
            call_id.to_string(),
            "spawn".to_string(),
            view,
            CallStatus::Done(None),
        )))
    }

    #[test]
    fn transcript_subagent_of_reused_call_id_has_its_own_card() {
        let (mut transcript, tools) = (Transcript::default(), Registry::new());
        let id = |agent: &str| AgentId { agent: agent.to_string(), call_id: "c".to_string() };
        let end = AgentEvent::AgentEnd { aborted: false, error: None };
        for agent in ["one", "two"] {
            transcript.add(started_by("c"));
            assert!(transcript.apply_subagent(&id(agent), &AgentEvent::AgentStart, &tools, SECOND));
        }
        assert!(
            transcript.apply_subagent(&id("one"), &end, &tools, SECOND * 8),
            "though it is in the background"
        );
        let shown = |agent: &str| {
            let (title, progress) = transcript.agent(&id(agent)).unwrap();
            (title.to_string(), progress.is_running, progress.seconds)
        };
        assert_eq!((shown("one"), shown("two")), (("look".into(), false, 7), ("look".into(), true, 0)));
        assert_eq!(transcript.time_deadline(), Some(SECOND * 2), "the one that works");
    }

    #[test]
    fn transcript_limit_drops_first_items_and_goes_on_streaming() {
        let mut transcript = Transcript::default();
        for n in 0..20 {
            transcript.notice(false, n.to_string());
        }
        let stream = |transcript: &mut Transcript, event| {
            transcript.apply(&AgentEvent::MessageUpdate(Arc::new(event)), &Registry::new());
        };
        stream(&mut transcript, StreamEvent::TextStart { index: 0 });
        assert_eq!((transcript.limit(5, 1 << 20), transcript.items().len()), (16, 5));
        stream(&mut transcript, StreamEvent::TextDelta { index: 0, delta: "x".repeat(100) });
        let ItemKind::Answer(text) = &transcript.items()[4].kind else { panic!("not the answer") };
        assert_eq!(text.len(), 100);
        assert_eq!((transcript.limit(5, 50), transcript.items().len()), (4, 1), "the newest stays");
    }
}
