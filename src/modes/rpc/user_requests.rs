//! Approvals and user questions through the host UI bridge.
//!
//! Must not know how a question reaches the user. No answer counts as a refusal.

use futures::FutureExt;
use futures::future::BoxFuture;

use super::host_ui::HostUi;
use crate::tools::interaction::questions::{Answer, Question, Questions};
use crate::tools::permissions::approval::{Approval, Ask, Decision};

const ALLOW_ONCE: &str = "Run it once";
const ALLOW_SIMILAR: &str = "Run it, and those like it in this session";
const DENY: &str = "Do not run it";
/// The option for a free-text answer.
const OTHER_ANSWER: &str = "Something else";

async fn request_approval(ui: &HostUi, ask: Ask) -> Decision {
    let mut options = vec![ALLOW_ONCE];
    if ask.proposal.is_some() {
        options.push(ALLOW_SIMILAR);
    }
    options.push(DENY);
    let title = format!("{}: {}\n{}", ask.tool, ask.target, ask.rule);
    match (ui.select(&title, &options).await.as_deref(), ask.proposal) {
        (Some(ALLOW_ONCE), _) => Decision::Allow,
        (Some(ALLOW_SIMILAR), Some(proposal)) => Decision::AllowLike(proposal),
        (Some(_), _) => Decision::Deny("denied by user".to_string()),
        (None, _) => Decision::Deny(format!("nobody has allowed it (rule: {})", ask.rule)),
    }
}

async fn ask_question(ui: &HostUi, question: Question) -> Option<Answer> {
    let title = if question.header.is_empty() {
        question.text.clone()
    } else {
        format!("{}: {}", question.header, question.text)
    };
    let labels: Vec<&str> = question.options.iter().map(|choice| choice.label.as_str()).collect();
    if question.multiple && !labels.is_empty() {
        let title = format!("{title}\n{}", labels.join(", "));
        let text = ui.input(&title, Some("several, with commas")).await?;
        let parts = text.split(',').map(|part| part.trim().to_string());
        return Some(parts.filter(|part| !part.is_empty()).collect());
    }
    if !labels.is_empty() {
        let options: Vec<&str> = labels.into_iter().chain([OTHER_ANSWER]).collect();
        let chosen = ui.select(&title, &options).await?;
        if chosen != OTHER_ANSWER {
            return Some(vec![chosen]);
        }
    }
    Some(vec![ui.input(&title, Some(&question.placeholder)).await?])
}

impl Approval for HostUi {
    fn decide(&self, ask: Ask) -> BoxFuture<'static, Decision> {
        let ui = self.clone();
        async move { request_approval(&ui, ask).await }.boxed()
    }
}

impl Questions for HostUi {
    fn ask(&self, _call_id: &str, questions: Vec<Question>) -> BoxFuture<'static, Option<Vec<Answer>>> {
        let ui = self.clone();
        async move {
            let mut answers = Vec::with_capacity(questions.len());
            for question in questions {
                answers.push(ask_question(&ui, question).await?);
            }
            Some(answers)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests;
