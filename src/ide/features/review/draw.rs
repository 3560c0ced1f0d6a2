//! Draws the review: the files at the left, the hunks of the selected one at the right; in a narrow window one of the
//! two.

use ratatui::layout::Rect;

use crate::base::plural::pluralize;
use crate::base::width::{text_width, truncate, visible};
use crate::ide::core::keys::keymap::KeyContext;
use crate::ide::core::layers::frame;
use crate::ide::core::state::State;
use crate::ide::features::diff;
use crate::ide::features::review::file::{Body, ReviewedFile};
use crate::ide::features::review::state::{Decision, REVIEW, Review};
use crate::ide::features::review::view::{Column, ReviewView, both_columns_from};
use crate::runtime::restore::changes::ChangeScope;
use crate::tui::canvas::Canvas;

/// Minimum and maximum columns of the list beside the hunks.
const LIST: (u16, u16) = (18, 36);
/// Number of files from which the list has all its columns: the widest name is not looked for.
const MANY_FILES: usize = 200;
/// Columns of a row of the list beside name and counts.
const LIST_MARKS: usize = 6;
/// Columns for the marks before a row of a hunk.
const MARKS: u16 = 2;

/// Keys in the footer of the list and of the hunks, with short descriptions.
const FILE_KEYS: &[(&str, &str)] = &[
    ("list.accept", "hunks"),
    ("review.accept-file", "accept file"),
    ("review.reject-file", "reject file"),
    ("review.next-hunk", "next hunk"),
    ("review.previous-hunk", "previous"),
    ("review.undo", "undo"),
    ("review.send", "send"),
    ("app.escape", "close"),
    ("review.widen-scope", "further back"),
    ("review.narrow-scope", "less"),
];
const HUNK_KEYS: &[(&str, &str)] = &[
    ("review.accept-hunk", "accept"),
    ("review.reject-hunk", "reject"),
    ("review.comment-hunk", "comment"),
    ("review.next-hunk", "next"),
    ("review.previous-hunk", "previous"),
    ("review.undo", "undo"),
    ("review.edit-hunk", "edit"),
    ("review.toggle-sides", "sides"),
    ("review.send", "send"),
    ("app.escape", "files"),
];

/// Returns its area: everything but the status line.
pub fn view_area((cols, rows): (u16, u16)) -> Rect {
    Rect::new(0, 0, cols, rows - u16::from(rows > 4))
}

/// Returns whether the list and the hunks have room beside each other on a screen of this size, of which `wide` columns
/// are needed.
pub fn has_both_columns(size: (u16, u16), wide: u16) -> bool {
    let area = view_area(size);
    let framed = area.width >= 4 && area.height >= 3;
    area.width - if framed { 2 } else { 0 } >= wide
}

/// Returns the areas of the list and of the hunks in an inner area, unless a column has no room.
fn columns((cols, rows): (u16, u16), wide: u16, column: Column, list: u16) -> (Option<Rect>, Option<Rect>) {
    let whole = Rect::new(0, 0, cols, rows);
    match column {
        _ if cols >= wide => {
            let hunks = Rect::new(list + 1, 0, cols - list - 1, rows);
            (Some(Rect::new(0, 0, list, rows)), Some(hunks))
        }
        Column::Files => (Some(whole), None),
        Column::Hunks => (None, Some(whole)),
    }
}

/// Returns the columns of the list beside the hunks: what its names need, within limits.
pub fn list_cols(review: &Review) -> u16 {
    if review.files.len() > MANY_FILES {
        return LIST.1;
    }
    let width = |file: &ReviewedFile| {
        let name = visible(&file.name.to_string()).into_owned();
        text_width(&name) + text_width(&note(review, file)) + LIST_MARKS
    };
    let widest = review.files.iter().map(width).max().unwrap_or(0);
    widest.clamp(LIST.0.into(), LIST.1.into()) as u16
}

/// Returns the columns and rows for the rows of the texts, beside a list of that many columns in a screen of `wide`
/// columns.
pub fn hunk_area(size: (u16, u16), wide: u16, column: Column, list: u16) -> (u16, u16) {
    let area = view_area(size);
    let framed = area.width >= 4 && area.height >= 3;
    let inner = if framed { (area.width - 2, area.height - 2) } else { (area.width, area.height) };
    let hunks = columns(inner, wide, column, list).1.unwrap_or(Rect::new(0, 0, inner.0, inner.1));
    (hunks.width.saturating_sub(MARKS), hunks.height.saturating_sub(header_rows(hunks.height)).max(1))
}

/// Rows above the texts: file and hunk, and a comment.
fn header_rows(rows: u16) -> u16 {
    match rows {
        0..4 => 0,
        4..8 => 1,
        _ => 2,
    }
}

fn scope_name(scope: ChangeScope) -> &'static str {
    match scope {
        ChangeScope::LastMessage => "since the last message",
        ChangeScope::Turn => "this turn",
        ChangeScope::Branch => "this branch",
        ChangeScope::Session => "the session",
    }
}

/// Draws the review.
pub fn draw(canvas: &mut Canvas<'_>, view: &ReviewView, state: &State) {
    let review = &state.slots[REVIEW];
    let scope = review.chosen.or(review.found).map_or("", scope_name);
    let title = format!("Review: {scope}");
    let to_send = review.remarks.len();
    let rejected = review.remarks.iter().filter(|(_, remark)| remark.is_rejected).count();
    let commented = review.remarks.iter().filter(|(_, remark)| remark.comment.is_some()).count();
    let mut right = review.totals().text();
    if to_send > 0 {
        let counts =
            [(rejected, "rejected"), (commented, "commented")].into_iter().filter(|(count, _)| *count > 0);
        let counts = counts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ");
        right = format!("to send: {counts} · {right}");
    }
    let keys = if view.column == Column::Files { FILE_KEYS } else { HUNK_KEYS };
    let key = |(id, name): &(&str, &str)| {
        let name = match *id {
            "review.send" if to_send == 0 => return None,
            "app.escape" if view.column == Column::Files && to_send > 0 => "close and send",
            _ => name,
        };
        Some(format!("{} {name}", state.keymap.keys_for(KeyContext::Review, id)?))
    };
    let footer = keys.iter().filter_map(key).collect::<Vec<_>>().join("  ");
    let inner = frame::draw(canvas, &title, &right, &footer);
    let mut inside = canvas.sub(inner);
    if view.is_loading {
        let soft = inside.style("ui.overlay.soft");
        inside.text(1, 0, "Comparing files…", soft);
        return;
    }
    if review.files.is_empty() {
        let soft = inside.style("ui.overlay.soft");
        let key = |id| state.keymap.keys_for(KeyContext::Review, id).unwrap_or_default();
        let wider = format!("Nothing to review here. {} looks further back", key("review.widen-scope"));
        inside.text(1, 0, &wider, soft);
        if to_send > 0 {
            let send = format!(
                "Not sent yet: {}. {} sends now",
                pluralize(to_send, "rejection or comment", "rejections and comments"),
                key("review.send")
            );
            inside.text(1, 2, &send, soft);
        }
        return;
    }
    let (list, hunks) = columns(inside.size(), both_columns_from(state), view.column, list_cols(review));
    if let (Some(_), Some(hunks)) = (list, hunks) {
        let line = inside.style("ui.overlay.border");
        (0..hunks.height).for_each(|y| {
            inside.text(hunks.x - 1, y, "│", line);
        });
    }
    if let Some(area) = list {
        draw_files(&mut inside.sub(area), view, review);
    }
    if let Some(area) = hunks {
        draw_hunks(&mut inside.sub(area), view, state);
    }
}

/// Returns the note after a file's path: what is left to decide.
fn note(review: &Review, file: &ReviewedFile) -> String {
    if file.is_outdated {
        return "outdated".to_string();
    }
    if !review.is_open(file) {
        return "✓".to_string();
    }
    let (added, removed) = file.counts(|key| review.decision(&file.name, key) == Decision::Open);
    if added + removed == 0 { String::new() } else { format!("+{added} −{removed}") }
}

fn draw_files(canvas: &mut Canvas<'_>, view: &ReviewView, review: &Review) {
    let (cols, rows) = canvas.size();
    let page = usize::from(rows.max(1));
    let first = (view.selected / page * page).min(review.files.len().saturating_sub(page));
    let (soft, plain) = (canvas.style("ui.overlay.soft"), canvas.style("ui.overlay"));
    for (n, file) in review.files.iter().enumerate().skip(first).take(page) {
        let y = (n - first) as u16;
        let letter = match file.letter {
            'A' => canvas.style("diff.plus"),
            'D' => canvas.style("diff.minus"),
            _ => canvas.style("diff.delta"),
        };
        canvas.text(1, y, &file.letter.to_string(), plain.patch(letter));
        let note = note(review, file);
        let width = text_width(&note) as u16;
        let name = visible(&file.name.to_string()).into_owned();
        canvas.text(3, y, &shorten(&name, usize::from(cols.saturating_sub(width + 5))), plain);
        canvas.text(cols.saturating_sub(width + 1), y, &note, soft);
        if n == view.selected {
            let is_focused = view.column == Column::Files;
            let style = canvas.style(if is_focused { "ui.row" } else { "ui.row.soft" });
            if is_focused {
                canvas.select_row(Rect::new(0, y, cols, 1), style);
            } else {
                canvas.put_style(Rect::new(0, y, cols, 1), style);
            }
        }
    }
}

/// Returns a path with its start cut, so that the file's name stays visible.
fn shorten(path: &str, cols: usize) -> String {
    if text_width(path) <= cols {
        return path.to_string();
    }
    let from = path.char_indices().map(|(at, _)| at).find(|at| text_width(&path[*at..]) < cols);
    truncate(&format!("…{}", from.map_or("", |at| &path[at..])), cols).into()
}

fn draw_hunks(canvas: &mut Canvas<'_>, view: &ReviewView, state: &State) {
    let review = &state.slots[REVIEW];
    let Some(file) = view.file(review) else { return };
    let (cols, rows) = canvas.size();
    let header = header_rows(rows);
    draw_header(canvas, view, review, header);
    let mut part = canvas.sub(Rect::new(0, header, cols, rows - header));
    let soft = part.style("ui.overlay.soft");
    if let Body::Other(reason) = &file.body {
        part.text(1, 0, reason, soft);
        return;
    }
    let (cols, rows) = part.size();
    let texts = cols.saturating_sub(MARKS);
    let side_by_side = view.is_side_by_side(texts);
    let open = state.buffers.by_path(&file.path);
    let tab_width =
        open.map_or(state.text_options.tab_width, |buffer| buffer.tab_width(state.text_options.tab_width));
    diff::draw::draw_rows(
        &mut part.sub(Rect::new(MARKS, 0, texts, rows)),
        &view.rows,
        side_by_side,
        tab_width,
    );
    let selected = view.hunk(review);
    let top = view.rows.top(usize::from(rows), side_by_side);
    let (title, accepted) = (part.style("ui.overlay.title"), part.style("diff.plus"));
    for y in 0..rows {
        let Some(hunk) = view.rows.run_at(top + usize::from(y), side_by_side) else { continue };
        if Some(hunk) == selected {
            part.text(0, y, if part.is_accessible() { ">" } else { "▌" }, title);
        }
        let Some(key) = file.keys.get(hunk) else { continue };
        if review.decision(&file.name, *key) == Decision::Accepted {
            part.text(1, y, "✓", soft.patch(accepted));
        } else if review.remark(&file.name, *key).is_some() {
            part.text(1, y, "●", title);
        }
    }
}

/// Draws which hunk of which file is selected, and the comment on it.
fn draw_header(canvas: &mut Canvas<'_>, view: &ReviewView, review: &Review, rows: u16) {
    let Some((file, hunk)) = view.file(review).zip(view.hunk(review)) else { return };
    let (cols, _) = canvas.size();
    let key = file.keys.get(hunk).copied().unwrap_or_default();
    let is_accepted = review.decision(&file.name, key) == Decision::Accepted;
    let sign = match (file.is_outdated, is_accepted) {
        (true, _) => " · outdated",
        (false, true) => " · accepted",
        (false, false) => "",
    };
    let position = format!("{}/{}{sign}", hunk + 1, file.keys.len());
    let width = text_width(&position) as u16;
    let (head, soft) = (canvas.style("ui.overlay.title"), canvas.style("ui.overlay.soft"));
    if rows >= 1 {
        let name = visible(&file.name.to_string()).into_owned();
        canvas.text(1, 0, &shorten(&name, usize::from(cols.saturating_sub(width + 4))), head);
        canvas.text(cols.saturating_sub(width + 1), 0, &position, soft);
    }
    let comment = review.remark(&file.name, key).and_then(|remark| remark.comment.as_deref());
    let outdated =
        review.remarks.iter().filter(|((name, _), remark)| *name == file.name && remark.is_outdated);
    let outdated = outdated.count();
    let text = match comment {
        Some(comment) => format!("● {comment}"),
        None if outdated > 0 => format!("● {outdated} on lines that have changed since"),
        None => return,
    };
    if rows >= 2 {
        canvas.text(1, 1, &truncate(&visible(&text), usize::from(cols.saturating_sub(2))), soft);
    }
}
