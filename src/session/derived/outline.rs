//! The tree of a session as rows: what a user moves through, one below the other.
//!
//! Must not know how rows are drawn, nor what entries say: a row is made from what is always in memory,
//! so that a session of a hundred thousand entries has its rows at once; [`words`] tells what the ones
//! that are looked at say. Where a conversation goes straight on, rows stand below each other; where it
//! parts, each branch has a lane of its own.

pub mod turn;
pub mod words;

use std::collections::{HashMap, HashSet};

use compact_str::CompactString;

use crate::base::clock;
use crate::session::format::role::Role;
use crate::session::tree::Tree;

/// Which entries have rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Filter {
    /// What the user said, summaries, and what has a label.
    #[default]
    Turns,
    /// What the model said as well.
    Talk,
    /// What has a label.
    Labels,
    /// Everything.
    All,
}

impl Filter {
    /// Every filter, from the narrow to the wide, labels last.
    pub const ALL: [Self; 4] = [Self::Turns, Self::Talk, Self::All, Self::Labels];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Turns => "turns",
            Self::Talk => "answers too",
            Self::Labels => "labelled",
            Self::All => "all",
        }
    }

    fn shows(self, kind: &str, role: Role, labelled: bool) -> bool {
        let summary = matches!(kind, "compaction" | "branch_summary");
        let said = role == Role::User;
        labelled
            || match self {
                Self::Turns => said || summary,
                Self::Talk => {
                    let heard = matches!(role, Role::Assistant | Role::Other);
                    said || summary || heard || kind == "custom_message"
                }
                Self::Labels => false,
                Self::All => true,
            }
    }
}

/// One branch of the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lane {
    /// The lane that it leaves; `None` for one that everything hangs on.
    pub from: Option<u32>,
    /// Whether it is the last that leaves there.
    pub last: bool,
    /// How many lanes there are between it and the edge.
    pub level: u32,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The entry.
    pub id: CompactString,
    /// Its kind, as pi names it.
    pub kind: CompactString,
    /// Who speaks.
    pub role: Role,
    /// When, in milliseconds since the epoch.
    pub time_ms: u64,
    /// Its lane, in [`Outline::lanes`].
    pub lane: u32,
    /// Whether the lane begins here.
    pub starts: bool,
    /// Rows below it that are its descendants: those that go when it is folded.
    pub below: u32,
    /// Whether it is on the way from the root to where the conversation is.
    pub active: bool,
    /// The name that the user gave it.
    pub label: Option<CompactString>,
}

/// A session's tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// From the first root down.
    pub rows: Vec<Row>,
    /// What the rows stand in.
    pub lanes: Vec<Lane>,
    /// The row of the conversation's end, or of the last before it that has a row.
    pub here: Option<u32>,
    /// Everything that the user said.
    pub turns: u32,
    /// Ends of the tree.
    pub ends: u32,
}

/// The names of entries, by their ids.
pub type Labels = HashMap<String, String>;

/// Makes the rows of a tree. Linear in the number of its entries.
pub fn outline(tree: &Tree, labels: &Labels, filter: Filter) -> Outline {
    let labelled: HashSet<u32> = labels.keys().filter_map(|id| tree.index_of(id)).collect();
    let mut turns = 0;
    let wanted = |at: u32| {
        let (kind, role) = tree.kind_and_role(at);
        turns += u32::from(role == Role::User);
        filter.shows(kind, role, labelled.contains(&at))
    };
    let shown: Vec<bool> = (0..tree.len() as u32).map(wanted).collect();
    let above = nearest_above(tree, &shown);
    let mut children = Children::of(&shown, &above);
    let active = active(tree);
    let mut maker = Maker { tree, labels, active: &active, out: Outline::default(), row_of: HashMap::new() };
    let roots = children.take(None);
    maker.grow(&roots, &mut children);
    // A circle hangs on no root; only a damaged file has one.
    for at in 0..tree.len() as u32 {
        if shown[at as usize] && !maker.row_of.contains_key(&at) {
            maker.grow(&[at], &mut children);
        }
    }
    let here = tree.leaf_index();
    let here = here.and_then(|at| if shown[at as usize] { Some(at) } else { above[at as usize] });
    let mut out = maker.out;
    out.here = here.and_then(|at| maker.row_of.get(&at).copied());
    out.turns = turns;
    out.ends = tree.ends() as u32;
    out
}

/// For every entry the nearest before it that has a row.
fn nearest_above(tree: &Tree, shown: &[bool]) -> Vec<Option<u32>> {
    let mut found: Vec<Option<Option<u32>>> = vec![None; shown.len()];
    let mut way = Vec::new();
    for at in 0..shown.len() as u32 {
        way.clear();
        let mut next = at;
        let answer = loop {
            if let Some(known) = found[next as usize] {
                break known;
            }
            way.push(next);
            match tree.parent_index(next) {
                Some(parent) if shown[parent as usize] => break Some(parent),
                // Longer than there are entries: a circle.
                Some(parent) if way.len() <= shown.len() => next = parent,
                _ => break None,
            }
        };
        // All on the way are hidden but the first, whose answer is the same.
        for passed in &way {
            found[*passed as usize] = Some(answer);
        }
    }
    found.into_iter().map(Option::flatten).collect()
}

/// Which entries are on the way to the leaf.
fn active(tree: &Tree) -> Vec<bool> {
    let mut active = vec![false; tree.len()];
    for at in tree.way_back(tree.leaf_index()) {
        active[at as usize] = true;
    }
    active
}

/// Who has a row behind whom.
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

/// What is still to be done: an entry to make a row of, or a row whose descendants are all there.
enum Due {
    Row { at: u32, lane: u32, starts: bool },
    Done(u32),
}

struct Maker<'a> {
    tree: &'a Tree,
    labels: &'a Labels,
    active: &'a [bool],
    out: Outline,
    row_of: HashMap<u32, u32>,
}

impl Maker<'_> {
    /// Adds what hangs on these. Not by recursion: a conversation is deeper than a stack.
    fn grow(&mut self, roots: &[u32], children: &mut Children) {
        let mut due = Vec::new();
        self.part(roots, None, &mut due);
        while let Some(next) = due.pop() {
            match next {
                Due::Done(row) => {
                    let below = self.out.rows.len() as u32 - row - 1;
                    self.out.rows[row as usize].below = below;
                }
                Due::Row { at, lane, starts } if !self.row_of.contains_key(&at) => {
                    let row = self.out.rows.len() as u32;
                    self.row_of.insert(at, row);
                    let made = self.row(at, lane, starts);
                    self.out.rows.push(made);
                    due.push(Due::Done(row));
                    match children.take(Some(at))[..] {
                        [only] => due.push(Due::Row { at: only, lane, starts: false }),
                        ref several => self.part(several, Some(lane), &mut due),
                    }
                }
                Due::Row { .. } => {}
            }
        }
    }

    /// A lane for each of those that go on from the same place.
    fn part(&mut self, several: &[u32], from: Option<u32>, due: &mut Vec<Due>) {
        let level = from.map_or(0, |from| self.out.lanes[from as usize].level + 1);
        let first = self.out.lanes.len() as u32;
        for n in 0..several.len() {
            self.out.lanes.push(Lane { from, last: n + 1 == several.len(), level });
        }
        let lanes = first..first + several.len() as u32;
        let rows = several.iter().zip(lanes).rev();
        due.extend(rows.map(|(at, lane)| Due::Row { at: *at, lane, starts: true }));
    }

    fn row(&self, at: u32, lane: u32, starts: bool) -> Row {
        // An entry that is made stays: of all of them that would be much.
        let (id, timestamp) = self.tree.texts(at);
        let (kind, role) = self.tree.kind_and_role(at);
        Row {
            kind: kind.into(),
            role,
            time_ms: clock::parse_iso8601(&timestamp).unwrap_or(0),
            lane,
            starts,
            below: 0,
            active: self.active[at as usize],
            label: self.labels.get(&*id).map(Into::into),
            id,
        }
    }
}

#[cfg(test)]
mod tests;
