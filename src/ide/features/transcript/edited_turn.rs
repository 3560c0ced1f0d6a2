//! A message that is edited to be sent again, and the state before that: the conversation and the prompt as they
//! were. Must not know how the conversation is drawn.

use crate::base::error::Report;
use crate::ide::core::context::{Cx, success_or_error};
use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::model::draft::Draft;
use crate::runtime::BranchSummaryChoice;
use crate::runtime::history::navigation::NavigationTarget;
use crate::session::derived::outline::Filter;

/// Its slot.
pub const EDITED_TURN: Slot<EditedTurn> = Slot::new();

/// The message that is edited, if any.
#[derive(Debug, Default)]
pub struct EditedTurn {
    /// Whether the conversation was moved to the message. The next move is another one.
    is_moved: bool,
    before: Option<StateBefore>,
}

/// How the conversation and the prompt were.
#[derive(Debug)]
pub struct StateBefore {
    /// The last entry of the conversation.
    pub from: String,
    /// The last entry before the edited message, if there is one.
    pub here: Option<String>,
    /// The unsent message.
    pub draft: Draft,
}

/// Notes that the conversation is about to be moved to a message. If one is edited already, the state before that one
/// stays the one to go back to.
pub fn begin(state: &mut State) {
    state.slots[EDITED_TURN].is_moved = false;
}

/// Notes the state before the message was put into the prompt.
pub fn set(state: &mut State, now: StateBefore) {
    let edited = &mut state.slots[EDITED_TURN];
    edited.before = Some(match edited.before.take() {
        Some(first) => StateBefore { here: now.here, ..first },
        None => now,
    });
}

/// The message was sent: returns the unsent one that it stood in place of.
pub fn finish(state: &mut State) -> Option<Draft> {
    std::mem::take(&mut state.slots[EDITED_TURN]).before.map(|before| before.draft)
}

/// Returns whether a sent message is edited.
pub fn is_editing(state: &State) -> bool {
    state.slots[EDITED_TURN].before.is_some()
}

/// The conversation continues at another entry.
pub fn on_conversation_replaced(cx: &mut Cx<'_>, is_other_session: bool) {
    let edited = &mut cx.state.slots[EDITED_TURN];
    if std::mem::replace(&mut edited.is_moved, true)
        && let Some(before) = edited.before.take()
    {
        // The unsent message is not lost: the prompt of another session has its own.
        if is_other_session {
            cx.state.prompt.push_history(before.draft.text.to_string());
        } else {
            cx.state.prompt.set_draft(before.draft, cx.now_ms);
        }
    }
}

/// Goes back to the conversation and the prompt as they were. Returns whether a message was edited.
pub fn cancel(cx: &mut Cx<'_>) -> bool {
    if cx.state.agent.working_since.is_some() {
        return false;
    }
    let Some(before) = cx.state.slots[EDITED_TURN].before.take() else { return false };
    cx.state.damage.add(Part::Prompt);
    let Some(session) = cx.session.cloned() else { return false };
    let (from, here) = (before.from.clone(), before.here.clone());
    let work = async move {
        if session.outline(Filter::All).await?.leaf().map(str::to_string) != here {
            return Err(Report::new("The conversation has gone on").hint("the session tree shows all turns"));
        }
        session.go_with(NavigationTarget::After(from), BranchSummaryChoice::None).await
    };
    cx.tasks.spawn("transcript.cancel-edit", work, |cx, moved| {
        let moved = success_or_error(cx, "go back to the conversation", moved);
        // The prompt is as before in any case: nothing else has the unsent message.
        let typed = cx.state.prompt.area.text().to_string();
        cx.state.prompt.set_draft(before.draft, cx.now_ms);
        cx.state.prompt.push_history(typed);
        if moved.is_some() {
            cx.state.set_status("Canceled. The edited text is in the history: Up");
        }
        cx.state.damage.add_all();
    });
    true
}
