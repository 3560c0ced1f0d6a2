//! Where a motion comes to, and what an operator takes of the way there. Must not know motions.

use crate::text::position::{Byte, Column};

/// What an operator takes of the way between two places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The way without its end.
    Exclusive,
    /// The same, even where that is the end of a line alone.
    Exact,
    /// The way with the character at its end.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// Where a motion comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MotionTarget {
    /// The place.
    pub to: Byte,
    /// What an operator takes.
    pub extent: Extent,
    /// The column that vertical motions aim at from there; the place's own when `None`.
    pub goal: Option<Column>,
    /// Where the way begins, when not at the cursor: text objects.
    pub from: Option<Byte>,
    /// Whether it is only as far as one could come: the cursor goes there, but an operator does nothing, and a
    /// replay ends.
    pub is_partial: bool,
}

impl MotionTarget {
    /// A landing without a column of its own.
    pub fn new(to: Byte, extent: Extent) -> Self {
        Self { to, extent, goal: None, from: None, is_partial: false }
    }

    /// A thing from one place to another.
    pub fn object(from: Byte, to: Byte, extent: Extent) -> Self {
        Self { to, extent, goal: None, from: Some(from), is_partial: false }
    }

    /// The same, which is only as far as one could come.
    #[must_use]
    pub fn partial(self, fails: bool) -> Self {
        Self { is_partial: fails, ..self }
    }

    /// The same, aiming at a column.
    #[must_use]
    pub fn with_goal(self, goal: Column) -> Self {
        Self { goal: Some(goal), ..self }
    }
}
