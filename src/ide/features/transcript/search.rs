//! Search in the conversation: what is looked for, how often it occurs, and where in a line it is. Must not
//! know where the line is shown.

use std::ops::Range;
use std::sync::Arc;

use regex::Regex;

use crate::base::width::text_width;
use crate::ide::features::transcript::copy;
use crate::ide::features::transcript::items::{Item, Transcript};
use crate::text::search::{SearchOptions, to_regex};
use crate::tui::widgets::line::Line;

/// Maximum bytes of text in which hits are counted, from the end.
const COUNTED_BYTES: usize = 4 << 20;

/// A search.
#[derive(Debug, Clone)]
pub struct TranscriptSearch {
    regex: Arc<Regex>,
    /// Id of the item of the hit last gone to, and its line in it.
    pub at: Option<(u64, usize)>,
    /// Number of hits in what is loaded.
    pub count: usize,
    /// Whether there may be more.
    pub is_partial: bool,
}

impl TranscriptSearch {
    /// Returns a search for a query; `None` for an empty one. An error says what is wrong with it.
    pub fn new(query: &str, options: SearchOptions) -> Result<Option<Self>, String> {
        if query.is_empty() {
            return Ok(None);
        }
        let regex = Regex::new(&to_regex(query, options)).map_err(|error| {
            let text = error.to_string();
            text.lines().last().unwrap_or_default().trim().to_string()
        })?;
        Ok(Some(Self { regex: Arc::new(regex), at: None, count: 0, is_partial: false }))
    }

    /// Counts the hits in a conversation.
    pub fn count(&mut self, transcript: &Transcript) {
        (self.count, self.is_partial) = (0, transcript.has_earlier());
        let mut room = COUNTED_BYTES;
        for item in transcript.items().iter().rev() {
            let text = copy::plain(item);
            if text.len() > room {
                self.is_partial = true;
                break;
            }
            room -= text.len();
            self.count += self.regex.find_iter(&text).filter(|found| !found.is_empty()).count();
        }
    }

    /// Returns whether an item has a hit, shown or folded away.
    pub fn is_in(&self, item: &Item) -> bool {
        self.regex.find_iter(&copy::plain(item)).any(|found| !found.is_empty())
    }

    /// Returns whether a line has a hit.
    pub fn is_in_line(&self, line: &Line) -> bool {
        !self.cells(line).is_empty()
    }

    /// Returns the hits in a line, in cells from its start.
    pub fn cells(&self, line: &Line) -> Vec<Range<usize>> {
        let text: String = line.iter().map(|span| span.text.as_str()).collect();
        let hits = self.regex.find_iter(&text).filter(|found| !found.is_empty());
        hits.map(|found| text_width(&text[..found.start()])..text_width(&text[..found.end()])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::widgets::line::Span;

    #[test]
    fn transcript_search_hits_are_in_cells_across_spans() {
        let search = TranscriptSearch::new("ab", SearchOptions::default()).unwrap().unwrap();
        let line = vec![Span::new("漢a", "x"), Span::new("b AB", "y")];
        assert_eq!(search.cells(&line), [2..4, 5..7]);
        assert!(TranscriptSearch::new("", SearchOptions::default()).unwrap().is_none());
    }

    #[test]
    fn transcript_search_empty_matches_are_no_hits() {
        let options = SearchOptions { regex: true, ..SearchOptions::default() };
        let search = TranscriptSearch::new("x*", options).unwrap().unwrap();
        assert!(search.cells(&vec![Span::new("abc", "x")]).is_empty());
        assert!(TranscriptSearch::new("(", options).is_err());
    }
}
