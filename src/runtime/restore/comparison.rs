//! Compares two points of a session: the conversation, and the files as they were recorded there.
//!
//! Must not know who asks. Reads only recorded states; nothing on disk is looked at or changed.

use super::checkpoints::{Checkpoints, blocking};
use super::perform::{TextDiffs, is_implied, load_state};
use super::target::PreviewPath;
use crate::base::error::Report;
use crate::patch::diff::{self, LineDiff};
use crate::runtime::controls::handle::Handle;
use crate::runtime::history::navigation::SessionRequest;
use crate::session::derived::comparison::Points;
use crate::session::restore::checkpoints::Checkpoint;
use crate::workspace::checkpoint::plan::differences;
use crate::workspace::checkpoint::{CheckpointError, Checkpointer};

/// The difference between two points.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// The conversation after the common past: `-` lines belong to the first point, `+` lines to the second.
    #[doc(hidden)]
    pub conversation: LineDiff,
    /// Number of user messages that both have.
    pub common_turns: usize,
    /// The paths that differ; or why files cannot be compared.
    #[doc(hidden)]
    pub files: Result<Vec<PreviewPath>, String>,
}

impl Handle {
    /// Compares two entries; a message of the user stands for its whole turn.
    #[doc(hidden)]
    pub async fn compare(&self, from: &str, to: &str) -> Result<Comparison, Report> {
        // The state after the last call may still be on its way into the session's file.
        if let (_, Some(checkpoints)) = self.points(from, to).await? {
            checkpoints.wait_written().await;
        }
        let (points, checkpoints) = self.points(from, to).await?;
        let Points { texts: [old, new], common_turns, states } =
            points.ok_or_else(|| Report::new("an entry to compare is no longer in the session"))?;
        let conversation = blocking(move || Ok(diff::lines(&old, &new))).await?;
        Ok(Comparison { conversation, common_turns, files: files(checkpoints, states).await? })
    }

    async fn points(&self, from: &str, to: &str) -> Result<(Option<Points>, Option<Checkpoints>), Report> {
        let (from, to) = (from.to_string(), to.to_string());
        self.session_request(|reply| SessionRequest::Points(from, to, reply)).await
    }
}

async fn files(
    checkpoints: Option<Checkpoints>,
    states: [Option<Checkpoint>; 2],
) -> Result<Result<Vec<PreviewPath>, String>, Report> {
    let Some(checkpoints) = checkpoints else { return Ok(Err("Checkpoints are off".to_string())) };
    let [Some(from), Some(to)] = states else {
        return Ok(Err("The files were not recorded after both turns".to_string()));
    };
    let checkpointer = checkpoints.checkpointer().await?;
    let root = checkpointer.root().to_string_lossy().into_owned();
    if let Some(other) = [&from, &to].into_iter().find(|state| state.root != root) {
        return Ok(Err(format!("The files were recorded in another folder: {}", other.root)));
    }
    blocking(move || compare_states(&checkpointer, &from, &to)).await.map(Ok)
}

fn compare_states(
    checkpointer: &Checkpointer,
    from: &Checkpoint,
    to: &Checkpoint,
) -> Result<Vec<PreviewPath>, CheckpointError> {
    let (from, to) = (load_state(checkpointer, from)?, load_state(checkpointer, to)?);
    let mut texts = TextDiffs::of(checkpointer);
    let changes = differences(&from, &to).into_iter().filter(|change| !is_implied(change.from, change.to));
    let path = |change: crate::workspace::checkpoint::plan::Change| PreviewPath {
        diff: texts.diff(change.from, change.to),
        name: change.name,
        from: change.from,
        to: change.to,
        merged: false,
        conflict: None,
    };
    let mut files: Vec<PreviewPath> = changes.map(path).collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}
