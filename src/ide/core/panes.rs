//! Open panes and the focused one. Must not know the screen size: the layout decides what fits.

/// What can have the focus when there is no overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// The file tree.
    Files,
    /// The editor.
    Editor,
    /// The agent's pane: the prompt, or another part of it.
    Agent,
    /// The terminals.
    Terminal,
}

/// The part of the agent's pane that has the keys while the pane has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentPart {
    /// The prompt.
    #[default]
    Prompt,
    /// The conversation.
    Transcript,
    /// The waiting approval, above the prompt.
    Approval,
}

/// Initial height of the terminals, in percent.
const TERMINAL_SHARE: u16 = 35;
/// Minimum and maximum of that height.
const TERMINAL_SHARE_RANGE: (u16, u16) = (10, 90);

/// The panes that the user has opened; small windows show fewer.
#[derive(Debug, Clone, Copy)]
pub struct Panes {
    /// The file tree.
    pub files: bool,
    /// The editor.
    pub editor: bool,
    /// The agent.
    pub agent: bool,
    /// The terminals, below the editor.
    pub terminal: bool,
    /// Height of the terminals, in percent.
    pub terminal_share: u16,
    /// The focused pane.
    pub focus: Focus,
    /// The part of the agent's pane with the keys.
    pub agent_part: AgentPart,
}

impl Default for Panes {
    fn default() -> Self {
        Self {
            files: true,
            editor: true,
            agent: true,
            terminal: false,
            terminal_share: TERMINAL_SHARE,
            focus: Focus::Editor,
            agent_part: AgentPart::default(),
        }
    }
}

impl Panes {
    /// Returns whether a part of the agent's pane has the focus.
    pub fn is_agent_focused(&self, part: AgentPart) -> bool {
        self.focus == Focus::Agent && self.agent_part == part
    }

    /// Returns the next open pane after the focused one.
    pub fn next(&self) -> Focus {
        let order = [Focus::Files, Focus::Editor, Focus::Agent, Focus::Terminal];
        let at = order.iter().position(|f| *f == self.focus).unwrap_or(0);
        (1..=4).map(|n| order[(at + n) % 4]).find(|f| self.is_open(*f)).unwrap_or(self.focus)
    }

    /// Grows the terminals by percents of the height, or shrinks them when negative.
    pub fn grow_terminal(&mut self, by: i16) {
        self.terminal_share = self
            .terminal_share
            .saturating_add_signed(by)
            .clamp(TERMINAL_SHARE_RANGE.0, TERMINAL_SHARE_RANGE.1);
    }

    /// Whether a pane is open.
    pub fn is_open(&self, pane: Focus) -> bool {
        match pane {
            Focus::Files => self.files,
            Focus::Editor => self.editor,
            Focus::Agent => self.agent,
            Focus::Terminal => self.terminal,
        }
    }

    /// Opens or closes a pane. The last one stays open.
    pub fn set(&mut self, pane: Focus, open: bool) {
        match pane {
            Focus::Files => self.files = open,
            Focus::Editor => self.editor = open,
            Focus::Agent => self.agent = open,
            Focus::Terminal => self.terminal = open,
        }
        if !self.editor && !self.agent {
            self.editor = true;
        }
        if !self.is_open(self.focus) {
            self.focus = if self.editor { Focus::Editor } else { Focus::Agent };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_height_is_clamped() {
        let mut panes = Panes::default();
        panes.grow_terminal(-100);
        assert_eq!(panes.terminal_share, 10);
        panes.grow_terminal(200);
        assert_eq!(panes.terminal_share, 90);
    }
}
