//! What stands before the items of a conversation: it comes in front of them piece by piece, when the screen comes
//! near it or the start is looked for, and goes again when the end is shown.
//!
//! Must not know who brings the pieces.

use std::collections::VecDeque;

use crate::ide::features::transcript::items::{Item, ItemKind, Transcript};
use crate::llm::model::ToolResultMessage;
use crate::session::format::message::{MessagePage, PagePosition};
use crate::tools::contract::registry::Registry;

/// What stands before the items.
#[derive(Debug, Default)]
pub(super) struct EarlierMessages {
    /// Where it is; `None` where the first item is the first of the conversation.
    position: Option<PagePosition>,
    /// Whether a piece of it is on its way.
    is_fetching: bool,
    /// Results at the front whose calls are not here.
    results: Vec<ToolResultMessage>,
    /// The pieces that came in front, the last of them foremost.
    pieces: Vec<FrontPiece>,
}

/// A piece that came in front: how many items it has, and what was known of what stood before the items then.
#[derive(Debug)]
struct FrontPiece {
    items: usize,
    position: PagePosition,
    results: Vec<ToolResultMessage>,
}

/// A piece that was asked for.
#[derive(Debug)]
pub struct Fetched {
    /// Where the items began for which it was asked.
    from: PagePosition,
    /// Its items, or why it is not there.
    found: Result<Box<Transcript>, String>,
}

impl Fetched {
    /// Makes items of a piece.
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
    /// Whether something stands before the first item.
    pub fn has_earlier(&self) -> bool {
        self.earlier.position.is_some()
    }

    /// Takes in where the conversation goes on before the first item.
    pub(super) fn set_earlier(&mut self, earlier: Option<&PagePosition>) {
        self.earlier.position = earlier.cloned();
    }

    /// The piece that is to be asked for next; `None` where one is on its way, or there is none.
    pub fn take_earlier_request(&mut self) -> Option<PagePosition> {
        let place = self.earlier.position.clone().filter(|_| !self.earlier.is_fetching)?;
        self.earlier.is_fetching = true;
        Some(place)
    }

    /// Puts a piece in front, if it is the one that is awaited; gives how many items that are.
    pub fn prepend(&mut self, fetched: Fetched, tools: &Registry) -> Option<usize> {
        let place =
            self.earlier.position.take_if(|place| self.earlier.is_fetching && *place == fetched.from)?;
        self.earlier.is_fetching = false;
        let mut part = match fetched.found {
            Ok(part) => part,
            Err(why) => {
                let mut part = Box::<Transcript>::default();
                part.notice(true, format!("Earlier messages cannot be read: {why}"));
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
        self.earlier.pieces.push(FrontPiece { items: count, position: place, results });
        (self.earlier.position, self.earlier.results) = (part.earlier.position, part.earlier.results);
        Some(count)
    }

    /// How many items came in front.
    pub fn prepended_count(&self) -> usize {
        self.earlier.pieces.iter().map(|piece| piece.items).sum()
    }

    /// Lets go what came in front; it comes again when it is looked for.
    pub fn drop_prepended(&mut self) -> VecDeque<Item> {
        let count = self.prepended_count();
        let mut pieces = std::mem::take(&mut self.earlier.pieces).into_iter();
        let Some(FrontPiece { position: place, results, .. }) = pieces.next() else { return VecDeque::new() };
        self.earlier =
            EarlierMessages { position: Some(place), is_fetching: false, results, pieces: Vec::new() };
        let kept = self.items.split_off(count);
        self.streaming.iter_mut().for_each(|(_, at)| *at -= count);
        std::mem::replace(&mut self.items, kept)
    }

    /// Keeps a result whose call is not here; where something was said before it no call of it can be.
    pub(super) fn keep_result(&mut self, result: &ToolResultMessage) {
        if !self.items.iter().any(|item| matches!(item.kind, ItemKind::User(_))) {
            self.earlier.results.push(result.clone());
        }
    }
}
