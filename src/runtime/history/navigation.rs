//! Where a conversation can go, and what is asked about that. Plain data.
//!
//! Must not know how it goes there.

use std::path::PathBuf;

use tokio::sync::oneshot;

use crate::base::error::Report;
use crate::llm::model::{Model, UserMessage};
use crate::runtime::context::report::ContextReport;
use crate::runtime::events::event::{Snapshot, Summary};
use crate::runtime::lifecycle::options::Options;
use crate::session::context::editing::ContextEdit;
use crate::session::derived::outline::turn::Turn;
use crate::session::derived::outline::{Filter, Outline};
use crate::session::derived::recent::Chosen;

/// Where to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spot {
    /// Behind an entry: what is said next follows it.
    Behind(String),
    /// To an entry, to go another way from there: of what the user said it is before it, and he gets
    /// his words back; of everything else it is behind it.
    To(String),
    /// Before everything: what is said next begins a tree of its own in the same session.
    Root,
}

/// Another session in place of this one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A new one, which comes from the one in this file.
    New(Option<PathBuf>),
    /// The one in this file, at an entry or where it was left.
    Open(PathBuf, Option<String>),
    /// A new one with the way to an entry, which is taken as [`Spot::To`] has it.
    Fork(String),
    /// A new one with everything that is in this one.
    Copy,
}

/// A message as a model is told it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct SentMessage {
    /// At length, calls and thoughts included; only the beginning of what is very long.
    pub text: String,
    /// Its words alone, which others can be put in place of.
    pub words: String,
}

/// What is asked about the session, or done to it.
#[derive(Debug)]
pub(in crate::runtime) enum Ask {
    /// Its tree.
    Outline(Filter, oneshot::Sender<Outline>),
    /// What entries say, in a line each.
    Words(Vec<String>, oneshot::Sender<Vec<(String, String)>>),
    /// A turn, by any entry of it.
    Turn(String, oneshot::Sender<Option<Turn>>),
    /// A label for an entry, or none.
    Label(String, Option<String>, oneshot::Sender<Result<(), Report>>),
    /// A name for the session.
    Name(String, oneshot::Sender<Result<(), Report>>),
    /// How it stands.
    Snapshot(oneshot::Sender<Snapshot>),
    /// What the next request will hold.
    ContextReport(oneshot::Sender<ContextReport>),
    /// An entry as it is told.
    SentMessage(String, oneshot::Sender<Option<SentMessage>>),
    /// Have an entry told differently, or not at all, or as it was.
    Edit(String, ContextEdit, oneshot::Sender<Result<String, Report>>),
    /// Pin an entry, or take its pin away.
    Pin(String, bool, oneshot::Sender<Result<(), Report>>),
    /// Go somewhere else in it, perhaps with a summary of what is left.
    Go(Spot, Summary, oneshot::Sender<Moved>),
    /// Go on with another one.
    Replace(Change, oneshot::Sender<Moved>),
}

/// Somebody who waits to be elsewhere in the conversation, until a summary is written.
#[derive(Debug)]
pub(in crate::runtime) struct Moving {
    pub(in crate::runtime) reply: oneshot::Sender<Moved>,
    /// What he may want to say differently there.
    pub(in crate::runtime) said: Option<UserMessage>,
}

/// What comes back to the user's prompt, if anything.
pub type Moved = Result<Option<UserMessage>, Report>;

pub(in crate::runtime) fn busy() -> Report {
    Report::new("the agent is working").hint("interrupt it first (Escape)")
}

/// What is told where a conversation goes on with another model than it had, and nobody wished for that.
pub(in crate::runtime) fn lost(options: &Options, chosen: &Chosen, model: &Model) -> Option<Report> {
    let (provider, id) = chosen.model.as_ref()?;
    let wished = options.model.is_some() || options.provider.is_some();
    let same = *provider == model.provider && *id == model.id;
    (!wished && !same).then(|| not_there(provider, id, &model.name))
}

pub(super) fn not_there(provider: &str, id: &str, instead: &str) -> Report {
    Report::new(format!("{provider}/{id} is not available; using {instead}"))
        .hint("log in with `bowline login`, or choose a model with Alt-m")
}
