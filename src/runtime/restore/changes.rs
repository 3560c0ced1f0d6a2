//! What agents changed in the workspace, in a part of the conversation: the paths, and the content of each
//! without these changes.
//!
//! Must not know who asks, nor read the present files: the caller does, since it knows the open ones. Works
//! while agents are working. Changes of the user to the same files are not the agents': they are merged into
//! the content before, as far as they are apart from the agents' lines.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::checkpoints::{Checkpoints, blocking};
use super::perform::load_state;
use crate::base::error::Report;
use crate::session;
use crate::session::restore::changes::{ConversationPart, RecordedChange};
use crate::workspace::checkpoint::object::Kind;
use crate::workspace::checkpoint::plan::differences;
use crate::workspace::checkpoint::{
    CheckpointError, Checkpointer, Files, Name, Node, Oid, RecordedCheckpoint, Store, merge,
};

/// How a message about a review of changes begins: it begins no part of the conversation.
pub const REVIEW_START: &str = session::restore::changes::REVIEW_START;

/// A part of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeScope {
    /// Since the last message of the user, steering messages included.
    LastMessage,
    /// Since the message that started the last turn.
    Turn,
    /// The active branch.
    Branch,
    /// The whole session.
    Session,
}

impl ChangeScope {
    /// All, from the narrowest to the widest.
    pub const ALL: [Self; 4] = [Self::LastMessage, Self::Turn, Self::Branch, Self::Session];

    /// Returns it as the session names it.
    pub(in crate::runtime) fn part(self) -> ConversationPart {
        match self {
            Self::LastMessage => ConversationPart::LastMessage,
            Self::Turn => ConversationPart::Turn,
            Self::Branch => ConversationPart::Branch,
            Self::Session => ConversationPart::Session,
        }
    }
}

/// What the owner of a session knows of the changes.
#[derive(Debug)]
pub(in crate::runtime) struct ChangeSource {
    /// `None` when checkpoints are disabled.
    pub(in crate::runtime) checkpoints: Option<Checkpoints>,
    /// The changes, oldest first.
    pub(in crate::runtime) recorded: Vec<RecordedChange>,
}

/// The content of a path without the agents' changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseContent {
    /// There was nothing.
    Missing,
    /// A file with these bytes.
    File(Arc<[u8]>),
    /// A symbolic link, a folder, or a file that was not recorded, such as one that is too large.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Version {
    Node(Option<Node>),
    /// A file with changes of the user merged into it.
    Merged(Arc<[u8]>),
}

/// A path that agents changed.
#[derive(Debug, Clone)]
pub struct ChangedPath {
    /// The path.
    pub name: Name,
    base: Version,
    /// The last recorded node.
    last: Option<Node>,
    /// Whether agents are working: what differs from the last node was changed by them, else by the user.
    is_open: bool,
}

impl ChangedPath {
    /// Returns whether the path was a symbolic link when it was recorded last.
    pub fn is_link(&self) -> bool {
        matches!(self.last, Some(Node::Link(_)))
    }
}

/// Paths that agents changed. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Changes {
    checkpointer: Arc<Checkpointer>,
    /// The paths, sorted. Those of which nothing has remained are listed, too, unless that is known.
    pub paths: Arc<[ChangedPath]>,
}

impl Changes {
    /// Returns the folder of the paths, with links resolved.
    pub fn root(&self) -> &Path {
        self.checkpointer.root()
    }

    /// Returns what a path would be without the agents' changes; `now` are the bytes of the file there, if it
    /// is one. Blocks.
    pub fn base(&self, path: &ChangedPath, now: Option<&[u8]>) -> Result<BaseContent, Report> {
        let store = self.checkpointer.store();
        let made = || {
            let base = path.base.clone();
            let base = if path.is_open { base } else { base.with_user_change(store, path.last, now)? };
            Ok(match base {
                Version::Node(None) => BaseContent::Missing,
                Version::Node(Some(Node::File { oid, .. })) => BaseContent::File(store.blob(oid)?.into()),
                Version::Node(Some(_)) => BaseContent::Other,
                Version::Merged(bytes) => BaseContent::File(bytes),
            })
        };
        made().map_err(|error: CheckpointError| Report::caused("cannot read the recorded file", &error))
    }
}

impl Version {
    /// Returns the content, if it is a file.
    fn bytes(&self, store: &Store) -> Result<Option<Arc<[u8]>>, CheckpointError> {
        Ok(match self {
            Self::Node(Some(Node::File { oid, .. })) => Some(store.blob(*oid)?.into()),
            Self::Node(_) => None,
            Self::Merged(bytes) => Some(Arc::clone(bytes)),
        })
    }

    /// Returns the version with a change between recorded nodes that is not the agents'.
    fn with_change(
        self,
        store: &Store,
        from: Option<Node>,
        to: Option<Node>,
    ) -> Result<Self, CheckpointError> {
        if self == Self::Node(from) {
            return Ok(Self::Node(to));
        }
        if self == Self::Node(to) {
            return Ok(self);
        }
        if to.is_none() {
            return Ok(Self::Node(None));
        }
        let bytes = (self.bytes(store)?, Self::Node(from).bytes(store)?, Self::Node(to).bytes(store)?);
        let (Some(ours), Some(from), Some(to)) = bytes else { return Ok(self) };
        Ok(merge::merge(&from, &ours, &to).map_or(self, |merged| Self::Merged(merged.into())))
    }

    /// Returns the version with the user's change from a recorded node to the present file.
    fn with_user_change(
        self,
        store: &Store,
        from: Option<Node>,
        now: Option<&[u8]>,
    ) -> Result<Self, CheckpointError> {
        let oid = now.map(|now| Oid::of(Kind::Blob, now));
        if from.and_then(Node::oid) == oid {
            return Ok(self);
        }
        // Deleted by the user: nothing is left of the agents' changes.
        let Some(now) = now else { return Ok(Self::Node(None)) };
        let was_same = self == Self::Node(from);
        let Some(ours) = self.bytes(store)? else { return Ok(self) };
        if was_same {
            return Ok(Self::Merged(now.into()));
        }
        let Some(from) = Self::Node(from).bytes(store)? else { return Ok(self) };
        Ok(merge::merge(&from, &ours, now).map_or(self, |merged| Self::Merged(merged.into())))
    }
}

/// Returns the checkpoints of a source once those that are being recorded are in the session's file; fails when
/// they are off.
pub(in crate::runtime) async fn written_checkpoints(source: ChangeSource) -> Result<Checkpoints, Report> {
    let off = || Report::new("checkpoints are off").hint("turn on the setting `checkpoints`");
    let checkpoints = source.checkpoints.ok_or_else(off)?;
    checkpoints.wait_written().await;
    Ok(checkpoints)
}

/// Returns the paths of the recorded changes. Fails when the folder is too large for checkpoints.
pub(in crate::runtime) async fn find(
    checkpoints: Checkpoints,
    recorded: Vec<RecordedChange>,
) -> Result<Changes, Report> {
    let checkpointer = checkpoints.checkpointer().await?;
    if recorded.iter().any(|change| Path::new(&change.before.root) != checkpointer.root()) {
        return Ok(Changes { checkpointer, paths: Arc::default() });
    }
    let disk = match recorded.last() {
        Some(RecordedChange { before, after: None, .. }) => {
            let (reader, before) = (Arc::clone(&checkpointer), before.clone());
            let before = blocking(move || load_state(&reader, &before)).await?;
            Some(checkpoints.record(before.ignored().iter().cloned().collect(), Vec::new()).await?)
        }
        _ => None,
    };
    blocking(move || collect(checkpointer, &recorded, disk.as_ref())).await
}

/// Follows the changed paths through the recorded states; `disk` is the present one, for a change that goes on.
fn collect(
    checkpointer: Arc<Checkpointer>,
    recorded: &[RecordedChange],
    disk: Option<&RecordedCheckpoint>,
) -> Result<Changes, CheckpointError> {
    let mut paths: BTreeMap<Name, Version> = BTreeMap::new();
    let mut last: Arc<Files> = Arc::default();
    for change in recorded {
        let before = load_state(&checkpointer, &change.before)?;
        let after = match (&change.after, disk) {
            (Some(after), _) => load_state(&checkpointer, after)?,
            (None, Some(disk)) => Arc::clone(&disk.files),
            (None, None) => Arc::clone(&before),
        };
        for change_of_path in differences(&before, &after) {
            let (name, from, to) = (change_of_path.name, change_of_path.from, change_of_path.to);
            if change.is_meant {
                paths.entry(name).or_insert(Version::Node(from));
            } else if let Some(version) = paths.remove(&name) {
                paths.insert(name, version.with_change(checkpointer.store(), from, to)?);
            }
        }
        last = after;
    }
    let is_folder = |node: Option<Node>| node.is_none_or(Node::is_folder);
    let path = |(name, base): (Name, Version)| {
        let last = last.get(&name).copied();
        let is_same = base == Version::Node(last);
        let is_only_folder = matches!(base, Version::Node(base) if is_folder(base)) && is_folder(last);
        let is_open = disk.is_some();
        (!is_same && !is_only_folder).then_some(ChangedPath { name, base, last, is_open })
    };
    let paths = paths.into_iter().filter_map(path).collect();
    Ok(Changes { checkpointer, paths })
}
