//! What a way back would do: which paths change, and where two sides have changed the same.
//!
//! Must not know the disk. A step takes what changed between two recorded states, `base` and `target`, to the
//! state of now: paths that are equal in both are left alone whatever is there now; what is now as in `base`
//! becomes as in `target`; what is neither was changed by somebody else, and is put together where that is clean,
//! else it stays, as a conflict that a user decides.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::error::CheckpointError;
use super::files::{Files, Node};
use super::ignored::{Rules, is_rules};
use super::merge;
use super::name::Name;
use super::object::{Kind, Oid};
use super::pack::Packer;
use super::store::{Batch, Store};

/// The ending of what is written beside a file that stays.
const BESIDE: &[u8] = b".restored";
/// Names beside a file that are tried.
const BESIDE_TRIES: usize = 1000;

/// A change that is to be taken over: from `base` to `target`.
#[derive(Debug, Clone)]
pub struct Step {
    /// How it was.
    pub base: Arc<Files>,
    /// How it is to be.
    pub target: Arc<Files>,
}

impl Step {
    /// The step between two states with only what it needs of them: of large states there may be many steps.
    pub fn between(base: &Files, target: &Files) -> Self {
        let (mut from, mut to) = (Files::default(), Files::default());
        // What says which paths may have been there all the same.
        let tells = |name: &Name, node: Node| is_rules(name) || node == Node::Unrecorded;
        for (name, node) in target.iter().filter(|(name, node)| tells(name, **node)) {
            if base.get(name) == Some(node) {
                from.insert(name.clone(), *node);
            }
            to.insert(name.clone(), *node);
        }
        for Change { name, from: was, to: is } in differences(base, target) {
            if base.hidden().contains(&name) {
                from.hide(name.clone());
            }
            from.extend(was.map(|node| (name.clone(), node)));
            to.extend(is.map(|node| (name, node)));
        }
        Self { base: Arc::new(from), target: Arc::new(to) }
    }
}

/// What is done about a conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Decision {
    /// What is there stays.
    #[default]
    Mine,
    /// What was recorded takes its place.
    Theirs,
    /// What is there stays, and what was recorded is written beside it.
    Beside,
}

impl Decision {
    /// What becomes of the path, for scripts.
    pub fn outcome(self) -> &'static str {
        match self {
            Self::Mine => "stays",
            Self::Theirs => "taken",
            Self::Beside => "beside it",
        }
    }
}

/// What is done about conflicts, by path; [`Decision::Mine`] where nothing is said.
pub type Decisions = BTreeMap<Name, Decision>;

/// Why a path is not simply made as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Somebody changed it since it was recorded.
    Changed,
    /// What is there was never recorded, so that nobody could bring it back.
    Unrecorded,
    /// Something else is where its folder would be, or it is a folder in which something is.
    InTheWay,
}

impl Overlap {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Changed => "changed on both sides",
            Self::Unrecorded => "what is there was not recorded",
            Self::InTheWay => "something is in the way",
        }
    }

    /// What is done when this is decided: what cannot be brought back is not written over, and nothing is written
    /// through what is in the way.
    pub fn done(self, decision: Decision) -> Decision {
        match (self, decision) {
            (Self::Unrecorded, Decision::Theirs) => Decision::Beside,
            (Self::InTheWay, Decision::Theirs) => Decision::Mine,
            (_, decision) => decision,
        }
    }
}

/// A path that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// Which.
    pub name: Name,
    /// Why.
    pub clash: Overlap,
    /// What is there.
    pub mine: Option<Node>,
    /// What was recorded; `None` where nothing was there.
    pub theirs: Option<Node>,
    /// What is done.
    pub decision: Decision,
}

/// Why a path stays as it is though it was different.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skipped {
    /// Its content was not recorded then.
    NotRecorded,
    /// The state ignores it, so it may have been there.
    Ignored,
}

impl Skipped {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotRecorded => "its content was not recorded",
            Self::Ignored => "it was ignored then",
        }
    }
}

/// What is there and what is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which path.
    pub name: Name,
    /// What is there.
    pub from: Option<Node>,
    /// What is to be there.
    pub to: Option<Node>,
}

/// What a way back does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// What changes on the disk, in the order of paths.
    pub changes: Vec<Change>,
    /// What both sides changed and could not be put together.
    pub conflicts: Vec<Conflict>,
    /// What both sides changed and was put together.
    pub merged: Vec<Name>,
    /// What stays though it was different.
    pub left: Vec<(Name, Skipped)>,
}

impl Plan {
    /// Whether nothing is to be done and nothing to be decided.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.conflicts.is_empty()
    }
}

/// Every path where two states differ.
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
        made: HashMap::new(),
        stays: HashMap::new(),
    };
    for step in steps {
        planner.step(step)?;
    }
    planner.settle();
    for conflict in planner.plan.conflicts.iter_mut().filter(|known| known.decision == Decision::Theirs) {
        conflict.theirs = planner.files.get(&conflict.name).copied();
    }
    // Where all steps together lead to what is there, there is nothing to decide.
    planner.plan.conflicts.retain(|conflict| conflict.mine != conflict.theirs);
    let Planner { files, mut plan, .. } = planner;
    plan.changes = differences(now, &files);
    plan.merged.sort_unstable();
    plan.merged.dedup();
    batch.finish()?;
    Ok(plan)
}

/// Why a path that is not in the wanted state may have been there all the same.
fn left(step: &Step, rules: Option<&Rules>, name: &Name, is_folder: bool) -> Option<Skipped> {
    let is_unread = |folder: Name| step.target.get(&folder) == Some(&Node::Unrecorded);
    if name.folders().any(is_unread) {
        return Some(Skipped::NotRecorded);
    }
    let ignored =
        step.base.hidden().contains(name) || rules.is_some_and(|rules| rules.leave_out(name, is_folder));
    ignored.then_some(Skipped::Ignored)
}

struct Planner<'a> {
    store: &'a Store,
    batch: &'a Batch<'a>,
    now: &'a Files,
    steps: &'a [Step],
    /// What is to be there, so far.
    files: Files,
    decisions: &'a Decisions,
    plan: Plan,
    /// Texts that were put together and are not in the store yet.
    made: HashMap<Oid, Vec<u8>>,
    /// Paths that stay as they are whatever later steps change, and what is written beside them.
    stays: HashMap<Name, Option<Name>>,
}

impl Planner<'_> {
    fn step(&mut self, step: &Step) -> Result<(), CheckpointError> {
        let changes = differences(&step.base, &step.target);
        let goes = changes.iter().any(|change| change.to.is_none());
        let rules = if goes { Some(Rules::of(&step.target, self.store)?) } else { None };
        for Change { name, from: base, to: target } in changes {
            let mine = self.files.get(&name).copied();
            let stays = self.stays.contains_key(&name);
            if mine == target && !stays {
                continue;
            }
            let is_folder = base.is_some_and(Node::is_folder);
            let left = match target {
                None => left(step, rules.as_ref(), &name, is_folder),
                Some(Node::Unrecorded) => Some(Skipped::NotRecorded),
                Some(_) => None,
            };
            if stays {
                // What it led to before is the last that is known.
                if left.is_none() {
                    self.lead(&name, target);
                }
            } else if let Some(why) = left {
                if target.is_some() || !is_folder {
                    self.plan.left.push((name, why));
                }
            } else if mine == Some(Node::Unrecorded) {
                self.clash(name, Overlap::Unrecorded, target);
            } else if mine == base {
                self.set(name, target);
            } else {
                self.both(name, base, mine, target)?;
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

    /// Both sides changed it.
    fn both(
        &mut self,
        name: Name,
        base: Option<Node>,
        mine: Option<Node>,
        theirs: Option<Node>,
    ) -> Result<(), CheckpointError> {
        match (base, mine, theirs) {
            // A folder is there or not; which rights it has is nothing to ask about.
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
                        Some(text) => Some(self.put_together(&name, mine, &text)?),
                        None => None,
                    },
                };
                match oid {
                    Some(oid) => self.set(name, Some(Node::File { rights, oid })),
                    None => {
                        self.clash(
                            name,
                            Overlap::Changed,
                            Some(Node::File { rights: their_rights, oid: theirs }),
                        );
                    }
                }
            }
            // Gone on one side, a folder on the other: what is in it decides.
            (_, Some(Node::Folder(_)) | None, Some(Node::Folder(_)) | None) => self.set(name, theirs),
            _ => self.clash(name, Overlap::Changed, theirs),
        }
        Ok(())
    }

    fn blob(&self, oid: Oid) -> Result<Vec<u8>, CheckpointError> {
        self.made.get(&oid).cloned().map_or_else(|| self.store.blob(oid), Ok)
    }

    /// Keeps a text that was put together.
    fn put_together(&mut self, name: &Name, mine: Oid, text: &[u8]) -> Result<Oid, CheckpointError> {
        let oid = self.batch.put(&mut Packer::default(), Kind::Blob, text)?;
        self.made.insert(oid, text.to_vec());
        if oid != mine {
            self.plan.merged.push(name.clone());
        }
        Ok(oid)
    }

    /// Asks about a path, and does what was decided. What stays is what is there, whatever steps before have made of
    /// it.
    fn clash(&mut self, name: Name, clash: Overlap, theirs: Option<Node>) {
        let mut decision = clash.done(self.decisions.get(&name).copied().unwrap_or_default());
        if clash == Overlap::InTheWay && self.is_blocked(&name) {
            // What would be beside it has no place either.
            decision = Decision::Mine;
        }
        let mine = self.now.get(&name).copied();
        self.plan.merged.retain(|merged| *merged != name);
        if decision == Decision::Theirs {
            self.set(name.clone(), theirs);
        } else {
            self.set(name.clone(), mine);
            self.stays.insert(name.clone(), None);
        }
        if decision == Decision::Beside {
            self.write_beside(&name, theirs.filter(|_| mine != theirs));
        }
        let conflict = Conflict { name, clash, mine, theirs, decision };
        // Several steps may change one path; the last one says where it would lead.
        match self.plan.conflicts.iter_mut().find(|known| known.name == conflict.name) {
            Some(known) => *known = conflict,
            None => self.plan.conflicts.push(conflict),
        }
    }

    /// A path that stays would have been changed by a later step, too: what it leads to is another thing now.
    fn lead(&mut self, name: &Name, theirs: Option<Node>) {
        let known = self.plan.conflicts.iter_mut().find(|known| known.name == *name);
        let Some(conflict) = known else { return };
        conflict.theirs = theirs;
        let (is_beside, is_same) = (conflict.decision == Decision::Beside, conflict.mine == theirs);
        if is_beside {
            self.write_beside(name, theirs.filter(|_| !is_same));
        }
    }

    /// Has what was recorded, and nothing else, beside a path that stays.
    fn write_beside(&mut self, name: &Name, theirs: Option<Node>) {
        let known = self.stays.get(name).cloned().flatten();
        if let Some(beside) = &known {
            self.files.remove(beside);
        }
        if let Some(node) = theirs.filter(|node| !node.is_folder())
            && let Some(beside) = known.or_else(|| self.beside(name))
        {
            self.files.insert(beside.clone(), node);
            self.stays.insert(name.clone(), Some(beside));
        }
    }

    /// A name beside a path that is free now, and that no step has anything for.
    fn beside(&self, name: &Name) -> Option<Name> {
        let names = (1..BESIDE_TRIES).filter_map(|n| {
            let mut bytes = [name.bytes(), BESIDE].concat();
            if n > 1 {
                bytes.extend_from_slice(format!("-{n}").as_bytes());
            }
            Name::from_bytes(&bytes)
        });
        let is_changed = |name: &Name| self.steps.iter().any(|s| s.base.get(name) != s.target.get(name));
        let is_there = |name: &Name| self.now.contains_key(name) || self.files.contains_key(name);
        names.into_iter().find(|name| !is_there(name) && !is_changed(name))
    }

    /// Makes a tree of it: everything in folders, nothing below files, no folder gone in which something stays.
    fn settle(&mut self) {
        let names: Vec<Name> = self.files.keys().cloned().collect();
        for name in names {
            let Some(node) = self.files.get(&name).copied() else { continue };
            if self.now.contains_key(&name) {
                self.keep_way(&name);
            } else if !self.make_way(&name) {
                // What is there, or nothing, stays.
                self.clash(name, Overlap::InTheWay, Some(node));
            }
        }
    }

    /// The folders of what is there and does not go, stay.
    fn keep_way(&mut self, name: &Name) {
        for folder in name.folders() {
            let (is, was) = (self.files.get(&folder).copied(), self.now.get(&folder).copied());
            if is.is_some_and(Node::is_folder) {
                continue;
            }
            if let Some(node) = is {
                self.clash(folder.clone(), Overlap::InTheWay, Some(node));
            }
            self.set(folder, was);
        }
    }

    /// Whether one of the folders of a path is something else, or stays away.
    fn is_blocked(&self, name: &Name) -> bool {
        let is_none = |folder: Name| match self.files.get(&folder) {
            Some(node) => !node.is_folder(),
            None => self.stays.contains_key(&folder),
        };
        name.folders().any(is_none)
    }

    /// The folders of what is to be made are there, or can be made.
    fn make_way(&mut self, name: &Name) -> bool {
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
