//! Borders between panes that can be moved: which is at a cell, and the sizes that follow from moving it. Must not
//! know the mouse or the keys.

use ratatui::layout::Position;

use crate::ide::core::layout::Areas;
use crate::ide::core::panes::Panes;

/// A border between two panes side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneBorder {
    /// The last column of the file tree.
    Files,
    /// The first column of the agent's pane, beside an editor or a terminal.
    Agent,
}

/// Returns the border at a cell.
pub fn border_at(areas: &Areas, at: Position) -> Option<PaneBorder> {
    let has_more = areas.editor.or(areas.terminal).or(areas.transcript).is_some();
    if let Some(files) = areas.files.filter(|files| has_more && files.contains(at)) {
        return (at.x + 1 == files.right()).then_some(PaneBorder::Files);
    }
    let parts = [areas.agent_title, areas.transcript, areas.approval, areas.prompt];
    let is_agent = parts.into_iter().flatten().any(|part| part.contains(at) && part.x == at.x);
    (is_agent && areas.editor.or(areas.terminal).is_some()).then_some(PaneBorder::Agent)
}

/// Moves a border to a column of a screen of `cols` columns.
pub fn move_border(panes: &mut Panes, areas: &Areas, border: PaneBorder, (column, cols): (u16, u16)) {
    match border {
        PaneBorder::Files => panes.sizes.files = Some(column.saturating_add(1)),
        PaneBorder::Agent => {
            let rest = cols.saturating_sub(areas.files.map_or(0, |files| files.width));
            let wanted = u32::from(cols.saturating_sub(column).min(rest));
            // Rounded up, so that the layout's rounding down returns the same column.
            let share = (wanted * 1000).div_ceil(u32::from(rest.max(1)));
            panes.sizes.agent = Some(share as u16);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ide::core::layout::{LayoutRequest, areas};
    use crate::ide::core::panes::Focus;
    use proptest::prelude::*;

    const REQUEST: LayoutRequest =
        LayoutRequest { prompt_rows: 2, approval_rows: 0, tab_line: true, has_text: true };

    proptest! {
        #![proptest_config(crate::base::seeds::cases(256))]
        #[test]
        fn pane_border_follows_the_mouse(cols in 110..300u16, to in 0..300u16, is_agent: bool) {
            let mut panes = Panes { focus: Focus::Editor, ..Panes::default() };
            let before = areas((cols, 30), &panes, REQUEST);
            let border = if is_agent { PaneBorder::Agent } else { PaneBorder::Files };
            move_border(&mut panes, &before, border, (to.min(cols - 1), cols));
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
