//! Pipeline of a call: find the tool, validate, approve (`permissions::approve`), run, limit the result.
//!
//! Must not know any tool. Every error becomes an outcome that a model can act on.

use std::any::Any;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{before_change, new_errors};
use crate::base::json::json;
use crate::base::schema::Schema;
use crate::exec::wrap::denied_paths::OmittedCount;
use crate::exec::wrap::{DeniedPaths, Wrapped};
use crate::exec::{EnvError, Environment, Omitted};
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{Part, ToolCall};
use crate::tools::contract::context::Context;
use crate::tools::contract::intent::{Intent, Kind};
use crate::tools::contract::registry::{RegisteredTool, Registry};
use crate::tools::contract::tool::{Invocation, Outcome, PlannedCall, Progress, Tool, ToolClass};
use crate::tools::output::artifacts::SavedOutput;
use crate::tools::output::limits::{self, Keep, Limits};
use crate::tools::output::truncate;
use crate::tools::output::truncation::Body;
use crate::tools::permissions::aliases;
use crate::tools::permissions::approve::{self, Approved, Judgement};
use crate::tools::permissions::policy::Verdict;

/// Allowance above the tools' own limits for their notes.
const NOTES: usize = 4 * 1024;
/// Fallback limits when none are set.
const DEFAULT_LIMITS: Limits = Limits { chars: limits::BYTES_MAX + NOTES, keep: Keep::Ends, lines: None };
/// Names of the path argument of search tools.
const PATHS: [&str; 3] = ["path", "file_path", "dir_path"];
/// Longest argument text that an error repeats, in bytes.
const ECHO_MAX: usize = 1000;
/// Grace period of an interrupted tool: for a command SIGTERM, SIGKILL after two seconds, and a moment to
/// exit.
const INTERRUPT_GRACE: Duration = Duration::from_secs(3);

/// Number of lines in the example of how to read a stored output.
const LINES_READ: usize = 200;

/// Result of a call that was interrupted before it started.
const NOT_STARTED: &str = "Not run: interrupted before it began.";
/// Result of a call that did not end by itself, for example because an environment does not respond.
const ABANDONED: &str = "Interrupted. It did not end by itself and was given up; it may have done a part of its \
                        work, so look before you go on.";

/// Runs one call. Never fails and never panics: an unknown tool, invalid arguments, a refusal or a panic
/// inside the tool is an outcome with `is_error`. When cancelled, it ends within three seconds whatever the
/// tool waits for, with the tool's own result, which is an error unless it had already finished.
pub async fn execute(
    registry: &Registry,
    cx: &Context,
    call: &ToolCall,
    cancel: CancellationToken,
    progress: Progress,
) -> Outcome {
    let Some(RegisteredTool { tool, schema, .. }) = registry.resolve(&call.name, &call.arguments) else {
        let names = registry.names().collect::<Vec<_>>().join(", ");
        return Outcome::error(format!("There is no tool named {:?}. The tools are: {names}.", call.name));
    };
    let args = match check_args(&**tool, schema, call) {
        Ok(args) => args,
        Err(errors) => return Outcome::error(errors),
    };
    let (planned, then) = match plan(tool, schema, cx, call, &args, &cancel).await {
        Ok(Some(PlannedCall { tool, then })) => (Some(tool), then),
        Ok(None) => (None, None),
        Err(refusal) => return refusal,
    };
    let tool = planned.as_ref().unwrap_or(tool);
    let Approved { mut args, note, folder } = match approved(&**tool, schema, cx, call, args, &cancel).await {
        Ok(approved) => approved,
        Err(refusal) => return refusal,
    };
    if !before_change::run_hook(&**tool, cx, &args, &cancel).await {
        return Outcome::error(NOT_STARTED);
    }
    let (env, omitted, is_artifact) = match environment(&**tool, cx, &call.name, &mut args).await {
        Ok(seen) => seen,
        Err(message) => return Outcome::error(message),
    };
    let baseline = new_errors::before(&**tool, cx, &args, &cancel).await;
    let invocation = Invocation {
        call_id: call.id.clone(),
        args,
        env,
        cancel: cancel.clone(),
        progress: Arc::new(|_| {}),
        shared: Arc::clone(&cx.shared),
        folder,
    };
    let limits = cx.shared.config.limits.limits(&call.name, tool.kind(), tool.limits());
    let outcome = run(tool, invocation, progress).await;
    if let Some(then) = then.filter(|_| !outcome.is_error) {
        then();
    }
    let keep = |text: &str| if is_artifact { None } else { Some(cx.shared.artifacts.save(&call.name, text)) };
    let mut outcome = with_artifact_details(limit(outcome, limits, keep));
    if let Some(hint) = outcome.artifact.as_deref().and_then(|name| read_hint(registry, name)) {
        append_note(&mut outcome.content, &hint);
    }
    new_errors::report(&mut outcome, baseline, cx, &cancel).await;
    outcome.content.extend(note.map(Part::text));
    if let Some(words) = omitted.and_then(|count| omitted_note(count.get())) {
        append_note(&mut outcome.content, &format!("\n\n{words}"));
    }
    outcome
}

/// Judges a call as [`execute`] would, without running it. The error says why it would not come to a verdict.
pub async fn foresee(registry: &Registry, cx: &Context, call: &ToolCall) -> Result<Judgement, String> {
    let Some(RegisteredTool { tool, schema, .. }) = registry.resolve(&call.name, &call.arguments) else {
        return Err(format!("There is no tool named {:?}.", call.name));
    };
    let args = check_args(&**tool, schema, call)?;
    let text = |refusal: Outcome| join_text(&refusal.content);
    let judged = approve::foresee(&**tool, cx, call, &args).await.map_err(text)?;
    if judged.verdict != Verdict::Run || tool.plan(&looking(cx, call, &args)).is_none() {
        return Ok(judged);
    }
    let planned = work_out(tool, cx, call, &args).await?;
    approve::foresee(&*planned.tool, cx, call, &args).await.map_err(text)
}

/// Waits for the approval of a call.
async fn approved(
    tool: &dyn Tool,
    schema: &Schema,
    cx: &Context,
    call: &ToolCall,
    args: Value,
    cancel: &CancellationToken,
) -> Result<Approved, Outcome> {
    // A pending approval withdraws its question itself.
    let approved = tokio::select! {
        biased;
        approved = approve::approve(tool, schema, cx, call, args, cancel) => approved?,
        () = cancel.cancelled() => return Err(Outcome::error(NOT_STARTED)),
    };
    if cancel.is_cancelled() { Err(Outcome::error(NOT_STARTED)) } else { Ok(approved) }
}

/// Finds out what a call would do, if its arguments do not say it. To look is approved like any reading.
async fn plan(
    tool: &Arc<dyn Tool>,
    schema: &Schema,
    cx: &Context,
    call: &ToolCall,
    args: &Value,
    cancel: &CancellationToken,
) -> Result<Option<PlannedCall>, Outcome> {
    if tool.plan(&looking(cx, call, args)).is_none() {
        return Ok(None);
    }
    approved(&**tool, schema, cx, call, args.clone(), cancel).await?;
    let planned = cancel.run_until_cancelled(work_out(tool, cx, call, args)).await;
    match planned {
        Some(planned) => planned.map(Some).map_err(Outcome::error),
        None => Err(Outcome::error(NOT_STARTED)),
    }
}

/// Lets a tool work out what a call would do, in the environment in which it would read.
async fn work_out(
    tool: &Arc<dyn Tool>,
    cx: &Context,
    call: &ToolCall,
    args: &Value,
) -> Result<PlannedCall, String> {
    let mut looking = looking(cx, call, args);
    let seen = environment(&**tool, cx, &call.name, &mut looking.args).await;
    let hidden;
    (looking.env, hidden, _) = seen?;
    let Some(work) = tool.plan(&looking) else { return Err(NOT_STARTED.to_string()) };
    let planned = AssertUnwindSafe(work).catch_unwind().await;
    let planned = planned.unwrap_or_else(|panic| Err(panicked(&call.name, &*panic)))?;
    // A folder would be moved with them, although no rule was asked about them.
    if hidden.map(|hidden| hidden.get()).is_some_and(|hidden| hidden.files + hidden.folders > 0) {
        return Err("Rules hide some of the files that this would change. Nothing was changed.".to_string());
    }
    Ok(planned)
}

/// Returns the call for a look at what it would do.
fn looking(cx: &Context, call: &ToolCall, args: &Value) -> Invocation {
    let (env, shared) = (Arc::clone(&cx.env), Arc::clone(&cx.shared));
    Invocation { call_id: call.id.clone(), ..Invocation::new(args.clone(), env, shared) }
}

/// Returns the normalized, validated arguments of a call; the error is for the model.
fn check_args(tool: &dyn Tool, schema: &Schema, call: &ToolCall) -> Result<Value, String> {
    if let Value::String(raw) = &call.arguments {
        return Err(format!(
            "The arguments of {} are not valid JSON; send them again as one JSON object. Received: {}",
            call.name,
            echo(raw)
        ));
    }
    let args = schema.check(tool.prepare(call.arguments.clone())).map_err(|errors| {
        let received = call.arguments.to_string();
        format!("Invalid arguments for {}:\n{errors}\nReceived: {}", call.name, echo(&received))
    })?;
    Ok(declared_args(args, &tool.spec().parameters))
}

/// An environment, the counter of files hidden by rules, and whether it is that of stored outputs.
type CallEnvironment = (Arc<dyn Environment>, Option<OmittedCount>, bool);

/// Returns the environment of a call: that of stored outputs, or the session's as far as rules allow.
async fn environment(
    tool: &dyn Tool,
    cx: &Context,
    name: &str,
    args: &mut Value,
) -> Result<CallEnvironment, String> {
    if let Some(kept) = artifact_environment(tool.kind(), cx, args)? {
        return Ok((kept, None, true));
    }
    let seen = without_denied_paths(tool, cx, name, args).await;
    let (env, count) = seen.map_err(|error| format!("The rules cannot be kept: {error}."))?;
    Ok((env, count, false))
}

/// Returns the environment for a read-only call: without denied paths, with a counter of what was hidden.
async fn without_denied_paths(
    tool: &dyn Tool,
    cx: &Context,
    name: &str,
    args: &Value,
) -> Result<(Arc<dyn Environment>, Option<OmittedCount>), EnvError> {
    let env = Arc::clone(&cx.env);
    let rules = cx.rules.get();
    if tool.class() != ToolClass::Reads {
        return Ok((env, None));
    }
    let mut patterns = rules.denied_paths(&aliases::of(tool, name, args));
    let mut ids = Vec::new();
    if matches!(tool.kind(), Kind::Grep | Kind::ReadMany | Kind::LanguageServers) {
        let folders = PATHS.iter().filter_map(|field| args.get(*field)?.as_str());
        patterns.extend(approve::secrets_below(cx, folders).await);
        ids = approve::hard_linked_secrets(cx).await;
    }
    if patterns.is_empty() && ids.is_empty() {
        return Ok((env, None));
    }
    let denied = DeniedPaths::new(patterns)?.with_ids(ids);
    let count = denied.count();
    Ok((Arc::new(Wrapped::new(env, denied)), Some(count)))
}

/// Returns the note for the model about hidden files.
fn omitted_note(omitted: Omitted) -> Option<String> {
    let counted = |count: usize, one: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {one}s")),
    };
    let parts: Vec<String> =
        [counted(omitted.files, "file"), counted(omitted.folders, "folder")].into_iter().flatten().collect();
    let were = if omitted.files + omitted.folders == 1 { "was" } else { "were" };
    (!parts.is_empty()).then(|| format!("[{} that rules forbid {were} left out.]", parts.join(" and ")))
}

/// Keywords of a schema that may define fields outside of `properties`.
const SCHEMA_KEYWORDS: [&str; 9] = [
    "patternProperties",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "$ref",
    "$dynamicRef",
    "dependentSchemas",
    "dependencies",
];

/// Removes arguments that the schema does not define, so that they are not mistaken for targets. A schema
/// that allows additional properties, or defines fields elsewhere, keeps them all.
fn declared_args(mut args: Value, parameters: &Value) -> Value {
    let takes_others =
        matches!(parameters.get("additionalProperties"), Some(Value::Bool(true) | Value::Object(_)))
            || SCHEMA_KEYWORDS.iter().any(|part| parameters.get(part).is_some());
    let known = parameters.get("properties").and_then(Value::as_object).filter(|_| !takes_others);
    if let (Some(known), Some(args)) = (known, args.as_object_mut()) {
        args.retain(|name, _| known.contains_key(name));
    }
    args
}

/// For a call that reads a stored output: replaces its name by the path, and returns the environment. `None`
/// for other calls.
fn artifact_environment(
    kind: Kind,
    cx: &Context,
    args: &mut Value,
) -> Result<Option<Arc<dyn Environment>>, String> {
    let is_read = matches!(kind, Kind::Read | Kind::Grep | Kind::Find);
    let fields = args.as_object_mut().filter(|_| is_read);
    for (name, value) in fields.into_iter().flatten() {
        if !PATHS.contains(&name.as_str()) {
            continue;
        }
        let Some(found) = value.as_str().and_then(|text| cx.shared.artifacts.open(text)) else { continue };
        let (env, path) = found?;
        *value = json!(path);
        return Ok(Some(env));
    }
    Ok(None)
}

/// Runs the tool; a panic fails the call, and an interruption ends it after the grace period. Progress after
/// the end is dropped.
async fn run(tool: &Arc<dyn Tool>, mut invocation: Invocation, progress: Progress) -> Outcome {
    let over = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&over);
    invocation.progress = Arc::new(move |text| {
        if !seen.load(Ordering::Acquire) {
            progress(text);
        }
    });
    let name = tool.spec().name;
    let cancel = invocation.cancel.clone();
    let work = AssertUnwindSafe(async { tool.run(invocation).await }).catch_unwind();
    let deadline = async {
        cancel.cancelled().await;
        tokio::time::sleep(INTERRUPT_GRACE).await;
    };
    let work = tokio::select! {
        biased;
        work = work => work,
        () = deadline => Ok(Outcome::error(ABANDONED)),
    };
    over.store(true, Ordering::Release);
    work.unwrap_or_else(|panic| Outcome::error(panicked(&name, &*panic)))
}

fn panicked(name: &str, panic: &(dyn Any + Send)) -> String {
    let panic_message = panic_text(panic);
    tracing::error!(tool = name, panic_message, "a tool panicked");
    format!("{name} failed inside: {panic_message}. This is a defect of the tool, not of the call.")
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown panic".to_string())
}

/// Truncates texts of tools that do not limit themselves; listeners still get the full text, and `keep`
/// stores it, unless it is a stored output that is read again.
fn limit(
    mut outcome: Outcome,
    limits: Option<Limits>,
    keep: impl Fn(&str) -> Option<io::Result<SavedOutput>>,
) -> Outcome {
    if outcome.artifact.is_some() || outcome.full_text.is_some() {
        return outcome;
    }
    for part in &mut outcome.content {
        let Part::Known(KnownPart::Text { text, .. }) = part else { continue };
        let full_body = Body::Whole(std::mem::take(text));
        let truncated = truncate::truncate(full_body, limits.unwrap_or(DEFAULT_LIMITS), |body| {
            body.whole().and_then(&keep)
        });
        *text = truncated.text;
        outcome.full_text = outcome.full_text.or(truncated.full_text);
        outcome.artifact = outcome.artifact.or(truncated.artifact);
    }
    outcome
}

/// Returns a note on how to read the rest of a stored output with the available tools.
fn read_hint(registry: &Registry, name: &str) -> Option<String> {
    let row = registry.entries().iter().find(|row| row.tool.kind() == Kind::Read)?;
    let intent = Intent::Read { path: name.to_string(), first: Some(1), lines: Some(LINES_READ) };
    Some(format!("\n[To see a part of it: {} {}]", row.spec.name, row.tool.args_for(&intent)?))
}

/// Appends text to the last text part.
fn append_note(content: &mut Vec<Part>, words: &str) {
    let texts = content.iter_mut().filter_map(|part| match part {
        Part::Known(KnownPart::Text { text, .. }) => Some(text),
        _ => None,
    });
    match texts.last() {
        Some(text) => text.push_str(words),
        None => content.push(Part::text(words.trim_start())),
    }
}

/// Adds the path of the full text to the details, for front ends.
fn with_artifact_details(mut outcome: Outcome) -> Outcome {
    if let Some(name) = &outcome.artifact {
        match outcome.details.get_or_insert_with(|| json!({})) {
            Value::Object(details) => {
                details.insert("artifact".to_string(), json!(name));
            }
            other => *other = json!({"artifact": name, "details": other.take()}),
        }
    }
    outcome
}

/// Truncates the live output of a running call to the limits of its tool, as for a model.
pub fn truncate_progress(registry: &Registry, cx: &Context, name: &str, text: String) -> String {
    let tool = registry.get(name);
    let kind = tool.map_or(Kind::Other, |tool| tool.kind());
    let limits = cx.shared.config.limits.limits(name, kind, tool.and_then(|tool| tool.limits()));
    truncate::truncate(Body::Whole(text), limits.unwrap_or(DEFAULT_LIMITS), |_| None).text
}

fn echo(text: &str) -> &str {
    &text[..text.floor_char_boundary(ECHO_MAX)]
}

#[cfg(test)]
mod tests;
