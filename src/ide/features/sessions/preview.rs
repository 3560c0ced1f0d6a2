//! The turn of the selected row of the session tree: what was said, as Markdown, and the lines that it changed. Beside the
//! rows where that is wide, else below them where that is high. Must not know how rows are drawn.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::base::plural::pluralize;
use crate::base::width::{truncate, visible};
use crate::ide::features::sessions::draw::Look;
use crate::ide::features::sessions::view::SessionView;
use crate::ide::model::age::ago;
use crate::session::derived::outline::turn::Turn;
use crate::tui::canvas::Canvas;
use crate::tui::widgets::markdown;

/// From this width on the turn is beside the rows.
const WIDE: u16 = 90;
/// From this width and height on it is below them, in this part of the height.
const BELOW_FROM: (u16, u16) = (50, 16);
const BELOW_PART: u16 = 3;
/// From this width on the changed lines of a turn below the rows are beside what was said.
const SIDE_BY_SIDE: u16 = 70;

/// Where the rows are, and where the turn of the selected one is.
#[derive(Debug, PartialEq, Eq)]
pub struct Split {
    /// The rows.
    pub list: Rect,
    /// The turn, if there is room for it.
    pub turn: Option<Rect>,
}

/// Divides a size between the rows and the turn, with a line between them.
pub fn split((cols, rows): (u16, u16), is_accessible: bool) -> Split {
    let all = Rect::new(0, 0, cols, rows);
    if is_accessible {
        return Split { list: all, turn: None };
    }
    if cols >= WIDE {
        let list = cols * 3 / 5;
        let turn = Rect::new(list + 2, 0, cols - list - 2, rows);
        return Split { list: Rect { width: list, ..all }, turn: Some(turn) };
    }
    if cols >= BELOW_FROM.0 && rows >= BELOW_FROM.1 {
        let below = rows / BELOW_PART;
        let turn = Rect::new(1, rows - below, cols - 2, below);
        return Split { list: Rect { height: rows - below - 1, ..all }, turn: Some(turn) };
    }
    Split { list: all, turn: None }
}

/// Draws the line between both, and the turn once it is known.
pub fn draw(inside: &mut Canvas<'_>, split: &Split, view: &SessionView, look: &Look) {
    let (cols, rows) = inside.size();
    let Some(area) = split.turn else { return };
    let is_below = split.list.height < rows;
    if is_below {
        inside.text(0, split.list.height, &"─".repeat(usize::from(cols)), look.border);
    } else {
        for y in 0..rows {
            inside.text(split.list.width, y, "│", look.border);
        }
    }
    if let Some(turn) = view.turn.as_ref().filter(|_| view.selected_row().is_some()) {
        draw_turn(&mut inside.sub(area), turn, (view.now_ms, is_below), look);
    }
}

/// Draws a turn: its numbers, in one line if it is below the rows, what was said, and the changes.
fn draw_turn(side: &mut Canvas<'_>, turn: &Turn, (now_ms, is_below): (u64, bool), look: &Look) {
    let (cols, rows) = side.size();
    let head = format!("turn {} · {}", turn.number, ago(now_ms, turn.time_ms));
    let mut spent: Vec<String> = turn.models.iter().map(|model| visible(model).into_owned()).collect();
    if turn.usage.cost > 0.0 {
        spent.push(format!("${:.2}", turn.usage.cost));
    }
    if turn.calls > 0 {
        spent.push(pluralize(turn.calls, "tool call", "tool calls"));
    }
    let spent = spent.join(" · ");
    let end = side.text(0, 0, &truncate(&head, usize::from(cols)), look.title);
    let (x, y) = if is_below { (end + 2, 0) } else { (0, 1) };
    if !spent.is_empty() {
        side.text(x, y, &truncate(&spent, usize::from(cols.saturating_sub(x))), look.soft);
    }
    let head = if is_below || spent.is_empty() { 1 } else { 2 };
    let rows = rows.saturating_sub(head);
    let has_changes = !turn.files.is_empty();
    if is_below && has_changes && cols >= SIDE_BY_SIDE {
        let half = cols / 2;
        draw_said(&mut side.sub(Rect::new(0, head, half - 1, rows)), (turn, 0), look);
        return draw_changes(&mut side.sub(Rect::new(half + 1, head, cols - half - 1, rows)), turn, look);
    }
    let changed = match (has_changes, is_below) {
        (false, _) => 0,
        (true, false) => (rows + head) / 3,
        (true, true) => rows / 2,
    };
    let said = rows.saturating_sub(changed);
    draw_said(&mut side.sub(Rect::new(0, head, cols, said)), (turn, u16::from(!is_below)), look);
    draw_changes(&mut side.sub(Rect::new(0, head + said, cols, changed)), turn, look);
}

/// Draws the message and the answer as Markdown, at most half the rows for the message, with so many empty rows before
/// each.
fn draw_said(side: &mut Canvas<'_>, (turn, gap): (&Turn, u16), look: &Look) {
    let (cols, rows) = side.size();
    let until = if turn.answer.is_empty() { rows } else { rows / 2 };
    let texts = [(&turn.text, until), (&turn.answer, rows)];
    let mut y = 0;
    for (text, until) in texts {
        y += gap;
        for line in markdown::layout::prose(text, cols) {
            if y >= until.min(rows) {
                break;
            }
            let mut x = 0;
            for span in line {
                let style = side.style(span.scope);
                // Scopes of the conversation have the background of its pane.
                let style = Style { bg: look.ground.bg, ..style };
                x = side.text(x, y, &visible(&span.text), style);
            }
            y += 1;
        }
    }
}

/// Draws the changed files, each with the lines that its calls changed.
fn draw_changes(side: &mut Canvas<'_>, turn: &Turn, look: &Look) {
    let (cols, rows) = side.size();
    let mut y = 0;
    for file in &turn.files {
        if y >= rows {
            return;
        }
        let path = visible(&file.path).into_owned();
        let head = format!("{path}  −{} +{}", file.removed, file.added);
        side.text(0, y, &truncate(&head, usize::from(cols)), look.title);
        y += 1;
        for line in file.diff.lines() {
            if y >= rows {
                return;
            }
            let style = match line.as_bytes().first() {
                Some(b'+') => side.style("diff.added"),
                Some(b'-') => side.style("diff.removed"),
                _ => look.soft,
            };
            if matches!(line.as_bytes().first(), Some(b'+' | b'-')) {
                side.fill(Rect::new(0, y, cols, 1), style);
            }
            let line = visible(&line.replace('\t', "    ")).into_owned();
            side.text(0, y, &truncate(&line, usize::from(cols)), style);
            y += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tree_preview_is_beside_rows_else_below_them_where_it_fits() {
        let heights = |size| {
            let split = split(size, false);
            (split.list.width, split.list.height, split.turn.map(|turn| (turn.x, turn.y, turn.height)))
        };
        assert_eq!(heights((118, 21)), (70, 21, Some((72, 0, 21))));
        assert_eq!(heights((78, 20)), (78, 13, Some((1, 14, 6))));
        assert_eq!(heights((38, 9)), (38, 9, None));
        assert_eq!(heights((48, 60)), (48, 60, None));
        assert_eq!(split((118, 21), true).turn, None);
    }
}
