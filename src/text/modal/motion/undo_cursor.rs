//! Cursor position after undo and redo: where it was before the step, if the lines there changed, else the
//! first changed line; and the mapping of other lines. Must not know the history.

use crate::text::changes::{ChangeSet, Edit};
use crate::text::modal::motion::modal_text::ModalText;
use crate::text::position::{Byte, Column, Line};
use crate::text::rope::Text;

/// The cursor before the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CursorBefore {
    line: usize,
    /// Bytes from the start of the line.
    offset: usize,
}

impl CursorBefore {
    /// Takes it from a position in the text before the step.
    pub fn of(page: ModalText<'_>, at: Byte) -> Self {
        let at = at.min(page.last());
        Self { line: page.line(at).0, offset: at - page.start_of(at) }
    }
}

/// Lines replaced by a change.
struct ReplacedLines {
    /// Number of lines above them.
    top: usize,
    /// Number of old lines.
    old: usize,
    /// Number of new lines.
    new: usize,
}

impl ReplacedLines {
    fn of(edit: &Edit<'_>, before: &Text, after: &Text) -> Self {
        let first = after.line_of(edit.new.start);
        let breaks =
            |text: &Text, span: &std::ops::Range<Byte>| text.line_of(span.end).0 - text.line_of(span.start).0;
        let (old, new) = (breaks(before, &edit.old), breaks(after, &edit.new));
        let starts = |text: &Text, at: Byte| text.line_start(text.line_of(at)) == at;
        let ends = |text: &Text, at: Byte| text.line_end(text.line_of(at)) == at;
        if starts(after, edit.new.start) && starts(before, edit.old.end) && starts(after, edit.new.end) {
            return Self { top: first.0, old, new };
        }
        // A range that starts at the end of a line affects the lines after it.
        let behind = |text: &Text, span: &std::ops::Range<Byte>| {
            span.is_empty() || text.byte_at(span.start) == Some(b'\n') && ends(text, span.end)
        };
        if ends(after, edit.new.start) && behind(before, &edit.old) && behind(after, &edit.new) {
            return Self { top: first.0 + 1, old, new };
        }
        Self { top: first.0, old: old + 1, new: new + 1 }
    }

    /// Returns the first differing line.
    fn differing(&self, before: &Text, after: &Text) -> Option<usize> {
        let shared = self.old.min(self.new);
        let line = |n| Line(self.top + n);
        (0..shared)
            .find(|n| before.line(line(*n)) != after.line(line(*n)))
            .or((shared < self.new).then_some(shared))
    }
}

/// Maps a line of the text `before`; `None` if the step changed the number of lines there.
pub fn map_line(before: &Text, after: &Text, changes: &ChangeSet, line: Line) -> Option<Line> {
    let mut moved = line.0;
    for edit in changes.edits() {
        let ReplacedLines { top, old, new } = ReplacedLines::of(&edit, before, after);
        // `top` counts lines of the text after the preceding edits.
        if moved >= top + old {
            moved = moved + new - old;
        } else if moved >= top && old != new {
            return None;
        }
    }
    Some(Line(moved))
}

/// Returns the cursor's position in the text after `changes`; `before` is the text without them. `goal` is
/// the goal column for another line.
pub fn cursor_after(
    page: ModalText<'_>,
    before: &Text,
    changes: &ChangeSet,
    was: CursorBefore,
    goal: Column,
) -> Byte {
    let after = page.text;
    let mut top: Option<usize> = None;
    let mut line = None;
    let edits: Vec<ReplacedLines> =
        changes.edits().map(|edit| ReplacedLines::of(&edit, before, after)).collect();
    for (left, lines) in edits.iter().enumerate().rev() {
        if top.is_some_and(|top| lines.top >= top) {
            continue;
        }
        if lines.top <= was.line + 1 && was.line <= lines.top + lines.new {
            top = Some(was.line);
            line = Some(was.line);
        } else if let Some(n) = lines.differing(before, after) {
            top = Some(lines.top + n);
            line = top;
        } else if top.is_none() && left == 0 {
            top = Some(lines.top);
            line = top;
        }
    }
    let mut line = line.unwrap_or(was.line);
    // A line directly below was an opened line.
    if was.line + 1 == line {
        line -= 1;
    }
    if line > page.last_line().0 {
        return page.start(page.last_line());
    }
    if line == was.line {
        return page.cursor_position((page.start(Line(line)) + was.offset).min(page.end(Line(line))));
    }
    page.at(Line(line), goal)
}
