//! Decides whether a call may run: checks all of its targets, and requests approval if needed.
//!
//! Must not know any tool, nor who approves.

use std::path::{Path, PathBuf};

use serde_json::Value;

use tokio_util::sync::CancellationToken;

use super::aliases;
use super::approval::{Ask, Decision};
use super::git_programs;
use super::hard_links;
use super::policy::{self, Mode, Roots, Verdict};
use super::preview;
use super::proposal;
use super::rules::pattern;
use super::rules::{Author, RuleMatch, Rules, Ruling, ToolNames};
use super::targets::ScriptContext;
use super::warnings::{self, Warning};
use crate::base::json::json;
use crate::base::names;
use crate::base::schema::Schema;
use crate::exec::FileId;
use crate::llm::model::ToolCall;
use crate::tools::command;
use crate::tools::contract::context::Context;
use crate::tools::contract::intent::Intent;
use crate::tools::contract::tool::{Outcome, Tool, ToolClass};
use crate::tools::files::paths;

/// A call that may run.
#[derive(Debug)]
pub(in crate::tools) struct Approved {
    /// With these arguments.
    pub args: Value,
    /// A note for the model in addition to the result.
    pub note: Option<String>,
    /// The start folder of its command, for tools that continue where the last command ended.
    pub folder: Option<PathBuf>,
}

/// The targets of a call, their verdict, and the rules that apply to them.
struct JudgedCall {
    targets: Vec<String>,
    verdict: Verdict,
    rules: Vec<RuleMatch>,
}

impl JudgedCall {
    /// Returns what decided: the reason, or the rules without which the call might not run.
    fn deciding(&self) -> Vec<&str> {
        match &self.verdict {
            Verdict::Run => {
                let allows = self.rules.iter().filter(|rule| rule.ruling == Ruling::Allow);
                allows.map(|rule| rule.rule.as_str()).collect()
            }
            Verdict::Ask(reason) | Verdict::Refuse(reason) => vec![reason.as_ref()],
            Verdict::Forbid(rule) => vec![rule.as_str()],
        }
    }
}

/// What would happen to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The rules or the reason that decided; empty where the mode lets the call run.
    pub deciding: Vec<String>,
}

/// Judges a call as [`approve`] does, without asking for approval, running it or counting it.
pub(in crate::tools) async fn foresee(
    tool: &dyn Tool,
    cx: &Context,
    call: &ToolCall,
    args: &Value,
) -> Result<Judgement, Outcome> {
    let begin =
        if tool.keeps_folder() { Some(cx.shared.folder.current(&*cx.env).await.folder) } else { None };
    let judged = judge(tool, cx, call, args, begin.as_deref()).await?;
    let deciding = judged.deciding().into_iter().map(str::to_string).collect();
    Ok(Judgement { verdict: judged.verdict, deciding })
}

/// Returns the arguments with which the call may run; else the refusal for the model.
pub(in crate::tools) async fn approve(
    tool: &dyn Tool,
    schema: &Schema,
    cx: &Context,
    call: &ToolCall,
    args: Value,
    cancel: &CancellationToken,
) -> Result<Approved, Outcome> {
    // Fixed here, so that the command starts where it was checked, whatever other calls do.
    let begin = if tool.keeps_folder() { Some(cx.shared.folder.current(&*cx.env).await) } else { None };
    let (folder, missing) = begin.map_or((None, None), |begin| (Some(begin.folder), begin.missing));
    let (args, note) = decide(tool, schema, cx, call, (args, folder.as_deref()), cancel).await?;
    let missing = missing.map(|missing| {
        format!(
            "[{} is no folder of the workspace any more; this began in the workspace.]",
            missing.display()
        )
    });
    let notes: Vec<String> = note.into_iter().chain(missing).collect();
    Ok(Approved { args, note: (!notes.is_empty()).then(|| notes.join("\n")), folder })
}

/// Returns the arguments with which the call may run, and a note for the model.
async fn decide(
    tool: &dyn Tool,
    schema: &Schema,
    cx: &Context,
    call: &ToolCall,
    (args, folder): (Value, Option<&Path>),
    cancel: &CancellationToken,
) -> Result<(Value, Option<String>), Outcome> {
    let judged = judge(tool, cx, call, &args, folder).await?;
    let target = shown_target(call, &judged.targets, &args);
    for description in judged.deciding() {
        cx.shared.count_use(description, &target);
    }
    let Verdict::Ask(rule) = &judged.verdict else {
        return refusal(cx.mode.get(), judged.verdict).map_or(Ok((args, None)), Err);
    };
    let ask = Ask {
        call_id: call.id.clone(),
        tool: call.name.clone(),
        class: tool.class(),
        warnings: command_warnings(tool.class(), &target, cx).await,
        target,
        rule: rule.to_string(),
        workspace: cx.env.root().to_string_lossy().into_owned(),
        editable: editable(tool.class(), &judged.targets, &args),
        proposal: proposal(tool, cx, call, &judged).await,
        preview: preview::preview_call(tool, cx, call, &args, cancel).await,
        arguments: args.to_string(),
        repeatable: !judged.verdict.is_about_set_up(),
    };
    let field = ask.editable.clone();
    let decision = tokio::select! {
        biased;
        () = cancel.cancelled() => Decision::Deny("interrupted before it was approved".to_string()),
        decision = cx.approval.decide(ask) => decision,
    };
    match decision {
        Decision::Allow => Ok((args, None)),
        Decision::AllowLike(proposal) => {
            cx.shared.grant(&proposal.rule);
            Ok((args, None))
        }
        Decision::AllowEdited(text) => apply_user_edit(tool, schema, cx, call, (args, field), text).await,
        Decision::Deny(reason) if reason.is_empty() => Err(Outcome::error("Not run: denied by user.")),
        Decision::Deny(reason) => Err(Outcome::error(format!("Not run: {reason}"))),
    }
}

/// Returns the call with the user's edited command. What is denied stays denied.
async fn apply_user_edit(
    tool: &dyn Tool,
    schema: &Schema,
    cx: &Context,
    call: &ToolCall,
    (mut args, field): (Value, Option<String>),
    text: String,
) -> Result<(Value, Option<String>), Outcome> {
    let Some(field) = field else {
        return Err(Outcome::error("Not run: the user changed it in a way that this tool does not know."));
    };
    args[&field] = json!(text);
    let args = schema.check(args).map_err(|errors| {
        Outcome::error(format!("Not run: what the user made of it does not fit: {errors}"))
    })?;
    // A command that would start in another folder cannot be edited.
    let judged = judge(tool, cx, call, &args, None).await?;
    if judged.targets != [text.as_str()] {
        return Err(Outcome::error("Not run: what the user wrote is not what would run."));
    }
    if let verdict @ (Verdict::Refuse(_) | Verdict::Forbid(_)) = judged.verdict
        && let Some(refusal) = refusal(cx.mode.get(), verdict)
    {
        return Err(refusal);
    }
    let note = format!("[The user changed the command before it ran. What ran: {text}]");
    Ok((args, Some(note)))
}

/// Returns the refusal for the model if the verdict is not to run.
fn refusal(mode: Mode, verdict: Verdict) -> Option<Outcome> {
    match verdict {
        Verdict::Run | Verdict::Ask(_) => None,
        Verdict::Refuse(rule) => Some(refused(mode, &rule)),
        Verdict::Forbid(rule) => {
            let text = format!("Not run: forbidden by the rule `{rule}`. Find another way or tell the user.");
            Some(Outcome::error(text).details(json!({"refused": {"rule": rule}})))
        }
    }
}

/// Returns the argument with the command, if it is the only target and the user may edit it.
fn editable(class: ToolClass, targets: &[String], args: &Value) -> Option<String> {
    let [target] = targets else { return None };
    let fields = args.as_object().filter(|_| class == ToolClass::Runs)?;
    let is_it = |name: &&str| fields.get(*name).and_then(Value::as_str) == Some(target.as_str());
    ["command", "cmd"].iter().find(|name| is_it(name)).map(ToString::to_string)
}

/// Returns the text for the permission request: all targets, or the call itself if it has none.
fn shown_target(call: &ToolCall, targets: &[String], args: &Value) -> String {
    if targets.is_empty() { format!("{} {args}", call.name) } else { targets.join("\n") }
}

/// Returns the warnings about a command; about files there are none.
async fn command_warnings(class: ToolClass, target: &str, cx: &Context) -> Vec<Warning> {
    if class == ToolClass::Runs { warnings::warnings(target, &roots(cx).await) } else { Vec::new() }
}

/// Returns a rule that would have allowed the call.
async fn proposal(
    tool: &dyn Tool,
    cx: &Context,
    call: &ToolCall,
    judged: &JudgedCall,
) -> Option<proposal::RuleProposal> {
    let [target] = judged.targets.as_slice() else { return None };
    let proposal = match tool.class() {
        ToolClass::Runs => proposal::for_command(&call.name, target)?,
        ToolClass::Edits => {
            let path = paths::resolve(&*cx.env, target);
            let home = roots(cx).await.home;
            proposal::for_file(&cx.env.resolve(&path).await.ok()?, home.as_deref())?
        }
        ToolClass::Reads => return None,
    };
    // No rule approves changes of a workspace's own set-up.
    let rule = RuleMatch { ruling: Ruling::Allow, rule: String::new() };
    let root = cx.env.resolve(cx.env.root()).await.ok()?;
    let allowed = policy::overrule(cx.mode.get(), judged.verdict.clone(), rule) == Verdict::Run;
    allowed.then(|| proposal.in_project(&root))
}

/// Checks all targets of a call; the strictest verdict applies.
async fn judge(
    tool: &dyn Tool,
    cx: &Context,
    call: &ToolCall,
    args: &Value,
    begins: Option<&Path>,
) -> Result<JudgedCall, Outcome> {
    let class = tool.class();
    let mut targets = tool.targets(args);
    let folder = match tool.intent(args) {
        Some(Intent::Run { folder: Some(folder), .. }) => Some(folder),
        _ => begins.map(|folder| folder.to_string_lossy().into_owned()),
    };
    if let Some(folder) = folder
        && let Some(place) = other_folder(cx, &folder).await
    {
        // Checked and displayed with the folder change that precedes the command.
        for target in &mut targets {
            *target = format!("cd {place} && {target}");
        }
    }
    let names = aliases::of(tool, &call.name, args);
    let mut strictest = Verdict::Run;
    let mut rules = Vec::new();
    for target in &targets {
        let verdict = match class {
            ToolClass::Edits => judge_path(cx, target).await.map_err(Outcome::error)?,
            ToolClass::Runs => judge_command(cx, &names, target).await,
            ToolClass::Reads => judge_reading(cx, target).await,
        };
        let rule = rule_match(cx, &names, class, target).await;
        rules.extend(rule.clone());
        let verdict = match rule {
            Some(rule) if rule.ruling == Ruling::Allow && class == ToolClass::Runs => {
                let verdict = policy::overrule(cx.mode.get(), verdict, rule);
                let read_only_parts = judge_read_only_parts(cx, &names, target).await;
                verdict.max(read_only_parts).max(judge_operands(cx, &names, target).await)
            }
            Some(rule) => policy::overrule(cx.mode.get(), verdict, rule),
            None => verdict,
        };
        strictest = strictest.max(verdict);
    }
    if targets.is_empty()
        && let Some(rule) = cx.rules.get().tool(&names)
    {
        // Calls without targets have nothing to check, but their tool can be denied.
        strictest = policy::overrule(cx.mode.get(), strictest, rule);
    }
    Ok(JudgedCall { targets, verdict: strictest, rules })
}

/// Returns the resolved folders of the session. One that cannot be resolved is used unchanged.
async fn roots(cx: &Context) -> Roots {
    let real = async |path: &Path| cx.env.resolve(path).await.unwrap_or_else(|_| path.to_path_buf());
    let mut roots = Roots { root: real(cx.env.root()).await, ..Roots::default() };
    if let Some(home) = cx.env.home() {
        roots.home = Some(real(home).await);
    }
    for folder in &cx.shared.own_folders {
        roots.own_folders.push(real(folder).await);
    }
    roots
}

/// Returns a folder other than the workspace, quoted for the shell.
async fn other_folder(cx: &Context, folder: &str) -> Option<String> {
    let path = paths::resolve(&*cx.env, folder);
    let real = async |path: &Path| cx.env.resolve(path).await.unwrap_or_else(|_| path.to_path_buf());
    (real(&path).await != real(cx.env.root()).await)
        .then(|| format!("'{}'", path.to_string_lossy().replace('\'', "'\\''")))
}

/// Returns the rule that applies to a call, by its resolved path and by its own name.
async fn rule_match(cx: &Context, tool: &ToolNames, class: ToolClass, target: &str) -> Option<RuleMatch> {
    let mut grants = Rules::default();
    let problems = grants.add(&cx.shared.grants(), Author::User, Path::new("/"), Path::new("/"));
    if !problems.is_empty() {
        tracing::warn!(?problems, "a rule for the session was not taken");
    }
    let rules = cx.rules.get();
    if class == ToolClass::Runs {
        return apply_grants(rules.command(tool, target), || grants.command(tool, target));
    }
    if rules.is_empty() && grants.is_empty() {
        return None;
    }
    let written = match class {
        ToolClass::Reads => paths::readable(&*cx.env, target),
        ToolClass::Edits | ToolClass::Runs => vec![paths::resolve(&*cx.env, target)],
    };
    let mut names = Vec::new();
    for path in &written {
        // The tool itself reports a path that cannot be resolved.
        names.push(cx.env.resolve(path).await.unwrap_or_else(|_| path.clone()));
    }
    for real in names.clone() {
        names.extend(hard_links::guarded_aliases(cx, &real, &rules.protected_paths(tool)).await);
    }
    // Last, because allow rules check only the first name: a link must not extend them.
    names.extend(written);
    let names: Vec<&Path> = names.iter().map(PathBuf::as_path).collect();
    apply_grants(rules.file(tool, class, &names), || grants.file(tool, class, &names))
}

/// Returns the rule, unless it only asks and the user has approved it for the session.
fn apply_grants(rule: Option<RuleMatch>, grants: impl FnOnce() -> Option<RuleMatch>) -> Option<RuleMatch> {
    match rule {
        Some(rule) if rule.ruling != Ruling::Ask => Some(rule),
        rule => grants().or(rule),
    }
}

/// Returns a refusal for the model, with details for front ends.
fn refused(mode: Mode, rule: &str) -> Outcome {
    let text = format!(
        "Not run: {rule}, and approval mode {} has nobody to ask. It would run with --approval full. \
         Find another way or tell the user.",
        mode.name()
    );
    Outcome::error(text).details(json!({"refused": {"rule": rule, "flag": "--approval full"}}))
}

/// Checks a command line: its commands, the files that it may read, and the programs that git would run here.
async fn judge_command(cx: &Context, tool: &ToolNames, line: &str) -> Verdict {
    let mode = cx.mode.get();
    if mode == Mode::Full {
        // No user is asked in this mode, so a call that a rule might deny is refused.
        let rule = cx.rules.get().unresolved(tool, line);
        return rule.map_or(Verdict::Run, |rule| Verdict::Forbid(rule.rule));
    }
    match policy::judge(mode, ToolClass::Runs, line, &Roots::default()) {
        Verdict::Run => {
            let script = command::parse(line);
            let barriers = cx.rules.get().protected_paths(&tool.or(&aliases::readers()));
            let reason =
                ScriptContext::new(cx, roots(cx).await, &script).reads(line, &script, &barriers).await;
            let git = policy::verdict(mode, git_programs::objection(&*cx.env, line).await);
            reason.map_or(Verdict::Run, |reason| policy::strict_verdict(mode, reason)).max(git)
        }
        verdict => verdict,
    }
}

/// Checks the files named in a command line that a rule allows: configuration files need approval, as for
/// edits, and files with path rules are not read without approval.
async fn judge_operands(cx: &Context, tool: &ToolNames, line: &str) -> Verdict {
    let mode = cx.mode.get();
    if mode == Mode::Full {
        return Verdict::Run;
    }
    let script = command::parse(line);
    let context = ScriptContext::new(cx, roots(cx).await, &script);
    for part in script.commands.iter().filter(|part| !command::part_is_read_only(part)) {
        if context.touches_set_up(part).await {
            return policy::strict_verdict(mode, policy::TOUCHES_SET_UP.to_string());
        }
    }
    let barriers = cx.rules.get().protected_paths(&tool.or(&aliases::readers()));
    context
        .reads(line, &script, &barriers)
        .await
        .map_or(Verdict::Run, |reason| policy::strict_verdict(mode, reason))
}

/// Returns patterns for the files with keys, if a search in the workspace or one of these folders would find
/// them.
pub(in crate::tools) async fn secrets_below(
    cx: &Context,
    folders: impl Iterator<Item = &str>,
) -> Vec<String> {
    let mut searched = vec![cx.env.root().to_path_buf()];
    searched.extend(folders.map(|folder| paths::resolve(&*cx.env, folder)));
    let mut real = Vec::new();
    for folder in searched {
        real.push(cx.env.resolve(&folder).await.unwrap_or(folder));
    }
    let found = |secret: &PathBuf| real.iter().any(|folder| secret.starts_with(folder));
    roots(cx)
        .await
        .secrets()
        .iter()
        .filter(|secret| found(secret))
        .map(|secret| pattern::literal(secret))
        .collect()
}

/// Returns the files with keys that have other names (hard links).
pub(in crate::tools) async fn hard_linked_secrets(cx: &Context) -> Vec<FileId> {
    let mut ids = Vec::new();
    for secret in roots(cx).await.secrets() {
        ids.extend(cx.env.hard_link(&secret).await.ok().flatten());
    }
    ids
}

/// Checks a read of a file: no mode and no rule allows reading files with keys.
async fn judge_reading(cx: &Context, target: &str) -> Verdict {
    for path in paths::readable(&*cx.env, target) {
        let real = cx.env.resolve(&path).await.unwrap_or(path);
        let several = cx.env.hard_link(&real).await.is_ok_and(|id| id.is_some());
        if !several && !real.ends_with(policy::KEYS) {
            continue;
        }
        let secrets = roots(cx).await.secrets();
        let is_secret = |path: &PathBuf| secrets.contains(path);
        if is_secret(&real) || hard_links::guarded_aliases(cx, &real, &[]).await.iter().any(is_secret) {
            return Verdict::Forbid(policy::SECRET_FILE.to_string());
        }
    }
    Verdict::Run
}

/// Checks the parts of a command line that run because they are read-only: git needs a rule of its own, or a
/// repository without programs.
async fn judge_read_only_parts(cx: &Context, tool: &ToolNames, line: &str) -> Verdict {
    let mode = cx.mode.get();
    let script = command::parse(line);
    for part in script.commands.iter().filter(|part| command::part_is_read_only(part)) {
        let quoted = |word: &command::Word| format!("'{}'", word.text.replace('\'', "'\\''"));
        let own: Vec<String> = part.words.iter().map(quoted).collect();
        let asks_git = mode != Mode::Full && part.words.first().is_some_and(|word| word.text == "git");
        if asks_git
            && rule_match(cx, tool, ToolClass::Runs, &own.join(" "))
                .await
                .is_none_or(|rule| rule.ruling != Ruling::Allow)
        {
            return policy::verdict(mode, git_programs::objection(&*cx.env, line).await);
        }
    }
    Verdict::Run
}

/// Checks an edit by the resolved path and by the name itself: removing a link removes the name, not its
/// target.
async fn judge_path(cx: &Context, target: &str) -> Result<Verdict, String> {
    let resolve = async |path: &Path| cx.env.resolve(path).await.map_err(|error| error.to_string());
    let path = paths::resolve(&*cx.env, target);
    let roots = Roots { root: resolve(cx.env.root()).await?, ..roots(cx).await };
    let real = resolve(&path).await?;
    let judge = |path: &Path| policy::judge(cx.mode.get(), ToolClass::Edits, &names::display(path), &roots);
    let mut verdict = judge(&real);
    for other in hard_links::guarded_aliases(cx, &real, &[]).await {
        verdict = verdict.max(judge(&other));
    }
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Ok(verdict) };
    let named = resolve(parent).await?.join(name);
    Ok(verdict.max(judge(&named)))
}
