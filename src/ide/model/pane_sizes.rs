//! Sizes that the user has given to the panes, stored with the open files of a folder. Must not know the screen:
//! the layout clamps them to what fits.

use serde::{Deserialize, Serialize};

/// Initial height of the terminals, in percent.
const TERMINAL_SHARE: u16 = 35;
/// Minimum and maximum of that height.
const TERMINAL_SHARE_RANGE: (u16, u16) = (10, 90);

/// Initial height of the session tree below the file tree, in percent.
const SESSION_TREE_SHARE: u16 = 50;

/// The chosen sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneSizes {
    /// Width of the file tree and of the session tree below it, in columns; `None` means the layout's choice.
    pub files: Option<u16>,
    /// Width of the agent's pane beside an editor, in thousandths of the columns that the two share; `None` means
    /// the layout's choice.
    pub agent: Option<u16>,
    /// Height of the terminals, in percent.
    pub terminal: u16,
    /// Height of the session tree below the file tree, in percent.
    pub session_tree: u16,
}

impl Default for PaneSizes {
    fn default() -> Self {
        Self { files: None, agent: None, terminal: TERMINAL_SHARE, session_tree: SESSION_TREE_SHARE }
    }
}

impl PaneSizes {
    /// Sets the height of the terminals to a percentage, clamped to what leaves room for both.
    pub fn set_terminal(&mut self, percent: u16) {
        self.terminal = percent.clamp(TERMINAL_SHARE_RANGE.0, TERMINAL_SHARE_RANGE.1);
    }

    /// Grows the terminals by percents of the height, or shrinks them when negative.
    pub fn grow_terminal(&mut self, by: i16) {
        self.set_terminal(self.terminal.saturating_add_signed(by));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_height_is_clamped() {
        let mut sizes = PaneSizes::default();
        sizes.grow_terminal(-100);
        assert_eq!(sizes.terminal, 10);
        sizes.grow_terminal(200);
        assert_eq!(sizes.terminal, 90);
    }
}
