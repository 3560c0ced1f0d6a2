//! Going back to another place of a session: the conversation, the files of the workspace, or both; and taking
//! back what one turn changed.
//!
//! Must not know who asks. What is there is recorded first, so that every way back has a way back.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Handle as Runtime;

use super::checkpoints::{blocking, contents};
use super::recorder::Recorder;
use super::ways::{Preview, Restored, Shown, Way, What};
use crate::agent::driver::Driver;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::patch::diff;
use crate::session::Session;
use crate::session::checkpoints::{self, Checkpoint};
use crate::workspace::checkpoint::apply::{self, Held};
use crate::workspace::checkpoint::merge::is_text;
use crate::workspace::checkpoint::plan::differences;
use crate::workspace::checkpoint::{
    CheckpointError, Decisions, Files, Keeper, Name, Node, Oid, Plan, Step, Taken,
};

/// Bytes of texts that a preview compares; of files beyond only the names are shown.
const COMPARED_MAX: usize = 32 << 20;

/// The steps of a way on the files, each from a state to another; none where they stay.
pub fn steps(session: &Session, way: &Way) -> Result<Vec<[Checkpoint; 2]>, Report> {
    match way {
        Way::To(_, What::Conversation) => Ok(Vec::new()),
        Way::To(entry, _) => {
            let target = checkpoints::at(session.tree(), entry).ok_or_else(|| {
                Report::new("nobody recorded how the files were there")
                    .hint("they are recorded from the first change of an agent on")
            })?;
            let base = checkpoints::last(session.entries()).unwrap_or_else(|| target.clone());
            Ok(vec![[base, target]])
        }
        Way::Without(entry) => {
            let turn = checkpoints::turn(session.tree(), entry);
            let rounds = turn.map(|turn| turn.rounds).unwrap_or_default();
            let changed = rounds.into_iter().filter(|(before, after)| before.tree != after.tree);
            let steps: Vec<_> = changed.map(|(before, after)| [after, before]).rev().collect();
            if steps.is_empty() { Err(Report::new("this turn changed no files")) } else { Ok(steps) }
        }
    }
}

/// A way on the files that is worked out.
struct Worked {
    keeper: Arc<Keeper>,
    now: Taken,
    plan: Plan,
    open: HashSet<Name>,
}

async fn work_out(
    driver: &mut Driver<Recorder>,
    way: &Way,
    decisions: Decisions,
) -> Result<Option<Worked>, Report> {
    if driver.working() {
        return Err(Report::new("the agent is working").hint("interrupt it first (Escape)"));
    }
    let wanted = steps(driver.listener().session(), way)?;
    if wanted.is_empty() {
        return Ok(None);
    }
    let kept = driver.listener().checkpoints();
    let kept = kept
        .ok_or_else(|| Report::new("checkpoints are off").hint("the setting `checkpoints` turns them on"))?;
    let keeper = kept.keeper().await?;
    are_here(&wanted, keeper.root())?;
    let reader = Arc::clone(&keeper);
    let steps = blocking(move || load(&reader, &wanted)).await?;
    let env = Arc::clone(&driver.services().tools.env);
    let changed = changed(&steps);
    let open = open(&*env, &keeper).await;
    let paths: Vec<PathBuf> = open.intersection(&changed).map(|name| name.under(keeper.root())).collect();
    let unsaved = contents(&*env, keeper.root(), paths).await;
    let instead = unsaved.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect();
    let now = kept.take(changed.into_iter().collect(), instead).await?;
    let (planner, taken) = (Arc::clone(&keeper), now.clone());
    let plan = blocking(move || planner.plan(&taken, &steps, &decisions)).await?;
    Ok(Some(Worked { keeper, now, plan, open }))
}

/// The paths that steps are about.
pub fn changed(steps: &[Step]) -> HashSet<Name> {
    let changes = steps.iter().flat_map(|step| differences(&step.base, &step.target));
    changes.map(|change| change.name).collect()
}

/// Whether states are those of this folder.
pub fn are_here(wanted: &[[Checkpoint; 2]], root: &Path) -> Result<(), Report> {
    let root = root.to_string_lossy();
    match wanted.iter().flatten().find(|state| state.root != root) {
        Some(other) => {
            let told = Report::new(format!("these files were recorded in another folder: {}", other.root));
            Err(told.hint("start bowline there"))
        }
        None => Ok(()),
    }
}

/// Reads the states of steps.
pub fn load(keeper: &Keeper, wanted: &[[Checkpoint; 2]]) -> Result<Vec<Step>, CheckpointError> {
    let load = |state: &Checkpoint| -> Result<Arc<Files>, CheckpointError> {
        keeper.load(Oid::parse(&state.tree).ok_or(CheckpointError::Missing(Oid([0; 20])))?)
    };
    let step = |[base, target]: &[Checkpoint; 2]| Ok(Step { base: load(base)?, target: load(target)? });
    wanted.iter().map(step).collect()
}

/// The files of the workspace that somebody has open.
async fn open(env: &dyn Environment, keeper: &Keeper) -> HashSet<Name> {
    env.open_files().await.iter().filter_map(|path| Name::below(keeper.root(), path)).collect()
}

/// Says what a way back would do.
pub(super) async fn preview(
    driver: &mut Driver<Recorder>,
    way: Way,
    decisions: Decisions,
) -> Result<Preview, Report> {
    let Some(Worked { keeper, plan, .. }) = work_out(driver, &way, decisions).await? else {
        return Ok(Preview { way, files: Vec::new(), left: Vec::new() });
    };
    blocking(move || Ok(show(&keeper, way, plan))).await
}

/// A plan as people see it.
pub fn show(keeper: &Keeper, way: Way, plan: Plan) -> Preview {
    let mut left_to_compare = COMPARED_MAX;
    let mut text = |node: Option<Node>| match node {
        None => Some(String::new()),
        Some(Node::Link(oid)) => apply::target(keeper.store(), oid).ok(),
        Some(Node::File { oid, .. }) => {
            let bytes = keeper.store().blob(oid).ok().filter(|bytes| is_text(bytes))?;
            left_to_compare = left_to_compare.checked_sub(bytes.len())?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        Some(Node::Folder(_) | Node::Unrecorded) => None,
    };
    let mut compared = |from, to| Some(diff::lines(&text(from)?, &text(to)?));
    let mut files = Vec::new();
    for change in plan.changes {
        let folder = |node: Option<Node>| node.is_none_or(Node::is_folder);
        let (name, from, to) = (change.name, change.from, change.to);
        let both = plan.conflicts.iter().any(|conflict| conflict.name == name);
        if both || folder(from) && folder(to) && from.is_some() != to.is_some() {
            continue;
        }
        let merged = plan.merged.contains(&name);
        files.push(Shown { diff: compared(from, to), name, from, to, merged, conflict: None });
    }
    for conflict in plan.conflicts {
        let (from, to) = (conflict.mine, conflict.theirs);
        let name = conflict.name.clone();
        files.push(Shown {
            diff: compared(from, to),
            name,
            from,
            to,
            merged: false,
            conflict: Some(conflict),
        });
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let left = plan.left.into_iter().map(|(name, why)| (name, why.words())).collect();
    Preview { way, files, left }
}

/// A way back that has begun: what was there is recorded.
pub(super) struct Begun {
    way: Way,
    worked: Option<Worked>,
    undo: Option<String>,
}

/// Works a way out and records what is there.
pub(super) async fn begin(
    driver: &mut Driver<Recorder>,
    way: Way,
    decisions: Decisions,
) -> Result<Begun, Report> {
    let worked = work_out(driver, &way, decisions).await?;
    let undo = match &worked {
        Some(Worked { now, .. }) => driver.listener().leave_state(now).await,
        None => None,
    };
    Ok(Begun { way, worked, undo })
}

/// Brings the files there, and records that.
pub(super) async fn finish(driver: &mut Driver<Recorder>, begun: Begun) -> Result<Restored, Report> {
    let Begun { way, worked, undo } = begun;
    let Some(Worked { keeper, plan, open, .. }) = worked else {
        return Ok(Restored::nothing(way));
    };
    let env = Arc::clone(&driver.services().tools.env);
    let Plan { conflicts, merged, .. } = plan.clone();
    let applied = blocking(move || {
        let mut held = OpenFiles { env, keeper: Arc::clone(&keeper), open, runtime: Runtime::current() };
        Ok(keeper.apply(&plan, &mut held))
    })
    .await?;
    driver.listener().arrive_at_state().await;
    Ok(Restored { way, applied, conflicts, merged, undo, said: None })
}

/// Writes open files where they are open.
struct OpenFiles {
    env: Arc<dyn Environment>,
    keeper: Arc<Keeper>,
    open: HashSet<Name>,
    runtime: Runtime,
}

impl Held for OpenFiles {
    fn has(&self, name: &Name) -> bool {
        self.open.contains(name)
    }

    fn write(&mut self, name: &Name, before: Option<&[u8]>, after: Vec<u8>) -> Result<(), String> {
        let path = name.under(self.keeper.root());
        let done = async {
            let stamp = match before {
                Some(before) => {
                    let data = self.env.read(&path).await?;
                    if data.bytes != before {
                        return Err(crate::exec::EnvError::Stale(path.clone()));
                    }
                    Some(data.stamp)
                }
                None => None,
            };
            self.env.write(&path, after, stamp).await
        };
        self.runtime.block_on(done).map(drop).map_err(|error| error.to_string())
    }
}
