//! Outline of a session's tree as rows, for navigation.
//!
//! Must not know how rows are drawn, nor the texts of entries: rows use only data that is always in memory,
//! so that a session of a hundred thousand entries has its rows immediately; [`words`] returns the texts of
//! visible rows. Consecutive entries share a lane; at a fork each branch gets a lane of its own.

pub mod entry_line;
pub mod turn;

use std::collections::{HashMap, HashSet};

use compact_str::CompactString;

use crate::base::clock;
use crate::session::format::role::Role;
use crate::session::tree::Tree;

/// Which entries have rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Filter {
    /// User messages, the last answer to each, summaries, and labeled entries.
    #[default]
    Turns,
    /// Also the model's other messages.
    Messages,
    /// Also the results of tools.
    Tools,
    /// All entries.
    All,
    /// Labeled entries only.
    Labels,
    /// User messages only.
    User,
}

impl Filter {
    /// All filters, from narrow to wide, then those of one kind.
    pub const ALL: [Self; 6] =
        [Self::Turns, Self::Messages, Self::Tools, Self::All, Self::Labels, Self::User];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Messages => "answers",
            Self::Tools => "tools",
            Self::All => "all",
            Self::Labels => "labelled",
            Self::User => "user only",
        }
    }

    /// Returns whether an entry has a row, by its type and role; `is_last` says that it is the last answer of its turn.
    fn shows(self, (kind, role): (&str, Role), is_last: bool, is_labelled: bool) -> bool {
        let is_user = role == Role::User;
        let is_turn = is_user || is_last || is_labelled || matches!(kind, "compaction" | "branch_summary");
        let is_message = is_turn || matches!(role, Role::Assistant | Role::Other) || kind == "custom_message";
        match self {
            Self::Turns => is_turn,
            Self::Messages => is_message,
            Self::Tools => is_message || role == Role::Tool,
            Self::All => true,
            Self::Labels => is_labelled,
            Self::User => is_user,
        }
    }
}

/// One lane of the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The lane that it branches from; `None` for a root lane.
    pub from: Option<u32>,
    /// Whether it is the last branch there.
    pub last: bool,
    /// Number of lanes to its left.
    pub level: u32,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The entry.
    pub id: CompactString,
    /// Its type, in pi's terms.
    pub kind: CompactString,
    /// Its role.
    pub role: Role,
    /// Its time in milliseconds since the epoch.
    pub time_ms: u64,
    /// Its lane, in [`Outline::lanes`].
    pub lane: u32,
    /// Whether the lane starts here.
    pub starts: bool,
    /// Number of descendant rows below it, which folding hides.
    pub descendants: u32,
    /// Whether it is on the path from the root to the leaf.
    pub active: bool,
    /// The user's label.
    pub label: Option<CompactString>,
}

impl Row {
    /// Returns whether it is a message of the user.
    pub fn is_user(&self) -> bool {
        self.role == Role::User
    }

    /// Returns whether it is an answer of the model.
    pub fn is_answer(&self) -> bool {
        self.role == Role::Assistant
    }
}

/// The outline of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The rows, from the first root down.
    pub rows: Vec<Row>,
    /// The lanes of the rows.
    pub lanes: Vec<Lane>,
    /// The row of where the conversation is, or of the nearest ancestor with a row.
    pub leaf_row: Option<u32>,
    /// Number of user messages.
    pub turns: u32,
    /// Number of leaves of the tree.
    pub leaf_count: u32,
}

impl Outline {
    /// Returns the indices of the rows of the user's messages on the path, from the last.
    fn turns(&self) -> impl Iterator<Item = usize> {
        let is_turn = |at: &usize| self.rows[*at].active && self.rows[*at].role == Role::User;
        (0..self.rows.len()).rev().filter(is_turn)
    }

    /// Returns the entry of the leaf, or of its nearest ancestor with a row.
    pub fn leaf(&self) -> Option<&str> {
        self.rows.get(self.leaf_row? as usize).map(|row| row.id.as_str())
    }

    /// Returns the entry of the user's message that `later` others follow on the path to the leaf.
    pub fn turn(&self, later: usize) -> Option<&str> {
        self.turns().nth(later).map(|at| self.rows[at].id.as_str())
    }

    /// Returns the last entry of the turn of that message that has a row.
    pub fn end_of_turn(&self, later: usize) -> Option<&str> {
        self.turns().nth(later)?;
        let end = match later {
            0 => self.rows.len(),
            _ => self.turns().nth(later - 1)?,
        };
        self.rows[..end].iter().rev().find(|row| row.active).map(|row| row.id.as_str())
    }
}

/// Labels by entry id.
pub type Labels = HashMap<String, String>;

/// Returns the rows of a tree. Linear in the number of entries.
pub fn outline(tree: &Tree, labels: &Labels, filter: Filter) -> Outline {
    let labelled: HashSet<u32> = labels.keys().filter_map(|id| tree.index_of(id)).collect();
    let mut turns = 0;
    let is_followed = if filter == Filter::Turns { followed_by_answers(tree) } else { Vec::new() };
    let is_shown = |at: u32| {
        let (kind, role) = tree.kind_and_role(at);
        turns += u32::from(role == Role::User);
        let is_last = role == Role::Assistant && is_followed.get(at as usize) == Some(&false);
        filter.shows((kind, role), is_last, labelled.contains(&at))
    };
    let shown: Vec<bool> = (0..tree.len() as u32).map(is_shown).collect();
    let above = nearest_above(tree, &shown);
    let mut children = Children::of(&shown, &above);
    let active = active(tree);
    let mut maker =
        OutlineBuilder { tree, labels, active: &active, out: Outline::default(), row_of: HashMap::new() };
    let roots = children.take(None);
    maker.add_rows(&roots, &mut children);
    // A cycle is reachable from no root; only a damaged file has one.
    for at in 0..tree.len() as u32 {
        if shown[at as usize] && !maker.row_of.contains_key(&at) {
            maker.add_rows(&[at], &mut children);
        }
    }
    let here = place(tree);
    let here = here.and_then(|at| if shown[at as usize] { Some(at) } else { above[at as usize] });
    let mut out = maker.out;
    out.leaf_row = here.and_then(|at| maker.row_of.get(&at).copied());
    out.turns = turns;
    out.leaf_count = tree.leaf_count() as u32;
    out
}

/// Returns of every entry whether an answer to the same message of the user follows it. An entry that stands in the file
/// before its parent, as no program writes them, does not count.
fn followed_by_answers(tree: &Tree) -> Vec<bool> {
    let mut is_followed = vec![false; tree.len()];
    for at in (0..tree.len() as u32).rev() {
        let follows = match tree.kind_and_role(at).1 {
            Role::User => false,
            Role::Assistant => true,
            _ => is_followed[at as usize],
        };
        if let Some(parent) = tree.parent_index(at).filter(|_| follows) {
            is_followed[parent as usize] = true;
        }
    }
    is_followed
}

/// Returns where the conversation is: the leaf, or the entry before labels and names of the session, which are no place to
/// be.
fn place(tree: &Tree) -> Option<u32> {
    let mut at = tree.leaf_index()?;
    // A path longer than the number of entries is a cycle.
    for _ in 0..tree.len() {
        if !matches!(tree.kind_and_role(at).0, "label" | "session_info") {
            break;
        }
        at = tree.parent_index(at)?;
    }
    Some(at)
}

/// Returns for every entry its nearest ancestor with a row.
fn nearest_above(tree: &Tree, shown: &[bool]) -> Vec<Option<u32>> {
    let mut found: Vec<Option<Option<u32>>> = vec![None; shown.len()];
    let mut ancestors = Vec::new();
    for at in 0..shown.len() as u32 {
        ancestors.clear();
        let mut next = at;
        let answer = loop {
            if let Some(known) = found[next as usize] {
                break known;
            }
            ancestors.push(next);
            match tree.parent_index(next) {
                Some(parent) if shown[parent as usize] => break Some(parent),
                // A path longer than the number of entries is a cycle.
                Some(parent) if ancestors.len() <= shown.len() => next = parent,
                _ => break None,
            }
        };
        // Entries on the path without a row have the same ancestor as the first.
        for passed in &ancestors {
            found[*passed as usize] = Some(answer);
        }
    }
    found.into_iter().map(Option::flatten).collect()
}

/// Returns which entries are on the path to the leaf.
fn active(tree: &Tree) -> Vec<bool> {
    let mut active = vec![false; tree.len()];
    for at in tree.ancestors(tree.leaf_index()) {
        active[at as usize] = true;
    }
    active
}

/// The rows that follow each row.
struct Children {
    roots: Vec<u32>,
    of: HashMap<u32, Vec<u32>>,
}

impl Children {
    fn of(shown: &[bool], above: &[Option<u32>]) -> Self {
        let mut children = Self { roots: Vec::new(), of: HashMap::new() };
        for at in (0..shown.len()).filter(|at| shown[*at]) {
            match above[at] {
                Some(parent) => children.of.entry(parent).or_default().push(at as u32),
                None => children.roots.push(at as u32),
            }
        }
        children
    }

    fn take(&mut self, parent: Option<u32>) -> Vec<u32> {
        match parent {
            Some(parent) => self.of.remove(&parent).unwrap_or_default(),
            None => std::mem::take(&mut self.roots),
        }
    }
}

/// Pending work: an entry that needs a row, or a row whose descendants are complete.
enum PendingWork {
    Row { at: u32, lane: u32, starts: bool },
    Done(u32),
}

struct OutlineBuilder<'a> {
    tree: &'a Tree,
    labels: &'a Labels,
    active: &'a [bool],
    out: Outline,
    row_of: HashMap<u32, u32>,
}

impl OutlineBuilder<'_> {
    /// Adds the descendants of these entries. Iterative: a conversation is deeper than the stack.
    fn add_rows(&mut self, roots: &[u32], children: &mut Children) {
        let mut due = Vec::new();
        self.add_lanes(roots, None, &mut due);
        while let Some(next) = due.pop() {
            match next {
                PendingWork::Done(row) => {
                    let below = self.out.rows.len() as u32 - row - 1;
                    self.out.rows[row as usize].descendants = below;
                }
                PendingWork::Row { at, lane, starts } if !self.row_of.contains_key(&at) => {
                    let row = self.out.rows.len() as u32;
                    self.row_of.insert(at, row);
                    let made = self.row(at, lane, starts);
                    self.out.rows.push(made);
                    due.push(PendingWork::Done(row));
                    match children.take(Some(at))[..] {
                        [only] => due.push(PendingWork::Row { at: only, lane, starts: false }),
                        ref several => self.add_lanes(several, Some(lane), &mut due),
                    }
                }
                PendingWork::Row { .. } => {}
            }
        }
    }

    /// Creates a lane for each child of a fork.
    fn add_lanes(&mut self, several: &[u32], from: Option<u32>, due: &mut Vec<PendingWork>) {
        let level = from.map_or(0, |from| self.out.lanes[from as usize].level + 1);
        let first = self.out.lanes.len() as u32;
        for n in 0..several.len() {
            self.out.lanes.push(Lane { from, last: n + 1 == several.len(), level });
        }
        let lanes = first..first + several.len() as u32;
        let rows = several.iter().zip(lanes).rev();
        due.extend(rows.map(|(at, lane)| PendingWork::Row { at: *at, lane, starts: true }));
    }

    fn row(&self, at: u32, lane: u32, starts: bool) -> Row {
        // Reading an entry would cache it; for all of them that is too much memory.
        let (id, timestamp) = self.tree.texts(at);
        let (kind, role) = self.tree.kind_and_role(at);
        Row {
            kind: kind.into(),
            role,
            time_ms: clock::parse_iso8601(&timestamp).unwrap_or(0),
            lane,
            starts,
            descendants: 0,
            active: self.active[at as usize],
            label: self.labels.get(&*id).map(Into::into),
            id,
        }
    }
}

#[cfg(test)]
mod tests;
