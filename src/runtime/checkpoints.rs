//! Records the state of the workspace before calls that may change it, and after them.
//!
//! Must not know conversations: what is recorded waits here until the session's owner writes it down. The work
//! goes on whatever goes wrong here; the person is told once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::event::RuntimeEvent;
use super::hub::Hub;
use super::options::Options;
use crate::base::error::Report;
use crate::exec::Environment;
use crate::session::checkpoints::{Checkpoint, LEFT_OUT_MAX, When};
use crate::tools::Witness;
use crate::workspace::checkpoint::{CheckpointError, Files, Keeper, Limits, Name, Node, Oid, Taken};

/// Names of what was left out that the person is told.
const TOLD_MAX: usize = 5;

/// Has the session's owner write down what was recorded, and waits for that. Must not keep the session alive.
pub type Write = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// The checkpoints of one session. Cheap to clone.
#[derive(Clone)]
pub struct Checkpoints(Arc<Inner>);

struct Inner {
    base: PathBuf,
    root: PathBuf,
    own: Vec<PathBuf>,
    hub: Hub,
    /// Has the session's owner write down what was recorded.
    write: Write,
    /// Made with the first change; `None` where it cannot be.
    keeper: OnceCell<Option<Arc<Keeper>>>,
    round: tokio::sync::Mutex<Option<Round>>,
    /// What was recorded and is not in the session's file yet, in order.
    unwritten: Mutex<Vec<Checkpoint>>,
    told: Mutex<Told>,
    /// Ends what is under way when the session ends.
    cancel: CancellationToken,
}

/// A round of calls that has begun to change files.
struct Round {
    files: Arc<Files>,
    /// When it began, in milliseconds since the epoch.
    at_ms: u64,
    /// What calls have named.
    named: HashSet<Name>,
}

/// What the person has been told already.
#[derive(Default)]
struct Told {
    failure: bool,
    left_out: bool,
}

impl Checkpoints {
    /// For a session's workspace; nothing is read or made yet. Nothing where they are not wanted.
    pub fn new(options: &Options, hub: Hub, write: Write) -> Option<Self> {
        let home = &options.home;
        options.checkpoints.then(|| {
            Self(Arc::new(Inner {
                base: home.checkpoints(),
                root: options.cwd.clone(),
                own: vec![home.data.clone(), home.state.clone(), home.cache.clone()],
                hub,
                write,
                keeper: OnceCell::new(),
                round: tokio::sync::Mutex::default(),
                unwritten: Mutex::default(),
                told: Mutex::default(),
                cancel: CancellationToken::new(),
            }))
        })
    }

    /// The keeper of the workspace; the error is told to whoever asked for it, and to the person once.
    pub(super) async fn keeper(&self) -> Result<Arc<Keeper>, Report> {
        let inner = &self.0;
        let made = inner.keeper.get_or_init(|| async {
            let (base, root, own) = (inner.base.clone(), inner.root.clone(), inner.own.clone());
            match blocking(move || Keeper::open(&base, &root, &own, Limits::default())).await {
                Ok(keeper) => Some(Arc::new(keeper)),
                Err(report) => {
                    self.failed(&report).await;
                    None
                }
            }
        });
        made.await
            .clone()
            .ok_or_else(|| Report::new("this folder has no checkpoints, since they cannot be kept"))
    }

    /// Records the state of now. `instead` are contents that count in place of those on the disk.
    pub(super) async fn take(
        &self,
        extra: Vec<Name>,
        instead: Vec<(Name, Vec<u8>)>,
    ) -> Result<Taken, Report> {
        let keeper = self.keeper().await?;
        let cancel = self.0.cancel.clone();
        blocking(move || keeper.take(&extra, &instead, &cancel)).await
    }

    /// A recorded state as an entry for the session.
    pub(super) fn entry(&self, at: When, taken: &Taken) -> Checkpoint {
        let files = taken.files.values().filter(|node| node.oid().is_some()).count();
        let left_out = taken.left_out.iter().take(LEFT_OUT_MAX).map(|(name, _)| name.to_string()).collect();
        let root = self.0.keeper.get().and_then(Option::as_ref).map_or(&*self.0.root, |keeper| keeper.root());
        Checkpoint {
            at,
            tree: taken.id.to_string(),
            root: root.to_string_lossy().into_owned(),
            files,
            left_out,
            left_out_count: taken.left_out.len(),
        }
    }

    /// What was recorded and is not in the session's file yet.
    pub(super) fn unwritten(&self) -> Vec<Checkpoint> {
        std::mem::take(&mut *lock(&self.0.unwritten))
    }

    /// A round of calls is over: the state after it is recorded by a task, if there was one before.
    pub(super) fn end_round(&self) -> JoinHandle<()> {
        let this = self.clone();
        tokio::spawn(async move {
            let mut round = this.0.round.lock().await;
            let Some(ended) = round.take() else { return };
            match this.take(ended.named.into_iter().collect(), Vec::new()).await {
                Ok(taken) => this.recorded(When::After, &taken).await,
                Err(report) => this.failed(&report).await,
            }
        })
    }

    /// Ends what is under way; nothing more is recorded.
    pub(super) fn end(&self) {
        self.0.cancel.cancel();
    }

    async fn recorded(&self, at: When, taken: &Taken) {
        lock(&self.0.unwritten).push(self.entry(at, taken));
        self.tell_left_out(taken).await;
    }

    /// Records the state before a call, or adds to it what the call names and nobody saw.
    async fn before_call(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) {
        // What did not work once in a folder, as where it is too large, would only be waited for again.
        if lock(&self.0.told).failure {
            return;
        }
        let Ok(keeper) = self.keeper().await else { return };
        let contents = contents(&*env, keeper.root(), paths).await;
        let named: Vec<Name> = contents.iter().map(|(name, _)| name.clone()).collect();
        let with: Vec<(Name, Vec<u8>)> =
            contents.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect();
        let mut round = self.0.round.lock().await;
        if let Some(open) = &mut *round {
            let new: HashSet<Name> =
                named.into_iter().filter(|name| open.named.insert(name.clone())).collect();
            let with = with.into_iter().filter(|(name, _)| new.contains(name)).collect();
            match add(keeper, open, with).await {
                Ok(Some(taken)) => {
                    open.files = Arc::clone(&taken.files);
                    self.recorded(When::Before, &taken).await;
                }
                Ok(None) => return,
                Err(report) => return self.failed(&report).await,
            }
        } else {
            match self.take(named.clone(), with).await {
                Ok(taken) => {
                    let (files, at_ms) = (Arc::clone(&taken.files), taken.at_ms);
                    *round = Some(Round { files, at_ms, named: named.into_iter().collect() });
                    self.recorded(When::Before, &taken).await;
                }
                Err(report) => return self.failed(&report).await,
            }
        }
        // Whoever waits for the round while the session's owner waits for him must not wait for this.
        drop(round);
        (self.0.write)().await;
    }

    async fn failed(&self, report: &Report) {
        tracing::warn!(%report, "no checkpoint");
        if self.0.cancel.is_cancelled() || std::mem::replace(&mut lock(&self.0.told).failure, true) {
            return;
        }
        let told = Report::new(format!("what changes now cannot be brought back: {}", report.message));
        let hint = report.hint.clone().unwrap_or_else(|| {
            "the work goes on; an ignore file may leave out what is large (docs/checkpoints.md)".to_string()
        });
        self.0.hub.tell(RuntimeEvent::Failed(told.hint(hint))).await;
    }

    async fn tell_left_out(&self, taken: &Taken) {
        if taken.left_out.is_empty() || std::mem::replace(&mut lock(&self.0.told).left_out, true) {
            return;
        }
        let names =
            taken.left_out.iter().take(TOLD_MAX).map(|(name, why)| format!("{name} ({})", why.words()));
        let mut names = names.collect::<Vec<_>>().join(", ");
        if taken.left_out.len() > TOLD_MAX {
            names.push_str(&format!(" and {} more", taken.left_out.len() - TOLD_MAX));
        }
        let told =
            Report::new(format!("not in the checkpoints, so changes of it cannot be brought back: {names}"));
        self.0.hub.tell(RuntimeEvent::Failed(told)).await;
    }
}

impl Witness for Checkpoints {
    fn before(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) -> BoxFuture<'_, ()> {
        self.before_call(env, paths).boxed()
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work on the store on a thread that may block.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CheckpointError> + Send + 'static,
) -> Result<T, Report> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(|error| Report::caused("a checkpoint was given up", &error))?;
    done.map_err(|error| Report::caused("no checkpoint of the folder", &error))
}

/// The files of the workspace among these paths, with what they hold for whoever works there: the unsaved text of
/// one that is open. Nothing where there is no file, or where it is too large.
pub(super) async fn contents(
    env: &dyn Environment,
    root: &Path,
    paths: Vec<PathBuf>,
) -> Vec<(Name, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for path in paths {
        let real = env.resolve(&path).await.unwrap_or_else(|_| path.clone());
        let Some(name) = Name::below(root, &real) else { continue };
        let small = env.stat(&real).await.is_ok_and(|facts| facts.size <= Limits::default().file);
        let data = if small { env.read(&real).await.ok() } else { None };
        found.push((name, data.map(|data| data.bytes)));
    }
    found
}

/// Adds to the state before a round what nobody has recorded of files that the round has not touched yet: ignored
/// ones, and the unsaved text of open ones.
async fn add(
    keeper: Arc<Keeper>,
    round: &Round,
    with: Vec<(Name, Vec<u8>)>,
) -> Result<Option<Taken>, Report> {
    let (files, at_ms) = (Arc::clone(&round.files), round.at_ms);
    blocking(move || {
        let mut new = Vec::new();
        for (name, bytes) in with {
            let is = files.get(&name).copied();
            let oid = Oid::of(crate::workspace::checkpoint::object::Kind::Blob, &bytes);
            if is.and_then(Node::oid) == Some(oid) || !keeper.is_older(&name, at_ms) {
                continue;
            }
            let rights = match is {
                Some(Node::File { rights, .. }) => rights,
                _ => 0o644,
            };
            new.push((name, Node::File { rights, oid: keeper.keep(&bytes)? }));
        }
        if new.is_empty() { Ok(None) } else { keeper.amend(&files, &new).map(Some) }
    })
    .await
}
