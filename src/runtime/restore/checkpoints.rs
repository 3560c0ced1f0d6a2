//! Records checkpoints of the workspace before and after calls that may change it.
//!
//! Must not know conversations: checkpoints wait here until the session's owner writes them. A failure here
//! does not stop the agent; the user is notified once.

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
use crate::session::restore::checkpoints::{Checkpoint, SKIPPED_LISTED_MAX, When};
use crate::tools::BeforeChangeHook;
use crate::workspace::checkpoint::{
    CheckpointError, Checkpointer, Files, Limits, Name, Node, Oid, RecordedCheckpoint,
};

/// Number of omitted files that the notice names.
const NAMES_MAX: usize = 5;

/// Has the session's owner write recorded checkpoints, and waits for that. Must not keep the session alive.
pub type WriteCheckpoints = Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>;

/// The checkpoints of one session. Cheap to clone.
#[derive(Clone)]
pub struct Checkpoints(Arc<Inner>);

impl std::fmt::Debug for Checkpoints {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoints").field("root", &self.0.root).finish_non_exhaustive()
    }
}

struct Inner {
    base: PathBuf,
    root: PathBuf,
    own: Vec<PathBuf>,
    hub: Hub,
    /// Has the session's owner write recorded checkpoints.
    write: WriteCheckpoints,
    /// Created on the first change; after a failure the next change tries again.
    checkpointer: OnceCell<Arc<Checkpointer>>,
    open_round: tokio::sync::Mutex<OpenRound>,
    /// Number of working subagents.
    working_subagents: AtomicUsize,
    /// Whether the session's own agent is in a turn.
    in_turn: AtomicBool,
    /// Checkpoints that are not in the session's file yet, in order.
    unwritten: Mutex<Vec<Checkpoint>>,
    reported: Mutex<Reported>,
    /// Cancels work in progress when the session ends.
    cancel: CancellationToken,
}

/// State of a checkpoint taken before a change, until the one after it.
#[derive(Default)]
struct OpenRound {
    round: Option<Round>,
    /// Whether the last round is not complete: subagents worked on, or the scan failed.
    unclosed: bool,
}

/// A round of calls that has started to change files.
struct Round {
    files: Arc<Files>,
    /// When it began, in milliseconds since the epoch.
    at_ms: u64,
    /// Paths that calls have named.
    named: HashSet<Name>,
}

/// Notices that the user has already seen.
#[derive(Default)]
struct Reported {
    failure: bool,
    skipped: bool,
    /// Consecutive scans that took too long.
    slow_scans: u32,
    /// Whether the folder is too large, so that further scans are pointless.
    too_large: bool,
}

/// Number of slow scans after which scanning stops.
const SLOW_SCANS_MAX: u32 = 2;

impl Checkpoints {
    /// Creates it for a session's workspace without reading or writing; `None` when checkpoints are disabled.
    pub fn new(options: &Options, hub: Hub, write: WriteCheckpoints) -> Option<Self> {
        let home = &options.home;
        options.checkpoints.then(|| {
            Self(Arc::new(Inner {
                base: home.checkpoints(),
                root: options.cwd.clone(),
                own: vec![home.data.clone(), home.state.clone(), home.cache.clone()],
                hub,
                write,
                checkpointer: OnceCell::new(),
                open_round: tokio::sync::Mutex::default(),
                working_subagents: AtomicUsize::default(),
                in_turn: AtomicBool::default(),
                unwritten: Mutex::default(),
                reported: Mutex::default(),
                cancel: CancellationToken::new(),
            }))
        })
    }

    /// Returns the checkpointer of the workspace. An error goes to the caller, and once to the user.
    pub(super) async fn checkpointer(&self) -> Result<Arc<Checkpointer>, Report> {
        let inner = &self.0;
        let made = inner.checkpointer.get_or_try_init(|| async {
            let (base, root, own) = (inner.base.clone(), inner.root.clone(), inner.own.clone());
            let opened = blocking(move || Checkpointer::open(&base, &root, &own, Limits::default())).await;
            if let Err(report) = &opened {
                self.report_failure(report).await;
            }
            opened.map(Arc::new)
        });
        made.await.cloned()
    }

    /// Records the present state. `instead` are contents that take precedence over those on disk.
    pub(in crate::runtime) async fn record(
        &self,
        extra: Vec<Name>,
        instead: Vec<(Name, Vec<u8>)>,
    ) -> Result<RecordedCheckpoint, Report> {
        let checkpointer = self.checkpointer().await?;
        let cancel = self.0.cancel.clone();
        let this = self.clone();
        blocking(move || {
            let taken = checkpointer.record(&extra, &instead, &cancel);
            this.note_scan_result(taken.as_ref().err());
            taken
        })
        .await
    }

    /// Notes whether another scan makes sense: a folder that is too large stays so, other errors may pass.
    fn note_scan_result(&self, error: Option<&CheckpointError>) {
        let mut reported = lock(&self.0.reported);
        match error {
            Some(CheckpointError::TooMany(_) | CheckpointError::TooMuch(_)) => reported.too_large = true,
            Some(CheckpointError::TooSlow(_)) => {
                reported.slow_scans += 1;
                reported.too_large |= reported.slow_scans >= SLOW_SCANS_MAX;
            }
            Some(_) => {}
            None => (reported.slow_scans, reported.failure) = (0, false),
        }
    }

    /// A subagent starts to work.
    pub(in crate::runtime) fn subagent_started(&self) {
        self.0.working_subagents.fetch_add(1, Ordering::SeqCst);
    }

    /// A subagent has stopped. After the last one the remaining changes are recorded.
    pub(in crate::runtime) fn subagent_stopped(&self) {
        let fewer = |others: usize| others.checked_sub(1);
        let was = self.0.working_subagents.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer);
        if was == Ok(1) && !self.0.in_turn.load(Ordering::SeqCst) {
            let this = self.clone();
            tokio::spawn(async move {
                this.close_round().await;
                (this.0.write)().await;
            });
        }
    }

    /// Whether subagents are working.
    pub(super) fn has_working_subagents(&self) -> bool {
        self.0.working_subagents.load(Ordering::SeqCst) > 0
    }

    /// The session's own agent starts or ends a turn.
    pub(in crate::runtime) fn set_in_turn(&self, is: bool) {
        self.0.in_turn.store(is, Ordering::SeqCst);
    }

    /// Returns a recorded state as an entry for the session.
    pub(in crate::runtime) fn checkpoint_entry(&self, at: When, taken: &RecordedCheckpoint) -> Checkpoint {
        checkpoint_of(
            self.0.checkpointer.get().map_or(&*self.0.root, |checkpointer| checkpointer.root()),
            at,
            taken,
        )
    }

    /// Returns the checkpoints that are not in the session's file yet.
    pub(in crate::runtime) fn take_unwritten(&self) -> Vec<Checkpoint> {
        std::mem::take(&mut *lock(&self.0.unwritten))
    }

    /// Ends a round of calls: a task records the state after it, if there was one before.
    pub(in crate::runtime) fn end_round(&self) -> JoinHandle<()> {
        let this = self.clone();
        tokio::spawn(async move { this.close_round().await })
    }

    /// Records the state after the last round, if it is missing. While subagents work it is an intermediate
    /// one.
    pub(in crate::runtime) async fn close_round(&self) {
        let mut open = self.0.open_round.lock().await;
        let busy = self.has_working_subagents();
        let named = match open.round.take() {
            Some(ended) => ended.named.into_iter().collect(),
            None if open.unclosed && !busy => Vec::new(),
            None => return,
        };
        match self.record(named, Vec::new()).await {
            Ok(taken) => {
                open.unclosed = busy;
                let state = Checkpoint { busy, ..self.checkpoint_entry(When::After, &taken) };
                self.add_recorded(state, &taken).await;
            }
            Err(report) => {
                open.unclosed = !lock(&self.0.reported).too_large;
                self.report_failure(&report).await;
            }
        }
    }

    /// Waits until a state that is being recorded is in the session's file. Must not be called by the session's
    /// owner, on which that depends.
    pub(super) async fn wait_written(&self) {
        drop(self.0.open_round.lock().await);
        (self.0.write)().await;
    }

    /// Cancels work in progress; nothing more is recorded.
    pub(in crate::runtime) fn cancel(&self) {
        self.0.cancel.cancel();
    }

    async fn add_recorded(&self, state: Checkpoint, taken: &RecordedCheckpoint) {
        lock(&self.0.unwritten).push(state);
        self.report_skipped(taken).await;
    }

    /// Records the state before a call, or adds the files that the call names and that were not scanned.
    async fn before_call(&self, env: Arc<dyn Environment>, paths: Vec<PathBuf>) {
        if lock(&self.0.reported).too_large {
            return;
        }
        let Ok(checkpointer) = self.checkpointer().await else { return };
        let contents = workspace_contents(&*env, checkpointer.root(), paths).await;
        let named: Vec<Name> = contents.iter().map(|(name, _)| name.clone()).collect();
        let with: Vec<(Name, Vec<u8>)> =
            contents.into_iter().filter_map(|(name, bytes)| Some((name, bytes?))).collect();
        let mut open = self.0.open_round.lock().await;
        if let Some(round) = &mut open.round {
            let new: HashSet<Name> =
                named.into_iter().filter(|name| round.named.insert(name.clone())).collect();
            let with = with.into_iter().filter(|(name, _)| new.contains(name)).collect();
            match add_unscanned(checkpointer, round, with).await {
                Ok(Some(taken)) => {
                    round.files = Arc::clone(&taken.files);
                    let state = Checkpoint { more: true, ..self.checkpoint_entry(When::Before, &taken) };
                    self.add_recorded(state, &taken).await;
                }
                Ok(None) => return,
                Err(report) => return self.report_failure(&report).await,
            }
        } else {
            match self.record(named.clone(), with).await {
                Ok(taken) => {
                    let (files, at_ms) = (Arc::clone(&taken.files), taken.at_ms);
                    let round = Some(Round { files, at_ms, named: named.into_iter().collect() });
                    *open = OpenRound { round, unclosed: false };
                    self.add_recorded(self.checkpoint_entry(When::Before, &taken), &taken).await;
                }
                Err(report) => return self.report_failure(&report).await,
            }
        }
        // The lock is released first: a task that waits for the round may be awaited by the session's owner,
        // on which this call depends.
        drop(open);
        (self.0.write)().await;
    }

    async fn report_failure(&self, report: &Report) {
        tracing::warn!(%report, "no checkpoint");
        if self.0.cancel.is_cancelled() || std::mem::replace(&mut lock(&self.0.reported).failure, true) {
            return;
        }
        let notice = Report::new(format!("changes cannot be restored from now on: {}", report.message));
        let hint = report.hint.clone().unwrap_or_else(|| {
            "the work goes on; an ignore file may leave out what is large (docs/checkpoints.md)".to_string()
        });
        self.0.hub.send(RuntimeEvent::Failed(notice.hint(hint))).await;
    }

    async fn report_skipped(&self, taken: &RecordedCheckpoint) {
        if taken.skipped.is_empty() || std::mem::replace(&mut lock(&self.0.reported).skipped, true) {
            return;
        }
        let names =
            taken.skipped.iter().take(NAMES_MAX).map(|(name, reason)| format!("{name} ({})", reason.text()));
        let mut names = names.collect::<Vec<_>>().join(", ");
        if taken.skipped.len() > NAMES_MAX {
            names.push_str(&format!(" and {} more", taken.skipped.len() - NAMES_MAX));
        }
        let notice =
            Report::new(format!("not in the checkpoints, changes to it cannot be restored: {names}"));
        self.0.hub.send(RuntimeEvent::Failed(notice)).await;
    }
}

/// Returns a recorded state of a folder as an entry for a session.
pub fn checkpoint_of(root: &Path, at: When, taken: &RecordedCheckpoint) -> Checkpoint {
    Checkpoint {
        at,
        tree: taken.id.to_string(),
        root: root.to_string_lossy().into_owned(),
        files: taken.files.values().filter(|node| node.oid().is_some()).count(),
        skipped: taken.skipped.iter().take(SKIPPED_LISTED_MAX).map(|(name, _)| name.to_string()).collect(),
        skipped_count: taken.skipped.len(),
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// Runs work on the store on a blocking thread.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CheckpointError> + Send + 'static,
) -> Result<T, Report> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(|error| Report::caused("a checkpoint was canceled", &error))?;
    done.map_err(|error| Report::caused("no checkpoint of the folder", &error))
}

/// Returns those of the paths that are files of the workspace, with their contents as the editor has them:
/// the unsaved text of an open file. Missing and oversized files are skipped.
pub(in crate::runtime) async fn workspace_contents(
    env: &dyn Environment,
    root: &Path,
    paths: Vec<PathBuf>,
) -> Vec<(Name, Option<Vec<u8>>)> {
    let mut found = Vec::new();
    for path in paths {
        let real = env.resolve(&path).await.unwrap_or_else(|_| path.clone());
        let Some(name) = Name::below(root, &real) else { continue };
        // A file deleted from disk may still be open.
        let small = env.stat(&real).await.map_or(true, |info| info.size <= Limits::default().file);
        let data = if small { env.read(&real).await.ok() } else { None };
        found.push((name, data.map(|data| data.bytes)));
    }
    found
}

/// Adds files to the state before a round that the scan did not cover and the round has not touched yet:
/// ignored ones, and the unsaved text of open ones.
async fn add_unscanned(
    checkpointer: Arc<Checkpointer>,
    round: &Round,
    with: Vec<(Name, Vec<u8>)>,
) -> Result<Option<RecordedCheckpoint>, Report> {
    let (files, at_ms) = (Arc::clone(&round.files), round.at_ms);
    blocking(move || {
        let mut new = Vec::new();
        for (name, bytes) in with {
            let is = files.get(&name).copied();
            let oid = Oid::of(crate::workspace::checkpoint::object::Kind::Blob, &bytes);
            if is.and_then(Node::oid) == Some(oid) || !checkpointer.is_older(&name, at_ms) {
                continue;
            }
            let rights = match is {
                Some(Node::File { rights, .. }) => rights,
                _ => 0o644,
            };
            new.push((name, Node::File { rights, oid: checkpointer.store_content(&bytes)? }));
        }
        if new.is_empty() { Ok(None) } else { checkpointer.amend(&files, &new).map(Some) }
    })
    .await
}
