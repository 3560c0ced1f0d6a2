//! Tests of damage, layers and focus.

use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;

use super::*;

/// What was drawn: a letter and the rows, in order.
type Log = Rc<RefCell<Vec<String>>>;

/// Fills itself with its letter and notes which rows it drew.
struct Letter(char, Log);

impl Component<()> for Letter {
    fn draw(&mut self, canvas: &mut Canvas<'_>, (): &()) {
        let rows = canvas.dirty_rows();
        self.1.borrow_mut().push(format!("{}{}-{}", self.0, rows.start, rows.end));
        let line = self.0.to_string().repeat(usize::from(canvas.size().0));
        for y in 0..canvas.size().1 {
            canvas.text(0, y, &line, ratatui::style::Style::new());
        }
    }

    fn cursor(&self, size: (u16, u16), (): &()) -> Option<(u16, u16)> {
        Some((size.0 - 1, 0))
    }
}

struct Stage {
    tree: Tree<()>,
    log: Log,
    buffer: Buffer,
}

impl Stage {
    fn new() -> Self {
        Self { tree: Tree::new(), log: Log::default(), buffer: Buffer::empty(Rect::new(0, 0, 6, 4)) }
    }

    fn add(&mut self, parent: Option<NodeId>, layer: u8, letter: char, area: Rect) -> NodeId {
        let id = self.tree.add(parent, layer, Box::new(Letter(letter, Rc::clone(&self.log))));
        self.tree.set_area(id, area);
        id
    }

    /// Draws and returns what was drawn and which rows changed.
    fn draw(&mut self) -> String {
        self.log.borrow_mut().clear();
        let drawn =
            self.tree.draw(&mut self.buffer, &mut Links::default(), &Theme::builtin(), ColorDepth::True, &());
        let mut rows = RowRanges::default();
        for rect in &drawn {
            rows.add(rect.top()..rect.bottom());
        }
        let rows: Vec<_> = rows.ranges().iter().map(|r| format!("{}-{}", r.start, r.end)).collect();
        format!("{} | {}", self.log.borrow().join(" "), rows.join(" "))
    }

    fn picture(&self) -> String {
        let row = |y| (0..6).map(|x| self.buffer[(x, y)].symbol()).collect::<String>();
        (0..4).map(row).collect::<Vec<_>>().join("/")
    }
}

const FULL: Rect = Rect::new(0, 0, 6, 4);
const MIDDLE: Rect = Rect::new(2, 1, 2, 2);

#[test]
fn tree_draws_only_damaged_components() {
    let mut stage = Stage::new();
    let a = stage.add(None, 0, 'a', Rect::new(0, 0, 3, 4));
    let b = stage.add(None, 0, 'b', Rect::new(3, 0, 3, 4));
    assert_eq!(stage.draw(), "a0-4 b0-4 | 0-4");
    assert!(!stage.tree.is_damaged());
    assert_eq!(stage.draw(), " | ");
    stage.tree.damage_rows(b, 2..3);
    stage.tree.damage_rows(b, 0..1);
    assert_eq!(stage.draw(), "b0-1 b2-3 | 0-1 2-3");
    stage.tree.set_area(a, Rect::new(0, 0, 3, 4));
    assert!(!stage.tree.is_damaged());
}

#[test]
fn tree_redraws_overlapping_upper_components() {
    let mut stage = Stage::new();
    let over = stage.add(None, 1, 'o', MIDDLE);
    let under = stage.add(None, 0, 'u', FULL);
    stage.draw();
    assert_eq!(stage.picture(), "uuuuuu/uuoouu/uuoouu/uuuuuu");
    stage.tree.damage_rows(under, 1..2);
    assert_eq!(stage.draw(), "u1-2 o0-1 | 1-2");
    stage.tree.damage(over);
    assert_eq!(stage.draw(), "o0-2 | 1-3");
    stage.tree.damage_rows(under, 0..1);
    assert_eq!(stage.draw(), "u0-1 | 0-1");
}

#[test]
fn tree_uncovered_area_is_redrawn() {
    let mut stage = Stage::new();
    stage.add(None, 0, 'u', FULL);
    let over = stage.add(None, 1, 'o', MIDDLE);
    stage.draw();
    stage.tree.set_area(over, Rect::new(0, 0, 2, 1));
    assert_eq!(stage.draw(), "u1-3 o0-1 | 0-3");
    assert_eq!(stage.picture(), "oouuuu/uuuuuu/uuuuuu/uuuuuu");
    stage.tree.hide(over);
    assert_eq!(stage.draw(), "u0-1 | 0-1");
    assert_eq!(stage.tree.area(over), None);
    stage.tree.set_area(over, MIDDLE);
    stage.draw();
    stage.tree.remove(over);
    assert_eq!(stage.draw(), "u1-3 | 1-3");
    assert_eq!(stage.picture(), "uuuuuu/uuuuuu/uuuuuu/uuuuuu");
}

#[test]
fn tree_removed_component_leaves_blanks() {
    let mut stage = Stage::new();
    let only = stage.add(None, 0, 'a', MIDDLE);
    stage.draw();
    stage.tree.remove(only);
    assert_eq!(stage.draw(), " | 1-3");
    assert_eq!(stage.picture(), "      /      /      /      ");
    stage.tree.damage(only);
    stage.tree.set_area(only, FULL);
    assert!(!stage.tree.is_damaged());
}

#[test]
fn tree_children_are_hidden_with_parent() {
    let mut stage = Stage::new();
    stage.add(None, 0, 'u', FULL);
    let parent = stage.add(None, 1, 'p', MIDDLE);
    let child = stage.add(Some(parent), 1, 'c', Rect::new(4, 3, 1, 1));
    stage.draw();
    stage.tree.hide(parent);
    assert_eq!((stage.tree.area(child), stage.draw().as_str()), (None, "u1-4 | 1-4"));
    stage.tree.set_area(parent, MIDDLE);
    assert_eq!(stage.draw(), "p0-2 c0-1 | 1-4");
    stage.tree.remove(parent);
    stage.draw();
    assert_eq!(stage.picture(), "uuuuuu/uuuuuu/uuuuuu/uuuuuu");
}

#[test]
fn tree_focus_falls_back_to_previous() {
    let mut stage = Stage::new();
    let pane = stage.add(None, 0, 'p', FULL);
    let dialog = stage.add(None, 1, 'd', MIDDLE);
    let field = stage.add(Some(dialog), 1, 'f', Rect::new(2, 1, 2, 1));
    stage.tree.focus(pane);
    stage.tree.push_focus(field);
    assert_eq!(stage.tree.focus_path(), [field, dialog]);
    assert_eq!(stage.tree.cursor(&()), Some((3, 1)));
    stage.tree.hide(dialog);
    assert_eq!(stage.tree.focused(), Some(pane));
    stage.tree.set_area(dialog, MIDDLE);
    stage.tree.push_focus(field);
    stage.tree.pop_focus();
    assert_eq!(stage.tree.focused(), Some(pane));
    stage.tree.push_focus(field);
    stage.tree.remove(dialog);
    assert_eq!((stage.tree.focused(), stage.tree.cursor(&())), (Some(pane), Some((5, 0))));
}

#[test]
fn tree_covered_cursor_is_hidden() {
    let mut stage = Stage::new();
    let pane = stage.add(None, 0, 'p', FULL);
    stage.tree.focus(pane);
    assert_eq!(stage.tree.cursor(&()), Some((5, 0)));
    stage.add(None, 1, 'o', Rect::new(5, 0, 1, 1));
    assert_eq!(stage.tree.cursor(&()), None);
}

#[test]
fn tree_hit_finds_topmost() {
    let mut stage = Stage::new();
    let under = stage.add(None, 0, 'u', FULL);
    let over = stage.add(None, 1, 'o', MIDDLE);
    assert_eq!(stage.tree.hit(2, 1), Some(over));
    assert_eq!(stage.tree.hit(1, 1), Some(under));
    assert_eq!(stage.tree.hit(9, 9), None);
    stage.tree.hide(over);
    assert_eq!(stage.tree.hit(2, 1), Some(under));
}

#[test]
fn tree_damage_ranges_are_merged() {
    let mut rows = RowRanges::default();
    for y in (0..40).step_by(4) {
        rows.add(y..y + 1);
    }
    assert!(rows.ranges().len() <= RANGES_MAX);
    for y in (0..40).step_by(4) {
        assert!(rows.ranges().iter().any(|range| range.contains(&y)), "{y}");
    }
}

/// A change of the tree; numbers choose a component.
#[derive(Debug, Clone)]
enum Step {
    Place(usize, Rect),
    Hide(usize),
    Remove(usize),
    Damage(usize, u16),
    Focus(usize),
    Draw,
}

fn step() -> impl Strategy<Value = Step> {
    let rect = (0..7u16, 0..5u16, 0..6u16, 0..4u16).prop_map(|(x, y, w, h)| Rect::new(x, y, w, h));
    prop_oneof![
        4 => (0..5usize, rect).prop_map(|(node, rect)| Step::Place(node, rect)),
        2 => (0..5usize).prop_map(Step::Hide),
        1 => (0..5usize).prop_map(Step::Remove),
        2 => (0..5usize, 0..4u16).prop_map(|(node, row)| Step::Damage(node, row)),
        1 => (0..5usize).prop_map(Step::Focus),
        3 => Just(Step::Draw),
    ]
}

proptest! {
    #![proptest_config(crate::base::seeds::cases(256))]

    #[test]
    fn tree_damage_drawing_equals_full_drawing(steps in prop::collection::vec(step(), 1..30)) {
        let mut stage = Stage::new();
        let nodes: Vec<_> = [(0, 'a'), (0, '漢'), (1, 'b'), (1, '字'), (2, 'c')]
            .map(|(layer, letter)| stage.add(None, layer, letter, Rect::new(0, 0, 1, 1)))
            .to_vec();
        stage.tree.damage_all();
        for step in steps {
            match step {
                Step::Place(node, rect) => stage.tree.set_area(nodes[node], rect),
                Step::Hide(node) => stage.tree.hide(nodes[node]),
                Step::Remove(node) => stage.tree.remove(nodes[node]),
                Step::Damage(node, row) => stage.tree.damage_rows(nodes[node], row..row + 1),
                Step::Focus(node) => stage.tree.push_focus(nodes[node]),
                Step::Draw => {
                    stage.draw();
                    prop_assert!(!stage.tree.is_damaged());
                }
            }
        }
        stage.draw();
        let grown = std::mem::replace(&mut stage.buffer, Buffer::empty(FULL));
        stage.tree.damage_all();
        stage.draw();
        prop_assert_eq!(grown, stage.buffer);
    }
}
