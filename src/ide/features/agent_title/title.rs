//! The title of a session without a name: the beginning of its first message. Must not know how it is drawn.

use crate::base::error::Report;
use crate::base::width::visible;
use crate::ide::core::context::{Cx, ask_session};
use crate::ide::core::damage::Part;
use crate::ide::features::transcript::items::{ItemKind, TRANSCRIPT};
use crate::ide::model::agent::FirstMessage;

/// What failed, for the message when a task has no result.
const LIST: &str = "list sessions";
/// Maximum characters of a title.
const TITLE_MAX: usize = 100;

/// Takes the title from the first message once there is one. Where only the end of the conversation is here, the
/// list of sessions has it.
pub fn update(cx: &mut Cx<'_>) {
    let transcript = &cx.state.slots[TRANSCRIPT];
    if cx.state.agent.first_message != FirstMessage::Unknown || transcript.items().is_empty() {
        return;
    }
    if transcript.has_earlier() {
        return look_up(cx);
    }
    if let Some(title) = first_loaded(cx) {
        set(cx, title);
    }
}

/// Returns the beginning of the first message that is here.
fn first_loaded(cx: &Cx<'_>) -> Option<String> {
    cx.state.slots[TRANSCRIPT].items().iter().find_map(|item| match &item.kind {
        ItemKind::User(text) => Some(shortened(text)),
        _ => None,
    })
}

/// Forgets the title of the conversation before.
pub fn clear(cx: &mut Cx<'_>) {
    cx.state.agent.first_message = FirstMessage::Unknown;
    cx.state.damage.add(Part::AgentTitle);
}

fn look_up(cx: &mut Cx<'_>) {
    cx.state.agent.first_message = FirstMessage::Requested;
    let id = cx.state.agent.session.clone();
    let (sought, asked) = (id.clone(), id);
    ask_session(
        cx,
        "agent-title.look-up",
        LIST,
        move |session| async move {
            let sessions = session.sessions(false).await?;
            let found = sessions.iter().find(|listed| listed.summary.id == sought);
            Ok::<_, Report>(found.map(|listed| shortened(listed.summary.title())))
        },
        move |cx, found| {
            if cx.state.agent.session == asked
                && let Some(title) = found.or_else(|| first_loaded(cx))
            {
                set(cx, title);
            }
        },
    );
}

fn set(cx: &mut Cx<'_>, title: String) {
    cx.state.agent.first_message = FirstMessage::Known(title);
    cx.state.damage.add(Part::AgentTitle);
}

/// Returns the beginning of a message as one line that a terminal can show.
fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(TITLE_MAX / 2).collect();
    let line: String = words.join(" ").chars().take(TITLE_MAX).collect();
    visible(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_title_is_one_short_visible_line() {
        assert_eq!(shortened("  fix\n\tthe  loop\n"), "fix the loop");
        let hostile = shortened(&format!("a\u{1b}]0;x\u{7}{}", "b".repeat(1 << 20)));
        assert!(
            hostile.chars().count() < 2 * TITLE_MAX && !hostile.contains(char::is_control),
            "{hostile:?}"
        );
    }
}
