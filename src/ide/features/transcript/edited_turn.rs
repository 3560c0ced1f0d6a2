//! A message that is edited to be sent again, and the state before that: the conversation and the prompt as they
//! were. Must not know how the conversation is drawn.

use crate::base::error::Report;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::core::slots::Slot;
use crate::ide::core::state::State;
use crate::ide::model::draft::Draft;
use crate::runtime::history::navigation::NavigationTarget;
use crate::runtime::{BranchSummaryChoice, Handle};
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

/// Notes that the conversation is about to be moved to a message.
pub fn begin(state: &mut State) {
    state.slots[EDITED_TURN] = EditedTurn::default();
}

/// Notes the state before the message was put into the prompt.
pub fn set(state: &mut State, before: Option<StateBefore>) {
    state.slots[EDITED_TURN].before = before;
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
pub fn on_conversation_replaced(cx: &mut Cx<'_>) {
    let edited = &mut cx.state.slots[EDITED_TURN];
    if std::mem::replace(&mut edited.is_moved, true) {
        *edited = EditedTurn::default();
    }
}

/// Goes back to the conversation and the prompt as they were. Returns whether a message was edited.
pub fn cancel(cx: &mut Cx<'_>) -> bool {
    if cx.state.agent.working_since.is_some() {
        return false;
    }
    let Some(StateBefore { from, here, draft }) = cx.state.slots[EDITED_TURN].before.take() else {
        return false;
    };
    cx.state.damage.add(Part::Prompt);
    let work = |session: Handle| async move {
        if session.outline(Filter::All).await?.leaf().map(str::to_string) != here {
            return Err(Report::new("The conversation has gone on").hint("the session tree shows all turns"));
        }
        session.go_with(NavigationTarget::After(from), BranchSummaryChoice::None).await
    };
    ask_session(cx, "transcript.cancel-edit", "go back to the conversation", work, |cx, _| {
        let typed = cx.state.prompt.area.text().to_string();
        cx.state.prompt.set_draft(draft, cx.now_ms);
        cx.state.prompt.push_history(typed);
        cx.state.set_status("Canceled. The edited text is in the history: Up");
        cx.state.damage.add_all();
    });
    true
}
