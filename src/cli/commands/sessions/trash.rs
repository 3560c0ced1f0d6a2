//! `bowline sessions delete`, and `bowline sessions restore` of a deleted session.
//!
//! Must not know how the trash is kept.

use std::path::Path;

use super::short_id;
use crate::base::error::Report;
use crate::base::json::json;
use crate::cli::answer::Answer;
use crate::session::store::{listing, trash as store};

/// Moves a session to the trash.
pub fn delete(path: &Path, trash: &Path, now_ms: u64) -> Result<Answer, Report> {
    let header = listing::read_header(path)
        .ok_or_else(|| Report::new(format!("{} is not a session; nothing changed", path.display())))?;
    let trashed_path = store::delete(path, trash, now_ms)
        .map_err(|error| Report::caused("cannot delete the session", &error))?;
    let text = format!(
        "Moved {} to the trash: {}\nRestore: bowline sessions restore {}",
        path.display(),
        trashed_path.display(),
        short_id(&header.id)
    );
    Ok((text, json!({"deleted": path, "trash": trashed_path})))
}

/// Moves a deleted session back from the trash.
pub fn restore(root: &Path, trash: &Path, id: &str) -> Result<Option<Answer>, Report> {
    let restored = store::restore(root, trash, Some(id));
    let restored = restored.map_err(|error| Report::caused("cannot restore the session", &error))?;
    Ok(restored.map(|path| (format!("Restored {}", path.display()), json!({"restored": path}))))
}

/// Returns the error for a session that is not in the trash.
pub fn no_such_session(trash: &Path, id: &str) -> Report {
    Report::new(format!("no such session in the trash: {id}"))
        .hint(format!("the trash is {}", trash.display()))
}
