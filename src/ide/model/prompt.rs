//! The prompt of the agent: the message being typed, and the sent ones. Must not know what sends it.

use std::cell::{Ref, RefCell};

use unicode_segmentation::UnicodeSegmentation;

use crate::base::width::grapheme_width;
use crate::ide::model::completion::CompletionState;
use crate::ide::model::draft::{Draft, is_blank};
use crate::ide::model::text_area::TextArea;
use crate::llm::model::message::{KnownPart, join_text};
use crate::llm::model::{Part as MessagePart, UserMessage};
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;

/// The prompt: the text being typed and the sent texts.
#[derive(Debug, Default)]
pub struct Prompt {
    /// The text being typed.
    pub area: TextArea,
    /// Attachments beside the text: those returned with undelivered messages.
    pub attached: Vec<MessagePart>,
    /// Sent texts, oldest first.
    pub history: Vec<String>,
    /// Completions of the word at the caret.
    pub completion: CompletionState,
    /// Index of the shown history entry, and the draft that it hides.
    browsing: Option<(usize, String)>,
    /// Rows of the text as last wrapped.
    wrapped: RefCell<Wrapped>,
    /// How often the text area was replaced by a new one, whose versions begin anew.
    generation: u64,
}

/// Rows of a text: the generation, version, caret and width they are for, and start and end of each.
#[derive(Debug, Default)]
struct Wrapped {
    key: Option<(u64, u64, Byte, usize)>,
    rows: Vec<(Byte, Byte)>,
}

/// Texts longer than this are wrapped only around the caret; nothing else is on screen.
const WRAP_ALL_BYTES: usize = 32 << 10;
/// Lines around the caret that are wrapped then.
const NEAR_LINES: usize = 16;
/// Maximum bytes of one line wrapped in that case.
const NEAR_BYTES: usize = 4 << 10;

impl Prompt {
    /// Returns start and end of the rows of the text wrapped at a width: all rows of a text of usual length,
    /// those around the caret of a long one.
    pub fn rows(&self, cols: usize) -> Ref<'_, Vec<(Byte, Byte)>> {
        let text = self.area.text();
        let head = self.area.selection.primary().head;
        let long = text.end().0 > WRAP_ALL_BYTES;
        let caret_key = if long { head } else { Byte(0) };
        let key = Some((self.generation, self.area.document.version(), caret_key, cols));
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

    /// Takes the text, adds it to the history, and clears the field.
    pub fn take(&mut self) -> String {
        let text = self.area.text().to_string();
        self.clear();
        self.push_history(text.clone());
        text
    }

    /// Empties the text field for good: undo does not bring the text back.
    fn clear(&mut self) {
        self.area = TextArea::default();
        self.generation += 1;
        self.skip_completions();
        self.browsing = None;
    }

    /// Returns the unsent message: the one behind the shown entry of the history, if one is shown.
    pub fn draft(&self) -> Draft {
        let text = match &self.browsing {
            Some((_, hidden)) if self.is_browsing() => Text::from(&**hidden),
            _ => self.area.text().clone(),
        };
        Draft { text, attached: self.attached.clone() }
    }

    /// Shows another unsent message in place of the one being typed, which the caller has kept.
    pub fn set_draft(&mut self, draft: Draft, now_ms: u64) {
        self.clear();
        self.attached = draft.attached;
        self.area.set(&draft.text.to_string(), now_ms);
        self.skip_completions();
    }

    /// Returns what differs whenever the unsent message does.
    pub fn revision(&self) -> (u64, u64, usize) {
        (self.generation, self.area.document.version(), self.attached.len())
    }

    /// Returns whether an entry of the history is shown.
    pub fn is_browsing(&self) -> bool {
        let shown = self.browsing.as_ref().and_then(|(at, _)| self.history.get(*at));
        shown.is_some_and(|shown| self.area.text().to_string() == *shown)
    }

    /// Version of the text and caret.
    pub fn seen(&self) -> (u64, Byte) {
        (self.area.document.version(), self.area.selection.primary().head)
    }

    /// Adds a text as the last one of the history.
    pub fn push_history(&mut self, text: String) {
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text);
        }
    }

    /// Returns whether completions are on screen. They are of use only for the text that they were made for.
    pub fn is_completing(&self) -> bool {
        let is_current = self.completion.seen == Some(self.seen());
        self.completion.open.as_ref().is_some_and(|open| is_current && !open.rows.is_empty())
    }

    /// Shows no completions for the text as it is: it was not typed.
    fn skip_completions(&mut self) {
        self.completion.open = None;
        self.completion.seen = Some(self.seen());
    }

    /// Returns whether there is nothing to send.
    pub fn is_empty(&self) -> bool {
        self.attached.is_empty() && is_blank(self.area.text())
    }

    /// Puts undelivered messages before the text being typed, with their attachments. Returns the number of
    /// attachments now.
    pub fn restore_messages(&mut self, messages: Vec<UserMessage>, now_ms: u64) -> usize {
        let draft = self.area.text().to_string();
        let message_texts = messages.iter().map(|message| join_text(&message.content));
        let texts: Vec<String> = message_texts.chain([draft]).filter(|text| !text.is_empty()).collect();
        self.area.set(&texts.join("\n\n"), now_ms);
        self.skip_completions();
        let is_text = |part: &MessagePart| matches!(part, MessagePart::Known(KnownPart::Text { .. }));
        let back = messages.into_iter().flat_map(|message| message.content).filter(|part| !is_text(part));
        let typed = std::mem::take(&mut self.attached);
        self.attached = back.chain(typed).collect();
        self.attached.len()
    }

    /// Replaces the text being typed, which stays in the history.
    pub fn replace_text(&mut self, text: &str, now_ms: u64) {
        let draft = self.area.text().to_string();
        self.browsing = None;
        self.push_history(draft);
        self.area.set(text, now_ms);
        self.skip_completions();
    }

    /// Adds texts of earlier runs before those of this run. A text in both keeps its place in this run.
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

    /// Shows the sent text before the shown one; returns whether there was one.
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

    /// Shows the sent text after the shown one, finally the draft.
    pub fn newer(&mut self, now_ms: u64) -> bool {
        let Some((at, draft)) = self.browsing.take() else { return false };
        match self.history.get(at + 1) {
            Some(text) => {
                self.area.set(text, now_ms);
                self.browsing = Some((at + 1, draft));
            }
            None => self.area.set(&draft, now_ms),
        }
        self.skip_completions();
        true
    }
}

/// Appends the rows of a piece of one line, wrapped at `cols` cells: start and end of each.
pub fn wrap(text: &Text, piece: std::ops::Range<Byte>, cols: usize, rows: &mut Vec<(Byte, Byte)>) {
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
