//! Rules for tool calls; the session stores and reads them.

use std::sync::Arc;

use crate::ide::core::context::{Cx, answer_or_error, ask_session};
use crate::runtime::Handle;

/// Adds a rule, in file syntax, to the user's file.
pub fn add_rule(cx: &Cx<'_>, rule: String) {
    let work = |session: Handle| async move { session.remember_rule(&rule).await };
    ask_session(cx, "permissions.remember", "save the rule", work, |cx, message| {
        cx.state.set_status(message);
    });
}

/// Reads the rule files again; `now` is the digest of the project that is trusted until the program ends.
pub fn reload(cx: &Cx<'_>, now: Option<Arc<str>>) {
    let Some(session) = cx.session.cloned() else { return };
    let read = async move { session.reload_rules(now.as_deref()).await };
    cx.tasks.spawn("permissions.reread", read, |cx, read| {
        if let Some(message) = answer_or_error(cx, "read the rules again", read) {
            cx.state.set_status(message);
        }
    });
}
