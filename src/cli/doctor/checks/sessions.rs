//! Checks of the stored sessions and of the disk that they are on. Must not know what is in a session.

use std::path::Path;

use rustix::fs::statvfs;

use super::folders;
use crate::base::plural::pluralize;
use crate::cli::doctor::facts::Facts;
use crate::cli::doctor::report::{Check, Finding, State};

/// The checks.
pub const CHECKS: &[Check] = &[
    Check { name: "sessions-folder", run: folder },
    Check { name: "sessions", run: count },
    Check { name: "unreadable", run: unreadable },
    Check { name: "disk", run: disk },
];

/// How many unreadable files are listed.
const LISTED_MAX: usize = 5;
/// Free bytes below which there is a warning: a long session with checkpoints takes as much.
const FREE_MIN: u64 = 200 << 20;

fn folder(facts: &Facts) -> Vec<Finding> {
    facts.sessions_root.iter().map(|root| folders::check(root, State::Error)).collect()
}

fn count(facts: &Facts) -> Vec<Finding> {
    // A folder that cannot be read is reported above.
    let Some(Ok(found)) = &facts.sessions else { return Vec::new() };
    let all = pluralize(found.files, "session", "sessions");
    let opened = if found.opened < found.files {
        format!("; the newest {} were opened", found.opened)
    } else {
        String::new()
    };
    vec![Finding::ok(format!("{all}{opened}"))]
}

fn unreadable(facts: &Facts) -> Vec<Finding> {
    let advice = "Move it out of the folder of sessions; it is not listed";
    let found = match &facts.sessions {
        Some(Ok(found)) => found,
        Some(Err(error)) => {
            let advice = "Make the folder of sessions readable, or choose another one: --session-dir";
            return vec![Finding::error(error.to_string(), advice)];
        }
        None => return Vec::new(),
    };
    let one = |(path, reason): &(std::path::PathBuf, String)| {
        Finding::warning(format!("{}: {reason}", path.display()), advice)
    };
    let more = found.unreadable.len().saturating_sub(LISTED_MAX);
    let more = (more > 0).then(|| Finding::warning(format!("and {more} more"), advice));
    found.unreadable.iter().take(LISTED_MAX).map(one).chain(more).collect()
}

fn disk(facts: &Facts) -> Vec<Finding> {
    facts.sessions_root.iter().map(|root| free_space(root)).collect()
}

/// Judges the free space of the disk of a folder, or of its nearest ancestor.
fn free_space(folder: &Path) -> Finding {
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    match statvfs(existing) {
        Ok(disk) => judge_free(disk.f_bavail.saturating_mul(disk.f_frsize)),
        Err(error) => {
            let error = std::io::Error::from(error);
            Finding::note(format!("unknown: {error}"), "Check it with `df`")
        }
    }
}

fn judge_free(bytes: u64) -> Finding {
    let value = format!("{:.1} GB free", bytes as f64 / 1e9);
    if bytes < FREE_MIN {
        return Finding::warning(value, "Free some space: sessions and checkpoints may not be stored");
    }
    Finding::ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::store::inspection::Inspection;

    #[test]
    fn doctor_unreadable_sessions_are_listed_up_to_a_limit() {
        let broken = |n: usize| (std::path::PathBuf::from(format!("/s/{n}.jsonl")), "torn".to_string());
        let found = Inspection { files: 300, opened: 200, unreadable: (0..7).map(broken).collect() };
        let facts = Facts { sessions: Some(Ok(found)), ..Facts::for_tests() };
        let listed = unreadable(&facts);
        assert_eq!((listed.len(), listed[5].value.as_str()), (6, "and 2 more"));
        assert_eq!(listed[0].value, "/s/0.jsonl: torn");
        assert_eq!(count(&facts), [Finding::ok("300 sessions; the newest 200 were opened")]);
    }

    #[test]
    fn doctor_disk_warns_below_limit() {
        assert_eq!(judge_free(3_250_000_000), Finding::ok("3.2 GB free"));
        assert_eq!(judge_free(FREE_MIN - 1).state, State::Warning);
        let nearest = free_space(Path::new("/nowhere/deep"));
        assert!(nearest.value.ends_with(" GB free"), "{nearest:?}");
    }
}
