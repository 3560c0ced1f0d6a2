//! Open panes and the focused one. Must not know the screen size: the layout decides what fits.

use crate::ide::core::pane_borders::PaneBorder;
use crate::ide::model::pane_sizes::PaneSizes;

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
    /// The tree of the session.
    SessionTree,
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
    /// The tree of the session, below the file tree.
    pub session_tree: bool,
    /// The chosen sizes.
    pub sizes: PaneSizes,
    /// The focused pane.
    pub focus: Focus,
    /// The part of the agent's pane with the keys.
    pub agent_part: AgentPart,
    /// The pane that has the whole screen while it has the focus.
    pub zoomed: Option<Focus>,
    /// The border that the mouse holds.
    pub dragged: Option<PaneBorder>,
}

impl Default for Panes {
    fn default() -> Self {
        Self {
            files: true,
            editor: true,
            agent: true,
            terminal: false,
            session_tree: false,
            sizes: PaneSizes::default(),
            zoomed: None,
            dragged: None,
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
        let order = [Focus::Files, Focus::SessionTree, Focus::Editor, Focus::Agent, Focus::Terminal];
        let at = order.iter().position(|f| *f == self.focus).unwrap_or(0);
        (1..=order.len())
            .map(|n| order[(at + n) % order.len()])
            .find(|f| self.is_open(*f))
            .unwrap_or(self.focus)
    }

    /// Returns whether the focused pane has the whole screen.
    pub fn is_zoomed(&self) -> bool {
        self.zoomed == Some(self.focus)
    }

    /// Whether a pane is open.
    pub fn is_open(&self, pane: Focus) -> bool {
        match pane {
            Focus::Files => self.files,
            Focus::Editor => self.editor,
            Focus::Agent => self.agent,
            Focus::Terminal => self.terminal,
            Focus::SessionTree => self.session_tree,
        }
    }

    /// Opens or closes a pane. The last one stays open.
    pub fn set(&mut self, pane: Focus, open: bool) {
        match pane {
            Focus::Files => self.files = open,
            Focus::Editor => self.editor = open,
            Focus::Agent => self.agent = open,
            Focus::Terminal => self.terminal = open,
            Focus::SessionTree => self.session_tree = open,
        }
        if !self.editor && !self.agent {
            self.editor = true;
        }
        if !self.is_open(self.focus) {
            self.focus = if self.editor { Focus::Editor } else { Focus::Agent };
        }
    }
}
