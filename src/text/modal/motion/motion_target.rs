//! Landing of a motion, and the extent for operators. Must not know motions.

use crate::text::position::{Byte, Column};

/// What an operator covers between two positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The range without its end.
    Exclusive,
    /// The same, even if that is only the end of a line.
    Exact,
    /// The range including the character at its end.
    Inclusive,
    /// Whole lines.
    Lines,
}

/// The result of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MotionTarget {
    /// The target position.
    pub to: Byte,
    /// The extent for an operator.
    pub extent: Extent,
    /// The goal column for following vertical motions; the target's own when `None`.
    pub goal: Option<Column>,
    /// The start of the range, if it is not the cursor: text objects.
    pub from: Option<Byte>,
    /// Whether the motion could not be completed: the cursor moves as far as possible, but an operator does
    /// nothing, and a replay ends.
    pub is_partial: bool,
}

impl MotionTarget {
    /// Creates a landing without a goal column.
    pub fn new(to: Byte, extent: Extent) -> Self {
        Self { to, extent, goal: None, from: None, is_partial: false }
    }

    /// Creates the landing of a text object.
    pub fn object(from: Byte, to: Byte, extent: Extent) -> Self {
        Self { to, extent, goal: None, from: Some(from), is_partial: false }
    }

    /// Marks it as incomplete if `fails`.
    #[must_use]
    pub fn partial(self, fails: bool) -> Self {
        Self { is_partial: fails, ..self }
    }

    /// Sets the goal column.
    #[must_use]
    pub fn with_goal(self, goal: Column) -> Self {
        Self { goal: Some(goal), ..self }
    }
}
