//! Clicks in a text: which press of a mouse button is a second or third one, and what that selects. Must not
//! know which text is clicked.

use std::time::Duration;

use crate::text::movement::motion;
use crate::text::position::{Byte, Line};
use crate::text::rope::Text;
use crate::text::selection::Range;

/// Maximum time between the clicks of a double or triple click at one position.
const MULTI_CLICK: Duration = Duration::from_millis(400);

/// Returns the number of a click, from 1 to 3: that after `last`, a time and a number, if it was at the same
/// position.
pub fn next_click(last: Option<(Duration, u8)>, now: Duration) -> u8 {
    match last {
        Some((before, n)) if now.saturating_sub(before) <= MULTI_CLICK => n % 3 + 1,
        _ => 1,
    }
}

/// Returns the selection of one, two or three clicks.
pub fn range_for_clicks(text: &Text, at: Byte, line: Line, clicks: u8) -> Range {
    match clicks {
        2 => motion::word_around(text, at),
        3 => Range::new(text.line_start(line), text.line_start(Line(line.0 + 1))),
        _ => Range::cursor(at),
    }
}

/// Returns the selection from the range of a press to the range where the mouse is.
pub fn dragged(from: Range, here: Range) -> Range {
    if here.start() < from.start() {
        Range::new(from.end(), here.start())
    } else {
        Range::new(from.start(), here.end().max(from.start()))
    }
}
