//! Windows: how the editor's part of the screen is split, each window with its own view of a text. Must not
//! know texts, nor what is drawn.

use std::collections::BTreeMap;

use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

use crate::ide::model::buffers::BufferId;
use crate::ide::model::view::visible_rows::DragSelection;
use crate::ide::model::window_id::WindowId;

/// Minimum width of a window; where windows do not fit only one is shown.
const COLS_MIN: u16 = 12;
/// Minimum height, including the title row.
const ROWS_MIN: u16 = 3;
/// Maximum number of windows.
pub const WINDOWS_MAX: usize = 12;

/// Shares above this lose their last digits.
const SHARE_MAX: u32 = 1 << 12;

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Upwards.
    Up,
    /// Downwards.
    Down,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Window(WindowId),
    Split(Split),
}

/// Parts side by side or one above the other, each with its share of the space.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Split {
    is_side_by_side: bool,
    parts: Vec<(Node, u32)>,
}

/// The split structure of windows, without their ids.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// One window.
    Window,
    /// Parts side by side (`true`) or one above the other, with their shares of the space.
    Split(bool, Vec<(Shape, u32)>),
}

impl Shape {
    /// Returns the number of windows; `None` if a split is invalid.
    fn count(&self) -> Option<usize> {
        match self {
            Self::Window => Some(1),
            Self::Split(_, parts) if parts.len() < 2 => None,
            Self::Split(_, parts) => parts.iter().map(|(part, _)| part.count()).sum(),
        }
    }

    fn node(&self, next: &mut u32) -> Node {
        match self {
            Self::Window => {
                *next += 1;
                Node::Window(WindowId(*next - 1))
            }
            Self::Split(beside, parts) => {
                let part = |(shape, share): &(Self, u32)| (shape.node(next), (*share).clamp(1, SHARE_MAX));
                Node::Split(Split { is_side_by_side: *beside, parts: parts.iter().map(part).collect() })
            }
        }
    }
}

/// A border between two parts of a split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Border {
    /// Its cells. Between parts above each other it is the title row of the lower one.
    pub area: Rect,
    /// Whether the parts are side by side.
    pub is_side_by_side: bool,
    /// Path to the split, and the index of the part before the border.
    path: Vec<usize>,
    before: usize,
}

/// Areas of windows and borders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WindowLayout {
    /// The windows, titles included.
    pub windows: Vec<(WindowId, Rect)>,
    /// The borders between windows.
    pub borders: Vec<Border>,
}

/// The windows.
#[derive(Debug, Clone)]
pub struct Windows {
    root: Node,
    /// The window with the focus when the editor has it.
    pub active: WindowId,
    next: u32,
    /// The buffers shown by the other windows.
    pub other_buffers: BTreeMap<WindowId, BufferId>,
    /// The line that the mouse moves.
    pub dragged: Option<Border>,
    /// Selection by the mouse while its button is held.
    pub selecting: Option<DragSelection>,
}

impl Default for Windows {
    fn default() -> Self {
        let first = WindowId(0);
        Self {
            root: Node::Window(first),
            active: first,
            next: 1,
            other_buffers: BTreeMap::new(),
            dragged: None,
            selecting: None,
        }
    }
}

impl Windows {
    /// Creates windows of a shape, the first one active; `None` if the shape is invalid or has too many.
    pub fn of_shape(shape: &Shape) -> Option<Self> {
        shape.count().filter(|count| *count <= WINDOWS_MAX)?;
        let mut next = 0;
        let root = shape.node(&mut next);
        Some(Self { root, next, ..Self::default() })
    }

    /// Returns the shape of the splits.
    pub fn shape(&self) -> Shape {
        self.root.shape()
    }

    /// Returns the number of windows.
    pub fn count(&self) -> usize {
        self.root.windows().len()
    }

    /// Returns all windows, from the top left.
    pub fn all(&self) -> Vec<WindowId> {
        self.root.windows()
    }

    /// Splits the active window; returns the new one, which is to the right or below.
    pub fn split(&mut self, beside: bool) -> WindowId {
        let new = WindowId(self.next);
        self.next += 1;
        self.root.split(self.active, new, beside);
        new
    }

    /// Closes a window, unless it is the last; returns the one that takes its space.
    pub fn close(&mut self, window: WindowId) -> Option<WindowId> {
        let all = self.all();
        let at = all.iter().position(|other| *other == window).filter(|_| all.len() > 1)?;
        let heir = if at > 0 { all[at - 1] } else { all[1] };
        self.root.remove(window);
        self.other_buffers.remove(&window);
        Some(heir)
    }

    /// Returns the areas of windows and borders. If they do not fit, the active window takes it all.
    pub fn layout(&self, area: Rect) -> WindowLayout {
        let mut window_layout = WindowLayout::default();
        self.root.layout(area, &mut Vec::new(), &mut window_layout);
        let fits = |(_, area): &(WindowId, Rect)| area.width >= COLS_MIN && area.height >= ROWS_MIN;
        if window_layout.windows.len() > 1 && !window_layout.windows.iter().all(fits) {
            return WindowLayout { windows: vec![(self.active, area)], borders: Vec::new() };
        }
        window_layout
    }

    /// Returns the window next to the active one in a direction.
    pub fn neighbor(&self, area: Rect, direction: Direction) -> Option<WindowId> {
        let areas = self.layout(area).windows;
        let (_, here) = areas.iter().find(|(id, _)| *id == self.active)?;
        let beyond = |there: &Rect| match direction {
            Direction::Left => {
                there.right() <= here.left() && overlap(there.y, there.height, here.y, here.height)
            }
            Direction::Right => {
                there.left() >= here.right() && overlap(there.y, there.height, here.y, here.height)
            }
            Direction::Up => {
                there.bottom() <= here.top() && overlap(there.x, there.width, here.x, here.width)
            }
            Direction::Down => {
                there.top() >= here.bottom() && overlap(there.x, there.width, here.x, here.width)
            }
        };
        let far = |there: &Rect| {
            let x = u32::from(there.x.abs_diff(here.x));
            let y = u32::from(there.y.abs_diff(here.y));
            if matches!(direction, Direction::Left | Direction::Right) { (x, y) } else { (y, x) }
        };
        let near = areas.iter().filter(|(_, there)| beyond(there)).min_by_key(|(_, there)| far(there));
        near.map(|(id, _)| *id)
    }

    /// Grows the active window by cells in width or height, or shrinks it if negative.
    pub fn resize(&mut self, area: Rect, beside: bool, cells: i32) {
        let window_layout = self.layout(area);
        let Some((_, here)) = window_layout.windows.iter().find(|(id, _)| *id == self.active) else { return };
        let touches = |border: &&Border| {
            let span = if border.is_side_by_side {
                overlap(border.area.y, border.area.height, here.y, here.height)
            } else {
                overlap(border.area.x, border.area.width, here.x, here.width)
            };
            border.is_side_by_side == beside && span
        };
        let (first, end) = if beside { (here.x, here.right()) } else { (here.y, here.bottom()) };
        let after = |border: &Border| end == if beside { border.area.x } else { border.area.y };
        let before = |border: &Border| first == if beside { border.area.right() } else { border.area.y };
        let mine: Vec<&Border> = window_layout.borders.iter().filter(touches).collect();
        let at = |border: &Border| i32::from(if beside { border.area.x } else { border.area.y });
        if let Some(border) = mine.iter().find(|border| after(border)) {
            self.move_border(area, border, at(border) + cells);
        } else if let Some(border) = mine.iter().find(|border| before(border)) {
            self.move_border(area, border, at(border) - cells);
        }
    }

    /// Moves a line to a column, or a row, of the screen.
    pub fn move_border(&mut self, area: Rect, border: &Border, to: i32) {
        let Some((split, room)) = self.root.split_at(&border.path, area) else { return };
        let areas = split.areas(room);
        let (Some(one), Some(other)) = (areas.get(border.before), areas.get(border.before + 1)) else {
            return;
        };
        let length = |area: &Rect| if split.is_side_by_side { area.width } else { area.height };
        let least = i32::from(if split.is_side_by_side { COLS_MIN } else { ROWS_MIN });
        let start = i32::from(if split.is_side_by_side { one.x } else { one.y });
        let both = i32::from(length(one)) + i32::from(length(other));
        let first = (to - start).clamp(least.min(both / 2), (both - least).max(both / 2));
        let mut lengths: Vec<u32> = areas.iter().map(|area| u32::from(length(area))).collect();
        (lengths[border.before], lengths[border.before + 1]) = (first as u32, (both - first) as u32);
        for ((_, share), length) in split.parts.iter_mut().zip(lengths) {
            *share = length.max(1);
        }
    }

    /// Gives all parts the same share.
    pub fn equalize(&mut self) {
        self.root.equalize();
    }
}

/// Returns whether two ranges of cells overlap.
fn overlap(a: u16, a_len: u16, b: u16, b_len: u16) -> bool {
    a < b + b_len && b < a + a_len
}

impl Node {
    fn shape(&self) -> Shape {
        match self {
            Self::Window(_) => Shape::Window,
            Self::Split(split) => {
                let parts = split.parts.iter().map(|(node, share)| (node.shape(), *share));
                Shape::Split(split.is_side_by_side, parts.collect())
            }
        }
    }

    fn windows(&self) -> Vec<WindowId> {
        match self {
            Self::Window(id) => vec![*id],
            Self::Split(split) => split.parts.iter().flat_map(|(node, _)| node.windows()).collect(),
        }
    }

    fn split(&mut self, at: WindowId, new: WindowId, beside: bool) {
        match self {
            Self::Window(id) if *id == at => {
                let parts = vec![(Self::Window(at), 1), (Self::Window(new), 1)];
                *self = Self::Split(Split { is_side_by_side: beside, parts });
            }
            Self::Window(_) => {}
            Self::Split(split) => {
                let own = split.parts.iter().position(|(node, _)| *node == Self::Window(at));
                // A third part in the same direction shares the space of the part it was split from.
                if let Some(own) = own.filter(|_| split.is_side_by_side == beside) {
                    for (_, share) in &mut split.parts {
                        // Shares finer than a screen are reduced, so that they do not grow without limit.
                        *share = if *share > SHARE_MAX { *share / SHARE_MAX } else { *share * 2 };
                    }
                    let share = (split.parts[own].1 / 2).max(1);
                    split.parts[own].1 = share;
                    split.parts.insert(own + 1, (Self::Window(new), share));
                    return;
                }
                for (node, _) in &mut split.parts {
                    node.split(at, new, beside);
                }
            }
        }
    }

    fn remove(&mut self, window: WindowId) {
        let Self::Split(split) = self else { return };
        split.parts.retain(|(node, _)| *node != Self::Window(window));
        for (node, _) in &mut split.parts {
            node.remove(window);
        }
        if split.parts.len() == 1
            && let Some((node, _)) = split.parts.pop()
        {
            *self = node;
        }
    }

    fn equalize(&mut self) {
        let Self::Split(split) = self else { return };
        for (node, share) in &mut split.parts {
            *share = 1;
            node.equalize();
        }
    }

    fn layout(&self, area: Rect, path: &mut Vec<usize>, window_layout: &mut WindowLayout) {
        match self {
            Self::Window(id) => window_layout.windows.push((*id, area)),
            Self::Split(split) => {
                let areas = split.areas(area);
                for (n, ((node, _), area)) in split.parts.iter().zip(&areas).enumerate() {
                    if n > 0 {
                        let line = if split.is_side_by_side {
                            Rect { x: area.x.saturating_sub(1), width: 1, ..*area }
                        } else {
                            Rect { height: 1.min(area.height), ..*area }
                        };
                        let (path, beside) = (path.clone(), split.is_side_by_side);
                        window_layout.borders.push(Border {
                            area: line,
                            is_side_by_side: beside,
                            path,
                            before: n - 1,
                        });
                    }
                    path.push(n);
                    node.layout(*area, path, window_layout);
                    path.pop();
                }
            }
        }
    }

    fn split_at(&mut self, path: &[usize], area: Rect) -> Option<(&mut Split, Rect)> {
        let Self::Split(split) = self else { return None };
        let Some((first, rest)) = path.split_first() else { return Some((split, area)) };
        let part = *split.areas(area).get(*first)?;
        split.parts.get_mut(*first)?.0.split_at(rest, part)
    }
}

impl Split {
    /// Returns the areas of the parts; parts side by side have a border between them.
    fn areas(&self, area: Rect) -> Vec<Rect> {
        let lines = if self.is_side_by_side { self.parts.len() as u32 - 1 } else { 0 };
        let length =
            u32::from(if self.is_side_by_side { area.width } else { area.height }).saturating_sub(lines);
        let shares: u32 = self.parts.iter().map(|(_, share)| share).sum::<u32>().max(1);
        let (mut sum, mut used) = (0u32, 0u32);
        let mut areas = Vec::new();
        for (n, (_, share)) in self.parts.iter().enumerate() {
            sum += share;
            let end = (u64::from(length) * u64::from(sum) / u64::from(shares)) as u32;
            let (from, size) = (used as u16, (end - used) as u16);
            let line = if self.is_side_by_side { n as u16 } else { 0 };
            areas.push(if self.is_side_by_side {
                Rect { x: area.x + from + line, width: size, ..area }
            } else {
                Rect { y: area.y + from, height: size, ..area }
            });
            used = end;
        }
        areas
    }
}

#[cfg(test)]
mod tests;
