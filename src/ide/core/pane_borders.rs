//! Borders between panes that can be moved: which is at a cell, and the sizes that follow from moving it. Must not
//! know the mouse or the keys.

use ratatui::layout::{Position, Rect};

use crate::ide::core::layout::Areas;
use crate::ide::core::panes::Panes;

/// A border between two panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneBorder {
    /// The last column of the file tree, and of the session tree below it.
    Files,
    /// The title of the session tree below the file tree.
    SessionTree,
    /// The first column of the agent's pane, beside an editor or a terminal.
    Agent,
}

/// Returns the border at a cell.
pub fn border_at(areas: &Areas, at: Position) -> Option<PaneBorder> {
    let has_more = areas.editor.or(areas.terminal).or(areas.transcript).is_some();
    let is_at = |tree: &Rect| tree.contains(at);
    if let Some(tree) = areas.files.filter(is_at).or(areas.session_tree.filter(is_at)) {
        if has_more && at.x + 1 == tree.right() {
            return Some(PaneBorder::Files);
        }
        // At the top of the column there is nothing above it.
        let is_title = areas.session_tree.is_some_and(|tree| tree.y > 0 && tree.y == at.y);
        return is_title.then_some(PaneBorder::SessionTree);
    }
    let parts = [areas.agent_title, areas.transcript, areas.approval, areas.prompt];
    let is_agent = parts.into_iter().flatten().any(|part| part.contains(at) && part.x == at.x);
    (is_agent && areas.editor.or(areas.terminal).is_some()).then_some(PaneBorder::Agent)
}

/// Moves a border to a cell of a screen of `cols` columns.
pub fn move_border(panes: &mut Panes, areas: &Areas, border: PaneBorder, to: Position, cols: u16) {
    match border {
        PaneBorder::Files => panes.sizes.files = Some(to.x.saturating_add(1)),
        PaneBorder::SessionTree => {
            let height = areas.session_tree.map_or(1, Rect::bottom).max(1);
            let wanted = u32::from(height.saturating_sub(to.y));
            // Rounded up, so that the layout's rounding down returns the same row.
            panes.sizes.session_tree = (wanted * 100).div_ceil(u32::from(height)) as u16;
        }
        PaneBorder::Agent => {
            let trees = areas.files.or(areas.session_tree);
            let rest = cols.saturating_sub(trees.map_or(0, |tree| tree.width));
            let wanted = u32::from(cols.saturating_sub(to.x).min(rest));
            // Rounded up, so that the layout's rounding down returns the same column.
            let share = (wanted * 1000).div_ceil(u32::from(rest.max(1)));
            panes.sizes.agent = Some(share as u16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::core::layout::areas;
    use crate::ide::core::layout::tests::REQUEST;
    use crate::ide::core::panes::Focus;
    use proptest::prelude::*;

    #[test]
    fn pane_border_above_the_session_tree_follows_the_mouse() {
        let mut panes = Panes { focus: Focus::Editor, session_tree: true, ..Panes::default() };
        for rows in [30, 57] {
            for to in 4..rows - 5 {
                let before = areas((120, rows), &panes, REQUEST);
                let title = before.session_tree.unwrap().y;
                assert_eq!(border_at(&before, Position::new(3, title)), Some(PaneBorder::SessionTree));
                move_border(&mut panes, &before, PaneBorder::SessionTree, Position::new(3, to), 120);
                assert_eq!(areas((120, rows), &panes, REQUEST).session_tree.unwrap().y, to, "of {rows} rows");
            }
        }
        panes.set(Focus::Files, false);
        let alone = areas((120, 30), &panes, REQUEST);
        assert_eq!(border_at(&alone, Position::new(3, 0)), None);
        assert_eq!(border_at(&alone, Position::new(29, 9)), Some(PaneBorder::Files));
    }

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn pane_border_follows_the_mouse(cols in 110..300u16, to in 0..300u16, is_agent: bool) {
            let mut panes = Panes { focus: Focus::Editor, ..Panes::default() };
            let before = areas((cols, 30), &panes, REQUEST);
            let border = if is_agent { PaneBorder::Agent } else { PaneBorder::Files };
            move_border(&mut panes, &before, border, Position::new(to.min(cols - 1), 5), cols);
            let after = areas((cols, 30), &panes, REQUEST);
            let (files, agent) = (after.files.unwrap(), after.transcript.unwrap());
            let now = if is_agent { agent.x } else { files.right() - 1 };
            let range = if is_agent { files.width + 20..=cols - 30 } else { 9..=cols / 2 - 1 };
            prop_assert_eq!(now, to.clamp(*range.start(), *range.end()));
            let found = border_at(&after, Position::new(now, 5));
            prop_assert_eq!(found, Some(border));
            prop_assert_eq!(border_at(&after, Position::new(now + 1, 5)), (!is_agent && agent.x == now + 1).then_some(PaneBorder::Agent));
        }
    }
}
