//! Restore steps: the recorded changes of agents and restores that lead back to a checkpoint, without the
//! user's changes in between. Pure.
//!
//! Must not know how checkpoints are stored. The folder went through its states in the order in which they
//! were recorded, on whichever branch, so they are reverted in reverse of that order.

use super::checkpoints::{self, Checkpoint, When};
use crate::session::tree::Tree;

/// One step: from a state back to an earlier one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreStep {
    /// The state after the change; `None` when it was not recorded, so that the present one is used.
    pub base: Option<Checkpoint>,
    /// The state before the change.
    pub target: Checkpoint,
}

/// Whether the difference between two consecutive checkpoints was made by agents or a restore; otherwise the
/// user made it.
fn is_by_agents(before: &Checkpoint, after: &Checkpoint) -> bool {
    !after.more && is_during_work(before)
}

/// Whether agents or a restore were active when a checkpoint was recorded: later changes are theirs.
pub(in crate::session) fn is_during_work(state: &Checkpoint) -> bool {
    matches!(state.at, When::Before | When::Left) || state.busy
}

/// Returns the steps to the checkpoint of an entry, latest change first. `None` when nothing was recorded, or
/// there is no such entry.
pub fn steps_to(tree: &Tree, id: &str) -> Option<Vec<RestoreStep>> {
    let checkpoint = checkpoints::at_entry(tree, id)?;
    let of_root = |state: &Checkpoint| state.root == checkpoint.root;
    let mut states: Vec<Checkpoint> =
        tree.of_kind("custom").filter_map(checkpoints::from_entry).filter(of_root).collect();
    states.reverse();
    // If the folder had this state several times, as after another restore, only changes after the last time
    // count.
    let index = states.iter().rposition(|state| state.tree == checkpoint.tree)?;
    let mut steps = Vec::new();
    if let Some(last) = states.last().filter(|last| is_during_work(last)) {
        steps.push(RestoreStep { base: None, target: last.clone() });
    }
    for pair in states[index..].windows(2).rev() {
        let [before, after] = pair else { continue };
        if is_by_agents(before, after) {
            add_step(&mut steps, after, before);
        }
    }
    if steps.is_empty() {
        steps.push(RestoreStep { base: Some(checkpoint.clone()), target: checkpoint });
    }
    Some(steps)
}

/// Returns the steps that revert the changes of an entry's turn, latest change first.
pub fn revert_steps(tree: &Tree, id: &str) -> Vec<RestoreStep> {
    let Some(turn) = checkpoints::turn_of(tree, id) else { return Vec::new() };
    let mut steps = Vec::new();
    let of_agents = |state: &Checkpoint| state.at == When::Before || state.busy;
    for state in turn.states.iter().rev().filter(|state| of_agents(&state.1)) {
        match next_checkpoint(tree, state.0, &state.1.root) {
            // The same state with additional files.
            Some(next) if next.more => {}
            Some(next) => add_step(&mut steps, &next, &state.1),
            None => steps.push(RestoreStep { base: None, target: state.1.clone() }),
        }
    }
    steps
}

/// Returns the next checkpoint recorded in a folder, on any branch.
fn next_checkpoint(tree: &Tree, id: &str, root: &str) -> Option<Checkpoint> {
    let behind = tree.of_kind("custom").take_while(|entry| entry.id() != id);
    behind.filter_map(|entry| checkpoints::from_entry(entry).filter(|state| state.root == root)).last()
}

/// Adds a step; one that continues the previous step extends it.
fn add_step(steps: &mut Vec<RestoreStep>, base: &Checkpoint, target: &Checkpoint) {
    if base.tree == target.tree {
        return;
    }
    match steps.last_mut() {
        // Back at the same state: nothing to do.
        Some(RestoreStep { base: Some(first), target: last })
            if last.tree == base.tree && first.tree == target.tree =>
        {
            steps.pop();
        }
        Some(last_step) if last_step.target.tree == base.tree => last_step.target = target.clone(),
        _ => steps.push(RestoreStep { base: Some(base.clone()), target: target.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::json::json;
    use crate::session::format::entry::Entry;
    use crate::session::restore::checkpoints::CHECKPOINT;

    /// `id parent what`: `u` a prompt, else a checkpoint `before:tree`, `+` behind it for the same look with more,
    /// `!` for one while agents are at work.
    fn tree(rows: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for row in rows {
            let [id, parent, what] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("{row}") };
            let mut line = match what.split_once(':') {
                None => {
                    json!({"type": "message", "message": {"role": "user", "content": "x", "timestamp": 1}})
                }
                Some((at, name)) => {
                    let data = json!({
                        "at": at, "tree": name.trim_end_matches(['+', '!']), "root": "/w",
                        "more": name.ends_with('+'), "busy": name.ends_with('!'),
                    });
                    json!({"type": "custom", "customType": CHECKPOINT, "data": data})
                }
            };
            line["id"] = json!(id);
            line["parentId"] = if parent == "-" { json!(null) } else { json!(parent) };
            tree.push(Entry::parse(&line.to_string()).unwrap()).unwrap();
        }
        tree
    }

    fn show(legs: &[RestoreStep]) -> String {
        let leg = |leg: &RestoreStep| {
            format!("{}>{}", leg.base.as_ref().map_or("now", |base| &base.tree), leg.target.tree)
        };
        legs.iter().map(leg).collect::<Vec<_>>().join(" ")
    }

    fn to(rows: &[&str], id: &str) -> String {
        super::steps_to(&tree(rows), id).map_or("-".to_string(), |legs| show(&legs))
    }

    fn without(rows: &[&str], id: &str) -> String {
        show(&super::revert_steps(&tree(rows), id))
    }

    const QUIET: &[&str] =
        &["u1 - u", "a u1 before:0", "b a after:1", "u2 b u", "c u2 before:1", "d c after:2"];

    #[test]
    fn restore_steps_without_user_changes_is_one_step() {
        assert_eq!(
            (to(QUIET, "u1"), to(QUIET, "u2"), to(QUIET, "d")),
            ("2>0".into(), "2>1".into(), "2>2".into())
        );
        assert_eq!((to(QUIET, "nobody"), to(&["u1 - u"], "u1")), ("-".into(), "-".into()));
        assert_eq!((without(QUIET, "u1"), without(QUIET, "u2")), ("1>0".into(), "2>1".into()));
        let gone = [QUIET, &["l d left:2", "r l restored:1"]].concat();
        assert_eq!(without(&gone, "u2"), "2>1", "a way back is no change of the turn");
    }

    #[test]
    fn restore_steps_skip_user_changes_between_turns() {
        let rows = ["u1 - u", "a u1 before:0", "b a after:1", "u2 b u", "c u2 before:1p", "d c after:2"];
        assert_eq!((to(&rows, "u1"), to(&rows, "u2")), ("2>1p 1>0".into(), "2>1p".into()));
    }

    #[test]
    fn restore_steps_across_branches_follow_states() {
        let rows = [
            "u1 - u",
            "a u1 before:0",
            "b a after:1",
            "l b left:1p",
            "r u1 restored:0p",
            "u2 r u",
            "c u2 before:0p",
            "d c after:2",
            "m d left:2",
            "s b restored:1p",
        ];
        assert_eq!(to(&rows, "d"), "1p>2");
        assert_eq!(to(&rows, "r"), "1p>0p");
        assert_eq!(
            (to(&rows, "u1"), to(&rows, "b")),
            ("1>0".into(), "1>1".into()),
            "what the user changed stays"
        );
    }

    #[test]
    fn restore_steps_unrecorded_end_uses_next_state_or_now() {
        let rows = ["u1 - u", "a u1 before:0", "u2 a u", "b u2 before:1", "c b after:2"];
        assert_eq!((to(&rows, "u1"), without(&rows, "u1")), ("2>0".into(), "1>0".into()));
        assert_eq!((to(&rows[..2], "u1"), without(&rows[..2], "u1")), ("now>0".into(), "now>0".into()));
        let rows = ["u1 - u", "a u1 before:0", "b a before:0x+", "c b after:1"];
        assert_eq!(
            (to(&rows, "u1"), without(&rows, "u1")),
            ("1>0x".into(), "1>0x".into()),
            "more of one look"
        );
        let rows = ["u1 - u", "a u1 before:0", "b a after:1!", "u2 b u", "c u2 before:2", "d c after:3"];
        assert_eq!(
            (to(&rows, "u1"), without(&rows, "u1")),
            ("3>0".into(), "2>0".into()),
            "others were at work"
        );
        assert_eq!(to(&rows[..3], "u1"), "now>0");
    }
}
