//! What floats on top of the panes: how a layer is drawn, which keys it takes, and the stack of those that are shown.
//! Must not know any layer.

use std::any::Any;

use ratatui::layout::Rect;

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::state::State;
use crate::ide::model::text_area::TextArea;
use crate::tui::canvas::Canvas;
use crate::tui::input::Key;

/// Something that floats. Only the topmost is drawn and gets keys.
pub trait Layer: Any + Send {
    /// Its key context.
    fn context(&self) -> KeyContext;

    /// Where it is on a screen of so many columns and rows.
    fn area(&self, size: (u16, u16)) -> Rect;

    /// Draws it.
    fn draw(&self, canvas: &mut Canvas<'_>, state: &State);

    /// Where its caret is, in an area of this size.
    fn cursor(&self, _size: (u16, u16)) -> Option<(u16, u16)> {
        None
    }

    /// The text in it that keys edit.
    fn text(&mut self) -> Option<&mut TextArea> {
        None
    }

    /// What identifies it if it opened by itself: a key that the user has typed before it opened must not answer it.
    fn unsolicited_id(&self) -> Option<LayerId> {
        None
    }

    /// What keys do in it.
    fn actions(&self) -> Actions {
        Actions::default()
    }

    /// Whether it waits for a task: rows that are being found, a filter at work.
    fn is_busy(&self) -> bool {
        false
    }
}

/// What a layer is about: what kind of thing, and which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerId {
    /// The kind.
    pub kind: &'static str,
    /// Which of them.
    pub number: u64,
}

/// What keys do in a layer. The functions are called while it is on top, and find it there.
#[derive(Clone, Copy)]
pub struct Actions {
    /// A key before anything else hears of it, macros and repetition included; returns whether it was taken.
    pub raw_key: fn(&mut Cx<'_>, Key) -> bool,
    /// A key before any key map; returns whether it was taken.
    pub key: fn(&mut Cx<'_>, Key) -> bool,
    /// A pasted text; returns whether it was taken.
    pub paste: fn(&mut Cx<'_>, &str) -> bool,
    /// Moves the selection by rows.
    pub step: fn(&mut Cx<'_>, isize),
    /// Takes what is selected.
    pub accept: fn(&mut Cx<'_>),
    /// Follows the text in it after a key.
    pub on_change: fn(&mut Cx<'_>),
    /// Escape: closes it, or does what comes before that.
    pub escape: fn(&mut Cx<'_>),
}

impl Default for Actions {
    fn default() -> Self {
        Self {
            raw_key: |_, _| false,
            key: |_, _| false,
            paste: |_, _| false,
            step: |_, _| {},
            accept: |_| {},
            on_change: |_| {},
            escape: |cx| drop(cx.state.pop_layer()),
        }
    }
}

/// The layers that are shown, the topmost last.
#[derive(Default)]
pub struct Layers(Vec<Box<dyn Layer>>);

impl Layers {
    /// Whether nothing floats.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The topmost.
    pub fn last(&self) -> Option<&dyn Layer> {
        self.0.last().map(|layer| &**layer)
    }

    /// The topmost, to be changed.
    pub fn last_mut(&mut self) -> Option<&mut dyn Layer> {
        self.0.last_mut().map(|layer| &mut **layer)
    }

    /// The topmost, if it is a `T`.
    pub fn top<T: Layer>(&self) -> Option<&T> {
        let top: &dyn Any = &**self.0.last()?;
        top.downcast_ref()
    }

    /// The topmost to be changed, if it is a `T`.
    pub fn top_mut<T: Layer>(&mut self) -> Option<&mut T> {
        let top: &mut dyn Any = &mut **self.0.last_mut()?;
        top.downcast_mut()
    }

    /// All of type `T`, from the top.
    pub fn all<T: Layer>(&self) -> impl Iterator<Item = &T> {
        self.0.iter().rev().filter_map(|layer| (&**layer as &dyn Any).downcast_ref())
    }

    /// All of type `T` to be changed, from the top.
    pub fn all_mut<T: Layer>(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().rev().filter_map(|layer| (&mut **layer as &mut dyn Any).downcast_mut())
    }

    /// Puts one on top.
    pub fn push(&mut self, layer: impl Layer) {
        self.0.push(Box::new(layer));
    }

    /// Puts one below all others: what the user is busy with keeps the keys.
    pub fn push_below(&mut self, layer: impl Layer) {
        self.0.insert(0, Box::new(layer));
    }

    /// Takes the topmost away.
    pub fn pop(&mut self) -> Option<Box<dyn Layer>> {
        self.0.pop()
    }

    /// Takes the topmost away if it is a `T`.
    pub fn pop_as<T: Layer>(&mut self) -> Option<Box<T>> {
        self.top::<T>()?;
        let top: Box<dyn Any> = self.0.pop()?;
        top.downcast().ok()
    }

    /// Puts one back that was taken away.
    pub fn restore(&mut self, layer: Box<dyn Layer>) {
        self.0.push(layer);
    }

    /// Takes away all of type `T`.
    pub fn close<T: Layer>(&mut self) {
        self.close_where::<T>(|_| true);
    }

    /// Takes away those of type `T` that are meant; returns whether there was one.
    pub fn close_where<T: Layer>(&mut self, is_meant: impl Fn(&T) -> bool) -> bool {
        let before = self.0.len();
        self.0.retain(|layer| !(&**layer as &dyn Any).downcast_ref().is_some_and(&is_meant));
        self.0.len() != before
    }
}
