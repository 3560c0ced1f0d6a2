//! Summaries of a session: writes compactions and branch summaries as entries, and edits them for the user.
//!
//! Must not know how summaries are generated, nor who displays them. Entries are only added; an edited
//! summary's old version stays in the tree.

use serde_json::Value;

use crate::base::json::json;

use crate::agent::compaction::branch::{self, BranchSummaryPlan};
use crate::agent::compaction::summary::{FinishedSummary, SummaryError};
use crate::agent::compaction::{Budget, CompactionPlan, plan};
use crate::agent::event::Compacted;
use crate::base::error::Report;
use crate::llm::model::Message;
use crate::runtime::history::navigation::agent_busy;
use crate::runtime::history::recorder::Recorder;
use crate::runtime::lifecycle::owner::LiveSession;
use crate::session::{AgentMessage, Entry, EntryBody, context::pins};

impl LiveSession {
    /// Returns the plan of a branch summary for a move to another entry, if there is something to summarize.
    pub(in crate::runtime) fn branch_summary_plan(&mut self, to: Option<&str>) -> Option<BranchSummaryPlan> {
        let model = self.driver.setup().model.clone();
        let budget = self.driver.config().compaction.budget(&model);
        branch::plan_branch_summary(self.driver.listener().session.tree(), to, budget)
    }

    /// Replaces the text of the active summary.
    pub(in crate::runtime) async fn edit_summary(&mut self, text: &str) -> Result<(), Report> {
        if self.driver.is_working() {
            return Err(agent_busy());
        }
        self.driver.listener().edit_summary(text)?;
        self.reload_history().await;
        Ok(())
    }
}

impl Recorder {
    pub(in crate::runtime) fn compaction_plan(&self, budget: Budget, tokens: u64) -> Option<CompactionPlan> {
        plan::plan_compaction(&self.session.tree().path(), budget, tokens)
    }

    /// Appends a compaction at the leaf, then copies of the pinned entries that would otherwise be lost.
    pub(in crate::runtime) async fn append_compaction(
        &mut self,
        done: &Compacted,
    ) -> Option<(String, Vec<Message>)> {
        let body = EntryBody::Compaction {
            summary: done.summary.clone(),
            first_kept_entry_id: done.first_kept.clone(),
            tokens_before: done.tokens_before,
            usage: done.usage.clone(),
            details: done.details.clone(),
            from_hook: done.from_hook.then_some(true),
            system_message: None,
        };
        let pinned = pins::pinned_copies(&self.session.tree().path(), &done.first_kept);
        let entry = self.append(body).await?;
        for copy in pinned {
            self.append(copy).await;
        }
        Some((entry, self.reload()))
    }

    /// Excludes the last answer on the path and the results of its calls from the context.
    pub(in crate::runtime) async fn exclude_answer(&mut self) -> Vec<Message> {
        let path = self.session.tree().path();
        let message = |entry: &&&Entry| entry.kind() == "message";
        let mut targets = Vec::new();
        for entry in path.iter().rev().filter(message) {
            let EntryBody::Message { message: AgentMessage::Llm(message) } = entry.body() else { break };
            if matches!(message, Message::User(_)) {
                break;
            }
            targets.push(entry.id().to_string());
            if matches!(message, Message::Assistant(_)) {
                break;
            }
        }
        for target_id in targets.into_iter().rev() {
            self.append(EntryBody::ContextEdit { target_id, replacement: None }).await;
        }
        self.reload()
    }

    /// Moves from one branch to another with a summary, or stays on failure.
    pub(in crate::runtime) fn finish_move(
        &mut self,
        branch_plan: &BranchSummaryPlan,
        summary: Result<&FinishedSummary, &SummaryError>,
    ) -> Option<Vec<Message>> {
        let moved = match summary {
            Ok(written) => self.append_branch_summary(branch_plan, written),
            Err(SummaryError::Failed(error)) => {
                Err(Report::new(format!("cannot summarize the branch: {error}"))
                    .hint("go there without a summary, or try again"))
            }
            Err(_) => Err(Report::new("summary canceled: nothing changed")),
        };
        let history = moved.is_ok().then(|| self.reload());
        self.finished_move = self.pending_move.take().map(|moving| (moving, moved));
        history
    }

    fn append_branch_summary(
        &mut self,
        branch_plan: &BranchSummaryPlan,
        written: &FinishedSummary,
    ) -> Result<(), Report> {
        let failed = |error| Report::caused("cannot go there", &error);
        self.session.branch(branch_plan.to.as_deref()).map_err(failed)?;
        let body = EntryBody::BranchSummary {
            from_id: Some(branch_plan.from.clone()),
            summary: written.text.clone(),
            usage: written.usage.clone(),
            details: written.details.clone(),
            from_hook: written.from_hook.then_some(true),
        };
        let stored = self.session.append(body);
        if stored.is_err() {
            // The move did not take place.
            self.session.branch(Some(&branch_plan.from)).map_err(failed)?;
        }
        stored.map(drop).map_err(failed)
    }

    /// Returns the summary that the user can edit: that of the active compaction, or of the branch whose
    /// summary is the leaf.
    pub(in crate::runtime) fn summary(&self) -> Option<String> {
        match self.summary_entry()?.body() {
            EntryBody::Compaction { summary, .. } | EntryBody::BranchSummary { summary, .. } => Some(summary),
            _ => None,
        }
    }

    fn summary_entry(&self) -> Option<&Entry> {
        let path = self.session.tree().path();
        let leaf = path.last().copied().filter(|entry| entry.kind() == "branch_summary");
        leaf.or_else(|| path.iter().rev().find(|entry| entry.kind() == "compaction").copied())
    }

    /// Adds an entry with the edited summary: for a compaction at the leaf, where it takes effect and keeps
    /// the same entries as the old one; for a branch as a sibling of the old one.
    fn edit_summary(&mut self, text: &str) -> Result<(), Report> {
        let failed = |error| Report::caused("cannot change the summary", &error);
        let none = || Report::new("no summary to change").hint("/compact makes one");
        let text = text.trim().to_string();
        if text.is_empty() {
            return Err(Report::new("a summary cannot be empty").hint("go back to before it instead (Alt-g)"));
        }
        let entry = self.summary_entry().ok_or_else(none)?;
        let parent = entry.parent_id().map(str::to_string);
        match entry.body() {
            EntryBody::Compaction { first_kept_entry_id, tokens_before, details, system_message, .. } => {
                let body = EntryBody::Compaction {
                    summary: text,
                    first_kept_entry_id,
                    tokens_before,
                    usage: None,
                    details: Some(mark_edited(details)),
                    from_hook: None,
                    system_message,
                };
                self.session.append(body).map_err(failed)?;
            }
            EntryBody::BranchSummary { from_id, details, .. } => {
                let before = entry.id().to_string();
                self.session.branch(parent.as_deref()).map_err(failed)?;
                let details = Some(mark_edited(details));
                let body = EntryBody::BranchSummary {
                    from_id,
                    summary: text,
                    usage: None,
                    details,
                    from_hook: None,
                };
                if let Err(error) = self.session.append(body) {
                    self.session.branch(Some(&before)).map_err(failed)?;
                    return Err(failed(error));
                }
            }
            _ => return Err(none()),
        }
        self.refresh();
        Ok(())
    }
}

/// Returns the details of a summary that a user edited.
fn mark_edited(details: Option<Value>) -> Value {
    let mut details = details.filter(Value::is_object).unwrap_or_else(|| json!({}));
    details["edited"] = json!(true);
    details
}
