//! What the IDE knows of its agent: model, activity, figures, queues, prompt. Must not know
//! how a model is reached.

use std::cell::{Ref, RefCell};
use std::sync::Arc;
use std::time::Duration;

use unicode_segmentation::UnicodeSegmentation;

use crate::base::width::grapheme_width;
use crate::ide::model::text_area::TextArea;
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{Model, Part as MessagePart, Thinking, Usage, UserMessage};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// What the last line says from the key that interrupts the agent until it has stopped.
pub const INTERRUPTING: &str = "interrupting…";

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
    /// What is being summed up.
    pub summarizing: Option<Summarizing>,
    /// Sum over the conversation.
    pub usage: Usage,
    /// Tokens in the context at the last answer.
    pub context_tokens: u64,
    /// Messages that wait for the running tools.
    pub steering: Vec<String>,
    /// Messages that wait for the end of the run.
    pub follow_up: Vec<String>,
    /// When its last turn began, or one more than the one before: names its edits.
    pub run: u64,
    /// Which frame of the working sign is shown.
    pub spinner_frame: usize,
    /// Approval mode that runs everything unasked.
    pub unrestricted: bool,
    /// When Escape was pressed last, on the monotonic clock.
    pub last_escape: Option<Duration>,
    /// The entry that leads back to how the files were before the last way back.
    pub undo_restore_entry: Option<String>,
    /// Questions that it has asked in this run.
    pub question_dialogs: u64,
    /// What the user calls the session.
    pub name: Option<String>,
    /// How often the session tree was opened.
    pub session_views: u64,
    /// How many logins were begun.
    pub logins: u64,
    /// The id of the session.
    pub session: String,
    /// Whether a session is there to talk to.
    pub connected: bool,
}

/// Something that is being summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summarizing {
    /// A word for the status line.
    pub what: &'static str,
    /// Whether the agent does nothing else meanwhile.
    pub is_exclusive: bool,
}

/// The prompt: what is being typed and what was sent before.
#[derive(Debug, Default)]
pub struct Prompt {
    /// What is being typed.
    pub area: TextArea,
    /// What goes with it beside the text: what came back with messages that had waited.
    pub attached: Vec<MessagePart>,
    /// What was sent, oldest first.
    pub history: Vec<String>,
    /// Which entry of the history is shown, and the draft that it hides.
    browsing: Option<(usize, String)>,
    /// The rows of the text as they were wrapped last.
    wrapped: RefCell<Wrapped>,
}

/// Rows of a text: for which version of it, caret and width, and where each begins and ends.
#[derive(Debug, Default)]
struct Wrapped {
    key: Option<(u64, Byte, usize)>,
    rows: Vec<(Byte, Byte)>,
}

/// Texts longer than this are wrapped around the caret only; nothing else is on screen.
const WRAP_ALL_BYTES: usize = 32 << 10;
/// Lines around the caret that are wrapped then.
const NEAR_LINES: usize = 16;
/// Bytes of one line that are wrapped then.
const NEAR_BYTES: usize = 4 << 10;

impl Prompt {
    /// The rows of the text wrapped at a width: where each begins and ends. All of a text of
    /// usual length, what is around the caret of a long one.
    pub fn rows(&self, cols: usize) -> Ref<'_, Vec<(Byte, Byte)>> {
        let text = self.area.text();
        let head = self.area.selection.primary().head;
        let long = text.end().0 > WRAP_ALL_BYTES;
        let key = Some((self.area.document.version(), if long { head } else { Byte(0) }, cols));
        if self.wrapped.borrow().key != key {
            let caret = text.line_of(head).0;
            let lines = if long {
                caret.saturating_sub(NEAR_LINES)..caret + NEAR_LINES
            } else {
                0..text.line_count()
            };
            let mut rows = Vec::new();
            for line in lines.take_while(|line| *line < text.line_count()) {
                let (start, end) = (text.line_start(Line(line)), text.line_end(Line(line)));
                let from = if line == caret && long { start.max(head.back(NEAR_BYTES)) } else { start };
                let to = if long { end.min(from + 2 * NEAR_BYTES) } else { end };
                wrap(text, text.grapheme_floor(from)..text.grapheme_floor(to), cols, &mut rows);
            }
            *self.wrapped.borrow_mut() = Wrapped { key, rows };
        }
        Ref::map(self.wrapped.borrow(), |wrapped| &wrapped.rows)
    }

    /// Takes the text out, remembering it, and clears the field.
    pub fn take(&mut self) -> String {
        let text = self.area.text().to_string();
        self.area = TextArea::default();
        self.browsing = None;
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
        }
        text
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.attached.is_empty() && self.area.text().to_string().trim().is_empty()
    }

    /// Puts messages that were not delivered before what is being typed, with what was attached to them;
    /// tells how much is attached now.
    pub fn restore_messages(&mut self, messages: Vec<UserMessage>, now_ms: u64) -> usize {
        let draft = self.area.text().to_string();
        let said = messages.iter().map(|message| join_text(&message.content));
        let texts: Vec<String> = said.chain([draft]).filter(|text| !text.is_empty()).collect();
        self.area.set(&texts.join("\n\n"), now_ms);
        let is_text = |part: &MessagePart| matches!(part, MessagePart::Known(KnownPart::Text { .. }));
        let back = messages.into_iter().flat_map(|message| message.content).filter(|part| !is_text(part));
        let typed = std::mem::take(&mut self.attached);
        self.attached = back.chain(typed).collect();
        self.attached.len()
    }

    /// Puts a text in place of what is being typed, which stays in the history.
    pub fn replace_text(&mut self, text: &str, now_ms: u64) {
        let draft = self.area.text().to_string();
        self.browsing = None;
        if !draft.trim().is_empty() && self.history.last() != Some(&draft) {
            self.history.push(draft);
        }
        self.area.set(text, now_ms);
    }

    /// What was said before this run comes before what was said in it; what was said in both counts there.
    pub fn prepend_history(&mut self, texts: Vec<String>) {
        let own = std::mem::take(&mut self.history);
        let earlier = texts.into_iter().filter(|text| !own.contains(text));
        self.history = earlier.collect();
        let more = self.history.len();
        self.history.extend(own);
        if let Some((at, _)) = &mut self.browsing {
            *at += more;
        }
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

/// Adds the rows of a piece of one line.
fn wrap(text: &Text, piece: std::ops::Range<Byte>, cols: usize, rows: &mut Vec<(Byte, Byte)>) {
    let (mut start, mut width, mut at) = (piece.start, 0, piece.start);
    for grapheme in text.slice(piece).graphemes(true) {
        let cells = if grapheme == "\t" { 1 } else { grapheme_width(grapheme) };
        if width + cells > cols && width > 0 {
            rows.push((start, at));
            (start, width) = (at, 0);
        }
        width += cells;
        at += grapheme.len();
    }
    rows.push((start, at));
}

/// A number of tokens in short: `12.4k`, `200k`, `1.0M`.
pub fn thousands(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..100_000 => format!("{:.1}k", tokens as f64 / 1e3),
        100_000..1_000_000 => format!("{}k", tokens / 1_000),
        _ => format!("{:.1}M", tokens as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_history_keeps_draft() {
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

    #[test]
    fn prompt_history_merges_earlier_runs_first() {
        let mut prompt = Prompt { history: vec!["own".into(), "both".into()], ..Prompt::default() };
        prompt.area.set("draft", 0);
        let shown = |p: &Prompt| p.area.text().to_string();
        assert!(prompt.older(0) && shown(&prompt) == "both");
        prompt.prepend_history(vec!["first".into(), "both".into(), "third".into()]);
        assert_eq!(prompt.history, ["first", "third", "own", "both"]);
        assert!(prompt.older(0) && shown(&prompt) == "own");
        assert!(prompt.older(0) && shown(&prompt) == "third");
        prompt.replace_text("picked", 0);
        assert_eq!((shown(&prompt).as_str(), prompt.history.last().unwrap().as_str()), ("picked", "third"));
        assert!(!prompt.newer(0));
    }

    #[test]
    fn prompt_restored_messages_keep_images() {
        let image = |data: &str| {
            MessagePart::Known(KnownPart::Image { data: data.into(), mime_type: "image/png".into() })
        };
        let mut prompt = Prompt::default();
        assert!(prompt.is_empty());
        let alone = UserMessage { content: vec![image("a")], ..UserMessage::text("", 0) };
        assert_eq!(prompt.restore_messages(vec![alone], 0), 1);
        assert!(!prompt.is_empty() && prompt.area.text().to_string().is_empty());
        prompt.area.set("draft", 0);
        let mut both = UserMessage::text("look", 0);
        both.content.push(image("b"));
        assert_eq!(prompt.restore_messages(vec![both, UserMessage::text("and", 0)], 0), 2);
        assert_eq!(prompt.area.text().to_string(), "look\n\nand\n\ndraft");
        assert_eq!(prompt.attached, [image("b"), image("a")]);
    }

    #[test]
    fn prompt_huge_text_wraps_only_near_caret() {
        let mut prompt = Prompt::default();
        prompt.area.set(&"word \n".repeat(2_000_000), 0);
        assert!(prompt.rows(40).len() <= 2 * NEAR_LINES);
        prompt.area.set(&"é".repeat(5_000_000), 0);
        let head = prompt.area.selection.primary().head;
        let rows = prompt.rows(40);
        assert!(rows.len() < 300 && rows.iter().any(|(start, end)| *start <= head && head <= *end));
    }
}
