//! Restore plan: which paths change, and which conflict.
//!
//! Must not know the disk. A step applies the difference between two recorded states, `base` and `target`, to
//! the present state: paths that are equal in both are not touched; paths that are now as in `base` become as
//! in `target`; other paths were changed since, and are merged if possible, else kept as a conflict for the
//! user to decide.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::error::CheckpointError;
use super::files::{Files, Node};
use super::ignore_rules::{IgnoreRules, is_rule_file};
use super::merge;
use super::name::Name;
use super::object::{Kind, Oid};
use super::pack::Packer;
use super::store::{Batch, Store};

/// Suffix of the file with the recorded version beside a kept file.
const RESTORED_SUFFIX: &[u8] = b".restored";
/// Number of names that are tried beside a file.
const NAME_TRIES: usize = 1000;

/// A change to apply: from `base` to `target`.
#[derive(Debug, Clone)]
pub struct Step {
    /// The state before.
    pub base: Arc<Files>,
    /// The state after.
    pub target: Arc<Files>,
}

impl Step {
    /// Creates a step with only the differing paths of two states, since there may be many steps between
    /// large states.
    pub fn between(base: &Files, target: &Files) -> Self {
        let (mut from, mut to) = (Files::default(), Files::default());
        // Needed to know which paths may have existed without being recorded.
        let is_listed = |name: &Name, node: Node| is_rule_file(name) || node == Node::Unrecorded;
        for (name, node) in target.iter().filter(|(name, node)| is_listed(name, **node)) {
            if base.get(name) == Some(node) {
                from.insert(name.clone(), *node);
            }
            to.insert(name.clone(), *node);
        }
        for Change { name, from: was, to: is } in differences(base, target) {
            if base.ignored().contains(&name) {
                from.add_ignored(name.clone());
            }
            from.extend(was.map(|node| (name.clone(), node)));
            to.extend(is.map(|node| (name, node)));
        }
        Self { base: Arc::new(from), target: Arc::new(to) }
    }
}

/// Decision for a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decision {
    /// Keep the present version.
    #[default]
    Ours,
    /// Replace it with the recorded version.
    Theirs,
    /// Keep the present version, and write the recorded version beside it.
    KeepBoth,
}

impl Decision {
    /// Returns the outcome for the path, for scripts.
    pub fn outcome(self) -> &'static str {
        match self {
            Self::Ours => "stays",
            Self::Theirs => "taken",
            Self::KeepBoth => "beside it",
        }
    }
}

/// Decisions by path; the default is [`Decision::Mine`].
pub type Decisions = BTreeMap<Name, Decision>;

/// Why a path conflicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictReason {
    /// It changed since it was recorded.
    Changed,
    /// The present content was never recorded, so it could not be restored later.
    Unrecorded,
    /// A parent is not a folder, or the path is a folder that is not empty.
    InTheWay,
}

impl ConflictReason {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Changed => "changed on both sides",
            Self::Unrecorded => "what is there was not recorded",
            Self::InTheWay => "something is in the way",
        }
    }

    /// Returns the decision that is carried out: content that cannot be restored later is never overwritten,
    /// and nothing is written through an obstacle.
    pub fn allowed(self, decision: Decision) -> Decision {
        match (self, decision) {
            (Self::Unrecorded, Decision::Theirs) => Decision::KeepBoth,
            (Self::InTheWay, Decision::Theirs) => Decision::Ours,
            (_, decision) => decision,
        }
    }
}

/// A path that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The path.
    pub name: Name,
    /// The reason.
    pub reason: ConflictReason,
    /// What is there.
    pub ours: Option<Node>,
    /// The recorded node; `None` if there was none.
    pub theirs: Option<Node>,
    /// The decision.
    pub decision: Decision,
}

/// Why a differing path is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// Its content was not recorded.
    NotRecorded,
    /// The target state ignores it, so it may have existed.
    Ignored,
}

impl Skipped {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Self::NotRecorded => "its content was not recorded",
            Self::Ignored => "it was ignored then",
        }
    }
}

/// A change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The path.
    pub name: Name,
    /// What is there.
    pub from: Option<Node>,
    /// The new node.
    pub to: Option<Node>,
}

/// A restore plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// The changes on disk, sorted by path.
    pub changes: Vec<Change>,
    /// Paths that both sides changed and that could not be merged.
    pub conflicts: Vec<Conflict>,
    /// Paths that both sides changed and that were merged.
    pub merged: Vec<Name>,
    /// Paths that differ but are skipped.
    pub skipped: Vec<(Name, Skipped)>,
}

impl Plan {
    /// Whether there is nothing to change and nothing to decide.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.conflicts.is_empty()
    }
}

/// Returns all differences between two states.
pub fn differences(from: &Files, to: &Files) -> Vec<Change> {
    let mut names: BTreeSet<&Name> = BTreeSet::new();
    names.extend(from.iter().filter(|(name, node)| to.get(name) != Some(node)).map(|(name, _)| name));
    names.extend(to.keys().filter(|name| !from.contains_key(name)));
    let change =
        |name: &Name| Change { name: name.clone(), from: from.get(name).copied(), to: to.get(name).copied() };
    names.into_iter().map(change).collect()
}

/// Plans the steps, one after the other.
pub(super) fn plan(
    store: &Store,
    now: &Files,
    steps: &[Step],
    decisions: &Decisions,
) -> Result<Plan, CheckpointError> {
    let batch = store.batch();
    let mut planner = Planner {
        store,
        batch: &batch,
        now,
        steps,
        files: now.clone(),
        decisions,
        plan: Plan::default(),
        merged_texts: HashMap::new(),
        kept_paths: HashMap::new(),
    };
    for step in steps {
        planner.step(step)?;
    }
    planner.normalize_tree();
    for conflict in planner.plan.conflicts.iter_mut().filter(|known| known.decision == Decision::Theirs) {
        conflict.theirs = planner.files.get(&conflict.name).copied();
    }
    // If all steps together lead to the present node, there is no conflict.
    planner.plan.conflicts.retain(|conflict| conflict.ours != conflict.theirs);
    let Planner { files, mut plan, .. } = planner;
    plan.changes = differences(now, &files);
    plan.merged.sort_unstable();
    plan.merged.dedup();
    batch.finish()?;
    Ok(plan)
}

/// Returns why a path that is missing in the target state may have existed all the same.
fn skip_reason(step: &Step, rules: Option<&IgnoreRules>, name: &Name, is_folder: bool) -> Option<Skipped> {
    let is_unread = |folder: Name| step.target.get(&folder) == Some(&Node::Unrecorded);
    if name.folders().any(is_unread) {
        return Some(Skipped::NotRecorded);
    }
    let ignored =
        step.base.ignored().contains(name) || rules.is_some_and(|rules| rules.ignores(name, is_folder));
    ignored.then_some(Skipped::Ignored)
}

struct Planner<'a> {
    store: &'a Store,
    batch: &'a Batch<'a>,
    now: &'a Files,
    steps: &'a [Step],
    /// The planned nodes so far.
    files: Files,
    decisions: &'a Decisions,
    plan: Plan,
    /// Merged texts that are not in the store yet.
    merged_texts: HashMap<Oid, Vec<u8>>,
    /// Paths that are kept regardless of later steps, with the file written beside each.
    kept_paths: HashMap<Name, Option<Name>>,
}

impl Planner<'_> {
    fn step(&mut self, step: &Step) -> Result<(), CheckpointError> {
        let changes = differences(&step.base, &step.target);
        let goes = changes.iter().any(|change| change.to.is_none());
        let rules = if goes { Some(IgnoreRules::of(&step.target, self.store)?) } else { None };
        for Change { name, from: base, to: target } in changes {
            let mine = self.files.get(&name).copied();
            let stays = self.kept_paths.contains_key(&name);
            if mine == target && !stays {
                continue;
            }
            let is_folder = base.is_some_and(Node::is_folder);
            let left = match target {
                None => skip_reason(step, rules.as_ref(), &name, is_folder),
                Some(Node::Unrecorded) => Some(Skipped::NotRecorded),
                Some(_) => None,
            };
            if stays {
                // The earlier target is the last that is known.
                if left.is_none() {
                    self.update_kept(&name, target);
                }
            } else if let Some(reason) = left {
                if target.is_some() || !is_folder {
                    self.plan.skipped.push((name, reason));
                }
            } else if mine == Some(Node::Unrecorded) {
                self.resolve_conflict(name, ConflictReason::Unrecorded, target);
            } else if mine == base {
                self.set(name, target);
            } else {
                self.both_changed(name, base, mine, target)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, name: Name, node: Option<Node>) {
        match node {
            Some(node) => self.files.insert(name, node),
            None => self.files.remove(&name),
        };
    }

    /// Handles a path that both sides changed.
    fn both_changed(
        &mut self,
        name: Name,
        base: Option<Node>,
        mine: Option<Node>,
        theirs: Option<Node>,
    ) -> Result<(), CheckpointError> {
        match (base, mine, theirs) {
            // Different permissions of a folder are not worth a conflict.
            (_, Some(Node::Folder(_)), Some(Node::Folder(_))) => {}
            (
                Some(Node::File { rights: was, oid: base }),
                Some(Node::File { rights: my_rights, oid: mine }),
                Some(Node::File { rights: their_rights, oid: theirs }),
            ) => {
                let rights = if my_rights == was { their_rights } else { my_rights };
                let one_sided = if mine == base {
                    Some(theirs)
                } else {
                    (theirs == base || theirs == mine).then_some(mine)
                };
                let texts = [base, mine, theirs].map(|oid| self.blob(oid));
                let oid = match (one_sided, texts) {
                    (Some(oid), _) => Some(oid),
                    (None, [was, ours, others]) => match merge::merge(&was?, &ours?, &others?) {
                        Some(text) => Some(self.store_merged(&name, mine, &text)?),
                        None => None,
                    },
                };
                match oid {
                    Some(oid) => self.set(name, Some(Node::File { rights, oid })),
                    None => {
                        self.resolve_conflict(
                            name,
                            ConflictReason::Changed,
                            Some(Node::File { rights: their_rights, oid: theirs }),
                        );
                    }
                }
            }
            // Missing on one side, a folder on the other: its content decides.
            (_, Some(Node::Folder(_)) | None, Some(Node::Folder(_)) | None) => self.set(name, theirs),
            _ => self.resolve_conflict(name, ConflictReason::Changed, theirs),
        }
        Ok(())
    }

    fn blob(&self, oid: Oid) -> Result<Vec<u8>, CheckpointError> {
        self.merged_texts.get(&oid).cloned().map_or_else(|| self.store.blob(oid), Ok)
    }

    /// Stores a merged text.
    fn store_merged(&mut self, name: &Name, mine: Oid, text: &[u8]) -> Result<Oid, CheckpointError> {
        let oid = self.batch.put(&mut Packer::default(), Kind::Blob, text)?;
        self.merged_texts.insert(oid, text.to_vec());
        if oid != mine {
            self.plan.merged.push(name.clone());
        }
        Ok(oid)
    }

    /// Adds a conflict and applies its decision. A kept path has its present node, whatever earlier steps
    /// planned.
    fn resolve_conflict(&mut self, name: Name, conflict_reason: ConflictReason, theirs: Option<Node>) {
        let mut decision = conflict_reason.allowed(self.decisions.get(&name).copied().unwrap_or_default());
        if conflict_reason == ConflictReason::InTheWay && self.is_blocked(&name) {
            // There is no room beside it either.
            decision = Decision::Ours;
        }
        let mine = self.now.get(&name).copied();
        self.plan.merged.retain(|merged| *merged != name);
        if decision == Decision::Theirs {
            self.set(name.clone(), theirs);
        } else {
            self.set(name.clone(), mine);
            self.kept_paths.insert(name.clone(), None);
        }
        if decision == Decision::KeepBoth {
            self.write_copy(&name, theirs.filter(|_| mine != theirs));
        }
        let conflict = Conflict { name, reason: conflict_reason, ours: mine, theirs, decision };
        // Several steps may change one path; the last one determines the recorded version.
        match self.plan.conflicts.iter_mut().find(|known| known.name == conflict.name) {
            Some(known) => *known = conflict,
            None => self.plan.conflicts.push(conflict),
        }
    }

    /// Updates the recorded version of a conflict that a later step would change, too.
    fn update_kept(&mut self, name: &Name, theirs: Option<Node>) {
        let known = self.plan.conflicts.iter_mut().find(|known| known.name == *name);
        let Some(conflict) = known else { return };
        conflict.theirs = theirs;
        let (is_beside, is_same) = (conflict.decision == Decision::KeepBoth, conflict.ours == theirs);
        if is_beside {
            self.write_copy(name, theirs.filter(|_| !is_same));
        }
    }

    /// Plans the file beside a kept path, replacing an earlier one.
    fn write_copy(&mut self, name: &Name, theirs: Option<Node>) {
        let known = self.kept_paths.get(name).cloned().flatten();
        if let Some(beside) = &known {
            self.files.remove(beside);
        }
        if let Some(node) = theirs.filter(|node| !node.is_folder())
            && let Some(beside) = known.or_else(|| self.free_copy_name(name))
        {
            self.files.insert(beside.clone(), node);
            self.kept_paths.insert(name.clone(), Some(beside));
        }
    }

    /// Returns a name beside a path that neither exists nor is planned.
    fn free_copy_name(&self, name: &Name) -> Option<Name> {
        let names = (1..NAME_TRIES).filter_map(|n| {
            let mut bytes = [name.bytes(), RESTORED_SUFFIX].concat();
            if n > 1 {
                bytes.extend_from_slice(format!("-{n}").as_bytes());
            }
            Name::from_bytes(&bytes)
        });
        let is_changed = |name: &Name| self.steps.iter().any(|s| s.base.get(name) != s.target.get(name));
        let is_there = |name: &Name| self.now.contains_key(name) || self.files.contains_key(name);
        names.into_iter().find(|name| !is_there(name) && !is_changed(name))
    }

    /// Makes the planned nodes a valid tree: every parent is a folder, and folders with kept content are
    /// kept.
    fn normalize_tree(&mut self) {
        let names: Vec<Name> = self.files.keys().cloned().collect();
        for name in names {
            let Some(node) = self.files.get(&name).copied() else { continue };
            if self.now.contains_key(&name) {
                self.keep_folders(&name);
            } else if !self.make_folders(&name) {
                // The present node, or its absence, is kept.
                self.resolve_conflict(name, ConflictReason::InTheWay, Some(node));
            }
        }
    }

    /// Keeps the parent folders of a kept node.
    fn keep_folders(&mut self, name: &Name) {
        for folder in name.folders() {
            let (is, was) = (self.files.get(&folder).copied(), self.now.get(&folder).copied());
            if is.is_some_and(Node::is_folder) {
                continue;
            }
            if let Some(node) = is {
                self.resolve_conflict(folder.clone(), ConflictReason::InTheWay, Some(node));
            }
            self.set(folder, was);
        }
    }

    /// Whether a parent of the path is not a folder, or is kept absent.
    fn is_blocked(&self, name: &Name) -> bool {
        let is_none = |folder: Name| match self.files.get(&folder) {
            Some(node) => !node.is_folder(),
            None => self.kept_paths.contains_key(&folder),
        };
        name.folders().any(is_none)
    }

    /// Plans the parent folders of a new node; returns whether that is possible.
    fn make_folders(&mut self, name: &Name) -> bool {
        if self.is_blocked(name) {
            return false;
        }
        for folder in name.folders() {
            let was = self.now.get(&folder).copied().filter(|node| node.is_folder());
            self.files.entry(folder).or_insert(was.unwrap_or(Node::Folder(0o755)));
        }
        true
    }
}

#[cfg(test)]
mod tests;
