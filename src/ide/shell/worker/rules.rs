//! Keeps a rule for tool calls, and has the session read the files of rules again.

use std::sync::Arc;

use crate::ide::core::event::Event;
use crate::ide::shell::worker::{Worker, failed};

impl Worker {
    /// Writes a rule to the person's file.
    pub(super) fn remember(&self, rule: String) {
        let Some(session) = self.session.clone() else { return };
        self.task(failed("keep the rule"), async move {
            match session.remember(&rule).await {
                Ok(said) => Event::Notice(said),
                Err(report) => Event::Failed(report.to_string()),
            }
        });
    }

    /// Reads the files again; `now` is the digest of what is trusted until the program ends.
    pub(super) fn reread_rules(&self, now: Option<Arc<str>>) {
        let Some(session) = self.session.clone() else { return };
        self.task(failed("read the rules again"), async move {
            Event::Notice(session.reread_rules(now.as_deref()).await)
        });
    }
}
