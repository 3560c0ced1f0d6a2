//! What the IDE knows of its agent: model, activity, figures, queues, prompt. Must not know
//! how a model is reached.

use std::sync::Arc;
use std::time::Duration;

use super::area::Area;
use crate::llm::model::{Model, Thinking, Usage};

/// The agent as the status line sees it.
#[derive(Debug, Default)]
pub struct Agent {
    /// Which model answers.
    pub model: Option<Arc<Model>>,
    /// The models that can answer.
    pub models: Vec<Arc<Model>>,
    /// The names of the tools that it may use.
    pub tools: Vec<String>,
    /// How hard it thinks.
    pub thinking: Thinking,
    /// Since when it works, on the monotonic clock; `None` while it waits.
    pub working_since: Option<Duration>,
    /// Sum over the conversation.
    pub usage: Usage,
    /// Tokens in the context at the last answer.
    pub context_tokens: u64,
    /// Messages that wait for the running tools.
    pub steering: Vec<String>,
    /// Messages that wait for the end of the run.
    pub follow_up: Vec<String>,
    /// Counts the runs, to name the agent's edits.
    pub run: u64,
    /// Which frame of the working sign is shown.
    pub sign: usize,
    /// Approval mode that runs everything unasked.
    pub unrestricted: bool,
    /// When Escape was pressed last, on the monotonic clock.
    pub escaped_at: Option<Duration>,
    /// Whether a session is there to talk to.
    pub connected: bool,
}

/// The prompt: what is being typed and what was sent before.
#[derive(Debug, Default)]
pub struct Prompt {
    /// What is being typed.
    pub area: Area,
    /// What was sent, oldest first.
    pub history: Vec<String>,
    /// Which entry of the history is shown, and the draft that it hides.
    browsing: Option<(usize, String)>,
}

impl Prompt {
    /// Takes the text out, remembering it, and clears the field.
    pub fn take(&mut self) -> String {
        let text = self.area.text().to_string();
        self.area = Area::default();
        self.browsing = None;
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
        }
        text
    }

    /// Shows the sent text before the shown one; tells whether there was one.
    pub fn older(&mut self, now_ms: u64) -> bool {
        let (next, draft) = match self.browsing.take() {
            None => (self.history.len(), self.area.text().to_string()),
            Some(shown) => shown,
        };
        let Some(at) = next.checked_sub(1) else {
            self.browsing = (next < self.history.len()).then_some((next, draft));
            return false;
        };
        self.area.set(&self.history[at], now_ms);
        self.browsing = Some((at, draft));
        true
    }

    /// Shows the sent text after the shown one, at last the draft.
    pub fn newer(&mut self, now_ms: u64) -> bool {
        let Some((at, draft)) = self.browsing.take() else { return false };
        match self.history.get(at + 1) {
            Some(text) => {
                self.area.set(text, now_ms);
                self.browsing = Some((at + 1, draft));
            }
            None => self.area.set(&draft, now_ms),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsing_the_history_keeps_the_draft() {
        let mut prompt = Prompt { history: vec!["one".into(), "two".into()], ..Prompt::default() };
        prompt.area.set("draft", 0);
        let shown = |p: &Prompt| p.area.text().to_string();
        assert!(prompt.older(0) && shown(&prompt) == "two");
        assert!(prompt.older(0) && shown(&prompt) == "one");
        assert!(!prompt.older(0) && shown(&prompt) == "one");
        assert!(prompt.newer(0) && shown(&prompt) == "two");
        assert!(prompt.newer(0) && shown(&prompt) == "draft");
        assert!(!prompt.newer(0));
        assert_eq!(prompt.take(), "draft");
        assert_eq!(prompt.history, ["one", "two", "draft"]);
    }
}
