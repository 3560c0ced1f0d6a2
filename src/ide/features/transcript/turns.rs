//! Goes back to a turn of the conversation: sends its message again, puts it into the prompt, or branches
//! after it. Must not know how the tree of the session is drawn.

use crate::base::error::Report;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::panes::Focus;
use crate::ide::editor::commands::panes;
use crate::ide::features::transcript::edited_turn::{self, StateBefore};
use crate::ide::features::transcript::items::{ItemKind, TRANSCRIPT};
use crate::ide::model::draft::Draft;
use crate::llm::model::UserMessage;
use crate::llm::model::message::{KnownPart, Part, join_text};
use crate::runtime::history::navigation::NavigationTarget;
use crate::runtime::{BranchSummaryChoice, Delivery, Handle};
use crate::session::derived::outline::{Filter, Outline};
use crate::text::rope::Text;

/// What is done with a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnAction {
    /// Its message is sent again, in a new branch.
    Retry,
    /// Its message goes into the prompt; what is sent is a new branch.
    Edit,
    /// The conversation goes on after its end, in a new branch.
    Branch,
}

/// What a move to a turn has found.
struct Moved {
    /// The message of the turn.
    message: Option<UserMessage>,
    /// The last entry before the move.
    from: Option<String>,
    /// The last entry after it.
    here: Option<String>,
}

/// Letters by which a message is recognized.
const LETTERS: usize = 24;

/// Goes back to the turn of the item at an index.
pub fn go_back(cx: &mut Cx<'_>, item: usize, action: TurnAction) {
    if cx.state.agent.working_since.is_some() {
        return cx.state.set_status("Agent is working. Interrupt it first, or wait");
    }
    let items = cx.state.slots[TRANSCRIPT].items();
    let is_user = |kind: &ItemKind| matches!(kind, ItemKind::User(_));
    let Some(text) = items.iter().take(item + 1).rev().find_map(|item| match &item.kind {
        ItemKind::User(text) => Some(text.clone()),
        _ => None,
    }) else {
        return cx.state.set_status("No message of yours here");
    };
    // The path of the session has the same messages in the same order, counted from the end.
    let later = items.iter().skip(item + 1).filter(|item| is_user(&item.kind)).count();
    let work = move |session: Handle| async move {
        let outline = session.outline(Filter::All).await?;
        let target =
            find(&outline, later, action).ok_or_else(|| Report::new("No such turn in this session"))?;
        check(&session, &outline, later, &text).await?;
        let message = session.go_with(target, BranchSummaryChoice::None).await?;
        let here = session.outline(Filter::All).await?.leaf().map(str::to_string);
        Ok(Moved { message, from: outline.leaf().map(str::to_string), here })
    };
    edited_turn::begin(cx.state);
    ask_session(cx, "transcript.go-back", "go back to this turn", work, move |cx, moved| {
        on_moved(cx, moved, action);
    });
}

/// Returns where to go for a turn that `later` others follow.
fn find(outline: &Outline, later: usize, action: TurnAction) -> Option<NavigationTarget> {
    if action == TurnAction::Branch {
        outline.end_of_turn(later).map(|id| NavigationTarget::After(id.to_string()))
    } else {
        outline.turn(later).map(|id| NavigationTarget::To(id.to_string()))
    }
}

/// Checks that the turn in the session is the one on screen.
async fn check(session: &Handle, outline: &Outline, later: usize, text: &str) -> Result<(), Report> {
    let ids = outline.turn(later).map(str::to_string).into_iter().collect();
    let lines = session.entry_lines(ids).await?;
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).take(LETTERS).collect::<String>();
    let wanted = letters(text);
    // Messages without letters, such as pictures, cannot be told apart by them.
    if lines.iter().any(|(_, line)| wanted.is_empty() || letters(line) == wanted) {
        return Ok(());
    }
    Err(Report::new("The session has another message there").hint("the session tree shows all turns"))
}

fn on_moved(cx: &mut Cx<'_>, moved: Moved, action: TurnAction) {
    let Moved { message, from, here } = moved;
    panes::focus(cx, Focus::Agent);
    cx.state.damage.add_all();
    if action != TurnAction::Edit
        && let Some(draft) = edited_turn::finish(cx.state)
    {
        cx.state.prompt.set_draft(draft, cx.now_ms);
    }
    let Some(message) = message.filter(|_| action != TurnAction::Branch) else {
        return cx
            .state
            .set_status("New branch: the next message follows this turn. All turns: session tree");
    };
    let text = join_text(&message.content);
    let is_text = |part: &Part| matches!(part, Part::Known(KnownPart::Text { .. }));
    let attached: Vec<Part> = message.content.into_iter().filter(|part| !is_text(part)).collect();
    if action == TurnAction::Retry {
        if let Some(session) = cx.session {
            session.prompt(text, attached, Delivery::Steer);
        }
        return;
    }
    let draft = cx.state.prompt.draft();
    if edited_turn::is_editing(cx.state) {
        cx.state.prompt.push_history(draft.text.to_string());
    }
    if let Some(from) = from {
        edited_turn::set(cx.state, StateBefore { from, here, draft });
    }
    let edited = Draft { text: Text::from(text.as_str()), attached, ..Draft::default() };
    cx.state.prompt.set_draft(edited, cx.now_ms);
    cx.state.set_status("Edit and send: a new branch begins here. Escape cancels");
}
