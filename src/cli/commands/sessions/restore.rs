//! `bowline sessions diff`, `restore` and `revert`: restore checkpoints of a workspace without a live
//! session.
//!
//! Must not know how checkpoints are stored. Asks no questions; without `--dry-run` the files of the
//! workspace change.

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use serde_json::Value;

use tokio_util::sync::CancellationToken;

use super::prune;
use super::trash;
use crate::base::clock::SystemClock;
use crate::base::error::Report;
use crate::base::ids::RandomIds;
use crate::base::json::json;
use crate::cli::answer::{Answer, format_answer};
use crate::cli::session_lookup::{find_or_latest, find_session_file, is_session, open_session};
use crate::runtime::Options;
use crate::runtime::restore::checkpoints::checkpoint_of;
use crate::runtime::restore::perform;
use crate::runtime::restore::target::{CURRENT_ENTRY, Preview, PreviewPath, RestoreScope, RestoreTarget};
use crate::session::restore::checkpoints::{self, Checkpoint, When};
use crate::session::restore::steps::RestoreStep;
use crate::session::{Entry, Session};
use crate::workspace::checkpoint::apply::NoOpenFiles;
use crate::workspace::checkpoint::{
    Applied, CheckpointError, Checkpointer, Decision, Decisions, Limits, Plan, RecordedCheckpoint,
};

const DIFF: &str = "Show what `sessions restore` would change.

Without SESSION the latest session of this folder is used, without ENTRY its current entry. One word is an entry of that \
session, or else a session.";

const RESTORE: &str = "Restore the files of the workspace to an entry, or a deleted session.

`sessions restore SESSION ENTRY` restores the files of the workspace to how they were at an entry; \
`sessions restore SESSION` moves a deleted session out of the trash. If there is none, it is the entry, and the \
latest session of this folder is used; without ENTRY, too, its current entry. With `--dry-run`, `--take` or \
`--with-conversation` the one word is never a deleted session, but may be one that is not.";

const REVERT: &str = "Revert the changes of one turn.

Without SESSION the latest session of this folder is used, without ENTRY its current turn. One word is an entry of that \
session, or else a session.";

/// Which side of a conflict is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Side {
    /// What is there now
    #[value(alias = "mine")]
    Ours,
    /// What the restore brings
    Theirs,
    /// Both: what the restore brings is written to a file beside
    #[value(alias = "beside")]
    Both,
}

impl Side {
    fn decision(side: Option<Self>) -> Decision {
        match side.unwrap_or(Self::Ours) {
            Self::Ours => Decision::Ours,
            Self::Theirs => Decision::Theirs,
            Self::Both => Decision::KeepBoth,
        }
    }
}

/// A command on the states of a workspace.
#[derive(Debug, Clone, Subcommand)]
pub enum StateCommand {
    /// Show what `sessions restore` would change
    #[command(override_usage = "bowline sessions diff [OPTIONS] [[SESSION] ENTRY]", long_about = DIFF)]
    Diff {
        /// The session: its id, how the id begins or ends, or its file; without ENTRY the entry, or the session
        session: Option<String>,
        /// The entry, as `sessions tree` shows it; the current one if it is missing
        entry: Option<String>,
    },
    /// Restore the files of the workspace to an entry, or a deleted session
    #[command(override_usage = "bowline sessions restore [OPTIONS] [[SESSION] ENTRY]", long_about = RESTORE)]
    Restore {
        /// The session: its id, how the id begins or ends, or its file; without ENTRY a deleted session, or the entry
        session: Option<String>,
        /// Restore the files to how they were at this entry; the current one if it is missing
        entry: Option<String>,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
        /// Restore the conversation, too
        #[arg(long)]
        with_conversation: bool,
        /// What is kept where both sides changed a file; mine by default
        #[arg(long, value_name = "SIDE")]
        take: Option<Side>,
    },
    /// Revert the changes of one turn
    #[command(override_usage = "bowline sessions revert [OPTIONS] [[SESSION] ENTRY]", long_about = REVERT)]
    Revert {
        /// The session: its id, how the id begins or ends, or its file; without ENTRY the entry, or the session
        session: Option<String>,
        /// The entry that the turn begins with; the current turn if it is missing
        entry: Option<String>,
        /// Only show what would change
        #[arg(long)]
        dry_run: bool,
        /// What is kept where both sides changed a file; mine by default
        #[arg(long, value_name = "SIDE")]
        take: Option<Side>,
    },
    /// Remove states of workspaces that no session refers to
    Prune {
        /// Only count them
        #[arg(long)]
        dry_run: bool,
    },
}

/// Runs the command on a separate task. An interruption cancels it before the first file has changed; after
/// that it completes.
pub async fn run(options: &Options, command: &StateCommand, json: bool) -> Result<(String, bool), Report> {
    let cancel = CancellationToken::new();
    let (options, command, ending) = (options.clone(), command.clone(), cancel.clone());
    let mut done = tokio::task::spawn_blocking(move || answer(&options, &command, json, &ending));
    let done = tokio::select! {
        done = &mut done => done,
        _ = tokio::signal::ctrl_c() => {
            cancel.cancel();
            done.await
        }
    };
    done.map_err(|error| Report::caused("the task ended early", &error))?
}

/// A session and an entry as they were typed.
type Words<'a> = (&'a Option<String>, &'a Option<String>);

/// Returns the output, and whether the command succeeded completely. It can be cancelled until files start to
/// change.
pub fn answer(
    options: &Options,
    command: &StateCommand,
    json: bool,
    cancel: &CancellationToken,
) -> Result<(String, bool), Report> {
    let root = options.session_root();
    let goes = |words: Words<'_>, target: &dyn Fn(String) -> RestoreTarget, dry: bool, side: Option<Side>| {
        // A variable that is not set must not mean the latest session.
        if [words.0, words.1].into_iter().flatten().any(|word| word.trim().is_empty()) {
            return Err(Report::new("an empty word names no session and no entry"));
        }
        let (file, entry) = session_and_entry(&root, &options.cwd, words)?;
        run_restore(options, &file, &target(entry), dry, Side::decision(side), cancel)
    };
    let to = |scope| move |entry| RestoreTarget::To(entry, scope);
    let CommandOutput { text, value, complete: whole } = match command {
        StateCommand::Diff { session, entry } => goes((session, entry), &to(RestoreScope::Code), true, None)?,
        StateCommand::Restore { session, entry, dry_run, with_conversation, take } => {
            let is_of_files = *dry_run || *with_conversation || take.is_some();
            let deleted =
                session.as_ref().filter(|word| entry.is_none() && !is_of_files && !word.trim().is_empty());
            let trash = options.home.trash();
            let restored = deleted.map(|deleted| trash::restore(&root, &trash, deleted)).transpose()?;
            match (restored.flatten(), deleted) {
                (Some(restored), _) => complete(restored),
                (None, Some(word)) if !is_entry_of_latest(&root, &options.cwd, word) => {
                    return Err(not_deleted(&root, &options.cwd, &trash, word));
                }
                (None, _) => {
                    let scope = if *with_conversation { RestoreScope::Both } else { RestoreScope::Code };
                    goes((session, entry), &to(scope), *dry_run, *take)?
                }
            }
        }
        StateCommand::Revert { session, entry, dry_run, take } => {
            goes((session, entry), &RestoreTarget::RevertTurn, *dry_run, *take)?
        }
        StateCommand::Prune { dry_run } => complete(prune::prune(options, *dry_run)?),
    };
    Ok((format_answer((text, value), json), whole))
}

/// Returns the file of the session and the entry that the words mean. One word is an entry of the latest session of the
/// folder, or else a session, whose current entry is meant.
fn session_and_entry(root: &Path, cwd: &Path, words: Words<'_>) -> Result<(PathBuf, String), Report> {
    let word = match words {
        (Some(session), Some(entry)) => return Ok((find_session_file(root, cwd, session)?, entry.clone())),
        (Some(word), None) => word,
        (None, _) => return Ok((find_or_latest(root, cwd, None)?, CURRENT_ENTRY.to_string())),
    };
    let latest = find_or_latest(root, cwd, None).and_then(|file| Ok((has_entry(&file, word)?, file)));
    match latest {
        Ok((true, file)) => Ok((file, word.clone())),
        _ if is_session(root, cwd, word) => {
            Ok((find_session_file(root, cwd, word)?, CURRENT_ENTRY.to_string()))
        }
        Ok((false, _)) => {
            let report =
                Report::new(format!("{word} is no entry of the latest session here, and no session"));
            Err(report.hint("`bowline sessions tree` shows the entries, `bowline sessions` the sessions"))
        }
        Err(report) => Err(report),
    }
}

/// Returns whether a word is an entry of the latest session of the folder, or how the id of one begins.
fn is_entry_of_latest(root: &Path, cwd: &Path, word: &str) -> bool {
    find_or_latest(root, cwd, None).is_ok_and(|file| has_entry(&file, word).unwrap_or(false))
}

/// Returns whether a session has an entry whose id begins with a word.
fn has_entry(file: &Path, word: &str) -> Result<bool, Report> {
    let session = open_session(file)?;
    Ok(session.entries().any(|entry| entry.id().starts_with(word)))
}

/// Returns the error for a session to restore that was not deleted. Its files are not restored in its place: the same
/// command twice, to get a session back, must not change them.
fn not_deleted(root: &Path, cwd: &Path, trash: &Path, word: &str) -> Report {
    if !is_session(root, cwd, word) {
        return trash::no_such_session(trash, word);
    }
    Report::new(format!("the session {word} is not deleted")).hint(format!(
        "`bowline sessions diff {word}` shows what differs from its files, `bowline sessions tree {word}` the entries \
         to restore them to"
    ))
}

/// Wraps the output of a command that cannot succeed partially.
fn complete((text, value): Answer) -> CommandOutput {
    CommandOutput { text, value, complete: true }
}

/// Output for the user.
struct CommandOutput {
    text: String,
    value: Value,
    /// Whether the command succeeded completely.
    complete: bool,
}

/// The result of a restore.
struct RestoreResult {
    applied: Applied,
    /// Why the state afterwards was not recorded.
    unrecorded: Option<Report>,
}

fn failed(error: &CheckpointError) -> Report {
    match error {
        CheckpointError::Cancelled => canceled(),
        error => Report::caused("cannot restore", error),
    }
}

fn canceled() -> Report {
    Report::new("canceled; nothing changed")
}

/// Returns the target with the full id of its entry.
fn with_full_id(session: &Session, target: &RestoreTarget) -> Result<RestoreTarget, Report> {
    let target = target.clone().resolve_current(session.leaf());
    let (RestoreTarget::To(id, _) | RestoreTarget::RevertTurn(id)) = &target;
    if session.tree().contains(id) {
        return Ok(target);
    }
    let fits: Vec<&str> = session.entries().map(Entry::id).filter(|known| known.starts_with(id)).collect();
    let full_id = match &fits[..] {
        [one] => (*one).to_string(),
        _ => {
            return Err(Report::new(format!("the session has no entry {id}")).hint(
                "`bowline sessions tree ID` shows the entries; those of the latest session without ID",
            ));
        }
    };
    Ok(match target {
        RestoreTarget::To(_, scope) => RestoreTarget::To(full_id, scope),
        RestoreTarget::RevertTurn(_) => RestoreTarget::RevertTurn(full_id),
    })
}

fn run_restore(
    options: &Options,
    file: &Path,
    target: &RestoreTarget,
    dry: bool,
    decision: Decision,
    cancel: &CancellationToken,
) -> Result<CommandOutput, Report> {
    let (clock, ids) = (SystemClock::shared(), RandomIds::shared());
    let session =
        if dry { Session::open_read_only(file, clock, ids) } else { Session::open(file, clock, ids) };
    let mut session = session.map_err(|error| Report::caused("cannot read the session", &error))?;
    let target = with_full_id(&session, target)?;
    let steps = perform::restore_steps(&session, &target)?;
    let Some(first) = steps.first() else { return Err(Report::new("nothing to restore")) };
    let (root, home) = (PathBuf::from(&first.target.root), &options.home);
    perform::check_folder(&steps, &root)?;
    let own = [home.data.clone(), home.state.clone(), home.cache.clone()];
    let checkpointer = Checkpointer::open(&home.checkpoints(), &root, &own, Limits::default());
    let checkpointer = checkpointer.map_err(|error| failed(&error))?;
    let (now, plan) = plan(&checkpointer, &steps, decision, cancel).map_err(|error| failed(&error))?;
    let preview = perform::to_preview(&checkpointer, target.clone(), plan.clone());
    if cancel.is_cancelled() {
        return Err(canceled());
    }
    let done = if dry { None } else { Some(apply(&checkpointer, &mut session, &target, &now, &plan)?) };
    Ok(describe(&preview, decision, done.as_ref()))
}

fn plan(
    checkpointer: &Checkpointer,
    requested_steps: &[RestoreStep],
    decision: Decision,
    cancel: &CancellationToken,
) -> Result<(RecordedCheckpoint, Plan), CheckpointError> {
    let disk = match perform::paths_without_base(checkpointer, requested_steps)? {
        Some(names) => Some(checkpointer.record(&names, &[], cancel)?),
        None => None,
    };
    let steps = perform::load_steps(checkpointer, requested_steps, disk.as_ref())?;
    let changed: Vec<_> = perform::changed_paths(&steps).into_iter().collect();
    let now = checkpointer.record(&changed, &[], cancel)?;
    let decisions: Decisions = changed.into_iter().map(|name| (name, decision)).collect();
    let plan = checkpointer.plan(&now, &steps, &decisions)?;
    Ok((now, plan))
}

/// Records the present state, restores, and records the result. Cannot be cancelled after the first change.
fn apply(
    checkpointer: &Checkpointer,
    session: &mut Session,
    target: &RestoreTarget,
    now: &RecordedCheckpoint,
    plan: &Plan,
) -> Result<RestoreResult, Report> {
    let unsaved = |error| Report::caused("the session cannot be written", &error);
    if !plan.changes.is_empty() || !checkpoints::is_restorable(session.tree(), &now.id.to_string()) {
        session.append(checkpoint_of(checkpointer.root(), When::Left, now).body()).map_err(unsaved)?;
    }
    let undo = session.leaf().map(str::to_string);
    if let RestoreTarget::To(entry, RestoreScope::Conversation | RestoreScope::Both) = target {
        // Before the user's message, since the files were recorded there.
        let (leaf, _) = session.branch_point(entry).map_err(unsaved)?;
        session.branch(leaf.as_deref()).map_err(unsaved)?;
    }
    // Synced before anything is overwritten.
    session.sync().map_err(unsaved)?;
    let applied = checkpointer.apply(now, plan, &mut NoOpenFiles);
    let unrecorded = record_after(checkpointer, session, undo).err();
    Ok(RestoreResult { applied, unrecorded })
}

/// Records the state after the restore; `undo` is the entry that leads back.
fn record_after(
    checkpointer: &Checkpointer,
    session: &mut Session,
    undo: Option<String>,
) -> Result<(), Report> {
    let unsaved = |error| Report::caused("the session cannot be written", &error);
    let after = checkpointer.record(&[], &[], &CancellationToken::new());
    let after = after.map_err(|error| Report::caused("cannot record the state after the restore", &error))?;
    let state = Checkpoint { undo, ..checkpoint_of(checkpointer.root(), When::Restored, &after) };
    session.append(state.body()).map_err(unsaved)?;
    session.sync().map_err(unsaved)
}

fn describe(preview: &Preview, decision: Decision, done: Option<&RestoreResult>) -> CommandOutput {
    let applied = done.map(|done| &done.applied);
    let conflicts = || preview.files.iter().filter_map(|file| file.conflict.as_ref());
    let mut lines = Vec::new();
    for file in &preview.files {
        let counts = file
            .diff
            .as_ref()
            .map_or_else(String::new, |diff| format!("  +{} -{}", diff.added, diff.removed));
        let note = match &file.conflict {
            Some(conflict) => format!("  {}: {}", conflict.reason.text(), conflict.decision.outcome()),
            None if file.merged => "  merged".to_string(),
            None => String::new(),
        };
        lines.push(format!("{} {}{counts}{note}", file.letter(), file.name));
        let rows = file.diff.iter().flat_map(|diff| &diff.rows).filter(|_| applied.is_none());
        lines.extend(rows.map(|row| match row {
            Some(row) => format!("    {}{}", row.sign, row.text),
            None => "    ...".to_string(),
        }));
    }
    lines.extend(preview.skipped.iter().map(|(name, reason)| format!("= {name}  kept: {reason}")));
    for (name, reason) in applied.iter().flat_map(|applied| &applied.failed) {
        lines.push(format!("! {name}  {reason}"));
    }
    let unrecorded = done.and_then(|done| done.unrecorded.as_ref());
    lines.extend(unrecorded.map(|report| format!("! {report}")));
    if preview.files.is_empty() {
        lines.push("Nothing to restore.".to_string());
    } else if decision == Decision::Ours && preview.conflicts() > 0 {
        lines.push("Conflicts (U) keep your version; to change: --take theirs or --take beside.".to_string());
    }
    let refused = applied.is_some_and(|applied| !applied.failed.is_empty());
    let complete =
        !refused && unrecorded.is_none() && conflicts().all(|conflict| conflict.decision == decision);
    let value = json!({
        "files": preview.files.iter().map(PreviewPath::json).collect::<Vec<_>>(),
        "left": preview.skipped.iter().map(|(name, reason)| json!({"path": name.to_string(), "why": reason})).collect::<Vec<_>>(),
        "done": applied.map(|applied| applied.done),
        "failed": applied.map(|applied| {
            let failed = applied.failed.iter().map(|(name, reason)| json!({"path": name.to_string(), "why": reason}));
            failed.collect::<Vec<_>>()
        }),
        "unrecorded": unrecorded.map(ToString::to_string),
    });
    CommandOutput { text: lines.join("\n"), value, complete }
}
