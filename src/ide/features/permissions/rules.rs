//! Rules for tool calls, as the session keeps and reads them.

use std::sync::Arc;

use crate::ide::core::context::{Cx, answered, ask_session};
use crate::runtime::Handle;

/// Adds a rule, in the form of its file, to the user's file.
pub fn remember(cx: &Cx<'_>, rule: String) {
    let work = |session: Handle| async move { session.remember(&rule).await };
    ask_session(cx, "permissions.remember", "save the rule", work, |cx, said| cx.state.say(said));
}

/// Reads the files of rules again; `now` is the digest of what is trusted until the program ends.
pub fn reread(cx: &Cx<'_>, now: Option<Arc<str>>) {
    let Some(session) = cx.session.cloned() else { return };
    let read = async move { session.reread_rules(now.as_deref()).await };
    cx.tasks.spawn("permissions.reread", read, |cx, read| {
        if let Some(said) = answered(cx, "read the rules again", read) {
            cx.state.say(said);
        }
    });
}
