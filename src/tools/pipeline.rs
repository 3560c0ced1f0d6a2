//! One call from the model's words to its result: found, checked, approved, run, limited.
//!
//! Must not know any tool. Whatever goes wrong becomes an outcome on which a model can act.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::approval::{Approval, Ask, Decision};
use super::limits;
use super::paths;
use super::policy::{self, Mode, Verdict};
use super::registry::Registry;
use super::rules::{Rules, Said};
use super::tool::{Invocation, Outcome, Progress, Tool, ToolClass};
use crate::exec::Environment;
use crate::llm::model::message::KnownPart;
use crate::llm::model::{Part, ToolCall};

/// Room above the tools' own limits for their notes.
const NOTES: usize = 4 * 1024;
/// Longest argument text that an error repeats, in bytes.
const ECHO_MAX: usize = 1000;

/// What all calls of a session share.
#[derive(Clone)]
pub struct Context {
    /// Where files and commands are.
    pub env: Arc<dyn Environment>,
    /// Who answers when a call is not allowed by itself.
    pub approval: Arc<dyn Approval>,
    /// Which calls those are.
    pub mode: Mode,
    /// What is allowed, asked about and forbidden whatever the mode says.
    pub rules: Arc<Rules>,
    /// Folder for outputs too long for the model.
    pub artifacts: PathBuf,
}

/// Runs one call. Never fails and never panics: an unknown tool, wrong arguments, a refusal or
/// a panic inside the tool is an outcome with `is_error`.
pub async fn execute(
    registry: &Registry,
    cx: &Context,
    call: &ToolCall,
    cancel: CancellationToken,
    progress: Progress,
) -> Outcome {
    let Some((tool, schema)) = registry.get(&call.name).zip(registry.schema(&call.name)) else {
        let names = registry.names().collect::<Vec<_>>().join(", ");
        return Outcome::error(format!("There is no tool named {:?}. The tools are: {names}.", call.name));
    };
    if let Value::String(raw) = &call.arguments {
        return Outcome::error(format!(
            "The arguments of {} are not valid JSON; send them again as one JSON object. Received: {}",
            call.name,
            echo(raw)
        ));
    }
    let args = match schema.check(tool.prepare(call.arguments.clone())) {
        Ok(args) => args,
        Err(errors) => {
            return Outcome::error(format!(
                "Invalid arguments for {}:\n{errors}\nReceived: {}",
                call.name,
                echo(&call.arguments.to_string())
            ));
        }
    };
    if let Some(refusal) = approve(&**tool, cx, call, &args, &cancel).await {
        return refusal;
    }
    let invocation = Invocation {
        call_id: call.id.clone(),
        args,
        env: Arc::clone(&cx.env),
        cancel,
        progress: Arc::new(|_| {}),
        artifacts: cx.artifacts.clone(),
    };
    limit(run(tool, invocation, progress).await)
}

/// Nothing when the call may run.
async fn approve(
    tool: &dyn Tool,
    cx: &Context,
    call: &ToolCall,
    args: &Value,
    cancel: &CancellationToken,
) -> Option<Outcome> {
    let class = tool.class();
    let subjects = tool.subjects(args);
    let mut strictest = Verdict::Run;
    for subject in &subjects {
        let verdict = match class {
            ToolClass::Edits => judge_path(cx, subject).await,
            _ => Ok(policy::judge(cx.mode, class, subject, cx.env.root())),
        };
        let verdict = match verdict {
            Err(message) => return Some(Outcome::error(message)),
            Ok(verdict) => verdict,
        };
        let verdict = match said(cx, &call.name, class, subject).await {
            Some(said) => policy::overrule(cx.mode, verdict, said),
            None => verdict,
        };
        strictest = strictest.max(verdict);
    }
    let rule = match strictest {
        Verdict::Run => return None,
        Verdict::Refuse(rule) => return Some(refused(cx.mode, &rule)),
        Verdict::Forbid(rule) => {
            let text = format!("Not run: forbidden by the rule `{rule}`. Find another way or tell the user.");
            return Some(Outcome::error(text).details(json!({"refused": {"rule": rule}})));
        }
        Verdict::Ask(rule) => rule,
    };
    let subject = subjects.join("\n");
    let ask =
        Ask { call_id: call.id.clone(), tool: call.name.clone(), class, subject, rule: rule.into_owned() };
    let decision = tokio::select! {
        biased;
        () = cancel.cancelled() => Decision::Deny("interrupted before it was approved".to_string()),
        decision = cx.approval.decide(ask) => decision,
    };
    match decision {
        Decision::Allow => None,
        Decision::Deny(why) if why.is_empty() => Some(Outcome::error("Not run: the user said no.")),
        Decision::Deny(why) => Some(Outcome::error(format!("Not run: {why}"))),
    }
}

/// What the rules say about a call, by where its path really leads and by its own name.
async fn said(cx: &Context, tool: &str, class: ToolClass, subject: &str) -> Option<Said> {
    if class == ToolClass::Runs {
        return cx.rules.command(tool, subject);
    }
    if cx.rules.is_empty() {
        return None;
    }
    let path = paths::resolve(&*cx.env, subject);
    // A path that leads nowhere is told by the tool itself.
    let real = cx.env.resolve(&path).await.unwrap_or_else(|_| path.clone());
    cx.rules.file(tool, class, &[&real, &path])
}

/// A refusal that the model is told and that front ends find in the details.
fn refused(mode: Mode, rule: &str) -> Outcome {
    let text = format!(
        "Not run: {rule}, and approval mode {} has nobody to ask. It would run with --approval full. \
         Find another way or tell the user.",
        mode.name()
    );
    Outcome::error(text).details(json!({"refused": {"rule": rule, "flag": "--approval full"}}))
}

/// Judges an edit by where its path really leads, and by where the name itself stands: of a link
/// that is removed the name goes, not what it leads to.
async fn judge_path(cx: &Context, subject: &str) -> Result<Verdict, String> {
    let resolve = async |path: &Path| cx.env.resolve(path).await.map_err(|error| error.to_string());
    let path = paths::resolve(&*cx.env, subject);
    let root = resolve(cx.env.root()).await?;
    let real = resolve(&path).await?;
    let judge = |path: &Path| policy::judge(cx.mode, ToolClass::Edits, &path.to_string_lossy(), &root);
    let verdict = judge(&real);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(verdict) };
    let named = resolve(parent).await?.join(name);
    Ok(verdict.max(judge(&named)))
}

/// Runs the tool; a panic ends the call, not the program. Progress that comes after the end is
/// dropped.
async fn run(tool: &Arc<dyn Tool>, mut invocation: Invocation, progress: Progress) -> Outcome {
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    invocation.progress = Arc::new(move |text| {
        if !seen.load(Ordering::Acquire) {
            progress(text);
        }
    });
    let name = tool.spec().name;
    let work = AssertUnwindSafe(async { tool.run(invocation).await }).catch_unwind().await;
    over.store(true, Ordering::Release);
    work.unwrap_or_else(|panic| {
        let what = panic_text(&*panic);
        tracing::error!(tool = name, what, "a tool panicked");
        Outcome::error(format!(
            "{name} failed inside: {what}. This is a defect of the tool, not of the call."
        ))
    })
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".to_string())
}

/// Cuts texts of tools that do not limit themselves; listeners still get the whole.
fn limit(mut outcome: Outcome) -> Outcome {
    for part in &mut outcome.content {
        if let Part::Known(KnownPart::Text { text, .. }) = part
            && let Some(cut) = limits::middle_out(text, limits::BYTES_MAX + NOTES)
        {
            let whole = std::mem::replace(text, cut);
            outcome.full_text.get_or_insert(whole);
        }
    }
    outcome
}

fn echo(text: &str) -> &str {
    &text[..text.floor_char_boundary(ECHO_MAX)]
}

#[cfg(test)]
mod tests;
