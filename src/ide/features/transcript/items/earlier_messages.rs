//! What stands before the items of a conversation: it comes in front of them piece by piece, when the screen comes
//! near it or the start is looked for, and goes again when the end is shown.
//!
//! Must not know who brings the pieces.

use std::collections::VecDeque;

use crate::ide::features::transcript::items::{Item, Kind, Transcript};
use crate::llm::model::ToolResultMessage;
use crate::session::format::message::{Earlier, Piece};
use crate::tools::contract::registry::Registry;

/// What stands before the items.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Where it is; `None` where the first item is the first of the conversation.
    place: Option<Earlier>,
    /// Whether a piece of it is on its way.
    awaited: bool,
    /// Results at the front whose calls are not here.
    results: Vec<ToolResultMessage>,
    /// The pieces that came in front, the last of them foremost.
    pieces: Vec<Front>,
}

/// A piece that came in front: how many items it has, and what was known of what stood before the items then.
#[derive(Debug)]
struct Front {
    items: usize,
    place: Earlier,
    results: Vec<ToolResultMessage>,
}

/// A piece that was asked for.
#[derive(Debug)]
pub struct Fetched {
    /// Where the items began for which it was asked.
    from: Earlier,
    /// Its items, or why it is not there.
    found: Result<Box<Transcript>, String>,
}

impl Fetched {
    /// Makes items of a piece.
    pub fn new(from: Earlier, piece: Result<Piece, String>, tools: &Registry) -> Self {
        let found = piece.map(|piece| {
            let mut part = Transcript::default();
            part.add_all(&piece.messages, tools);
            part.before.place = piece.earlier;
            Box::new(part)
        });
        Self { from, found }
    }
}

impl Transcript {
    /// Whether something stands before the first item.
    pub fn has_earlier(&self) -> bool {
        self.before.place.is_some()
    }

    /// Takes in where the conversation goes on before the first item.
    pub(super) fn begin_at(&mut self, earlier: Option<&Earlier>) {
        self.before.place = earlier.cloned();
    }

    /// The piece that is to be asked for next; `None` where one is on its way, or there is none.
    pub fn ask_earlier(&mut self) -> Option<Earlier> {
        let place = self.before.place.clone().filter(|_| !self.before.awaited)?;
        self.before.awaited = true;
        Some(place)
    }

    /// Puts a piece in front, if it is the one that is awaited; gives how many items that are.
    pub fn put_in_front(&mut self, fetched: Fetched, tools: &Registry) -> Option<usize> {
        let place = self.before.place.take_if(|place| self.before.awaited && *place == fetched.from)?;
        self.before.awaited = false;
        let mut part = match fetched.found {
            Ok(part) => part,
            Err(why) => {
                let mut part = Box::<Transcript>::default();
                part.notice(true, format!("Earlier messages cannot be read: {why}"));
                part
            }
        };
        let results = std::mem::take(&mut self.before.results);
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
        self.before.pieces.push(Front { items: count, place, results });
        (self.before.place, self.before.results) = (part.before.place, part.before.results);
        Some(count)
    }

    /// How many items came in front.
    pub fn in_front(&self) -> usize {
        self.before.pieces.iter().map(|piece| piece.items).sum()
    }

    /// Lets go what came in front; it comes again when it is looked for.
    pub fn release_front(&mut self) -> VecDeque<Item> {
        let count = self.in_front();
        let mut pieces = std::mem::take(&mut self.before.pieces).into_iter();
        let Some(Front { place, results, .. }) = pieces.next() else { return VecDeque::new() };
        self.before = Before { place: Some(place), awaited: false, results, pieces: Vec::new() };
        let kept = self.items.split_off(count);
        self.streaming.iter_mut().for_each(|(_, at)| *at -= count);
        std::mem::replace(&mut self.items, kept)
    }

    /// Keeps a result whose call is not here; where something was said before it no call of it can be.
    pub(super) fn keep_result(&mut self, result: &ToolResultMessage) {
        if !self.items.iter().any(|item| matches!(item.kind, Kind::User(_))) {
            self.before.results.push(result.clone());
        }
    }
}
