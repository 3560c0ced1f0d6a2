//! What is reported while another window has the focus. Must not know how a terminal shows it.

use crate::ide::core::context::{Cx, Notification};
use crate::ide::core::feature::FeatureEvent;

/// Reacts to a fact: notifies if the window has no focus.
pub fn notify(cx: &mut Cx<'_>, fact: FeatureEvent) {
    if cx.state.is_window_focused {
        return;
    }
    let text = match fact {
        FeatureEvent::AgentEnded { is_failed: true } => "The agent failed",
        FeatureEvent::AgentEnded { is_failed: false } => "The agent is done",
        FeatureEvent::AgentAsks => "The agent asks",
        _ => return,
    };
    let folder =
        cx.state.workspace.file_name().map_or_else(String::new, |name| name.to_string_lossy().into());
    let session = cx.state.agent.title().unwrap_or("bowline");
    cx.ui.notification =
        Some(Notification { title: format!("{folder} · {session}"), text: text.to_string() });
}
