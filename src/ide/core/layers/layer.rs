//! Overlays on top of the panes: how a layer is drawn, which keys it handles, and the stack of shown layers.
//! Must not know any concrete layer.

use std::any::Any;

use ratatui::layout::{Position, Rect};

use crate::ide::core::context::Cx;
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::state::State;
use crate::ide::model::text_area::TextArea;
use crate::tui::canvas::Canvas;
use crate::tui::input::Key;

/// An overlay. Only the topmost gets keys. It is drawn, and the nearest view below it.
pub trait Layer: Any + Send {
    /// Returns its key context.
    fn context(&self) -> KeyContext;

    /// Returns its area on a screen of this size in columns and rows.
    fn area(&self, size: (u16, u16)) -> Rect;

    /// Draws it.
    fn draw(&self, canvas: &mut Canvas<'_>, state: &State);

    /// Returns the position of its caret in an area of this size.
    fn cursor(&self, _size: (u16, u16)) -> Option<(u16, u16)> {
        None
    }

    /// Returns whether the caret of a screen reader is at the selected row, although there is a text.
    fn has_caret_in_list(&self) -> bool {
        false
    }

    /// Returns the text in it that keys edit.
    fn text(&mut self) -> Option<&mut TextArea> {
        None
    }

    /// Returns its id if it opened by itself: a key that the user typed before must not answer it.
    fn unsolicited_id(&self) -> Option<LayerId> {
        None
    }

    /// Returns its key handlers.
    fn actions(&self) -> Actions {
        Actions::default()
    }

    /// Returns whether it is a view that stays visible below a prompt or a dialog that it has opened.
    fn is_view(&self) -> bool {
        false
    }

    /// Returns whether it is a line or two at an edge of what it acts on, which is read while it is open.
    fn is_line(&self) -> bool {
        self.keeps_caret_clear()
    }

    /// Returns whether the text below is read while it is open: the editor keeps its caret out of its area.
    fn keeps_caret_clear(&self) -> bool {
        false
    }

    /// Returns whether it waits for a task, such as loading or filtering rows.
    fn is_busy(&self) -> bool {
        false
    }
}

/// Id of a layer: kind and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerId {
    /// The kind.
    pub kind: &'static str,
    /// The number within the kind.
    pub number: u64,
}

/// Key handlers of a layer. They are called while it is on top, and find it there.
#[derive(Clone, Copy)]
pub struct Actions {
    /// Handles a key before anything else sees it, including macros and repetition; returns whether it was
    /// handled.
    pub raw_key: fn(&mut Cx<'_>, Key) -> bool,
    /// Handles a key before any key map; returns whether it was handled.
    pub key: fn(&mut Cx<'_>, Key) -> bool,
    /// Handles pasted text; returns whether it was handled.
    pub paste: fn(&mut Cx<'_>, &str) -> bool,
    /// Handles a click, at a cell of its area.
    pub click: fn(&mut Cx<'_>, Position),
    /// Moves the selection by rows.
    pub step: fn(&mut Cx<'_>, isize),
    /// Accepts the selection.
    pub accept: fn(&mut Cx<'_>),
    /// Reacts to a change of the text in it after a key.
    pub on_change: fn(&mut Cx<'_>),
    /// Handles Escape: closes it, or takes a step before that.
    pub escape: fn(&mut Cx<'_>),
}

impl Default for Actions {
    fn default() -> Self {
        Self {
            raw_key: |_, _| false,
            key: |_, _| false,
            paste: |_, _| false,
            click: |_, _| {},
            step: |_, _| {},
            accept: |_| {},
            on_change: |_| {},
            escape: |cx| drop(cx.state.pop_layer()),
        }
    }
}

/// The stack of shown layers, the topmost last.
#[derive(Default)]
pub struct Layers(Vec<Box<dyn Layer>>);

impl Layers {
    /// Returns whether there is no layer.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of layers.
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

    /// The view that is visible below the topmost.
    pub fn view_below(&self) -> Option<&dyn Layer> {
        let below = self.0.split_last()?.1;
        below.iter().rev().find(|layer| layer.is_view()).map(|layer| &**layer)
    }

    /// Returns the topmost if it is a `T`.
    pub fn top<T: Layer>(&self) -> Option<&T> {
        let top: &dyn Any = &**self.0.last()?;
        top.downcast_ref()
    }

    /// Returns the topmost mutably if it is a `T`.
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

    /// Pushes a layer on top.
    pub fn push(&mut self, layer: impl Layer) {
        self.0.push(Box::new(layer));
    }

    /// Inserts a layer below all others, so that the user's current layer keeps the keys.
    pub fn push_below(&mut self, layer: impl Layer) {
        self.0.insert(0, Box::new(layer));
    }

    /// Removes the topmost layer.
    pub fn pop(&mut self) -> Option<Box<dyn Layer>> {
        self.0.pop()
    }

    /// Removes the topmost layer if it is a `T`.
    pub fn pop_as<T: Layer>(&mut self) -> Option<Box<T>> {
        self.top::<T>()?;
        let top: Box<dyn Any> = self.0.pop()?;
        top.downcast().ok()
    }

    /// Puts a removed layer back.
    pub fn restore(&mut self, layer: Box<dyn Layer>) {
        self.0.push(layer);
    }

    /// Removes all layers of type `T`.
    pub fn close<T: Layer>(&mut self) {
        self.close_where::<T>(|_| true);
    }

    /// Removes the layers of type `T` that match; returns whether there was one.
    pub fn close_where<T: Layer>(&mut self, is_meant: impl Fn(&T) -> bool) -> bool {
        let before = self.0.len();
        self.0.retain(|layer| !(&**layer as &dyn Any).downcast_ref().is_some_and(&is_meant));
        self.0.len() != before
    }
}
