//! Commands on summaries: compact the conversation, read the summary that counts, change it.

use crate::ide::core::context::{Command, Cx, command};
use crate::ide::core::effect::Effect;

/// Begins a prompt that is another text for the summary.
pub const SUMMARY_WORD: &str = "/summary";

/// The area's rows.
pub const COMMANDS: &[Command] = &[
    command("agent.compact", "Sum up the older part of the conversation", |cx| compact(cx, None)),
    command("agent.show-summary", "Show the summary of what was said before", |cx| summary(cx, false)),
    command("agent.edit-summary", "Change the summary of what was said before", |cx| summary(cx, true)),
];

/// Puts another text in place of the summary that counts; without one it is brought into the prompt first.
pub fn change(cx: &mut Cx<'_>, text: &str) {
    if text.is_empty() {
        summary(cx, true);
    } else {
        cx.effects.push(Effect::EditSummary(text.to_string()));
    }
}

pub fn compact(cx: &mut Cx<'_>, about: Option<String>) {
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
