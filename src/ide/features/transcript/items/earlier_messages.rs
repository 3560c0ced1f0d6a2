//! Earlier messages before the items of a conversation: loaded part by part when the screen comes near or the
//! user goes to the start, and released when the end is shown.
//!
//! Must not know who loads the parts.

use std::collections::VecDeque;

use crate::ide::features::transcript::items::{Item, ItemKind, Transcript};
use crate::llm::model::ToolResultMessage;
use crate::session::format::message::{MessagePage, PagePosition};
use crate::tools::contract::registry::Registry;

/// State of the messages before the items.
#[derive(Debug, Default)]
pub(super) struct EarlierMessages {
    /// Their position; `None` if the first item is the first of the conversation.
    position: Option<PagePosition>,
    /// Whether a part is being loaded.
    is_fetching: bool,
    /// Results at the front whose calls are not loaded.
    results: Vec<ToolResultMessage>,
    /// The parts inserted at the front, the last one first in the conversation.
    pieces: Vec<FrontPiece>,
}

/// A part inserted at the front: its number of items, and the state of earlier messages before it.
#[derive(Debug)]
struct FrontPiece {
    items: usize,
    position: PagePosition,
    results: Vec<ToolResultMessage>,
}

/// A requested part.
#[derive(Debug)]
pub struct Fetched {
    /// The position of the items' start for which it was requested.
    from: PagePosition,
    /// Its items, or why it is unavailable.
    found: Result<Box<Transcript>, String>,
}

impl Fetched {
    /// Builds the items of a part.
    pub fn new(from: PagePosition, piece: Result<MessagePage, String>, tools: &Registry) -> Self {
        let found = piece.map(|piece| {
            let mut part = Transcript::default();
            part.add_all(&piece.messages, tools);
            part.earlier.position = piece.earlier;
            Box::new(part)
        });
        Self { from, found }
    }
}

impl Transcript {
    /// Returns whether there are messages before the first item.
    pub fn has_earlier(&self) -> bool {
        self.earlier.position.is_some()
    }

    /// Sets the position of the messages before the first item.
    pub(super) fn set_earlier(&mut self, earlier: Option<&PagePosition>) {
        self.earlier.position = earlier.cloned();
    }

    /// Returns the part to request next; `None` if one is being loaded, or there is none.
    pub fn take_earlier_request(&mut self) -> Option<PagePosition> {
        let position = self.earlier.position.clone().filter(|_| !self.earlier.is_fetching)?;
        self.earlier.is_fetching = true;
        Some(position)
    }

    /// Inserts a part at the front, if it is the awaited one; returns its number of items.
    pub fn prepend(&mut self, fetched: Fetched, tools: &Registry) -> Option<usize> {
        let position = self
            .earlier
            .position
            .take_if(|position| self.earlier.is_fetching && *position == fetched.from)?;
        self.earlier.is_fetching = false;
        let mut part = match fetched.found {
            Ok(part) => part,
            Err(error) => {
                let mut part = Box::<Transcript>::default();
                part.notice(true, format!("Earlier messages cannot be read: {error}"));
                part
            }
        };
        let results = std::mem::take(&mut self.earlier.results);
        for result in &results {
            part.end_call(result, None, None, tools);
        }
        part.close_calls();
        let count = part.items.len();
        for mut item in part.items.into_iter().rev() {
            self.next_id += 1;
            item.id = self.next_id;
            self.items.push_front(item);
        }
        self.streaming.iter_mut().for_each(|(_, at)| *at += count);
        self.earlier.pieces.push(FrontPiece { items: count, position, results });
        (self.earlier.position, self.earlier.results) = (part.earlier.position, part.earlier.results);
        Some(count)
    }

    /// Returns the number of items inserted at the front.
    pub fn prepended_count(&self) -> usize {
        self.earlier.pieces.iter().map(|piece| piece.items).sum()
    }

    /// Releases the items inserted at the front; they are loaded again when needed.
    pub fn drop_prepended(&mut self) -> VecDeque<Item> {
        let count = self.prepended_count();
        let mut pieces = std::mem::take(&mut self.earlier.pieces).into_iter();
        let Some(FrontPiece { position, results, .. }) = pieces.next() else { return VecDeque::new() };
        self.earlier =
            EarlierMessages { position: Some(position), is_fetching: false, results, pieces: Vec::new() };
        let kept = self.items.split_off(count);
        self.streaming.iter_mut().for_each(|(_, at)| *at -= count);
        std::mem::replace(&mut self.items, kept)
    }

    /// Keeps a result whose call is not loaded, unless a message precedes it: then it has no call.
    pub(super) fn keep_result(&mut self, result: &ToolResultMessage) {
        if !self.items.iter().any(|item| matches!(item.kind, ItemKind::User(_))) {
            self.earlier.results.push(result.clone());
        }
    }
}
