//! State of the context report: its rows, the selected one, and its full text. Must not know how rows are
//! drawn, or which keys move between them.

use crate::ide::core::tasks::latest_request::LatestRequest;
use std::ops::Range;

use crate::runtime::context::report::{ContextItem, ContextReport};
use crate::runtime::history::navigation::SentMessage;

/// The report.
#[derive(Debug)]
pub struct ContextView {
    /// Number of the report in this run, so that late results find the right one.
    pub number: u64,
    /// Its content; `None` until it has arrived.
    pub report: Option<ContextReport>,
    /// Estimated tokens of the content.
    pub tokens: u64,
    /// Which row is selected.
    pub selected: usize,
    /// Text of the message that was selected last.
    pub sent: Option<(String, Option<SentMessage>)>,
    /// Requests for the rows.
    pub row_requests: LatestRequest,
}

impl ContextView {
    /// Returns a report without rows.
    pub fn new(number: u64) -> Self {
        Self {
            number,
            report: None,
            tokens: 0,
            selected: 0,
            sent: None,
            row_requests: LatestRequest::default(),
        }
    }

    /// Stores the rows. Keeps the selected row if it still exists; initially the last row is selected.
    pub fn set_report(&mut self, contents: ContextReport) {
        let before = self.item().map(|item| (item.entry.clone(), item.kind.clone()));
        let last = contents.items.len().saturating_sub(1);
        let is_same = |item: &ContextItem| {
            before.as_ref().is_some_and(|(entry, what)| item.entry == *entry && item.kind == *what)
        };
        let found = contents.items.iter().position(is_same);
        let near = if self.report.is_some() { self.selected.min(last) } else { last };
        self.selected = found.unwrap_or(near);
        self.tokens = contents.tokens();
        self.report = Some(contents);
        self.sent = None;
    }

    /// The rows.
    pub fn items(&self) -> &[ContextItem] {
        self.report.as_ref().map_or(&[], |contents| contents.items.as_slice())
    }

    /// The selected row.
    pub fn item(&self) -> Option<&ContextItem> {
        self.items().get(self.selected)
    }

    /// Moves the selection.
    pub fn step(&mut self, by: isize) {
        let last = self.items().len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    /// Returns the rows on a screen of this height.
    pub fn page(&self, rows: usize) -> Range<usize> {
        let (rows, count) = (rows.max(1), self.items().len());
        // The last page is full, too.
        let first = (self.selected / rows * rows).min(count.saturating_sub(rows));
        first..(first + rows).min(count)
    }

    /// Returns the entry whose text must be requested, once.
    pub fn take_missing_entry(&mut self) -> Option<String> {
        let entry = self.item()?.entry.clone()?;
        if self.sent.as_ref().is_some_and(|(loaded_id, _)| *loaded_id == entry) {
            return None;
        }
        self.sent = Some((entry.clone(), None));
        Some(entry)
    }

    /// Returns the full text of the selected row, once it is known.
    pub fn text(&self) -> Option<&str> {
        let item = self.item()?;
        match (&item.text, &item.entry, &self.sent) {
            (Some(text), ..) => Some(text),
            (None, Some(entry), Some((loaded_id, Some(loaded)))) if entry == loaded_id => Some(&loaded.text),
            _ => None,
        }
    }

    /// Returns the editable text of the selected row, once it is known.
    pub fn editable_text(&self) -> Option<&str> {
        match (&self.item()?.entry, &self.sent) {
            (Some(entry), Some((loaded_id, Some(loaded)))) if entry == loaded_id => {
                Some(&loaded.editable_text)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contents(entries: &[&str]) -> ContextReport {
        let item = |entry: &&str| ContextItem { entry: Some((*entry).to_string()), ..ContextItem::default() };
        ContextReport { items: entries.iter().map(item).collect(), ..ContextReport::default() }
    }

    #[test]
    fn context_view_selection_stays_with_its_row() {
        let mut view = ContextView::new(1);
        view.step(-1);
        view.set_report(contents(&["a", "b", "c"]));
        assert_eq!(view.selected, 2, "the latest at first");
        view.step(-1);
        view.set_report(contents(&["x", "a", "b", "c"]));
        assert_eq!(view.item().unwrap().entry.as_deref(), Some("b"));
        view.set_report(contents(&["x", "a"]));
        assert_eq!(view.selected, 1, "as near as there is");
        view.step(-9);
        view.step(9);
        assert_eq!((view.selected, view.page(1)), (1, 1..2));
    }

    #[test]
    fn context_view_fetches_text_once_per_row() {
        let mut view = ContextView::new(1);
        view.set_report(contents(&["a", "b"]));
        assert_eq!((view.take_missing_entry().as_deref(), view.take_missing_entry()), (Some("b"), None));
        view.sent =
            Some(("b".into(), Some(SentMessage { text: "whole".into(), editable_text: "who".into() })));
        assert_eq!((view.text(), view.editable_text()), (Some("whole"), Some("who")));
        view.step(-1);
        assert_eq!((view.text(), view.editable_text()), (None, None));
        assert_eq!(view.take_missing_entry().as_deref(), Some("a"));
    }
}
