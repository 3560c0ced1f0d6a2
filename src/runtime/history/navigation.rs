//! Targets of navigation in a conversation, and requests about a session. Plain data.
//!
//! Must not know how they are carried out.

use std::collections::BTreeSet;
use std::path::PathBuf;

use tokio::sync::oneshot;

use crate::base::error::Report;
use crate::llm::model::{Model, UserMessage};
use crate::runtime::context::report::ContextReport;
use crate::runtime::events::event::{BranchSummaryChoice, Snapshot};
use crate::runtime::lifecycle::options::Options;
use crate::runtime::restore::checkpoints::Checkpoints;
use crate::session::context::editing::ContextEdit;
use crate::session::derived::comparison::Points;
use crate::session::derived::outline::turn::{Turn, TurnSummary};
use crate::session::derived::outline::{Filter, Outline};
use crate::session::derived::recent::ModelChoice;

/// Target of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NavigationTarget {
    /// Behind an entry: the next message follows it.
    After(String),
    /// To an entry, to branch from there: before a user message, whose text goes back to the prompt; behind
    /// any other entry.
    To(String),
    /// Before all entries: the next message starts another root in the same session.
    Root,
}

/// Another session that replaces this one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionSwitch {
    /// A new session; the file is that of its parent.
    New(Option<PathBuf>),
    /// The session in this file, at an entry or where it was left.
    Open(PathBuf, Option<String>),
    /// A new session with the path to an entry, taken as in [`Spot::To`].
    Fork(String),
    /// A copy of the whole session.
    Copy,
}

/// A message as it is sent to the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct SentMessage {
    /// The full text, calls and thinking included; very long text is truncated.
    pub text: String,
    /// The text only, which an edit can replace.
    pub editable_text: String,
}

/// Request to the session.
#[derive(Debug)]
pub(in crate::runtime) enum SessionRequest {
    /// Its tree.
    Outline(Filter, oneshot::Sender<Outline>),
    /// The texts of entries, one line each.
    EntryLines(Vec<String>, oneshot::Sender<Vec<(String, String)>>),
    /// A turn, by any entry of it.
    Turn(String, oneshot::Sender<Option<Turn>>),
    /// The turns of messages of the user, in numbers.
    TurnSummaries(Vec<String>, oneshot::Sender<Vec<(String, TurnSummary)>>),
    /// Two entries to be compared, and the checkpoints of the session if they are on.
    Points(String, String, oneshot::Sender<(Option<Points>, Option<Checkpoints>)>),
    /// A label for an entry, or none.
    Label(String, Option<String>, oneshot::Sender<Result<(), Report>>),
    /// The first entries of its hidden branches.
    HiddenBranches(oneshot::Sender<Result<BTreeSet<String>, Report>>),
    /// Whether the branch that begins with an entry is hidden.
    HideBranch(String, bool, oneshot::Sender<Result<(), Report>>),
    /// A name for the session.
    Name(String, oneshot::Sender<Result<(), Report>>),
    /// Its snapshot.
    Snapshot(oneshot::Sender<Snapshot>),
    /// The context report.
    ContextReport(oneshot::Sender<ContextReport>),
    /// An entry as it is sent.
    SentMessage(String, oneshot::Sender<Option<SentMessage>>),
    /// Exclude or replace an entry in the context, or restore its original.
    Edit(String, ContextEdit, oneshot::Sender<Result<String, Report>>),
    /// Pin or unpin an entry.
    Pin(String, bool, oneshot::Sender<Result<(), Report>>),
    /// Move to another position, optionally with a summary.
    Go(NavigationTarget, BranchSummaryChoice, oneshot::Sender<MoveResult>),
    /// Switch to another session.
    Replace(SessionSwitch, oneshot::Sender<MoveResult>),
}

/// A move that waits for a summary.
#[derive(Debug)]
pub(in crate::runtime) struct PendingMove {
    pub(in crate::runtime) reply: oneshot::Sender<MoveResult>,
    /// The message at the target that the user may want to edit.
    pub(in crate::runtime) message: Option<UserMessage>,
}

/// The message that goes back to the user's prompt, if any.
pub type MoveResult = Result<Option<UserMessage>, Report>;

pub(in crate::runtime) fn agent_busy() -> Report {
    Report::new("the agent is working").hint("interrupt it first (Escape)")
}

/// Returns the notice for a conversation that continues with another model, when the user did not request
/// one.
pub(in crate::runtime) fn lost_model_notice(
    options: &Options,
    chosen: &ModelChoice,
    model: &Model,
) -> Option<Report> {
    let (provider, id) = chosen.model.as_ref()?;
    let has_request = options.model.is_some() || options.provider.is_some();
    let same = *provider == model.provider && *id == model.id;
    (!has_request && !same).then(|| model_unavailable(provider, id, &model.name))
}

pub(super) fn model_unavailable(provider: &str, id: &str, instead: &str) -> Report {
    Report::new(format!("{provider}/{id} is not available; using {instead}"))
        .hint("log in with `bowline login`, or choose a model with Alt-m")
}
