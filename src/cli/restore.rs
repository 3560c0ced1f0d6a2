//! `bowline sessions diff`, `restore`, `revert` and `prune`: states of a workspace without a live session.
//!
//! Must not know how states are kept. Asks nobody; without `--dry-run` the files of the workspace change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::sessions::located;
use crate::base::clock::SystemClock;
use crate::base::error::Report;
use crate::base::ids::RandomIds;
use crate::runtime::Options;
use crate::runtime::restoring;
use crate::runtime::ways::{Preview, Shown, Way, What};
use crate::session::checkpoints::{self, CHECKPOINT, Checkpoint, LEFT_OUT_MAX, When};
use crate::session::{Entry, Session};
use crate::workspace::checkpoint::apply::Nobody;
use crate::workspace::checkpoint::store::Pruned;
use crate::workspace::checkpoint::{
    Applied, CheckpointError, Decision, Decisions, Keeper, Limits, Node, Oid, Plan, Store, Taken, keeper,
};

/// What of the states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// Go a way in a session, or only say what that would do.
    Go {
        /// Which session.
        session: String,
        /// Where to.
        way: Way,
        /// Whether nothing is to be changed.
        dry: bool,
        /// What is done where both sides changed something.
        decision: Decision,
    },
    /// Remove the states that no session names any more, or only count them.
    Prune(bool),
}

/// Reads the words behind `sessions`; `take` says what is done where both sides changed something.
pub fn wanted(words: &[&str], dry: bool, with_conversation: bool, take: Option<&str>) -> Option<Wanted> {
    let decision = match take {
        Some("theirs") => Decision::Theirs,
        Some("beside") => Decision::Beside,
        _ => Decision::Mine,
    };
    let what = if with_conversation { What::Both } else { What::Code };
    let go = |session: &str, way, dry| Some(Wanted::Go { session: session.to_string(), way, dry, decision });
    match words {
        ["diff", session, entry] => go(session, Way::To((*entry).to_string(), What::Code), true),
        ["restore", session, entry] => go(session, Way::To((*entry).to_string(), what), dry),
        ["revert", session, entry] => go(session, Way::Without((*entry).to_string()), dry),
        ["prune"] => Some(Wanted::Prune(dry)),
        _ => None,
    }
}

/// Does it; the answer is text or JSON.
pub fn answer(options: &Options, wanted: &Wanted, json: bool) -> Result<String, Report> {
    let (text, value) = match wanted {
        Wanted::Go { session, way, dry, decision } => {
            let file = located(&options.session_root(), &options.cwd, session)?;
            go(options, &file, way, *dry, *decision)?
        }
        Wanted::Prune(dry) => prune(options, *dry)?,
    };
    Ok(if json { format!("{value:#}") } else { text })
}

fn failed(error: &CheckpointError) -> Report {
    Report::caused("cannot go back", error)
}

/// A way with the whole id of its entry.
fn with_whole_id(session: &Session, way: &Way) -> Result<Way, Report> {
    let (Way::To(id, _) | Way::Without(id)) = way;
    let fits: Vec<&str> = session
        .entries()
        .iter()
        .map(Entry::id)
        .filter(|known| *known == id || known.starts_with(id))
        .collect();
    let whole = match &fits[..] {
        _ if session.tree().contains(id) => id.clone(),
        [one] => (*one).to_string(),
        _ => {
            return Err(Report::new(format!("the session has no entry {id}"))
                .hint("`bowline sessions tree ID` shows the entries"));
        }
    };
    Ok(match way {
        Way::To(_, what) => Way::To(whole, *what),
        Way::Without(_) => Way::Without(whole),
    })
}

fn go(
    options: &Options,
    file: &Path,
    way: &Way,
    dry: bool,
    decision: Decision,
) -> Result<(String, Value), Report> {
    let (clock, ids) = (SystemClock::shared(), RandomIds::shared());
    let session = if dry { Session::look_at(file, clock, ids) } else { Session::open(file, clock, ids) };
    let mut session = session.map_err(|error| Report::caused("cannot read the session", &error))?;
    let way = with_whole_id(&session, way)?;
    let wanted = restoring::steps(&session, &way)?;
    let Some([first, _]) = wanted.first() else { return Err(Report::new("there is nothing to bring back")) };
    let (root, home) = (PathBuf::from(&first.root), &options.home);
    restoring::are_here(&wanted, &root)?;
    let own = [home.data.clone(), home.state.clone(), home.cache.clone()];
    let keeper = Keeper::open(&home.checkpoints(), &root, &own, Limits::default());
    let keeper = keeper.map_err(|error| failed(&error))?;
    let (now, plan) = plan(&keeper, &wanted, decision).map_err(|error| failed(&error))?;
    let preview = restoring::show(&keeper, way.clone(), plan.clone());
    let mut applied = None;
    if !dry {
        let done = apply(&keeper, &mut session, &way, &now, &plan)?;
        applied = Some(done);
    }
    Ok(told(&preview, applied.as_ref()))
}

fn plan(
    keeper: &Keeper,
    wanted: &[[Checkpoint; 2]],
    decision: Decision,
) -> Result<(Taken, Plan), CheckpointError> {
    let steps = restoring::load(keeper, wanted)?;
    let changed: Vec<_> = restoring::changed(&steps).into_iter().collect();
    let now = keeper.take(&changed, &[], &CancellationToken::new())?;
    let decisions: Decisions = changed.into_iter().map(|name| (name, decision)).collect();
    let plan = keeper.plan(&now, &steps, &decisions)?;
    Ok((now, plan))
}

/// Records what is there, goes, and records what is there then.
fn apply(
    keeper: &Keeper,
    session: &mut Session,
    way: &Way,
    now: &Taken,
    plan: &Plan,
) -> Result<Applied, Report> {
    let unsaved = |error| Report::caused("the session cannot be written", &error);
    let known = session.leaf().and_then(|leaf| checkpoints::at(session.tree(), leaf));
    if known.is_none_or(|known| known.tree != now.id.to_string()) {
        session.append(state(keeper, When::Left, now).body()).map_err(unsaved)?;
    }
    if let Way::To(entry, What::Conversation | What::Both) = way {
        // Before what a person said, since that is how the files were then.
        let (leaf, _) = session.way_to(entry).map_err(unsaved)?;
        session.branch(leaf.as_deref()).map_err(unsaved)?;
    }
    let applied = keeper.apply(plan, &mut Nobody);
    let after = keeper.take(&[], &[], &CancellationToken::new()).map_err(|error| failed(&error))?;
    session.append(state(keeper, When::Restored, &after).body()).map_err(unsaved)?;
    session.sync().map_err(unsaved)?;
    Ok(applied)
}

fn state(keeper: &Keeper, at: When, taken: &Taken) -> Checkpoint {
    Checkpoint {
        at,
        tree: taken.id.to_string(),
        root: keeper.root().to_string_lossy().into_owned(),
        files: taken.files.values().filter(|node| node.oid().is_some()).count(),
        left_out: taken.left_out.iter().take(LEFT_OUT_MAX).map(|(name, _)| name.to_string()).collect(),
        left_out_count: taken.left_out.len(),
    }
}

/// What happens to a path, in one letter: git's.
fn letter(file: &Shown) -> char {
    match (file.from, file.to) {
        _ if file.conflict.is_some() => 'U',
        (None, _) => 'A',
        (_, None) => 'D',
        (Some(Node::File { .. }), Some(Node::File { .. })) => 'M',
        _ => 'T',
    }
}

fn told(preview: &Preview, applied: Option<&Applied>) -> (String, Value) {
    let mut lines = Vec::new();
    for file in &preview.files {
        let counts = file
            .diff
            .as_ref()
            .map_or_else(String::new, |diff| format!("  +{} -{}", diff.added, diff.removed));
        let note = match &file.conflict {
            Some(conflict) => format!("  {}", conflict.clash.words()),
            None if file.merged => "  put together".to_string(),
            None => String::new(),
        };
        lines.push(format!("{} {}{counts}{note}", letter(file), file.name));
        let rows = file.diff.iter().flat_map(|diff| &diff.rows).filter(|_| applied.is_none());
        lines.extend(rows.map(|row| match row {
            Some(row) => format!("    {}{}", row.sign, row.text),
            None => "    ...".to_string(),
        }));
    }
    lines.extend(preview.left.iter().map(|(name, why)| format!("= {name}  stays: {why}")));
    for (name, why) in applied.iter().flat_map(|applied| &applied.failed) {
        lines.push(format!("! {name}  {why}"));
    }
    if preview.files.is_empty() {
        lines.push("The files are so already.".to_string());
    } else if preview.conflicts() > 0 {
        lines.push(
            "What changed on both sides (U) stays; --take theirs or --take beside brings it.".to_string(),
        );
    }
    let value = json!({
        "files": preview.files.iter().map(facts).collect::<Vec<_>>(),
        "left": preview.left.iter().map(|(name, why)| json!({"path": name.to_string(), "why": why})).collect::<Vec<_>>(),
        "done": applied.map(|applied| applied.done),
        "failed": applied.map(|applied| {
            let failed = applied.failed.iter().map(|(name, why)| json!({"path": name.to_string(), "why": why}));
            failed.collect::<Vec<_>>()
        }),
    });
    (lines.join("\n"), value)
}

fn facts(file: &Shown) -> Value {
    json!({
        "path": file.name.to_string(),
        "status": letter(file).to_string(),
        "added": file.diff.as_ref().map(|diff| diff.added),
        "removed": file.diff.as_ref().map(|diff| diff.removed),
        "merged": file.merged,
        "conflict": file.conflict.as_ref().map(|conflict| conflict.clash.words()),
    })
}

/// Removes the objects of all stores that no session below the folder of sessions names.
fn prune(options: &Options, dry: bool) -> Result<(String, Value), Report> {
    let mut named: BTreeMap<String, BTreeSet<Oid>> = BTreeMap::new();
    mentions(&options.session_root(), &mut named)
        .map_err(|error| Report::caused("the sessions cannot be read, so nothing is removed", &error))?;
    let base = options.home.checkpoints();
    let mut lines = Vec::new();
    let mut values = Vec::new();
    for entry in std::fs::read_dir(&base).into_iter().flatten().flatten() {
        let folder = entry.path();
        let Some(workspace) = keeper::workspace_of(&folder) else { continue };
        let shown = workspace.display().to_string();
        let roots: Vec<Oid> =
            named.get(&*workspace.to_string_lossy()).into_iter().flatten().copied().collect();
        let done = Store::open(&folder).and_then(|store| store.prune(&roots, dry));
        match done {
            Ok(Pruned { objects, bytes, kept }) => {
                lines.push(format!("{shown}: {objects} objects of {bytes} bytes, {kept} stay"));
                values.push(json!({"workspace": shown, "objects": objects, "bytes": bytes, "kept": kept}));
            }
            Err(error) => {
                lines.push(format!("{shown}: left alone: {error}"));
                values.push(json!({"workspace": shown, "error": error.to_string()}));
            }
        }
    }
    if lines.is_empty() {
        lines.push("There are no checkpoints.".to_string());
    }
    Ok((lines.join("\n"), json!(values)))
}

/// The states that the sessions below a folder name, by workspace. Fails rather than overlook one.
fn mentions(folder: &Path, named: &mut BTreeMap<String, BTreeSet<Oid>>) -> std::io::Result<()> {
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            mentions(&path, named)?;
        } else if path.to_string_lossy().contains(".jsonl") && !path.to_string_lossy().ends_with(".index") {
            for line in BufReader::new(File::open(&path)?).split(b'\n') {
                let line = line?;
                let line = String::from_utf8_lossy(&line);
                let state = line.contains(CHECKPOINT).then(|| Entry::parse(&line).ok()).flatten();
                if let Some(state) = state.as_ref().and_then(checkpoints::of)
                    && let Some(oid) = Oid::parse(&state.tree)
                {
                    named.entry(state.root).or_default().insert(oid);
                }
            }
        }
    }
    Ok(())
}
