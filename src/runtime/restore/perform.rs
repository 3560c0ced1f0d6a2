//! Restores the conversation, the files of the workspace, or both to an entry; and reverts the changes of one
//! turn.
//!
//! Must not know who asks. The present state is recorded first, so that every restore can be undone.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Handle as Runtime;

use super::checkpoints::{Checkpoints, blocking, workspace_contents};
use super::target::{Preview, PreviewPath, RestoreScope, RestoreTarget, Restored};
use crate::agent::driver::Driver;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::patch::diff;
use crate::runtime::history::recorder::Recorder;
use crate::session::Session;
use crate::session::restore::checkpoints::Checkpoint;
use crate::session::restore::steps::{self, RestoreStep};
use crate::workspace::checkpoint::apply::{self, OpenFileWriter};
use crate::workspace::checkpoint::merge::is_text;
use crate::workspace::checkpoint::object::Kind;
use crate::workspace::checkpoint::plan::differences;
use crate::workspace::checkpoint::{
    CheckpointError, Checkpointer, Decisions, Files, Name, Node, Oid, Plan, RecordedCheckpoint, Step,
};

/// Bytes of text that a preview compares; beyond that only file names are shown.
const COMPARED_MAX: usize = 32 << 20;

/// Returns the restore steps for the files, each from one state to another; empty when files are not touched.
pub fn restore_steps(session: &Session, target: &RestoreTarget) -> Result<Vec<RestoreStep>, Report> {
    match target {
        RestoreTarget::To(_, RestoreScope::Conversation) => Ok(Vec::new()),
        RestoreTarget::To(entry, _) => steps::steps_to(session.tree(), entry).ok_or_else(|| {
            Report::new("no recorded state of the files")
                .hint("they are recorded from the first change of an agent on")
        }),
        RestoreTarget::RevertTurn(entry) => {
            let steps = steps::revert_steps(session.tree(), entry);
            if steps.is_empty() { Err(Report::new("this turn changed no files")) } else { Ok(steps) }
        }
    }
}

/// A restore of files with its computed plan.
struct PreparedRestore {
    checkpointer: Arc<Checkpointer>,
    now: RecordedCheckpoint,
    plan: Plan,
    open: HashSet<Name>,
    recorded: RecordedContents,
}

/// Paths and contents in the states of a restore.
type RecordedContents = HashSet<(Name, Oid)>;

fn content_key(name: &Name, bytes: &[u8]) -> (Name, Oid) {
    (name.clone(), Oid::of(Kind::Blob, bytes))
}

async fn prepare(
    driver: &mut Driver<Recorder>,
    target: &RestoreTarget,
    decisions: Decisions,
) -> Result<Option<PreparedRestore>, Report> {
    if driver.is_working() {
        return Err(Report::new("the agent is working").hint("interrupt it first (Escape)"));
    }
    if matches!(target, RestoreTarget::To(_, RestoreScope::Conversation)) {
        return Ok(None);
    }
    let kept = driver.listener().checkpoints();
    if kept.as_ref().is_some_and(Checkpoints::has_working_subagents) {
        let error = Report::new("agents that the agent has started are still working");
        return Err(error.hint("wait for them, or interrupt them (Escape)"));
    }
    driver.listener().write_all_checkpoints().await;
    let wanted = restore_steps(driver.listener().session(), target)?;
    let kept = kept
        .ok_or_else(|| Report::new("checkpoints are off").hint("the setting `checkpoints` turns them on"))?;
    let checkpointer = kept.checkpointer().await?;
    check_folder(&wanted, checkpointer.root())?;
    let (reader, names) = (Arc::clone(&checkpointer), wanted.clone());
    let open_ended = blocking(move || paths_without_base(&reader, &names)).await?;
    let disk = match open_ended {
        Some(names) => Some(kept.record(names, Vec::new()).await?),
        None => None,
    };
    let reader = Arc::clone(&checkpointer);
    let steps = blocking(move || load_steps(&reader, &wanted, disk.as_ref())).await?;
    let env = Arc::clone(&driver.services().tools.env);
    let changed = changed_paths(&steps);
    let open = open_files(&*env, &checkpointer).await;
    let paths: Vec<PathBuf> =
        open.intersection(&changed).map(|name| name.under(checkpointer.root())).collect();
    let unsaved = workspace_contents(&*env, checkpointer.root(), paths).await;
    let sides = steps.iter().flat_map(|step| step.base.iter().chain(step.target.iter()));
    let recorded: RecordedContents =
        sides.filter_map(|(name, node)| Some((name.clone(), node.oid()?))).collect();
    let mut instead = Vec::new();
    for (name, bytes) in unsaved.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))) {
        // An open file that is gone from disk has no unsaved text if its text was recorded.
        let is_missing = env.stat(&name.under(checkpointer.root())).await.is_err();
        if !is_missing || !recorded.contains(&content_key(&name, &bytes)) {
            instead.push((name, bytes));
        }
    }
    let now = kept.record(changed.into_iter().collect(), instead).await?;
    let (planner, taken) = (Arc::clone(&checkpointer), now.clone());
    let plan = blocking(move || planner.plan(&taken, &steps, &decisions)).await?;
    Ok(Some(PreparedRestore { checkpointer, now, plan, open, recorded }))
}

/// Returns the paths that the steps change.
pub fn changed_paths(steps: &[Step]) -> HashSet<Name> {
    let changes = steps.iter().flat_map(|step| differences(&step.base, &step.target));
    changes.map(|change| change.name).collect()
}

/// Fails if the states belong to another folder.
pub fn check_folder(steps: &[RestoreStep], root: &Path) -> Result<(), Report> {
    let root = root.to_string_lossy();
    match steps.iter().find(|step| step.target.root != root) {
        Some(other) => {
            let other = &other.target.root;
            let error = Report::new(format!("these files were recorded in another folder: {other}"));
            Err(error.hint("start bowline there"))
        }
        None => Ok(()),
    }
}

/// Loads a recorded state.
pub(super) fn load_state(
    checkpointer: &Checkpointer,
    state: &Checkpoint,
) -> Result<Arc<Files>, CheckpointError> {
    checkpointer.load(Oid::parse(&state.tree).ok_or(CheckpointError::Missing(Oid([0; 20])))?)
}

/// Returns whether the steps start from the present disk because no state was recorded there, as after a
/// crash; and the ignored paths that must then be read, too.
pub fn paths_without_base(
    checkpointer: &Checkpointer,
    steps: &[RestoreStep],
) -> Result<Option<Vec<Name>>, CheckpointError> {
    let mut names = None;
    for step in steps.iter().filter(|step| step.base.is_none()) {
        let target = load_state(checkpointer, &step.target)?;
        names.get_or_insert_with(Vec::new).extend(target.ignored().iter().cloned());
    }
    Ok(names)
}

/// Loads the states of the steps; `disk` is the present state, for steps that start from it.
pub fn load_steps(
    checkpointer: &Checkpointer,
    steps: &[RestoreStep],
    disk: Option<&RecordedCheckpoint>,
) -> Result<Vec<Step>, CheckpointError> {
    let step = |restore_step: &RestoreStep| {
        let base = match (&restore_step.base, disk) {
            (Some(base), _) => load_state(checkpointer, base)?,
            (None, Some(disk)) => Arc::clone(&disk.files),
            (None, None) => return Err(CheckpointError::Missing(Oid([0; 20]))),
        };
        Ok(Step::between(&base, &*load_state(checkpointer, &restore_step.target)?))
    };
    steps.iter().map(step).collect()
}

/// Returns the files of the workspace that are open in an editor.
async fn open_files(env: &dyn Environment, checkpointer: &Checkpointer) -> HashSet<Name> {
    env.open_files().await.iter().filter_map(|path| Name::below(checkpointer.root(), path)).collect()
}

/// Returns the preview of a restore.
pub(in crate::runtime) async fn preview(
    driver: &mut Driver<Recorder>,
    target: RestoreTarget,
    decisions: Decisions,
) -> Result<Preview, Report> {
    let Some(PreparedRestore { checkpointer, plan, .. }) = prepare(driver, &target, decisions).await? else {
        return Ok(Preview { target, files: Vec::new(), skipped: Vec::new() });
    };
    blocking(move || Ok(to_preview(&checkpointer, target, plan))).await
}

/// Returns a plan in the form for display.
pub fn to_preview(checkpointer: &Checkpointer, target: RestoreTarget, plan: Plan) -> Preview {
    let mut texts = TextDiffs::of(checkpointer);
    let mut files = Vec::new();
    for change in plan.changes {
        let (name, from, to) = (change.name, change.from, change.to);
        let both = plan.conflicts.iter().any(|conflict| conflict.name == name);
        if both || is_implied(from, to) {
            continue;
        }
        let merged = plan.merged.contains(&name);
        files.push(PreviewPath { diff: texts.diff(from, to), name, from, to, merged, conflict: None });
    }
    for conflict in plan.conflicts {
        let (from, to) = (conflict.ours, conflict.theirs);
        let name = conflict.name.clone();
        files.push(PreviewPath {
            diff: texts.diff(from, to),
            name,
            from,
            to,
            merged: false,
            conflict: Some(conflict),
        });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let skipped = plan.skipped.into_iter().map(|(name, reason)| (name, reason.text())).collect();
    Preview { target, files, skipped }
}

/// Whether a change is only of a folder, which the files in it imply.
pub(super) fn is_implied(from: Option<Node>, to: Option<Node>) -> bool {
    let folder = |node: Option<Node>| node.is_none_or(Node::is_folder);
    folder(from) && folder(to) && from.is_some() != to.is_some()
}

/// Diffs of recorded texts, up to a total number of bytes.
pub(super) struct TextDiffs<'a> {
    checkpointer: &'a Checkpointer,
    left_to_compare: usize,
}

impl<'a> TextDiffs<'a> {
    pub(super) fn of(checkpointer: &'a Checkpointer) -> Self {
        Self { checkpointer, left_to_compare: COMPARED_MAX }
    }

    /// Returns the diff of two nodes; `None` if one of them is not text, or too much was compared already.
    pub(super) fn diff(&mut self, from: Option<Node>, to: Option<Node>) -> Option<diff::LineDiff> {
        Some(diff::lines(&self.text(from)?, &self.text(to)?))
    }

    fn text(&mut self, node: Option<Node>) -> Option<String> {
        let store = self.checkpointer.store();
        match node {
            None => Some(String::new()),
            Some(Node::Link(oid)) => apply::link_target(store, oid).ok(),
            Some(Node::File { oid, .. }) => {
                let bytes = store.blob(oid).ok().filter(|bytes| is_text(bytes))?;
                self.left_to_compare = self.left_to_compare.checked_sub(bytes.len())?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            Some(Node::Folder(_) | Node::Unrecorded) => None,
        }
    }
}

/// A restore in progress: the present state is recorded.
pub(in crate::runtime) struct StartedRestore {
    target: RestoreTarget,
    prepared: Option<PreparedRestore>,
    undo: Option<String>,
}

/// Computes the plan and records the present state.
pub(in crate::runtime) async fn begin(
    driver: &mut Driver<Recorder>,
    target: RestoreTarget,
    decisions: Decisions,
) -> Result<StartedRestore, Report> {
    let worked = prepare(driver, &target, decisions).await?;
    let undo = match &worked {
        Some(PreparedRestore { now, plan, .. }) => {
            driver.listener().record_before_restore(now, !plan.changes.is_empty()).await
        }
        None => None,
    };
    Ok(StartedRestore { target, prepared: worked, undo })
}

/// Writes the files, and records the result.
pub(in crate::runtime) async fn finish(
    driver: &mut Driver<Recorder>,
    begun: StartedRestore,
) -> Result<Restored, Report> {
    let StartedRestore { target, prepared: worked, undo } = begun;
    let Some(PreparedRestore { checkpointer, now, plan, open, recorded }) = worked else {
        return Ok(Restored::without_files(target));
    };
    let env = Arc::clone(&driver.services().tools.env);
    let Plan { conflicts, merged, .. } = plan.clone();
    let applied = blocking(move || {
        let mut held = OpenFiles {
            env,
            checkpointer: Arc::clone(&checkpointer),
            open,
            recorded,
            runtime: Runtime::current(),
        };
        Ok(checkpointer.apply(&now, &plan, &mut held))
    })
    .await?;
    driver.listener().record_after_restore(undo.clone()).await;
    Ok(Restored { target, applied, conflicts, merged, undo, message: None })
}

/// Writes open files through the editor that has them open.
struct OpenFiles {
    env: Arc<dyn Environment>,
    checkpointer: Arc<Checkpointer>,
    open: HashSet<Name>,
    recorded: RecordedContents,
    runtime: Runtime,
}

impl OpenFileWriter for OpenFiles {
    fn is_open(&self, name: &Name) -> bool {
        self.open.contains(name)
    }

    fn write(&mut self, name: &Name, before: Option<&[u8]>, after: Vec<u8>) -> Result<(), String> {
        let path = name.under(self.checkpointer.root());
        let done = async {
            let stamp = match (before, self.env.read(&path).await) {
                (Some(before), Ok(data)) if data.bytes == before => Some(data.stamp),
                // Deleted from disk but still open: no text is lost if it was recorded.
                (None, Ok(data)) if self.recorded.contains(&content_key(name, &data.bytes)) => {
                    Some(data.stamp)
                }
                (None, Err(_)) => None,
                (Some(_), Err(error)) => return Err(error),
                (_, Ok(_)) => return Err(crate::exec::EnvError::Stale(path.clone())),
            };
            self.env.write(&path, after, stamp).await
        };
        self.runtime.block_on(done).map(drop).map_err(|error| error.to_string())
    }
}
