//! What the keys of the session tree do for the selected row, in words. Must not know how they do it.

use crate::base::width::text_width;
use crate::ide::core::keys::keymap::{KeyContext, Keymap};
use crate::ide::features::sessions::view::SessionView;
use crate::session::derived::outline::Row;

/// Below this height inside the frame there is no room for the words.
const ROWS_MIN: u16 = 8;
/// From this width on they take one line, else two.
const ONE_LINE: u16 = 74;

/// The point of the conversation and of the files that a row stands for. All keys on the row mean this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// Before a message of the user, which goes into the prompt.
    BeforeMessage,
    /// After an answer.
    AfterAnswer,
    /// After any other entry.
    AfterEntry,
}

impl Point {
    /// Returns the point of a row.
    pub fn of(row: &Row) -> Self {
        match row {
            row if row.is_user() => Self::BeforeMessage,
            row if row.is_answer() => Self::AfterAnswer,
            _ => Self::AfterEntry,
        }
    }

    /// Returns the words for it.
    fn words(self) -> &'static str {
        match self {
            Self::BeforeMessage => "Before this message",
            Self::AfterAnswer => "After this answer",
            Self::AfterEntry => "After this entry",
        }
    }

    /// Returns what Enter does there.
    pub fn enter(self) -> &'static str {
        if self == Self::BeforeMessage { "edit it" } else { "continue" }
    }
}

/// Returns the number of lines that are kept for the words inside a frame of this size.
pub fn height((cols, rows): (u16, u16)) -> u16 {
    match (cols >= ONE_LINE, rows >= ROWS_MIN) {
        (_, false) => 0,
        (true, true) => 1,
        (false, true) => 2,
    }
}

/// Returns the lines about the selected row inside a frame of this size: none where there is no room, or no row.
pub fn lines(view: &SessionView, keymap: &Keymap, size: (u16, u16)) -> Vec<String> {
    let room = (size.0, height(size));
    let Some(row) = view.selected_row().filter(|_| room.1 > 0) else { return Vec::new() };
    let key = |id: &str| keymap.keys_for(KeyContext::SessionTree, id);
    let with = |id: &str, words: &str| Some(format!("{} {words}", key(id)?));
    if view.is_hidden(row) {
        return wrap([with("list.accept", "show it")].into_iter().flatten(), "Hidden branch", room);
    }
    let point = Point::of(row);
    let mut parts = match (point, key("list.accept"), key("session.branch")) {
        (Point::BeforeMessage, ..) => {
            vec![with("list.accept", point.enter()), with("session.branch", "branch")]
        }
        (_, Some(enter), Some(branch)) => vec![Some(format!("{enter}, {branch} {}", point.enter()))],
        _ => vec![with("list.accept", point.enter())],
    };
    match view.has_state(row) {
        Some(false) => parts.push(Some("no file state recorded".to_string())),
        _ => parts
            .extend([with("session.restore-code", "restore files"), with("session.restore-both", "both")]),
    }
    wrap(parts.into_iter().flatten(), point.words(), room)
}

/// Returns lines that begin with the words and name the parts; what does not fit is left out.
fn wrap(parts: impl Iterator<Item = String>, words: &str, (cols, height): (u16, u16)) -> Vec<String> {
    let room = usize::from(cols).saturating_sub(2);
    let mut lines = vec![format!("{words}:")];
    for (at, part) in parts.enumerate() {
        let count = lines.len();
        let Some(line) = lines.last_mut() else { break };
        let gap = if at == 0 { " " } else { ", " };
        if text_width(line) + gap.len() + text_width(&part) <= room {
            line.push_str(&format!("{gap}{part}"));
        } else if count == usize::from(height) || text_width(&part) + 2 > room {
            break;
        } else {
            lines.push(format!("  {part}"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_hint_is_wrapped_and_leaves_out_what_does_not_fit() {
        let parts =
            || ["Enter edit it", "n branch", "c restore files", "b both"].map(String::from).into_iter();
        let words = "Before this message";
        assert_eq!(
            wrap(parts(), words, (78, 1)),
            ["Before this message: Enter edit it, n branch, c restore files, b both"]
        );
        let narrow = ["Before this message: Enter edit it", "  n branch, c restore files, b both"];
        assert_eq!(wrap(parts(), words, (38, 2)), narrow);
        assert_eq!(wrap(parts(), words, (34, 2)), ["Before this message:", "  Enter edit it, n branch"]);
    }

    #[test]
    fn tree_hint_has_no_line_in_a_low_window() {
        assert_eq!([(78, 21), (38, 9), (38, 7), (0, 0)].map(height), [1, 2, 0, 0]);
    }
}
