//! Records the state of the workspace before calls that may change it, and after them.
//!
//! Must not know conversations: what is recorded waits here until the session's owner writes it down. The work
//! goes on whatever goes wrong here; the user is told once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::OnceCell;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::base::error::Report;
use crate::exec::Environment;
use crate::runtime::events::event::RuntimeEvent;
use crate::runtime::events::hub::Hub;
use crate::runtime::lifecycle::options::Options;
use crate::session::restore::checkpoints::{Checkpoint, LEFT_OUT_MAX, When};
use crate::tools::BeforeChangeHook;
use crate::workspace::checkpoint::{
    CheckpointError, Checkpointer, Files, Limits, Name, Node, Oid, TakenCheckpoint,
};

/// Names of what was left out that the user is told.
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
    /// Made with the first change; where it cannot be, the next one tries again.
    keeper: OnceCell<Arc<Checkpointer>>,
    open: tokio::sync::Mutex<Open>,
    /// Agents beside the session's own that are working.
    others: AtomicUsize,
    /// Whether the session's own is.
    in_turn: AtomicBool,
    /// What was recorded and is not in the session's file yet, in order.
    unwritten: Mutex<Vec<Checkpoint>>,
    told: Mutex<Reported>,
    /// Ends what is under way when the session ends.
    cancel: CancellationToken,
}

/// What has been recorded before a change, and not yet after it.
#[derive(Default)]
struct Open {
    round: Option<Round>,
    /// Whether the last round was not the end of it: agents worked on, or the look at it failed.
    unclosed: bool,
}

/// A round of calls that has begun to change files.
struct Round {
    files: Arc<Files>,
    /// When it began, in milliseconds since the epoch.
    at_ms: u64,
    /// What calls have named.
    named: HashSet<Name>,
}

/// What the user has been told already.
#[derive(Default)]
struct Reported {
    failure: bool,
    left_out: bool,
    /// Looks that took too long, one after the other.
    slow: u32,
    /// Whether the folder is too large, so that every further look would only be waited for.
    lasting: bool,
}

/// Looks that take too long before no further one is waited for.
const SLOW_MAX: u32 = 2;

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
                open: tokio::sync::Mutex::default(),
                others: AtomicUsize::default(),
                in_turn: AtomicBool::default(),
                unwritten: Mutex::default(),
                told: Mutex::default(),
                cancel: CancellationToken::new(),
            }))
        })
    }

    /// The keeper of the workspace; the error is told to whoever asked for it, and to the user once.
    pub(super) async fn keeper(&self) -> Result<Arc<Checkpointer>, Report> {
        let inner = &self.0;
        let made = inner.keeper.get_or_try_init(|| async {
            let (base, root, own) = (inner.base.clone(), inner.root.clone(), inner.own.clone());
            let opened = blocking(move || Checkpointer::open(&base, &root, &own, Limits::default())).await;
            if let Err(report) = &opened {
                self.failed(report).await;
            }
            opened.map(Arc::new)
        });
        made.await.cloned()
    }

    /// Records the state of now. `instead` are contents that count in place of those on the disk.
    pub(in crate::runtime) async fn take(
        &self,
        extra: Vec<Name>,
        instead: Vec<(Name, Vec<u8>)>,
    ) -> Result<TakenCheckpoint, Report> {
        let keeper = self.keeper().await?;
        let cancel = self.0.cancel.clone();
        let this = self.clone();
        blocking(move || {
            let taken = keeper.take(&extra, &instead, &cancel);
            this.note(taken.as_ref().err());
            taken
        })
        .await
    }

    /// Notes whether it is of use to look again: a folder that is too large stays so, the rest may pass.
    fn note(&self, error: Option<&CheckpointError>) {
        let mut told = lock(&self.0.told);
        match error {
            Some(CheckpointError::TooMany(_) | CheckpointError::TooMuch(_)) => told.lasting = true,
            Some(CheckpointError::TooSlow(_)) => {
                told.slow += 1;
                told.lasting |= told.slow >= SLOW_MAX;
            }
            Some(_) => {}
            None => (told.slow, told.failure) = (0, false),
        }
    }

    /// Another agent than the session's own begins to work.
    pub(in crate::runtime) fn joins(&self) {
        self.0.others.fetch_add(1, Ordering::SeqCst);
    }

    /// It has stopped. What the last one left behind is recorded.
    pub(in crate::runtime) fn leaves(&self) {
        let fewer = |others: usize| others.checked_sub(1);
        let was = self.0.others.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer);
        if was == Ok(1) && !self.0.in_turn.load(Ordering::SeqCst) {
            let this = self.clone();
            tokio::spawn(async move {
                this.close_round().await;
                (this.0.write)().await;
            });
        }
    }

    /// Whether agents beside the session's own are working.
    pub(super) fn is_busy(&self) -> bool {
        self.0.others.load(Ordering::SeqCst) > 0
    }

    /// The session's own agent begins a turn, or has ended one.
    pub(in crate::runtime) fn in_turn(&self, is: bool) {
        self.0.in_turn.store(is, Ordering::SeqCst);
    }

    /// A recorded state as an entry for the session.
    pub(in crate::runtime) fn entry(&self, at: When, taken: &TakenCheckpoint) -> Checkpoint {
        state(self.0.keeper.get().map_or(&*self.0.root, |keeper| keeper.root()), at, taken)
    }

    /// What was recorded and is not in the session's file yet.
    pub(in crate::runtime) fn unwritten(&self) -> Vec<Checkpoint> {
        std::mem::take(&mut *lock(&self.0.unwritten))
    }

    /// A round of calls is over: the state after it is recorded by a task, if there was one before.
    pub(in crate::runtime) fn end_round(&self) -> JoinHandle<()> {
        let this = self.clone();
        tokio::spawn(async move { this.close_round().await })
    }

    /// Records the state after the last round, unless it is. While others work on it is one in between.
    pub(in crate::runtime) async fn close_round(&self) {
        let mut open = self.0.open.lock().await;
        let busy = self.is_busy();
        let named = match open.round.take() {
            Some(ended) => ended.named.into_iter().collect(),
            None if open.unclosed && !busy => Vec::new(),
            None => return,
        };
        match self.take(named, Vec::new()).await {
            Ok(taken) => {
                open.unclosed = busy;
                let state = Checkpoint { busy, ..self.entry(When::After, &taken) };
                self.recorded(state, &taken).await;
            }
            Err(report) => {
                open.unclosed = !lock(&self.0.told).lasting;
                self.failed(&report).await;
            }
        }
    }

    /// Ends what is under way; nothing more is recorded.
    pub(in crate::runtime) fn end(&self) {
        self.0.cancel.cancel();
    }

    async fn recorded(&self, state: Checkpoint, taken: &TakenCheckpoint) {
        lock(&self.0.unwritten).push(state);
        self.tell_left_out(taken).await;
    }

    /// Records the state before a call, or adds to it what the call names and nobody saw.
    async fn before_call(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) {
        if lock(&self.0.told).lasting {
            return;
        }
        let Ok(keeper) = self.keeper().await else { return };
        let contents = contents(&*env, keeper.root(), paths).await;
        let named: Vec<Name> = contents.iter().map(|(name, _)| name.clone()).collect();
        let with: Vec<(Name, Vec<u8>)> =
            contents.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect();
        let mut open = self.0.open.lock().await;
        if let Some(round) = &mut open.round {
            let new: HashSet<Name> =
                named.into_iter().filter(|name| round.named.insert(name.clone())).collect();
            let with = with.into_iter().filter(|(name, _)| new.contains(name)).collect();
            match add(keeper, round, with).await {
                Ok(Some(taken)) => {
                    round.files = Arc::clone(&taken.files);
                    let state = Checkpoint { more: true, ..self.entry(When::Before, &taken) };
                    self.recorded(state, &taken).await;
                }
                Ok(None) => return,
                Err(report) => return self.failed(&report).await,
            }
        } else {
            match self.take(named.clone(), with).await {
                Ok(taken) => {
                    let (files, at_ms) = (Arc::clone(&taken.files), taken.at_ms);
                    let round = Some(Round { files, at_ms, named: named.into_iter().collect() });
                    *open = Open { round, unclosed: false };
                    self.recorded(self.entry(When::Before, &taken), &taken).await;
                }
                Err(report) => return self.failed(&report).await,
            }
        }
        // Whoever waits for the round while the session's owner waits for him must not wait for this.
        drop(open);
        (self.0.write)().await;
    }

    async fn failed(&self, report: &Report) {
        tracing::warn!(%report, "no checkpoint");
        if self.0.cancel.is_cancelled() || std::mem::replace(&mut lock(&self.0.told).failure, true) {
            return;
        }
        let told = Report::new(format!("changes cannot be restored from now on: {}", report.message));
        let hint = report.hint.clone().unwrap_or_else(|| {
            "the work goes on; an ignore file may leave out what is large (docs/checkpoints.md)".to_string()
        });
        self.0.hub.tell(RuntimeEvent::Failed(told.hint(hint))).await;
    }

    async fn tell_left_out(&self, taken: &TakenCheckpoint) {
        if taken.left_out.is_empty() || std::mem::replace(&mut lock(&self.0.told).left_out, true) {
            return;
        }
        let names =
            taken.left_out.iter().take(TOLD_MAX).map(|(name, why)| format!("{name} ({})", why.words()));
        let mut names = names.collect::<Vec<_>>().join(", ");
        if taken.left_out.len() > TOLD_MAX {
            names.push_str(&format!(" and {} more", taken.left_out.len() - TOLD_MAX));
        }
        let told = Report::new(format!("not in the checkpoints, changes to it cannot be restored: {names}"));
        self.0.hub.tell(RuntimeEvent::Failed(told)).await;
    }
}

/// A recorded state of a folder as an entry for a session.
pub fn state(root: &Path, at: When, taken: &TakenCheckpoint) -> Checkpoint {
    Checkpoint {
        at,
        tree: taken.id.to_string(),
        root: root.to_string_lossy().into_owned(),
        files: taken.files.values().filter(|node| node.oid().is_some()).count(),
        left_out: taken.left_out.iter().take(LEFT_OUT_MAX).map(|(name, _)| name.to_string()).collect(),
        left_out_count: taken.left_out.len(),
        more: false,
        busy: false,
        undo: None,
    }
}

impl BeforeChangeHook for Checkpoints {
    fn before(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) -> BoxFuture<'_, ()> {
        self.before_call(env, paths).boxed()
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock()
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
pub(in crate::runtime) async fn contents(
    env: &dyn Environment,
    root: &Path,
    paths: Vec<PathBuf>,
) -> Vec<(Name, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for path in paths {
        let real = env.resolve(&path).await.unwrap_or_else(|_| path.clone());
        let Some(name) = Name::below(root, &real) else { continue };
        // One that is gone from the disk may still be open.
        let small = env.stat(&real).await.map_or(true, |facts| facts.size <= Limits::default().file);
        let data = if small { env.read(&real).await.ok() } else { None };
        found.push((name, data.map(|data| data.bytes)));
    }
    found
}

/// Adds to the state before a round what nobody has recorded of files that the round has not touched yet: ignored
/// ones, and the unsaved text of open ones.
async fn add(
    keeper: Arc<Checkpointer>,
    round: &Round,
    with: Vec<(Name, Vec<u8>)>,
) -> Result<Option<TakenCheckpoint>, Report> {
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
