//! Runs one tool call without a model or a conversation, through the same validation, rules, approval and
//! limits as a model's call.
//!
//! Must not know the caller, nor how the result is displayed. Needs no key; only `approval` may ask the user.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::agent::profiles::PROFILES;
use crate::base::error::Report;
use crate::llm::model::ToolCall;
use crate::runtime::agent_setup::permissions;
use crate::runtime::agent_setup::toolset::{ActiveTools, Toolset};
use crate::runtime::lifecycle::options::Options;
use crate::runtime::lifecycle::owner::{COMMANDS_GRACE, end_servers};
use crate::runtime::lifecycle::start;
use crate::runtime::models::access;
use crate::runtime::models::choice;
use crate::session::derived::recent::ModelChoice;
use crate::tools::files::state::ReadFirst;
use crate::tools::running::PublishedJobs;
use crate::tools::{Outcome, Registry, execute};

/// Owner of stored outputs that are too long, in place of a session's id. The next call finds them there.
const OUTPUT_OWNER: &str = "tool";

/// The result of a call.
#[derive(Debug)]
pub struct CallResult {
    /// The outcome as a model and front ends get it.
    pub outcome: Outcome,
    /// Duration, including time for questions.
    pub took: Duration,
    /// Problems in the rule files.
    pub problems: Vec<Report>,
}

/// Returns the tools that the default model would have, and problems in the user's files. Reads files.
pub fn tools(options: &Options) -> Result<(ActiveTools, Vec<Report>), Report> {
    let reached = access::load(options);
    let model = start::model_to_use(options, &reached, &ModelChoice::default())?;
    Ok((Toolset::new(options, &model)?.active_tools(), reached.problems))
}

/// Fails on an unknown tool name, with a message that lists the tools and the nearest names.
pub fn check_name(active_tools: &ActiveTools, name: &str, args: &Value) -> Result<(), Report> {
    let ActiveTools { profile, all, .. } = active_tools;
    if all.resolve(name, args).is_some() {
        return Ok(());
    }
    let there = format!("there are {}", all.names().collect::<Vec<_>>().join(", "));
    let with = |id: &&str| id != profile && Registry::of(id).entry(name).is_some();
    let others: Vec<String> =
        PROFILES.iter().map(|profile| profile.id).filter(with).map(|id| format!("--profile {id}")).collect();
    let near = choice::similar_names(name, all.names().map(str::to_string));
    let hint = match (&others[..], &near[..]) {
        ([], []) => there,
        ([], near) => format!("did you mean {}? {there}", near.join(" or ")),
        (others, _) => format!("{} has it; {there}", others.join(" or ")),
    };
    Err(Report::new(format!("no such tool in profile {profile}: {name}")).hint(hint))
}

/// Runs a call to its end, then stops the processes that it left running. Cancellation works as for other
/// calls.
pub async fn call(
    options: Options,
    tools: Registry,
    name: String,
    args: Value,
    cancel: CancellationToken,
) -> CallResult {
    // No file can have been read before a single call, so the read-first rule would refuse every edit.
    let options = Options { read_first: ReadFirst::Off, ..options };
    let (rules, problems) = permissions::load(&options, None).await.into_session_rules(&options);
    let shared = start::shared(&options, OUTPUT_OWNER, None, None, PublishedJobs::default());
    let context = start::context(&options, rules, shared);
    let call = ToolCall { id: options.ids.entry(), name, arguments: args, thought_signature: None };
    let began = options.clock.monotonic();
    let outcome = execute(&tools, &context, &call, cancel, Arc::new(|_| {})).await;
    let took = options.clock.monotonic().saturating_sub(began);
    context.shared.jobs.end_all(COMMANDS_GRACE).await;
    end_servers(&context.shared).await;
    CallResult { outcome, took, problems }
}

#[cfg(test)]
mod tests;
