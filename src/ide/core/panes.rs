//! Which panes are open and which one has the keys. Must not know their sizes' reasons: the
//! layout decides what fits.

/// What can have the keys when nothing floats on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// The file tree.
    Files,
    /// The editor.
    Editor,
    /// The agent's prompt.
    Agent,
    /// The terminals.
    Terminal,
}

/// The panes that the person wants; small windows show fewer.
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
    /// Which one has the keys.
    pub focus: Focus,
}

impl Default for Panes {
    fn default() -> Self {
        Self { files: true, editor: true, agent: true, terminal: false, focus: Focus::Editor }
    }
}

impl Panes {
    /// The next open pane after the focused one.
    pub fn next(&self) -> Focus {
        let order = [Focus::Files, Focus::Editor, Focus::Agent, Focus::Terminal];
        let at = order.iter().position(|f| *f == self.focus).unwrap_or(0);
        (1..=4).map(|n| order[(at + n) % 4]).find(|f| self.is_open(*f)).unwrap_or(self.focus)
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

    /// Opens or closes a pane. The last one stays.
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
