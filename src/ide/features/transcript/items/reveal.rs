//! How much of a text that is still written is shown to a screen reader, which speaks every change: whole sentences and
//! lines, and no more of them in a frame than a small pane has rows, so that none scrolls away unspoken. Must not know
//! frames.

use crate::ide::features::transcript::items::{Item, ItemKind, Transcript};

/// Maximum rows by which a text grows in a frame, except for a sentence that is longer.
const ROWS: usize = 6;
/// Columns of the narrowest pane in which such rows are counted.
const COLS: usize = 40;

impl Item {
    /// Returns how many bytes of the text of an answer or of thinking are shown to a screen reader.
    pub fn shown_len(&self) -> usize {
        let (ItemKind::Answer(text) | ItemKind::Thinking(text)) = &self.kind else { return usize::MAX };
        let complete = if self.grows { complete_len(text) } else { text.len() };
        match self.revealed {
            Some(from) if from < complete => from + step(&text[from..complete]),
            _ => complete,
        }
    }

    /// Returns whether more frames than the next one are needed to show what is complete.
    fn is_behind(&self) -> bool {
        let (ItemKind::Answer(text) | ItemKind::Thinking(text)) = &self.kind else { return false };
        let complete = if self.grows { complete_len(text) } else { text.len() };
        self.shown_len() < complete
    }
}

impl Transcript {
    /// Sets whether the texts of further answers appear in steps, one in each frame.
    pub fn set_paced(&mut self, is_paced: bool) {
        self.is_paced = is_paced;
        if !is_paced {
            self.revealing.clear();
            self.items.iter_mut().for_each(|item| item.revealed = None);
        }
    }

    /// Records that a frame was shown; returns whether another one shows more of a text.
    pub fn note_shown(&mut self) -> bool {
        let mut ids = std::mem::take(&mut self.revealing);
        let mut is_more = false;
        ids.retain(|id| {
            let Some(item) = self.items.iter_mut().rev().find(|item| item.id == *id) else { return false };
            let shown = item.shown_len();
            let is_first = item.revealed != Some(shown);
            item.revealed = Some(shown);
            is_more |= is_first && item.shown_len() > shown;
            let is_whole = !item.grows && item.shown_len() == shown;
            if is_whole {
                item.revealed = None;
            }
            !is_whole
        });
        self.revealing = ids;
        is_more
    }

    /// Returns whether more frames than the next one are needed to show what is complete.
    pub fn is_behind(&self) -> bool {
        self.revealing.iter().filter_map(|id| self.item(*id)).any(Item::is_behind)
    }
}

/// Returns the length of the text up to the end of its last complete sentence or line.
fn complete_len(text: &str) -> usize {
    ends(text).next_back().unwrap_or(0)
}

/// Returns the ends of the sentences and lines of a text.
fn ends(text: &str) -> impl DoubleEndedIterator<Item = usize> + '_ {
    text.char_indices().filter_map(|(at, c)| {
        let is_end =
            matches!(c, '\n' | '。' | '！' | '？') || c.is_whitespace() && ends_sentence(&text[..at]);
        is_end.then(|| at + c.len_utf8())
    })
}

/// Returns whether a text ends with a complete sentence, given that white space follows.
fn ends_sentence(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', ')', '*', '_', '`', '”', '’']);
    // The number of an item of a list is no sentence.
    let number = before.strip_suffix('.').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    before.ends_with(['.', '!', '?', ':', '…']) && !number
}

/// Returns how much of a text is shown next: as many sentences and lines as fit, at least one.
fn step(text: &str) -> usize {
    let (mut taken, mut rows) = (0, 0);
    for end in ends(text).chain([text.len()]) {
        rows += (end - taken) / COLS + 1;
        if rows > ROWS && taken > 0 {
            break;
        }
        taken = end;
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, grows: bool, revealed: Option<usize>) -> Item {
        Item { id: 1, version: 0, took: None, grows, revealed, kind: ItemKind::Answer(text.to_string()) }
    }

    #[test]
    fn reveal_growing_text_ends_with_a_sentence_or_line() {
        let shown = |text: &str| text[..answer(text, true, None).shown_len()].to_string();
        assert_eq!(shown("One is"), "");
        assert_eq!(shown("One is done. Two"), "One is done. ");
        assert_eq!(shown("One (is done.) Two"), "One (is done.) ");
        assert_eq!(shown("Version 1. 2 is"), "", "a number is no end");
        assert_eq!(shown("# Title\nand 完了。次"), "# Title\nand 完了。");
    }

    #[test]
    fn reveal_steps_show_a_few_sentences_each_and_all_in_the_end() {
        let text = "A sentence of the text.\n\n".repeat(30);
        let mut transcript = Transcript { revealing: vec![1], ..Transcript::default() };
        transcript.items.push_back(answer(&text, false, Some(0)));
        let mut shown = vec![transcript.items[0].shown_len()];
        assert!(transcript.is_behind());
        while transcript.note_shown() {
            shown.push(transcript.items[0].shown_len());
        }
        assert_eq!(shown.last(), Some(&text.len()));
        assert!(
            shown.windows(2).all(|pair| pair[0] < pair[1] && text[pair[0]..pair[1]].lines().count() <= ROWS)
        );
        assert!(shown.iter().all(|end| text[..*end].ends_with('\n')), "{shown:?}");
        assert!(!transcript.is_behind() && transcript.revealing.is_empty());
        assert_eq!(transcript.items[0].revealed, None);
    }

    #[test]
    fn reveal_long_sentence_is_one_step() {
        let text = format!("{}. Short.", "word ".repeat(200));
        assert_eq!(answer(&text, false, Some(0)).shown_len(), text.find("Short").unwrap());
    }
}
