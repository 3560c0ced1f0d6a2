//! Retained tree of components: areas, layers, damage, focus.
//!
//! Must not know what components show or how cells reach a terminal. The cost of drawing depends on the
//! damage: rows of a component, and what covers them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::tui::canvas::Canvas;
use crate::tui::images::encoded::EncodedImage;
use crate::tui::links::Links;
use crate::tui::theme::color::ColorDepth;
use crate::tui::theme::scheme::Theme;

/// Id of a component in a tree. Never reused after removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// Draws itself from the context `C`.
pub trait Component<C> {
    /// Draws the rows in [`Canvas::dirty_rows`], which were blanked with the scope `ui`. Called once for each
    /// contiguous range of damaged rows.
    fn draw(&mut self, canvas: &mut Canvas<'_>, cx: &C);

    /// Returns the caret in local coordinates. Called for the focused component only.
    fn cursor(&self, _area_size: (u16, u16), _cx: &C) -> Option<(u16, u16)> {
        None
    }
}

/// Sorted, disjoint ranges of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowRanges(Vec<Range<u16>>);

/// Maximum number of ranges, since each costs a drawing call. More of them are merged into one.
const RANGES_MAX: usize = 8;

impl RowRanges {
    /// Adds a range.
    pub fn add(&mut self, mut range: Range<u16>) {
        if range.is_empty() {
            return;
        }
        self.0.retain(|old| {
            let apart = old.end < range.start || range.end < old.start;
            if !apart {
                range = range.start.min(old.start)..range.end.max(old.end);
            }
            apart
        });
        let at = self.0.partition_point(|old| old.start < range.start);
        self.0.insert(at, range);
        if self.0.len() > RANGES_MAX {
            let hull = self.0[0].start..self.0[self.0.len() - 1].end;
            self.0 = vec![hull];
        }
    }

    /// The ranges from top to bottom.
    pub fn ranges(&self) -> &[Range<u16>] {
        &self.0
    }

    /// Returns whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

struct Node<C> {
    parent: Option<NodeId>,
    layer: u8,
    component: Box<dyn Component<C>>,
    area: Option<Rect>,
    hidden: bool,
    /// Damaged rows in screen coordinates.
    damage: RowRanges,
    /// The cell of its selected row on the screen, in accessible mode.
    selected: Option<(u16, u16)>,
}

/// The components of a screen.
pub struct Tree<C> {
    nodes: BTreeMap<NodeId, Node<C>>,
    /// From the lowest to the topmost.
    order: Vec<NodeId>,
    next: u32,
    /// Focus stack. The last is focused; earlier ones get the focus when later ones are removed.
    focus: Vec<NodeId>,
    /// Rectangles uncovered by a component.
    uncovered: Vec<Rect>,
    /// Whether the caret may have moved without damage.
    focus_moved: bool,
    /// Images drawn since they were taken.
    images: Vec<Arc<EncodedImage>>,
    /// Whether a screen reader reads what is drawn.
    is_accessible: bool,
}

impl<C> Default for Tree<C> {
    fn default() -> Self {
        Self::new()
    }
}

impl<C> Tree<C> {
    /// An empty tree.
    pub fn new() -> Self {
        Self {
            nodes: BTreeMap::new(),
            order: Vec::new(),
            next: 0,
            focus: Vec::new(),
            uncovered: Vec::new(),
            focus_moved: false,
            images: Vec::new(),
            is_accessible: false,
        }
    }

    /// Sets whether a screen reader reads what is drawn. If that changes, everything is damaged.
    pub fn set_accessible(&mut self, is_accessible: bool) {
        if self.is_accessible != is_accessible {
            self.is_accessible = is_accessible;
            self.damage_all();
        }
    }

    /// Returns whether a screen reader reads what is drawn.
    pub fn is_accessible(&self) -> bool {
        self.is_accessible
    }

    /// Adds a component without an area. Higher layers cover lower ones; within a layer later components
    /// cover earlier ones. An unknown parent counts as none.
    pub fn add(&mut self, parent: Option<NodeId>, layer: u8, component: Box<dyn Component<C>>) -> NodeId {
        let id = NodeId(self.next);
        self.next += 1;
        let parent = parent.filter(|p| self.nodes.contains_key(p));
        let damage = RowRanges::default();
        self.nodes
            .insert(id, Node { parent, layer, component, area: None, hidden: false, damage, selected: None });
        let at = self.order.partition_point(|other| self.nodes[other].layer <= layer);
        self.order.insert(at, id);
        id
    }

    /// Removes a component and its descendants.
    pub fn remove(&mut self, id: NodeId) {
        let children: Vec<_> =
            self.nodes.iter().filter(|(_, n)| n.parent == Some(id)).map(|(child, _)| *child).collect();
        for child in children {
            self.remove(child);
        }
        self.mark_uncovered(id);
        if self.nodes.remove(&id).is_some() {
            self.order.retain(|other| *other != id);
            self.focus.retain(|other| *other != id);
            self.restore_focus();
        }
    }

    /// Places a component at an area of the screen and shows it. If the area changes, damages the component
    /// and what it uncovers.
    pub fn set_area(&mut self, id: NodeId, area: Rect) {
        let Some(node) = self.nodes.get(&id) else { return };
        if node.area == Some(area) && !node.hidden {
            return;
        }
        if node.area != Some(area) {
            self.mark_uncovered(id);
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            // What was selected was at a place in the old area.
            node.selected = node.selected.filter(|_| node.area == Some(area));
            node.area = Some(area);
            node.hidden = false;
        }
        self.damage_below(id);
    }

    /// Hides a component and its descendants until it is placed again.
    pub fn hide(&mut self, id: NodeId) {
        if !self.is_visible(id) {
            if let Some(node) = self.nodes.get_mut(&id) {
                node.hidden = true;
            }
            return;
        }
        let below: Vec<_> = self.nodes.keys().copied().filter(|other| self.is_within(*other, id)).collect();
        for other in below {
            self.mark_uncovered(other);
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            node.hidden = true;
        }
        self.restore_focus();
    }

    /// Returns the area of a component; `None` if it is hidden or was never placed.
    pub fn area(&self, id: NodeId) -> Option<Rect> {
        self.nodes.get(&id)?.area.filter(|_| self.is_visible(id))
    }

    /// Returns a component to change its state. The caller must mark the damage.
    pub fn component_mut(&mut self, id: NodeId) -> Option<&mut dyn Component<C>> {
        match self.nodes.get_mut(&id) {
            Some(node) => Some(&mut *node.component),
            None => None,
        }
    }

    /// Damages the whole component.
    pub fn damage(&mut self, id: NodeId) {
        self.damage_rows(id, 0..u16::MAX);
    }

    /// Damages some of its rows, in local coordinates.
    pub fn damage_rows(&mut self, id: NodeId, rows: Range<u16>) {
        let Some(node) = self.nodes.get_mut(&id) else { return };
        let Some(area) = node.area else { return };
        let end = area.y.saturating_add(rows.end.min(area.height));
        node.damage.add(area.y.saturating_add(rows.start)..end);
    }

    /// Damages everything, as after a resize.
    pub fn damage_all(&mut self) {
        for id in self.order.clone() {
            self.damage(id);
        }
        self.uncovered = vec![Rect::new(0, 0, u16::MAX, u16::MAX)];
    }

    /// Returns whether a frame would change anything.
    pub fn is_damaged(&self) -> bool {
        self.focus_moved
            || !self.uncovered.is_empty()
            || self.nodes.iter().any(|(id, n)| !n.damage.is_empty() && self.is_visible(*id))
    }

    /// Requests a frame that only places the caret.
    pub fn damage_cursor(&mut self) {
        self.focus_moved = true;
    }

    /// Focuses a component in place of the one that has the focus.
    pub fn focus(&mut self, id: NodeId) {
        if self.focused() == Some(id) || !self.nodes.contains_key(&id) {
            return;
        }
        if let Some(old) = self.focus.pop() {
            self.damage(old);
        }
        self.push_focus(id);
    }

    /// Focuses a component until it is removed, hidden or popped.
    pub fn push_focus(&mut self, id: NodeId) {
        if !self.nodes.contains_key(&id) {
            return;
        }
        if let Some(old) = self.focused() {
            self.damage(old);
        }
        self.focus.retain(|other| *other != id);
        self.focus.push(id);
        self.damage(id);
        self.focus_moved = true;
    }

    /// Removes the focus from the focused component.
    pub fn pop_focus(&mut self) {
        if let Some(old) = self.focus.pop() {
            self.damage(old);
            self.focus_moved = true;
            self.restore_focus();
            if let Some(now) = self.focused() {
                self.damage(now);
            }
        }
    }

    /// The component with the focus.
    pub fn focused(&self) -> Option<NodeId> {
        self.focus.last().copied()
    }

    /// Returns the focused component and its ancestors, innermost first: the order in which they get a key.
    pub fn focus_path(&self) -> Vec<NodeId> {
        std::iter::successors(self.focused(), |id| self.nodes.get(id)?.parent).collect()
    }

    /// The topmost component at a cell.
    pub fn hit(&self, col: u16, row: u16) -> Option<NodeId> {
        let at = ratatui::layout::Position { x: col, y: row };
        self.order.iter().rev().copied().find(|id| self.area(*id).is_some_and(|area| area.contains(at)))
    }

    /// Whether neither the component nor an ancestor is hidden.
    fn is_visible(&self, id: NodeId) -> bool {
        std::iter::successors(Some(id), |id| self.nodes.get(id)?.parent)
            .all(|id| self.nodes.get(&id).is_some_and(|node| !node.hidden))
    }

    fn is_within(&self, id: NodeId, ancestor: NodeId) -> bool {
        std::iter::successors(Some(id), |id| self.nodes.get(id)?.parent).any(|id| id == ancestor)
    }

    /// Records that what a visible component covers will become visible.
    fn mark_uncovered(&mut self, id: NodeId) {
        if let Some(area) = self.area(id) {
            self.uncovered.push(area);
        }
    }

    fn damage_below(&mut self, id: NodeId) {
        let below: Vec<_> = self.nodes.keys().copied().filter(|other| self.is_within(*other, id)).collect();
        for other in below {
            self.damage(other);
        }
    }

    /// Removes focus entries that can no longer have the focus.
    fn restore_focus(&mut self) {
        let before = self.focused();
        while let Some(last) = self.focused() {
            if self.is_visible(last) {
                break;
            }
            self.focus.pop();
        }
        self.focus_moved = true;
        if before != self.focused()
            && let Some(now) = self.focused()
        {
            self.damage(now);
        }
    }

    /// Draws what is damaged into the buffer. Returns where cells may have changed. Beyond that, wide
    /// characters cut by an edge may have changed.
    pub fn draw(
        &mut self,
        buffer: &mut Buffer,
        links: &mut Links,
        theme: &Theme,
        depth: ColorDepth,
        cx: &C,
    ) -> Vec<Rect> {
        let screen = buffer.area;
        let mut touched: Vec<Rect> = Vec::new();
        for exposed in std::mem::take(&mut self.uncovered) {
            let area = exposed.intersection(screen);
            blank(buffer, area, theme, depth);
            touched.push(area);
        }
        self.focus_moved = false;
        for id in self.order.clone() {
            let visible = self.area(id).map(|area| (area, area.intersection(screen)));
            let Some(node) = self.nodes.get_mut(&id) else { continue };
            // Also for hidden nodes, or the tree would stay damaged.
            let damage = std::mem::take(&mut node.damage);
            let Some((area, seen)) = visible.filter(|(_, seen)| !seen.is_empty()) else { continue };
            let mut rows = RowRanges::default();
            for range in damage.ranges() {
                rows.add(range.start.max(seen.top())..range.end.min(seen.bottom()));
            }
            for rect in touched.iter().map(|rect| rect.intersection(seen)).filter(|rect| !rect.is_empty()) {
                rows.add(rect.top()..rect.bottom());
            }
            for range in rows.ranges() {
                let clip = Rect { y: range.start, height: range.end - range.start, ..seen };
                blank(buffer, clip, theme, depth);
                let canvas = Canvas::new(buffer, area, clip, theme, depth);
                let canvas = canvas.with_images(&mut self.images).with_links(links);
                let mut canvas = if self.is_accessible {
                    node.selected = node.selected.filter(|(_, y)| !range.contains(y));
                    canvas.accessible(&mut node.selected)
                } else {
                    canvas
                };
                node.component.draw(&mut canvas, cx);
                touched.push(clip);
            }
        }
        touched
    }

    /// Takes the images that were drawn since the last call, each once.
    pub fn take_images(&mut self) -> Vec<Arc<EncodedImage>> {
        std::mem::take(&mut self.images)
    }

    /// Returns the caret's position on the screen, if the focused component is visible and has one there.
    pub fn cursor(&self, cx: &C) -> Option<(u16, u16)> {
        let id = self.focused()?;
        let area = self.area(id)?;
        let node = self.nodes.get(&id)?;
        let own = node.component.cursor((area.width, area.height), cx);
        let own = own.filter(|(x, y)| *x < area.width && *y < area.height);
        let own = own.map(|(x, y)| (area.x.saturating_add(x), area.y.saturating_add(y)));
        if self.is_accessible {
            // A screen reader reads where the caret is: there always is one.
            return own.or(node.selected).or(Some((area.x, area.y)));
        }
        own.filter(|at| self.hit(at.0, at.1) == Some(id))
    }
}

fn blank(buffer: &mut Buffer, area: Rect, theme: &Theme, depth: ColorDepth) {
    let mut canvas = Canvas::new(buffer, area, area, theme, depth);
    let style = canvas.style("ui");
    canvas.fill(Rect::new(0, 0, area.width, area.height), style);
}

#[cfg(test)]
mod tests;
