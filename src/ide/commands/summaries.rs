//! Commands on summaries: compact the conversation, read the summary that counts, change it. Two of them are
//! words of the prompt, too: `/compact [about what]` and `/summary TEXT`.

use super::command::{Command, Cx, command};
use crate::ide::effect::Effect;

/// Begins a prompt that is to compact.
const COMPACT_WORD: &str = "/compact";
/// Begins a prompt that is another text for the summary.
pub const SUMMARY_WORD: &str = "/summary";

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.compact", "Sum up the older part of the conversation", |cx| compact(cx, None)),
    command("agent.show-summary", "Show the summary of what was said before", |cx| summary(cx, false)),
    command("agent.edit-summary", "Change the summary of what was said before", |cx| summary(cx, true)),
];

/// Does what the prompt says if it is one of the words; tells whether it was.
pub(super) fn typed(cx: &mut Cx<'_>) -> bool {
    let text = cx.state.prompt.area.text().to_string();
    let after = |word: &str| {
        let rest = text.trim_start().strip_prefix(word)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim().to_string())
    };
    if let Some(about) = after(COMPACT_WORD) {
        cx.state.prompt.take();
        compact(cx, Some(about).filter(|about| !about.is_empty()));
    } else if let Some(text) = after(SUMMARY_WORD) {
        cx.state.prompt.take();
        if text.is_empty() {
            summary(cx, true);
        } else {
            cx.effects.push(Effect::EditSummary(text));
        }
    } else {
        return false;
    }
    cx.state.damage.all();
    true
}

fn compact(cx: &mut Cx<'_>, about: Option<String>) {
    if !cx.state.agent.connected {
        return cx.state.say("the session is still starting; try again in a moment");
    }
    if cx.state.agent.summing.is_some() {
        return cx.state.say("that is being done already; Escape gives it up");
    }
    if cx.state.agent.working_since.is_some() {
        cx.state.say("the conversation is compacted before the agent's next request");
    }
    cx.effects.push(Effect::Compact(about));
}

fn summary(cx: &mut Cx<'_>, change: bool) {
    if !cx.state.agent.connected {
        return cx.state.say("the session is still starting; try again in a moment");
    }
    cx.effects.push(Effect::Summary(change));
}
